//! Bytes as a path, a value and a file: what `kmerge set` and `kmerge delete` do with them.
//!
//! The three have zero bytes between them. The path leads into the first document with content, to a place that is there or
//! to one that is not yet; the value is tried as a text and, where it is YAML, as what it means. Left out are files that the
//! laws of edits leave out, ways over keys that a mapping has twice, and values with anchors.

use kyaml_ast::{
    ChangeError, Document, Entry, Kind, LookupError, NewValue, Node, Parents, Path, ScalarSchema, Segment, SpliceError,
    Stream,
};

use crate::inputs::is_shallow_yaml;
use crate::model::{Order, Value};
use crate::paths::{self, Place, is_name};
use crate::{Broken, law};

/// The laws of a place that is set and deleted, whatever path leads there.
///
/// # Errors
///
/// The law that does not hold.
pub fn set_input(bytes: &[u8]) -> Result<(), Broken> {
    let mut parts = bytes.splitn(3, |byte| *byte == 0).map(std::str::from_utf8);
    let (Some(Ok(path)), Some(Ok(value)), Some(Ok(source))) = (parts.next(), parts.next(), parts.next()) else {
        return Ok(());
    };
    let Ok(path) = path.parse::<Path>() else { return Ok(()) };
    if !is_shallow_yaml(source) {
        return Ok(());
    }
    let stream = Stream::parse(source).expect("it is YAML");
    let shown = |broken: Broken| Broken(format!("{broken}\n--- path {path} := {value:?}\n{source}"));
    match stream.documents().find(|document| document.root().is_some()) {
        Some(document) => text(&stream, document, &path, value).and_then(|()| node(document, &path, value)),
        None => stream.documents().next().map_or(Ok(()), |document| first(document, &path, value)),
    }
    .map_err(shown)
}

/// The laws of a value that is a text.
fn text(stream: &Stream<'_>, document: Document<'_>, path: &Path, value: &str) -> Result<(), Broken> {
    let Some(root) = document.root() else { return Ok(()) };
    match path.find(root) {
        Ok(found) => {
            let Some(place) = place(stream, found.node) else { return Ok(()) };
            let ways = [path, &place.path].map(|path| document.set(path, NewValue::Text(value)));
            law(ways[0] == ways[1], || format!("all ways to a place are alike: {ways:?}"))?;
            paths::change(stream, &place, value)
        }
        Err(error) => {
            let (Some(fields), Ok(reached)) = (missing(path, &error), error.reached.find(root)) else {
                return refused(document, path, value);
            };
            match place(stream, reached.node).filter(|place| place.node.kind() == Kind::Mapping) {
                Some(place) if place.node.entries().next().is_some() => paths::add(stream, &place, &fields, value),
                _ => first(document, path, value),
            }
        }
    }
}

/// A place that only one path leads to.
fn place<'t>(stream: &'t Stream<'t>, node: Node<'t>) -> Option<Place<'t>> {
    let parents = Parents::of(stream);
    let (mut way, mut segments) = (Vec::new(), Vec::new());
    let mut at = node.id();
    while let Some(entry) = parents.holder(stream, at).map(|id| stream.entry(id)) {
        let siblings: Vec<Entry<'t>> = entry.collection().entries().collect();
        segments.push(match entry.key() {
            Some(key) if is_name(key, &siblings) => Segment::Field(key.value().into_owned()),
            Some(_) => return None,
            None => Segment::Index(siblings.iter().position(|it| it.id() == entry.id())? as i64),
        });
        way.push(entry);
        at = entry.collection().id();
    }
    way.reverse();
    Some(Place { document: 0, path: segments.into_iter().rev().collect(), way, node })
}

/// The fields that a path has beyond what is there.
fn missing<'p>(path: &'p Path, error: &LookupError) -> Option<Vec<&'p str>> {
    let segments = path.segments();
    let field = |segment: &&'p Segment| if let Segment::Field(name) = segment { Some(name.as_str()) } else { None };
    segments.get(error.reached.depth()..)?.iter().map(field).collect()
}

/// A path over list elements that are not there leads nowhere, and nothing else is wrong.
fn refused(document: Document<'_>, path: &Path, value: &str) -> Result<(), Broken> {
    let refused = document.set(path, NewValue::Text(value));
    law(matches!(refused, Err(ChangeError::Lookup(_))), || format!("a list has no such element: {refused:?}"))
}

/// What a document, or a place without fields, gets is there; to set it again changes nothing.
fn first(document: Document<'_>, path: &Path, value: &str) -> Result<(), Broken> {
    let result = match document.set(path, NewValue::Text(value)) {
        Ok(result) => result,
        Err(ChangeError::Lookup(_) | ChangeError::Anchored { .. } | ChangeError::Empty) => return Ok(()),
        Err(error) => return Err(Broken(format!("cannot be set: {error}"))),
    };
    let is_text = |node: Node<'_>| node.kind().is_scalar() && node.value() == value;
    is_there(&result, path, NewValue::Text(value), is_text)
}

/// The laws of a value that is a node.
fn node(document: Document<'_>, path: &Path, value: &str) -> Result<(), Broken> {
    let Some(stream) = Stream::parse(value).ok().filter(|_| is_shallow_yaml(value)) else { return Ok(()) };
    let mut documents = stream.documents();
    let root = documents.next().and_then(Document::root).filter(|_| documents.next().is_none());
    let Some(root) = root.filter(|_| !value.contains(['&', '*', '%'])) else { return Ok(()) };
    let found = document.root().map(|root| path.find(root));
    let is_plain = match &found {
        Some(Ok(found)) => place(found.node.stream(), found.node).is_some(),
        _ => true,
    };
    let result = match document.set(path, NewValue::Node(root)) {
        Ok(result) if is_plain => result,
        Ok(_) | Err(ChangeError::Lookup(_) | ChangeError::Anchored { .. }) => return Ok(()),
        // A comment has no place inside a flow collection that is a key.
        Err(ChangeError::Splice(SpliceError::NoPlace(_))) if value.contains('#') => return Ok(()),
        Err(error) => return Err(Broken(format!("cannot be set: {error}"))),
    };
    let way = way_in(path, found.and_then(Result::ok).map(|found| found.node));
    // In a document in brackets, which may be JSON, a scalar is for all readers what YAML 1.2 says.
    let may_be_json = document.root().is_some_and(Node::is_flow);
    let is_alike = |node: Node<'_>| {
        node.resolve(ScalarSchema::Core12).is_some_and(|it| root.resolve(ScalarSchema::Core12) == Some(it))
    };
    let is_wanted =
        |node: Node<'_>| Value::of(node).same(&Value::of(root), Order::Kept) || may_be_json && is_alike(node);
    is_there(&result, &way, NewValue::Node(root), is_wanted)
}

/// A way that stays when the value at its end changes.
fn way_in(path: &Path, found: Option<Node<'_>>) -> Path {
    found.and_then(|node| place(node.stream(), node)).map_or_else(|| path.clone(), |place| place.path)
}

fn is_there(
    result: &str,
    path: &Path,
    value: NewValue<'_>,
    is_wanted: impl Fn(Node<'_>) -> bool,
) -> Result<(), Broken> {
    let shown = |broken: Broken| Broken(format!("{broken}\n--- result\n{result}"));
    let stream = Stream::parse(result).map_err(|error| shown(Broken(format!("does not parse: {error}"))))?;
    let document = stream.documents().find(|document| document.root().is_some());
    let found = document.and_then(Document::root).and_then(|root| path.find(root).ok());
    law(found.is_some_and(|found| is_wanted(found.node)), || "what is set is there".to_owned()).map_err(shown)?;
    // What was JSON may be none without its root, and comments go where their lines start.
    if path.segments().is_empty() || matches!(value, NewValue::Node(node) if node.stream().source().contains('#')) {
        return Ok(());
    }
    let again = document.map(|document| document.set(path, value));
    let is_same = matches!(&again, Some(Ok(again)) if again == result);
    law(is_same, || format!("setting it again changes nothing: {again:?}")).map_err(shown)
}
