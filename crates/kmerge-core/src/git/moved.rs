//! Fields and elements that one side moved to another mapping or list of a document, and the other deleted.
//!
//! To the walker these are a removal that both made, and an addition. A value is known by what it holds, if that is more than a
//! single scalar and stands in the base once; whether it has a new name, too, does not matter. A smaller field is known by its name
//! and value, where another one of its mapping went the same way: a side wrapped them. Ignores what moved along with all
//! around it, what moved within its list, and what is left of it on the deleting side.

use hashbrown::HashMap;
use kyaml_ast::{Entry, Node, Path, Span};

use super::apart::{Changed, name};
use crate::correspond::field_name;
use crate::proof::{Moving, PathHash, Unsound, longer, path_of};
use crate::slots::Side;

/// What one side moved and the other deleted: where it was, where it is, and who moved it.
struct Moved<'t> {
    was: Entry<'t>,
    now: Entry<'t>,
    by: Side,
}

/// The first in the order of the base that one side moved and the other deleted.
pub(super) fn both_changed(documents: &[Changed<'_>]) -> Option<Unsound> {
    let Moved { was, now, by } = all_moved(documents).into_iter().min_by_key(|moved| moved.was.start())?;
    let [from, to]: [Path; 2] = [was, now].map(|entry| path_of(entry.value()));
    Some(Unsound::Moved(Moving { from, to, by }))
}

/// Where all of it stands in ours and theirs, and where it starts in the base.
pub(super) fn conflicting_spans(documents: &[Changed<'_>]) -> Vec<[Option<Span>; 3]> {
    let spans = |Moved { was, now, by }: Moved<'_>| {
        let (base, new) = (Some(Span::new(was.start(), was.start() + 1)), Some(now.extent()));
        if by == Side::Dest { [new, base, None] } else { [None, base, new] }
    };
    all_moved(documents).into_iter().map(spans).collect()
}

fn all_moved<'t>(documents: &[Changed<'t>]) -> Vec<Moved<'t>> {
    let mut moved = Vec::new();
    for Changed { roots, parts } in documents {
        let [base, ours, theirs] = [0, 1, 2].map(|side| {
            let parts = parts.iter().flat_map(|part| part.entries[side].iter().map(|entry| (*entry, part.way)));
            Ways::of(parts.collect())
        });
        if !base.has_more_than([&ours, &theirs]) {
            continue;
        }
        // What moved stands apart on the side that moved it, too; whether it stands elsewhere is asked only then.
        if !moved_in([base, ours, theirs].map(Values::of_part).each_ref()).is_empty() {
            moved.extend(moved_in(roots.map(Values::of_whole).each_ref()));
        }
    }
    moved
}

fn moved_in<'t>([base, ours, theirs]: [&Values<'t>; 3]) -> Vec<Moved<'t>> {
    let mut moved = Vec::new();
    for (mover, by, remover) in [(ours, Side::Dest, theirs), (theirs, Side::Incoming, ours)] {
        moved.extend(base.moved((mover, by), remover));
        moved.extend(base.moved_together((mover, by), remover));
    }
    moved
}

/// A value, and the ways to it and to what holds it. Of the elements of a list only the names are on the way.
#[derive(Clone, Copy)]
struct Placed<'t> {
    entry: Entry<'t>,
    way: PathHash,
    holder: PathHash,
}

/// A field that stands at one place in the base, and at another on a side.
struct Went<'t> {
    field: u64,
    was: Placed<'t>,
    now: Placed<'t>,
}

/// The values of a document, and how many there are at each way.
struct Ways<'t> {
    placed: Vec<Placed<'t>>,
    at: HashMap<PathHash, usize>,
}

impl<'t> Ways<'t> {
    /// Reads entries, each with the way to its holder, and all that is below them.
    fn of(mut open: Vec<(Entry<'t>, PathHash)>) -> Self {
        let mut ways = Self { placed: Vec::new(), at: HashMap::from([(0, 1)]) };
        while let Some((entry, holder)) = open.pop() {
            let way = longer(holder, &name(entry));
            *ways.at.entry(way).or_default() += 1;
            ways.placed.push(Placed { entry, way, holder });
            open.extend(below(entry.value(), way));
        }
        ways
    }

    /// Whether something is gone from both others.
    fn has_more_than(&self, others: [&Self; 2]) -> bool {
        self.at.iter().any(|(way, count)| others.iter().all(|other| other.at.get(way).is_none_or(|left| left < count)))
    }
}

/// The same by what they hold.
struct Values<'t> {
    /// By digest; `None` for what stands there several times.
    by_content: HashMap<u64, Option<Placed<'t>>>,
    /// The same for fields, by a hash of their name and value.
    by_field: HashMap<u64, Option<Placed<'t>>>,
    at: HashMap<PathHash, usize>,
    /// Whether these are all values of a document.
    is_whole: bool,
}

impl<'t> Values<'t> {
    fn of_whole(root: Node<'t>) -> Self {
        Self { is_whole: true, ..Self::of_part(Ways::of(below(root, 0).collect())) }
    }

    fn of_part(ways: Ways<'t>) -> Self {
        let (mut by_content, mut by_field) = (HashMap::new(), HashMap::new());
        let add = |known: &mut HashMap<u64, Option<Placed<'t>>>, content: u64, placed: Placed<'t>| {
            known.entry(content).and_modify(|known| *known = None).or_insert(Some(placed));
        };
        for placed in ways.placed {
            let content = placed.entry.value().digest();
            add(&mut by_content, content, placed);
            if placed.entry.key().is_some() {
                add(&mut by_field, longer(content, &field_name(placed.entry)), placed);
            }
        }
        Self { by_content, by_field, at: ways.at, is_whole: false }
    }

    /// Whether something stands at the way to a holder, as far as is known.
    fn has_holder(&self, holder: PathHash) -> bool {
        !self.is_whole || self.at.contains_key(&holder)
    }

    /// The fields that a side moved elsewhere together with others of their mapping, and the other deleted.
    fn moved_together(&self, (mover, by): (&Self, Side), remover: &Self) -> Vec<Moved<'t>> {
        let known =
            self.by_field.iter().filter_map(|(field, was)| Some((field, (*was)?, (*mover.by_field.get(field)?)?)));
        let mut groups: HashMap<[PathHash; 2], Vec<Went<'t>>> = HashMap::new();
        for (field, was, now) in known {
            let is_moved = was.holder != now.holder && mover.has_holder(was.holder);
            if is_moved && !mover.at.contains_key(&was.way) {
                groups.entry([was.holder, now.holder]).or_default().push(Went { field: *field, was, now });
            }
        }
        let is_deleted = |Went { field, was, .. }: &Went<'_>| {
            remover.has_holder(was.holder)
                && !remover.at.contains_key(&was.way)
                && !remover.by_field.contains_key(field)
        };
        let together = groups.into_values().filter(|group| group.len() > 1).flatten().filter(is_deleted);
        together.map(|Went { was, now, .. }| Moved { was: was.entry, now: now.entry, by }).collect()
    }

    /// What a side moved elsewhere and the other deleted.
    fn moved<'m>(&'m self, (mover, by): (&'m Self, Side), remover: &'m Self) -> impl Iterator<Item = Moved<'t>> + 'm {
        let count = |of: &Self, way: PathHash| of.at.get(&way).copied().unwrap_or_default();
        let gone = self.by_content.iter().filter(|(content, _)| !remover.by_content.contains_key(*content));
        gone.filter_map(move |(content, was)| {
            let (was, now) = ((*was)?, (*mover.by_content.get(content)?)?);
            let has_left = [mover, remover].iter().all(|side| count(side, was.way) < count(self, was.way));
            let is_moved = was.way != now.way && mover.has_holder(was.holder) && has_left;
            (is_moved && holds_several(was.entry.value())).then_some(Moved { was: was.entry, now: now.entry, by })
        })
    }
}

/// The entries of a collection, each with the way to that.
fn below(collection: Node<'_>, way: PathHash) -> impl Iterator<Item = (Entry<'_>, PathHash)> {
    collection.entries().map(move |entry| (entry, way))
}

/// Whether there are two scalars at least in a collection.
fn holds_several(collection: Node<'_>) -> bool {
    let mut open = vec![collection];
    let mut scalars = 0;
    while scalars < 2
        && let Some(node) = open.pop()
    {
        for child in node.entries().map(Entry::value).take(2) {
            if child.kind().is_collection() { open.push(child) } else { scalars += 1 }
        }
    }
    scalars > 1
}
