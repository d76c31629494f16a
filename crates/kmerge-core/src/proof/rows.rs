//! What is the same thing in four trees: base, ours, theirs and a result.
//!
//! Owns: rows of counterparts among the entries of collections and the documents of streams, found without the code that merges.
//! Invariant: everything is in exactly one row, and no row has two things of one tree. Known are, in this order: what stands alike
//! at the start and at the end, or at one place where nobody added or removed anything, the same name (a key, the identity that the schema gives, a resource), the same text, as many
//! leftovers in every tree, a title, likeness (of fields, more than to any that every tree has; of too many, of such as share a part
//! that hardly another has). Of two things of the result that are one thing of the sides, one is in a row of its own.
//! Ignores order otherwise.

use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Document, Entry, Kind, Node, NodeId, Span};

use crate::correspond::{
    HALF, LEAST_RENAMED, MOST_PAIRS, Sketch, share_of_bare, share_of_ends, share_of_shorter, title, titles,
};
use crate::equal::same_text;
use crate::slots::Side;

use super::names::{Name, Names, named};

/// Base, ours, theirs, result.
pub(super) const TREES: usize = 4;
const BASE: usize = 0;
/// What shares so much of its text with another, in percent, is that one: no sketch could say it more clearly.
const NEARLY_ALL: u32 = 90;
pub(super) const RESULT: usize = 3;

/// A value for each tree that has one.
pub(crate) type Row<T> = [Option<T>; TREES];

/// A place in a result.
pub(super) const fn in_result(at: u32) -> Row<u32> {
    [None, None, None, Some(at)]
}

/// A place on a side.
pub(super) const fn in_side(side: Side, at: u32) -> Row<u32> {
    match side {
        Side::Dest => [None, Some(at), None, None],
        Side::Incoming => [None, None, Some(at), None],
        Side::Base => [Some(at), None, None, None],
    }
}

/// An entry, or a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thing<'t> {
    /// Where it starts, comments left out.
    pub(super) start: u32,
    /// Every byte that it owns.
    pub(super) extent: Span,
    /// The key of a field.
    pub(super) key: Option<Node<'t>>,
    /// What it holds.
    pub(super) value: Node<'t>,
    /// Whether only its place says that it is in its row.
    pub(super) by_place: bool,
}

impl<'t> Thing<'t> {
    pub(super) fn of_entry(entry: Entry<'t>) -> Self {
        Self { start: entry.start(), extent: entry.extent(), key: entry.key(), value: entry.value(), by_place: false }
    }

    /// A document that holds something.
    pub(super) fn of_document(document: Document<'t>) -> Option<Self> {
        let value = document.root().filter(|root| root.kind() != Kind::Null)?;
        let start = value.full_span().start;
        Some(Self { start, extent: document.span(), key: None, value, by_place: false })
    }

    /// Its bytes.
    pub(super) fn text(&self) -> &'t str {
        self.extent.of(self.value.stream().source())
    }
}

/// Whether all that there is in a row has the same bytes.
pub(super) fn is_alike(row: &Row<Thing<'_>>) -> bool {
    let mut texts = row.iter().flatten().map(Thing::text);
    texts.next().is_none_or(|first| texts.all(|text| text == first))
}

/// Whether one side has the bytes of the base and the result those of the other: then every fact inside is as it should be.
pub(super) fn is_of_one_side(row: &Row<Thing<'_>>) -> bool {
    let [Some(base), Some(ours), Some(theirs), Some(result)] = row.each_ref().map(|it| it.as_ref().map(Thing::text))
    else {
        return false;
    };
    base == theirs && ours == result || base == ours && theirs == result
}

/// Whether a scalar has lines.
pub(super) fn is_text(node: Node<'_>) -> bool {
    node.kind().is_scalar() && (node.kind().is_block_scalar() || node.text().contains('\n'))
}

/// The rows of some things, those of each tree in order.
pub(super) fn rows<'t>(mut things: Row<Vec<Thing<'t>>>, names: Names<'t>) -> Vec<Row<Thing<'t>>> {
    let shortest = things.iter().flatten().map(Vec::len).min().unwrap_or_default();
    let nth = |things: &Row<Vec<Thing<'t>>>, at: usize| -> Row<Thing<'t>> {
        std::array::from_fn(|tree| things[tree].as_ref().and_then(|list| list.get(at)).copied())
    };
    let last = |things: &Row<Vec<Thing<'t>>>, at: usize| -> Row<Thing<'t>> {
        std::array::from_fn(|tree| {
            things[tree].as_ref().and_then(|list| list.get(list.len().checked_sub(at + 1)?)).copied()
        })
    };
    let head = (0..shortest).take_while(|at| is_alike(&nth(&things, *at))).count();
    let tail = (0..shortest - head).take_while(|at| is_alike(&last(&things, *at))).count();
    let mut rows: Vec<_> = (0..head).map(|at| nth(&things, at)).collect();
    rows.extend((0..tail).map(|at| last(&things, at)));
    for list in things.iter_mut().flatten() {
        list.truncate(list.len() - tail);
        list.drain(..head);
    }
    let count = shortest - head - tail;
    if things.iter().flatten().all(|list| list.len() == count) {
        let row_at: Vec<Row<Thing<'t>>> = (0..count).map(|at| nth(&things, at)).collect();
        let alike: Vec<bool> = row_at.iter().map(is_alike).collect();
        rows.extend(row_at.iter().zip(&alike).filter(|(_, alike)| **alike).map(|(row, _)| *row));
        for list in things.iter_mut().flatten() {
            let mut alike = alike.iter();
            list.retain(|_| alike.next() == Some(&false));
        }
    }
    rows.extend(Middle::new(things, names).rows());
    rows
}

/// Two rows by how alike they are, and how far apart: what comes first is one first.
type Alike = (Reverse<u32>, usize, usize, usize);

/// The things that do not stand at the start or at the end everywhere.
struct Middle<'t> {
    present: u8,
    names: Names<'t>,
    /// Whether things without a name that are left over may be one by their places.
    by_place: bool,
    rows: Vec<Row<Thing<'t>>>,
    /// At which place each stands in the first tree that has it.
    places: Vec<usize>,
    /// Whether what is in a row has a name.
    named: Vec<bool>,
    /// Which row each is in.
    part_of: Vec<usize>,
    /// How often the sides have each title; counted when first asked for.
    titles: OnceCell<HashMap<u64, usize>>,
    /// What the values of trees hold, each read when it is first compared.
    sketched: RefCell<HashMap<(usize, NodeId), Rc<Sketch<'t>>>>,
}

impl<'t> Middle<'t> {
    fn new(things: Row<Vec<Thing<'t>>>, names: Names<'t>) -> Self {
        let present = mask(&things);
        let known = named(&things, names);
        let mut middle = Self {
            present,
            names,
            by_place: true,
            rows: Vec::new(),
            places: Vec::new(),
            named: Vec::new(),
            part_of: Vec::new(),
            titles: OnceCell::new(),
            sketched: RefCell::default(),
        };
        let mut at: HashMap<(Name, u32), usize> = HashMap::new();
        for (tree, (things, names)) in things.into_iter().zip(known).enumerate() {
            let mut seen: HashMap<Name, u32> = HashMap::new();
            for (place, (thing, name)) in things.into_iter().flatten().zip(names).enumerate() {
                let nth = *seen.entry(name).and_modify(|nth| *nth += 1).or_default();
                let row = *at.entry((name, nth)).or_insert(middle.rows.len());
                if row == middle.rows.len() {
                    middle.rows.push(Row::default());
                    middle.places.push(place);
                    middle.named.push(matches!(name, Name::Known(_)));
                }
                middle.rows[row][tree] = Some(thing);
            }
        }
        middle.part_of = (0..middle.rows.len()).collect();
        middle.by_place = !matches!(names, Names::Fields(_));
        if matches!(names, Names::Resources) {
            middle.unite_only();
        }
        middle
    }

    fn rows(mut self) -> Vec<Row<Thing<'t>>> {
        // Mostly little has changed, and the texts say so without a title or a sketch.
        if self.by_place {
            self.unite_by_place(Some(HALF));
        }
        self.unite_by_title();
        self.unite_alike(are_apart);
        self.unite_alike(are_twice);
        if self.by_place {
            self.unite_by_place(None);
        }
        self.rows.retain(|row| mask(row) != 0);
        self.rows
    }

    /// The rows that some trees have not, without scalars of one line.
    fn left(&self) -> Vec<usize> {
        let is_left = |row: &Row<Thing<'_>>| {
            let mask = mask(row);
            let has_parts = |thing: &Thing<'_>| thing.value.kind().is_collection() || is_text(thing.value);
            mask != 0 && mask != self.present && row.iter().flatten().all(has_parts)
        };
        (0..self.rows.len()).filter(|row| is_left(&self.rows[*row])).collect()
    }

    /// What is left over alone in every tree is one.
    fn unite_only(&mut self) {
        let mut left = self.left();
        let counts: [usize; TREES] =
            std::array::from_fn(|tree| left.iter().filter(|row| self.rows[**row][tree].is_some()).count());
        if counts.iter().zip(0..).all(|(count, tree)| *count == usize::from(self.present & 1 << tree != 0)) {
            let Some(first) = left.pop() else { return };
            left.into_iter().for_each(|row| self.unite(first, row, are_apart));
        }
    }

    /// What has no name but a title that nothing else of its tree has is what has this title elsewhere. However alike
    /// another one is: a line merge may have put the lines of one into it.
    fn unite_by_title(&mut self) {
        let left: Vec<usize> = self.left().into_iter().filter(|row| !self.named[*row]).collect();
        let count = |tree: usize| left.iter().filter(|row| self.rows[**row][tree].is_some()).count();
        // Titles take time to read. What is alone in its tree needs none.
        if (0..TREES).all(|tree| count(tree) <= 1) {
            return;
        }
        let mut titled: HashMap<u64, (u8, Option<Vec<usize>>)> = HashMap::new();
        for row in left {
            let Some(title) = self.rows[row].iter().flatten().next().and_then(|thing| title(thing.value)) else {
                continue;
            };
            let (trees, rows) = titled.entry(title).or_insert_with(|| (0, Some(Vec::new())));
            let of_row = mask(&self.rows[row]);
            match rows {
                Some(rows) if *trees & of_row == 0 => rows.push(row),
                _ => *rows = None,
            }
            *trees |= of_row;
        }
        for rows in titled.into_values().filter_map(|(_, rows)| rows) {
            rows[1..].iter().for_each(|row| self.unite(rows[0], *row, are_apart));
        }
    }

    /// Where every tree has as many without a name left over, those at one place are the same: only such as share `least` percent
    /// of their texts at both ends, or all.
    fn unite_by_place(&mut self, least: Option<u32>) {
        let left: Vec<usize> = self.left().into_iter().filter(|row| !self.named[*row]).collect();
        let lists: [Vec<usize>; TREES] = std::array::from_fn(|tree| {
            let mut list: Vec<(u32, usize)> =
                left.iter().filter_map(|row| Some((self.rows[*row][tree]?.start, *row))).collect();
            list.sort_unstable();
            list.into_iter().map(|(_, row)| row).collect()
        });
        let mut present = (0..TREES).filter(|tree| self.present & 1 << tree != 0);
        let Some(tree) = present.next() else { return };
        if present.clone().any(|other| lists[other].len() != lists[tree].len()) {
            return;
        }
        let text = |tree: usize, row: usize| self.rows[row][tree].map_or("", |thing| thing.value.text());
        let is_pair = |other: usize, a: usize, b: usize| {
            let (one, another) = (text(tree, a), text(other, b));
            let share = || share_of_shorter(one, another).max(share_of_bare(one, another));
            a != b && least.is_none_or(|least| share() >= least)
        };
        let places = present.flat_map(|other| lists[tree].iter().zip(&lists[other]).map(move |(a, b)| (other, *a, *b)));
        let pairs: Vec<_> = places.filter(|(other, a, b)| is_pair(*other, *a, *b)).collect();
        for (_, a, b) in pairs {
            if self.united(a) != self.united(b) {
                self.rows[b].iter_mut().flatten().for_each(|thing| thing.by_place = true);
            }
            self.unite(a, b, are_apart);
        }
    }

    /// Whether two rows that are alike may be one thing. Of what both sides added, and the result has twice, it takes more: elements
    /// have one title, and nothing else has it; fields are mostly alike, and in a mapping that is new on both sides.
    fn may_be_one(&self, [a, b]: [usize; 2], alike: u32) -> bool {
        let is_new_twice = |row: &Row<Thing<'_>>| row[BASE].is_none() && row[RESULT].is_some();
        if alike < HALF || ![a, b].iter().all(|row| is_new_twice(&self.rows[*row])) {
            return alike >= HALF;
        }
        let title = |row: usize| self.rows[row].iter().flatten().find_map(|thing| title(thing.value));
        match self.names {
            Names::Fields(mapping) => mapping.is_none() && alike >= LEAST_RENAMED,
            Names::Elements(_, lists) => {
                let times = || {
                    self.titles
                        .get_or_init(|| titles(lists[..RESULT].iter().flatten().flat_map(|list| list.children())))
                };
                let have_one = |it: u64| title(b) == Some(it) && times().get(&it) == Some(&2);
                !self.named[a] && !self.named[b] && title(a).is_some_and(have_one)
            }
            Names::Resources => false,
        }
    }

    /// Unites what is most alike first, and of that what is nearest; of too many, those that stand in one order in all trees.
    fn unite_alike(&mut self, may_be_one: fn(u8, u8) -> bool) {
        let groups = self.left_by_mask();
        let apart = (0..groups.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
        let apart: Vec<_> = apart.filter(|(first, second)| may_be_one(groups[*first].0, groups[*second].0)).collect();
        let count = |(first, second): &(usize, usize)| groups[*first].1.len().saturating_mul(groups[*second].1.len());
        if apart.iter().map(count).fold(0, usize::saturating_add) > MOST_PAIRS {
            let text = |row: usize| self.rows[row].iter().flatten().next().map_or("", |thing| thing.value.text());
            let is_clear = |a, b| share_of_ends(text(a), text(b)) >= NEARLY_ALL;
            if let Some(pairs) = in_order(&groups, is_clear) {
                return pairs.into_iter().for_each(|(a, b)| self.unite(a, b, are_apart));
            }
            self.unite_by_rare_parts(&groups, may_be_one);
            let is_alike = |a, b| likeness(&self.sketches(a), &self.sketches(b)) >= HALF;
            let pairs = in_order(&self.left_by_mask(), is_alike).unwrap_or_default();
            return pairs.into_iter().for_each(|(a, b)| self.unite(a, b, are_apart));
        }
        let mut pairs = Vec::new();
        for (first, second) in apart {
            let others: Vec<Vec<Rc<Sketch<'t>>>> = groups[second].1.iter().map(|row| self.sketches(*row)).collect();
            for row in &groups[first].1 {
                let sketches = self.sketches(*row);
                for (other, others) in groups[second].1.iter().zip(&others) {
                    let alike = likeness(&sketches, others);
                    if self.may_be_one([*row, *other], alike) {
                        let apart = self.places[*row].abs_diff(self.places[*other]);
                        pairs.push((Reverse(alike), apart, *row.min(other), *row.max(other)));
                    }
                }
            }
        }
        self.drop_common(&mut pairs);
        pairs.sort_unstable();
        for (.., a, b) in pairs {
            self.unite(a, b, may_be_one);
        }
    }

    /// Drops fields that no more are others under a new name than they are fields that every tree has. (An element has a place, too.)
    fn drop_common(&self, pairs: &mut Vec<Alike>) {
        let Names::Fields(Some(mapping)) = self.names else { return };
        let stays = OnceCell::new();
        let mut most: HashMap<usize, u32> = HashMap::new();
        pairs.retain(|(alike, _, a, b)| {
            let new = match [a, b].map(|row| self.rows[*row][BASE].is_some()) {
                _ if !self.named[*a] || !self.named[*b] => return true,
                [true, false] => *b,
                [false, true] => *a,
                _ => return true,
            };
            let stays = stays.get_or_init(|| self.sketches_of_kept(mapping));
            let most = most.entry(new).or_insert_with(|| likeness(&self.sketches(new), stays));
            alike.0 > *most
        });
    }

    /// What the collections of the base's mapping hold that every tree has.
    fn sketches_of_kept(&self, mapping: Node<'t>) -> Vec<Rc<Sketch<'t>>> {
        let left = self.rows.iter().filter(|row| mask(row) != self.present);
        let left: HashSet<NodeId> = left.filter_map(|row| Some(row[BASE]?.value.id())).collect();
        let kept = mapping.entries().map(Entry::value).filter(|value| !left.contains(&value.id()));
        kept.filter(|value| value.kind().is_collection()).map(|value| self.sketch((BASE, value))).collect()
    }

    /// Of too many to compare each with each: unites what has a part that hardly anything else has, if it is alike.
    fn unite_by_rare_parts(&mut self, groups: &[(u8, Vec<usize>)], may_be_one: fn(u8, u8) -> bool) {
        let rows: Vec<usize> = groups.iter().flat_map(|(_, rows)| rows).copied().collect();
        let sketches: HashMap<usize, Vec<Rc<Sketch<'t>>>> =
            rows.iter().map(|row| (*row, self.sketches(*row))).collect();
        let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
        for row in &rows {
            for part in sketches[row].iter().flat_map(|sketch| sketch.parts()) {
                let holders = holders.entry(*part).or_default();
                if holders.len() <= TREES && holders.last() != Some(row) {
                    holders.push(*row);
                }
            }
        }
        let rare = holders.into_values().filter(|rows| (2..=TREES).contains(&rows.len()));
        let both = |rows: Vec<usize>| {
            let second = (1..rows.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
            second.map(|(first, second)| (rows[first], rows[second])).collect::<Vec<_>>()
        };
        let candidates: HashSet<(usize, usize)> = rare.flat_map(both).collect();
        let mut pairs = Vec::new();
        for (a, b) in candidates {
            let alike = likeness(&sketches[&a], &sketches[&b]);
            if self.may_be_one([a, b], alike) && may_be_one(mask(&self.rows[a]), mask(&self.rows[b])) {
                let apart = self.places[a].abs_diff(self.places[b]);
                pairs.push((Reverse(alike), apart, a.min(b), a.max(b)));
            }
        }
        pairs.sort_unstable();
        for (.., a, b) in pairs {
            self.unite(a, b, may_be_one);
        }
    }

    /// What is left over, by the trees that have it, in the order of the first of these.
    fn left_by_mask(&self) -> Vec<(u8, Vec<usize>)> {
        let mut groups: Vec<(u8, Vec<usize>)> = Vec::new();
        for row in self.left() {
            let mask = mask(&self.rows[row]);
            match groups.iter_mut().find(|(of, _)| *of == mask) {
                Some((_, group)) => group.push(row),
                None => groups.push((mask, vec![row])),
            }
        }
        let start = |row: &usize| self.rows[*row].iter().flatten().map(|thing| thing.start).next();
        groups.iter_mut().for_each(|(_, group)| group.sort_by_key(start));
        groups
    }

    /// What the things of a row hold; the same text is read once.
    fn sketches(&self, row: usize) -> Vec<Rc<Sketch<'t>>> {
        let things = self.rows[row].iter().enumerate();
        let nodes: Vec<_> = things.filter_map(|(tree, thing)| Some((tree, (*thing)?.value))).collect();
        let is_new = |at: &usize| nodes[..*at].iter().all(|(_, known)| !same_text(*known, nodes[*at].1));
        (0..nodes.len()).filter(is_new).map(|at| self.sketch(nodes[at])).collect()
    }

    fn sketch(&self, (tree, value): (usize, Node<'t>)) -> Rc<Sketch<'t>> {
        let mut sketched = self.sketched.borrow_mut();
        Rc::clone(sketched.entry((tree, value.id())).or_insert_with(|| Rc::new(Sketch::of(value))))
    }

    /// Makes one row of two, or of those that they have become part of, if the trees that have them allow it.
    fn unite(&mut self, a: usize, b: usize, may_be_one: fn(u8, u8) -> bool) {
        let [a, b] = [a, b].map(|row| self.united(row));
        if a != b && may_be_one(mask(&self.rows[a]), mask(&self.rows[b])) {
            let mut gone = std::mem::take(&mut self.rows[b]);
            if self.rows[a][RESULT].is_some() {
                self.rows[b][RESULT] = gone[RESULT].take();
            }
            for (to, from) in self.rows[a].iter_mut().zip(gone) {
                *to = to.or(from);
            }
            self.part_of[b] = a;
        }
    }

    fn united(&self, mut row: usize) -> usize {
        while self.part_of[row] != row {
            row = self.part_of[row];
        }
        row
    }
}

/// Where some trees have as many left over as all others, as after a rename of all: the first is the first, if all are alike.
fn in_order(groups: &[(u8, Vec<usize>)], is_alike: impl Fn(usize, usize) -> bool) -> Option<Vec<(usize, usize)>> {
    let [(_, some), (_, others)] = groups else { return None };
    let pairs: Vec<(usize, usize)> = some.iter().copied().zip(others.iter().copied()).collect();
    (some.len() == others.len() && pairs.iter().all(|(a, b)| is_alike(*a, *b))).then_some(pairs)
}

/// Whether no tree has both of two rows.
const fn are_apart(some: u8, others: u8) -> bool {
    some & others == 0
}

/// Whether the result alone has both, the version of one side and that of the other.
const fn are_twice(some: u8, others: u8) -> bool {
    const TWICE: u8 = 1 << RESULT;
    some & others == TWICE && some != TWICE && others != TWICE
}

/// How alike the most alike of both are.
fn likeness(some: &[Rc<Sketch<'_>>], others: &[Rc<Sketch<'_>>]) -> u32 {
    some.iter().flat_map(|one| others.iter().map(|other| one.likeness(other))).max().unwrap_or_default()
}

/// Which trees have something.
pub(super) fn mask<T>(row: &Row<T>) -> u8 {
    row.iter().zip(0..).fold(0, |mask, (thing, tree)| mask | u8::from(thing.is_some()) << tree)
}
