//! What the `functionConfig` of a KRM function asks for.
//!
//! Three forms are understood: fields as in a kustomization (`patches`, and `merge` for whole objects), at the root or
//! below `spec`; one patch with its `target`, as kustomize's own transformers are configured; and a `ConfigMap`, whose
//! `data` holds the same as text, which is what `kpt fn eval … -- patch=…` makes.

use kyaml_ast::{Document, Kind, Node, Stream, StreamId, line_end};

use super::kustomization::{
    KustomizationError, KustomizationErrorKind, PatchEntry, PatchForm, PatchText, Reference, read_patches,
};
use super::merge::Dialect;
use super::target::{Changes, Target};
use crate::resource::field;
use crate::value::{Place, ReadError, Reader, Source, Value, to_yaml};

/// What a function is to do.
#[derive(Clone, Debug, Default)]
pub struct Instructions {
    /// Patches, in order.
    pub patches: Vec<PatchEntry>,
    /// Texts of objects to be merged into those of the same identity, or to be added.
    pub merges: Vec<Reference>,
    /// Whose rules hold, if it says.
    pub dialect: Option<Dialect>,
}

/// The conditions of a target, which a `ConfigMap` holds one by one.
const CONDITIONS: [&str; 7] = ["group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector"];

type Result<T> = std::result::Result<T, KustomizationError>;

impl Instructions {
    /// Reads a `functionConfig`.
    ///
    /// # Errors
    ///
    /// Where it cannot be understood, or asks for nothing.
    pub fn read(config: Node<'_>) -> Result<Self> {
        let is_config_map = field(config, "kind").is_some_and(|kind| kind.value() == "ConfigMap");
        let body = if is_config_map { field(config, "data") } else { field(config, "spec").or(Some(config)) };
        let Some(body) = body else { return Err(nothing(config)) };
        let mut instructions = Self { dialect: dialect(body)?, ..Self::default() };
        if let Some(list) = field(body, "patches") {
            instructions.patches = match list.kind() {
                Kind::Sequence => read_patches(list)?,
                _ => vec![entry(text(list)?, None, Changes::default())],
            };
        }
        if let Some(patch) = field(body, "patch") {
            let (target, changes) = if is_config_map { conditions(body)? } else { target(body)? };
            instructions.patches.push(entry(text(patch)?, target, changes));
        }
        if let Some(objects) = field(body, "merge") {
            instructions.merges = match objects.kind() {
                Kind::Sequence => objects.entries().map(|entry| object(entry.value())).collect::<Result<_>>()?,
                _ => vec![object(objects)?],
            };
        }
        if instructions.patches.is_empty() && instructions.merges.is_empty() {
            return Err(nothing(config));
        }
        match instructions.patches.iter().find(|entry| !matches!(entry.text, PatchText::Inline(_))) {
            Some(entry) => Err(KustomizationError { kind: KustomizationErrorKind::NoFiles, span: entry.span }),
            None => Ok(instructions),
        }
    }
}

fn nothing(config: Node<'_>) -> KustomizationError {
    KustomizationError { kind: KustomizationErrorKind::NoInstructions, span: config.full_span() }
}

fn entry(text: Reference, target: Option<Target>, changes: Changes) -> PatchEntry {
    let span = text.span;
    let form = PatchForm::Any;
    PatchEntry { text: PatchText::Inline(text), form, target, target_span: None, changes, span }
}

fn text(node: Node<'_>) -> Result<Reference> {
    if node.kind().is_scalar() {
        return Ok(Reference { text: node.value().into_owned(), span: node.full_span() });
    }
    Err(KustomizationError { kind: KustomizationErrorKind::PatchNotText, span: node.full_span() })
}

/// An object as text: written so, or moved to the margin with its comments; printed where its text needs other places.
fn object(node: Node<'_>) -> Result<Reference> {
    if node.kind() != Kind::Mapping {
        return text(node);
    }
    let span = node.full_span();
    let own = value(node).map_err(|_| KustomizationError { kind: KustomizationErrorKind::PatchNotText, span })?;
    let moved = at_margin(node);
    let is_same = Stream::parse(&moved).is_ok_and(|stream| {
        let root = stream.documents().find_map(Document::root);
        root.is_some_and(|root| value(root).as_ref() == Ok(&own))
    });
    Ok(Reference { text: if is_same { moved } else { to_yaml(&own) }, span })
}

fn value(node: Node<'_>) -> std::result::Result<Value, ReadError> {
    Reader::new(&Source::new(node.stream()), StreamId(0)).read(Place::Root(node.id()))
}

/// The text of a node without its indentation.
fn at_margin(node: Node<'_>) -> String {
    let (source, mut span, column) = (node.stream().source(), node.full_span(), node.column());
    if node.is_block_collection() {
        // The comment behind its last line.
        span.end = line_end(source, span.end);
    }
    let text = span.of(source);
    let lines = text.split_inclusive('\n').enumerate().map(|(number, line)| {
        let indentation = line.len() - line.trim_start_matches(' ').len();
        if number == 0 { line } else { &line[indentation.min(column)..] }
    });
    lines.collect()
}

/// The target and options beside a patch.
fn target(body: Node<'_>) -> Result<(Option<Target>, Changes)> {
    let read = |node| Target::read(node).map_err(|(kind, span)| KustomizationError { kind: kind.into(), span });
    let target = field(body, "target").map(read).transpose()?;
    let changes = field(body, "options").map(super::kustomization::options).transpose()?;
    Ok((target, changes.unwrap_or_default()))
}

/// The target that stands in a `ConfigMap`, condition by condition.
fn conditions(data: Node<'_>) -> Result<(Option<Target>, Changes)> {
    let (mut target, mut is_there) = (Target::default(), false);
    for name in CONDITIONS {
        let Some(node) = field(data, name) else { continue };
        let set = target.set(name, &node.value());
        set.map_err(|kind| KustomizationError { kind: kind.into(), span: node.full_span() })?;
        is_there = true;
    }
    let is_set = |name| field(data, name).is_some_and(|node| node.value() == "true");
    let changes = Changes { name: is_set("allowNameChange"), kind: is_set("allowKindChange") };
    Ok((is_there.then_some(target), changes))
}

fn dialect(body: Node<'_>) -> Result<Option<Dialect>> {
    let Some(node) = field(body, "compat") else { return Ok(None) };
    match node.value().as_ref() {
        "kustomize" => Ok(Some(Dialect::Kustomize)),
        _ => Err(KustomizationError { kind: KustomizationErrorKind::Compat, span: node.full_span() }),
    }
}
