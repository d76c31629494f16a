//! One place of a file: the resource that is meant, a document or an item of a list of them, and the path in it.

use kmerge_core::{Resource, ResourceId, listed, resources};
use kyaml_ast::{Document, Kind, LookupError, Path, Segment, Span, Stream};

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

/// Where a path leads from.
#[derive(Clone, Debug)]
pub(crate) struct Place<'t> {
    /// The document that it is in.
    pub(crate) document: Document<'t>,
    /// What the document is, or the item of it that is meant.
    pub(crate) resource: Option<Resource>,
    /// The way from the document's root.
    pub(crate) path: Path,
    /// The way from the root of the resource.
    pub(crate) within: Path,
}

/// What `--select` can choose: a document, or an item of the list that it is.
struct Choice<'t> {
    document: Document<'t>,
    /// Position among the documents with content.
    number: usize,
    item: Option<usize>,
    resource: Option<Resource>,
}

/// The place that the arguments choose: in the only document with content, unless they say which, or which item.
pub(crate) fn choose<'t>(
    args: &PlaceArgs,
    path: Path,
    source: &Source,
    stream: &'t Stream<'t>,
) -> Result<Place<'t>, Diagnostic> {
    let choices = choices(stream);
    let is_chosen = |choice: &&Choice<'_>| match &args.select {
        Some(select) => choice.is(select),
        None => choice.item.is_none(),
    };
    let chosen: Vec<&Choice<'t>> = choices.iter().filter(is_chosen).collect();
    match (chosen.as_slice(), stream.documents().next()) {
        ([choice], _) => Ok(choice.place(path)),
        ([], Some(document)) if choices.is_empty() && args.select.is_none() => {
            Ok(Place { document, resource: None, within: path.clone(), path })
        }
        (several, _) => Err(ambiguous(args, source, &choices, several)),
    }
}

/// The documents with content, each followed by the items of the list that it is.
fn choices<'t>(stream: &'t Stream<'t>) -> Vec<Choice<'t>> {
    let has_content = |document: &Document<'_>| document.root().is_some_and(|root| root.kind() != Kind::Null);
    let mut choices = Vec::new();
    for (number, document) in stream.documents().filter(has_content).enumerate() {
        choices.push(Choice { document, number, item: None, resource: Resource::of(document) });
        let Some(root) = document.root().filter(|root| listed(*root).is_some()) else { continue };
        for (item, (_, resource)) in resources(root).into_iter().enumerate() {
            choices.push(Choice { document, number, item: Some(item), resource });
        }
    }
    choices
}

impl<'t> Choice<'t> {
    fn is(&self, select: &str) -> bool {
        let number = if self.item.is_none() { self.number } else { usize::MAX };
        selects(select, number, self.resource.as_ref().map(|resource| &resource.id))
    }

    fn place(&self, within: Path) -> Place<'t> {
        let item = self.item.map(|item| [Segment::Field("items".to_owned()), Segment::Index(item as i64)]);
        let path = item.into_iter().flatten().chain(within.segments().into_iter().cloned()).collect();
        Place { document: self.document, resource: self.resource.clone(), path, within }
    }

    /// `Deployment/web`, or `#2` where that says nothing.
    fn name(&self) -> Option<String> {
        match self.resource.as_ref().map(|resource| &resource.id).filter(|id| !id.name.is_empty()) {
            Some(id) if id.namespace.is_empty() => Some(format!("{}/{}", id.kind, id.name)),
            Some(id) => Some(format!("{}/{}/{}", id.kind, id.namespace, id.name)),
            None => self.item.is_none().then(|| format!("#{}", self.number + 1)),
        }
    }
}

fn ambiguous(args: &PlaceArgs, source: &Source, choices: &[Choice<'_>], chosen: &[&Choice<'_>]) -> Diagnostic {
    let message = match &args.select {
        Some(select) if chosen.is_empty() => format!("{} holds no resource that --select {select} fits", source.name),
        Some(select) => format!("{} holds several resources that --select {select} fits", source.name),
        None => format!("{} holds {} documents", source.name, chosen.len()),
    };
    let names: Vec<String> = match chosen {
        [] => choices.iter().filter_map(Choice::name).collect(),
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

/// A file without anything in it.
pub(crate) fn no_document(source: &Source) -> Diagnostic {
    Diagnostic::error(Code::Selection, format!("{} holds no document", source.name))
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
