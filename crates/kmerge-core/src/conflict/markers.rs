//! Finds the lines around each conflict, and writes a hunk in their place.

mod documents;

use std::collections::{BTreeMap, HashMap};

use kyaml_ast::{Edit, Entry, EntryId, Graft, Node, NodeId, Parents, Piece, Position, Stream, render_entry};

use super::hunk::HunkStyle;
use super::{anchor, lies_in, pieces, take};
use crate::MergeError;
use crate::plan::{Conflict, ConflictPlace, Variant};
use crate::slots::Side;

/// Adds a hunk for each conflict to the edits of a plan.
pub(super) fn with_markers(
    streams: &[&Stream<'_>; 3],
    hunks: HunkStyle<'_>,
    edits: Vec<Edit>,
    conflicts: &[Conflict],
) -> Result<Vec<Edit>, MergeError> {
    let mut writer = Markers { streams, hunks, edits };
    writer.write(conflicts)?;
    Ok(writer.edits)
}

struct Markers<'a> {
    streams: &'a [&'a Stream<'a>; 3],
    hunks: HunkStyle<'a>,
    edits: Vec<Edit>,
}

/// What stands above the entries of the destination.
struct Above {
    parents: Parents,
    /// The entries with lines of their own around collections in brackets, so that none is looked for twice.
    of_brackets: HashMap<NodeId, Option<EntryId>>,
}

impl Markers<'_> {
    fn write(&mut self, conflicts: &[Conflict]) -> Result<(), MergeError> {
        let dest = self.streams[0];
        let mut above = Above { parents: Parents::of(dest), of_brackets: HashMap::new() };
        let mut entries: BTreeMap<EntryId, Vec<&Conflict>> = BTreeMap::new();
        let mut documents: BTreeMap<NodeId, Vec<&Conflict>> = BTreeMap::new();
        let mut others = Vec::new();
        for conflict in conflicts {
            match self.place(&mut above, conflict.place) {
                Around::Entry(entry) => entries.entry(entry).or_default().push(conflict),
                Around::Document(document) => documents.entry(document).or_default().push(conflict),
                Around::Nothing => others.push(conflict),
            }
        }
        let mut entries = outermost(dest, entries);
        for (document, inner) in &mut documents {
            let is_within = |entry: &EntryId| document_of(dest, entry.value) == Some(*document);
            let (within, without) = entries.into_iter().partition::<Vec<_>, _>(|(entry, _)| is_within(entry));
            inner.extend(within.into_iter().flat_map(|(_, conflicts)| conflicts));
            entries = without;
        }
        for conflict in others {
            let document = node_of(conflict.place).and_then(|node| document_of(dest, node));
            let entry = entries.iter_mut().find(|(entry, _)| holds_place(dest, *entry, conflict.place));
            match (document.and_then(|document| documents.get_mut(&document)), entry) {
                (Some(inner), _) | (None, Some((_, inner))) => inner.push(conflict),
                (None, None) => self.elsewhere(conflict)?,
            }
        }
        for (entry, conflicts) in entries {
            self.entry(entry, &conflicts)?;
        }
        documents.into_iter().try_for_each(|(document, conflicts)| self.document(document, &conflicts))
    }

    /// What a conflict's hunk stands around.
    fn place(&self, above: &mut Above, place: ConflictPlace) -> Around {
        let dest = self.streams[0];
        let holder = match place {
            ConflictPlace::Gap(collection, _) => above.parents.holder(dest, collection),
            _ => None,
        };
        let mut around = |entry: Option<EntryId>, node: NodeId| {
            let entry = entry.and_then(|entry| self.whole_lines(above, entry));
            entry.map(Around::Entry).or(document_of(dest, node).map(Around::Document)).unwrap_or(Around::Nothing)
        };
        match place {
            ConflictPlace::Entry(entry) => around(Some(entry), entry.value),
            ConflictPlace::Gap(collection, position) if !has_lines(dest.node(collection), position) => {
                around(holder, collection)
            }
            ConflictPlace::Root(root) => around(None, root),
            ConflictPlace::Document(document) => Around::Document(document),
            ConflictPlace::Gap(..) | ConflictPlace::Lines(_) | ConflictPlace::DocumentGap(_) => Around::Nothing,
        }
    }

    /// The smallest entry around `entry` that starts its line in block collections.
    fn whole_lines(&self, above: &mut Above, entry: EntryId) -> Option<EntryId> {
        let dest = self.streams[0];
        let mut found = None;
        let mut brackets = Vec::new();
        let mut next = Some(entry);
        while let Some(id) = next {
            let entry = dest.entry(id);
            if entry.collection().is_flow() {
                found = None;
                if let Some(known) = above.of_brackets.get(&id.collection) {
                    found = *known;
                    break;
                }
                brackets.push(id.collection);
            } else if found.is_none() && entry.starts_line() && !self.moves_up(id) {
                found = Some(id);
            }
            next = above.parents.holder(dest, id.collection);
        }
        above.of_brackets.extend(brackets.into_iter().map(|collection| (collection, found)));
        found
    }

    /// Whether the collection loses the entry behind its dash, so that another takes that place.
    fn moves_up(&self, id: EntryId) -> bool {
        let is_first =
            |entry: EntryId| entry.collection == id.collection && !self.streams[0].entry(entry).starts_line();
        self.edits.iter().any(|edit| matches!(edit, Edit::Remove { entry } if is_first(*entry)))
    }

    /// A hunk around an entry of the destination.
    fn entry(&mut self, id: EntryId, conflicts: &[&Conflict]) -> Result<(), MergeError> {
        let dest = self.streams[0];
        let column = dest.entry(id).column();
        let inner = self.take_edits(|edit| lies_in(edit, dest, id));
        let text = self.three(conflicts, &inner, |edits| {
            let is_gone = edits.iter().any(|edit| matches!(edit, Edit::Remove { entry } if *entry == id));
            if is_gone { Ok(String::new()) } else { self.render(id, edits, column) }
        })?;
        self.edits.push(Edit::Rewrite { entry: id, pieces: vec![Piece::Lines(text)] });
        Ok(())
    }

    /// Takes the edits out that a hunk is going to hold.
    fn take_edits(&mut self, is_inner: impl Fn(&Edit) -> bool) -> Vec<Edit> {
        let (inner, outer) = std::mem::take(&mut self.edits).into_iter().partition::<Vec<_>, _>(is_inner);
        self.edits = outer;
        inner
    }

    /// The hunk of one place, which `render` writes under the edits of each version.
    fn three(
        &self,
        conflicts: &[&Conflict],
        inner: &[Edit],
        render: impl Fn(Vec<Edit>) -> Result<String, MergeError>,
    ) -> Result<String, MergeError> {
        let version = |choose: fn(&Conflict) -> Option<&Variant>| {
            let mut edits = inner.to_vec();
            for conflict in conflicts {
                if let Some(variant) = choose(conflict) {
                    take(&mut edits, conflict, variant, self.streams);
                }
            }
            render(edits)
        };
        let ours = version(|conflict| conflict.dest.as_ref())?;
        let base = version(|conflict| Some(&conflict.base))?;
        let theirs = version(|conflict| Some(&conflict.incoming))?;
        Ok(self.hunks.hunk(&ours, &base, &theirs))
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
                let text = |piece: Piece| match piece {
                    Piece::Entry(graft) => Ok(render_entry(self.streams, Side::Dest.stream(), &graft, column)?),
                    Piece::Lines(lines) => Ok(lines),
                    Piece::New { .. } => Ok::<_, MergeError>(String::new()),
                };
                let render = |variant: &Variant| match variant {
                    Variant::Entries(grafts) => {
                        pieces(self.streams, grafts, collection).into_iter().map(text).collect()
                    }
                    _ => Ok::<_, MergeError>(String::new()),
                };
                let text = self.hunks.hunk("", &render(&conflict.base)?, &render(&conflict.incoming)?);
                self.edits.push(Edit::Insert { collection, position, pieces: vec![Piece::Lines(text)] });
            }
            ConflictPlace::Lines(span) => {
                let text =
                    |variant: &Variant| if let Variant::Text(text) = variant { text.clone() } else { String::new() };
                let ours = conflict.dest.as_ref().map_or_else(|| span.of(self.streams[0].source()).to_owned(), text);
                let text = self.hunks.hunk(&ours, &text(&conflict.base), &text(&conflict.incoming));
                self.edits.push(Edit::Lines { span, text });
            }
            ConflictPlace::DocumentGap(after) => self.document_gap(conflict, after)?,
            ConflictPlace::Document(_) | ConflictPlace::Root(_) | ConflictPlace::Entry(_) => {}
        }
        Ok(())
    }
}

/// What a hunk stands around.
enum Around {
    Entry(EntryId),
    Document(NodeId),
    /// Nothing of the destination's: it goes between entries, lines or documents.
    Nothing,
}

/// A node that a place is at.
fn node_of(place: ConflictPlace) -> Option<NodeId> {
    match place {
        ConflictPlace::Entry(entry) => Some(entry.value),
        ConflictPlace::Gap(node, _) | ConflictPlace::Root(node) | ConflictPlace::Document(node) => Some(node),
        ConflictPlace::DocumentGap(_) | ConflictPlace::Lines(_) => None,
    }
}

/// Whether whole lines can be inserted at a position: not in flow style, nor before `name` in `- name: x`.
fn has_lines(collection: Node<'_>, position: Position) -> bool {
    collection.is_block_collection()
        && (position != Position::First || collection.entries().next().is_some_and(Entry::starts_line))
}

/// The document that holds a node.
fn document_of(dest: &Stream<'_>, node: NodeId) -> Option<NodeId> {
    dest.documents().map(kyaml_ast::Document::id).take_while(|document| *document <= node).last()
}

/// Whether a conflict's place lies inside an entry that has a hunk of its own.
fn holds_place(dest: &Stream<'_>, entry: EntryId, place: ConflictPlace) -> bool {
    match place {
        ConflictPlace::Gap(collection, _) => dest.entry(entry).holds(collection),
        ConflictPlace::Lines(span) => dest.entry(entry).extent().contains(span),
        _ => false,
    }
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
