//! What makes an entry the same on all sides: a field's key, an element's merge keys, a set element's value.

use hashbrown::HashSet;
use kyaml_ast::{Entry, Node};

use crate::equal::text_of_key;
use crate::overlay::Overlay;
use crate::resource::{field, item_resource};
use crate::schema::{Cursor, ElementId, Key, Keys, OneValue, Pairing, element_id, pair};
use crate::slots::{Side, Slots};

/// How the entries of a collection are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity<'a> {
    /// Mappings: by key.
    Field,
    /// Lists of objects: by the values of these fields.
    Keyed(Keys<'a>),
    /// Lists of scalars: by value.
    Set,
    /// The items of a list of resources: by the resources that they are.
    Resource,
    /// Lists without identity: by what a comparison of the whole lists makes of them.
    Position,
}

impl<'a> Identity<'a> {
    /// The identity of a list's elements; `None` where they have none, so that the list is one value.
    pub(crate) fn of_list(nodes: &Slots<Node<'a>>, cursor: Cursor<'a>, overlay: &Overlay) -> Option<Self> {
        let items: Vec<Vec<Node<'a>>> = nodes.present().map(|(side, list)| items(*list, side, overlay)).collect();
        let sides: Vec<&[Node<'a>]> = items.iter().map(Vec::as_slice).collect();
        match pair(cursor.list(), &sides) {
            Pairing::Unkeyed { .. } => None,
            Pairing::Identified { keys: None, .. } => Some(Self::Set),
            Pairing::Identified { keys: Some(keys), .. } => Some(Self::Keyed(keys)),
        }
    }

    /// The identity of the items of a list of resources; `None` where not all of them are resources, each there once.
    pub(crate) fn of_items(nodes: &Slots<Node<'a>>) -> Option<Self> {
        let are_resources = nodes.present().all(|(_, list)| {
            let mut seen = HashSet::new();
            list.children().all(|item| {
                let id = item_resource(item).id;
                !id.name.is_empty() && seen.insert(id)
            })
        });
        are_resources.then_some(Self::Resource)
    }

    /// Why a list's elements have no identity; `None` where they have one.
    pub(crate) fn one_value(nodes: &Slots<Node<'a>>, cursor: Cursor<'a>, overlay: &Overlay) -> Option<OneValue> {
        let rule = cursor.list();
        let items: Vec<(Side, Vec<Node<'a>>)> =
            nodes.present().map(|(side, list)| (side, items(*list, side, overlay))).collect();
        let unkeyed = |sides: &[&[Node<'a>]]| match pair(rule, sides) {
            Pairing::Unkeyed { why, .. } => Some(why),
            Pairing::Identified { .. } => None,
        };
        let sides: Vec<&[Node<'a>]> = items.iter().map(|(_, items)| items.as_slice()).collect();
        let why = unkeyed(&sides)?.map(|why| {
            let alone = items.iter().find(|(_, items)| unkeyed(&[items]) == Some(Some(why)));
            (alone.or(items.first()).map_or(Side::Dest, |(side, _)| *side), why)
        });
        Some(OneValue { source: rule.source, declared: rule.declared(), why })
    }

    /// The identity of an entry.
    pub(crate) fn id(self, entry: Entry<'a>) -> ElementId<'a> {
        let text = match self {
            Self::Field => field_name(entry),
            Self::Set => text_of_key(entry.value()),
            Self::Keyed(keys) => return element_id(entry.value(), keys).unwrap_or(ElementId::One("".into())),
            Self::Resource => item_resource(entry.value()).id.to_string(),
            Self::Position => String::new(),
        };
        ElementId::One(text.into())
    }

    /// Whether two entries have the same identity.
    pub(crate) fn same(self, a: Entry<'a>, b: Entry<'a>) -> bool {
        let (left, right) = match self {
            Self::Field => (a.key(), b.key()),
            Self::Keyed(_) | Self::Set | Self::Resource | Self::Position => (Some(a.value()), Some(b.value())),
        };
        if let (Some(left), Some(right)) = (left, right)
            && left.kind() == right.kind()
            && left.text() == right.text()
        {
            return true;
        }
        let is_alike = |key: Key<'_>| match (field(a.value(), key.name), field(b.value(), key.name)) {
            (Some(a), Some(b)) => (a.kind(), a.text(), a.tag()) == (b.kind(), b.text(), b.tag()),
            (a, b) => a.is_none() && b.is_none(),
        };
        let are_of_a_kind = a.value().kind() == b.value().kind();
        are_of_a_kind && matches!(self, Self::Keyed(keys) if keys.iter().all(is_alike)) || self.id(a) == self.id(b)
    }

    /// The values of an element's keys with their names, for paths.
    pub(crate) fn key_pairs(self, entry: Entry<'_>) -> Vec<(String, String)> {
        let keys = match self {
            Self::Keyed(keys) => keys,
            Self::Resource => return resource_pairs(entry.value()),
            Self::Field | Self::Set | Self::Position => return Vec::new(),
        };
        let values = match element_id(entry.value(), keys) {
            Ok(ElementId::One(text)) => vec![Some(text)],
            Ok(ElementId::Many(parts)) => parts,
            Err(_) => Vec::new(),
        };
        let pairs = keys.iter().zip(values);
        let known = pairs.filter_map(|(key, value)| Some((key, value?)));
        let said = known.filter(|(key, value)| !(value.is_empty() && key.default == Some("")));
        said.map(|(key, value)| (key.name.to_owned(), value.into_owned())).collect()
    }
}

/// Whether a side has a new resource in a list of them, and another one is gone: the new one may be that one by another name.
pub(crate) fn may_be_renamed(nodes: &Slots<Node<'_>>) -> bool {
    let ids = nodes.map(|list| list.children().map(|item| item_resource(item).id).collect::<HashSet<_>>());
    let Some(base) = &ids.base else { return false };
    [&ids.dest, &ids.incoming].into_iter().flatten().any(|side| !side.is_subset(base) && !base.is_subset(side))
}

/// What a resource is told apart by, for paths.
pub(crate) fn resource_pairs(node: Node<'_>) -> Vec<(String, String)> {
    let id = item_resource(node).id;
    let pairs = [("kind", id.kind), ("metadata.namespace", id.namespace), ("metadata.name", id.name)];
    pairs.into_iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| (name.to_owned(), text)).collect()
}

/// The elements of a list, directives left out.
fn items<'a>(list: Node<'a>, side: Side, overlay: &Overlay) -> Vec<Node<'a>> {
    let entries = list.entries().filter(|entry| side != Side::Incoming || !overlay.is_hidden(entry.id()));
    entries.map(Entry::value).collect()
}

/// The identity of a field: the text of its key.
pub(crate) fn field_name(entry: Entry<'_>) -> String {
    entry.key().map(text_of_key).unwrap_or_default()
}
