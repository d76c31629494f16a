//! What a schema says about places: whether a field is one, whether an element may be made, what a value has to be.

use std::fmt::{self, Display};

use kyaml_ast::{Node, Path, Segment};

use super::problem::ProblemKind;
use crate::resource::Resource;
use crate::schema::{Cursor, Knowledge, ListKind, Schema};

/// What a value has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wanted {
    /// A string, whatever it looks like.
    Text,
}

/// What a schema says about a path that leads further than a document does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// There may be such a place.
    Yes,
    /// Nobody knows.
    Unspecified,
    /// There is no such place.
    No(ProblemKind),
}

/// The root of a resource in a schema.
pub(super) fn root<'s>(schema: &'s Schema, resource: Option<&Resource>) -> Cursor<'s> {
    match resource {
        Some(Resource { id, version }) => schema.resource(&id.group, version, &id.kind),
        None => schema.untyped(),
    }
}

fn at<'s>(root: Cursor<'s>, path: &Path) -> Cursor<'s> {
    path.segments().into_iter().fold(root, |cursor, segment| match segment {
        Segment::Field(name) => cursor.field(name),
        _ => cursor.item(),
    })
}

/// Whether there may be something at a path.
pub(super) fn known(root: Cursor<'_>, path: &Path) -> Known {
    match at(root, path).knowledge() {
        Knowledge::Known | Knowledge::Free => Known::Yes,
        Knowledge::NoSchema | Knowledge::UnknownField => {
            if wanted(root, path).is_some() {
                Known::Yes
            } else {
                Known::Unspecified
            }
        }
    }
}

/// A path into a text, where a name that holds dots was taken for several.
pub(super) fn split(root: Cursor<'_>, path: &Path) -> Option<ProblemKind> {
    let segments = path.segments();
    let is_text = |end: &usize| wanted(root, &segments[..*end].iter().copied().cloned().collect()).is_some();
    let end = (1..segments.len()).find(is_text)?;
    let before: Path = segments[..end - 1].iter().copied().cloned().collect();
    let name = |segment: &Segment| if let Segment::Field(name) = segment { Some(name.clone()) } else { None };
    let joined = segments[end - 1..].iter().map(|segment| name(segment)).collect::<Option<Vec<_>>>()?.join(".");
    let meant = before.with(Segment::Field(joined)).to_string();
    Some(ProblemKind::Split { path: before.with(segments[end - 1].clone()).to_string(), meant })
}

/// Whether the list at a path has elements that are known by these fields, and that may be made in passing: a misspelt
/// container would be a new one.
pub(super) fn is_keyed(root: Cursor<'_>, list: &Path, fields: &[(String, String)]) -> bool {
    let list = at(root, list);
    let is_container = list.item().type_name().is_some_and(|name| name.ends_with("Container"));
    let ListKind::Keyed(keys) = list.list().kind else { return false };
    !is_container && fields.iter().all(|(name, _)| keys.iter().any(|key| key.name == name))
}

/// What the value at a path has to be.
pub(super) fn wanted(root: Cursor<'_>, path: &Path) -> Option<Wanted> {
    let (parent, Segment::Field(_)) = path.split_last()? else { return None };
    let Some(Segment::Field(name)) = parent.last() else { return None };
    let is_map = || at(root, &parent).knowledge() == Knowledge::Known;
    match name.as_str() {
        "labels" | "annotations" | "matchLabels" | "nodeSelector" => Some(Wanted::Text),
        "data" | "stringData" if parent.depth() == 1 && is_map() => Some(Wanted::Text),
        _ => None,
    }
}

impl Wanted {
    /// Whether it is a string, whatever it looks like.
    pub(super) const fn is_text(self) -> bool {
        matches!(self, Self::Text)
    }

    /// Whether a string can be it.
    pub(super) const fn takes_text(self) -> bool {
        matches!(self, Self::Text)
    }

    pub(super) fn fits(self, node: Node<'_>) -> bool {
        node.is_string()
    }
}

impl Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }
}
