//! Reads a table from text, the form in which the built-in one is checked in.
//!
//! ```text
//! # comment; the first line is one
//! kind apps/v1 Deployment apps/v1.Deployment     apiVersion, kind, type
//! type core/v1.PodSpec                           a type; `atomic` after the name: one value
//!     containers list core/v1.Container merge=name map=name
//!     nodeSelector map - atomic
//!     overhead map -
//! ```
//!
//! A field's line starts with a tab; its words are: name; `object`, `map`, `list`, or lists and maps of each other
//! (`map.list`); the type that is inside at last, `-` where only scalars are, `*` where anything may be; then the patch
//! strategy with its merge key, the list type (`set`, `atomic`, `map=` with its keys and `key:default`) or the map
//! type (`atomic`, `granular`). Fields that hold a scalar have no line, nor has a type without any other field.
//!
//! A list's rule for merging: its map keys, else its merge key, else a set where it says so or merges without a key,
//! else atomic.
//!
//! [`read`] only finds out where kinds and types stand; [`body`] reads one type. A merge looks at a dozen of hundreds.

use super::PatchStrategy;
use super::table::{Body, Gvk, KeyRow, ListRow, MapKind, Node, NodeId, Owner, Shape, Table, Text, TypeId};

/// Reads a table, the bodies of the types left out; nothing where a kind's line is not as the grammar says.
pub(super) fn read(text: &'static str) -> Option<Table> {
    let mut table = Table::over(text);
    let mut types = after(text, "\ntype ").peekable();
    while let Some(start) = types.next() {
        let end = types.peek().copied().unwrap_or(text.len());
        push_type(&mut table, &text[start..end]);
    }
    table.sort_types();
    for start in after(text, "\nkind ") {
        push_kind(&mut table, first_line(&text[start..]))?;
    }
    table.sort_kinds();
    Some(table)
}

/// The places right after `word`.
fn after<'t>(text: &'t str, word: &'static str) -> impl Iterator<Item = usize> + 't {
    memchr::memmem::find_iter(text.as_bytes(), word).map(|start| start + word.len())
}

fn first_line(text: &str) -> &str {
    memchr::memchr(b'\n', text.as_bytes()).map_or(text, |end| &text[..end])
}

fn push_type(table: &mut Table, text: &str) {
    let header = first_line(text);
    let (name, atomic) = match header.strip_suffix(" atomic") {
        Some(name) => (name, true),
        None => (header, false),
    };
    table.push_text_type(name, atomic, &text[header.len()..]);
}

fn push_kind(table: &mut Table, line: &str) -> Option<()> {
    let mut words = line.split(' ');
    let (api_version, kind, name) = (words.next()?, words.next()?, words.next()?);
    let (group, version) = api_version.rsplit_once('/').unwrap_or((&api_version[..0], api_version));
    let gvk = Gvk { group: table.span_of(group), version: table.span_of(version), kind: table.span_of(kind) };
    let root = TypeId { owner: Owner::Builtin, index: table.type_named(name)? };
    table.push_kind(gvk, root);
    words.next().is_none().then_some(())
}

/// Reads the field lines of a type, and passes over others; nothing where one is not as the grammar says.
pub(super) fn body(table: &Table, type_index: u32, lines: &str) -> Option<Body> {
    let owner = TypeId { owner: Owner::Builtin, index: type_index };
    let mut reader = BodyReader { table, owner, body: Body::default() };
    lines.split_terminator('\n').filter_map(|line| line.strip_prefix('\t')).try_for_each(|line| reader.field(line))?;
    let mut body = reader.body;
    body.fields.sort_by_key(|&(name, _)| table.text(name));
    Some(body)
}

struct BodyReader<'t> {
    table: &'t Table,
    owner: TypeId,
    body: Body,
}

impl BodyReader<'_> {
    fn field(&mut self, line: &str) -> Option<()> {
        let mut words = line.split(' ');
        let (name, shape, inside) = (words.next()?, words.next()?, words.next()?);
        let mut attributes = Attributes::default();
        words.try_for_each(|word| self.attribute(word, &mut attributes))?;
        let node = self.node(shape, inside, &attributes)?;
        self.body.fields.push((self.table.span_of(name), node));
        Some(())
    }

    /// The position that a field's words describe, built from the inside out.
    fn node(&mut self, shape_words: &str, inside: &str, attributes: &Attributes) -> Option<NodeId> {
        let mut shape = match inside {
            "-" => Shape::Scalar,
            "*" => Shape::Free,
            name => Shape::Object(TypeId { index: self.table.type_named(name)?, ..self.owner }),
        };
        if shape_words == "object" {
            return Some(if attributes.is_plain() { self.position(shape) } else { self.push(shape, attributes) });
        }
        let mut words = shape_words.rsplit('.').peekable();
        while let Some(word) = words.next() {
            let inner = self.position(shape);
            shape = match word {
                "map" => Shape::Map(inner),
                "list" if words.peek().is_some() => Shape::List(inner, ListRow::Atomic),
                "list" => Shape::List(inner, attributes.list_rule(&mut self.body)),
                _ => return None,
            };
        }
        Some(self.push(shape, attributes))
    }

    /// A position of this shape without a word of its own.
    fn position(&mut self, shape: Shape) -> NodeId {
        match shape {
            Shape::Object(id) => NodeId::Type(id),
            _ => self.body.push(self.owner, Node::plain(shape)),
        }
    }

    fn push(&mut self, shape: Shape, attributes: &Attributes) -> NodeId {
        let Attributes { patch, merge_key, map_kind, .. } = *attributes;
        self.body.push(self.owner, Node { shape, patch, merge_key, map_kind })
    }

    fn attribute(&mut self, word: &str, attributes: &mut Attributes) -> Option<()> {
        if let Some(keys) = word.strip_prefix("map=") {
            attributes.list = Some(self.body.push_keys(keys.split(',').map(|key| key_row(self.table, key))));
            return Some(());
        }
        match word {
            "set" => attributes.list = Some(ListRow::Set),
            "atomic" => attributes.map_kind = MapKind::Atomic,
            "granular" => attributes.map_kind = MapKind::Granular,
            _ => {
                let (strategy, key) = word.split_once('=').map_or((word, None), |(word, key)| (word, Some(key)));
                attributes.patch = PatchStrategy::parse(strategy)?;
                attributes.merge_key = key.map(|key| self.table.span_of(key));
            }
        }
        Some(())
    }
}

fn key_row(table: &Table, key: &str) -> KeyRow {
    let (name, default) = key.split_once(':').map_or((key, None), |(name, default)| (name, Some(default)));
    KeyRow { name: table.span_of(name), default: default.map(|text| table.span_of(text)) }
}

/// The words after a field's type.
struct Attributes {
    list: Option<ListRow>,
    patch: PatchStrategy,
    merge_key: Option<Text>,
    map_kind: MapKind,
}

impl Default for Attributes {
    fn default() -> Self {
        Self { list: None, patch: PatchStrategy::Default, merge_key: None, map_kind: MapKind::Inherited }
    }
}

impl Attributes {
    fn is_plain(&self) -> bool {
        self.list.is_none() && self.patch == PatchStrategy::Default && self.map_kind == MapKind::Inherited
    }

    fn list_rule(&self, body: &mut Body) -> ListRow {
        match (self.list, self.patch.merges_list(), self.merge_key) {
            (Some(rule), _, _) => rule,
            (None, true, Some(name)) => body.push_keys([KeyRow { name, default: None }]),
            (None, true, None) => ListRow::Set,
            (None, false, _) => ListRow::Atomic,
        }
    }
}
