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
        Some((side, own.node(referents.0.get(&way)?.alias)))
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
    if own.0.is_empty() {
        return None;
    }
    let known: Vec<(&Stream<'_>, &Referents)> =
        [Side::Dest, Side::Incoming].into_iter().filter_map(|side| inputs.referents(side)).collect();
    let base = if chosen.is_none() { inputs.referents(Side::Base) } else { None };
    let is_other = |(alias, targets): &(&PathHash, &Targets)| {
        let result = Reference { stream: result, targets };
        let mut expected: Vec<Reference<'_>> = known
            .iter()
            .filter_map(|(stream, side)| Some(Reference { stream, targets: side.0.get(*alias)? }))
            .collect();
        let was = base.and_then(|(_, base)| base.0.get(*alias));
        if chosen.is_none() && expected.iter().any(|side| side.is_lost_in(result, was)) {
            return true;
        }
        let is_new = |side: &Reference<'_>| was.is_none_or(|was| !was.ways.keys().eq(side.targets.ways.keys()));
        if expected.iter().any(is_new) {
            expected.retain(is_new);
        }
        let is_known = |(way, to): (&PathHash, &NodeId)| expected.iter().any(|side| side.has(*way, result.text(*to)));
        !expected.is_empty() && !targets.ways.iter().all(is_known)
    };
    let (way, targets) = own.0.iter().filter(is_other).min_by_key(|(_, targets)| targets.alias)?;
    let nodes = std::iter::once(&targets.alias).chain(targets.ways.values());
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
    let anchors = |side: Side| {
        let nodes = sides.get(side).into_iter().flat_map(|stream| values(stream));
        nodes.filter_map(Node::anchor).collect::<HashSet<&str>>()
    };
    let [ours, theirs] = [Side::Dest, Side::Incoming].map(anchors);
    let sides_of = [(Side::Dest, &ours, Side::Incoming, &theirs), (Side::Incoming, &theirs, Side::Dest, &ours)];
    sides_of.into_iter().find_map(|(user, known, gone, others)| {
        let stream = sides.get(user)?;
        let aliases = stream.references().map(|(alias, _)| (name(alias), alias));
        let is_gone = |name: &str| names.contains(name) && known.contains(name) && !others.contains(name);
        let (name, alias) = aliases.into_iter().find(|(name, _)| is_gone(name))?;
        Some(Unsound::Unanchored { name: name.to_owned(), alias: Place::of(user, stream, alias.span().start), gone })
    })
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
    /// What they refer to, by the ways there.
    ways: BTreeMap<PathHash, NodeId>,
}

/// What a tree refers to at one way.
#[derive(Clone, Copy)]
struct Reference<'t> {
    stream: &'t Stream<'t>,
    targets: &'t Targets,
}

impl<'t> Reference<'t> {
    fn text(self, to: NodeId) -> &'t str {
        self.stream.node(to).text()
    }

    /// Whether something at this way, or with this text, is referred to. What is written alike may stand elsewhere: whoever renamed
    /// it did not mean the alias.
    fn has(self, way: PathHash, text: &str) -> bool {
        self.targets.ways.contains_key(&way) || self.targets.ways.values().any(|to| self.text(*to) == text)
    }

    /// Whether a result does not refer to all that a side refers to anew.
    fn is_lost_in(self, result: Reference<'_>, was: Option<&Targets>) -> bool {
        let is_new = |way: &PathHash| was.is_none_or(|was| !was.ways.contains_key(way));
        let new = self.targets.ways.iter().filter(|(way, _)| is_new(way) && !result.targets.ways.contains_key(*way));
        let texts: HashSet<&str> = new.map(|(_, to)| self.text(*to)).collect();
        if texts.is_empty() {
            return false;
        }
        let known: HashSet<&str> = result.targets.ways.values().map(|to| result.text(*to)).collect();
        !texts.is_subset(&known)
    }
}

/// The ways to all aliases, and those to what they refer to.
#[derive(Debug)]
pub(super) struct Referents(HashMap<PathHash, Targets>);

impl Referents {
    pub(super) fn of(stream: &Stream<'_>) -> Self {
        let mut referents: HashMap<PathHash, Targets> = HashMap::new();
        let references: Vec<(Node<'_>, Node<'_>)> =
            stream.references().filter_map(|(alias, target)| Some((alias, target?))).collect();
        if references.is_empty() {
            return Self(referents);
        }
        let ways =
            ways(stream, references.iter().flat_map(|(alias, target)| [alias.span().start, target.span().start]));
        for (alias, target) in references {
            if let (Some(way), Some(to)) = (ways.get(&alias.id()), ways.get(&target.id())) {
                let first = || Targets { alias: alias.id(), ways: BTreeMap::new() };
                referents.entry(*way).or_insert_with(first).ways.insert(*to, target.id());
            }
        }
        Self(referents)
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
