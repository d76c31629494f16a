//! What a schema says about places: whether a field exists, whether an element may be created, which type a value must
//! have.

use kyaml_ast::{Entry, Node, Path, Segment};

use super::problem::ProblemKind;
use super::value::ValueError;
use crate::resource::Resource;
use crate::schema::{Cursor, ListKind, Lookup, Schema, ValueType, look_up};

/// What a schema says about a path to a place that the document lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Such a place may exist.
    Yes,
    /// The schema does not say.
    Unspecified,
    /// Such a place does not exist.
    No(ProblemKind),
}

/// The root of a resource in a schema.
pub(super) fn root<'s>(schema: &'s Schema, resource: Option<&Resource>) -> Cursor<'s> {
    match resource {
        Some(Resource { id, version }) => schema.resource(&id.group, version, &id.kind),
        None => schema.untyped(),
    }
}

/// Whether a place may exist at a path.
pub(super) fn of_path(root: Cursor<'_>, path: &Path) -> Known {
    match look_up(root, path) {
        Lookup::Known(_) | Lookup::Key(_) | Lookup::Free => Known::Yes,
        Lookup::Unspecified => Known::Unspecified,
        Lookup::Unknown { segment, inside } => {
            let segments = path.segments();
            let of = |end: usize| segments[..end].iter().copied().cloned().collect::<Path>();
            let similar = match segments.get(segment) {
                Some(Segment::Field(name)) => inside.similar_fields(name).into_iter().next(),
                _ => None,
            };
            let similar = similar.map(|name| Path::root().with(Segment::Field(name)).to_string());
            Known::No(ProblemKind::Unknown { path: of(segment + 1).to_string(), similar })
        }
    }
}

/// An error if a path goes into a text of a free map: the name had dots and was taken for several names.
pub(super) fn split(root: Cursor<'_>, path: &Path) -> Option<ProblemKind> {
    let Lookup::Unknown { segment, inside } = look_up(root, path) else { return None };
    let segments = path.segments();
    let of = |end: usize| segments[..end].iter().copied().cloned().collect::<Path>();
    let map = segment.checked_sub(1).map(of)?;
    let is_of_map = look_up(root, &map).value_type() == Some(ValueType::Map);
    if !is_of_map || !inside.value_type().is_some_and(ValueType::is_scalar) {
        return None;
    }
    let joined = segments[segment - 1..].iter().map(|segment| name(segment)).collect::<Option<Vec<_>>>()?.join(".");
    Some(ProblemKind::Split { path: of(segment).to_string(), meant: map.with(Segment::Field(joined)).to_string() })
}

fn name(segment: &Segment) -> Option<&str> {
    if let Segment::Field(name) = segment { Some(name) } else { None }
}

/// Whether the elements of the list at a path are identified by these fields, and may be created on the way. Containers
/// may not: a misspelt name would create a new container.
pub(super) fn is_keyed(root: Cursor<'_>, list: &Path, fields: &[(String, String)]) -> bool {
    let Lookup::Known(list) = look_up(root, list) else { return false };
    let is_container = list.item().type_name().is_some_and(|name| name.ends_with("Container"));
    let ListKind::Keyed(keys) = list.list().kind else { return false };
    !is_container && fields.iter().all(|(name, _)| keys.iter().any(|key| key.name == name))
}

/// The type of the value at a path, if it is known.
pub(super) fn wanted(root: Cursor<'_>, path: &Path) -> Option<ValueType> {
    look_up(root, path).value_type()
}

/// What is wrong with the first place inside a value that has to be of another type.
pub(super) fn misfit(root: Cursor<'_>, path: &Path, value: Node<'_>) -> Option<ProblemKind> {
    inside(root, path, value).find_map(|Inner { path, node, lookup }| {
        let wanted = lookup.value_type().filter(|wanted| !wanted.fits(node))?;
        let is_unquoted = is_text(Some(wanted)) && node.kind().is_scalar();
        let error = if is_unquoted { ValueError::Unquoted } else { ValueError::Type(wanted) };
        Some(error.at(&path))
    })
}

/// The first field inside a value that its object does not have.
pub(super) fn unknown_field(root: Cursor<'_>, path: &Path, value: Node<'_>) -> Option<ProblemKind> {
    let is_object = |inside: Cursor<'_>| inside.value_type() == Some(ValueType::Object);
    let is_unknown =
        |inner: &Inner<'_, '_>| matches!(inner.lookup, Lookup::Unknown { inside, .. } if is_object(inside));
    let unknown = inside(root, path, value).find(is_unknown)?;
    if let Known::No(kind) = of_path(root, &unknown.path) { Some(kind) } else { None }
}

/// Something inside a value.
struct Inner<'s, 't> {
    path: Path,
    node: Node<'t>,
    lookup: Lookup<'s>,
}

/// Everything inside a value that is to stand at a path, in source order.
fn inside<'s, 't>(root: Cursor<'s>, path: &Path, value: Node<'t>) -> impl Iterator<Item = Inner<'s, 't>> {
    let mut open = vec![Inner { path: path.clone(), node: value, lookup: look_up(root, path) }];
    let next = move || {
        let next = open.pop()?;
        if let Lookup::Known(cursor) | Lookup::Key(cursor) = next.lookup {
            let inner = |(index, entry): (i64, Entry<'t>)| {
                let node = entry.value();
                let (segment, lookup) = match entry.key().map(Node::value) {
                    // What a merge key brings are fields of the object.
                    Some(name) if name == "<<" => {
                        return Inner { path: next.path.clone(), node, lookup: next.lookup };
                    }
                    Some(name) => (Segment::Field(name.to_string()), cursor.look_up_field(&name)),
                    None => (Segment::Index(index), cursor.look_up_item()),
                };
                Inner { path: next.path.with(segment), node, lookup }
            };
            let all: Vec<Inner<'s, 't>> = (0i64..).zip(next.node.entries()).map(inner).collect();
            open.extend(all.into_iter().rev());
        }
        Some(next)
    };
    std::iter::from_fn(next).skip(1)
}

/// Whether a value of this type is a string, whatever it looks like.
pub(super) const fn is_text(wanted: Option<ValueType>) -> bool {
    matches!(wanted, Some(ValueType::String | ValueType::Bytes))
}

/// Whether a string can be a value of this type.
pub(super) const fn takes_text(wanted: ValueType) -> bool {
    use ValueType::{Bytes, Free, IntOrString, Quantity, String};
    matches!(wanted, Free | String | Bytes | Quantity | IntOrString)
}
