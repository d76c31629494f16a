//! `kmerge set`: another value at one place.

use std::path::Path as FilePath;

use kmerge_core::same_value;
use kyaml_ast::{ChangeError, Document, NewValue, Node, Path, Segment, Stream};

use crate::aliases::{self, Change};
use crate::cli::edit::SetArgs;
use crate::deliver::Target;
use crate::diagnostic::{Code, Diagnostic};
use crate::exit::Exit;
use crate::input::{STDIO, Source};
use crate::merge_files::only_one_is_stdin;
use crate::place::{self, Place};

pub(crate) fn run(args: &SetArgs) -> anyhow::Result<Exit> {
    let path = place::path(&args.place)?;
    let is_piped = args.value == STDIO;
    if is_piped {
        only_one_is_stdin([&args.place.file, &args.value.clone().into()])?;
    }
    let value = if is_piped { Source::read(FilePath::new(STDIO))? } else { Source::new("VALUE", args.value.as_str()) };
    let target = Target::new(&args.target, &args.place.file)?;
    target.edit(&args.place.file, None, |source| changed(args, path.clone(), &value, source).map(Some))
}

/// The text of a file after the change.
fn changed(args: &SetArgs, path: Path, value: &Source, source: &Source) -> anyhow::Result<String> {
    let stream = source.parse()?;
    let place = place::choose(&args.place, path, source, &stream)?;
    let (document, path) = (place.document, &place.path);
    document.root().map_or(Ok(()), |root| aliases::refuse(root, path, Change::Set, source))?;
    let parsed = if args.string { None } else { as_yaml(args, value)? };
    let old = document.root().and_then(|root| path.find(root).ok()).map(|found| found.node);
    let must_be_text = holds_strings(&place);
    let is_text = |node: Node<'_>| node.is_string() || must_be_text || old.is_some_and(Node::is_string);
    let node = parsed.as_ref().and_then(root);
    // Where text is meant, 1.10 is not 1.1.
    let is_other_text = |new: Node<'_>, old: Node<'_>| must_be_text && new.value() != old.value();
    if node.zip(old).is_some_and(|(new, old)| has_nothing_new(new, old) && !is_other_text(new, old)) {
        return Ok(source.text.clone());
    }
    let node = node.filter(|node| args.yaml || !is_text(*node));
    let text = document.set(path, node.map_or(NewValue::Text(&value.text), NewValue::Node));
    Ok(text.map_err(|error| refused(&error, path, source))?)
}

/// The value as YAML; without `--yaml`, only where it looks like more than a text.
fn as_yaml<'v>(args: &SetArgs, value: &'v Source) -> Result<Option<Stream<'v>>, Diagnostic> {
    if args.yaml {
        return value.parse().map(Some);
    }
    let stream = Stream::parse(&value.text).ok();
    Ok(stream.filter(|stream| root(stream).is_some_and(|root| !root.is_block_collection())))
}

fn root<'t>(stream: &'t Stream<'_>) -> Option<Node<'t>> {
    let mut documents = stream.documents();
    let root = documents.next().and_then(Document::root)?;
    documents.next().is_none().then_some(root)
}

/// Whether a value is what stands there already, and brings no anchor or comment of its own.
fn has_nothing_new(new: Node<'_>, old: Node<'_>) -> bool {
    let is_plain = |node: Node<'_>| node.stream().comments_in(node.full_span()).next().is_none();
    same_value(new, old) && (new.anchor().is_none() || new.anchor() == old.anchor()) && is_plain(new)
}

/// Whether the path leads into a mapping whose values Kubernetes takes for nothing but strings.
fn holds_strings(place: &Place<'_>) -> bool {
    let Some((parent, Segment::Field(_))) = place.within.split_last() else { return false };
    let Some(Segment::Field(name)) = parent.last() else { return false };
    let is_kind =
        |kinds: [&str; 2]| place.resource.as_ref().is_some_and(|resource| kinds.contains(&resource.id.kind.as_str()));
    match name.as_str() {
        "labels" | "annotations" | "matchLabels" | "nodeSelector" => true,
        "data" | "stringData" => parent.depth() == 1 && is_kind(["ConfigMap", "Secret"]),
        _ => false,
    }
}

/// Why a place cannot be changed, and where that shows.
pub(super) fn refused(error: &ChangeError, path: &Path, source: &Source) -> Diagnostic {
    match error {
        ChangeError::Lookup(error) => place::lost(error, source),
        ChangeError::Anchored { alias, .. } => {
            Diagnostic::error(Code::Anchor, format!("{path}: {error}")).at(source, *alias, "the alias")
        }
        ChangeError::Root => Diagnostic::error(Code::Path, format!("{}: {path} is the whole document", source.name))
            .help("delete a field of it, or the file"),
        ChangeError::Empty => {
            Diagnostic::error(Code::NotFound, format!("{} is empty: only fields can be added, not {path}", source.name))
        }
        _ => Diagnostic::error(Code::BrokenResult, format!("{}: {path}: {error}", source.name)),
    }
}
