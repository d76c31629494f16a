//! `kmerge patch`: strategic, merge and JSON patches.

use std::path::Path;

use anyhow::ensure;
use kmerge_core::apply::{
    BatchErrorKind, Directory, Documents, ListOrder, Object, PatchError, PatchKind, PatchOptions, Unchecked,
};
use kmerge_core::value::{self, Value};
use kmerge_core::{ResourceId, Secrets};
use kyaml_ast::{Document, Node, Stream};

use super::apply::{keys, schema_of};
use crate::cli::apply::{PatchArgs, PatchType};
use crate::deliver::Target;
use crate::diagnostic::{Code, Diagnostic};
use crate::exit::Exit;
use crate::input::{STDIO, Source};
use crate::manifest;
use crate::options::new_elements;
use crate::place::first_names;

/// A patch as it was given, and as YAML in block style if it was given as JSON or on the command line: new parts of the
/// file are then written as people write them. Both hold the same documents.
struct Given {
    source: Source,
    restyled: Option<Source>,
}

pub(crate) fn run(args: &PatchArgs) -> anyhow::Result<Exit> {
    let target = Target::new(&args.target, &args.file)?;
    let schema = schema_of(&args.kinds)?;
    let patches = args.patch.iter().map(|text| given(text)).collect::<anyhow::Result<Vec<Given>>>()?;
    let options = PatchOptions {
        schema: &schema,
        keys: keys(args.lists.list_keys),
        order: new_elements(args.lists.list_order).map_or(ListOrder::Kubectl, ListOrder::Directed),
    };
    let means_all = args.select.is_none() && patches.iter().all(Given::names_no_object);
    target.edit_and_tell(&args.file, &args.say, |source| {
        // Where something is wrong, the whole file says what.
        if means_all && let Some(text) = patched_in_parts(args, source, &patches, options) {
            return Ok(text);
        }
        // The trees have gone when the result is read: both would take twice the room.
        let text = patched(args, source, &patches, options)?;
        Ok(manifest::checked(text, source)?)
    })
}

impl Given {
    /// Whether the patch is for whatever objects there are.
    fn names_no_object(&self) -> bool {
        let Ok(stream) = self.source.parse() else { return false };
        stream.documents().filter_map(Document::root).all(|root| named(root).is_none())
    }
}

/// The object that a patch names.
fn named(patch: Node<'_>) -> Option<ResourceId> {
    kmerge_core::Resource::of_node(patch).map(|resource| resource.id).filter(|id| !id.name.is_empty())
}

/// The patch that an argument means: a file if there is one of that name, else the argument itself.
fn given(text: &str) -> anyhow::Result<Given> {
    let is_file = text == STDIO || Path::new(text).is_file();
    let source = if is_file { Source::read(Path::new(text))? } else { Source::new("PATCH", text) };
    let is_name = !is_file && !text.contains(['{', '[', ':', '\n']);
    ensure!(!is_name || text.trim().is_empty(), "{text} is neither a file nor a patch");
    let says_nothing = |stream: &Stream<'_>| stream.documents().all(|document| document.root().is_none());
    ensure!(!source.parse().is_ok_and(|stream| says_nothing(&stream)), "the patch {} is empty", source.name);
    let restyled = in_block_style(&source, !is_file);
    Ok(Given { source, restyled })
}

/// The only document of a text in block style, if it is in flow style or `always`, and has no comments to lose. JSON is written as
/// people write YAML; all else keeps its spelling: `1.10` stays `1.10`.
pub(super) fn in_block_style(source: &Source, always: bool) -> Option<Source> {
    let stream = Stream::parse(&source.text).ok()?;
    let mut documents = stream.documents();
    let document = documents.next().filter(|document| always || document.root().is_some_and(Node::is_flow))?;
    if documents.next().is_some() || source.text.contains('#') {
        return None;
    }
    let text = match serde_json::from_str::<serde::de::IgnoredAny>(&source.text) {
        Ok(_) => value::Source::new(&stream).value(document).ok()??.to_yaml_as_written(),
        Err(_) => document.root()?.to_block_style()?,
    };
    Some(Source::new(source.name.as_str(), text))
}

/// The new text of a large file, of which one part at a time is held; `None` where that is not possible.
fn patched_in_parts(args: &PatchArgs, source: &Source, patches: &[Given], options: PatchOptions<'_>) -> Option<String> {
    Documents::edit_in_parts(&source.text, |part| {
        let part = Source::new(source.name.as_str(), part);
        let new = patched(args, &part, patches, options).ok()?;
        manifest::checked(new, &part).ok()
    })
}

fn patched(
    args: &PatchArgs,
    source: &Source,
    patches: &[Given],
    options: PatchOptions<'_>,
) -> Result<Option<Unchecked>, Diagnostic> {
    let stream = source.parse_mergeable()?;
    let file = value::Source::new(&stream);
    let originals = patches.iter().map(|given| given.source.parse()).collect::<Result<Vec<_>, _>>()?;
    let texts = patches.iter().map(|given| given.restyled.as_ref().unwrap_or(&given.source));
    let streams = texts.map(Source::parse).collect::<Result<Vec<_>, _>>()?;
    let files: Vec<value::Source<'_>> = streams.iter().map(value::Source::new).collect();
    let objects = manifest::selected(source, &file, args.select.as_deref())?;
    let mut documents = Documents::for_patches(&file, &files);
    for (index, patch_file) in files.iter().enumerate() {
        let patch_source = &patches[index].source;
        for (document, original) in patch_file.stream().documents().zip(originals[index].documents()) {
            let value = documents.patch_value(index, document);
            let Some(value) = value.map_err(|error| manifest::unreadable(&error, patch_source))? else { continue };
            for object in meant(args, &objects, &value, (original, patch_source))? {
                if !args.create {
                    refuse_unknown_fields((original, patch_source), (object.node(&file), object), options.schema)?;
                }
                let patched = documents.patch(object, &value, kind(args.r#type), options);
                patched.map_err(|error| explain(error, (object, source), (original, patch_source)))?;
            }
        }
    }
    manifest::unchecked(documents, source)
}

pub(super) const fn kind(kind: PatchType) -> PatchKind {
    match kind {
        PatchType::Strategic => PatchKind::Strategic,
        PatchType::Merge => PatchKind::Merge,
        PatchType::Json => PatchKind::Json,
    }
}

/// Refuses fields that the object's kind does not have: they are misspelt, most likely.
fn refuse_unknown_fields(
    (document, source): (Document<'_>, &Source),
    (node, object): (Node<'_>, &Object),
    schema: &kmerge_core::Schema,
) -> Result<(), Diagnostic> {
    let Some(root) = document.root() else { return Ok(()) };
    let Some(found) = schema.check_patch(root, node).into_iter().next() else { return Ok(()) };
    let similar = found.similar.first().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    let message = format!("{} has no field `{}`{similar}", object.id, found.name);
    let diagnostic = Diagnostic::error(Code::UnknownField, message);
    // A misspelt `stringData` holds passwords, too.
    let diagnostic = match Secrets::is_kind(&object.id.kind) {
        true => diagnostic.at_hidden(source, found.span, ""),
        false => diagnostic.at(source, found.span, ""),
    };
    Err(diagnostic.help("--create (-c) adds it anyway"))
}

/// The objects that a patch means.
fn meant<'o>(
    args: &PatchArgs,
    objects: &'o [Object],
    patch: &Value,
    (document, source): (Document<'_>, &Source),
) -> Result<Vec<&'o Object>, Diagnostic> {
    let id = document.root().and_then(named);
    let (None, Some(id), Some(_)) = (&args.select, id, patch.as_map()) else { return Ok(objects.iter().collect()) };
    let span = document.root().map(Node::span).unwrap_or_default();
    let found = Directory::new(objects).and_then(|directory| directory.find(&id));
    match found {
        Ok(Some(index)) => Ok(vec![&objects[index]]),
        Err((first, second)) => {
            let message =
                format!("the patch for {id} matches several objects: {}, {}", objects[first].id, objects[second].id);
            Err(Diagnostic::error(Code::Selection, message).at(source, span, "").help("--select chooses"))
        }
        Ok(None) => Err(nothing_meant(&id, objects).at(source, span, "")),
    }
}

fn nothing_meant(id: &ResourceId, objects: &[Object]) -> Diagnostic {
    let is_near = |object: &&Object| object.id.name == id.name || object.id.kind == id.kind;
    let near: Vec<String> = objects.iter().filter(is_near).map(|object| object.id.to_string()).collect();
    let diagnostic = Diagnostic::error(Code::Selection, format!("there is no {id} to patch"));
    match near.is_empty() {
        true => diagnostic,
        false => diagnostic.help(format!("there is {}", first_names(&near))),
    }
}

/// An error with the places that it is about, in the patch and in the object.
fn explain(
    error: BatchErrorKind,
    (object, source): (&Object, &Source),
    (document, patch): (Document<'_>, &Source),
) -> Diagnostic {
    let error = match error {
        BatchErrorKind::Apply(error) => error,
        BatchErrorKind::Read(error) => return manifest::unreadable(&error, source),
        error => return manifest::broken(&error.to_string(), source, kyaml_ast::Span::default()),
    };
    let root = document.root();
    let span = root.and_then(|root| error.place_in(root)).or(root.map(Node::full_span)).unwrap_or_default();
    let diagnostic = Diagnostic::error(Code::Apply, format!("{}: {error}", object.id)).at(patch, span, "patch");
    let diagnostic = diagnostic.at(source, object.span, "object");
    match error {
        PatchError::UnknownKind => diagnostic.help("--type merge replaces lists; --crd FILE says how they are matched"),
        _ => diagnostic,
    }
}
