//! What base, ours, theirs and a result say: facts, each with how often it holds in which of them.
//!
//! A fact is about one place, which has one number in all four trees (see [`rows`](super::rows)): that it is there, its name, its
//! kind or value, a line of its text, how often a list has a scalar. Comments are facts by what they say and by what they stand at;
//! neighbours in a list, by who comes first. Ignores layout, the order of fields, and whatever has the same bytes wherever it is.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Kind, Node, Stream};

use super::converted::Converted;
use super::margin::{Comment, Inside, Margin, NewEntry, Owner, Start, shared};
use super::moved::{HeldBySides, Twice, Uneven};
use super::names::Names;
use super::orders::Orders;
use super::replaced::{self, Half};
use super::rows::{BASE, OURS, RESULT, Row, SIDES, THEIRS, TREES, Thing, mask, other, rows};
use super::runs::things_of;
use super::tally::{self, Counted, Tally};
use super::text::{Text, are_one, is_text};
use crate::equal::{same_key, same_scalars};
use crate::order::Weight;
use crate::resource::Resource;
use crate::schema::{Cursor, ListKind, Schema};

/// How often something holds in base, ours, theirs and the result.
pub(super) type Counts = [u32; TREES];

/// What is behind everything.
pub(super) const END: u32 = u32::MAX;

/// The place is a scalar in a list.
const SCALAR_ITEM: u8 = 1 << TREES;
/// A document that starts with an entry, at which comments above stand.
pub(super) const DOCUMENT: u8 = SCALAR_ITEM << 1;

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// A field, element or document is there.
    There,
    /// It has this name.
    Name,
    /// It is a scalar of this value, or a collection of this kind.
    Value,
    /// Its text has this line.
    Line,
    /// A list has this scalar. Whether what both sides added may be two.
    Scalar { may_be_two: bool },
}

/// A fact that does not hold everywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    pub(super) about: About,
    pub(super) counts: Counts,
    /// Where it holds, in each tree.
    pub(super) at: Row<u32>,
}

/// Everything that four trees do not agree on. What is lost, and comments, are only read when somebody asks.
#[derive(Debug, Default)]
pub(super) struct Facts<'t> {
    unread: Option<Unread<'t>>,

    pub(super) values: Vec<Fact>,
    pub(super) orders: Orders,
    /// Where the result has only a part of a replacement.
    pub(super) halves: Vec<Half>,
    /// Where base and sides have what all of them have, and the result has nowhere.
    pub(super) lost: Vec<Row<u32>>,
    /// Where the result has what all of them have once, and it has twice.
    pub(super) twice: Vec<Twice>,
    /// The comments by what they say, blanks aside.
    pub(super) comments: HashMap<u64, [Vec<Comment>; TREES]>,
    /// What one side alone added.
    pub(super) new_entries: Vec<NewEntry>,
    /// The blocks of comments with a line that the base has not.
    new_blocks: HashSet<u64>,
    /// What has comments in the base that stand behind the same thing in ours, and in theirs.
    kept: [HashSet<Owner>; 2],
    /// Which trees have each place, and whether it is a [`SCALAR_ITEM`] or a [`DOCUMENT`].
    places: Vec<u8>,
    /// What the base has directly above each of its places.
    above_in_base: HashMap<u32, u32>,
    /// What ours, and theirs, alone have, and the result has not: how it is called as a comment.
    left_out: [HashSet<u64>; 2],
    /// What ours, and theirs, removed, by what it is called as a comment; whether the other side has it all, and the result any of it.
    removed: [HashMap<u64, [bool; 2]>; 2],
    /// For each place of a tree, the first from there on that another tree has, too.
    below: [[Vec<u32>; TREES]; TREES],
    /// The same, the last up to there.
    above: [[Vec<u32>; TREES]; TREES],
}

/// What is left to read when values and orders are known.
#[derive(Debug)]
struct Unread<'t> {
    trees: [&'t Stream<'t>; TREES],
    held: &'t HeldBySides,
    /// What is lost or there twice is among these.
    uneven: Option<Uneven<'t>>,
    /// What comments stand at.
    margins: Option<[Margin; TREES]>,
}

impl<'t> Facts<'t> {
    /// Reads base, ours, theirs and a result; `held` is theirs.
    pub(super) fn of(trees: [&'t Stream<'t>; TREES], schema: &'t Schema, held: &'t HeldBySides) -> Self {
        let (facts, uneven, converted) = (Self::default(), Uneven::default(), Converted::default());
        let mut reader = Reader { schema, facts, uneven, converted, margins: Default::default(), open: Vec::new() };
        reader.read(trees);
        let Reader { mut facts, margins, uneven, converted, .. } = reader;
        converted.complete(&mut facts.values);
        facts.unread = Some(Unread { trees, held, uneven: Some(uneven), margins: Some(margins) });
        facts
    }

    /// Reads what the result lacks or has twice.
    pub(super) fn read_uneven(&mut self) {
        if let Some(Unread { trees, held, uneven, .. }) = &mut self.unread
            && let Some(uneven) = uneven.take()
        {
            self.lost = uneven.lost(trees[BASE], held);
            self.twice = uneven.twice(trees, held);
        }
    }

    /// Reads the comments of all trees.
    pub(super) fn read_comments(&mut self) {
        if let Some(Unread { trees, margins, .. }) = &mut self.unread
            && let (trees, Some(margins)) = (*trees, margins.take())
        {
            self.add_comments(trees, &margins.map(Margin::in_order));
        }
    }

    fn add_comments(&mut self, trees: [&Stream<'_>; TREES], margins: &[Margin; TREES]) {
        for ((tree, stream), margin) in trees.into_iter().enumerate().zip(margins) {
            let Self { comments, places, .. } = self;
            margin.comments(stream, places, |said, comment| comments.entry(said).or_default()[tree].push(comment));
        }
        if self.comments.is_empty() {
            return;
        }
        for ((tree, stream), margin) in trees.into_iter().enumerate().zip(margins) {
            self.add_neighbours(tree, stream, margin);
        }
        let new = self.comments.values().filter(|said| said[BASE].is_empty()).flatten().flatten();
        self.new_blocks = new.map(|comment| comment.block).collect();
        self.kept = SIDES.map(|side| self.kept(side));
    }

    /// Adds what the places of a tree stand beside: only for comments, that matters.
    fn add_neighbours(&mut self, tree: usize, stream: &Stream<'_>, margin: &Margin) {
        let (places, starts) = (&self.places, &margin.starts);
        self.below[tree] = std::array::from_fn(|other| shared(starts.iter().rev(), places, other));
        self.below[tree].iter_mut().for_each(|shared| shared.reverse());
        self.above[tree] = std::array::from_fn(|other| shared(starts.iter(), places, other));
        if tree == BASE {
            self.above_in_base = starts.windows(2).map(|two| (two[1].place, two[0].place)).collect();
            self.removed = SIDES.map(|side| margin.removed(stream, side, self));
        }
        if SIDES.contains(&tree) {
            self.new_entries.extend(margin.new_entries(stream, tree, self));
            self.left_out[tree - OURS] = margin.left_out(stream, tree, self);
        }
    }

    /// What has comments in the base that a side has behind the same thing.
    fn kept(&self, side: usize) -> HashSet<Owner> {
        let kept = self.comments.values().flat_map(|said| {
            let own: HashSet<u32> = said[side].iter().map(|comment| self.behind_in(comment, side, BASE)).collect();
            let is_kept = move |comment: &&Comment| own.contains(&self.behind_in(comment, BASE, side));
            said[BASE].iter().filter(|comment| !comment.is_set_off).filter(is_kept)
        });
        kept.map(|comment| comment.owner).collect()
    }

    /// Whether the block of a comment has a line that the base has not.
    pub(super) fn is_in_new_block(&self, comment: &Comment) -> bool {
        self.new_blocks.contains(&comment.block)
    }

    /// What a comment of a tree stands at, what another tree has not left out.
    pub(super) fn owner_in(&self, comment: &Comment, tree: usize, other: usize) -> Owner {
        match comment.owner {
            Owner::In(_) => comment.owner,
            Owner::Above(_) => Owner::Above(self.below_in(comment.next, tree, other)),
        }
    }

    /// Whether the result has a place that a side has, and no other tree.
    pub(super) fn is_new_in(&self, place: u32, side: usize) -> bool {
        self.places[place as usize] & !SCALAR_ITEM == 1 << side | 1 << RESULT
    }

    /// The first place from the start of a tree's place on that another tree has, too.
    pub(super) fn below_in(&self, start: usize, tree: usize, other: usize) -> u32 {
        self.below[tree][other].get(start).copied().unwrap_or(END)
    }

    /// What a comment of a tree stands behind, what another tree has not left out.
    pub(super) fn behind_in(&self, comment: &Comment, tree: usize, other: usize) -> u32 {
        let last = comment.before.checked_sub(1);
        last.and_then(|last| self.above[tree][other].get(last)).copied().unwrap_or(END)
    }

    /// Whether a tree has what a comment of another one stands at.
    pub(super) fn has_place(&self, comment: &Comment, tree: usize) -> bool {
        let (Owner::In(place) | Owner::Above(place)) = comment.owner;
        self.places.get(place as usize).is_none_or(|trees| trees & 1 << tree != 0)
    }

    /// Whether a comment of a side stands at something of the base that the other side removed, and the result has not either.
    /// A scalar in a list may as well have been replaced by the one beside it. A comment that is new may stand in the place of what
    /// the base has above. Where the other side kept the comments, as it does if it renames a field, a new one belongs to these.
    pub(super) fn went_with_its_place(&self, comment: &Comment, side: usize, is_new: bool) -> bool {
        let (Owner::In(place) | Owner::Above(place)) = comment.owner;
        let in_base_and_side = 1 << BASE | 1 << side;
        self.places.get(place as usize).is_some_and(|trees| trees & !DOCUMENT == in_base_and_side)
            && !(is_new && matches!(comment.owner, Owner::Above(_)) && self.is_of_removed(comment, place, side))
            && !(is_new && (comment.is_set_off || self.kept[other(side) - OURS].contains(&comment.owner)))
    }

    /// Whether a comment of a side says what it removed, or stands where that was: below it is what the base has there.
    fn is_of_removed(&self, comment: &Comment, place: u32, side: usize) -> bool {
        self.was_entry(comment, side).is_some()
            || self.above_in_base.get(&place).is_some_and(|above| !self.is_at(*above, side))
    }

    /// If a comment of a side is called as something that this side removed: whether the other side has all that is called so, and the
    /// result any of it.
    pub(super) fn was_entry(&self, comment: &Comment, side: usize) -> Option<[bool; 2]> {
        self.removed[side - OURS].get(&comment.name?).copied()
    }

    /// Whether a comment is called as an entry that a side alone has, and the result has not.
    pub(super) fn is_left_out(&self, comment: &Comment, side: usize) -> bool {
        comment.name.is_some_and(|name| self.left_out[side - OURS].contains(&name))
    }

    /// Whether no tree has a place but this one.
    pub(super) fn is_only_in(&self, place: u32, tree: usize) -> bool {
        self.places[place as usize] & !(SCALAR_ITEM | DOCUMENT) == 1 << tree
    }

    /// Whether a tree has a place.
    pub(super) fn is_at(&self, place: u32, tree: usize) -> bool {
        self.places[place as usize] & 1 << tree != 0
    }
}

/// Nodes of one place.
struct Visit<'t> {
    nodes: Row<Node<'t>>,
    cursor: Cursor<'t>,
    /// Of a list of resources: the list, and its items.
    list: Option<Resource>,
}

struct Reader<'t> {
    schema: &'t Schema,
    facts: Facts<'t>,
    uneven: Uneven<'t>,
    converted: Converted<'t>,
    margins: [Margin; TREES],
    open: Vec<Visit<'t>>,
}

impl<'t> Reader<'t> {
    fn read(&mut self, trees: [&'t Stream<'t>; TREES]) {
        let documents = trees.map(|tree| tree.documents().filter_map(Thing::of_document).collect::<Vec<_>>());
        // A file that is new has no version of what both sides brought.
        let documents = documents.map(|found| (!found.is_empty()).then_some(found));
        for row in self.rows(&documents, Names::Resources, None) {
            let Some(known) = row.iter().flatten().next() else { continue };
            // Of most documents, nobody asks what is inside.
            let inside = Inside::of(&row);
            let resource = if inside == Inside::Open { Resource::of_node(known.value) } else { None };
            let cursor = match &resource {
                Some(found) => self.schema.resource(&found.id.group, &found.version, &found.id.kind),
                None => self.schema.untyped(),
            };
            self.there(&row);
            let place = self.facts.places.len();
            self.enter(row, cursor, resource, inside);
            let has_entries = |thing: &Thing<'_>| thing.value.entries().next().is_some();
            if inside == Inside::Open && row.iter().flatten().all(has_entries) {
                self.facts.places[place] |= DOCUMENT;
            }
        }
        while let Some(visit) = self.open.pop() {
            self.visit(&visit);
        }
    }

    /// The rows of the things of one collection; documents are in none.
    fn rows(
        &mut self,
        things: &Row<Vec<Thing<'t>>>,
        names: Names<'t>,
        of: Option<&Row<Node<'t>>>,
    ) -> Vec<Row<Thing<'t>>> {
        let rows = rows(things, names);
        self.converted.read(&rows);
        // What is inside of something that a side removed whole is a part of that.
        if of.is_none_or(|nodes| nodes.iter().all(Option::is_some)) {
            self.facts.halves.extend(rows.iter().filter_map(replaced::mixed));
        }
        rows
    }

    /// Something with counterparts; only what is open has facts of its own inside.
    fn enter(&mut self, row: Row<Thing<'t>>, cursor: Cursor<'t>, list: Option<Resource>, inside: Inside) {
        let place = self.facts.places.len() as u32;
        self.facts.places.push(mask(&row));
        self.uneven.read(&row, inside);
        let is_whole = row.iter().all(Option::is_some);
        for (thing, margin) in row.iter().zip(&mut self.margins) {
            let Some(thing) = thing else { continue };
            let unread = inside.unread(thing);
            let closed = unread.unwrap_or_default().end;
            margin.starts.push(Start { at: thing.start, place, closed, flow_end: thing.flow_end });
            if is_whole {
                margin.skipped.extend(unread);
            }
        }
        if inside == Inside::Open {
            self.open.push(Visit { nodes: row.map(|thing| Some(thing?.value)), cursor, list });
        }
    }

    fn visit(&mut self, visit: &Visit<'t>) {
        self.value(&visit.nodes);
        self.converted.read_values(&visit.nodes);
        self.fields(visit);
        self.elements(visit);
    }

    /// Kinds, tags and values of scalars.
    fn value(&mut self, nodes: &Row<Node<'t>>) {
        let known = || nodes.iter().flatten().copied();
        if known().all(|node| node.kind().is_scalar()) && known().any(is_text) {
            let texts = nodes.map(|node| node.map(Text::of));
            return if are_one(&texts) { self.classes(About::Value, nodes, |_, _| true) } else { self.lines(&texts) };
        }
        self.classes(About::Value, nodes, same);
        self.emptied(nodes);
    }

    /// A collection in which each side left something, and the result nothing: no side has an empty one.
    fn emptied(&mut self, nodes: &Row<Node<'t>>) {
        let is_empty = |tree: usize| nodes[tree].map(|node| node.entries().next().is_none());
        if is_empty(RESULT) == Some(true) && [BASE, OURS, THEIRS].into_iter().all(|tree| is_empty(tree) == Some(false))
        {
            let at = nodes.map(|node| Some(node?.span().start));
            self.fact(Fact { about: About::Value, counts: [0, 0, 0, 1], at });
        }
    }

    /// One fact for each of the values that a place has.
    fn classes(&mut self, about: About, nodes: &Row<Node<'t>>, same: fn(Node<'_>, Node<'_>) -> bool) {
        let mut open = *nodes;
        while let Some(first) = open.iter().flatten().next().copied() {
            let (mut counts, mut at) = (Counts::default(), Row::default());
            for tree in 0..TREES {
                if open[tree].is_some_and(|node| same(first, node)) {
                    at[tree] = open[tree].take().map(|node| node.span().start);
                    counts[tree] = 1;
                }
            }
            self.fact(Fact { about, counts, at });
        }
    }

    /// Texts line by line.
    fn lines(&mut self, texts: &Row<Text<'t>>) {
        let mut tally = Tally::default();
        for (tree, text) in texts.iter().enumerate() {
            let Some(text) = text else { continue };
            // Text that is folded elsewhere says the same.
            let alike = texts.iter().flatten().find(|other| other.is_same(text)).unwrap_or(text);
            alike.lines().into_iter().for_each(|line| tally.count(line, tree, text.node.span().start));
        }
        let lines = tally.counted.into_iter();
        lines.for_each(|Counted { counts, at, .. }| self.fact(Fact { about: About::Line, counts, at }));
    }

    fn fields(&mut self, visit: &Visit<'t>) {
        let Some(things) = things(&visit.nodes, Kind::Mapping) else { return };
        let items = match &visit.list {
            Some(_) => visit.nodes.map(|node| node.and_then(Resource::listed)),
            None => Row::default(),
        };
        let mapping = visit.nodes[BASE].filter(|base| base.kind() == Kind::Mapping);
        for row in self.rows(&things, Names::Fields(mapping), Some(&visit.nodes)) {
            let Some(known) = row.iter().flatten().next() else { continue };
            let name = known.key.map(Node::value).unwrap_or_default();
            let is_list = row
                .iter()
                .zip(&items)
                .any(|(thing, items)| thing.zip(*items).is_some_and(|(thing, items)| thing.value.id() == items.id()));
            self.there(&row);
            self.classes(About::Name, &row.map(|thing| thing?.key), same_key);
            let list = if is_list { visit.list.clone() } else { None };
            self.enter(row, visit.cursor.field(&name), list, Inside::of(&row));
        }
    }

    fn elements(&mut self, visit: &Visit<'t>) {
        let Some(things) = things(&visit.nodes, Kind::Sequence) else { return };
        let rule = visit.cursor.list();
        let names = if visit.list.is_some() { Names::Resources } else { Names::Elements(rule, visit.nodes) };
        let rows = self.rows(&things, names, Some(&visit.nodes));
        let (is_set, takes_turns) = (rule.kind == ListKind::Set, visit.cursor.takes_turns());
        let weight = match takes_turns {
            true if !is_set => Weight::Turns,
            false if is_set || visit.list.is_some() => Weight::Free,
            _ => Weight::Counts,
        };
        self.facts.orders.read(&rows, weight);
        replaced::read(&rows, &things, names, &mut self.facts.halves);
        let may_repeat = !matches!(rule.kind, ListKind::Set | ListKind::Keyed(_));
        let is_counted = |row: &Row<Thing<'_>>| may_repeat && is_counted_scalar(row);
        tally::scalars(rows.iter().filter(|row| is_counted(row)), takes_turns).for_each(|fact| self.fact(fact));
        for row in rows {
            if !is_counted(&row) {
                self.there(&row);
            }
            self.element(visit, row);
        }
    }

    /// Enters an element.
    fn element(&mut self, visit: &Visit<'t>, row: Row<Thing<'t>>) {
        let item = row.iter().flatten().next();
        let resource = if visit.list.is_some() { item.and_then(|item| Resource::of_node(item.value)) } else { None };
        let cursor = match &resource {
            Some(found) => visit.cursor.resource(&found.id.group, &found.version, &found.id.kind),
            None => visit.cursor.item(),
        };
        let place = self.facts.places.len();
        self.enter(row, cursor, None, Inside::of(&row));
        if row.iter().flatten().all(|thing| thing.value.kind().is_scalar()) {
            self.facts.places[place] |= SCALAR_ITEM;
        }
    }

    fn there(&mut self, row: &Row<Thing<'_>>) {
        let counts = row.map(|thing| u32::from(thing.is_some()));
        self.fact(Fact { about: About::There, counts, at: row.map(|thing| Some(thing?.start)) });
    }

    fn fact(&mut self, fact: Fact) {
        if fact.counts.iter().any(|count| *count != fact.counts[0]) {
            self.facts.values.push(fact);
        }
    }
}

/// Whether all that there is in a row is a scalar, of which only the number counts. A text that all trees have is merged line by
/// line, as in a field.
fn is_counted_scalar(row: &Row<Thing<'_>>) -> bool {
    let mut values = row.iter().flatten().map(|thing| thing.value);
    let is_text = row.iter().all(Option::is_some) && values.clone().any(is_text);
    !is_text && values.all(|value| value.kind().is_scalar())
}

/// The entries of the nodes of a kind, if there are any.
fn things<'t>(nodes: &Row<Node<'t>>, kind: Kind) -> Option<Row<Vec<Thing<'t>>>> {
    let wanted = nodes.map(|node| node.filter(|node| node.kind() == kind));
    wanted.iter().any(Option::is_some).then(|| things_of(&wanted.map(|node| Some(node?.entries().collect()))))
}

/// Whether two nodes are the same, but for what collections hold.
fn same(a: Node<'_>, b: Node<'_>) -> bool {
    match (a.kind().is_scalar(), b.kind().is_scalar()) {
        (true, true) => a.kind() == b.kind() && a.text() == b.text() && a.tag() == b.tag() || same_scalars(a, b),
        (false, false) => a.kind() == b.kind() && a.tag() == b.tag() && a.alias() == b.alias(),
        _ => false,
    }
}
