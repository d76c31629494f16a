//! Fields and elements that one side moved to another mapping or list of a document, while the other changed what was there:
//! changed or deleted them, moved them elsewhere, changed their comments, or put something new beside them.
//!
//! To the walker these are a removal and an addition, and the other side's change would be at the old place or lost. A value is
//! known by what it holds, if that is more than a single scalar or if it kept its name, and the base has it once. What all versions
//! have at one place does not count: it has not moved. A smaller field or element is known by its name and value, where another one of
//! its collection went the same way: a side wrapped or divided the collection. A field alone is known so, too, where a side divided an
//! element of a list in two that stand side by side, or made one of two. What was changed as well is known by its name, if half of it
//! is left. All that moved together is one change: where some of it is in conflict, all of it is. Ignores what moved along with all
//! around it, what moved within its list, and what is left of it on the deleting side.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, Kind, Node, NodeId, Path, Span};

use super::apart::{Apart, called, name};
use crate::correspond::Sketch;
use crate::equal::same_comments;
use crate::proof::{Moving, PathHash, Unsound, holds_several, longer, path_of};
use crate::slots::Side;

/// From this likeness on, a collection at another place is the one that was, changed.
const LEAST_LIKE: u32 = 50;

/// What one side moved together, while the other changed some of what was there.
pub(super) struct Moved<'t> {
    by: Side,
    /// All of it: where each was, and where it is.
    all: Vec<[Entry<'t>; 2]>,
    /// What the other side changed.
    contested: Vec<[Entry<'t>; 2]>,
}

impl Moved<'_> {
    /// Who moved it.
    pub(super) const fn by(&self) -> Side {
        self.by
    }

    /// Where the base has what the other side changed.
    pub(super) fn contested(&self) -> impl Iterator<Item = u32> {
        self.contested.iter().map(|[was, _]| was.start())
    }

    /// Where the side has all of it.
    pub(super) fn now(&self) -> impl Iterator<Item = Span> {
        self.all.iter().map(|[_, now]| now.extent())
    }

    /// What the base has from the first to the last of it.
    fn was(&self) -> Span {
        self.all.iter().map(|[was, _]| was.extent()).reduce(Span::cover).unwrap_or_default()
    }
}

/// The first in the order of the base that one side moved, while the other changed what was there.
pub(super) fn both_changed(documents: &[Vec<Apart<'_>>]) -> Option<Unsound> {
    let moved = all_moved(documents);
    let contested = moved.iter().flat_map(|moved| moved.contested.iter().map(|entries| (moved.by, entries)));
    let (by, entries) = contested.min_by_key(|(_, [was, _])| was.start())?;
    let [from, to]: [Path; 2] = entries.map(|entry| path_of(entry.value()));
    Some(Unsound::Moved(Moving { from, to, by }))
}

/// Where the base has what a side moved, with all between that: in order, and apart.
pub(super) fn moved_by(moved: &[Moved<'_>], by: Side) -> Vec<Span> {
    let mut spans: Vec<Span> = moved.iter().filter(|moved| moved.by == by).map(Moved::was).collect();
    spans.sort_unstable_by_key(|span| span.start);
    let mut apart: Vec<Span> = Vec::new();
    for span in spans {
        match apart.last_mut().filter(|last| span.start <= last.end) {
            Some(last) => *last = last.cover(span),
            None => apart.push(span),
        }
    }
    apart
}

/// All that one side moved, while the other changed some of it.
pub(super) fn all_moved<'t>(documents: &[Vec<Apart<'t>>]) -> Vec<Moved<'t>> {
    let mut moved = Vec::new();
    for parts in documents.iter().filter(|parts| parts.iter().any(Apart::may_have_moved)) {
        let [base, ours, theirs] = [0, 1, 2].map(|side| Ways::of(parts, side));
        // What moves goes from one place and comes to another.
        if [&ours, &theirs].iter().any(|side| base.has_more_than(side) && side.has_more_than(&base)) {
            moved.extend(moved_in(Values::of([base, ours, theirs]).each_ref()));
        }
    }
    moved
}

fn moved_in<'t>([base, ours, theirs]: [&Values<'t>; 3]) -> Vec<Moved<'t>> {
    let by_ours = Moves { base, by: Side::Dest, mover: ours, other: theirs, heirs: heirs(base, ours) };
    let by_theirs = Moves { base, by: Side::Incoming, mover: theirs, other: ours, heirs: heirs(base, theirs) };
    [by_ours, by_theirs].iter().flat_map(|moves| moves.alone().chain(moves.together())).collect()
}

/// A value, and the ways to it and to what holds it. Of the elements of a list only what they are called is on the way.
#[derive(Clone, Copy)]
struct Placed<'t> {
    entry: Entry<'t>,
    way: PathHash,
    holder: PathHash,
    /// What it is by its value.
    content: u64,
    /// What it is by its name and value.
    field: u64,
}

/// A field or element that stands at one place in the base, and at another on a side.
struct Went<'t> {
    field: u64,
    was: Placed<'t>,
    now: Placed<'t>,
    /// Whether the side changed it, too: it is known by its name and by what is left in it.
    is_changed: bool,
}

impl<'t> Went<'t> {
    const fn entries(&self) -> [Entry<'t>; 2] {
        [self.was.entry, self.now.entry]
    }
}

impl<'t> Placed<'t> {
    fn new(entry: Entry<'t>, holder: PathHash) -> Self {
        let (called, content) = (called(entry), entry.value().digest());
        Self { entry, way: longer(holder, &called), holder, content, field: longer(content, &called) }
    }

    /// What it is by its place and value.
    const fn known(&self) -> (PathHash, u64) {
        (self.way, self.content)
    }

    /// Whether it is the same thing at another place: it holds several values, or is a collection that kept its name.
    fn is_told_from_others(&self, now: &Self) -> bool {
        let value = self.entry.value();
        let kept_name = self.field == now.field && !is_nameless(self.entry) && value.entries().next().is_some();
        kept_name || holds_several(value)
    }

    /// Whether it has its name, and most of what it held.
    fn is_mostly(&self, now: &Self) -> bool {
        let [was, is] = [self, now].map(|placed| Sketch::of(placed.entry.value()));
        called(self.entry) == called(now.entry) && was.likeness(&is) >= LEAST_LIKE
    }

    /// Whether it is neither in the collection where it was nor in the one that a side moved it to.
    fn is_elsewhere(&self, was: &Self, now: &Self) -> bool {
        self.holder != was.holder && self.holder != now.holder
    }

    /// Whether another version has other comments on it, and the one that moved has not.
    fn has_other_comments(&self, now: &Self, other: &Self) -> bool {
        let comments = |placed: &Self| (placed.entry.stream(), placed.entry.extent());
        other.way == self.way
            && !same_comments(comments(self), comments(other))
            && !same_comments(comments(now), comments(other))
    }
}

/// The values that stand apart in a version of a document, how many there are at each way, and which elements stand side by side.
struct Ways<'t> {
    placed: Vec<Placed<'t>>,
    at: HashMap<PathHash, usize>,
    neighbours: HashSet<[PathHash; 2]>,
}

impl<'t> Ways<'t> {
    fn of(parts: &[Apart<'t>], side: usize) -> Self {
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
    fn has_more_than(&self, other: &Self) -> bool {
        self.at.iter().any(|(way, count)| other.at.get(way).is_none_or(|left| left < count))
    }
}

/// The same by what they hold.
#[derive(Default)]
struct Values<'t> {
    /// By digest; `None` for what stands there several times.
    by_content: HashMap<u64, Option<Placed<'t>>>,
    /// The same by a hash of their name and value.
    by_field: HashMap<u64, Option<Placed<'t>>>,
    /// The same by the way to them; the last of several.
    by_way: HashMap<PathHash, Placed<'t>>,
    /// What all versions have at one way, by name and value.
    stay: HashSet<u64>,
    at: HashMap<PathHash, usize>,
    neighbours: HashSet<[PathHash; 2]>,
}

impl<'t> Values<'t> {
    /// Reads the values of three versions. What stands at one way in all of them has not moved.
    fn of(versions: [Ways<'t>; 3]) -> [Self; 3] {
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

    fn add(&mut self, placed: Placed<'t>, stays: bool) {
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
    fn has_holder(&self, holder: PathHash) -> bool {
        self.at.contains_key(&holder)
    }

    /// Whether nothing has the name of an entry at the way to it.
    fn lacks_name(&self, entry: Entry<'_>, way: PathHash) -> bool {
        is_nameless(entry) || !self.at.contains_key(&way)
    }

    /// Whether a field or element of this name and value stands apart.
    fn has(&self, field: u64) -> bool {
        self.by_field.contains_key(&field) || self.stay.contains(&field)
    }

    /// What has a name and stands at no such way in another version, by what holds it.
    fn not_in(&self, other: &Self) -> HashMap<PathHash, Vec<Placed<'t>>> {
        let mut found: HashMap<PathHash, Vec<Placed<'t>>> = HashMap::new();
        for placed in self.by_way.values().filter(|it| !is_nameless(it.entry) && other.count(it.way) == 0) {
            found.entry(placed.holder).or_default().push(*placed);
        }
        found
    }

    fn count(&self, way: PathHash) -> usize {
        self.at.get(&way).copied().unwrap_or_default()
    }

    /// Whether two elements stand side by side.
    fn are_neighbours(&self, elements: [PathHash; 2]) -> bool {
        self.neighbours.contains(&elements)
    }

    /// Whether there are two elements and something between them.
    fn are_apart(&self, elements: [PathHash; 2]) -> bool {
        elements.iter().all(|element| self.at.contains_key(element)) && !self.are_neighbours(elements)
    }

    /// Whether this side changed or deleted what the other moved, moved it elsewhere, or changed its comments. It may have done the same.
    fn has_changed(&self, Went { field, was, now, .. }: &Went<'t>) -> bool {
        let did_the_same = || self.by_way.get(&now.way).is_some_and(|own| own.field == now.field);
        match self.by_field.get(field) {
            Some(own) => own.is_some_and(|own| own.is_elsewhere(was, now) || was.has_other_comments(now, &own)),
            None => !did_the_same(),
        }
    }

    /// One of those that this side still has where the base has them.
    fn holder_of(&self, group: &[Went<'t>]) -> Option<Placed<'t>> {
        let own = |went: &Went<'t>| self.by_field.get(&went.field)?.filter(|own| own.holder == went.was.holder);
        group.iter().find_map(own)
    }

    /// Of the entries of the collection that holds one: those above which this side put something that `base` has not, and the last
    /// one, if that is behind it.
    fn beside_new(&self, one: Placed<'t>, base: &Self) -> HashSet<u64> {
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
fn in_both<'v, 't>(
    base: &'v Values<'t>,
    mover: &'v Values<'t>,
) -> impl Iterator<Item = (u64, Placed<'t>, Placed<'t>)> + 'v {
    let in_mover = |field: &u64| mover.by_field.get(field).copied().flatten();
    base.by_field.iter().filter_map(move |(field, was)| Some((*field, (*was)?, in_mover(field)?)))
}

/// For each collection that a side has no more, the new one that has parts of it; `None` where several have.
fn heirs(base: &Values<'_>, mover: &Values<'_>) -> HashMap<PathHash, Option<PathHash>> {
    let mut heirs: HashMap<PathHash, Option<PathHash>> = HashMap::new();
    for (_, was, now) in in_both(base, mover) {
        // Elements that are called alike are several from the start.
        if base.count(was.holder) == 1 && !mover.has_holder(was.holder) && !base.has_holder(now.holder) {
            let heir = heirs.entry(was.holder).or_insert(Some(now.holder));
            *heir = heir.filter(|heir| *heir == now.holder);
        }
    }
    heirs
}

/// What one side moved, against the base and the other side.
struct Moves<'m, 't> {
    base: &'m Values<'t>,
    by: Side,
    mover: &'m Values<'t>,
    other: &'m Values<'t>,
    /// The collections that the side has no more, and what has parts of them: see [`heirs`].
    heirs: HashMap<PathHash, Option<PathHash>>,
}

impl<'t> Moves<'_, 't> {
    /// What was moved elsewhere, and the other side deleted or changed.
    fn alone(&self) -> impl Iterator<Item = Moved<'t>> {
        self.base.by_content.iter().filter_map(|(content, was)| {
            let (was, now) = ((*was)?, (*self.mover.by_content.get(content)?)?);
            let has_left = |side: &Values<'_>| side.count(was.way) < self.base.count(was.way);
            let is_changed = match self.other.by_content.get(content) {
                Some(own) => own.is_some_and(|own| {
                    own.is_elsewhere(&was, &now) && has_left(self.other) || was.has_other_comments(&now, &own)
                }),
                // A new name in the same collection is merged with a change.
                None => was.holder != now.holder || has_left(self.other),
            };
            // An element without a name may only begin with another field.
            let is_at_home = was.way == now.way || was.holder == now.holder && name(was.entry).is_empty();
            let is_moved = !is_at_home && self.left_its_holder(&was, &now) && has_left(self.mover);
            let entries = [was.entry, now.entry];
            let moved = || Moved { by: self.by, all: vec![entries], contested: vec![entries] };
            (is_changed && is_moved && was.is_told_from_others(&now)).then(moved)
        })
    }

    /// The fields and elements that were moved elsewhere together with others of their collection, while the other side changed
    /// what was there.
    fn together(&self) -> Vec<Moved<'t>> {
        let mut moved = Vec::new();
        let mut beside_new: HashMap<NodeId, HashSet<u64>> = HashMap::new();
        for (holders, group) in self.groups() {
            let are_halves = self.are_halves(holders);
            if group.len() < 2 && !are_halves && !group[0].is_changed {
                continue;
            }
            // The other side put something between the two of which one was made.
            let is_parted = are_halves && self.other.are_apart(holders);
            let beside_new = self.other.holder_of(&group).map(|own| {
                let collection = own.entry.collection().id();
                &*beside_new.entry(collection).or_insert_with(|| self.other.beside_new(own, self.base))
            });
            let is_contested = |went: &&Went<'_>| {
                // Beside a single one is not between what moved.
                let is_beside_new = || group.len() > 1 && beside_new.is_some_and(|beside| beside.contains(&went.field));
                self.other.has_changed(went) || is_beside_new() || is_parted
            };
            let contested: Vec<_> = group.iter().filter(is_contested).map(Went::entries).collect();
            if !contested.is_empty() {
                moved.push(Moved { by: self.by, all: group.iter().map(Went::entries).collect(), contested });
            }
        }
        moved
    }

    /// What went from one collection to another, by these.
    fn groups(&self) -> HashMap<[PathHash; 2], Vec<Went<'t>>> {
        let mut groups: HashMap<[PathHash; 2], Vec<Went<'t>>> = HashMap::new();
        for (field, was, now) in in_both(self.base, self.mover) {
            let is_moved = was.holder != now.holder && self.left_its_holder(&was, &now);
            if is_moved && self.mover.lacks_name(was.entry, was.way) {
                let went = Went { field, was, now, is_changed: false };
                groups.entry([was.holder, now.holder]).or_default().push(went);
            }
        }
        for went in self.moved_and_changed() {
            groups.entry([went.was.holder, went.now.holder]).or_default().push(went);
        }
        self.add_those_of_one_name(&mut groups);
        groups
    }

    /// Adds what went along with several others and kept only its name.
    fn add_those_of_one_name(&self, groups: &mut HashMap<[PathHash; 2], Vec<Went<'t>>>) {
        let (gone, new) = (self.base.not_in(self.mover), self.mover.not_in(self.base));
        for ([from, to], group) in groups.iter_mut().filter(|(_, group)| group.len() > 1) {
            let known: HashSet<PathHash> = group.iter().map(|went| went.was.way).collect();
            let (Some(gone), Some(new)) = (gone.get(from), new.get(to)) else { continue };
            // One mapping may be divided in many, and many may become one.
            let names: Vec<String> = if gone.len() < new.len() { names(gone) } else { names(new) };
            let pairs = names.into_iter().filter_map(|name| {
                Some((*self.base.by_way.get(&longer(*from, &name))?, *self.mover.by_way.get(&longer(*to, &name))?))
            });
            let is_new = |(was, now): &(Placed<'_>, Placed<'_>)| {
                !known.contains(&was.way) && self.mover.count(was.way) == 0 && self.base.count(now.way) == 0
            };
            let went = |(was, now): (Placed<'t>, Placed<'t>)| Went { field: was.field, was, now, is_changed: true };
            group.extend(pairs.filter(is_new).map(went));
        }
    }

    /// The collections with a name that went elsewhere, and are mostly what they were.
    fn moved_and_changed(&self) -> Vec<Went<'t>> {
        let went = |(was, now): (&PathHash, &Option<PathHash>)| {
            let (was, now) = (*self.base.by_way.get(was)?, *self.mover.by_way.get(now.as_ref()?)?);
            let went_along = self.heirs.get(&was.holder) == Some(&Some(now.holder));
            let is_moved = !went_along && was.holder != now.holder && self.left_its_holder(&was, &now);
            let is_known = || was.content != now.content && !is_nameless(was.entry) && was.is_mostly(&now);
            (is_moved && is_known()).then_some(Went { field: was.field, was, now, is_changed: true })
        };
        self.heirs.iter().filter_map(went).collect()
    }

    /// Whether something left the collection that holds it. If that is gone, and the new one is not in the base, both are one collection
    /// under two names, and nothing left it, unless there are several new ones.
    fn left_its_holder(&self, was: &Placed<'t>, now: &Placed<'t>) -> bool {
        self.mover.has_holder(was.holder)
            || self.base.has_holder(now.holder)
            || self.heirs.get(&was.holder) == Some(&None)
    }

    /// Whether a side divided the first of two elements and so made the second, or put the first into the second. They stand side by
    /// side where both are.
    fn are_halves(&self, elements: [PathHash; 2]) -> bool {
        let [was, now] = elements;
        let is_divided = self.mover.are_neighbours(elements) && !self.base.at.contains_key(&now);
        is_divided || self.base.are_neighbours(elements) && !self.mover.at.contains_key(&was)
    }
}

fn names(placed: &[Placed<'_>]) -> Vec<String> {
    placed.iter().map(|placed| called(placed.entry)).collect()
}

/// Whether only its value says which element it is.
fn is_nameless(entry: Entry<'_>) -> bool {
    called(entry).is_empty()
}
