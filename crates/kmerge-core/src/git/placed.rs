//! What stands where in a version of a document: known by the way to it, by what it holds, and by name and value.
//!
//! Owns: the lookups of the search for what [moved](super::moved). Reads only what stands [apart](super::apart). Invariant: what all
//! versions have at one way is not found by what it is, as it has not moved.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, Kind, Node};

use super::apart::{Apart, called};
use crate::correspond::{HALF, Sketch};
use crate::equal::same_comments;
use crate::proof::{PathHash, holds_several, longer};

/// A value, and the ways to it and to what holds it. Of the elements of a list only what they are called is on the way.
#[derive(Clone, Copy)]
pub(super) struct Placed<'t> {
    pub(super) entry: Entry<'t>,
    pub(super) way: PathHash,
    pub(super) holder: PathHash,
    /// What it is by its value.
    pub(super) content: u64,
    /// What it is by its name and value.
    pub(super) field: u64,
}

/// A field or element that stands at one place in the base, and at another on a side.
pub(super) struct Went<'t> {
    pub(super) field: u64,
    pub(super) was: Placed<'t>,
    pub(super) now: Placed<'t>,
    /// Whether the side changed it, too: it is known by its name and by what is left in it.
    pub(super) is_changed: bool,
}

impl<'t> Went<'t> {
    pub(super) const fn entries(&self) -> [Entry<'t>; 2] {
        [self.was.entry, self.now.entry]
    }
}

impl<'t> Placed<'t> {
    pub(super) fn new(entry: Entry<'t>, holder: PathHash) -> Self {
        let (called, content) = (called(entry), entry.value().digest());
        Self { entry, way: longer(holder, &called), holder, content, field: longer(content, &called) }
    }

    /// What it is by its place and value.
    pub(super) const fn known(&self) -> (PathHash, u64) {
        (self.way, self.content)
    }

    /// Whether it is the same thing at another place: it holds several values, or is a collection that kept its name.
    pub(super) fn is_told_from_others(&self, now: &Self) -> bool {
        let value = self.entry.value();
        let kept_name = self.field == now.field && !is_nameless(self.entry) && value.entries().next().is_some();
        kept_name || holds_several(value)
    }

    /// Whether it has its name, and most of what it held.
    pub(super) fn is_mostly(&self, now: &Self) -> bool {
        let [was, is] = [self, now].map(|placed| Sketch::of(placed.entry.value()));
        called(self.entry) == called(now.entry) && was.likeness(&is) >= HALF
    }

    /// Whether it is neither in the collection where it was nor in the one that a side moved it to.
    pub(super) fn is_elsewhere(&self, was: &Self, now: &Self) -> bool {
        self.holder != was.holder && self.holder != now.holder
    }

    /// Whether it has another name in the collection where it was.
    pub(super) fn is_renamed(&self, was: &Self) -> bool {
        self.holder == was.holder && self.way != was.way && !is_nameless(self.entry)
    }

    /// Whether another version has other comments on it, and the one that moved has not.
    pub(super) fn has_other_comments(&self, now: &Self, other: &Self) -> bool {
        let comments = |placed: &Self| (placed.entry.stream(), placed.entry.extent());
        other.way == self.way
            && !same_comments(comments(self), comments(other))
            && !same_comments(comments(now), comments(other))
    }
}

/// The values that stand apart in a version of a document, how many there are at each way, and which elements stand side by side.
pub(super) struct Ways<'t> {
    pub(super) placed: Vec<Placed<'t>>,
    pub(super) at: HashMap<PathHash, usize>,
    neighbours: HashSet<[PathHash; 2]>,
}

impl<'t> Ways<'t> {
    pub(super) fn of(parts: &[Apart<'t>], side: usize) -> Self {
        let mut ways = Self { placed: Vec::new(), at: HashMap::new(), neighbours: HashSet::new() };
        let mut open = Vec::new();
        for Apart { way, holders, entries, unsure, .. } in parts.iter().filter(|part| !part.is_unsure) {
            ways.at.insert(*way, 1);
            ways.read_neighbours(holders[side], *way);
            open.extend(entries[side].iter().chain(&unsure[side]).map(|entry| (*entry, *way)));
        }
        while let Some((entry, holder)) = open.pop() {
            let placed = Placed::new(entry, holder);
            *ways.at.entry(placed.way).or_default() += 1;
            ways.placed.push(placed);
            ways.read_neighbours(entry.value(), placed.way);
            open.extend(entry.value().entries().map(|entry| (entry, placed.way)));
        }
        ways
    }

    /// Reads which elements of a list stand side by side.
    fn read_neighbours(&mut self, list: Node<'t>, way: PathHash) {
        if list.kind() == Kind::Sequence {
            let ways: Vec<PathHash> = list.entries().map(|element| longer(way, &called(element))).collect();
            self.neighbours.extend(ways.windows(2).flat_map(|pair| [[pair[0], pair[1]], [pair[1], pair[0]]]));
        }
    }

    /// Whether something is gone from another version.
    pub(super) fn has_more_than(&self, other: &Self) -> bool {
        self.at.iter().any(|(way, count)| other.at.get(way).is_none_or(|left| left < count))
    }
}

/// The same by what they hold.
#[derive(Default)]
pub(super) struct Values<'t> {
    /// By digest; `None` for what stands there several times.
    pub(super) by_content: HashMap<u64, Option<Placed<'t>>>,
    /// The same by a hash of their name and value.
    pub(super) by_field: HashMap<u64, Option<Placed<'t>>>,
    /// The same by the way to them; the last of several.
    pub(super) by_way: HashMap<PathHash, Placed<'t>>,
    /// What all versions have at one way, by name and value.
    stay: HashSet<u64>,
    pub(super) at: HashMap<PathHash, usize>,
    neighbours: HashSet<[PathHash; 2]>,
}

impl<'t> Values<'t> {
    /// Reads the values of three versions. What stands at one way in all of them has not moved.
    pub(super) fn of(versions: [Ways<'t>; 3]) -> [Self; 3] {
        let times = times(&versions);
        let stays = |placed: &Placed<'t>| {
            let [base, ours, theirs] = times[&placed.known()];
            base == ours && base == theirs
        };
        versions.map(|Ways { placed, at, neighbours }| {
            let mut values = Self { at, neighbours, ..Self::default() };
            placed.into_iter().for_each(|placed| values.add(placed, stays(&placed)));
            values
        })
    }

    pub(super) fn add(&mut self, placed: Placed<'t>, stays: bool) {
        if stays {
            self.stay.insert(placed.field);
            return;
        }
        self.by_way.insert(placed.way, placed);
        for (known, name) in [(&mut self.by_content, placed.content), (&mut self.by_field, placed.field)] {
            known.entry(name).and_modify(|known| *known = None).or_insert(Some(placed));
        }
    }

    /// Whether something stands at the way to a holder.
    pub(super) fn has_holder(&self, holder: PathHash) -> bool {
        self.at.contains_key(&holder)
    }

    /// Whether nothing has the name of an entry at the way to it.
    pub(super) fn lacks_name(&self, entry: Entry<'_>, way: PathHash) -> bool {
        is_nameless(entry) || !self.at.contains_key(&way)
    }

    /// Whether a field or element of this name and value stands apart.
    pub(super) fn has(&self, field: u64) -> bool {
        self.by_field.contains_key(&field) || self.stay.contains(&field)
    }

    /// What has a name and stands at no such way in another version, by what holds it.
    pub(super) fn not_in(&self, other: &Self) -> HashMap<PathHash, Vec<Placed<'t>>> {
        let mut found: HashMap<PathHash, Vec<Placed<'t>>> = HashMap::new();
        for placed in self.by_way.values().filter(|it| !is_nameless(it.entry) && other.count(it.way) == 0) {
            found.entry(placed.holder).or_default().push(*placed);
        }
        found
    }

    pub(super) fn count(&self, way: PathHash) -> usize {
        self.at.get(&way).copied().unwrap_or_default()
    }

    /// Whether two elements stand side by side.
    pub(super) fn are_neighbours(&self, elements: [PathHash; 2]) -> bool {
        self.neighbours.contains(&elements)
    }

    /// Whether there are two elements and something between them.
    pub(super) fn are_apart(&self, elements: [PathHash; 2]) -> bool {
        elements.iter().all(|element| self.at.contains_key(element)) && !self.are_neighbours(elements)
    }

    /// Whether this side changed or deleted what the other moved, moved it elsewhere, or changed its comments. It may have done the same.
    pub(super) fn has_changed(&self, Went { field, was, now, .. }: &Went<'t>) -> bool {
        let did_the_same = || self.by_way.get(&now.way).is_some_and(|own| own.field == now.field);
        match self.by_field.get(field) {
            Some(own) => own.is_some_and(|own| own.is_elsewhere(was, now) || was.has_other_comments(now, &own)),
            None => !did_the_same(),
        }
    }

    /// One of those that this side still has where the base has them.
    pub(super) fn holder_of(&self, group: &[Went<'t>]) -> Option<Placed<'t>> {
        let own = |went: &Went<'t>| self.by_field.get(&went.field)?.filter(|own| own.holder == went.was.holder);
        group.iter().find_map(own)
    }

    /// Of the entries of the collection that holds one: those above which this side put something that `base` has not, and the last
    /// one, if that is behind it.
    pub(super) fn beside_new(&self, one: Placed<'t>, base: &Self) -> HashSet<u64> {
        let (mut beside, mut last, mut has_new) = (HashSet::new(), None, false);
        for entry in one.entry.collection().entries() {
            let Placed { way, field, .. } = Placed::new(entry, one.holder);
            if self.has(field) && !base.has(field) {
                has_new |= base.lacks_name(entry, way);
                continue;
            }
            beside.extend(has_new.then_some(field));
            (last, has_new) = (Some(field), false);
        }
        if has_new {
            beside.extend(last);
        }
        beside
    }
}

/// How often each value stands at each way in each version.
fn times(versions: &[Ways<'_>; 3]) -> HashMap<(PathHash, u64), [usize; 3]> {
    let mut times: HashMap<(PathHash, u64), [usize; 3]> = HashMap::new();
    for (version, ways) in versions.iter().enumerate() {
        ways.placed.iter().for_each(|placed| times.entry(placed.known()).or_default()[version] += 1);
    }
    times
}

/// What stands apart once in both, by name and value.
pub(super) fn in_both<'v, 't>(
    base: &'v Values<'t>,
    mover: &'v Values<'t>,
) -> impl Iterator<Item = (u64, Placed<'t>, Placed<'t>)> + 'v {
    let in_mover = |field: &u64| mover.by_field.get(field).copied().flatten();
    base.by_field.iter().filter_map(move |(field, was)| Some((*field, (*was)?, in_mover(field)?)))
}

/// Whether only its value says which element it is.
pub(super) fn is_nameless(entry: Entry<'_>) -> bool {
    called(entry).is_empty()
}
