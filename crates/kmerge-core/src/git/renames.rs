//! Fields and documents that one side renamed and the other deleted, or renamed otherwise.
//!
//! To the walker a renamed field is one that went and one that came. Where the other side deleted it, that side's wish is lost in
//! such a merge; where it chose another name, there are two of what was one. Neither may pass for clean. Only collections
//! count, and only where nothing but the name is new, or where a field with another name in the same mapping is mostly the same:
//! a scalar's value is too often some other scalar's as well. Elements of lists are none of this module's business, they are
//! known by their keys (see `renamed.rs`).

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use kyaml_ast::{Entry, Node, Stream};

use super::referents::{Way, longer};
use crate::align::field_name;
use crate::digest::Digests;
use crate::documents::pair_documents;
use crate::likeness::Sketch;
use crate::resource::Resource;
use crate::slots::Slots;

/// Whether a side deleted or renamed what the other renamed otherwise.
pub(super) fn are_contested(sides: &Slots<Stream<'_>>) -> bool {
    let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = sides else { return false };
    let streams = [base, ours, theirs];
    let documents = streams.map(Documents::of);
    let fields = Documents::fields(&documents, &sides.as_ref()).map(|nodes| Named { nodes, body: value });
    let known = Known { streams, digests: OnceCell::new() };
    is_contested(&documents.map(|documents| documents.named), &known)
        || is_contested(&fields, &known)
        || has_likeness(&fields, &known)
}

/// A field is another one, changed, from this likeness on.
const LEAST: u32 = 50;
/// So many pairs of fields of one mapping are compared at most.
const MOST_PAIRS: usize = 100;

/// Base, ours and theirs, and their digests once somebody asks for them.
struct Known<'s> {
    streams: [&'s Stream<'s>; 3],
    digests: OnceCell<[Digests; 3]>,
}

impl Known<'_> {
    fn digests(&self) -> &[Digests; 3] {
        self.digests.get_or_init(|| self.streams.map(Digests::of))
    }
}

/// Where something stands, and its name there.
type Name = (Way, String);

/// What a side has by names; elements of a list count as one place, so that there may be several of a name.
struct Named<'t> {
    nodes: HashMap<Name, Vec<Node<'t>>>,
    /// Digest of what such a node is but its name; `None` where it is nothing else.
    body: fn(Node<'_>, &Digests) -> Option<u64>,
}

impl<'t> Named<'t> {
    /// What stands at these names and holds something, by place.
    fn by_place(&self, names: &[&Name]) -> HashMap<Way, Vec<Node<'t>>> {
        let mut found: HashMap<Way, Vec<Node<'t>>> = HashMap::new();
        for (name, nodes) in names.iter().map(|name| (*name, &self.nodes[*name])) {
            let nodes: Vec<Node<'t>> = nodes.iter().copied().filter(|node| node.entries().next().is_some()).collect();
            if !nodes.is_empty() {
                found.entry(name.0).or_default().extend(nodes);
            }
        }
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

    /// What stands at these names.
    fn bodies(&self, names: &[&Name], digests: &Digests) -> HashSet<(Name, u64)> {
        let nodes = names.iter().flat_map(|name| self.nodes[*name].iter().map(|node| (*name, *node)));
        nodes.filter_map(|(name, node)| Some((name.clone(), (self.body)(node, digests)?))).collect()
    }
}

/// Whether what went from both sides came back in its place with another name on one of them, or with two names.
fn is_contested([base, ours, theirs]: &[Named<'_>; 3], known: &Known<'_>) -> bool {
    let gone = base.more_than([ours, theirs]);
    let [new_in_ours, new_in_theirs] = [ours, theirs].map(|side| side.more_than([base, base]));
    if gone.is_empty() || new_in_ours.is_empty() && new_in_theirs.is_empty() {
        return false;
    }
    let [known, in_ours, in_theirs] = known.digests();
    let gone: HashSet<(Way, u64)> =
        base.bodies(&gone, known).into_iter().map(|((place, _), body)| (place, body)).collect();
    let renamed = |bodies: HashSet<(Name, u64)>| -> HashSet<(Name, u64)> {
        bodies.into_iter().filter(|((place, _), body)| gone.contains(&(*place, *body))).collect()
    };
    renamed(ours.bodies(&new_in_ours, in_ours)) != renamed(theirs.bodies(&new_in_theirs, in_theirs))
}

/// Whether what went from both sides is like something that is new on one of them, in a place where they agree on nothing new.
fn has_likeness([base, ours, theirs]: &[Named<'_>; 3], known: &Known<'_>) -> bool {
    let gone = base.by_place(&base.more_than([ours, theirs]));
    let new = [(ours, theirs), (theirs, ours)].map(|(side, other)| side.by_place(&side.more_than([base, other])));
    if gone.is_empty() || new.iter().all(HashMap::is_empty) {
        return false;
    }
    let new_in_ours = ours.more_than([base, base]);
    let agreed = new_in_ours.into_iter().filter(|name| theirs.count(name) > base.count(name));
    let agreed: HashSet<Way> = agreed.map(|name| name.0).collect();
    let [known, in_ours, in_theirs] = known.digests();
    new.iter().zip([in_ours, in_theirs]).any(|(new, digests)| {
        let mut new = new.iter().filter(|(place, _)| !agreed.contains(place));
        new.any(|(place, new)| gone.get(place).is_some_and(|gone| is_any_alike((gone, known), (new, digests))))
    })
}

fn is_any_alike((gone, known): (&[Node<'_>], &Digests), (new, digests): (&[Node<'_>], &Digests)) -> bool {
    if gone.len().saturating_mul(new.len()) > MOST_PAIRS {
        return false;
    }
    let new: Vec<Sketch<'_>> = new.iter().map(|node| Sketch::of(*node, digests)).collect();
    gone.iter().map(|node| Sketch::of(*node, known)).any(|old| new.iter().any(|new| old.likeness(new) >= LEAST))
}

/// Digest of a resource but for its type and name.
fn body(root: Node<'_>, digests: &Digests) -> Option<u64> {
    let fields = root.entries().map(|entry| (field_name(entry), entry.value()));
    let fields = fields.filter(|(name, _)| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
    let digest = |(name, value)| {
        let mut hasher = DefaultHasher::new();
        (name, digests.of_node(value)).hash(&mut hasher);
        hasher.finish()
    };
    fields.map(digest).reduce(u64::wrapping_add)
}

/// Digest of a collection with something in it.
fn value(node: Node<'_>, digests: &Digests) -> Option<u64> {
    node.entries().next().map(|_| digests.of_node(node))
}

/// The documents of a stream.
struct Documents<'t> {
    /// Those that have a name, in one place.
    named: Named<'t>,
    /// The others, in their order.
    others: Vec<Node<'t>>,
}

impl<'t> Documents<'t> {
    fn of(stream: &'t Stream<'t>) -> Self {
        let mut documents = Self { named: Named { nodes: HashMap::new(), body }, others: Vec::new() };
        for root in stream.documents().filter_map(kyaml_ast::Document::root) {
            match Resource::of_node(root).map(|resource| resource.id).filter(|id| !id.name.is_empty()) {
                Some(id) => documents.named.nodes.entry((0, id.to_string())).or_default().push(root),
                None => documents.others.push(root),
            }
        }
        documents
    }

    /// The fields of the documents that both sides changed.
    fn fields(documents: &[Self; 3], streams: &Slots<&'t Stream<'t>>) -> [HashMap<Name, Vec<Node<'t>>>; 3] {
        let mut fields = [HashMap::new(), HashMap::new(), HashMap::new()];
        for (document, roots) in (0..).zip(Self::counterparts(documents, streams)) {
            let [base, ours, theirs] = roots.map(Node::text);
            if base != ours && base != theirs && ours != theirs {
                roots.into_iter().zip(&mut fields).for_each(|(root, fields)| add_fields((root, document), fields));
            }
        }
        fields
    }

    /// The documents that base, ours and theirs have; such as have no name by their places where all have as many of them.
    fn counterparts(documents: &[Self; 3], streams: &Slots<&'t Stream<'t>>) -> Vec<[Node<'t>; 3]> {
        let [base, ours, theirs] = documents;
        let find = |side: &Self, name: &Name| side.named.nodes.get(name).map(|nodes| nodes[0]);
        let named = base.named.nodes.iter();
        let named = named.filter_map(|(name, nodes)| Some([nodes[0], find(ours, name)?, find(theirs, name)?]));
        let has_as_many = [ours, theirs].iter().all(|side| side.others.len() == base.others.len());
        if !has_as_many && !base.others.is_empty() {
            return named.chain(paired(streams)).collect();
        }
        let others = base.others.iter().zip(&ours.others).zip(&theirs.others);
        named.chain(others.map(|((base, ours), theirs)| [*base, *ours, *theirs])).collect()
    }
}

/// The documents without a name that a merge takes for one.
fn paired<'t>(streams: &Slots<&'t Stream<'t>>) -> impl Iterator<Item = [Node<'t>; 3]> {
    let is_named = |root: Node<'_>| Resource::of_node(root).is_some_and(|resource| !resource.id.name.is_empty());
    let rows = pair_documents(streams).aligned.rows.into_iter();
    let roots = rows.filter_map(|row| Some([row.base?.root()?, row.dest?.root()?, row.incoming?.root()?]));
    roots.filter(move |[base, ..]| !is_named(*base))
}

/// Adds all fields of a document with a collection as their value.
fn add_fields<'t>(root: (Node<'t>, Way), fields: &mut HashMap<Name, Vec<Node<'t>>>) {
    let mut open = vec![root];
    while let Some((node, way)) = open.pop() {
        for entry in node.entries().filter(|entry: &Entry<'_>| !entry.value().kind().is_scalar()) {
            let name = field_name(entry);
            open.push((entry.value(), longer(way, &name)));
            if entry.key().is_some() {
                fields.entry((way, name)).or_default().push(entry.value());
            }
        }
    }
}
