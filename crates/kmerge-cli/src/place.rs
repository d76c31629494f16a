//! One place of a file: the document that is meant, and the path in it.

use kmerge_core::{Resource, ResourceId};
use kyaml_ast::{Document, Kind, LookupError, Path, Span, Stream};

use crate::cli::edit::PlaceArgs;
use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;

/// The path that the arguments give.
pub(crate) fn path(args: &PlaceArgs) -> Result<Path, Diagnostic> {
    args.path.parse().map_err(|error: kyaml_ast::PathError| {
        let at = Span::at(error.at as u32);
        let source = Source::new("PATH", args.path.as_str());
        Diagnostic::error(Code::Path, error.kind.to_string())
            .at(&source, at, "")
            .help("such as .spec.containers[name=app].ports[0], or .metadata.annotations[\"a.b/c\"]")
    })
}

/// The document that the arguments choose: the only one with content, unless they say which.
pub(crate) fn document<'t>(
    args: &PlaceArgs,
    source: &Source,
    stream: &'t Stream<'t>,
) -> Result<Document<'t>, Diagnostic> {
    let has_content = |document: &Document<'_>| document.root().is_some_and(|root| root.kind() != Kind::Null);
    let documents: Vec<Document<'t>> = stream.documents().filter(has_content).collect();
    let chosen: Vec<Document<'t>> = match &args.select {
        Some(select) => {
            let numbered = documents.iter().enumerate();
            numbered.filter(|(index, document)| is_selected(select, *index, **document)).map(|(_, it)| *it).collect()
        }
        None => documents.clone(),
    };
    match (chosen.as_slice(), stream.documents().next()) {
        ([document], _) => Ok(*document),
        ([], Some(first)) if documents.is_empty() && args.select.is_none() => Ok(first),
        (several, _) => Err(ambiguous(args, source, if several.is_empty() { &documents } else { several })),
    }
}

fn ambiguous(args: &PlaceArgs, source: &Source, documents: &[Document<'_>]) -> Diagnostic {
    let message = match &args.select {
        Some(select) if documents.iter().any(|document| is_selected(select, usize::MAX, *document)) => {
            format!("{} holds several documents that --select {select} fits", source.name)
        }
        Some(select) => format!("{} holds no document that --select {select} fits", source.name),
        None => format!("{} holds {} documents", source.name, documents.len()),
    };
    let names: Vec<String> = documents.iter().enumerate().map(|(index, document)| name(index, *document)).collect();
    Diagnostic::error(Code::Selection, message).help(format!("--select chooses one: {}", names.join(", ")))
}

/// `Deployment/web`, or `#2` where that says nothing.
fn name(index: usize, document: Document<'_>) -> String {
    match Resource::of(document) {
        Some(Resource { id, .. }) if !id.name.is_empty() && !id.namespace.is_empty() => {
            format!("{}/{}/{}", id.kind, id.namespace, id.name)
        }
        Some(Resource { id, .. }) if !id.name.is_empty() => format!("{}/{}", id.kind, id.name),
        _ => format!("#{}", index + 1),
    }
}

fn is_selected(select: &str, index: usize, document: Document<'_>) -> bool {
    selects(select, index, Resource::of(document).map(|resource| resource.id).as_ref())
}

/// Whether `--select` means what stands at this position and is this resource.
pub(crate) fn selects(select: &str, index: usize, id: Option<&ResourceId>) -> bool {
    if let Some(number) = select.strip_prefix('#') {
        return number.parse() == Ok(index.saturating_add(1));
    }
    let Some(id) = id else { return false };
    let is_kind = |kind: &str| kind.is_empty() || id.kind.eq_ignore_ascii_case(kind);
    match *select.split('/').collect::<Vec<_>>() {
        [kind] => is_kind(kind),
        [kind, name] => is_kind(kind) && id.name == name,
        [kind, namespace, name] => is_kind(kind) && id.namespace == namespace && id.name == name,
        _ => false,
    }
}

/// A path that leads nowhere: where it stopped.
pub(crate) fn lost(error: &LookupError, source: &Source) -> Diagnostic {
    Diagnostic::error(Code::NotFound, error.to_string()).at(source, error.span, "")
}
