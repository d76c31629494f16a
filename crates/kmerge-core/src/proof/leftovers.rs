//! What is the same thing among those that do not stand alike at the start or at the end.
//!
//! Known are, in this order: the same name (a key, the identity that the schema gives, a resource), the same text, as many leftovers
//! in every tree, a title, likeness (of fields, more than to any that every tree has; of too many, of such as share a part that hardly
//! another has). Of two things of the result that are one thing of the sides, one is in a row of its own. Ignores order otherwise.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, Node, NodeId};

use super::names::{Name, Names, named};
use super::rows::{BASE, OURS, RESULT, Row, THEIRS, TREES, Thing, mask};
use super::text::is_text;
use crate::correspond::{HALF, LEAST_RENAMED, MOST_PAIRS, NEARLY_ALL, Sketch, id, share_of_ends, title, titles};
use crate::equal::same_text;
use crate::resource::item_resource;

/// Two rows by how alike they are, how far apart, and in how many trees: what comes first is one first.
type Alike = (Reverse<u32>, usize, Reverse<u32>, usize, usize);

/// What the things of rows hold, by row.
type Sketches<'t> = HashMap<usize, Vec<Rc<Sketch<'t>>>>;

/// Whether rows may be one, by the trees that have them.
type MayBeOne = fn(u8, u8) -> bool;

/// The rows that some trees have, and the others not.
struct Left {
    mask: u8,
    rows: Vec<usize>,
}

impl Left {
    fn each_with_each([some, others]: [&Self; 2]) -> impl Iterator<Item = [usize; 2]> {
        some.rows.iter().flat_map(|a| others.rows.iter().map(|b| [*a, *b]))
    }
}

/// The things that do not stand alike at the start or at the end.
pub(super) struct Leftovers<'t> {
    present: u8,
    names: Names<'t>,
    rows: Vec<Row<Thing<'t>>>,
    /// At which place each stands in the base, else on a side, else in the result. Of both sides, it is the first place.
    places: Vec<usize>,
    /// Whether what is in a row has a name.
    is_named: Vec<bool>,
    /// Which row each is in.
    part_of: Vec<usize>,
    /// The rows that every tree has without a look at what is alike: between these, things have places.
    anchors: Vec<usize>,
    /// How often the sides have each title; counted when first asked for.
    titles: OnceCell<HashMap<u64, usize>>,
    /// What the values of trees hold, each read when it is first compared.
    sketched: RefCell<HashMap<(usize, NodeId), Rc<Sketch<'t>>>>,
}

impl<'t> Leftovers<'t> {
    pub(super) fn new(things: &Row<&[Thing<'t>]>, names: Names<'t>) -> Self {
        let (rows, places, is_named, part_of, anchors) = Default::default();
        let (present, titles, sketched) = (mask(things), OnceCell::new(), RefCell::default());
        let mut left = Self { present, names, rows, places, is_named, part_of, anchors, titles, sketched };
        let mut known = HashMap::new();
        for (tree, (things, names)) in things.iter().zip(named(things, names)).enumerate() {
            left.add_tree(tree, things.unwrap_or_default(), &names, &mut known);
        }
        left.anchors = (0..left.rows.len()).filter(|row| mask(&left.rows[*row]) == present).collect();
        left
    }

    /// Puts the things of a tree into the rows of those with their names: the first to the first. Of fields with one key, it is the
    /// last to the last, as the last one is what is read.
    fn add_tree(&mut self, tree: usize, things: &[Thing<'t>], names: &[Name], known: &mut HashMap<(u64, u32), usize>) {
        let is_of_fields = matches!(self.names, Names::Fields(_));
        let mut seen: HashMap<u64, u32> = HashMap::new();
        for at in 0..things.len() {
            let place = if is_of_fields { things.len() - 1 - at } else { at };
            let name = names[place];
            let repeats = known.get(&(name.hash, 0)).is_some_and(|first| self.rows[*first][tree].is_some());
            let nth = if repeats { *seen.entry(name.hash).and_modify(|nth| *nth += 1).or_insert(1) } else { 0 };
            let row = *known.entry((name.hash, nth)).or_insert_with(|| self.add_row(name, place));
            self.put(things[place], [row, tree, place]);
        }
    }

    /// Puts what stands at a place of a tree into a row.
    fn put(&mut self, thing: Thing<'t>, [row, tree, place]: [usize; 3]) {
        if self.rows[row][BASE].is_none() && tree != RESULT {
            self.places[row] = self.places[row].min(place);
        }
        self.rows[row][tree] = Some(thing);
    }

    /// Adds a row for what has this name, and stands at this place first.
    fn add_row(&mut self, name: Name, place: usize) -> usize {
        let row = self.rows.len();
        self.rows.push(Row::default());
        self.places.push(place);
        self.is_named.push(name.is_known);
        self.part_of.push(row);
        row
    }

    pub(super) fn rows(mut self) -> Vec<Row<Thing<'t>>> {
        self.unite_only();
        // Mostly little has changed, and the texts say so without a title or a sketch.
        self.unite_by_place(HALF);
        self.unite_by_title();
        self.unite_alike(are_apart);
        self.unite_alike(are_twice);
        self.unite_by_place(0);
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

    /// Those that have no name.
    fn left_without_name(&self) -> Vec<usize> {
        let mut left = self.left();
        left.retain(|row| !self.is_named[*row]);
        left
    }

    /// How many of some rows each tree has.
    fn counts(&self, rows: &[usize]) -> [usize; TREES] {
        std::array::from_fn(|tree| rows.iter().filter(|row| self.rows[**row][tree].is_some()).count())
    }

    fn is_present(&self, tree: usize) -> bool {
        self.present & 1 << tree != 0
    }

    /// The resource that is left over alone in every tree is one, as far as each version is one of another.
    fn unite_only(&mut self) {
        if !matches!(self.names, Names::Resources) {
            return;
        }
        let left = self.left();
        if self.counts(&left) == std::array::from_fn(|tree| usize::from(self.is_present(tree))) {
            pairs_of(&left).for_each(|[a, b]| self.unite(*a, *b, are_apart));
        }
    }

    /// Whether one resource was replaced by the other: no version of the one is a version of the other, or the two sides have
    /// nothing in common.
    fn are_replaced(&self, rows: [usize; 2]) -> bool {
        let [versions, others] = rows.map(|row| self.versions(row));
        let pairs = || versions.iter().flat_map(|one| others.iter().map(move |other| [*one, *other]));
        let are_of_sides = |pair: &[(usize, Node<'t>); 2]| pair.iter().all(|(tree, _)| matches!(*tree, OURS | THEIRS));
        pairs().all(|pair| self.in_common(pair).is_some_and(|count| count < 2))
            || pairs().filter(are_of_sides).any(|pair| self.in_common(pair) == Some(0))
    }

    /// The versions that base and sides have of a row; that of the result, where only it has one.
    fn versions(&self, row: usize) -> Vec<(usize, Node<'t>)> {
        let in_trees = |trees: std::ops::Range<usize>| -> Vec<(usize, Node<'t>)> {
            trees.filter_map(|tree| Some((tree, self.rows[row][tree]?.value))).collect()
        };
        let versions = in_trees(0..RESULT);
        if versions.is_empty() { in_trees(RESULT..TREES) } else { versions }
    }

    /// How many of name and body two resources of different kinds have in common; `None` for those of one kind.
    fn in_common(&self, [one, other]: [(usize, Node<'t>); 2]) -> Option<usize> {
        let [id, other_id] = [one, other].map(|(_, value)| item_resource(value).id);
        let differ = |a: &str, b: &str| !a.is_empty() && !b.is_empty() && a != b;
        let likeness = || self.sketch(one.0, one.1).likeness(&self.sketch(other.0, other.1));
        let count = || usize::from(!differ(&id.name, &other_id.name)) + usize::from(likeness() >= HALF);
        differ(&id.kind, &other_id.kind).then(count)
    }

    /// What has no name but a title that nothing else of its tree has is what has this title elsewhere. However alike
    /// another one is: a line merge may have put the lines of one into it.
    fn unite_by_title(&mut self) {
        let left = self.left_without_name();
        // Titles take time to read. What is alone in its tree needs none.
        if self.counts(&left).into_iter().all(|count| count <= 1) {
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
        for (title, rows) in titled.into_iter().filter_map(|(title, (_, rows))| Some((title, rows?))) {
            if self.have_title_alone(&rows, title) {
                rows[1..].iter().for_each(|row| self.unite(rows[0], *row, are_apart));
            }
        }
    }

    /// Whether no element has a title that is not in these rows.
    fn have_title_alone(&self, rows: &[usize], title: u64) -> bool {
        let count = |row: &usize| self.rows[*row][..RESULT].iter().flatten().count();
        !matches!(&self.names, Names::Elements(_, lists) if self.times(lists, title) != rows.iter().map(count).sum())
    }

    /// Where every tree has as many elements without a name left over, those at one place are the same: only such as share `least`
    /// percent of their texts at both ends, or all.
    fn unite_by_place(&mut self, least: u32) {
        if matches!(self.names, Names::Fields(_)) {
            return;
        }
        let left = self.left_without_name();
        let present = (0..TREES).filter(|tree| self.is_present(*tree));
        let lists: Vec<Vec<(usize, Thing<'_>)>> = present.map(|tree| self.in_tree(tree, &left)).collect();
        let Some((first, others)) = lists.split_first() else { return };
        if others.iter().any(|other| other.len() != first.len()) {
            return;
        }
        let places = others.iter().flat_map(|other| first.iter().zip(other));
        let pairs: Vec<_> =
            places.filter(|(a, b)| a.0 != b.0 && a.1.shares(&b.1, least)).map(|(a, b)| (a.0, b.0)).collect();
        for (a, b) in pairs {
            if self.united(a) != self.united(b) {
                self.rows[b].iter_mut().flatten().for_each(|thing| thing.by_place = true);
            }
            self.unite(a, b, are_apart);
        }
    }

    /// What a tree has of some rows, in its order.
    fn in_tree(&self, tree: usize, rows: &[usize]) -> Vec<(usize, Thing<'t>)> {
        let mut there: Vec<_> = rows.iter().filter_map(|row| Some((*row, self.rows[*row][tree]?))).collect();
        there.sort_by_key(|(_, thing)| thing.start);
        there
    }

    /// Whether two rows that are alike may be one thing. Of what both sides added, and the result has twice, it takes more: it is mostly
    /// alike, in a collection that is new on both sides, or elements have one title, and nothing else has it.
    fn may_be_one(&self, [a, b]: [usize; 2], alike: u32) -> bool {
        let is_new_twice = |row: &Row<Thing<'_>>| row[BASE].is_none() && row[RESULT].is_some();
        if alike < HALF || ![a, b].iter().all(|row| is_new_twice(&self.rows[*row])) {
            return alike >= HALF;
        }
        let title = |row: usize| self.rows[row].iter().flatten().find_map(|thing| title(thing.value));
        match self.names {
            Names::Fields(mapping) => mapping.is_none() && alike >= LEAST_RENAMED,
            Names::Elements(_, [None, ..]) => alike >= LEAST_RENAMED,
            Names::Elements(_, lists) => {
                let have_one =
                    |it: u64| title(b) == Some(it) && self.times(&lists, it) == 2 && self.id(a) == self.id(b);
                !self.is_named[a] && !self.is_named[b] && title(a).is_some_and(have_one)
            }
            Names::Resources => false,
        }
    }

    /// How often the sides have a title in these lists.
    fn times(&self, lists: &Row<Node<'t>>, title: u64) -> usize {
        let count = || titles(lists[..RESULT].iter().flatten().flat_map(|list| list.children()));
        self.titles.get_or_init(count).get(&title).copied().unwrap_or_default()
    }

    /// What the element of a row says to be.
    fn id(&self, row: usize) -> Option<Cow<'t, str>> {
        self.rows[row].iter().flatten().find_map(|thing| id(thing.value))
    }

    /// Unites what is most alike first, and of that what is nearest.
    fn unite_alike(&mut self, may_be_one: MayBeOne) {
        let groups = self.left_by_mask();
        let apart: Vec<[&Left; 2]> = pairs_of(&groups).filter(|[a, b]| may_be_one(a.mask, b.mask)).collect();
        let counts = apart.iter().map(|[a, b]| a.rows.len().saturating_mul(b.rows.len()));
        if counts.fold(0, usize::saturating_add) > MOST_PAIRS {
            return self.unite_clear(&groups, may_be_one);
        }
        let sketches = self.sketches_of(apart.iter().flatten().copied());
        let mut pairs = self.alike(apart.into_iter().flat_map(Left::each_with_each), &sketches, may_be_one);
        self.drop_common(&mut pairs);
        self.unite_most_alike(pairs, may_be_one);
    }

    /// Of too many to compare each with each: unites those that stand in one order in all trees, or have a part that hardly anything
    /// else has.
    fn unite_clear(&mut self, groups: &[Left], may_be_one: MayBeOne) {
        let text = |row: usize| self.rows[row].iter().flatten().next().map_or("", |thing| thing.value.text());
        let is_clear = |a, b| share_of_ends(text(a), text(b)) >= NEARLY_ALL;
        let pairs = in_order(groups, is_clear).unwrap_or_else(|| {
            let sketches = self.sketches_of(groups);
            let alike = self.alike(with_rare_parts(&sketches), &sketches, may_be_one);
            self.unite_most_alike(alike, may_be_one);
            let is_alike = |a, b| likeness(&self.sketches(a), &self.sketches(b)) >= HALF;
            in_order(&self.left_by_mask(), is_alike).unwrap_or_default()
        });
        pairs.into_iter().for_each(|[a, b]| self.unite(a, b, are_apart));
    }

    /// Drops fields that no more are others under a new name than they are fields that every tree has. (An element has a place, too.)
    fn drop_common(&self, pairs: &mut Vec<Alike>) {
        let Names::Fields(Some(mapping)) = self.names else { return };
        let stays = OnceCell::new();
        let mut most: HashMap<usize, u32> = HashMap::new();
        pairs.retain(|(alike, _, _, a, b)| {
            let new = match [a, b].map(|row| self.rows[*row][BASE].is_some()) {
                _ if !self.is_named[*a] || !self.is_named[*b] => return true,
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
        kept.filter(|value| value.kind().is_collection()).map(|value| self.sketch(BASE, value)).collect()
    }

    /// How alike some pairs are, of those that may be one.
    fn alike(
        &self,
        pairs: impl IntoIterator<Item = [usize; 2]>,
        sketches: &Sketches<'t>,
        may_be_one: MayBeOne,
    ) -> Vec<Alike> {
        let mut found = Vec::new();
        for [a, b] in pairs {
            let alike = likeness(&sketches[&a], &sketches[&b]);
            if may_be_one(mask(&self.rows[a]), mask(&self.rows[b])) && self.may_be_one([a, b], alike) {
                let apart = self.places[a].abs_diff(self.places[b]);
                let trees = mask(&self.rows[a]) | mask(&self.rows[b]);
                found.push((Reverse(alike), apart, Reverse(trees.count_ones()), a.min(b), a.max(b)));
            }
        }
        found
    }

    fn unite_most_alike(&mut self, mut pairs: Vec<Alike>, may_be_one: MayBeOne) {
        pairs.sort_unstable();
        for (.., a, b) in pairs {
            if !self.is_another([a, b].map(|row| self.united(row))) {
                self.unite(a, b, may_be_one);
            }
        }
    }

    /// Whether an element of the base was removed and another one, which is like it, was added elsewhere: a side changed that of the
    /// base, and only the title or the place could say that its change belongs into the other one.
    fn is_another(&self, rows: [usize; 2]) -> bool {
        let [old, new] = match rows.map(|row| self.rows[row][BASE].is_some()) {
            [true, false] => rows,
            [false, true] => [rows[1], rows[0]],
            _ => return false,
        };
        let title = |row: usize| self.rows[row].iter().flatten().find_map(|thing| title(thing.value));
        let have_one_title = || title(old).is_some_and(|it| title(new) == Some(it));
        matches!(self.names, Names::Elements(..))
            && self.is_changed(old)
            && !have_one_title()
            && !self.stands_in_place(new, old)
    }

    /// Whether a side changed what the base has in a row.
    fn is_changed(&self, row: usize) -> bool {
        let digest = |tree: usize| self.rows[row][tree].map(|thing| thing.value.digest());
        [OURS, THEIRS].into_iter().any(|side| digest(side).is_some_and(|own| digest(BASE) != Some(own)))
    }

    /// Whether a tree has one row where the base has the other.
    fn stands_in_place(&self, new: usize, old: usize) -> bool {
        let place = self.before(old, BASE);
        (OURS..TREES).any(|tree| self.rows[new][tree].is_some() && self.before(new, tree) == place)
    }

    /// The last anchor before a row in a tree.
    fn before(&self, row: usize, tree: usize) -> Option<usize> {
        let start = |row: usize| self.rows[row][tree].map(|thing| thing.start);
        self.anchors.iter().copied().filter(|anchor| start(*anchor) < start(row)).max_by_key(|anchor| start(*anchor))
    }

    /// What is left over, by the trees that have it, in the order of the first of these.
    fn left_by_mask(&self) -> Vec<Left> {
        let mut groups: Vec<Left> = Vec::new();
        for row in self.left() {
            let mask = mask(&self.rows[row]);
            match groups.iter_mut().find(|left| left.mask == mask) {
                Some(left) => left.rows.push(row),
                None => groups.push(Left { mask, rows: vec![row] }),
            }
        }
        let start = |row: &usize| self.rows[*row].iter().flatten().map(|thing| thing.start).next();
        groups.iter_mut().for_each(|left| left.rows.sort_by_key(start));
        groups
    }

    fn sketches_of<'l>(&self, groups: impl IntoIterator<Item = &'l Left>) -> Sketches<'t> {
        let mut sketches = Sketches::new();
        for row in groups.into_iter().flat_map(|left| &left.rows) {
            sketches.entry(*row).or_insert_with(|| self.sketches(*row));
        }
        sketches
    }

    /// What the things of a row hold; the same text is read once.
    fn sketches(&self, row: usize) -> Vec<Rc<Sketch<'t>>> {
        let things = self.rows[row].iter().enumerate();
        let nodes: Vec<_> = things.filter_map(|(tree, thing)| Some((tree, (*thing)?.value))).collect();
        let is_new = |at: &usize| nodes[..*at].iter().all(|(_, known)| !same_text(*known, nodes[*at].1));
        (0..nodes.len()).filter(is_new).map(|at| self.sketch(nodes[at].0, nodes[at].1)).collect()
    }

    fn sketch(&self, tree: usize, value: Node<'t>) -> Rc<Sketch<'t>> {
        let mut sketched = self.sketched.borrow_mut();
        Rc::clone(sketched.entry((tree, value.id())).or_insert_with(|| Rc::new(Sketch::of(value))))
    }

    /// Makes one row of two, or of those that they have become part of, if the trees that have them allow it.
    fn unite(&mut self, a: usize, b: usize, may_be_one: MayBeOne) {
        let [a, b] = [a, b].map(|row| self.united(row));
        let may_be_one = a != b && may_be_one(mask(&self.rows[a]), mask(&self.rows[b]));
        if may_be_one && !(matches!(self.names, Names::Resources) && self.are_replaced([a, b])) {
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
fn in_order(groups: &[Left], is_alike: impl Fn(usize, usize) -> bool) -> Option<Vec<[usize; 2]>> {
    let [some, others] = groups else { return None };
    let pairs: Vec<[usize; 2]> = some.rows.iter().zip(&others.rows).map(|(a, b)| [*a, *b]).collect();
    (some.rows.len() == others.rows.len() && pairs.iter().all(|[a, b]| is_alike(*a, *b))).then_some(pairs)
}

/// Of too many rows to compare each with each: those that have a part in common which hardly anything else has.
fn with_rare_parts(sketches: &Sketches<'_>) -> HashSet<[usize; 2]> {
    let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
    for (row, sketches) in sketches {
        for part in sketches.iter().flat_map(|sketch| sketch.parts()) {
            let holders = holders.entry(*part).or_default();
            if holders.len() <= TREES && holders.last() != Some(row) {
                holders.push(*row);
            }
        }
    }
    let rare = holders.values().filter(|rows| rows.len() <= TREES);
    rare.flat_map(|rows| pairs_of(rows)).map(|[a, b]| [*a, *b]).collect()
}

/// Each two of some things.
fn pairs_of<T>(things: &[T]) -> impl Iterator<Item = [&T; 2]> + Clone {
    let others = move |(at, one)| things[at + 1..].iter().map(move |other| [one, other]);
    things.iter().enumerate().flat_map(others)
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
