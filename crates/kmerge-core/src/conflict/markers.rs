//! Finds the lines around each conflict, and writes a hunk in their place.

mod documents;

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{
    Document, DocumentPiece, Edit, Entry, EntryId, Graft, Node, NodeId, Parents, Piece, Position, Renderer, Stream,
    with_renderer,
};

use super::gaps::{Gap, Gaps};
use super::hunk::HunkStyle;
use super::nest::{Nest, anchor};
use super::{blanks_around, brought, with_taken, without};
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
    with_renderer(streams, Side::Dest.stream(), |renderer| {
        let documents = streams[0].documents().collect();
        let gaps = Gaps::of(&edits);
        let mut writer = Markers { streams, renderer, hunks, documents, edits, gaps };
        writer.write(conflicts)?;
        Ok(writer.edits)
    })
}

struct Markers<'a> {
    streams: &'a [&'a Stream<'a>; 3],
    renderer: &'a Renderer<'a>,
    hunks: HunkStyle<'a>,
    /// The documents of the destination.
    documents: Vec<Document<'a>>,
    edits: Vec<Edit>,
    gaps: Gaps,
}

/// What stands above the entries of the destination.
struct Above {
    parents: Parents,
    /// For each collection that was searched from, the entry with lines of its own around it: nothing is searched for twice.
    found: HashMap<NodeId, Option<EntryId>>,
    /// The collections that lose the entry behind their dash, so that another takes that place.
    moving_up: HashSet<NodeId>,
}

impl Above {
    fn new(dest: &Stream<'_>, edits: &[Edit]) -> Self {
        let behind_dash = |edit: &Edit| match edit {
            Edit::Remove { entry } if !dest.entry(*entry).starts_line() => Some(entry.collection),
            _ => None,
        };
        let moving_up = edits.iter().filter_map(behind_dash).collect();
        Self { parents: Parents::of(dest), found: HashMap::new(), moving_up }
    }

    /// The smallest entry around `entry` that starts its line in block collections.
    fn whole_lines(&mut self, dest: &Stream<'_>, entry: EntryId) -> Option<EntryId> {
        let mut passed = Vec::new();
        let mut next = Some(entry);
        let mut found = None;
        while let Some(id) = next {
            let entry = dest.entry(id);
            if !entry.collection().is_flow() && entry.starts_line() && !self.moving_up.contains(&id.collection) {
                found = Some(id);
                break;
            }
            if let Some(before) = self.found.get(&id.collection) {
                found = *before;
                break;
            }
            passed.push(id.collection);
            next = self.parents.holder(dest, id.collection);
        }
        self.found.extend(passed.into_iter().map(|collection| (collection, found)));
        found
    }
}

/// Conflicts by what their hunks stand around.
#[derive(Default)]
struct Groups<'c> {
    /// Entries of the destination, none of which is inside of another or of one of the documents.
    entries: Vec<(EntryId, Vec<&'c Conflict>)>,
    documents: BTreeMap<NodeId, Vec<&'c Conflict>>,
    /// Those that are about neither.
    others: Vec<&'c Conflict>,
}

impl<'a> Markers<'a> {
    fn write(&mut self, conflicts: &[Conflict]) -> Result<(), MergeError> {
        let Groups { mut entries, mut documents, others } = self.groups(conflicts);
        let nest = Nest::new(self.streams[0], entries.iter().map(|(entry, _)| *entry));
        let mut between = Between::new(&self.edits);
        for conflict in others {
            let document = node_of(conflict.place).and_then(|node| self.document_of(node));
            let entry = around_place(&nest, conflict);
            match (document.and_then(|document| documents.get_mut(&document.id())), entry) {
                (Some(inner), _) => inner.push(conflict),
                (None, Some(entry)) => entries[entry].1.push(conflict),
                (None, None) => self.elsewhere(conflict, &mut between)?,
            }
        }
        let inner = self.take_edits(entries.len(), |edit| nest.around_edit(edit));
        for ((entry, conflicts), inner) in entries.into_iter().zip(inner) {
            self.entry(entry, &conflicts, &inner)?;
        }
        self.write_documents(&documents)
    }

    fn groups<'c>(&self, conflicts: &'c [Conflict]) -> Groups<'c> {
        let dest = self.streams[0];
        let mut above = Above::new(dest, &self.edits);
        let mut entries: BTreeMap<EntryId, Vec<&Conflict>> = BTreeMap::new();
        let mut groups = Groups::default();
        for conflict in conflicts {
            match self.place(&mut above, conflict.place) {
                Around::Entry(entry) => entries.entry(entry).or_default().push(conflict),
                Around::Document(document) => groups.documents.entry(document).or_default().push(conflict),
                Around::Nothing => groups.others.push(conflict),
            }
        }
        for (entry, conflicts) in outermost(dest, entries) {
            let document = self.document_of(entry.value);
            match document.and_then(|document| groups.documents.get_mut(&document.id())) {
                Some(inner) => inner.extend(&conflicts),
                None => groups.entries.push((entry, conflicts)),
            }
        }
        groups
    }

    /// What a conflict's hunk stands around.
    fn place(&self, above: &mut Above, place: ConflictPlace) -> Around {
        let dest = self.streams[0];
        let holder = match place {
            ConflictPlace::Gap(collection, _) => above.parents.holder(dest, collection),
            _ => None,
        };
        let mut around = |entry: Option<EntryId>, node: NodeId| {
            let entry = entry.and_then(|entry| above.whole_lines(dest, entry));
            let document = || self.document_of(node).map(|document| Around::Document(document.id()));
            entry.map(Around::Entry).or_else(document).unwrap_or(Around::Nothing)
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

    /// The document of the destination that holds a node.
    fn document_of(&self, node: NodeId) -> Option<Document<'a>> {
        let behind = self.documents.partition_point(|document| document.id() <= node);
        behind.checked_sub(1).map(|last| self.documents[last])
    }

    /// A hunk around an entry of the destination.
    fn entry(&mut self, id: EntryId, conflicts: &[&Conflict], inner: &[Edit]) -> Result<(), MergeError> {
        let column = self.streams[0].entry(id).column();
        let own = conflicts.iter().filter(|conflict| conflict.entry() == Some(id));
        let blanks = own.map(|conflict| conflict.blanks).next_back().unwrap_or_default();
        let around = blanks_around(self.streams[0], id, blanks);
        let [above, below] = around.map(|span| span.of(self.streams[0].source()));
        let text = self.three(conflicts, inner, |edits| {
            let is_gone = edits.iter().any(|edit| matches!(edit, Edit::Remove { entry } if *entry == id));
            let graft = Graft { stream: Side::Dest.stream(), part: id, edits };
            if is_gone { Ok(String::new()) } else { Ok([above, &self.renderer.entry(&graft, column)?, below].concat()) }
        })?;
        self.edits.extend(without(around));
        self.edits.push(Edit::Rewrite { entry: id, pieces: vec![Piece::Lines(text)] });
        Ok(())
    }

    /// Takes the edits out that hunks are going to hold, for each of so many.
    fn take_edits(&mut self, count: usize, hunk_of: impl Fn(&Edit) -> Option<usize>) -> Vec<Vec<Edit>> {
        let mut inner: Vec<Vec<Edit>> = (0..count).map(|_| Vec::new()).collect();
        for edit in std::mem::take(&mut self.edits) {
            match hunk_of(&edit) {
                Some(hunk) => inner[hunk].push(edit),
                None => self.edits.push(edit),
            }
        }
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
            let chosen = conflicts.iter().filter_map(|conflict| Some((*conflict, choose(conflict)?)));
            render(with_taken(inner.to_vec(), chosen, self.streams))
        };
        let ours = version(|conflict| conflict.dest.as_ref())?;
        let base = if self.hunks.shows_base() { version(|conflict| Some(&conflict.base))? } else { String::new() };
        let theirs = version(|conflict| Some(&conflict.incoming))?;
        Ok(self.hunks.hunk(&ours, &base, &theirs))
    }

    /// Conflicts that are not about an entry of the destination.
    fn elsewhere(&mut self, conflict: &Conflict, between: &mut Between) -> Result<(), MergeError> {
        match conflict.place {
            ConflictPlace::Gap(collection, position) => self.gap(conflict, collection, position),
            ConflictPlace::Lines(span) => {
                let ours = conflict.dest.as_ref().map_or(span.of(self.streams[0].source()), lines);
                let text = self.hunks.hunk(ours, lines(&conflict.base), lines(&conflict.incoming));
                self.edits.push(Edit::Lines { span, text });
                Ok(())
            }
            ConflictPlace::DocumentGap(after) => self.document_gap(conflict, after, between),
            ConflictPlace::Document(_) | ConflictPlace::Root(_) | ConflictPlace::Entry(_) => Ok(()),
        }
    }

    /// A hunk between entries.
    fn gap(&mut self, conflict: &Conflict, collection: NodeId, position: Position) -> Result<(), MergeError> {
        let column = self.streams[0].node(collection).column();
        let text = |piece: Piece| match piece {
            Piece::Entry(graft) => Ok(self.renderer.entry(&graft, column)?),
            Piece::Lines(lines) => Ok(lines),
            Piece::New { .. } => Ok::<_, MergeError>(String::new()),
        };
        let render = |variant: &Variant| {
            let brought = brought(variant, conflict.blanks, collection, self.streams);
            brought.into_iter().map(text).collect::<Result<String, MergeError>>()
        };
        let text = self.hunks.hunk("", &render(&conflict.base)?, &render(&conflict.incoming)?);
        self.gaps.put(&mut self.edits, Gap { collection, position }, vec![Piece::Lines(text)]);
        Ok(())
    }
}

/// What comes between documents besides hunks.
struct Between(HashMap<Option<NodeId>, DocumentPiece>);

impl Between {
    /// The last piece that comes to each place.
    fn new(edits: &[Edit]) -> Self {
        let last = edits.iter().filter_map(|edit| match edit {
            Edit::InsertDocuments { after, documents } => Some((*after, documents.last()?.clone())),
            _ => None,
        });
        Self(last.collect())
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

/// The lines that a version consists of.
fn lines(variant: &Variant) -> &str {
    if let Variant::Text(text) = variant { text } else { "" }
}

/// The entry with a hunk of its own that a conflict's place lies inside.
fn around_place(nest: &Nest<'_>, conflict: &Conflict) -> Option<usize> {
    match conflict.place {
        ConflictPlace::Gap(collection, _) => nest.around_node(collection),
        ConflictPlace::Lines(span) => {
            let versions = [conflict.dest.as_ref(), Some(&conflict.base), Some(&conflict.incoming)];
            let texts: Vec<&str> = versions.into_iter().flatten().map(lines).filter(|text| !text.is_empty()).collect();
            // What one side alone has stands in the place of an entry, not in it.
            nest.around_lines(span, if let [_] = texts[..] { "#" } else { texts.first().copied().unwrap_or_default() })
        }
        _ => None,
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
