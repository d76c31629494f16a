//! One place of a file: the path, and the resource that is meant, a document or an item of a list of them.

use std::path::Path as FilePath;

use kmerge_core::ResourceId;
use kmerge_core::edit::{Chosen, ProblemKind, ScriptError, Selector};
use kyaml_ast::{LookupError, Pattern, Span, Stream};

use crate::cli::edit::SelectFlags;
use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;

/// The path that an argument gives.
pub(crate) fn pattern(text: &str) -> Result<Pattern, Diagnostic> {
    text.parse().map_err(|error: kyaml_ast::PathError| {
        let at = Span::at(error.at as u32);
        let source = Source::new("PATH", text);
        Diagnostic::error(Code::Path, error.kind.to_string())
            .at(&source, at, "")
            .help("such as .spec.containers[name=app].ports[0], or .metadata.annotations[\"a.b/c\"]")
    })
}

/// The selectors that the flags give, any of which may fit; none where there are no flags.
pub(crate) fn selectors(flags: &SelectFlags) -> Result<Vec<Selector>, Diagnostic> {
    let of = |name: &str, text: &str, error: ScriptError| {
        let source = Source::new(name, text);
        Diagnostic::error(Code::Selection, error.kind.to_string()).at(&source, Span::at(error.at as u32), "")
    };
    let given = flags.select.iter().map(|text| Selector::parse(text).map_err(|error| of("--select", text, error)));
    let mut selectors = given.collect::<Result<Vec<_>, _>>()?;
    let has_conditions = flags.labels.is_some() || flags.namespace.is_some() || !flags.conditions.is_empty();
    if selectors.is_empty() && has_conditions {
        selectors.push(Selector::default());
    }
    for selector in &mut selectors {
        if let Some(text) = &flags.labels {
            selector.and_labels(text).map_err(|error| of("-l", text, error))?;
        }
        if let Some(namespace) = &flags.namespace {
            selector.and_namespace(namespace);
        }
        for text in &flags.conditions {
            selector.and_where(text).map_err(|error| of("--where", text, error))?;
        }
    }
    Ok(selectors)
}

/// The resource that the flags choose: the only document with content, unless they say which, or which item; `None` where the
/// file holds nothing.
pub(crate) fn choose<'t>(
    flags: &SelectFlags,
    source: &Source,
    stream: &'t Stream<'t>,
) -> Result<Option<Chosen<'t>>, Diagnostic> {
    let selectors = selectors(flags)?;
    let all = Chosen::all(stream);
    let is_chosen = |choice: &&Chosen<'_>| match selectors.as_slice() {
        [] => choice.item.is_none(),
        some => some.iter().any(|selector| choice.is(selector)),
    };
    let chosen: Vec<&Chosen<'t>> = all.iter().filter(is_chosen).collect();
    match chosen.as_slice() {
        [choice] => Ok(Some((*choice).clone())),
        [] if all.is_empty() && selectors.is_empty() => Ok(None),
        several => Err(ambiguous(flags, source, &all, several)),
    }
}

fn ambiguous(flags: &SelectFlags, source: &Source, choices: &[Chosen<'_>], chosen: &[&Chosen<'_>]) -> Diagnostic {
    let message = match shown(flags) {
        Some(select) if chosen.is_empty() => format!("{} has no resource that matches {select}", source.name),
        Some(select) => format!("{} has several resources that match {select}", source.name),
        None => format!("{} holds {} documents", source.name, chosen.len()),
    };
    let names: Vec<String> = match chosen {
        [] => choices.iter().filter_map(Chosen::name).collect(),
        several => several.iter().filter_map(|choice| choice.name()).collect(),
    };
    let diagnostic = Diagnostic::error(Code::Selection, message);
    if names.is_empty() {
        diagnostic
    } else {
        diagnostic.help(format!("--select chooses one: {}", first_names(&names)))
    }
}

/// Names for a message: at most ten, and how many more there are.
pub(crate) fn first_names(names: &[String]) -> String {
    const MOST: usize = 10;
    let shown = names[..names.len().min(MOST)].join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Refuses a directory where one file is meant.
pub(crate) fn refuse_directory(path: &FilePath) -> Result<(), Diagnostic> {
    if !path.is_dir() {
        return Ok(());
    }
    let message = format!("{} is a directory", path.display());
    Err(Diagnostic::error(Code::Io, message).help("write directories last, behind --in"))
}

/// A file without anything in it.
pub(crate) fn no_document(source: &Source) -> Diagnostic {
    Diagnostic::error(Code::Selection, format!("{} holds no document", source.name))
}

/// The flags as they were given; `None` where there are none.
pub(crate) fn shown(flags: &SelectFlags) -> Option<String> {
    let mut words: Vec<String> = flags.select.iter().map(|text| format!("--select {text}")).collect();
    words.extend(flags.labels.iter().map(|text| format!("-l {text}")));
    words.extend(flags.namespace.iter().map(|text| format!("-n {text}")));
    words.extend(flags.conditions.iter().map(|text| format!("--where {text}")));
    if words.is_empty() { None } else { Some(words.join(" ")) }
}

/// Whether `--select` means what stands at this position and is this resource.
pub(crate) fn selects(select: &str, index: usize, id: Option<&ResourceId>) -> bool {
    Selector::parse(select).is_ok_and(|selector| selector.fits(Some(index), id, None))
}

/// A path that leads nowhere: where it stopped, and what is there.
pub(crate) fn lost(error: &LookupError, source: &Source) -> Diagnostic {
    let help = ProblemKind::Missing(error.clone()).help();
    let diagnostic = Diagnostic::error(Code::NotFound, error.to_string()).at(source, error.span, "");
    help.into_iter().fold(diagnostic, Diagnostic::help)
}
