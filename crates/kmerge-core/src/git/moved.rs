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
use kyaml_ast::{Entry, NodeId, Span, Stream};

use super::apart::{Apart, called, name};
use super::placed::{Placed, Values, Ways, Went, in_both, is_nameless};
use crate::proof::{Moving, PathHash, Unsound, longer, path_of};
use crate::slots::{Side, Slots};

/// What one side moved together, while the other changed some of what was there.
#[derive(Debug)]
pub(super) struct Moved {
    by: Side,
    /// Where the base has each.
    was: Vec<Span>,
    /// Where the side has each.
    now: Vec<Span>,
    /// What the other side changed.
    contested: Vec<Contested>,
}

/// Something that one side moved and the other changed.
#[derive(Clone, Copy, Debug)]
struct Contested {
    /// Where the base has it.
    start: u32,
    /// Its value in the base, and on the side that moved it.
    values: [NodeId; 2],
}

impl Moved {
    /// What was moved: the entries of the base and of the side, all of them, and those that the other side changed.
    fn of(by: Side, all: &[[Entry<'_>; 2]], contested: &[[Entry<'_>; 2]]) -> Self {
        let values = |entries: &[Entry<'_>; 2]| entries.map(|entry| entry.value().id());
        let contested = contested.iter().map(|it| Contested { start: it[0].start(), values: values(it) });
        Self {
            by,
            was: all.iter().map(|[was, _]| was.extent()).collect(),
            now: all.iter().map(|[_, now]| now.extent()).collect(),
            contested: contested.collect(),
        }
    }

    /// Who moved it.
    pub(super) const fn by(&self) -> Side {
        self.by
    }

    /// Where the base has what the other side changed.
    pub(super) fn contested(&self) -> impl Iterator<Item = u32> {
        self.contested.iter().map(|contested| contested.start)
    }

    /// Where the base has all of it.
    pub(super) fn was(&self) -> impl Iterator<Item = Span> {
        self.was.iter().copied()
    }

    /// What the base has from the first to the last of it.
    fn cover(&self) -> Option<Span> {
        self.was().reduce(Span::cover)
    }

    /// Where the side has all of it.
    pub(super) fn now(&self) -> impl Iterator<Item = Span> {
        self.now.iter().copied()
    }
}

/// The first in the order of the base that one side moved, while the other changed what was there.
pub(super) fn both_changed(moved: &[Moved], sides: &Slots<Stream<'_>>) -> Option<Unsound> {
    let contested = moved.iter().flat_map(|moved| moved.contested.iter().map(|contested| (moved.by, contested)));
    let (by, Contested { values: [was, now], .. }) = contested.min_by_key(|(_, contested)| contested.start)?;
    let path = |side: Side, value: NodeId| Some(path_of(sides.get(side)?.node(value)));
    Some(Unsound::Moved(Moving { from: path(Side::Base, *was)?, to: path(by, *now)?, by }))
}

/// Where the base has what a side moved, with all between that: in order, and apart.
pub(super) fn moved_by(moved: &[Moved], by: Side) -> Vec<Span> {
    let mut spans: Vec<Span> = moved.iter().filter(|moved| moved.by == by).filter_map(Moved::cover).collect();
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
pub(super) fn all_moved(documents: &[Vec<Apart<'_>>]) -> Vec<Moved> {
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

fn moved_in([base, ours, theirs]: [&Values<'_>; 3]) -> Vec<Moved> {
    let by_ours = Moves { base, by: Side::Dest, mover: ours, other: theirs, heirs: heirs(base, ours) };
    let by_theirs = Moves { base, by: Side::Incoming, mover: theirs, other: ours, heirs: heirs(base, theirs) };
    [by_ours, by_theirs].iter().flat_map(|moves| moves.alone().chain(moves.together())).collect()
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
    fn alone(&self) -> impl Iterator<Item = Moved> {
        self.base.by_content.iter().filter_map(|(content, was)| {
            let (was, now) = ((*was)?, (*self.mover.by_content.get(content)?)?);
            let has_left = |side: &Values<'_>| side.count(was.way) < self.base.count(was.way);
            let is_changed = match self.other.by_content.get(content) {
                Some(own) => own.is_some_and(|own| {
                    let is_other = own.is_elsewhere(&was, &now) || own.is_renamed(&was) && was.holder != now.holder;
                    is_other && has_left(self.other) || was.has_other_comments(&now, &own)
                }),
                // A new name in the same collection is merged with a change.
                None => was.holder != now.holder || has_left(self.other),
            };
            // An element without a name may only begin with another field.
            let is_at_home = was.way == now.way || was.holder == now.holder && name(was.entry).is_empty();
            let is_moved = !is_at_home && self.left_its_holder(&was, &now) && has_left(self.mover);
            let entries = [[was.entry, now.entry]];
            let moved = || Moved::of(self.by, &entries, &entries);
            (is_changed && is_moved && was.is_told_from_others(&now)).then(moved)
        })
    }

    /// The fields and elements that were moved elsewhere together with others of their collection, while the other side changed
    /// what was there.
    fn together(&self) -> Vec<Moved> {
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
                let all: Vec<_> = group.iter().map(Went::entries).collect();
                moved.push(Moved::of(self.by, &all, &contested));
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
            let (Some(gone), Some(new)) = (gone.get(from), new.get(to)) else { continue };
            let known: HashSet<PathHash> = group.iter().map(|went| went.was.way).collect();
            // One mapping may be divided in many, and many may become one.
            let fewer = if gone.len() < new.len() { gone } else { new };
            let along = fewer.iter().filter_map(|placed| self.along([*from, *to], &called(placed.entry)));
            group.extend(along.filter(|went| !known.contains(&went.was.way)));
        }
    }

    /// What has this name and went the same way: it is gone where it was, and new where it is.
    fn along(&self, [from, to]: [PathHash; 2], name: &str) -> Option<Went<'t>> {
        let (was, now) = (*self.base.by_way.get(&longer(from, name))?, *self.mover.by_way.get(&longer(to, name))?);
        let went = self.mover.count(was.way) == 0 && self.base.count(now.way) == 0;
        went.then_some(Went { field: was.field, was, now, is_changed: true })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::apart::changed_by_both;
    use crate::git::streams;
    use crate::lines::Texts;

    /// What both sides changed of what one moved, as `ours a.x > b.x of 2`: of so many that moved together.
    fn contested([base, ours, theirs]: [&str; 3]) -> Vec<String> {
        let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        let sides = streams(texts).unwrap();
        let documents = changed_by_both(&sides);
        let mut found = Vec::new();
        for moved in all_moved(&documents) {
            let by = if moved.by == Side::Dest { "ours" } else { "theirs" };
            for Contested { values, .. } in moved.contested {
                let [was, now] = [(Side::Base, values[0]), (moved.by, values[1])]
                    .map(|(side, value)| path_of(sides.get(side).unwrap().node(value)));
                found.push(format!("{by} {was} > {now} of {}", moved.now.len()));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn what_one_side_moved_and_the_other_changed() {
        let base = "a: {x: {k: 1, l: 2, m: 3}, y: 1}\nb: {z: 1}\n";
        let moved = "a: {y: 1}\nb: {z: 1, x: {k: 1, l: 2, m: 3}}\n";
        let changed = "a: {y: 1}\nb: {z: 1, x: {k: 1, l: 2, m: 9}}\n";
        let rewritten = "a: {y: 1}\nb: {z: 1, x: {k: 7, l: 8, m: 9}}\n";
        let removed = "a: {y: 1}\nb: {z: 1}\n";
        let edited = "a: {x: {k: 5, l: 2, m: 3}, y: 1}\nb: {z: 1}\n";
        let elsewhere = "a: {x: {k: 1, l: 2, m: 3}, y: 2}\nb: {z: 1}\n";
        for ours in [moved, changed] {
            assert_eq!(contested([base, ours, removed]), ["ours .a.x > .b.x of 1"], "{ours}");
            assert_eq!(contested([base, ours, edited]), ["ours .a.x > .b.x of 1"], "{ours}");
            assert_eq!(contested([base, ours, elsewhere]), [""; 0], "{ours}");
            assert_eq!(contested([base, ours, ours]), [""; 0], "{ours}");
        }
        // Hardly anything is left of it.
        assert_eq!(contested([base, rewritten, removed]), [""; 0]);
    }

    #[test]
    fn one_value_is_known_with_its_mapping() {
        let base = "a: {x: {k: 1}, y: 1}\nb: {z: 1}\n";
        let removed = "a: {y: 1}\nb: {z: 1}\n";
        assert_eq!(contested([base, "a: {y: 1}\nb: {z: 1, x: {k: 1}}\n", removed]), ["ours .a.x > .b.x of 1"]);
        assert_eq!(contested([base, "a: {y: 1}\nb: {z: 1, new: {k: 1}}\n", removed]), [""; 0], "another name");
        assert_eq!(contested([base, "a: {y: 1}\nb: {z: 1, k: 1}\n", removed]), [""; 0], "a scalar");
    }

    #[test]
    fn what_went_along_is_known_by_its_name() {
        let base = "web: {image: 1}\ndb: {image: 2, user: u}\nmail: {image: 3}\n";
        let wrapped = "all: {web: {image: 9}, db: {image: 2, user: u}, mail: {image: 3}}\n";
        let theirs = "web: {image: 8}\ndb: {image: 2, user: u}\nmail: {image: 3}\n";
        assert_eq!(contested([base, wrapped, theirs]), ["ours .web > .all.web of 3"]);
        assert_eq!(contested([base, theirs, wrapped]), ["theirs .web > .all.web of 3"]);
    }
}
