//! The texts as rows of constant data, which `kmerge-core` includes as `schema/builtin.in`.
//!
//! Rows are written with the short functions of `schema/builtin.rs` there. Texts, positions and keys that are alike stand
//! once. Kinds are sorted by kind and group, types and the fields of each by name.

use std::collections::HashMap;
use std::fmt::Write as _;

use anyhow::{Context, ensure};

use super::definitions::{Body, Field, Scalar, Shape};
use super::text::{KindLine, Texts};

/// Characters of a line at most, as far as rows allow.
const WIDTH: usize = 120;

/// The source of the table.
pub(crate) fn source(texts: &Texts) -> anyhow::Result<String> {
    let mut rows = Rows { types: texts.types.keys().map(String::as_str).zip(0..).collect(), ..Rows::default() };
    let mut kinds: Vec<&KindLine> = texts.kinds.iter().collect();
    kinds.sort_by_key(|line| (&line.kind.kind, &line.kind.group));
    let kinds = kinds.into_iter().map(|line| rows.kind(line)).collect::<anyhow::Result<Vec<_>>>()?;
    let (mut types, mut fields) = (Vec::new(), Vec::new());
    for (name, definition) in &texts.types {
        let Body::Struct(own) = &definition.body else { continue };
        let (name_row, open) = (rows.text(name), definition.open);
        types.push(format!("ty({name_row},{},{},{},{open})", fields.len(), own.len(), definition.atomic));
        for (field, described) in own {
            let row = rows.field(field, described).with_context(|| format!("in {name}.{field}"))?;
            fields.push(row);
        }
    }
    let mut out = "// Written by `cargo xtask schema` from builtin.txt and declared.txt. Do not edit.\n".to_owned();
    out += &pool(&rows.pool)?;
    let Rows { nodes, keys, .. } = rows;
    for (name, row, rows) in [
        ("KINDS", "KindRow", kinds),
        ("TYPES", "TypeRow", types),
        ("FIELDS", "FieldRow", fields),
        ("NODES", "Node", nodes.rows),
        ("KEYS", "KeyRow", keys),
    ] {
        write!(out, "const {name}: &[{row}] = &[\n{}];\n", filled(&rows))?;
    }
    Ok(out)
}

/// The pool as a text over several lines.
fn pool(pool: &str) -> anyhow::Result<String> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    ensure!(pool.bytes().all(is_plain), "a name with characters that no name has");
    let mut out = "const POOL: &str = \"".to_owned();
    for start in (0..pool.len()).step_by(WIDTH) {
        out.extend(["\\\n", &pool[start..(start + WIDTH).min(pool.len())]]);
    }
    Ok(out + "\";\n")
}

/// Rows one behind the other, in lines.
fn filled(rows: &[String]) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for row in rows {
        if column + row.len() >= WIDTH {
            out.push('\n');
            column = 0;
        }
        out.extend([row, ","]);
        column += row.len() + 1;
    }
    out + "\n"
}

#[derive(Default)]
struct Rows<'t> {
    types: HashMap<&'t str, usize>,
    pool: String,
    texts: HashMap<String, String>,
    nodes: Interned,
    keys: Vec<String>,
    key_lists: HashMap<Vec<String>, String>,
}

/// Rows of which each stands once.
#[derive(Default)]
struct Interned {
    rows: Vec<String>,
    known: HashMap<String, usize>,
}

impl Interned {
    fn index(&mut self, row: String) -> usize {
        let rows = &mut self.rows;
        *self.known.entry(row).or_insert_with_key(|row| {
            rows.push(row.clone());
            rows.len() - 1
        })
    }
}

impl Rows<'_> {
    /// The place of a text in the pool: `12,5`.
    fn span(&mut self, text: &str) -> String {
        let pool = &mut self.pool;
        let place = self.texts.entry(text.to_owned()).or_insert_with_key(|text| {
            pool.push_str(text);
            format!("{},{}", pool.len() - text.len(), text.len())
        });
        place.clone()
    }

    fn text(&mut self, text: &str) -> String {
        format!("text({})", self.span(text))
    }

    fn optional(&mut self, text: Option<&str>) -> String {
        text.map_or_else(|| "None".to_owned(), |text| format!("Some({})", self.text(text)))
    }

    fn type_index(&self, name: &str) -> anyhow::Result<usize> {
        self.types.get(name).copied().with_context(|| format!("there is no type {name}"))
    }

    fn kind(&mut self, line: &KindLine) -> anyhow::Result<String> {
        let root = self.type_index(&line.root)?;
        let [group, version, kind] =
            [&line.kind.group, &line.kind.version, &line.kind.kind].map(|text| self.text(text));
        Ok(format!("kind({group},{version},{kind},{root},{})", line.approximate))
    }

    fn field(&mut self, name: &str, field: &Field) -> anyhow::Result<String> {
        let span = self.span(name);
        Ok(format!("field({span},{})", self.position(field)?))
    }

    /// The position of a field's value: an object of a type, unless there is more to say.
    fn position(&mut self, field: &Field) -> anyhow::Result<String> {
        let is_plain = field.strategy.is_none() && field.map_type.is_none();
        let shape = match &field.shape {
            Shape::Named(_) if is_plain => return self.inner(&field.shape),
            Shape::List(item) => format!("List({},{})", self.inner(item)?, self.list_row(field)),
            other => self.shape(other)?,
        };
        let row = if is_plain {
            format!("plain({shape})")
        } else {
            let key = self.optional(field.merge_key.as_deref());
            format!("node({shape},{},{key},{})", strategy(field), map_kind(field))
        };
        Ok(format!("n({})", self.nodes.index(row)))
    }

    /// A position about which nothing is said but its shape.
    fn inner(&mut self, shape: &Shape) -> anyhow::Result<String> {
        if let Shape::Named(name) = shape {
            return Ok(format!("a({})", self.type_index(name)?));
        }
        let row = format!("plain({})", self.shape(shape)?);
        Ok(format!("n({})", self.nodes.index(row)))
    }

    fn shape(&mut self, shape: &Shape) -> anyhow::Result<String> {
        Ok(match shape {
            Shape::Scalar(scalar) => format!("Scalar({})", scalar_name(*scalar)),
            Shape::Free => "Free".to_owned(),
            Shape::Named(name) => format!("Object(id({}))", self.type_index(name)?),
            Shape::Map(value) => format!("Map({})", self.inner(value)?),
            Shape::List(item) => format!("List({},Atomic)", self.inner(item)?),
        })
    }

    /// A list's rule: its map keys, else its merge key, else a set where it says so or merges without a key, else atomic.
    fn list_row(&mut self, field: &Field) -> String {
        let merges = field.strategy.as_deref().is_some_and(|word| word.split(',').any(|word| word == "merge"));
        match (field.list_type.as_deref(), &field.merge_key) {
            (Some("map"), _) => self.keyed(&field.map_keys),
            (Some("set"), _) => "Set".to_owned(),
            (_, Some(key)) if merges => self.keyed(&[(key.clone(), None)]),
            (_, None) if merges => "Set".to_owned(),
            _ => "Atomic".to_owned(),
        }
    }

    fn keyed(&mut self, keys: &[(String, Option<String>)]) -> String {
        let mut rows = Vec::new();
        for (name, default) in keys {
            rows.push(format!("key({},{})", self.text(name), self.optional(default.as_deref())));
        }
        let all = &mut self.keys;
        let list = self.key_lists.entry(rows).or_insert_with_key(|rows| {
            all.extend_from_slice(rows);
            format!("by({},{})", all.len() - rows.len(), rows.len())
        });
        list.clone()
    }
}

const fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::String => "Str",
        Scalar::Integer => "Integer",
        Scalar::Number => "Number",
        Scalar::Boolean => "Boolean",
        Scalar::Bytes => "Bytes",
        Scalar::Quantity => "Quantity",
        Scalar::IntOrString => "IntOrString",
    }
}

fn strategy(field: &Field) -> &'static str {
    match field.strategy.as_deref() {
        None => "D",
        Some("merge") => "M",
        Some("replace") => "R",
        Some("retainKeys") => "RK",
        Some(_) => "MR",
    }
}

fn map_kind(field: &Field) -> &'static str {
    match field.map_type.as_deref() {
        Some("atomic") => "Whole",
        Some("granular") => "Granular",
        _ => "Inherited",
    }
}
