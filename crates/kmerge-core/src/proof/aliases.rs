//! Whether the aliases of a result refer to what they referred to on a side.
//!
//! What stands behind an anchor may change: that is what anchors are for. But where another node takes the name, an alias
//! below it would silently mean that one. Nodes are known by the fields on their way; elements of a list count as one.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Node, NodeId, Span, Stream, line_end};

use super::inputs::Inputs;
use super::path_hash::{PathHash, longer};
use super::rows::{Row, in_result, in_side};
use super::{Place, Unsound};
use crate::check::{Fault, Finding};
use crate::correspond::field_name;
use crate::slots::{Side, Slots};

/// An alias of the result that a side has, too, and that refers to another place than the sides want: that of the side which
/// changed it, or of any where there was a choice.
pub(super) fn unsound(inputs: &Inputs<'_>, result: &Stream<'_>, chosen: Option<Side>) -> Option<Unsound> {
    let Misled { way, .. } = misled(inputs, result, chosen)?;
    let (side, alias) = [Side::Dest, Side::Incoming].into_iter().find_map(|side| {
        let (own, referents) = inputs.referents(side)?;
        Some((side, own.node(referents.targets.get(&way)?.alias)))
    })?;
    let name = alias.alias().unwrap_or_default().to_owned();
    Some(Unsound::Referent { name, alias: Place::of(side, alias.stream(), alias.span().start) })
}

/// Where an alias stands in the result that refers to something else than it should, and what it refers to.
pub(super) fn wrong_places(inputs: &Inputs<'_>, result: &Stream<'_>, chosen: Side) -> Option<Vec<Row<u32>>> {
    misled(inputs, result, Some(chosen)).map(|misled| misled.places.into_iter().map(in_result).collect())
}

/// Where a result has aliases without an anchor that no side has, and where the side that was chosen has the anchors. Empty if there
/// are none.
pub(super) fn unanchored_places(inputs: &Inputs<'_>, result: &Stream<'_>, chosen: Side) -> Vec<Row<u32>> {
    let new: Vec<Node<'_>> = undefined(result).filter(|alias| !inputs.has_undefined(name(*alias))).collect();
    if new.is_empty() {
        return Vec::new();
    }
    let names: HashSet<&str> = new.iter().map(|alias| name(*alias)).collect();
    let anchors = inputs.sides().get(chosen).into_iter().flat_map(|own| values(own));
    let anchors = anchors.filter(|node| node.anchor().is_some_and(|anchor| names.contains(anchor)));
    let places = new.iter().map(|alias| in_result(alias.span().start));
    places.chain(anchors.map(|anchor| in_side(chosen, anchor.full_span().start))).collect()
}

/// The aliases of a stream without an anchor.
pub(super) fn undefined<'t>(stream: &'t Stream<'_>) -> impl Iterator<Item = Node<'t>> {
    stream.references().filter(|(_, target)| target.is_none()).map(|(alias, _)| alias)
}

/// What an alias is called.
pub(super) fn name<'t>(alias: Node<'t>) -> &'t str {
    alias.alias().unwrap_or_default()
}

/// An alias that refers to something else than it should.
struct Misled {
    way: PathHash,
    /// Where it stands in the result, and what it refers to.
    places: Vec<u32>,
}

fn misled(inputs: &Inputs<'_>, result: &Stream<'_>, chosen: Option<Side>) -> Option<Misled> {
    let own = Referents::of(result);
    if own.targets.is_empty() {
        return None;
    }
    let sides = [Side::Base, Side::Dest, Side::Incoming].map(|side| inputs.referents(side));
    let is_wrong = |(alias, targets): &(&PathHash, &Targets)| {
        let [base, ours, theirs] = sides.map(|side| side?.1.targets.get(*alias));
        let base = if chosen.is_none() { base } else { None };
        let versions = Versions { base, sides: [ours, theirs] };
        chosen.is_none() && (versions.contradict() || versions.lose_some(&own, targets)) || !versions.know(targets)
    };
    let (way, targets) = own.targets.iter().filter(is_wrong).min_by_key(|(_, targets)| targets.alias)?;
    let nodes = std::iter::once(&targets.alias).chain(targets.ways.values().flat_map(BTreeMap::values));
    let places = nodes.map(|node| result.node(*node).full_span().start).collect();
    Some(Misled { way: *way, places })
}

/// What an undefined alias of a result comes from: one side uses the anchor, the other has it no longer.
pub(super) fn unanchored(sides: &Slots<Stream<'_>>, faults: &[Finding]) -> Option<Unsound> {
    let undefined = faults.iter().filter(|finding| finding.fault == Fault::UndefinedAlias);
    let names: HashSet<&str> = undefined.map(|finding| finding.name.as_str()).collect();
    if names.is_empty() {
        return None;
    }
    [(Side::Dest, Side::Incoming), (Side::Incoming, Side::Dest)].into_iter().find_map(|(user, gone)| {
        let stream = sides.get(user)?;
        let [known, others] = [user, gone].map(|side| anchors(sides, side));
        let is_gone = |name: &str| names.contains(name) && known.contains(name) && !others.contains(name);
        let (alias, _) = stream.references().find(|(alias, _)| is_gone(name(*alias)))?;
        let place = Place::of(user, stream, alias.span().start);
        Some(Unsound::Unanchored { name: name(alias).to_owned(), alias: place, gone })
    })
}

/// The names of a side's anchors.
fn anchors<'t>(sides: &'t Slots<Stream<'_>>, side: Side) -> HashSet<&'t str> {
    sides.get(side).into_iter().flat_map(|stream| values(stream)).filter_map(Node::anchor).collect()
}

/// What is wrong where a line of a side does not come through in which an alias stands.
pub(super) fn of_alias_at(sides: &Slots<Stream<'_>>, user: Side, at: Option<u32>) -> Option<Unsound> {
    let stream = sides.get(user)?;
    let span = Span::new(at?, line_end(stream.source(), at?));
    let gone = if user == Side::Dest { Side::Incoming } else { Side::Dest };
    let aliases = values(stream).filter(|node| node.alias().is_some() && span.contains(node.span()));
    let alias = aliases.min_by_key(|node| node.id())?;
    let name = alias.alias().unwrap_or_default().to_owned();
    let has_anchor = sides.get(gone).is_some_and(|other| values(other).any(|node| node.anchor() == Some(&name)));
    let alias = Place::of(user, stream, alias.span().start);
    Some(if has_anchor { Unsound::Referent { name, alias } } else { Unsound::Unanchored { name, alias, gone } })
}

/// All values of a stream, in any order. (Nobody refers to keys.)
fn values<'t>(stream: &'t Stream<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut open: Vec<_> = stream.documents().filter_map(kyaml_ast::Document::root).collect();
    std::iter::from_fn(move || {
        let node = open.pop()?;
        open.extend(node.entries().map(kyaml_ast::Entry::value));
        Some(node)
    })
}

/// To what the aliases at one way refer.
#[derive(Debug)]
struct Targets {
    /// The first of them.
    alias: NodeId,
    /// What they refer to, by the ways there and by their values' digests.
    ways: BTreeMap<PathHash, BTreeMap<u64, NodeId>>,
    /// The digests of all of them.
    values: HashSet<u64>,
    /// Whether all of them are scalars.
    are_scalars: bool,
}

/// What an alias refers to: the way there, and the digest of its value.
type Target = (PathHash, u64);

impl Targets {
    /// Those of an alias, of which none is known yet.
    fn of(alias: Node<'_>) -> Self {
        Self { alias: alias.id(), ways: BTreeMap::new(), values: HashSet::new(), are_scalars: true }
    }

    fn each(&self) -> impl Iterator<Item = Target> {
        self.ways.iter().flat_map(|(way, values)| values.keys().map(|digest| (*way, *digest)))
    }

    /// The value of the only scalar.
    fn only_scalar(&self) -> Option<u64> {
        let mut values = self.each().map(|(_, digest)| digest);
        match (values.next(), values.next()) {
            (Some(only), None) if self.are_scalars => Some(only),
            _ => None,
        }
    }

    fn has(&self, (way, digest): Target) -> bool {
        self.ways.get(&way).is_some_and(|values| values.contains_key(&digest))
    }

    /// Whether something at this way, or with this value, is referred to. An equal value may stand elsewhere: whoever renamed it did
    /// not mean the alias.
    fn has_alike(&self, (way, digest): Target) -> bool {
        self.ways.contains_key(&way) || self.values.contains(&digest)
    }

    /// What a merge has to refer to because this side does: what both sides refer to, and what this side refers to anew. At a way
    /// that the base has, too, a value is new if there are more of them.
    fn expected(&self, other: Option<&Targets>, base: Option<&Targets>) -> impl Iterator<Item = Target> {
        self.each().filter(move |target| {
            let Some(was) = base.and_then(|base| base.ways.get(&target.0)) else { return true };
            if was.contains_key(&target.1) {
                return other.is_some_and(|other| other.has(*target));
            }
            self.ways.get(&target.0).is_some_and(|values| values.len() > was.len())
        })
    }
}

/// What the aliases at one way refer to on the sides; and in the base, if both sides are wanted.
struct Versions<'t> {
    base: Option<&'t Targets>,
    sides: [Option<&'t Targets>; 2],
}

impl Versions<'_> {
    /// Whether both sides gave the aliases at this way another value, and not the same: no scalar is what both want. (It may be another
    /// item of one list: then nothing else tells.)
    fn contradict(&self) -> bool {
        let [was, ours, theirs] = [self.base, self.sides[0], self.sides[1]].map(|it| it.and_then(Targets::only_scalar));
        was.is_some() && ours.is_some() && theirs.is_some() && was != ours && was != theirs && ours != theirs
    }

    /// Whether a result has something that a side wants, and its aliases at this way do not refer to it.
    fn lose_some(&self, result: &Referents, targets: &Targets) -> bool {
        let [ours, theirs] = self.sides;
        let expected = |side: Option<&Targets>, other| {
            side.is_some_and(|side| side.expected(other, self.base).any(|target| result.loses(targets, target)))
        };
        expected(ours, theirs) || expected(theirs, ours)
    }

    /// Whether some targets are those of a side: of one that changed them, if there is one.
    fn know(&self, targets: &Targets) -> bool {
        let is_new = |side: &&Targets| self.base.is_none_or(|was| !was.ways.keys().eq(side.ways.keys()));
        let mut sides: Vec<&Targets> = self.sides.into_iter().flatten().collect();
        if sides.iter().any(is_new) {
            sides.retain(is_new);
        }
        sides.is_empty() || targets.each().all(|target| sides.iter().any(|side| side.has_alike(target)))
    }
}

/// The ways to all aliases, and those to what they refer to.
#[derive(Debug)]
pub(super) struct Referents {
    targets: HashMap<PathHash, Targets>,
    /// The digests of all that has an anchor.
    anchored: HashSet<u64>,
}

impl Referents {
    pub(super) fn of(stream: &Stream<'_>) -> Self {
        let mut targets: HashMap<PathHash, Targets> = HashMap::new();
        let references: Vec<(Node<'_>, Node<'_>)> =
            stream.references().filter_map(|(alias, target)| Some((alias, target?))).collect();
        if references.is_empty() {
            return Self { targets, anchored: HashSet::new() };
        }
        let ways =
            ways(stream, references.iter().flat_map(|(alias, target)| [alias.span().start, target.span().start]));
        for (alias, target) in references {
            if let (Some(way), Some(to)) = (ways.get(&alias.id()), ways.get(&target.id())) {
                let known = targets.entry(*way).or_insert_with(|| Targets::of(alias));
                known.ways.entry(*to).or_default().insert(target.digest(), target.id());
                known.values.insert(target.digest());
                known.are_scalars &= target.kind().is_scalar();
            }
        }
        let anchored = values(stream).filter(|node| node.anchor().is_some()).map(Node::digest).collect();
        Self { targets, anchored }
    }

    /// Whether some aliases do not refer to what they should, and that is there. (A merge of changes has another value.)
    fn loses(&self, targets: &Targets, (way, digest): Target) -> bool {
        let is_there = !targets.ways.contains_key(&way) || self.anchored.contains(&digest);
        is_there && !targets.values.contains(&digest)
    }
}

/// The ways to the values of a stream that hold one of some places. (Nobody refers to keys.)
fn ways(stream: &Stream<'_>, places: impl Iterator<Item = u32>) -> HashMap<NodeId, PathHash> {
    let mut places: Vec<u32> = places.collect();
    places.sort_unstable();
    let holds_some = |node: Node<'_>| {
        let Span { start, end } = node.span();
        places.get(places.partition_point(|place| *place < start)).is_some_and(|place| *place <= end)
    };
    let mut ways = HashMap::new();
    let mut open: Vec<_> = stream.documents().filter_map(kyaml_ast::Document::root).map(|root| (root, 0)).collect();
    while let Some((node, way)) = open.pop() {
        ways.insert(node.id(), way);
        let entries = node.entries().filter(|entry| holds_some(entry.value()));
        open.extend(entries.map(|entry| (entry.value(), longer(way, &field_name(entry)))));
    }
    ways
}
