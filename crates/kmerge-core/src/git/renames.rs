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
use kyaml_ast::{Kind, Node, NodeId};

use super::apart::{Apart, name};

use crate::correspond::{HALF, Sketch, field_name, pair, share_of_ends};
use crate::equal::same_value;
use crate::proof::{PathHash, Renaming, holds_several, longer, path_of};

/// A thing that a side deleted or renamed and the other renamed otherwise, and what it is now on each side.
struct BothChanged<'t> {
    base: Held<'t>,
    new: [Option<Held<'t>>; 2],
}

/// Something with a name.
type Held<'t> = (Name, Node<'t>);

/// The first field that a side deleted or renamed and the other renamed otherwise.
pub(super) fn both_changed(documents: &[Vec<Apart<'_>>]) -> Option<Renaming> {
    let mut fields = [(); 3].map(|()| Named { nodes: HashMap::new(), holders: HashMap::new() });
    for part in documents.iter().flatten() {
        fields.iter_mut().enumerate().for_each(|(side, fields)| add_fields(part, side, fields));
    }
    let found = alike_in(&fields).into_iter().min_by_key(|found| found.base.1.span().start)?;
    let mut path = path_of(found.base.1);
    _ = path.pop();
    let [ours, theirs] = found.new.map(|new| new.map(|((_, name), _)| name));
    Some(Renaming { path, names: [Some(found.base.0.1), ours, theirs] })
}

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

/// What went from both sides, and is like something that is new on one of them, but not like what they agree on.
fn alike_in<'t>([base, ours, theirs]: &[Named<'t>; 3]) -> Vec<BothChanged<'t>> {
    let mut gone = base.by_place(&base.more_than([ours, theirs]));
    let new = [(ours, theirs), (theirs, ours)].map(|(side, other)| side.by_place(&side.more_than([base, other])));
    if gone.is_empty() || new.iter().all(HashMap::is_empty) {
        return Vec::new();
    }
    leave_out_agreed(&mut gone, &added_by_both(base, [ours, theirs]));
    let mut both_changed: BTreeMap<Name, BothChanged<'t>> = BTreeMap::new();
    for (side, new) in new.into_iter().enumerate() {
        for (place, new) in &new {
            let Some(gone) = gone.get(place) else { continue };
            for (base, new) in alike(gone, new, base.holders.get(place).copied()) {
                let found = both_changed.entry(base.0.clone()).or_insert(BothChanged { base, new: [None, None] });
                found.new[side] = Some(new);
            }
        }
    }
    both_changed.into_values().collect()
}

/// Leaves out what both sides may have given one new name. Beside that, a single value may as well be a new one's by chance.
fn leave_out_agreed(gone: &mut HashMap<PathHash, Vec<Held<'_>>>, agreed: &HashMap<PathHash, Vec<Held<'_>>>) {
    for (place, gone) in gone {
        let Some(agreed) = agreed.get(place) else { continue };
        gone.retain(|(_, old)| holds_several(*old));
        if gone.len().saturating_mul(agreed.len()) > MOST_PAIRS {
            gone.clear();
        }
        let [old, new] = [&*gone, agreed].map(|held| held.iter().map(Sketched::of).collect::<Vec<_>>());
        let likeness = |old: &Sketched<'_>, new: &Sketched<'_>| Some(old.likeness(new)).filter(|it| it.0 >= HALF);
        let renamed: HashSet<NodeId> = pair(&old, &new, likeness).into_iter().map(|pair| pair.left.id).collect();
        gone.retain(|(_, old)| !renamed.contains(&old.id()));
    }
}

/// What both sides added under one name, as ours has it, by place.
fn added_by_both<'t>(base: &Named<'t>, [ours, theirs]: [&Named<'t>; 2]) -> HashMap<PathHash, Vec<Held<'t>>> {
    let mut names = ours.more_than([base, base]);
    names.retain(|name| theirs.count(name) > base.count(name));
    ours.by_place(&names)
}

/// What went, each with the first thing that is new and is the same, or is more like it than like any that stayed in the mapping, as it
/// was.
fn alike<'t>(gone: &[Held<'t>], new: &[Held<'t>], holder: Option<Node<'t>>) -> Vec<(Held<'t>, Held<'t>)> {
    if gone.len().saturating_mul(new.len()) > MOST_PAIRS {
        return Vec::new();
    }
    let stayed = Stayed { holder, gone, fields: OnceCell::new() };
    let sketches: Vec<Sketched<'_>> = new.iter().map(Sketched::of).collect();
    let pairs = gone.iter().filter_map(|old| {
        let sketched = Sketched::of(old);
        let is_alike = |(held, new): &(&Held<'_>, &Sketched<'_>)| {
            let likeness = sketched.likeness(new);
            same_value(old.1, held.1) || likeness.0 >= HALF && likeness > stayed.likeness(new)
        };
        let (held, _) = new.iter().zip(&sketches).find(is_alike)?;
        Some((old.clone(), held.clone()))
    });
    pairs.collect()
}

/// A field to compare.
struct Sketched<'t> {
    id: NodeId,
    name: String,
    sketch: Sketch<'t>,
}

/// How alike two fields are by what they hold, and then by their names.
type Likeness = (u32, u32);

impl<'t> Sketched<'t> {
    fn new(name: String, node: Node<'t>) -> Self {
        Self { id: node.id(), name, sketch: Sketch::of(node) }
    }

    fn of(((_, name), node): &Held<'t>) -> Self {
        Self::new(name.clone(), *node)
    }

    fn likeness(&self, other: &Self) -> Likeness {
        (self.sketch.likeness(&other.sketch), share_of_ends(&self.name, &other.name))
    }
}

/// The collections of a mapping but those that went. They are sketched when somebody asks.
struct Stayed<'h, 't> {
    holder: Option<Node<'t>>,
    gone: &'h [Held<'t>],
    fields: OnceCell<Vec<Sketched<'t>>>,
}

impl<'t> Stayed<'_, 't> {
    /// How much like something new the likest of them is.
    fn likeness(&self, new: &Sketched<'_>) -> Likeness {
        let fields = self.fields.get_or_init(|| self.sketch());
        fields.iter().map(|stayed| stayed.likeness(new)).max().unwrap_or_default()
    }

    fn sketch(&self) -> Vec<Sketched<'t>> {
        let gone: HashSet<NodeId> = self.gone.iter().map(|(_, node)| node.id()).collect();
        let fields = self.holder.into_iter().flat_map(Node::entries);
        let stayed = fields.filter(|field| field.value().kind().is_collection() && !gone.contains(&field.value().id()));
        stayed.map(|field| Sketched::new(name(field), field.value())).collect()
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
