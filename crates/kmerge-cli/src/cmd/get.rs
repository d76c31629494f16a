//! `kmerge get`: the values at places, read through aliases and merge keys.

use std::io::Write as _;
use std::path::Path as FilePath;

use kmerge_core::edit::Chosen;
use kyaml_ast::{
    Content, Document, Edit, Graft, LookupError, LookupErrorKind, Node, Pattern, Stream, StreamId, splice,
};

use crate::cli::edit::GetArgs;
use crate::diagnostic::{Code, Diagnostic};
use crate::edits::Inputs;
use crate::exit::Exit;
use crate::input::Source;
use crate::place;

pub(crate) fn run(args: &GetArgs) -> anyhow::Result<Exit> {
    if !args.place.many.within.is_empty() {
        return many(args);
    }
    let pattern = place::pattern(args.place.second.as_deref().unwrap_or("."))?;
    place::refuse_directory(FilePath::new(&args.place.first))?;
    let source = Source::read(FilePath::new(&args.place.first))?;
    let stream = source.parse()?;
    let choice = place::choose(&args.place.select, &source, &stream)?;
    // What stands for nothing can be read, too.
    let choice = choice.or_else(|| stream.documents().next().and_then(Chosen::document));
    let choice = choice.ok_or_else(|| place::no_document(&source))?;
    let is_optional = args.place.many.ignore_missing;
    let found = match found(&choice, &pattern) {
        Err(error) if is_optional && !is_ambiguous(&error) => Vec::new(),
        found => found.map_err(|error| place::lost(&error, &source))?,
    };
    if found.is_empty() && !is_optional {
        return Err(Diagnostic::error(Code::NotFound, format!("{} has no {pattern}", source.name)).into());
    }
    let mut out = std::io::stdout().lock();
    for node in found {
        out.write_all(shown(node)?.as_bytes())?;
    }
    Ok(Exit::Clean)
}

/// The values of all files, each with its file and line.
fn many(args: &GetArgs) -> anyhow::Result<Exit> {
    let pattern = place::pattern(&args.place.first)?;
    let selectors = place::selectors(&args.place.select)?;
    let inputs = Inputs::read(&args.place.many.within)?;
    inputs.tell_templates()?;
    let is_meant = |choice: &Chosen<'_>| match selectors.as_slice() {
        [] => choice.item.is_none(),
        some => some.iter().any(|selector| choice.is(selector)),
    };
    let (mut count, mut selected, mut out) = (0, 0, std::io::stdout().lock());
    for source in &inputs.sources {
        let stream = source.parse()?;
        for choice in Chosen::all(&stream).iter().filter(|choice| is_meant(choice)) {
            selected += 1;
            let found = match found(choice, &pattern) {
                Err(error) if is_ambiguous(&error) => return Err(place::lost(&error, source).into()),
                found => found.unwrap_or_default(),
            };
            for node in found {
                let place = source.place(node.span().start);
                let text = shown(node)?;
                let is_one_line = text.trim_end().lines().count() < 2 && !node.kind().is_collection();
                let text = if is_one_line { format!(" {text}") } else { format!("\n{text}") };
                write!(out, "{}:{}:{text}", crate::terminal::line(&source.name), place.line)?;
                count += 1;
            }
        }
    }
    let (expected, is_optional) = (args.place.many.expect, args.place.many.ignore_missing);
    if selected == 0 && expected.is_none() && !is_optional && place::shown(&args.place.select).is_some() {
        let all: Result<Vec<Stream<'_>>, Diagnostic> = inputs.sources.iter().map(Source::parse).collect();
        let names = all?.iter().flat_map(Chosen::all).filter_map(|choice| choice.name()).collect::<Vec<_>>();
        return Err(crate::edits::none_selected(&args.place.select, &names).into());
    }
    if expected.is_some_and(|expected| expected != count) || count == 0 && !is_optional {
        return Err(crate::edits::not_expected(count, expected, &pattern.to_string()).into());
    }
    Ok(Exit::Clean)
}

/// What a path leads to from a resource.
fn found<'t>(choice: &Chosen<'t>, pattern: &Pattern) -> Result<Vec<Node<'t>>, LookupError> {
    if let Some(path) = pattern.to_path() {
        let has_tokens = pattern.steps().iter().any(|step| matches!(step, kyaml_ast::Step::Token(_)));
        match choice.follow(&path) {
            Ok(node) => return Ok(vec![node]),
            // A number may be a field.
            Err(error) if !has_tokens => return Err(error),
            Err(_) => {}
        }
    }
    let ends = pattern.follow(choice.root);
    if let Some(error) = ends.iter().filter_map(kyaml_ast::End::error).find(is_ambiguous) {
        return Err(error);
    }
    if let ([end], false) = (ends.as_slice(), pattern.is_plural())
        && let Some(error) = end.error()
    {
        return Err(error);
    }
    Ok(ends.iter().filter(|end| end.rest.is_none()).map(|end| end.found.node).collect())
}

/// Whether a step of the path fits several items, of which it means one.
const fn is_ambiguous(error: &LookupError) -> bool {
    matches!(error.kind, LookupErrorKind::Ambiguous { .. })
}

/// A value as it is printed, with a line break at its end.
fn shown(node: Node<'_>) -> anyhow::Result<String> {
    if node.kind().is_collection() {
        return alone(node);
    }
    let mut value = if node.text().is_empty() { "null".to_owned() } else { node.value().into_owned() };
    if !value.ends_with('\n') {
        value.push('\n');
    }
    Ok(value)
}

/// A collection as a text of its own.
fn alone(node: Node<'_>) -> anyhow::Result<String> {
    let frame = Stream::parse("null\n")?;
    let Some(root) = frame.documents().next().and_then(Document::root) else { return Ok(String::new()) };
    let content = Content::Root(Graft::new(StreamId(1), node.id()));
    Ok(splice(&[&frame, node.stream()], StreamId(0), &[Edit::ReplaceRoot { root: root.id(), content }])?)
}
