//! What things are known by: the key of a field, the identity of an element or a resource, or else their text.

use std::hash::{BuildHasher as _, Hash};

use foldhash::quality::FixedState;
use kyaml_ast::Node;

use super::rows::{Row, TREES, Thing, is_text};
use crate::resource::item_resource;
use crate::schema::{ListRule, Pairing, pair};

/// What things are known by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Names<'s> {
    /// Fields: their keys. With the base's mapping, if there is one.
    Fields(Option<Node<'s>>),
    /// Elements: what the schema says, or what can be told from all of them. With the lists.
    Elements(ListRule<'s>, Row<Node<'s>>),
    /// Documents, and items of lists of resources.
    Resources,
}

/// What a thing is known by, as a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Name {
    Known(u64),
    /// Only its text tells.
    Text(u64),
}

impl Name {
    fn of_text(thing: &Thing<'_>) -> Self {
        Self::Text(hash(thing.value.text()))
    }
}

/// The names of some things, those of each tree in order.
pub(super) fn named(things: &Row<Vec<Thing<'_>>>, names: Names<'_>) -> [Vec<Name>; TREES] {
    let by =
        |name: fn(&Thing<'_>) -> Name| std::array::from_fn(|tree| things[tree].iter().flatten().map(name).collect());
    match names {
        Names::Fields(_) => {
            by(|thing| thing.key.map_or_else(|| Name::of_text(thing), |key| Name::Known(hash_of_key(key))))
        }
        Names::Resources => by(|thing| match item_resource(thing.value).id {
            id if id.name.is_empty() => Name::of_text(thing),
            id => Name::Known(hash(&id)),
        }),
        Names::Elements(rule, _) => {
            let nodes: [Vec<Node<'_>>; TREES] =
                std::array::from_fn(|tree| things[tree].iter().flatten().map(|thing| thing.value).collect());
            let present: Vec<&[Node<'_>]> = nodes.iter().map(Vec::as_slice).filter(|list| !list.is_empty()).collect();
            match pair(rule, &present) {
                Pairing::Identified { sides, .. } => {
                    let mut sides = sides.into_iter();
                    nodes.each_ref().map(|list| {
                        let ids = if list.is_empty() { None } else { sides.next() };
                        ids.into_iter().flatten().map(|id| Name::Known(hash(&id))).collect()
                    })
                }
                Pairing::Unkeyed { .. } => by(|thing| match thing.value.key_text() {
                    Some(text) if is_text(thing.value) => Name::Text(hash(&text)),
                    Some(text) => Name::Known(hash(&text)),
                    None => Name::of_text(thing),
                }),
            }
        }
    }
}

fn hash_of_key(key: Node<'_>) -> u64 {
    key.key_text().map_or_else(|| hash(key.text()), |text| hash(&text))
}

pub(super) fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    FixedState::default().hash_one(value)
}
