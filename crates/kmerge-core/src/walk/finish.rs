//! Turns the finished entries of a collection into edits of the collection, or into the change of its holder.
//!
//! Owns what follows from all entries together: their order, replaced members, fields that exclude each other, and
//! conflicts that become larger. Ignores how a single entry was decided.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Content, Edit, Entry, EntryId, Graft, Node, NodeId, Piece, Position, Span};

use super::lanes::{AboveNew, Fates};
use super::unkeyed::Whole;
use super::widen::Finished;
use super::{Change, Frame, Mode, Walker};
use crate::between::{between, neighbours};
use crate::correspond::{Identity, field_name};
use crate::equal::same_value;
use crate::plan::{Conflict, ConflictPlace, Role, Variant};
use crate::policy::BothChanged;
use crate::resolve::{Outcome, Rule};
use crate::sequence::Clash;
use crate::slots::{Side, Slots};
use crate::union::{Union, of_type};

impl<'a> Walker<'a> {
    /// Turns a collection's changes into the change of its holder. `None` if the collection has new rows now, which
    /// must be visited.
    pub(super) fn finish(&mut self, frame: &mut Frame<'a>) -> Option<Change> {
        Some(match frame.mode {
            Mode::Merge => Change::Keep(self.merged(frame)?),
            Mode::Dropped if self.keeps_any(frame) => {
                // If a field of an element stays, the fields that identify the element stay, too.
                frame.changes.retain(|(row, _)| !self.is_own_key(&frame.keys, frame.aligned.rows[*row].dest));
                Change::Keep(self.merged(frame)?)
            }
            Mode::Dropped => Change::Remove,
            Mode::Delta => self.delta(frame),
        })
    }

    fn merged(&mut self, frame: &mut Frame<'a>) -> Option<Vec<Edit>> {
        if frame.is_wholesale
            && let Some(edits) = self.wholesale(frame)
        {
            return Some(edits);
        }
        if let Some(edits) = self.union_clash(frame) {
            return Some(edits);
        }
        if !self.settle_union(frame) {
            self.rekeyed(frame);
        }
        self.reorder(frame);
        self.replacements(frame);
        let disputed = self.disputed(frame);
        let mut edits = Vec::new();
        let mut added = HashMap::new();
        let mut gone = HashSet::new();
        let changes = std::mem::take(&mut frame.changes);
        let mut visited: Vec<usize> = changes.iter().map(|(row, _)| *row).collect();
        visited.sort_unstable();
        for (row, change) in changes {
            let slots = frame.aligned.rows[row];
            match (change, slots.dest) {
                (Change::Keep(inner), _) => edits.extend(inner),
                (Change::Remove, Some(entry)) => {
                    gone.insert(row);
                    edits.push(Edit::Remove { entry });
                }
                (Change::Remove | Change::Absent, _) => {}
                (change @ (Change::Add(_) | Change::BothChanged(_)), dest) => {
                    if let Some(entry) = dest {
                        gone.insert(row);
                        edits.push(Edit::Remove { entry });
                    }
                    added.insert(row, change);
                }
            }
        }
        // If no entry stays, brackets replace all of them.
        let places = self.places(frame, &added, &gone);
        if self.widens(frame, Finished { added: &added, places: &places, gone: &gone }) {
            return None;
        }
        edits.splice(..0, std::mem::take(&mut frame.own));
        let is_emptied = added.is_empty() && frame.nodes.dest.is_some_and(|dest| dest.entries().count() == gone.len());
        let mut above = AboveNew::default();
        if frame.has_lane() && !is_emptied {
            let feet = self.feet(frame, &visited, &edits, &mut added);
            above =
                self.lane(frame, &mut Fates { added: &mut added, gone: &gone, places: &places, disputed }, &mut edits);
            edits.extend(feet);
            frame.has_settled_lines = true;
        }
        self.insert(frame, (added, places, above), &mut edits);
        self.clashes(frame);
        Some(edits)
    }

    /// If the destination left an entry alone, replaces it by the incoming text, with its comments and layout.
    fn wholesale(&mut self, frame: &mut Frame<'a>) -> Option<Vec<Edit>> {
        let (entry, part) = (frame.holder.dest?, frame.holder.incoming?);
        if frame.order.as_ref().is_some_and(|order| order.changed.by_incoming) {
            self.tell_order(frame, Some((Outcome::Take, Rule::OnlyIncoming)));
        }
        if self.plan.decisions.len() == frame.decisions && frame.whole != Whole::Taken {
            let is_value = frame.identity == Identity::Position && !is_same_list(&frame.nodes);
            let role = if is_value { Role::Value } else { Role::Layout };
            self.decide(role, Outcome::Take, Rule::OnlyIncoming, self.entries(frame.holder));
        }
        let graft = Graft::new(Side::Incoming.stream(), part);
        let is_flow = |side| self.streams.get(side).is_some_and(|stream| stream.entry(part).collection().is_flow());
        let dest_is_flow = self.streams.dest?.entry(entry).collection().is_flow();
        if !dest_is_flow && !is_flow(Side::Incoming) {
            return Some(vec![Edit::Rewrite { entry, pieces: vec![Piece::Entry(graft)] }]);
        }
        let mut edits = std::mem::take(&mut frame.own);
        edits.push(Edit::ReplaceValue { entry, content: Content::Layout(graft) });
        Some(edits)
    }

    /// Makes one conflict of the whole object: if both sides changed a union and chose different members, or if both
    /// sides changed a reference in different ways.
    fn union_clash(&mut self, frame: &mut Frame<'a>) -> Option<Vec<Edit>> {
        if self.policy.both_changed != BothChanged::Conflict {
            return None;
        }
        let entries = self.entries(frame.holder);
        let (dest, incoming) = (entries.dest?, entries.incoming?);
        if members_that_differ(frame).is_none() && !self.names_another(frame) {
            return None;
        }
        let replace = |side: Side, entry: Entry<'_>| {
            let content = Content::Value(Graft::new(side.stream(), entry.id()));
            Variant::Edited(vec![Edit::ReplaceValue { entry: dest.id(), content }])
        };
        let base = entries.base.map_or(Variant::Absent, |base| replace(Side::Base, base));
        let variants = (base, replace(Side::Incoming, incoming));
        // Whatever was found inside the object is part of this one conflict.
        self.plan.conflicts.truncate(frame.conflicts);
        self.plan.decisions.truncate(frame.decisions);
        self.decide(Role::Value, Outcome::Conflict, Rule::BothChanged, entries);
        self.push_conflict(Role::Value, ConflictPlace::Entry(dest.id()), variants, entries);
        Some(std::mem::take(&mut frame.own))
    }

    /// Decides a union for which both sides chose different members, if the policy lets one side win. The winner's
    /// member stays, the other is removed. Returns whether there was such a union.
    fn settle_union(&mut self, frame: &mut Frame<'a>) -> bool {
        let (outcome, winner) = match self.policy.both_changed {
            BothChanged::Keep => (Outcome::Keep, Side::Dest),
            BothChanged::Take => (Outcome::Take, Side::Incoming),
            BothChanged::Conflict => return false,
        };
        let Some(Members { ours, theirs, is_exclusive: true }) = members_that_differ(frame) else {
            return false;
        };
        if self.streams.base.is_none() || ours.is_empty() || theirs.is_empty() {
            return false;
        }
        let wanted = if winner == Side::Dest { &ours } else { &theirs };
        for (row, slots) in frame.aligned.rows.iter().enumerate() {
            let entries = self.entries(*slots);
            let Some((_, entry)) = entries.present().next() else { continue };
            let name = field_name(*entry);
            let change = match (entries.dest, entries.incoming) {
                _ if !ours.contains_key(&name) && !theirs.contains_key(&name) => continue,
                (Some(_), _) if !wanted.contains_key(&name) => Change::Remove,
                (None, Some(incoming)) if wanted.contains_key(&name) => Change::Add(self.graft(incoming)),
                (None, _) => Change::Absent,
                (Some(_), _) => Change::Keep(Vec::new()),
            };
            frame.changes.retain(|(changed, _)| *changed != row);
            frame.changes.push((row, change));
        }
        let entries = self.entries(frame.holder);
        self.decide(Role::Value, outcome, Rule::BothChanged, entries);
        true
    }

    /// Turns the clashes of a list into conflicts.
    fn clashes(&mut self, frame: &mut Frame<'a>) {
        for clash in std::mem::take(&mut frame.clashes) {
            let Some(conflict) = self.clash(frame, &clash) else { return };
            self.tell(conflict.role, Outcome::Conflict, Rule::BothChanged, conflict.spans);
            self.plan.conflicts.push(conflict);
        }
    }

    /// The conflict of a clash: neighbouring entries that differ on each side.
    pub(super) fn clash(&self, frame: &Frame<'a>, clash: &Clash) -> Option<Conflict> {
        let collection = frame.nodes.dest?;
        let last = clash.dest.last().copied().or(clash.after);
        let position = last.map_or(Position::First, Position::After);
        let grafts = |side: Side, entries: &[EntryId]| -> Vec<Graft<EntryId>> {
            entries.iter().map(|entry| Graft::new(side.stream(), *entry)).collect()
        };
        let (base, incoming) = (grafts(Side::Base, &clash.base), grafts(Side::Incoming, &clash.incoming));
        let (place, base, incoming) = if clash.dest.is_empty() {
            (ConflictPlace::Gap(collection.id(), position), Variant::Entries(base), Variant::Entries(incoming))
        } else {
            let place = frame.holder.dest.map_or(ConflictPlace::Root(collection.id()), ConflictPlace::Entry);
            let edits = |side: Side, grafts: Vec<Graft<EntryId>>| {
                let mut edits = without(collection, &clash.dest);
                let stream = self.streams.get(side).copied();
                let pieces = stream.map_or_else(Vec::new, |stream| neighbours(stream, &grafts, collection));
                if !pieces.is_empty() {
                    edits.push(Edit::Insert { collection: collection.id(), position, pieces });
                }
                Variant::Edited(edits)
            };
            (place, edits(Side::Base, base), edits(Side::Incoming, incoming))
        };
        let entries = Slots::three(&clash.dest, &clash.base, &clash.incoming);
        let spans = Slots::of(|side| self.cover(side, entries.get(side)?));
        Some(Conflict { path: self.path.clone(), role: clash.role, place, dest: None, base, incoming, spans })
    }

    /// From the start of the first entry to the end of the last.
    fn cover(&self, side: Side, entries: &[EntryId]) -> Option<Span> {
        let (first, last) = (entries.first()?, entries.last()?);
        let span = |entry: &EntryId| Some(self.streams.get(side)?.entry(*entry).span());
        Some(span(first)?.cover(span(last)?))
    }

    fn insert(
        &mut self,
        frame: &Frame<'a>,
        (mut added, places, mut above): (HashMap<usize, Change>, Places, AboveNew),
        edits: &mut Vec<Edit>,
    ) {
        let Some(collection) = frame.nodes.dest else { return };
        for (row, after) in places {
            let position = after.map_or(Position::First, Position::After);
            match added.remove(&row) {
                Some(Change::Add(graft)) => {
                    if let Some(lines) = above.lines.remove(&row).filter(|lines| !lines.is_empty()) {
                        push_insert(edits, collection.id(), position, Piece::Lines(lines));
                    }
                    push_insert(edits, collection.id(), position, Piece::Entry(graft));
                }
                Some(Change::BothChanged(index)) => {
                    self.plan.conflicts[index].place = ConflictPlace::Gap(collection.id(), position);
                }
                _ => {}
            }
        }
        if !above.below_first.is_empty() {
            push_insert(edits, collection.id(), Position::First, Piece::Lines(above.below_first));
        }
    }

    /// For a collection that the destination removed: what the incoming side changed comes back, in the incoming
    /// layout.
    fn delta(&self, frame: &Frame<'a>) -> Change {
        let changes: HashMap<usize, &Change> = frame.changes.iter().map(|(row, change)| (*row, change)).collect();
        if !changes.values().any(|change| matches!(change, Change::Add(_))) {
            return Change::Absent;
        }
        let Some(part) = frame.holder.incoming else { return Change::Absent };
        let mut edits = Vec::new();
        for (row, slots) in frame.aligned.rows.iter().enumerate() {
            let Some(entry) = slots.incoming else { continue };
            match changes.get(&row) {
                Some(Change::Add(graft)) => edits.extend(graft.edits.iter().cloned()),
                _ if self.is_identity(frame, entry) => {}
                _ => edits.push(Edit::Remove { entry }),
            }
        }
        Change::Add(Graft { stream: Side::Incoming.stream(), part, edits })
    }

    /// Whether a field of the incoming element identifies it. Such a field comes back with the element.
    fn is_identity(&self, frame: &Frame<'a>, entry: EntryId) -> bool {
        let Some(stream) = self.streams.incoming else { return false };
        frame.keys.contains(&field_name(stream.entry(entry)))
    }

    /// Whether a field of the destination's element identifies it.
    pub(super) fn is_own_key(&self, keys: &[String], entry: Option<EntryId>) -> bool {
        let Some((entry, stream)) = entry.zip(self.streams.dest) else { return false };
        !keys.is_empty() && keys.contains(&field_name(stream.entry(entry)))
    }

    /// Whether a field of the destination stays that does more than identify the element.
    fn keeps_any(&self, frame: &Frame<'a>) -> bool {
        let changes: HashMap<usize, &Change> = frame.changes.iter().map(|(row, change)| (*row, change)).collect();
        let mut rows = frame.aligned.rows.iter().enumerate().filter(|(_, slots)| slots.dest.is_some());
        rows.any(|(row, slots)| {
            !matches!(changes.get(&row), Some(Change::Remove)) && !self.is_own_key(&frame.keys, slots.dest)
        })
    }
}

/// Edits that remove neighbours from a list, together with the lines between them.
fn without(list: Node<'_>, entries: &[EntryId]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = entries.iter().map(|entry| Edit::Remove { entry: *entry }).collect();
    if list.is_block_collection() && entries.len() < list.entries().count() {
        let gaps = entries.windows(2).filter_map(|pair| between(list.stream(), pair[0], pair[1]));
        edits.extend(gaps.map(|span| Edit::Text { span, text: String::new() }));
    }
    edits
}

fn is_same_list(nodes: &Slots<Node<'_>>) -> bool {
    nodes.dest.zip(nodes.incoming).is_some_and(|(dest, incoming)| same_value(dest, incoming))
}

/// The members of a union that two sides chose, by name.
struct Members<'a> {
    ours: BTreeMap<String, Node<'a>>,
    theirs: BTreeMap<String, Node<'a>>,
    /// Whether at most one member may be set.
    is_exclusive: bool,
}

/// The members of a union, if both sides changed it and chose different ones.
fn members_that_differ<'a>(frame: &Frame<'a>) -> Option<Members<'a>> {
    let union = frame.cursor.type_name().and_then(of_type)?;
    let [ours, was, theirs] =
        [frame.nodes.dest, frame.nodes.base, frame.nodes.incoming].map(|node| chosen(node, union));
    let is_settled = ours.keys().eq(theirs.keys()) || same_choice(&ours, &was) || same_choice(&theirs, &was);
    let is_choice = frame.identity == Identity::Field && !is_settled && ours.len() <= 1 && theirs.len() <= 1;
    is_choice.then(|| Members { is_exclusive: union.is_exclusive(), ours, theirs })
}

/// The members of a union that an object has set, by name.
fn chosen<'a>(object: Option<Node<'a>>, members: Union) -> BTreeMap<String, Node<'a>> {
    let fields = object.into_iter().flat_map(Node::entries).map(|entry| (field_name(entry), entry.value()));
    fields.filter(|(name, value)| members.has(name, *value)).collect()
}

fn same_choice(a: &BTreeMap<String, Node<'_>>, b: &BTreeMap<String, Node<'_>>) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && same_value(*a.1, *b.1))
}

/// New rows, each with the destination's entry that it follows. `None`: the row comes first.
pub(super) type Places = Vec<(usize, Option<EntryId>)>;

/// Adds a piece to the last insertion, if that has the same position.
fn push_insert(edits: &mut Vec<Edit>, at: NodeId, place: Position, piece: Piece) {
    if let Some(Edit::Insert { collection, position, pieces }) = edits.last_mut()
        && *collection == at
        && *position == place
    {
        pieces.push(piece);
        return;
    }
    edits.push(Edit::Insert { collection: at, position: place, pieces: vec![piece] });
}
