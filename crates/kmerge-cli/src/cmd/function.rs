//! `kmerge fn`: patches and merges as a KRM function.
//!
//! What goes wrong with the instructions or the resources becomes a result in the list that is written; only a stdin
//! that is no ResourceList leaves nothing to write.

mod results;

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use kmerge_core::Schema;
use kmerge_core::build::{BuildError, Dialect, Instructions, PatchText, Session};
use kmerge_core::schema::SchemaError;
use kmerge_core::value::{self, Map, Value};
use kyaml_ast::{Document, Entry, Kind, Node, Stream};

use super::apply::schema_of;
use super::build::{code, dialect, near_misses};
use super::patch::in_block_style;
use crate::cli::build::FnArgs;
use crate::diagnostic::{Code, Diagnostic};
use crate::exit::Exit;
use crate::input::{STDIO, Source};
use results::{changes, failure, warning};

/// The list of resources is the first text.
const LIST: usize = 0;

pub(crate) fn run(args: &FnArgs) -> anyhow::Result<Exit> {
    let list = Source::read(Path::new(STDIO))?;
    let stream = list.parse()?;
    check(&list, &stream)?;
    let mut schema = schema_of(&args.kinds)?;
    let (text, exit) = match execute(args, &mut schema, (&list, &stream)) {
        Ok(text) => (text, Exit::Clean),
        Err(diagnostic) => {
            writeln!(crate::terminal::coloured_stderr(), "{}", diagnostic.render())?;
            (with_failure(&diagnostic, &stream)?, Exit::Findings)
        }
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(exit)
}

/// The root of the only document.
fn root<'t>(stream: &'t Stream<'t>) -> Option<Node<'t>> {
    stream.documents().find_map(Document::root)
}

fn field<'t>(root: Node<'t>, name: &str) -> Option<Node<'t>> {
    root.entries().find(|entry| entry.key().is_some_and(|key| key.value() == name)).map(Entry::value)
}

fn check(list: &Source, stream: &Stream<'_>) -> Result<(), Diagnostic> {
    let is_items = |items: Node<'_>| matches!(items.kind(), Kind::Sequence | Kind::Null);
    let is_list = root(stream).is_some_and(|root| {
        field(root, "kind").is_some_and(|kind| kind.value() == "ResourceList")
            && field(root, "items").is_none_or(is_items)
    });
    if is_list {
        return Ok(());
    }
    let span = root(stream).map(Node::span).unwrap_or_default();
    Err(Diagnostic::error(Code::Kustomization, "expected a ResourceList on stdin").at(list, span, ""))
}

/// The texts of patches and of objects to merge.
struct Texts {
    sources: Vec<Source>,
    patches: usize,
}

impl Texts {
    fn of(instructions: &Instructions) -> Self {
        let source = |(number, text): (usize, &String), what: &str| {
            let source = Source::new(format!("functionConfig: {what} {}", number + 1), text.as_str());
            in_block_style(&source, false).unwrap_or(source)
        };
        let patches = instructions.patches.iter().map(|entry| match &entry.text {
            PatchText::Inline(text) | PatchText::Path(text) | PatchText::Either(text) => &text.text,
        });
        let merges = instructions.merges.iter().map(|text| &text.text);
        let patches: Vec<Source> = patches.enumerate().map(|text| source(text, "patch")).collect();
        let count = patches.len();
        let merges = merges.enumerate().map(|text| source(text, "merge"));
        Self { sources: patches.into_iter().chain(merges).collect(), patches: count }
    }
}

fn execute(args: &FnArgs, schema: &mut Schema, (list, stream): (&Source, &Stream<'_>)) -> Result<String, Diagnostic> {
    let config = root(stream).and_then(|root| field(root, "functionConfig"));
    let config = config.filter(|config| config.kind() == Kind::Mapping);
    let missing = || Diagnostic::error(Code::Kustomization, "the ResourceList has no functionConfig");
    let instructions = Instructions::read(config.ok_or_else(missing)?)
        .map_err(|error| Diagnostic::error(Code::Kustomization, error.to_string()).at(list, error.span, ""))?;
    let texts = Texts::of(&instructions);
    let streams = texts.sources.iter().map(Source::parse).collect::<Result<Vec<_>, _>>()?;
    let dialect = instructions.dialect.unwrap_or(dialect(args.compat));
    let warnings = if dialect == Dialect::Kmerge { add_definitions((list, stream), schema) } else { Vec::new() };
    let files: Vec<value::Source<'_>> = std::iter::once(stream).chain(&streams).map(value::Source::new).collect();
    let mut session = Session::new(&files, schema, dialect);
    let explained = |error: Box<BuildError>| explain(&error, list, &texts);
    session.add_any(LIST).map_err(explained)?;
    for (index, entry) in instructions.patches.iter().enumerate() {
        session.patch(index + 1, entry).map_err(explained)?;
    }
    for index in 0..instructions.merges.len() {
        session.merge_into_list(texts.patches + index + 1, LIST).map_err(explained)?;
    }
    session.follow_names().map_err(explained)?;
    let own = read(&files[LIST]);
    let own = own.map_err(|error| Diagnostic::error(Code::Apply, error.to_string()).at(list, error.span, ""))?;
    if let Some(wanted) = session.document_mut(LIST).map_err(explained)?.and_then(Value::as_map_mut) {
        let changes = changes(own.as_ref(), wanted.get("items"));
        add_results(wanted, warnings.into_iter().chain(changes).collect());
    }
    let written = session.finish().map_err(explained)?;
    Ok(written.into_iter().next().flatten().unwrap_or_else(|| list.text.clone()))
}

/// An error with the places that it is about.
fn explain(error: &BuildError, list: &Source, texts: &Texts) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(code(&error.kind), error.to_string());
    for place in &error.places {
        let source = place.text.checked_sub(1).map_or(Some(list), |index| texts.sources.get(index));
        if let Some(source) = source {
            diagnostic = diagnostic.at(source, place.span, "");
        }
    }
    match near_misses(&error.near) {
        Some(near) => diagnostic.help(near),
        None => diagnostic,
    }
}

/// The custom resource definitions in the list tell how lists of their kinds merge; warns of one that cannot be understood.
fn add_definitions((list, stream): (&Source, &Stream<'_>), schema: &mut Schema) -> Vec<Value> {
    let errors = stream.documents().filter_map(|document| schema.add_crds(document).err());
    let warn = |error: SchemaError| {
        warning(&format!("{}:{}: not used for merging: {error}", list.name, list.place(error.span.start).line))
    };
    errors.map(warn).collect()
}

fn read(file: &value::Source<'_>) -> Result<Option<Value>, value::ReadError> {
    let document = file.stream().documents().find(|document| document.root().is_some());
    document.map_or(Ok(None), |document| file.value(document))
}

fn add_results(list: &mut Map, results: Vec<Value>) {
    if results.is_empty() {
        return;
    }
    let own = list.entry("results".to_owned()).or_insert_with(|| Value::list(Vec::new()));
    match own.as_list_mut() {
        Some(own) => own.extend(results),
        None => *own = Value::list(results),
    }
}

/// The list as it was, with a result that says what is wrong.
fn with_failure(diagnostic: &Diagnostic, stream: &Stream<'_>) -> anyhow::Result<String> {
    let files = [value::Source::new(stream)];
    let schema = Schema::new();
    let mut session = Session::new(&files, &schema, Dialect::Kmerge);
    if let Some(list) = session.document_mut(LIST)?.and_then(Value::as_map_mut) {
        add_results(list, vec![failure(diagnostic)]);
    }
    let written = session.finish()?.into_iter().next().flatten();
    written.context("a result is always something new")
}
