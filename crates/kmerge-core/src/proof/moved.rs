//! What base, ours and theirs all have, at whatever place: the result has it, and if all have it once, it has it once.
//!
//! To the facts, what a side moved is a removal and an addition. If one of them is in a conflict and the other is not, a person may
//! choose to have it nowhere, or twice. If both sides moved it, to different places, it would be there twice.
//!
//! Things are known by what they hold: scalars with the key of their field, and collections of several scalars. Ignores what the
//! base has several times: `become: true` at one place is not the one at another.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use hashbrown::HashMap;
use kyaml_ast::{Entry, Node, NodeId, Stream};

use super::margin::Inside;
use super::names::hash;
use super::rows::{BASE, OURS, RESULT, Row, THEIRS, TREES, Thing};

/// How often the result lacks something that each tree has, and where it stands first.
type Lost = [(u32, Option<u32>); RESULT];

/// A thing of a side: the tree and the value.
type OfSide = (usize, NodeId);

/// What things of a side hold, as hashes, and where each starts.
type HeldAt = Rc<[(u64, u32)]>;

/// Values as hashes, and whether each is a scalar.
type Values = Rc<[(u64, bool)]>;

/// What base, ours and theirs hold, each read when it is first asked for. Most things of a result have the bytes of a side: what is
/// known of that need not be read again in the next result.
#[derive(Debug, Default)]
pub(super) struct HeldBySides {
    /// What each holds once, in order.
    once: [OnceCell<Vec<u64>>; RESULT],
    /// What a thing of a side holds beyond what another one holds, or in all.
    beyond: RefCell<HashMap<(OfSide, Option<OfSide>), HeldAt>>,
    /// What a thing of a side holds.
    values: RefCell<HashMap<OfSide, Values>>,
}

impl HeldBySides {
    fn has_once(&self, tree: usize, stream: &Stream<'_>, thing: u64) -> bool {
        let held = || {
            let documents = stream.documents().filter_map(Thing::of_document);
            let mut held: Vec<u64> = documents.flat_map(things_in).map(|held| held.value).collect();
            held.sort_unstable();
            held.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).flatten().copied().collect()
        };
        self.once[tree].get_or_init(held).binary_search(&thing).is_ok()
    }

    /// What a thing holds, which may have the bytes of one of a side.
    fn values(&self, thing: Thing<'_>, of: Option<OfSide>) -> Values {
        let read = || things_in(thing).map(|held| (held.value, held.is_scalar)).collect();
        let Some(of) = of else { return read() };
        Rc::clone(self.values.borrow_mut().entry(of).or_insert_with(read))
    }
}

/// Where the result has one of two things that all others have once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twice {
    pub(super) start: u32,
    pub(super) is_scalar: bool,
}

/// The rows that not all trees have alike.
#[derive(Debug, Default)]
pub(super) struct Uneven<'t> {
    /// Those of which the result has not all.
    missing: Vec<Bytes<'t>>,
    /// Whether the result lacks something that not every tree has: else, nothing is lost.
    lacks_some: bool,
    /// Whether it lacks more than what one side removed and the other left as it was: else, too, as what a side moved is new somewhere.
    lacks_new: bool,
    /// What the result has, and not every tree alike.
    kept: Vec<Bytes<'t>>,
    /// Whether something of the base is gone from a side and not from the result, or from both sides: else, nothing is there twice.
    is_any_gone: bool,
}

impl<'t> Uneven<'t> {
    /// Looks at a row, unless what is inside has rows of its own.
    pub(super) fn read(&mut self, row: &Row<Thing<'t>>, inside: Inside) {
        let [base, ours, theirs, result] = row.each_ref().map(Option::is_some);
        self.is_any_gone |= base && (result && ours != theirs || !ours && !theirs);
        let is_closed = inside != Inside::Open || row.iter().flatten().all(|thing| thing.value.kind().is_scalar());
        if is_closed && (inside == Inside::Around || !(base && ours && theirs)) {
            self.kept.extend(row[RESULT].map(|_| Bytes::of(row)));
        }
        let is_missing = row[RESULT].is_none();
        let is_in_all = base && ours && theirs;
        if is_missing || inside == Inside::Around && is_in_all {
            self.lacks_some |= is_missing && !is_in_all;
            let is_removal = base && !is_in_all && inside == Inside::Around;
            self.lacks_new |= is_missing && !is_removal;
            self.missing.push(Bytes::of(row));
        }
    }

    /// Where the result has what base, ours and theirs have once, and it has twice: then, no tree has both where the result has them.
    pub(super) fn twice(&self, trees: &[&Stream<'_>; TREES], held: &HeldBySides) -> Vec<Twice> {
        if !self.is_any_gone || are_of_one_tree(self.kept.iter().map(|kept| kept.trees)) {
            return Vec::new();
        }
        let kept = self.values(held);
        let trees_of = |(_, at): &Value| self.kept[at.kept].trees;
        let is_twice = |same: &&[Value]| {
            let is_held = |tree: usize| held.has_once(tree, trees[tree], same[0].0);
            same.len() > 1 && !are_of_one_tree(same.iter().map(trees_of)) && (BASE..RESULT).all(is_held)
        };
        let twice = kept.chunk_by(|(a, _), (b, _)| a == b).filter(is_twice).flatten();
        let mut twice: Vec<InKept> = twice.map(|(_, at)| *at).collect();
        twice.sort_unstable();
        let things = twice.chunk_by(|a, b| a.kept == b.kept);
        let mut places: Vec<Twice> = things.flat_map(|values| self.places(values)).collect();
        places.sort_unstable_by_key(|place| place.start);
        places
    }

    /// What the result has, and not every tree alike: what is the same stands together.
    fn values(&self, held: &HeldBySides) -> Vec<Value> {
        let mut values = Vec::new();
        for (kept, bytes) in self.kept.iter().enumerate() {
            let Some(thing) = bytes.row[RESULT] else { continue };
            let known = held.values(thing, bytes.of_side());
            values.extend((0..).zip(&*known).map(|(nth, (value, _))| (*value, InKept { kept, nth })));
        }
        values.sort_unstable_by_key(|(value, _)| *value);
        values
    }

    /// Where some values stand that one thing of the result holds.
    fn places(&self, values: &[InKept]) -> Vec<Twice> {
        let thing = values.first().and_then(|first| self.kept[first.kept].row[RESULT]);
        let mut wanted = values.iter().map(|value| value.nth).peekable();
        let held = (0..).zip(thing.into_iter().flat_map(things_in));
        let held = held.filter(|(nth, _)| wanted.next_if_eq(nth).is_some());
        held.map(|(_, held)| Twice { start: held.start(), is_scalar: held.is_scalar }).collect()
    }

    /// Where the trees have what all of them have, and the result has not, if it stands once in the base.
    pub(super) fn lost(&self, base: &Stream<'_>, held: &HeldBySides) -> Vec<Row<u32>> {
        if !(self.lacks_some && self.lacks_new) {
            return Vec::new();
        }
        let lost = self.count(held);
        if lost.is_empty() {
            return Vec::new();
        }
        let lost = lost.iter().filter(|(thing, _)| held.has_once(BASE, base, **thing));
        let mut places: Vec<Row<u32>> = lost.map(|(_, lost)| places(lost)).collect();
        places.sort_unstable();
        places
    }

    /// What the result lacks and all trees have, row by row. Mostly, the second side has nothing of what the first one has.
    fn count(&self, held: &HeldBySides) -> HashMap<u64, Lost> {
        let kept: Vec<OnceCell<Kept>> = self.missing.iter().map(|_| OnceCell::new()).collect();
        let mut lost: HashMap<u64, Lost> = HashMap::new();
        for tree in [OURS, THEIRS, BASE] {
            for (bytes, kept) in self.missing.iter().zip(&kept).filter(|(bytes, _)| !bytes.are_of(tree)) {
                for (thing, at) in &*bytes.beyond_result(tree, held, kept) {
                    // What ours has not is not everywhere.
                    let known = if tree == OURS { Some(lost.entry(*thing).or_default()) } else { lost.get_mut(thing) };
                    if let Some((times, first)) = known.map(|lost| &mut lost[tree]) {
                        *times += 1;
                        *first = first.or(Some(*at));
                    }
                }
            }
            lost.retain(|_, lost| lost[tree].0 > 0);
            if lost.is_empty() {
                break;
            }
        }
        lost.retain(|_, lost| !is_removed_by_both(lost));
        lost
    }
}

/// A value that the result has, as a hash, and where.
type Value = (u64, InKept);

/// The nth value that a thing of the result holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct InKept {
    kept: usize,
    nth: usize,
}

/// A row, and which trees have there the bytes of the result, if that has any.
#[derive(Clone, Copy, Debug)]
struct Bytes<'t> {
    row: Row<Thing<'t>>,
    trees: u8,
}

impl<'t> Bytes<'t> {
    fn of(row: &Row<Thing<'t>>) -> Self {
        let is_in = |tree: &usize| row[*tree].zip(row[RESULT]).is_some_and(|(own, result)| own.text() == result.text());
        Self { row: *row, trees: (BASE..RESULT).filter(is_in).fold(0, |trees, tree| trees | 1 << tree) }
    }

    const fn are_of(&self, tree: usize) -> bool {
        self.trees & 1 << tree != 0
    }

    /// The thing of a side that has the bytes of the result.
    fn of_side(&self) -> Option<OfSide> {
        (BASE..RESULT).find(|tree| self.are_of(*tree)).and_then(|tree| self.thing(tree))
    }

    fn thing(&self, tree: usize) -> Option<OfSide> {
        Some((tree, self.row[tree]?.value.id()))
    }

    /// What a tree holds there beyond what the result has, which may be `kept` from the last tree.
    fn beyond_result(&self, tree: usize, held: &HeldBySides, kept: &OnceCell<Kept>) -> HeldAt {
        let read = || kept.get_or_init(|| Kept::of(self.row[RESULT])).not_in(self.row[tree]).into();
        let result = self.of_side();
        let is_of_sides = result.is_some() || self.row[RESULT].is_none();
        match self.thing(tree) {
            Some(own) if is_of_sides => Rc::clone(held.beyond.borrow_mut().entry((own, result)).or_insert_with(read)),
            _ => read(),
        }
    }
}

/// Whether some tree has all of several things, by the trees that have each.
fn are_of_one_tree(mut of: impl Iterator<Item = u8>) -> bool {
    of.try_fold(u8::MAX, |all, of| Some(all & of).filter(|all| *all != 0)).is_some()
}

/// Whether the sides removed all of something together, each at another place.
const fn is_removed_by_both(lost: &Lost) -> bool {
    lost[OURS].0 + lost[THEIRS].0 <= lost[BASE].0
}

/// Where each tree has it first.
const fn places([base, ours, theirs]: &Lost) -> Row<u32> {
    [base.1, ours.1, theirs.1, None]
}

/// What some things hold, and how often; and how often each field.
#[derive(Clone, Default)]
struct Kept {
    values: HashMap<u64, usize>,
    fields: HashMap<u64, usize>,
}

impl Kept {
    fn of<'t>(things: impl IntoIterator<Item = Thing<'t>>) -> Self {
        let mut kept = Self::default();
        for held in things.into_iter().flat_map(things_in) {
            *kept.values.entry(held.value).or_default() += 1;
            if let Some(field) = held.field {
                *kept.fields.entry(field).or_default() += 1;
            }
        }
        kept
    }

    /// What another version holds beyond that. A field with another value is there.
    fn not_in(&self, version: Option<Thing<'_>>) -> Vec<(u64, u32)> {
        let mut left = self.clone();
        let mut is_lost = |held: &Held<'_>| {
            let has_field = held.field.is_some_and(|field| take(&mut left.fields, field));
            !take(&mut left.values, held.value) && !has_field
        };
        let held = version.into_iter().flat_map(things_in);
        held.filter(|held| is_lost(held)).map(|held| (held.value, held.start())).collect()
    }
}

/// Takes one of what is left, if there is one.
fn take(left: &mut HashMap<u64, usize>, name: u64) -> bool {
    left.get_mut(&name).filter(|left| **left > 0).map(|left| *left -= 1).is_some()
}

/// A scalar, or a collection of several.
struct Held<'t> {
    /// As a hash, for a scalar with the key of its field.
    value: u64,
    /// The key as a hash, if it is a scalar.
    field: Option<u64>,
    is_scalar: bool,
    at: At<'t>,
}

/// Where something starts.
#[derive(Clone, Copy)]
enum At<'t> {
    Start(u32),
    /// It takes time to say where exactly.
    Entry(Entry<'t>),
}

impl<'t> Held<'t> {
    fn new(key: Option<Node<'t>>, value: Node<'t>, at: At<'t>) -> Option<Self> {
        if value.kind().is_scalar() {
            let field = key.map(|key| hash(&key.value()));
            return Some(Self { value: hash(&(field, value.digest())), field, is_scalar: true, at });
        }
        holds_several(value).then(|| Self { value: value.digest(), field: None, is_scalar: false, at })
    }

    fn start(&self) -> u32 {
        match self.at {
            At::Start(start) => start,
            At::Entry(entry) => entry.start(),
        }
    }
}

/// The scalars in a thing, and its collections that hold several.
fn things_in<'t>(thing: Thing<'t>) -> impl Iterator<Item = Held<'t>> {
    let mut next = Some((thing.key, thing.value, At::Start(thing.start)));
    let mut open = Vec::new();
    let opened = std::iter::from_fn(move || {
        let (key, value, at) = next.take().or_else(|| open.pop())?;
        open.extend(value.entries().map(|entry| (entry.key(), entry.value(), At::Entry(entry))));
        Some(Held::new(key, value, at))
    });
    opened.flatten()
}

/// Whether there are two scalars at least in a collection.
pub(crate) fn holds_several(collection: Node<'_>) -> bool {
    let (mut next, mut open) = (Some(collection), Vec::new());
    let mut scalars = 0;
    while scalars < 2
        && let Some(node) = next.take().or_else(|| open.pop())
    {
        for child in node.entries().map(Entry::value).take(2) {
            if child.kind().is_collection() { open.push(child) } else { scalars += 1 }
        }
    }
    scalars > 1
}
