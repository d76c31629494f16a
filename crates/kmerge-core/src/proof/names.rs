//! What things are known by: the key of a field, the identity of an element or a resource, or else their text.

use std::hash::{BuildHasher as _, Hash};

use foldhash::quality::FixedState;
use kyaml_ast::Node;

use super::rows::{Row, TREES, Thing};
use super::text::is_text;
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

/// What a thing is known by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    /// The same for a text of several lines and for that text on one line.
    pub(super) hash: u64,
    /// Whether it is known by more than its text.
    pub(super) is_known: bool,
}

impl Name {
    const fn known(hash: u64) -> Self {
        Self { hash, is_known: true }
    }

    const fn text(hash: u64) -> Self {
        Self { hash, is_known: false }
    }

    fn of_text(thing: &Thing<'_>) -> Self {
        Self::text(hash(thing.value.text()))
    }

    fn of_field(field: &Thing<'_>) -> Self {
        field.key.map_or_else(|| Self::of_text(field), |key| Self::known(hash_of_key(key)))
    }

    fn of_resource(thing: &Thing<'_>) -> Self {
        match item_resource(thing.value).id {
            id if id.name.is_empty() => Self::of_text(thing),
            id => Self::known(hash(&id)),
        }
    }

    /// An element that only its value identifies.
    fn of_element(thing: &Thing<'_>) -> Self {
        match thing.value.key_text() {
            Some(text) if is_text(thing.value) => Self::text(hash(&text)),
            Some(text) => Self::known(hash(&text)),
            None => Self::of_text(thing),
        }
    }
}

/// The names of some things, those of each tree in order.
pub(super) fn named(things: &Row<&[Thing<'_>]>, names: Names<'_>) -> [Vec<Name>; TREES] {
    let by = |name: fn(&Thing<'_>) -> Name| things.map(|things| things.into_iter().flatten().map(name).collect());
    match names {
        Names::Fields(_) => by(Name::of_field),
        Names::Resources => by(Name::of_resource),
        Names::Elements(rule, _) => identified(things, rule).unwrap_or_else(|| by(Name::of_element)),
    }
}

/// The names of elements, if the schema or all of them together tell their identities.
fn identified(things: &Row<&[Thing<'_>]>, rule: ListRule<'_>) -> Option<[Vec<Name>; TREES]> {
    let nodes = things.map(|things| things.into_iter().flatten().map(|thing| thing.value).collect::<Vec<_>>());
    let present: Vec<&[Node<'_>]> = nodes.iter().map(Vec::as_slice).filter(|list| !list.is_empty()).collect();
    let Pairing::Identified { sides, .. } = pair(rule, &present) else { return None };
    let mut sides = sides.into_iter();
    Some(nodes.each_ref().map(|list| {
        let ids = if list.is_empty() { None } else { sides.next() };
        ids.into_iter().flatten().map(|id| Name::known(hash(&id))).collect()
    }))
}

fn hash_of_key(key: Node<'_>) -> u64 {
    key.key_text().map_or_else(|| hash(key.text()), |text| hash(&text))
}

pub(super) fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    FixedState::default().hash_one(value)
}
