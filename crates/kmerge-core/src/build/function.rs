//! Reads the instructions in the `functionConfig` of a KRM function.
//!
//! There are three forms: fields as in a kustomization (`patches`, and `merge` for whole objects), at the root or below
//! `spec`; one patch with its `target`, as kustomize's own transformers are configured; and a `ConfigMap` whose `data`
//! has the same fields as text, as made by `kpt fn eval … -- patch=…`.

use kyaml_ast::{Document, Node, Stream, line_end};

use super::kustomization::{
    KustomizationError, KustomizationErrorKind, PatchEntry, PatchForm, PatchText, Reference, options, read_patches,
};
use super::merge::Dialect;
use super::target::{Changes, Target};
use super::written::{Written, read};

/// The instructions for a function.
#[derive(Clone, Debug, Default)]
pub struct Instructions {
    /// Patches, in order.
    pub patches: Vec<PatchEntry>,
    /// Texts of objects to merge into those with the same identity, or to add.
    pub merges: Vec<Reference>,
    /// The dialect, if the config states one.
    pub dialect: Option<Dialect>,
}

/// The conditions of a target. A `ConfigMap` has them one by one.
const CONDITIONS: [&str; 7] = ["group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector"];

type Result<T> = std::result::Result<T, KustomizationError>;

impl Instructions {
    /// Reads a `functionConfig`.
    ///
    /// # Errors
    ///
    /// If it cannot be understood, or contains no instructions.
    pub fn read(config: Node<'_>) -> Result<Self> {
        let value = read(config)?;
        let config = Written::new(&value, config.stream());
        let is_config_map = config.field("kind").and_then(Written::as_text) == Some("ConfigMap");
        let body = if is_config_map { config.field("data") } else { config.field("spec").or(Some(config)) };
        let Some(body) = body else { return Err(config.error(KustomizationErrorKind::NoInstructions)) };
        let mut instructions = Self { dialect: dialect(body)?, ..Self::default() };
        if let Some(list) = body.field("patches") {
            instructions.patches =
                if list.is_list() { read_patches(list)? } else { vec![entry(text(list)?, None, Changes::default())] };
        }
        if let Some(patch) = body.field("patch") {
            let (target, changes) = if is_config_map { conditions(body)? } else { target(body)? };
            instructions.patches.push(entry(text(patch)?, target, changes));
        }
        if let Some(objects) = body.field("merge") {
            let items = if objects.is_list() { objects.items("merge")? } else { vec![objects] };
            instructions.merges = items.into_iter().map(object).collect::<Result<_>>()?;
        }
        if instructions.patches.is_empty() && instructions.merges.is_empty() {
            return Err(config.error(KustomizationErrorKind::NoInstructions));
        }
        match instructions.patches.iter().find(|entry| !matches!(entry.text, PatchText::Inline(_))) {
            Some(entry) => Err(KustomizationError { kind: KustomizationErrorKind::NoFiles, span: entry.span }),
            None => Ok(instructions),
        }
    }
}

fn entry(text: Reference, target: Option<Target>, changes: Changes) -> PatchEntry {
    let span = text.span;
    let form = PatchForm::Any;
    PatchEntry { text: PatchText::Inline(text), form, target, target_span: None, changes, span }
}

fn text(part: Written<'_>) -> Result<Reference> {
    match part.as_text() {
        Some(text) => Ok(Reference { text: text.to_owned(), span: part.span() }),
        None => Err(part.error(KustomizationErrorKind::PatchNotText)),
    }
}

/// An object as text: text that was given as such, or YAML moved to the margin with its comments. Printed if its text
/// is only valid at its place.
fn object(part: Written<'_>) -> Result<Reference> {
    let (Some(node), true) = (part.node(), part.is_map()) else { return text(part) };
    let own = read(node)?;
    let moved = at_margin(node);
    let is_same = Stream::parse(&moved).is_ok_and(|stream| {
        let root = stream.documents().find_map(Document::root);
        root.is_some_and(|root| read(root).as_ref() == Ok(&own))
    });
    Ok(Reference { text: if is_same { moved } else { own.to_yaml() }, span: part.span() })
}

/// The text of a node without its indentation.
fn at_margin(node: Node<'_>) -> String {
    let (source, mut span, column) = (node.stream().source(), node.full_span(), node.column());
    if node.is_block_collection() {
        // The comment after its last line.
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
fn target(body: Written<'_>) -> Result<(Option<Target>, Changes)> {
    let target = body.field("target").map(Target::read).transpose()?;
    let changes = body.field("options").map(options).transpose()?;
    Ok((target, changes.unwrap_or_default()))
}

/// The target in a `ConfigMap`, condition by condition.
fn conditions(data: Written<'_>) -> Result<(Option<Target>, Changes)> {
    let (mut target, mut is_there) = (Target::default(), false);
    for name in CONDITIONS {
        let Some(part) = data.field(name) else { continue };
        target.set(name, &part.text(name)?).map_err(|kind| part.error(kind.into()))?;
        is_there = true;
    }
    let is_set =
        |name| data.field(name).is_some_and(|part| part.as_text() == Some("true") || part.flag(name) == Ok(true));
    let changes = Changes { name: is_set("allowNameChange"), kind: is_set("allowKindChange") };
    Ok((is_there.then_some(target), changes))
}

fn dialect(body: Written<'_>) -> Result<Option<Dialect>> {
    let Some(part) = body.field("compat") else { return Ok(None) };
    match part.as_text() {
        Some("kustomize") => Ok(Some(Dialect::Kustomize)),
        _ => Err(part.error(KustomizationErrorKind::Compat)),
    }
}
