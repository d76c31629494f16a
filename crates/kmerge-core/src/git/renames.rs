//! Fields that one side renamed and the other deleted, or renamed otherwise.
//!
//! To the walker a renamed field is one that went and one that came. Where the other side deleted it, that side's wish is lost in
//! such a merge; where it chose another name, there are two of what was one. Neither may pass for clean. Only collections
//! count, and only where a field with another name in the same mapping is the same, or mostly, and more so than any that stayed: a
//! scalar's value is too often some other scalar's as well. Elements of lists are none of this module's business, they are
//! known by their keys (see `renamed.rs`).

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, Kind, Node, NodeId};

use super::apart::{Apart, Changed, name};

use crate::correspond::{Sketch, field_name};
use crate::equal::same_value;
use crate::proof::{PathHash, Renaming, longer, path_of};

/// A thing that a side deleted or renamed and the other renamed otherwise, and what it is now on each side.
struct BothChanged<'t> {
    base: Held<'t>,
    new: [Option<Held<'t>>; 2],
}

/// Something with a name.
type Held<'t> = (Name, Node<'t>);

/// The first field that a side deleted or renamed and the other renamed otherwise.
pub(super) fn both_changed(documents: &[Changed<'_>]) -> Option<Renaming> {
    let mut fields = [(); 3].map(|()| Named { nodes: HashMap::new(), holders: HashMap::new() });
    for part in documents.iter().flat_map(|changed| &changed.parts) {
        fields.iter_mut().enumerate().for_each(|(side, fields)| add_fields(part, side, fields));
    }
    let found = alike_in(&fields).into_iter().min_by_key(|found| found.base.1.span().start)?;
    let mut path = path_of(found.base.1);
    _ = path.pop();
    let [ours, theirs] = found.new.map(|new| new.map(|((_, name), _)| name));
    Some(Renaming { path, names: [Some(found.base.0.1), ours, theirs] })
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
}

/// What went from both sides, and is like something that is new on one of them, in a place where they agree on nothing new.
fn alike_in<'t>([base, ours, theirs]: &[Named<'t>; 3]) -> Vec<BothChanged<'t>> {
    let gone = base.by_place(&base.more_than([ours, theirs]));
    let new = [(ours, theirs), (theirs, ours)].map(|(side, other)| side.by_place(&side.more_than([base, other])));
    if gone.is_empty() || new.iter().all(HashMap::is_empty) {
        return Vec::new();
    }
    let agreed = agreed_places(base, [ours, theirs]);
    let mut both_changed: BTreeMap<Name, BothChanged<'t>> = BTreeMap::new();
    for (side, new) in new.into_iter().enumerate() {
        for (place, new) in new.iter().filter(|(place, _)| !agreed.contains(*place)) {
            let Some(gone) = gone.get(place) else { continue };
            for (base, new) in alike(gone, new, base.holders.get(place).copied()) {
                let found = both_changed.entry(base.0.clone()).or_insert(BothChanged { base, new: [None, None] });
                found.new[side] = Some(new);
            }
        }
    }
    both_changed.into_values().collect()
}

/// Where both sides added something of one name.
fn agreed_places(base: &Named<'_>, [ours, theirs]: [&Named<'_>; 2]) -> HashSet<PathHash> {
    let new_in_ours = ours.more_than([base, base]).into_iter();
    new_in_ours.filter(|name| theirs.count(name) > base.count(name)).map(|name| name.0).collect()
}

/// What went, each with the first thing that is new and is the same, or is more like it than like any that stayed in the mapping, as it
/// was.
fn alike<'t>(gone: &[Held<'t>], new: &[Held<'t>], holder: Option<Node<'t>>) -> Vec<(Held<'t>, Held<'t>)> {
    if gone.len().saturating_mul(new.len()) > MOST_PAIRS {
        return Vec::new();
    }
    let stayed = Stayed { holder, gone, sketches: OnceCell::new() };
    let sketches: Vec<Sketch<'_>> = new.iter().map(|(_, node)| Sketch::of(*node)).collect();
    let pairs = gone.iter().filter_map(|old| {
        let sketch = Sketch::of(old.1);
        let is_alike = |(held, new): &(&Held<'_>, &Sketch<'_>)| {
            let likeness = sketch.likeness(new);
            same_value(old.1, held.1) || likeness >= LEAST && likeness > stayed.likeness(new)
        };
        let (held, _) = new.iter().zip(&sketches).find(is_alike)?;
        Some((old.clone(), held.clone()))
    });
    pairs.collect()
}

/// The collections of a mapping but those that went. They are sketched when somebody asks.
struct Stayed<'h, 't> {
    holder: Option<Node<'t>>,
    gone: &'h [Held<'t>],
    sketches: OnceCell<Vec<Sketch<'t>>>,
}

impl<'t> Stayed<'_, 't> {
    /// How much like something new the likest of them is.
    fn likeness(&self, new: &Sketch<'_>) -> u32 {
        let sketches = self.sketches.get_or_init(|| self.sketch());
        sketches.iter().map(|stayed| stayed.likeness(new)).max().unwrap_or_default()
    }

    fn sketch(&self) -> Vec<Sketch<'t>> {
        let gone: HashSet<NodeId> = self.gone.iter().map(|(_, node)| node.id()).collect();
        let values = self.holder.into_iter().flat_map(Node::entries).map(Entry::value);
        values.filter(|value| value.kind().is_collection() && !gone.contains(&value.id())).map(Sketch::of).collect()
    }
}

/// Digest of a resource but for its type and name.
pub(super) fn body(root: Node<'_>) -> Option<u64> {
    let fields = root.entries().map(|entry| (field_name(entry), entry.value()));
    let fields = fields.filter(|(name, _)| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
    let digest = |(name, value): (String, Node<'_>)| FixedState::default().hash_one((name, value.digest()));
    fields.map(digest).reduce(u64::wrapping_add)
}

/// Adds all fields of a side with a collection as their value.
fn add_fields<'t>(Apart { way, holders, entries, .. }: &Apart<'t>, side: usize, fields: &mut Named<'t>) {
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
