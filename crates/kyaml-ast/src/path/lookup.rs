//! Follows a path through a tree.

use std::fmt;

use super::{Path, Segment, Step, near};
use crate::entry::Entry;
use crate::span::Span;
use crate::tree::{Kind, Node};

/// The place that a path leads to.
#[derive(Clone, Copy, Debug)]
pub struct Found<'t> {
    /// The entry whose value the path names. `None` for the root.
    pub entry: Option<Entry<'t>>,
    /// The node itself.
    pub node: Node<'t>,
}

/// The place where a path cannot be followed further, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct LookupError {
    /// The part of the path that exists.
    pub reached: Path,
    /// The node at [`LookupError::reached`], without its properties.
    pub span: Span,
    /// The step that could not be taken.
    pub step: Step,
    /// The reason.
    pub kind: LookupErrorKind,
}

/// Why a step of a path could not be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupErrorKind {
    /// There is no such entry.
    Missing {
        /// Existing steps with a similar spelling, the most similar first.
        near: Vec<Segment>,
        /// The names of the list's elements, if one was looked for by name.
        present: Vec<Segment>,
    },
    /// The list is shorter.
    OutOfRange {
        /// Number of items.
        len: usize,
    },
    /// A key or value fits several items.
    Ambiguous {
        /// Number of items that fit.
        count: usize,
    },
    /// The node is a scalar, or a collection of the other kind.
    WrongKind(Kind),
    /// The node is an alias. The value that it refers to stands elsewhere.
    Alias,
}

impl Path {
    /// Follows the path from a document's `root`.
    ///
    /// Of duplicate fields the last one counts, as it does for readers of YAML. Numbers and strings that print alike
    /// are the same key. An alias at the end of the path is found. One before the end is an error.
    ///
    /// # Errors
    ///
    /// A [`LookupError`] for the first step that cannot be taken.
    ///
    /// ```
    /// use kyaml_ast::{Path, Stream};
    ///
    /// let stream = Stream::parse("spec:\n  containers:\n  - name: app\n    image: nginx\n")?;
    /// let root = stream.documents().next().and_then(|document| document.root()).expect("a mapping");
    /// let path: Path = ".spec.containers[name=app].image".parse()?;
    /// assert_eq!(path.find(root)?.node.text(), "nginx");
    ///
    /// let path: Path = ".spec.containers[name=app].imag".parse()?;
    /// let error = path.find(root).expect_err("misspelt");
    /// assert_eq!(error.to_string(), "no .imag in .spec.containers[name=\"app\"]; did you mean .image?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find<'t>(&self, root: Node<'t>) -> Result<Found<'t>, LookupError> {
        let mut found = Found { entry: None, node: root };
        let segments = self.segments();
        for (at, segment) in segments.iter().copied().enumerate() {
            let entry = step(found.node, segment).map_err(|kind| LookupError {
                reached: segments[..at].iter().copied().cloned().collect(),
                span: found.node.span(),
                step: Step::One(segment.clone()),
                kind,
            })?;
            found = Found { entry: Some(entry), node: entry.value() };
        }
        Ok(found)
    }
}

/// The entry that one step leads to.
pub(super) fn step<'t>(node: Node<'t>, segment: &Segment) -> Result<Entry<'t>, LookupErrorKind> {
    let wanted = if matches!(segment, Segment::Field(_)) { Kind::Mapping } else { Kind::Sequence };
    match node.kind() {
        Kind::Alias => return Err(LookupErrorKind::Alias),
        kind if kind != wanted => return Err(LookupErrorKind::WrongKind(kind)),
        _ => {}
    }
    match segment {
        Segment::Field(name) => field(node, name).ok_or_else(|| near_fields(node, name)),
        Segment::Index(index) => item(node, *index),
        Segment::Key(fields) => {
            only(node.entries().filter(|item| has_fields(item.value(), fields)), || near_keys(node, fields))
        }
        Segment::Value(value) => {
            let fits = |item: &Entry<'_>| item.value().key_text().is_some_and(|text| text == *value);
            only(node.entries().filter(fits), || near_values(node, value))
        }
    }
}

/// The last field with the given name.
fn field<'t>(mapping: Node<'t>, name: &str) -> Option<Entry<'t>> {
    mapping.entries().filter(|entry| entry.key().and_then(field_name).is_some_and(|key| key == name)).last()
}

/// The decoded text of a key. `None` for keys that are not scalars.
fn field_name(key: Node<'_>) -> Option<std::borrow::Cow<'_, str>> {
    key.kind().is_scalar().then(|| key.value())
}

fn item(sequence: Node<'_>, index: i64) -> Result<Entry<'_>, LookupErrorKind> {
    let len = sequence.entries().count();
    let from_start = usize::try_from(index).ok();
    let from_end = || usize::try_from(index.unsigned_abs()).ok().and_then(|back| len.checked_sub(back));
    let position = if index < 0 { from_end() } else { from_start };
    position.and_then(|position| sequence.entries().nth(position)).ok_or(LookupErrorKind::OutOfRange { len })
}

/// The only item that fits.
fn only<'t>(
    mut fitting: impl Iterator<Item = Entry<'t>>,
    near: impl FnOnce() -> LookupErrorKind,
) -> Result<Entry<'t>, LookupErrorKind> {
    let first = fitting.next().ok_or_else(near)?;
    match fitting.count() {
        0 => Ok(first),
        others => Err(LookupErrorKind::Ambiguous { count: others + 1 }),
    }
}

fn has_fields(item: Node<'_>, fields: &[(String, String)]) -> bool {
    item.kind() == Kind::Mapping
        && fields.iter().all(|(name, value)| text_of(item, name).is_some_and(|it| it == *value))
}

/// The text of an element's field.
pub(super) fn text_of<'t>(item: Node<'t>, name: &str) -> Option<std::borrow::Cow<'t, str>> {
    field(item, name)?.value().key_text()
}

/// The error for an element that is missing and has no name.
pub(super) const fn missing_item() -> LookupErrorKind {
    LookupErrorKind::Missing { near: Vec::new(), present: Vec::new() }
}

fn near_fields(mapping: Node<'_>, name: &str) -> LookupErrorKind {
    let names = mapping.entries().filter_map(|entry| field_name(entry.key()?));
    let near = near::similar_names(name, names).into_iter().map(Segment::Field).collect();
    LookupErrorKind::Missing { near, present: Vec::new() }
}

fn near_values(sequence: Node<'_>, value: &str) -> LookupErrorKind {
    let values = || sequence.entries().filter_map(|item| item.value().key_text());
    let near = near::similar_names(value, values()).into_iter().map(Segment::Value).collect();
    LookupErrorKind::Missing { near, present: values().map(|value| Segment::Value(value.into_owned())).collect() }
}

/// For a key with one field: similar values, and all values of this field. Composite keys have none.
fn near_keys(sequence: Node<'_>, fields: &[(String, String)]) -> LookupErrorKind {
    let [(name, value)] = fields else { return missing_item() };
    let items = || sequence.entries().map(Entry::value).filter(|item| item.kind() == Kind::Mapping);
    let values = || items().filter_map(|item| text_of(item, name));
    let key = |value: String| Segment::Key(vec![(name.clone(), value)]);
    LookupErrorKind::Missing {
        near: near::similar_names(value, values()).into_iter().map(key).collect(),
        present: values().map(|value| key(value.into_owned())).collect(),
    }
}

impl LookupError {
    fn message(&self) -> impl fmt::Display {
        let Self { reached, step, kind, .. } = self;
        match kind {
            LookupErrorKind::Missing { near, .. } => match near.first() {
                Some(near) => format!("no {step} in {reached}; did you mean {near}?"),
                None => format!("no {step} in {reached}"),
            },
            LookupErrorKind::OutOfRange { len } => format!("no {step} in {reached}, which has {len} items"),
            LookupErrorKind::Ambiguous { count } => format!("{step} fits {count} items of {reached}"),
            LookupErrorKind::WrongKind(kind) => format!("no {step} in {reached}, which is {}", kind_name(*kind)),
            LookupErrorKind::Alias => format!("no {step} in {reached}, which is an alias"),
        }
    }
}

const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Mapping => "a mapping",
        Kind::Sequence => "a list",
        Kind::Null => "empty",
        _ => "a scalar",
    }
}
