//! Reads a document's nodes as values, as kubectl does: YAML 1.1 by go-yaml, converted to JSON.
//!
//! Of repeated keys, the last one counts. Keys become text (`n` is `false`). Aliases and YAML merge keys (`<<`) are
//! expanded. A merge key overrides the fields before it, as in go-yaml. Content that JSON cannot express is an error.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, Hash};

use foldhash::quality::FixedState;
use kyaml_ast::{Document, Kind, Node, NodeId, Resolved, Scalar, ScalarSchema, Span, StreamId};
use thiserror::Error;

use super::{Data, Float, MAX_DEPTH, Map, Needed, Origin, Place, Source, Value, display_float, json_float};

/// The most values that expanding aliases may add to the values in the text.
const MAX_EXPANDED: usize = 1_000_000;

/// Why a node has no value, with the place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct ReadError {
    /// What is wrong.
    pub(crate) kind: ReadErrorKind,
    /// The node.
    pub span: Span,
}

/// What is wrong with a node.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ReadErrorKind {
    /// Collections that are nested too deeply.
    #[error("nested deeper than {MAX_DEPTH} levels")]
    Depth,
    /// A null as a key.
    #[error("a key must not be null")]
    NullKey,
    /// A list or mapping as a key.
    #[error("a key must be a scalar")]
    CollectionKey,
    /// `.inf` or `.nan`.
    #[error("JSON has no such number")]
    NotFinite,
    /// A tag that does not fit its scalar.
    #[error("the tag does not fit this value")]
    Tag,
    /// An alias without an anchor before it.
    #[error("there is no such anchor before this alias")]
    UndefinedAlias,
    /// An alias inside the node that it refers to.
    #[error("this alias refers to something that it is part of")]
    CyclicAlias,
    /// Nested aliases that expand to too many values.
    #[error("aliases expand to more than a million values")]
    TooManyAliases,
    /// `<<` with a value other than mappings.
    #[error("a YAML merge key needs a mapping or a list of mappings")]
    MergeKey,
}

/// Reads values from one stream.
#[derive(Debug)]
pub(crate) struct Reader<'s, 't> {
    source: &'s Source<'t>,
    id: StreamId,
    /// The number of nested aliases that are being expanded.
    expanding: usize,
    expanded: usize,
    /// The sum of the digests of the values that were skipped.
    unread: u64,
}

pub(super) type Result<T> = std::result::Result<T, ReadError>;

/// The position of a reader that skips a part.
#[derive(Clone, Copy)]
struct Spot {
    depth: usize,
    /// A digest of the steps to this position.
    way: u64,
}

impl Spot {
    fn below(self, step: &impl Hash) -> Self {
        Self { depth: self.depth + 1, way: FixedState::default().hash_one((self.way, step)) }
    }
}

impl<'s, 't> Reader<'s, 't> {
    /// A reader of `source`. Its values get the stream `id` as their origin.
    pub(crate) const fn new(source: &'s Source<'t>, id: StreamId) -> Self {
        Self { source, id, expanding: 0, expanded: 0, unread: 0 }
    }

    /// The source that is read.
    pub(crate) const fn source(&self) -> &'s Source<'t> {
        self.source
    }

    /// The value of a document. `None` if it has only comments.
    ///
    /// # Errors
    ///
    /// If kubectl refuses the document, or if it is nested deeper than 256 levels.
    pub(crate) fn document(&mut self, document: Document<'t>) -> Result<Option<Value>> {
        document.root().map(|root| self.read(Place::Root(root.id()))).transpose()
    }

    /// The value at a place.
    ///
    /// # Errors
    ///
    /// As for [`Reader::document`].
    pub(crate) fn read(&mut self, place: Place) -> Result<Value> {
        self.at(place, 0)
    }

    /// The needed part of the value at a place, and a digest of the rest. If the rest has the same value, the digest is
    /// the same. Only for streams without anchors and merge keys.
    ///
    /// # Errors
    ///
    /// As for [`Reader::document`], also for the rest.
    pub(crate) fn part(&mut self, place: Place, needed: &Needed) -> Result<(Value, u64)> {
        self.unread = 0;
        let value = self.part_at(place, Spot { depth: 0, way: 0 }, needed)?;
        Ok((value, self.unread))
    }

    fn part_at(&mut self, place: Place, spot: Spot, needed: &Needed) -> Result<Value> {
        let node = self.source.stream().node(place.node());
        let Needed::Fields(wanted) = needed else { return self.at(place, spot.depth) };
        if node.kind() != Kind::Mapping || spot.depth == MAX_DEPTH {
            return self.at(place, spot.depth);
        }
        let mut fields = Vec::new();
        for entry in node.entries() {
            let Some(key) = entry.key() else { continue };
            let (key, place) = (self.key(key)?, Place::Entry(entry.id()));
            match wanted.get(&key) {
                Some(needed) => {
                    let value = self.part_at(place, spot.below(&key), needed)?;
                    fields.push((key, value));
                }
                None => self.skip(place, spot.below(&key))?,
            }
        }
        let data = Data::Map(self.source.collect(fields));
        Ok(Value::with_origin(data, Some(Origin { stream: self.id, place })))
    }

    /// Checks a value, and keeps only its part of the sum.
    fn skip(&mut self, place: Place, spot: Spot) -> Result<()> {
        let node = self.source.stream().node(place.node());
        match node.kind() {
            Kind::Mapping | Kind::Sequence if spot.depth == MAX_DEPTH => return Err(error(node, ReadErrorKind::Depth)),
            Kind::Mapping => {
                for entry in node.entries() {
                    let Some(key) = entry.key() else { continue };
                    let key = self.key(key)?;
                    self.skip(Place::Entry(entry.id()), spot.below(&key))?;
                }
            }
            Kind::Sequence => {
                for (index, entry) in node.entries().enumerate() {
                    self.skip(Place::Entry(entry.id()), spot.below(&index))?;
                }
            }
            _ => {
                self.unread = self.unread.wrapping_add(spot.below(&scalar(node)?).way);
                return Ok(());
            }
        }
        self.unread = self.unread.wrapping_add(spot.below(&(node.kind() == Kind::Mapping)).way);
        Ok(())
    }

    pub(super) fn at(&mut self, place: Place, depth: usize) -> Result<Value> {
        let node = self.source.stream().node(place.node());
        if self.expanding > 0 {
            self.expanded += 1;
            if self.expanded > MAX_EXPANDED {
                return Err(error(node, ReadErrorKind::TooManyAliases));
            }
        }
        let data = match node.kind() {
            Kind::Mapping | Kind::Sequence if depth == MAX_DEPTH => return Err(error(node, ReadErrorKind::Depth)),
            Kind::Mapping => Data::Map(self.map(node, depth)?),
            Kind::Sequence => Data::List(self.list(node, depth)?),
            Kind::Alias => self.alias(node, depth)?.data,
            _ => scalar(node)?,
        };
        Ok(Value::with_origin(data, Some(Origin { stream: self.id, place })))
    }

    fn list(&mut self, node: Node<'t>, depth: usize) -> Result<Vec<Value>> {
        node.entries().map(|entry| self.at(Place::Entry(entry.id()), depth + 1)).collect()
    }

    fn map(&mut self, node: Node<'t>, depth: usize) -> Result<Map> {
        let mut fields = Vec::new();
        for entry in node.entries() {
            let Some(key) = entry.key() else { continue };
            let place = Place::Entry(entry.id());
            if is_merge_key(key) {
                self.merge(place, &mut fields, depth)?;
                continue;
            }
            let key = self.key(key)?;
            fields.push((key, self.at(place, depth + 1)?));
        }
        Ok(self.source.collect(fields))
    }

    /// Adds the fields that a YAML merge key refers to. Of several mappings, the first one has priority.
    fn merge(&mut self, place: Place, fields: &mut Vec<(String, Value)>, depth: usize) -> Result<()> {
        let node = self.source.stream().node(place.node());
        match self.at(place, depth)?.data {
            Data::Map(more) => fields.extend(more),
            Data::List(items) => {
                for item in items.into_iter().rev() {
                    match item.data {
                        Data::Map(more) => fields.extend(more),
                        _ => return Err(error(node, ReadErrorKind::MergeKey)),
                    }
                }
            }
            _ => return Err(error(node, ReadErrorKind::MergeKey)),
        }
        Ok(())
    }

    fn alias(&mut self, node: Node<'t>, depth: usize) -> Result<Value> {
        let target = self.target(node)?;
        self.expanding += 1;
        let value = self.at(Place::Root(target), depth);
        self.expanding -= 1;
        value
    }

    fn target(&self, alias: Node<'t>) -> Result<NodeId> {
        let Some(target) = self.source.target(alias.id()) else {
            return Err(error(alias, ReadErrorKind::UndefinedAlias));
        };
        if self.source.stream().node(target).span().contains(alias.span()) {
            return Err(error(alias, ReadErrorKind::CyclicAlias));
        }
        Ok(target)
    }

    /// The text of a key.
    pub(super) fn name(&self, key: Node<'t>) -> Result<Cow<'t, str>> {
        self.key(key).map(|name| as_written(key, name))
    }

    fn key(&self, key: Node<'t>) -> Result<String> {
        let node = if key.kind() == Kind::Alias { self.source.stream().node(self.target(key)?) } else { key };
        if !node.kind().is_scalar() {
            return Err(error(key, ReadErrorKind::CollectionKey));
        }
        key_text(node)
    }
}

/// The text of a mapping's key as kubectl reads it.
///
/// # Errors
///
/// If the key is null, or has a tag that does not fit.
fn key_text(node: Node<'_>) -> Result<String> {
    let text = node.value();
    match resolve(node, &text)? {
        Resolved::Null => Err(error(node, ReadErrorKind::NullKey)),
        Resolved::Bool(value) => Ok(value.to_string()),
        Resolved::Int(number) => Ok(number.to_string()),
        // go-yaml prints float keys with the precision of 32 bits.
        Resolved::Float(number) => {
            let short = (number as f32).to_string().parse().ok().and_then(Float::new);
            short.map(display_float).ok_or_else(|| error(node, ReadErrorKind::NotFinite))
        }
        Resolved::String(text) | Resolved::BigInt(text) | Resolved::Tagged { text, .. } => Ok(text.into_owned()),
    }
}

/// The name of a field as kubectl reads it. `None` for a YAML merge key, and for keys that are not names.
#[must_use]
pub(crate) fn field_name(key: Node<'_>) -> Option<Cow<'_, str>> {
    if is_merge_key(key) || !key.kind().is_scalar() {
        return None;
    }
    key_text(key).ok().map(|name| as_written(key, name))
}

/// The text of a key. Borrowed from the source if it is the same there.
fn as_written(key: Node<'_>, name: String) -> Cow<'_, str> {
    match key.value() {
        Cow::Borrowed(text) if text == name => Cow::Borrowed(text),
        _ => Cow::Owned(name),
    }
}

/// Whether a key is the YAML merge key.
pub(crate) fn is_merge_key(key: Node<'_>) -> bool {
    let text = key.value();
    kyaml_ast::is_merge_key(Scalar { kind: key.kind(), tag: key.tag(), text: &text })
}

fn scalar(node: Node<'_>) -> Result<Data> {
    let text = node.value();
    Ok(match resolve(node, &text)? {
        Resolved::Null => Data::Null,
        Resolved::Bool(value) => Data::Bool(value),
        Resolved::Int(number) => match i64::try_from(number) {
            Ok(number) => Data::Int(number),
            Err(_) => float(node, number as f64)?,
        },
        Resolved::Float(number) => float(node, number)?,
        Resolved::String(text) | Resolved::BigInt(text) | Resolved::Tagged { text, .. } => {
            Data::Text(text.into_owned())
        }
    })
}

/// JSON does not distinguish 1.0 from 1.
fn float(node: Node<'_>, number: f64) -> Result<Data> {
    let float = Float::new(number).ok_or_else(|| error(node, ReadErrorKind::NotFinite))?;
    Ok(json_float(float).parse().map_or(Data::Float(float), Data::Int))
}

/// A standard YAML tag that does not fit is an error. Other tags mean nothing to kubectl.
fn resolve<'a>(node: Node<'a>, text: &'a str) -> Result<Resolved<'a>> {
    let scalar = Scalar { kind: node.kind(), tag: node.tag(), text };
    match kyaml_ast::resolve_scalar(scalar, ScalarSchema::Kube11) {
        Resolved::Tagged { tag, .. } if tag.starts_with("tag:yaml.org,2002:") => Err(error(node, ReadErrorKind::Tag)),
        resolved => Ok(resolved),
    }
}

fn error(node: Node<'_>, kind: ReadErrorKind) -> ReadError {
    ReadError { kind, span: node.full_span() }
}

#[cfg(test)]
mod tests {
    use kyaml_ast::{Stream, StreamId};

    use super::{ReadErrorKind, Reader};
    use crate::value::{MAX_DEPTH, Source};

    fn read(yaml: &str) -> Result<String, ReadErrorKind> {
        let stream = Stream::parse(yaml).unwrap();
        let source = Source::new(&stream);
        let mut reader = Reader::new(&source, StreamId(0));
        let value = reader.document(stream.documents().next().unwrap()).map_err(|error| error.kind)?;
        Ok(value.unwrap().to_json())
    }

    /// Inputs, and the values that kubectl reads.
    #[test]
    fn reads_as_kubectl_does() {
        let cases = [
            (
                "{a: yes, b: off, c: 0644, d: 0o644, e: 0xFF, f: 0b101, g: 1_000}",
                r#"{"a":true,"b":false,"c":420,"d":420,"e":255,"f":5,"g":1000}"#,
            ),
            (
                "{a: .5, b: 1.0, c: 1.50, d: 1e3, e: -0, f: -0.0, g: 1e400}",
                r#"{"a":0.5,"b":1,"c":1.5,"d":1000,"e":0,"f":0,"g":"1e400"}"#,
            ),
            ("{a: 12:30:45, b: 2001-01-01, c: !!binary aGk=}", r#"{"a":"12:30:45","b":"2001-01-01","c":"hi"}"#),
            ("[123456789012345678901234567890, 9223372036854775808]", "[1.2345678901234568e+29,9223372036854776000]"),
            ("{y: 1, \"yes\": 2, yes: 3}", r#"{"true":3,"yes":2}"#),
            (
                "{0x10: a, 010: b, 1_0: c, .5: d, 1e3: e, -0: f}",
                r#"{"0":"f","0.5":"d","10":"c","1000":"e","16":"a","8":"b"}"#,
            ),
            (
                "{m: !foo bar, n: !!set {a, b}, p: !!int \"5\", q: !!str 5}",
                r#"{"false":{"a":null,"b":null},"m":"bar","p":5,"q":"5"}"#,
            ),
            ("{a: 1, a: 2}", r#"{"a":2}"#),
            ("[&b {x: 1, z: 2}, {x: 9, <<: *b}, {<<: *b, x: 9}]", r#"[{"x":1,"z":2},{"x":1,"z":2},{"x":9,"z":2}]"#),
            ("[&b {x: 1}, &c {x: 3, z: 4}, {<<: [*b, *c]}]", r#"[{"x":1},{"x":3,"z":4},{"x":1,"z":4}]"#),
            ("[{<<: {a: 1}, <<: {b: 2}}, {\"<<\": 1}]", "[{\"a\":1,\"b\":2},{\"\\u003c\\u003c\":1}]"),
            ("[&a 1, &a 2, *a]", "[1,2,2]"),
            ("[&b [&a 1, *a], &a 2, *b, *a]", "[[1,1],2,[1,1],2]"),
            ("{&k a: 1, *k : 2}", r#"{"a":2}"#),
            ("a:\nb: ~\n", r#"{"a":null,"b":null}"#),
        ];
        for (yaml, json) in cases {
            assert_eq!(read(yaml).as_deref(), Ok(json), "{yaml}");
        }
    }

    #[test]
    fn refuses_what_kubectl_refuses() {
        let cases = [
            ("{~: a}", ReadErrorKind::NullKey),
            ("{[a]: b}", ReadErrorKind::CollectionKey),
            ("a: .inf", ReadErrorKind::NotFinite),
            ("a: !!int x", ReadErrorKind::Tag),
            ("a: *b", ReadErrorKind::UndefinedAlias),
            ("a: &a [*a]", ReadErrorKind::CyclicAlias),
            ("<<: 5", ReadErrorKind::MergeKey),
        ];
        for (yaml, kind) in cases {
            assert_eq!(read(yaml), Err(kind), "{yaml}");
        }
    }

    #[test]
    fn input_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(read(&nested(MAX_DEPTH + 1)), Err(ReadErrorKind::Depth));
        assert_eq!(read(&nested(100_000)), Err(ReadErrorKind::Depth));
        let mut bomb = "- &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..30 {
            bomb.push_str(&format!("- &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", ")));
        }
        assert_eq!(read(&bomb), Err(ReadErrorKind::TooManyAliases));
    }
}
