//! What makes an entry the same on all sides: a field's key, an element's merge keys, a set element's value.

use std::collections::HashSet;

use kyaml_ast::{Entry, Kind, Node};

use crate::align::field_name;
use crate::equal::{is_null, text_of_key};
use crate::overlay::Overlay;
use crate::schema::{Cursor, ListKind};
use crate::slots::{Side, Slots};

/// One part of a composite key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyPart {
    pub(crate) name: String,
    pub(crate) default: Option<String>,
}

/// How the entries of a collection are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// Mappings: by key.
    Field,
    /// Lists of objects: by the values of these fields.
    Keyed(Vec<KeyPart>),
    /// Lists of scalars: by value.
    Set,
}

/// Fields that identify the elements of a list without a schema, the first one first.
const INFERRED: [&str; 7] = ["mountPath", "devicePath", "ip", "type", "topologyKey", "name", "containerPort"];

impl Identity {
    /// The identity of a list's elements; `None` where they have none, so that the list is one value.
    pub(crate) fn of_list(nodes: &Slots<Node<'_>>, cursor: Cursor<'_>, overlay: &Overlay) -> Option<Self> {
        let items: Vec<Vec<Node<'_>>> = nodes.present().map(|(side, list)| items(*list, side, overlay)).collect();
        let keyed = |parts| Some(Self::Keyed(parts)).filter(|identity| identity.identifies(&items));
        match cursor.list().kind {
            ListKind::Atomic => None,
            ListKind::Set => items.iter().flatten().all(|item| item.kind().is_scalar()).then_some(Self::Set),
            ListKind::Keyed(keys) => keyed(
                keys.iter()
                    .map(|key| KeyPart { name: key.name.to_owned(), default: key.default.map(str::to_owned) })
                    .collect(),
            ),
            ListKind::Infer => {
                let is_carried = |name: &&&str| items.iter().flatten().all(|item| scalar_field(*item, name).is_some());
                let is_empty = items.iter().all(Vec::is_empty);
                let name = INFERRED.iter().find(is_carried).filter(|_| !is_empty)?;
                keyed(vec![KeyPart { name: (*name).to_owned(), default: None }])
            }
        }
    }

    /// The identity of an entry, as text.
    pub(crate) fn of(&self, entry: Entry<'_>) -> String {
        match self {
            Self::Field => field_name(entry),
            Self::Set => text_of_key(entry.value()),
            Self::Keyed(parts) => key_values(parts, entry.value()).unwrap_or_default().join("\u{1}"),
        }
    }

    /// Whether two entries have the same identity.
    pub(crate) fn same(&self, a: Entry<'_>, b: Entry<'_>) -> bool {
        let (left, right) = match self {
            Self::Field => (a.key(), b.key()),
            Self::Keyed(_) | Self::Set => (Some(a.value()), Some(b.value())),
        };
        if let (Some(left), Some(right)) = (left, right)
            && left.kind() == right.kind()
            && left.text() == right.text()
        {
            return true;
        }
        self.of(a) == self.of(b)
    }

    /// Whether every element of every side has an identity of its own.
    fn identifies(&self, lists: &[Vec<Node<'_>>]) -> bool {
        let Self::Keyed(parts) = self else { return true };
        lists.iter().all(|items| {
            let mut seen = HashSet::new();
            items.iter().all(|item| key_values(parts, *item).is_some_and(|values| seen.insert(values)))
        })
    }

    /// The values of an element's keys with their names, for paths.
    pub(crate) fn key_pairs(&self, entry: Entry<'_>) -> Vec<(String, String)> {
        let Self::Keyed(parts) = self else { return Vec::new() };
        let values = key_values(parts, entry.value()).unwrap_or_default();
        let pairs = parts.iter().zip(values).filter(|(_, value)| !value.is_empty());
        pairs.map(|(part, value)| (part.name.clone(), value)).collect()
    }

    /// The names of the keys.
    pub(crate) fn key_names(&self) -> Vec<String> {
        let Self::Keyed(parts) = self else { return Vec::new() };
        parts.iter().map(|part| part.name.clone()).collect()
    }
}

/// The elements of a list, directives left out.
fn items<'a>(list: Node<'a>, side: Side, overlay: &Overlay) -> Vec<Node<'a>> {
    let entries = list.entries().filter(|entry| side != Side::Incoming || !overlay.is_hidden(entry.id()));
    entries.map(Entry::value).collect()
}

/// The values of all key parts of an element; `None` where it is no mapping or has none of them.
fn key_values(parts: &[KeyPart], element: Node<'_>) -> Option<Vec<String>> {
    let mut found = false;
    let mut values = Vec::with_capacity(parts.len());
    for part in parts {
        let value = scalar_field(element, &part.name);
        found |= value.is_some();
        values.push(value.or_else(|| part.default.clone()).unwrap_or_default());
    }
    found.then_some(values)
}

fn scalar_field(element: Node<'_>, name: &str) -> Option<String> {
    if element.kind() != Kind::Mapping {
        return None;
    }
    let entry = element.entries().find(|entry| entry.key().is_some_and(|key| key.value() == name))?;
    (entry.value().kind().is_scalar() && !is_null(entry.value())).then(|| text_of_key(entry.value()))
}
