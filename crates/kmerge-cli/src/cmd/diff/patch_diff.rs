//! `kmerge diff --as`: patches.

use std::io::Write as _;

use anyhow::ensure;
use kmerge_core::Schema;
use kmerge_core::apply::{Directory, ListOrder, Object, PatchError, PatchKind, PatchOptions};
use kmerge_core::value::{self, Map, Value};

use crate::cli::apply::PatchType;
use crate::cli::diff::DiffArgs;
use crate::cli::merge::ReportFormat;
use crate::cmd::{apply, patch};
use crate::diagnostic::{Code, Diagnostic};
use crate::exit::Exit;
use crate::files::Files;
use crate::manifest::{selected, unreadable};
use crate::place::selects;
use crate::terminal;

pub(super) fn run(args: &DiffArgs, kind: PatchType, schema: &Schema) -> anyhow::Result<Exit> {
    let (a, b) = (Files::read(&args.a)?, Files::read(&args.b)?);
    let (a_streams, b_streams) = (a.parse()?, b.parse()?);
    let a_sources: Vec<value::Source<'_>> = a_streams.iter().map(value::Source::new).collect();
    let b_sources: Vec<value::Source<'_>> = b_streams.iter().map(value::Source::new).collect();
    let (a_side, b_side) = (Side::new(&a, &a_sources), Side::new(&b, &b_sources));
    for (side, streams) in [(&a_side, &a_streams), (&b_side, &b_streams)] {
        // A patch is for objects. Files without any would seem to be equal.
        if let ([source], [read], [stream]) = (side.files.sources.as_slice(), side.sources, streams.as_slice())
            && stream.documents().any(|document| document.root().is_some())
        {
            selected(source, read, None)?;
        }
    }
    let keys = apply::keys(args.list_keys);
    let options = PatchOptions { schema, keys, order: ListOrder::Kubectl };
    let patches = patches(&a_side, &b_side, patch::kind(kind), options)?;
    ensure!(
        kind != PatchType::Json || patches.len() < 2,
        "{} objects differ, and a JSON patch does not say which it is for: compare one at a time",
        patches.len()
    );
    let texts: Vec<String> = patches.iter().map(|(_, patch)| print(patch, args.format)).collect();
    if !args.quiet {
        std::io::stdout().write_all(texts.join("---\n").as_bytes())?;
        if let (PatchType::Json, [(object, _)]) = (kind, &patches[..]) {
            tell_target(&a_side, *object)?;
        }
    }
    Ok(if patches.is_empty() { Exit::Clean } else { Exit::Findings })
}

/// One side of a diff.
struct Side<'a, 't> {
    files: &'a Files,
    sources: &'a [value::Source<'t>],
    objects: Vec<Object>,
}

impl<'a, 't> Side<'a, 't> {
    fn new(files: &'a Files, sources: &'a [value::Source<'t>]) -> Self {
        Self { files, sources, objects: Object::all(sources) }
    }

    fn read(&self, object: &Object) -> Result<Value, Diagnostic> {
        let value = object.value(&self.sources[object.source]);
        value.map_err(|error| unreadable(&error, &self.files.sources[object.source]))
    }
}

/// Says which object of several a JSON patch is for, which has no place for that.
fn tell_target(a: &Side<'_, '_>, index: usize) -> std::io::Result<()> {
    let object = &a.objects[index];
    let others = a.objects.iter().enumerate().filter(|(other, it)| *other != index && it.source == object.source);
    let others: Vec<&Object> = others.map(|(_, other)| other).collect();
    if others.is_empty() {
        return Ok(());
    }
    let id = &object.id;
    let namespace = if id.namespace.is_empty() { String::new() } else { format!("{}/", id.namespace) };
    let name = format!("{}/{namespace}{}", id.kind, id.name);
    // A name from a file may hold what a shell obeys.
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/.:_-".contains(&byte));
    let is_one = !id.name.is_empty() && !others.iter().any(|other| selects(&name, 0, Some(&other.id)));
    let first = a.objects.iter().position(|other| other.source == object.source).unwrap_or_default();
    let select = if is_word && is_one { name } else { format!("'#{}'", index - first + 1) };
    let file = &a.files.sources[object.source].name;
    writeln!(
        terminal::stderr(),
        "the patch is for one object of {file}: apply it with `kmerge patch --type json --select {select}`"
    )
}

/// The patches of all objects that both sides have and that differ, with the places of these in the first.
fn patches(
    a: &Side<'_, '_>,
    b: &Side<'_, '_>,
    kind: PatchKind,
    options: PatchOptions<'_>,
) -> Result<Vec<(usize, Value)>, Diagnostic> {
    let directory = Directory::new(&b.objects).map_err(|(_, second)| {
        let object = &b.objects[second];
        let message = format!("{} is there twice", object.id);
        Diagnostic::error(Code::Duplicate, message).at(&b.files.sources[object.source], object.span, "")
    })?;
    let mut patches = Vec::new();
    for (index, object) in a.objects.iter().enumerate() {
        let Ok(Some(other)) = directory.find(&object.id) else { continue };
        let other = &b.objects[other];
        let (old, new) = (a.read(object)?, b.read(other)?);
        if old == new {
            continue;
        }
        let made = old.diff(&new, kind, options).map_err(|error| {
            let diagnostic = Diagnostic::error(Code::Apply, format!("{}: {error}", object.id));
            let diagnostic = diagnostic.at(&a.files.sources[object.source], object.span, "from");
            let diagnostic = diagnostic.at(&b.files.sources[other.source], other.span, "to");
            match help(&error) {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            }
        })?;
        patches.push((index, named(made, &new)));
    }
    Ok(patches)
}

fn help(error: &PatchError) -> Option<&'static str> {
    match error {
        PatchError::Inexpressible => Some("--as json can say everything"),
        PatchError::UnknownKind => Some("--as merge or json need to know nothing; --crd FILE describes a kind"),
        _ => None,
    }
}

/// The patch with what tells which object it is for; JSON patches have no place for that.
fn named(mut patch: Value, object: &Value) -> Value {
    let Some(fields) = patch.as_map_mut() else { return patch };
    for name in ["apiVersion", "kind"] {
        if let Some(value) = object.get(name) {
            fields.insert(name.to_owned(), value.clone());
        }
    }
    let metadata = fields.entry("metadata".to_owned()).or_insert_with(|| Value::map(Map::new()));
    for name in ["name", "namespace"] {
        if let (Some(metadata), Some(value)) = (metadata.as_map_mut(), object.at(&["metadata", name])) {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    patch
}

fn print(patch: &Value, format: ReportFormat) -> String {
    match format {
        ReportFormat::Text => patch.to_yaml(),
        ReportFormat::Json => patch.to_json() + "\n",
    }
}
