//! Reads the texts that the built-in table is made of.
//!
//! ```text
//! # comment
//! kind apps/v1 Deployment apps/v1.Deployment     apiVersion, kind, type
//! type core/v1.PodSpec                           a type; `atomic` after the name: one value
//!     containers list core/v1.Container merge=name map=name
//!     nodeSelector map string atomic
//!     priority integer
//! ```
//!
//! `approximate` after a kind: it merges as the type says, but the type may lack fields of it. `open` after a type: an
//! object may have other fields as well.
//!
//! A field's line starts with a tab; its words are: name; where it is one, `map` or `list`, or lists and maps of each
//! other (`map.list`); what is inside at last: a type, a scalar (`string`, `integer`, `number`, `boolean`, `bytes`,
//! `quantity`, `intOrString`), or `*` for anything; then the patch strategy with its merge key, the list type (`set`,
//! `atomic`, `map=` with its keys and `key:default`) or the map type (`atomic`, `granular`).

use std::collections::BTreeMap;

use anyhow::{Context, bail, ensure};

use super::definitions::{Body, Definition, Field, Kind, Scalar, Shape};

/// What the texts say.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// In the order of their lines.
    pub(crate) kinds: Vec<KindLine>,
    pub(crate) types: BTreeMap<String, Definition>,
}

/// A kind, its type, and whether the type is only like it.
#[derive(Debug)]
pub(crate) struct KindLine {
    pub(crate) kind: Kind,
    pub(crate) root: String,
    pub(crate) approximate: bool,
}

/// Reads one text after another.
pub(crate) fn read(texts: &[&str]) -> anyhow::Result<Texts> {
    let mut read = Texts::default();
    let mut open = None;
    for (number, line) in texts.iter().flat_map(|text| text.lines().enumerate()) {
        read.line(line, &mut open).with_context(|| format!("in line {}: {line}", number + 1))?;
    }
    Ok(read)
}

impl Texts {
    /// Reads a line; `open` is the type whose fields follow.
    fn line(&mut self, line: &str, open: &mut Option<String>) -> anyhow::Result<()> {
        if let Some(field) = line.strip_prefix('\t') {
            let name = open.as_ref().context("a field outside of a type")?;
            let Some(Definition { body: Body::Struct(fields), .. }) = self.types.get_mut(name) else {
                bail!("{name} has no fields");
            };
            let (name, field) = read_field(field)?;
            ensure!(fields.insert(name, field).is_none(), "the field is there twice");
            return Ok(());
        }
        *open = None;
        match line.split(' ').collect::<Vec<_>>().as_slice() {
            [""] | ["#", ..] => {}
            ["kind", api_version, kind, root] => self.kinds.push(kind_line(api_version, kind, root)),
            ["kind", api_version, kind, root, "approximate"] => {
                self.kinds.push(KindLine { approximate: true, ..kind_line(api_version, kind, root) });
            }
            ["type", name, flags @ ..] => {
                let name = (*name).to_owned();
                ensure!(self.types.insert(name.clone(), type_line(&name, flags)?).is_none(), "the type is there twice");
                *open = Some(name);
            }
            _ => bail!("neither a kind, nor a type, nor a comment"),
        }
        Ok(())
    }
}

fn kind_line(api_version: &str, kind: &str, root: &str) -> KindLine {
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let kind = Kind { group: group.to_owned(), kind: kind.to_owned(), version: version.to_owned() };
    KindLine { kind, root: root.to_owned(), approximate: false }
}

fn type_line(name: &str, flags: &[&str]) -> anyhow::Result<Definition> {
    let body = Body::Struct(BTreeMap::new());
    let mut definition = Definition { name: name.to_owned(), body, atomic: false, open: false, kinds: Vec::new() };
    for flag in flags {
        match *flag {
            "atomic" => definition.atomic = true,
            "open" => definition.open = true,
            other => bail!("unknown flag {other}"),
        }
    }
    Ok(definition)
}

fn read_field(line: &str) -> anyhow::Result<(String, Field)> {
    let mut words = line.split(' ').peekable();
    let name = words.next().context("no name")?;
    let is_shape = |word: &&str| word.split('.').all(|word| matches!(word, "list" | "map"));
    let around = words.next_if(is_shape).unwrap_or_default();
    let inside = innermost(words.next().context("no type")?)?;
    let shape = around.rsplit('.').filter(|word| !word.is_empty()).fold(inside, |inner, word| match word {
        "list" => Shape::List(Box::new(inner)),
        _ => Shape::Map(Box::new(inner)),
    });
    let mut field =
        Field { shape, strategy: None, merge_key: None, list_type: None, map_keys: Vec::new(), map_type: None };
    words.try_for_each(|word| attribute(word, &mut field))?;
    Ok((name.to_owned(), field))
}

fn innermost(word: &str) -> anyhow::Result<Shape> {
    let scalar = Scalar::ALL.into_iter().find(|scalar| scalar.word() == word);
    Ok(match (word, scalar) {
        ("*", _) => Shape::Free,
        (_, Some(scalar)) => Shape::Scalar(scalar),
        (name, None) => {
            ensure!(name.contains('/'), "unknown type {name}");
            Shape::Named(name.to_owned())
        }
    })
}

fn attribute(word: &str, field: &mut Field) -> anyhow::Result<()> {
    let is_list = matches!(field.shape, Shape::List(_));
    match word {
        "set" if is_list => field.list_type = Some("set".to_owned()),
        "atomic" if is_list => field.list_type = Some("atomic".to_owned()),
        "atomic" | "granular" => field.map_type = Some(word.to_owned()),
        _ => match word.split_once('=') {
            Some(("map", keys)) if is_list => {
                field.list_type = Some("map".to_owned());
                field.map_keys = keys.split(',').map(map_key).collect();
            }
            found => {
                let (strategy, key) = found.map_or((word, None), |(strategy, key)| (strategy, Some(key)));
                let known = ["merge", "replace", "retainKeys", "merge,retainKeys", "retainKeys,merge"];
                ensure!(known.contains(&strategy), "unknown word {word}");
                field.strategy = Some(strategy.to_owned());
                field.merge_key = key.map(str::to_owned);
            }
        },
    }
    Ok(())
}

fn map_key(text: &str) -> (String, Option<String>) {
    let (name, default) = text.split_once(':').map_or((text, None), |(name, default)| (name, Some(default)));
    (name.to_owned(), default.map(str::to_owned))
}
