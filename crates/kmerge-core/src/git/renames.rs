//! Fields and documents that one side renamed and the other deleted, or renamed otherwise.
//!
//! To the walker a renamed field is one that went and one that came. Where the other side deleted it, that side's wish is lost in
//! such a merge; where it chose another name, there are two of what was one. Neither may pass for clean. Only collections
//! count, and only where nothing but the name is new, or where a field with another name in the same mapping is mostly the same,
//! and more so than any that stayed: a scalar's value is too often some other scalar's as well. Elements of lists are none of this module's business, they are
//! known by their keys (see `renamed.rs`).

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, Kind, Node, NodeId, Stream};

use super::apart::{Apart, Changed, name};

use crate::correspond::{Sketch, field_name};
use crate::proof::{PathHash, Renaming, longer, path_of};
use crate::resource::Resource;
use crate::slots::Slots;

/// A thing that a side deleted or renamed and the other renamed otherwise, and what it is now on each side.
struct BothChanged<'t> {
    base: Held<'t>,
    new: [Option<Held<'t>>; 2],
}

/// Something with a name.
type Held<'t> = (Name, Node<'t>);

/// What a side deleted or renamed and the other renamed otherwise.
pub(super) fn both_changed<'t>(sides: &'t Slots<Stream<'t>>, documents: &[Changed<'t>]) -> Option<Renaming> {
    let both_changed = all_in_conflict(sides, documents).into_iter().next()?;
    let mut path = path_of(both_changed.base.1);
    _ = path.pop();
    let [ours, theirs] = both_changed.new.map(|new| new.map(|((_, name), _)| name));
    Some(Renaming { path, names: [Some(both_changed.base.0.1), ours, theirs] })
}

/// All that is in conflict: the surest first, then in the order of the base.
fn all_in_conflict<'t>(sides: &'t Slots<Stream<'t>>, changed: &[Changed<'t>]) -> Vec<BothChanged<'t>> {
    let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = sides else { return Vec::new() };
    let streams = [base, ours, theirs];
    let mut fields = [(); 3].map(|()| Named { nodes: HashMap::new(), holders: HashMap::new(), body: value });
    for part in changed.iter().flat_map(|changed| &changed.parts) {
        fields.iter_mut().enumerate().for_each(|(side, fields)| add_fields(part, side, fields));
    }
    let mut of_documents = in_names(&streams.map(documents));
    // Both sides have these, under whatever name.
    let known: HashSet<NodeId> = changed.iter().map(|changed| changed.roots[0].id()).collect();
    of_documents.retain(|found| !known.contains(&found.base.1.id()));
    let found = [of_documents, in_names(&fields), alike_in(&fields)];
    found.into_iter().flat_map(in_order).collect()
}

fn in_order(mut found: Vec<BothChanged<'_>>) -> Vec<BothChanged<'_>> {
    found.sort_by_key(|both_changed| both_changed.base.1.span().start);
    found
}

/// A field is another one, changed, from this likeness on.
const LEAST: u32 = 50;
/// So many pairs of fields of one mapping are compared at most.
const MOST_PAIRS: usize = 100;

/// Where something stands, and its name there.
type Name = (PathHash, String);

/// What a side has by names; elements of a list count as one place, so that there may be several of a name.
struct Named<'t> {
    nodes: HashMap<Name, Vec<Node<'t>>>,
    /// The first mapping at each place, with the fields that are left out of `nodes`.
    holders: HashMap<PathHash, Node<'t>>,
    /// Digest of what such a node is but its name; `None` where it is nothing else.
    body: fn(Node<'_>) -> Option<u64>,
}

impl<'t> Named<'t> {
    /// What stands at these names and holds something, by place.
    fn by_place(&self, names: &[&Name]) -> HashMap<PathHash, Vec<Held<'t>>> {
        let mut found: HashMap<PathHash, Vec<Held<'t>>> = HashMap::new();
        for (name, nodes) in names.iter().map(|name| (*name, &self.nodes[*name])) {
            for node in nodes.iter().filter(|node| node.entries().next().is_some()) {
                found.entry(name.0).or_default().push((name.clone(), *node));
            }
        }
        found.values_mut().for_each(|held| held.sort_by_key(|(_, node)| node.span().start));
        found
    }

    /// The names that stand here more often than in both others.
    fn more_than(&self, others: [&Self; 2]) -> Vec<&Name> {
        let is_more = |name: &&Name| others.iter().all(|other| self.count(name) > other.count(name));
        self.nodes.keys().filter(is_more).collect()
    }

    fn count(&self, name: &Name) -> usize {
        self.nodes.get(name).map_or(0, Vec::len)
    }

    /// What stands at these names, by its name and what else it is.
    fn bodies(&self, names: &[&Name]) -> BTreeMap<(Name, u64), Node<'t>> {
        let nodes = names.iter().flat_map(|name| self.nodes[*name].iter().map(|node| (*name, *node)));
        nodes.filter_map(|(name, node)| Some(((name.clone(), (self.body)(node)?), node))).collect()
    }
}

/// What went from both sides, and came back in its place with another name on one of them, or with two names.
fn in_names<'t>([base, ours, theirs]: &[Named<'t>; 3]) -> Vec<BothChanged<'t>> {
    let gone = base.more_than([ours, theirs]);
    let [new_in_ours, new_in_theirs] = [ours, theirs].map(|side| side.more_than([base, base]));
    if gone.is_empty() || new_in_ours.is_empty() && new_in_theirs.is_empty() {
        return Vec::new();
    }
    let gone = base.bodies(&gone).into_iter();
    let gone: BTreeMap<(PathHash, u64), Held<'t>> =
        gone.map(|((name, body), node)| ((name.0, body), (name, node))).collect();
    let new = [ours.bodies(&new_in_ours), theirs.bodies(&new_in_theirs)];
    let agreed = |name: &(Name, u64)| new.iter().all(|side| side.contains_key(name));
    let renamed = |side: &BTreeMap<(Name, u64), Node<'t>>| -> BTreeMap<(PathHash, u64), Held<'t>> {
        let renamed = side.iter().filter(|(name, _)| !agreed(name));
        renamed.map(|((name, body), node)| ((name.0, *body), (name.clone(), *node))).collect()
    };
    let renamed = [0, 1].map(|side| renamed(&new[side]));
    let both_changed = gone.into_iter().filter_map(|(what, base)| {
        let new = [0, 1].map(|side| renamed[side].get(&what).cloned());
        new.iter().any(Option::is_some).then_some(BothChanged { base, new })
    });
    both_changed.collect()
}

/// What went from both sides, and is like something that is new on one of them, in a place where they agree on nothing new.
fn alike_in<'t>([base, ours, theirs]: &[Named<'t>; 3]) -> Vec<BothChanged<'t>> {
    let gone = base.by_place(&base.more_than([ours, theirs]));
    let new = [(ours, theirs), (theirs, ours)].map(|(side, other)| side.by_place(&side.more_than([base, other])));
    if gone.is_empty() || new.iter().all(HashMap::is_empty) {
        return Vec::new();
    }
    let new_in_ours = ours.more_than([base, base]);
    let agreed = new_in_ours.into_iter().filter(|name| theirs.count(name) > base.count(name));
    let agreed: HashSet<PathHash> = agreed.map(|name| name.0).collect();
    let alike = [0, 1].map(|side: usize| {
        let new = new[side].iter().filter(|(place, _)| !agreed.contains(*place));
        let pairs = new.filter_map(|(place, new)| Some(alike(gone.get(place)?, new, base.holders.get(place).copied())));
        pairs.flatten().collect::<Vec<_>>()
    });
    let [in_ours, in_theirs] = alike;
    let mut both_changed: BTreeMap<Name, BothChanged<'t>> = BTreeMap::new();
    for (side, (base, new)) in
        in_ours.into_iter().map(|pair| (0, pair)).chain(in_theirs.into_iter().map(|pair| (1, pair)))
    {
        let both_changed = both_changed.entry(base.0.clone()).or_insert(BothChanged { base, new: [None, None] });
        both_changed.new[side] = Some(new);
    }
    both_changed.into_values().collect()
}

/// What went, each with the first thing that is new and more like it than like any that stayed in the mapping, as it was.
fn alike<'t>(gone: &[Held<'t>], new: &[Held<'t>], holder: Option<Node<'t>>) -> Vec<(Held<'t>, Held<'t>)> {
    if gone.len().saturating_mul(new.len()) > MOST_PAIRS {
        return Vec::new();
    }
    let others: OnceCell<Vec<Sketch<'_>>> = OnceCell::new();
    let read_others = || holder.map(|holder| stayed(holder, gone)).unwrap_or_default();
    let likest_other = |new: &Sketch<'_>| {
        others.get_or_init(read_others).iter().map(|other| other.likeness(new)).max().unwrap_or_default()
    };
    let sketches: Vec<Sketch<'_>> = new.iter().map(|(_, node)| Sketch::of(*node)).collect();
    let pairs = gone.iter().filter_map(|old| {
        let sketch = Sketch::of(old.1);
        let is_alike = |new: &Sketch<'_>| {
            let likeness = sketch.likeness(new);
            likeness >= LEAST && likeness > likest_other(new)
        };
        let at = sketches.iter().position(is_alike)?;
        Some((old.clone(), new[at].clone()))
    });
    pairs.collect()
}

/// The collections of a mapping but those that went.
fn stayed<'t>(holder: Node<'t>, gone: &[Held<'t>]) -> Vec<Sketch<'t>> {
    let gone: HashSet<NodeId> = gone.iter().map(|(_, node)| node.id()).collect();
    let others = holder.entries().map(Entry::value).filter(|value| value.kind().is_collection());
    others.filter(|value| !gone.contains(&value.id())).map(Sketch::of).collect()
}

/// Digest of a resource but for its type and name.
pub(super) fn body(root: Node<'_>) -> Option<u64> {
    let fields = root.entries().map(|entry| (field_name(entry), entry.value()));
    let fields = fields.filter(|(name, _)| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
    let digest = |(name, value): (String, Node<'_>)| FixedState::default().hash_one((name, value.digest()));
    fields.map(digest).reduce(u64::wrapping_add)
}

/// Digest of a collection with something in it.
fn value(node: Node<'_>) -> Option<u64> {
    node.entries().next().map(|_| node.digest())
}

/// The documents of a stream that have a name, in one place.
fn documents<'t>(stream: &'t Stream<'t>) -> Named<'t> {
    let mut nodes: HashMap<Name, Vec<Node<'t>>> = HashMap::new();
    for root in stream.documents().filter_map(kyaml_ast::Document::root) {
        if let Some(id) = Resource::of_node(root).map(|resource| resource.id).filter(|id| !id.name.is_empty()) {
            nodes.entry((0, id.to_string())).or_default().push(root);
        }
    }
    Named { nodes, holders: HashMap::new(), body }
}

/// Adds all fields of a side with a collection as their value.
fn add_fields<'t>(Apart { way, holders, entries }: &Apart<'t>, side: usize, fields: &mut Named<'t>) {
    let mut open = vec![(holders[side], *way, entries[side].clone())];
    while let Some((node, way, entries)) = open.pop() {
        if node.kind() == Kind::Mapping {
            fields.holders.entry(way).or_insert(node);
        }
        for entry in entries.into_iter().filter(|entry| !entry.value().kind().is_scalar()) {
            let name = name(entry);
            open.push((entry.value(), longer(way, &name), entry.value().entries().collect()));
            if entry.key().is_some() {
                fields.nodes.entry((way, name)).or_default().push(entry.value());
            }
        }
    }
}
