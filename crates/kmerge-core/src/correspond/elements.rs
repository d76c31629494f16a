//! List elements that a side renamed: what identifies them is new, the rest is as in the base.
//!
//! Invariant: an element is renamed only where nothing else can be meant. Either one element of the base is gone and one new element
//! has all its other fields; or it is gone on both sides, and one new element stands in its place. Where a side still has the old
//! name, or where nobody is asked, one more field has to be the same on all sides. What stands at another place, too, is new if the
//! other side changed the old element: that change must not get into something that only looks alike.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, EntryId, Node};

use super::identity::field_name;
use super::rows::{Aligned, Gap};
use crate::policy::{Policy, Unkeyed};
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

/// Joins the rows of elements that a side renamed, whatever the other side made of them: what was one element must not become
/// two, come back under another name, or lose its comments.
pub(crate) fn join(aligned: &mut Aligned, nodes: &Slots<Node<'_>>, keys: Keys<'_>, policy: &Policy) {
    let elements = Elements { aligned, nodes, keys };
    let again = if policy.merges_removed() { elements.renamed_before() } else { HashMap::new() };
    let dest = elements.new_names(Side::Dest, again);
    let incoming = elements.new_names(Side::Incoming, HashMap::new());
    let old = aligned.rows_of(Side::Base);
    let mut joiner = Joiner { aligned, nodes, keys, policy, merged: HashMap::new() };
    for base in nodes.base.into_iter().flat_map(Node::entries) {
        let row = |rows: &HashMap<EntryId, usize>| rows.get(&base.id()).copied();
        joiner.join(base, Names { old: row(&old), dest: row(&dest), incoming: row(&incoming) });
    }
    let merged = joiner.merged;
    aligned.drop_rows(&merged);
}

/// For each renamed element whose new name is taken on the other side, by something else: the rows of the old and the new name.
pub(crate) fn names_taken(aligned: &Aligned, nodes: &Slots<Node<'_>>, keys: Keys<'_>) -> Vec<[usize; 2]> {
    let elements = Elements { aligned, nodes, keys };
    if !(0..aligned.rows.len()).any(|row| elements.is_taken(row)) {
        return Vec::new();
    }
    let old = aligned.rows_of(Side::Base);
    let renames = [Side::Dest, Side::Incoming].map(|side| elements.renames_of_base(side));
    let taken = renames.into_iter().flatten().filter(|(_, new)| elements.is_taken(*new));
    taken.filter_map(|(base, new)| Some([*old.get(&base)?, new])).collect()
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

/// The elements of a list on all sides, as they were aligned by their keys.
#[derive(Clone, Copy)]
struct Elements<'l> {
    aligned: &'l Aligned,
    nodes: &'l Slots<Node<'l>>,
    keys: Keys<'l>,
}

impl Elements<'_> {
    /// The rows of new elements of a side, by the elements of the base that they were. Found by their fields, else in `known`, else
    /// by their place.
    fn new_names(self, side: Side, known: HashMap<EntryId, usize>) -> HashMap<EntryId, usize> {
        let mut found = known;
        found.extend(self.renames_of_base(side));
        let used: HashSet<usize> = found.values().copied().collect();
        for (base, row) in self.in_place(side).into_iter().filter(|(_, row)| !used.contains(row)) {
            found.entry(base).or_insert(row);
        }
        found
    }

    /// A destination into which the edit was merged before has an element as the incoming side has it.
    fn renamed_before(self) -> HashMap<EntryId, usize> {
        let base_of = |row: &Slots<EntryId>| Some((row.incoming?, row.base?));
        let bases: HashMap<EntryId, EntryId> = self.aligned.rows.iter().filter_map(base_of).collect();
        let renames = self.renames(Side::Incoming, Side::Dest).into_iter();
        renames.filter_map(|(incoming, row)| Some((*bases.get(&incoming)?, row))).collect()
    }

    /// The rows of elements of the base that a side renamed: in their places, or left alone by the other side.
    fn renames_of_base(self, side: Side) -> HashMap<EntryId, usize> {
        let mut renames = self.renames(Side::Base, side);
        if !renames.is_empty() {
            let [old, new] = [self.gap_of(Side::Base), self.gap_of(side)];
            let changed = self.changed_by(side.other());
            let new_name = |row: usize| self.aligned.rows[row].get(side).and_then(|name| new.get(name));
            renames.retain(|base, row| !changed.contains(base) || old.get(base) == new_name(*row));
        }
        renames
    }

    /// The row before the gap in which each element of a side stands.
    fn gap_of(self, side: Side) -> HashMap<EntryId, Option<usize>> {
        let gaps = self.aligned.gaps(side, self.nodes).into_iter();
        gaps.flat_map(|gap| gap.things.into_iter().map(move |(thing, _)| (thing, gap.before))).collect()
    }

    /// The elements of the base that a side changed.
    fn changed_by(self, side: Side) -> HashSet<EntryId> {
        let value = |side: Side, entry: EntryId| Some(self.nodes.get(side)?.stream().entry(entry).value());
        let changed = |row: &Slots<EntryId>| {
            let (base, own) = (row.base?, *row.get(side)?);
            let is_same = value(Side::Base, base)?.digest() == value(side, own)?.digest();
            if is_same { None } else { Some(base) }
        };
        self.aligned.rows.iter().filter_map(changed).collect()
    }

    /// The rows of new elements of a side, by the elements of another version that they were.
    fn renames(self, from: Side, side: Side) -> HashMap<EntryId, usize> {
        let (gone, new) = (self.unique(from, side), self.unique(side, from));
        let rows = self.aligned.rows_of(side);
        let new_row = |rest: &Rest| {
            let row = *rows.get(new.get(rest)?.as_ref()?)?;
            self.aligned.rows[row].base.is_none().then_some(row)
        };
        gone.iter().filter_map(|(rest, entry)| Some(((*entry)?, new_row(rest)?))).collect()
    }

    /// The elements of one version that another lacks, by their other fields; `None` for fields that several have.
    fn unique(self, side: Side, other: Side) -> HashMap<Rest, Option<EntryId>> {
        let shared = self.aligned.rows.iter().filter(|row| row.get(other).is_some());
        let shared: HashSet<EntryId> = shared.filter_map(|row| row.get(side).copied()).collect();
        let mut found = HashMap::new();
        let Some(list) = self.nodes.get(side) else { return found };
        let length = list.entries().count();
        for (place, entry) in list.entries().enumerate().filter(|(_, entry)| !shared.contains(&entry.id())) {
            let rest = rest(entry, self.keys).unwrap_or(Rest::Place(place, length));
            found.entry(rest).and_modify(|seen| *seen = None).or_insert(Some(entry.id()));
        }
        found
    }

    /// The rows of new elements of a side, by the elements of the base in whose place they stand: the only one that came between
    /// two neighbours that all sides have, and the only one that is gone there.
    fn in_place(self, side: Side) -> HashMap<EntryId, usize> {
        let is_new = |row: &usize| self.aligned.rows[*row].base.is_none();
        let new = |gap: &Gap<EntryId>| gap.things.iter().filter_map(|thing| thing.1).filter(is_new).collect();
        let new: HashMap<Option<usize>, Vec<usize>> =
            self.aligned.gaps(side, self.nodes).iter().map(|gap| (gap.before, new(gap))).collect();
        let only = |gap: Gap<EntryId>| {
            let mut gone = gap.things.iter().filter(|thing| thing.1.is_none());
            match (gone.next(), gone.next(), new.get(&gap.before)?.as_slice()) {
                (Some((base, _)), None, [row]) if is_alone(self.aligned, *row) => Some((*base, *row)),
                _ => None,
            }
        };
        self.aligned.gaps(Side::Base, self.nodes).into_iter().filter_map(only).collect()
    }

    /// Whether both sides have something new under one name, and not the same.
    fn is_taken(self, row: usize) -> bool {
        let Slots { dest: Some(dest), base: None, incoming: Some(incoming) } = self.aligned.rows[row] else {
            return false;
        };
        let value = |side: Side, entry: EntryId| {
            let list = self.nodes.get(side)?;
            Some(list.stream().entry(entry).value().digest())
        };
        value(Side::Dest, dest) != value(Side::Incoming, incoming)
    }
}

/// Whether one side alone has what is in a row.
fn is_alone(aligned: &Aligned, row: usize) -> bool {
    aligned.rows[row].present().count() == 1
}

/// The rows of an element of the base: under its old name, and under the new one that a side gave it.
#[derive(Clone, Copy)]
struct Names {
    old: Option<usize>,
    dest: Option<usize>,
    incoming: Option<usize>,
}

impl Names {
    /// The new name, where no side says another one.
    fn only_new(self) -> Option<usize> {
        match (self.dest, self.incoming) {
            (Some(dest), Some(incoming)) if dest != incoming => None,
            (dest, incoming) => dest.or(incoming),
        }
    }
}

/// Joins the rows of renamed elements one by one.
struct Joiner<'l> {
    aligned: &'l mut Aligned,
    nodes: &'l Slots<Node<'l>>,
    keys: Keys<'l>,
    policy: &'l Policy,
    /// The rows that are part of others now.
    merged: HashMap<usize, usize>,
}

impl Joiner<'_> {
    fn join(&mut self, base: Entry<'_>, names: Names) {
        let is_alone = |row: usize| is_alone(self.aligned, row);
        if names.old.is_none()
            && let Some(row) = names.only_new()
            && (is_alone(row) && self.may_be_renamed(base, row) || self.is_of_both(base, row))
        {
            self.aligned.rows[row].base = Some(base.id());
            return;
        }
        if ![names.dest, names.incoming].into_iter().flatten().all(is_alone) {
            return;
        }
        match (names.old, names.dest, names.incoming) {
            (None, Some(row), Some(from)) => self.unite(base, row, from),
            (Some(from), Some(row), None) if self.shares_field(base, Side::Incoming, from) => {
                self.unite(base, row, from)
            }
            (Some(row), None, Some(from)) if self.shares_field(base, Side::Dest, row) => self.unite(base, row, from),
            _ => {}
        }
    }

    /// Whether what one side alone has may be an element that both sides removed. Where lists without keys merge by their elements,
    /// its place is enough: a person is asked. Otherwise, what has nothing in common is an addition.
    fn may_be_renamed(&self, base: Entry<'_>, row: usize) -> bool {
        self.policy.unkeyed == Unkeyed::Elementwise
            || [Side::Dest, Side::Incoming].into_iter().any(|side| self.shares_field(base, side, row))
    }

    /// Whether both sides have the new name, and left something else of the element alone.
    fn is_of_both(&self, base: Entry<'_>, row: usize) -> bool {
        self.aligned.rows[row].base.is_none()
            && [Side::Dest, Side::Incoming].into_iter().all(|side| self.shares_field(base, side, row))
    }

    fn shares_field(&self, base: Entry<'_>, side: Side, row: usize) -> bool {
        let kept = self.aligned.rows[row].get(side);
        kept.is_some_and(|kept| shares_field(base, side, *kept, self.nodes, self.keys))
    }

    /// Moves what the incoming side has in a row to another one.
    fn unite(&mut self, base: Entry<'_>, row: usize, from: usize) {
        let rows = &mut self.aligned.rows;
        rows[row] = Slots { base: Some(base.id()), incoming: rows[from].incoming, ..rows[row] };
        self.merged.insert(from, row);
    }
}

/// The fields of an element that do not identify it; `None` where there are none.
fn rest(entry: Entry<'_>, keys: Keys<'_>) -> Option<Rest> {
    let mut fields: Vec<(String, u64)> = fields(entry, keys).collect();
    fields.sort();
    (!fields.is_empty()).then_some(Rest::Fields(fields))
}

fn fields(entry: Entry<'_>, keys: Keys<'_>) -> impl Iterator<Item = (String, u64)> {
    let fields = entry.value().entries().map(|field| (field_name(field), field.value().digest()));
    fields.filter(move |(name, _)| keys.iter().all(|key| key.name != name))
}
