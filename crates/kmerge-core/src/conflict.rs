//! Writes a plan out: its edits, and for each conflict one side or a hunk with markers.
//!
//! Hunks stand on whole lines around the smallest entry that starts its line, so that each side alone is valid YAML: the
//! entry is rendered once per side, and lines that all shown sides share stay outside the markers.

use std::collections::BTreeMap;

use kyaml_ast::{DocumentPiece, Edit, EntryId, Graft, Newline, NodeId, Parents, Piece, Stream, render_entry, splice};

use crate::MergeError;
use crate::lines::{Labels, Style};
use crate::plan::{Conflict, ConflictPlace, Plan, Variant};
use crate::slots::{Side, Slots};

/// What becomes of conflicts when a plan is written.
#[derive(Clone, Copy, Debug)]
pub enum ConflictStyle<'a> {
    /// The destination's version stays.
    Dest,
    /// The base's version comes back.
    Base,
    /// The incoming version is taken.
    Incoming,
    /// Both versions, between markers.
    Markers {
        /// Whether the base is shown, too.
        style: Style,
        /// The texts beside the markers.
        labels: Labels<'a>,
    },
}

/// Applies a plan to its destination.
///
/// # Errors
///
/// Edits that claim the same bytes: a defect of the plan.
pub fn render(plan: &Plan, sides: Slots<&Stream<'_>>, style: &ConflictStyle<'_>) -> Result<String, MergeError> {
    let empty = Stream::parse("").map_err(kyaml_ast::SpliceError::from)?;
    let streams = [sides.dest, sides.base, sides.incoming].map(|stream| stream.unwrap_or(&empty));
    let mut edits = plan.edits.clone();
    match style {
        ConflictStyle::Dest => {}
        ConflictStyle::Base => {
            plan.conflicts.iter().for_each(|conflict| take(&mut edits, conflict, &conflict.base, streams[0]))
        }
        ConflictStyle::Incoming => {
            plan.conflicts.iter().for_each(|conflict| take(&mut edits, conflict, &conflict.incoming, streams[0]));
        }
        ConflictStyle::Markers { style, labels } => {
            let newline = Newline::of(streams[0].source());
            let mut writer = Markers { streams: &streams, style: *style, labels: *labels, newline, edits };
            writer.write(&plan.conflicts)?;
            edits = writer.edits;
        }
    }
    Ok(splice(&streams, Side::Dest.stream(), &edits)?)
}

/// Turns one version of a conflict into edits.
fn take(edits: &mut Vec<Edit>, conflict: &Conflict, variant: &Variant, dest: &Stream<'_>) {
    match (variant, conflict.place) {
        (Variant::Edited(inner), _) => edits.extend(inner.iter().cloned()),
        (Variant::Text(text), ConflictPlace::Lines(span)) => edits.push(Edit::Text { span, text: text.clone() }),
        (Variant::Absent, ConflictPlace::Entry(entry)) => {
            edits.retain(|edit| anchor(edit).is_none_or(|node| !dest.entry(entry).holds(node)));
            edits.push(Edit::Remove { entry });
        }
        (Variant::Absent, ConflictPlace::Document(document)) => edits.push(Edit::RemoveDocument { document }),
        (Variant::Entry(graft), ConflictPlace::Gap(collection, position)) => {
            edits.push(Edit::Insert { collection, position, pieces: vec![Piece::Entry(graft.clone())] });
        }
        (Variant::Document(graft), ConflictPlace::DocumentGap(after)) => {
            let documents = vec![DocumentPiece::Document(graft.clone())];
            edits.push(Edit::InsertDocuments { after, documents });
        }
        (Variant::Document(graft), ConflictPlace::Document(document)) => {
            edits.push(Edit::RemoveDocument { document });
            let documents = vec![DocumentPiece::Document(graft.clone())];
            edits.push(Edit::InsertDocuments { after: Some(document), documents });
        }
        _ => {}
    }
}

/// The node of the destination that an edit changes.
fn anchor(edit: &Edit) -> Option<NodeId> {
    match edit {
        Edit::ReplaceValue { entry, .. }
        | Edit::ReplaceKey { entry, .. }
        | Edit::Remove { entry }
        | Edit::Rewrite { entry, .. }
        | Edit::SetComment { entry, .. } => Some(entry.value),
        Edit::Insert { collection, .. } => Some(*collection),
        Edit::ReplaceRoot { root, .. } => Some(*root),
        _ => None,
    }
}

struct Markers<'a> {
    streams: &'a [&'a Stream<'a>; 3],
    style: Style,
    labels: Labels<'a>,
    newline: Newline,
    edits: Vec<Edit>,
}

impl Markers<'_> {
    fn write(&mut self, conflicts: &[Conflict]) -> Result<(), MergeError> {
        let parents = Parents::of(self.streams[0]);
        let mut hunks: BTreeMap<EntryId, Vec<&Conflict>> = BTreeMap::new();
        for conflict in conflicts {
            let entry = match conflict.place {
                ConflictPlace::Entry(entry) => self.whole_lines(&parents, entry),
                ConflictPlace::Gap(collection, _) if self.streams[0].node(collection).is_flow() => {
                    parents.holder(self.streams[0], collection).and_then(|holder| self.whole_lines(&parents, holder))
                }
                _ => None,
            };
            match entry {
                Some(entry) => hunks.entry(entry).or_default().push(conflict),
                None => self.elsewhere(conflict)?,
            }
        }
        for (entry, conflicts) in outermost(self.streams[0], hunks) {
            self.entry(entry, &conflicts)?;
        }
        Ok(())
    }

    /// The smallest entry around `entry` that starts its line in block collections.
    fn whole_lines(&self, parents: &Parents, entry: EntryId) -> Option<EntryId> {
        let dest = self.streams[0];
        let mut found = None;
        let mut next = Some(entry);
        while let Some(id) = next {
            let entry = dest.entry(id);
            if entry.collection().is_flow() {
                found = None;
            } else if found.is_none() && entry.starts_line() {
                found = Some(id);
            }
            next = parents.holder(dest, id.collection);
        }
        found
    }

    /// A hunk around an entry of the destination.
    fn entry(&mut self, id: EntryId, conflicts: &[&Conflict]) -> Result<(), MergeError> {
        let entry = self.streams[0].entry(id);
        let (inner, outer) = std::mem::take(&mut self.edits)
            .into_iter()
            .partition::<Vec<_>, _>(|edit| anchor(edit).is_some_and(|node| entry.holds(node)));
        self.edits = outer;
        let column = entry.column();
        let ours = self.render(id, inner.clone(), column)?;
        let side = |choose: fn(&Conflict) -> &Variant| -> Result<String, MergeError> {
            let mut edits = inner.clone();
            for conflict in conflicts {
                take(&mut edits, conflict, choose(conflict), self.streams[0]);
            }
            let is_gone = edits.iter().any(|edit| matches!(edit, Edit::Remove { entry } if *entry == id));
            if is_gone { Ok(String::new()) } else { self.render(id, edits, column) }
        };
        let base = side(|conflict| &conflict.base)?;
        let theirs = side(|conflict| &conflict.incoming)?;
        let text = self.hunk(&ours, &base, &theirs);
        self.edits.push(Edit::Rewrite { entry: id, pieces: vec![Piece::Lines(text)] });
        Ok(())
    }

    fn render(&self, part: EntryId, edits: Vec<Edit>, column: usize) -> Result<String, MergeError> {
        let graft = Graft { stream: Side::Dest.stream(), part, edits };
        Ok(render_entry(self.streams, Side::Dest.stream(), &graft, column)?)
    }

    /// Conflicts that are not about an entry of the destination.
    fn elsewhere(&mut self, conflict: &Conflict) -> Result<(), MergeError> {
        match conflict.place {
            ConflictPlace::Gap(collection, position) => {
                let column = self.streams[0].node(collection).column();
                let render = |variant: &Variant| match variant {
                    Variant::Entry(graft) => Ok(render_entry(self.streams, Side::Dest.stream(), graft, column)?),
                    _ => Ok::<_, MergeError>(String::new()),
                };
                let text = self.hunk("", &render(&conflict.base)?, &render(&conflict.incoming)?);
                self.edits.push(Edit::Insert { collection, position, pieces: vec![Piece::Lines(text)] });
            }
            ConflictPlace::Lines(span) => {
                let text =
                    |variant: &Variant| if let Variant::Text(text) = variant { text.clone() } else { String::new() };
                let ours = span.of(self.streams[0].source()).to_owned();
                let text = self.hunk(&ours, &text(&conflict.base), &text(&conflict.incoming));
                self.edits.push(Edit::Text { span, text });
            }
            ConflictPlace::Document(_)
            | ConflictPlace::DocumentGap(_)
            | ConflictPlace::Root(_)
            | ConflictPlace::Entry(_) => {
                self.document(conflict);
            }
        }
        Ok(())
    }

    /// A hunk of whole documents.
    fn document(&mut self, conflict: &Conflict) {
        let dest = self.streams[0];
        let holding = |node: NodeId| {
            let at = dest.node(node).span().start;
            dest.documents().find(|document| document.span().start <= at && at < document.span().end.max(at + 1))
        };
        let ours = match conflict.place {
            ConflictPlace::Document(document) => dest.documents().find(|it| it.id() == document),
            ConflictPlace::Root(root) => holding(root),
            ConflictPlace::Entry(entry) => holding(entry.value),
            _ => None,
        };
        let after = match (ours, conflict.place) {
            (_, ConflictPlace::DocumentGap(after)) => after,
            (Some(ours), _) => Some(ours.id()),
            (None, _) => None,
        };
        let mut pieces = vec![self.marker('<', self.labels.ours)];
        if let Some(ours) = ours {
            self.edits.push(Edit::RemoveDocument { document: ours.id() });
            pieces.push(DocumentPiece::Document(Graft::new(Side::Dest.stream(), ours.id())));
        }
        let side = |variant: &Variant| match variant {
            Variant::Document(graft) => Some(DocumentPiece::Document(graft.clone())),
            Variant::Edited(edits) => ours.map(|ours| {
                DocumentPiece::Document(Graft { stream: Side::Dest.stream(), part: ours.id(), edits: edits.clone() })
            }),
            _ => None,
        };
        if self.style != Style::Merge {
            pieces.push(self.marker('|', self.labels.base));
            pieces.extend(side(&conflict.base));
        }
        pieces.push(self.marker('=', ""));
        pieces.extend(side(&conflict.incoming));
        pieces.push(self.marker('>', self.labels.theirs));
        self.edits.push(Edit::InsertDocuments { after, documents: pieces });
    }

    fn marker(&self, mark: char, label: &str) -> DocumentPiece {
        DocumentPiece::Lines(self.marker_line(mark, label))
    }

    fn marker_line(&self, mark: char, label: &str) -> String {
        let marks: String = std::iter::repeat_n(mark, self.labels.size).collect();
        let space = if label.is_empty() { "" } else { " " };
        format!("{marks}{space}{label}{}", self.newline.as_str())
    }

    /// Whole lines of three versions as one hunk; what the shown versions share at both ends stays outside.
    fn hunk(&self, ours: &str, base: &str, theirs: &str) -> String {
        let shown: Vec<&str> = if self.style == Style::Diff3 { vec![ours, base, theirs] } else { vec![ours, theirs] };
        let (head, tail) = shared_ends(&shown);
        let cut = |text: &str| text[head..text.len() - tail].to_owned();
        let mut out = ours[..head].to_owned();
        out += &self.marker_line('<', self.labels.ours);
        out += &cut(ours);
        match self.style {
            Style::Merge => {}
            Style::Diff3 => out += &(self.marker_line('|', self.labels.base) + &cut(base)),
            Style::Zdiff3 => out += &(self.marker_line('|', self.labels.base) + base),
        }
        out += &self.marker_line('=', "");
        out += &cut(theirs);
        out += &self.marker_line('>', self.labels.theirs);
        out + &ours[ours.len() - tail..]
    }
}

/// Lengths in bytes of the whole lines that all texts share at their start and, after these, at their end.
fn shared_ends(texts: &[&str]) -> (usize, usize) {
    let Some((first, rest)) = texts.split_first() else { return (0, 0) };
    let mut head = 0;
    for line in first.split_inclusive('\n') {
        if !rest.iter().all(|text| text[head..].starts_with(line)) {
            break;
        }
        head += line.len();
    }
    let mut tail = 0;
    for line in first[head..].split_inclusive('\n').rev() {
        let fits = |text: &&str| {
            let body = &text[head..];
            body.len() >= tail + line.len()
                && body[..body.len() - tail].ends_with(line)
                && (body.len() == tail + line.len() || body[..body.len() - tail - line.len()].ends_with('\n'))
        };
        if !rest.iter().all(fits) {
            break;
        }
        tail += line.len();
    }
    (head, tail)
}

/// Hunks that lie inside others join them.
fn outermost<'c>(dest: &Stream<'_>, hunks: BTreeMap<EntryId, Vec<&'c Conflict>>) -> Vec<(EntryId, Vec<&'c Conflict>)> {
    let mut out: Vec<(EntryId, Vec<&'c Conflict>)> = Vec::new();
    let mut sorted: Vec<_> = hunks.into_iter().collect();
    sorted.sort_by_key(|(entry, _)| entry.key.unwrap_or(entry.value));
    for (entry, conflicts) in sorted {
        match out.last_mut().filter(|(outer, _)| dest.entry(*outer).holds(entry.value)) {
            Some((_, outer)) => outer.extend(conflicts),
            None => out.push((entry, conflicts)),
        }
    }
    out
}
