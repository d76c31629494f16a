//! List elements that a side renamed: what only the fields that identify it tell from an element of the base.
//!
//! Invariant: an element is renamed only where nothing else can be meant, that is where one element of the base went and
//! one new element has all that it had but its identity; or it went from both sides, and just one new element stands in its
//! place. Where a side still has the element under the old name, some field besides has to be alike on all sides.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, EntryId, Node, NodeId};

use super::identity::field_name;
use super::rows::{Aligned, Gap};
use crate::policy::Removal;
use crate::schema::Keys;
use crate::slots::{Side, Slots};

/// What an element is but its identity.
#[derive(PartialEq, Eq, Hash)]
enum Rest {
    /// The values of its other fields, by name.
    Fields(Vec<(String, u64)>),
    /// Nothing: its place in a list of this length.
    Place(usize, usize),
}

/// Joins the rows of elements that one side renamed, and the other renamed otherwise, removed or kept: what was one element must
/// not become two, come back under another name, or lose its comments.
pub(crate) fn join(aligned: &mut Aligned, nodes: &Slots<Node<'_>>, keys: Keys<'_>, removal: Removal) {
    let known = aligned.rows_of(Side::Base);
    let mut dest = renames(aligned, nodes, Side::Dest, Side::Base, keys);
    if removal == Removal::Parts {
        // A destination into which the edit was merged before is as the incoming side has the element.
        let again = renames(aligned, nodes, Side::Dest, Side::Incoming, keys);
        let base_of = |row: &Slots<EntryId>| Some((row.incoming?.value, row.base?.value));
        let bases: HashMap<NodeId, NodeId> = aligned.rows.iter().filter_map(base_of).collect();
        for (id, row) in again.into_iter().filter_map(|(id, row)| Some((*bases.get(&id)?, row))) {
            dest.entry(id).or_insert(row);
        }
    }
    let mut incoming = renames(aligned, nodes, Side::Incoming, Side::Base, keys);
    let places = [Side::Dest, Side::Incoming].map(|side| in_place(aligned, nodes, side));
    for (renames, places) in [&mut dest, &mut incoming].into_iter().zip(places) {
        let used: HashSet<usize> = renames.values().copied().collect();
        for (id, row) in places.into_iter().filter(|(_, row)| !used.contains(row)) {
            renames.entry(id).or_insert(row);
        }
    }
    let mut merged = HashMap::new();
    for entry in nodes.base.into_iter().flat_map(Node::entries) {
        let id = entry.id();
        let new = (dest.get(&id.value).copied(), incoming.get(&id.value).copied());
        let is_merged = |side, row: usize| {
            let kept = aligned.rows[row].get(side).copied();
            kept.is_some_and(|kept| shares_field(entry, side, kept, nodes, keys))
        };
        let is_alone = |row: usize| aligned.rows[row].present().count() == 1;
        // Both sides have the new name: who did not only rename left something else alone.
        let is_of_both = |row: usize| {
            let Slots { dest: Some(dest), base: None, incoming: Some(incoming) } = aligned.rows[row] else {
                return false;
            };
            [(Side::Dest, dest), (Side::Incoming, incoming)]
                .into_iter()
                .all(|(side, kept)| shares_field(entry, side, kept, nodes, keys))
        };
        let (row, from) = match (known.get(&id).copied(), new) {
            (None, (Some(row), from) | (from, Some(row))) if from.is_none_or(|from| from == row) && is_of_both(row) => {
                aligned.rows[row].base = Some(id);
                continue;
            }
            (_, (row, from)) if ![row, from].into_iter().flatten().all(is_alone) => continue,
            (None, (Some(row), Some(from))) => (row, from),
            (None, (Some(row), None) | (None, Some(row))) => {
                aligned.rows[row].base = Some(id);
                continue;
            }
            (Some(from), (Some(row), None)) if is_merged(Side::Incoming, from) => (row, from),
            (Some(row), (None, Some(from))) if is_merged(Side::Dest, row) => (row, from),
            _ => continue,
        };
        let rows = &mut aligned.rows;
        rows[row] = Slots { base: Some(id), incoming: rows[from].incoming, ..rows[row] };
        merged.insert(from, row);
    }
    aligned.drop_rows(&merged);
}

/// The rows of elements that one side renamed and the other still has, and those of the new names, under which the other side has
/// an element that is not the same.
pub(crate) fn names_taken(aligned: &Aligned, nodes: &Slots<Node<'_>>, keys: Keys<'_>) -> Vec<[usize; 2]> {
    let is_new_on_both = |row: &Slots<EntryId>| row.base.is_none() && row.dest.is_some() && row.incoming.is_some();
    if !aligned.rows.iter().any(is_new_on_both) {
        return Vec::new();
    }
    let rows = aligned.rows.iter().enumerate();
    let known: HashMap<NodeId, usize> = rows.filter_map(|(index, row)| Some((row.base?.value, index))).collect();
    let is_taken = |row: usize| {
        let Slots { dest: Some(dest), base: None, incoming: Some(incoming) } = aligned.rows[row] else { return false };
        let value =
            |side: Side, entry: EntryId| nodes.get(side).map(|list| list.stream().entry(entry).value().digest());
        value(Side::Dest, dest) != value(Side::Incoming, incoming)
    };
    let renames = [Side::Dest, Side::Incoming].map(|side| renames(aligned, nodes, side, Side::Base, keys));
    let renames = renames.into_iter().flatten().filter(|(_, new)| is_taken(*new));
    renames.filter_map(|(old, new)| Some([*known.get(&old)?, new])).collect()
}

/// Whether a side left a field of the base's element alone, beside those that identify it.
pub(crate) fn shares_field(
    base: Entry<'_>,
    side: Side,
    kept: EntryId,
    nodes: &Slots<Node<'_>>,
    keys: Keys<'_>,
) -> bool {
    let Some(list) = nodes.get(side) else { return false };
    let kept = list.stream().entry(kept);
    let fields: HashSet<(String, u64)> = fields(base, keys).collect();
    self::fields(kept, keys).any(|field| fields.contains(&field))
}

/// The rows of new elements of a side, by the elements of the base in whose place they stand: between the same elements that
/// all sides have, nothing else went or came.
fn in_place(aligned: &Aligned, nodes: &Slots<Node<'_>>, side: Side) -> HashMap<NodeId, usize> {
    let is_new = |row: &usize| aligned.rows[*row].base.is_none();
    let new = |gap: &Gap<EntryId>| gap.things.iter().filter_map(|thing| thing.1).filter(is_new).collect();
    let new: HashMap<Option<usize>, Vec<usize>> =
        aligned.gaps(side, nodes).iter().map(|gap| (gap.before, new(gap))).collect();
    let only = |gap: Gap<EntryId>| {
        let mut gone = gap.things.iter().filter(|thing| thing.1.is_none());
        match (gone.next(), gone.next(), new.get(&gap.before)?.as_slice()) {
            (Some((id, _)), None, [row]) if aligned.rows[*row].present().count() == 1 => Some((id.value, *row)),
            _ => None,
        }
    };
    aligned.gaps(Side::Base, nodes).into_iter().filter_map(only).collect()
}

/// The rows of new elements of a side, by the elements that they were: in the base, or wherever they are `from`.
fn renames(
    aligned: &Aligned,
    nodes: &Slots<Node<'_>>,
    side: Side,
    from: Side,
    keys: Keys<'_>,
) -> HashMap<NodeId, usize> {
    let ids = |of: Side| aligned.rows.iter().filter(move |row| row.get(of).is_some());
    let kept: HashSet<NodeId> = ids(side).filter_map(|row| Some(row.get(from)?.value)).collect();
    let old: HashSet<NodeId> = ids(from).filter_map(|row| Some(row.get(side)?.value)).collect();
    let went = unique(nodes, from, &kept, keys);
    let new = unique(nodes, side, &old, keys);
    let is_new = |row: &Slots<EntryId>| row.base.is_none() && row.get(from).is_none();
    let rows: HashMap<NodeId, usize> = aligned
        .rows
        .iter()
        .enumerate()
        .filter(|(_, row)| is_new(row))
        .filter_map(|(index, row)| Some((row.get(side)?.value, index)))
        .collect();
    let row_of = |rest: &Rest| rows.get(&new.get(rest).copied().flatten()?).copied();
    went.iter().filter_map(|(rest, entry)| Some(((*entry)?, row_of(rest)?))).collect()
}

/// The elements of a side but for `known` ones, by what tells them apart beside their identity; `None` where that does not.
fn unique(
    nodes: &Slots<Node<'_>>,
    side: Side,
    known: &HashSet<NodeId>,
    keys: Keys<'_>,
) -> HashMap<Rest, Option<NodeId>> {
    let mut found = HashMap::new();
    let Some(list) = nodes.get(side) else { return found };
    let length = list.entries().count();
    for (place, entry) in list.entries().enumerate().filter(|(_, entry)| !known.contains(&entry.id().value)) {
        let rest = rest(entry, keys).unwrap_or(Rest::Place(place, length));
        found.entry(rest).and_modify(|entry| *entry = None).or_insert(Some(entry.id().value));
    }
    found
}

/// The fields of an element that do not identify it; `None` where there are none.
fn rest(entry: Entry<'_>, keys: Keys<'_>) -> Option<Rest> {
    let mut fields: Vec<(String, u64)> = fields(entry, keys).collect();
    fields.sort();
    (!fields.is_empty()).then_some(Rest::Fields(fields))
}

fn fields(entry: Entry<'_>, keys: Keys<'_>) -> impl Iterator<Item = (String, u64)> {
    let fields = entry.value().entries().map(|field| (field_name(field), field.value().digest()));
    fields.filter(move |(name, _)| is_rest(name, keys))
}

fn is_rest(name: &str, keys: Keys<'_>) -> bool {
    keys.iter().all(|key| key.name != name)
}
