//! Applies configurations to live objects in files: pairs them by identity, applies each, and writes the live files.
//!
//! Invariant: a live file's text changes only where one of its objects changes. Ignores reading and writing of files.

mod parts;
mod session;

use kyaml_ast::{ParseError, Path, Span, Stream};
use thiserror::Error;

use super::algorithm::Sides;
use super::error::PatchError;
use super::report::Finding;
use super::strategic::{ListKeys, ListOrder};
use crate::reconcile::{ReconcileError, Unchecked};
use crate::resource::ResourceId;
use crate::schema::Schema;
use crate::template::is_template;
use crate::value::{ReadError, Source};
use session::Session;

/// The files of a batch, as they were read.
type Sources<'a, 't> = Sides<&'a [Source<'t>]>;

/// How to apply a batch.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The schema of the kinds.
    pub schema: &'a Schema,
    /// Which fields pair the items of lists.
    pub keys: ListKeys,
    /// The order of merged lists.
    pub order: ListOrder,
    /// Whether changes of others may be overwritten.
    pub overwrite: bool,
    /// The namespace of configurations that state none.
    pub namespace: Option<&'a str>,
    /// Where new objects go.
    pub new_objects: NewObjects,
    /// Which changes are reported.
    pub detail: Detail,
}

impl<'a> Options<'a> {
    /// The defaults of kmerge: lists keep their order, changes of others are overwritten, and all changes are reported.
    #[must_use]
    pub const fn new(schema: &'a Schema) -> Self {
        Self {
            schema,
            keys: ListKeys::Ssa,
            order: ListOrder::Stable(crate::policy::ListOrder::Neighbour),
            overwrite: true,
            namespace: None,
            new_objects: NewObjects::InFile,
            detail: Detail::All,
        }
    }
}

/// Which changes of an object a [`Report`] has. For small objects, the changes can take more memory than the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Changes that overrule a change of someone else.
    Overruled,
    /// All changes.
    All,
}

/// Where new objects go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewObjects {
    /// After the other objects of the only live file.
    InFile,
    /// Into texts of their own.
    Apart,
}

/// The result for an object of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// It did not exist.
    Created,
    /// It was changed.
    Configured,
    /// It existed as configured.
    Unchanged,
    /// Others changed it, and their changes must not be overwritten.
    Conflicting,
}

/// The result for one object of a configuration.
#[derive(Clone, Debug)]
pub struct Report {
    /// The object.
    pub id: ResourceId,
    /// Index of the configuration's file, and the object's place in it.
    pub config: (usize, Span),
    /// Index of the live file, and the object's place in it. `None` for a created object.
    pub live: Option<(usize, Span)>,
    /// What was done.
    pub verb: Verb,
    /// The places that change in the live object, and why. [`Detail`] says which; if there are conflicts, all of them.
    pub findings: Vec<Finding>,
    /// The places that others changed and that must not be overwritten.
    pub conflicts: Vec<Path>,
    /// Whether the last applied configuration is known. If not, nothing is removed.
    pub was_applied: bool,
}

/// The result of a batch.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The new texts of the live files. `None` if nothing changes.
    pub texts: Vec<Option<String>>,
    /// Objects that were created in files of their own: the index of the configuration's file, and the text.
    pub created: Vec<(usize, ResourceId, String)>,
    /// The results, in the order of the configurations.
    pub reports: Vec<Report>,
}

/// Why a batch cannot be applied, and which object causes this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct BatchError {
    /// What is wrong.
    pub kind: BatchErrorKind,
    /// The object.
    pub id: ResourceId,
    /// The places of the object, and of another object that the error is about.
    pub places: Vec<FilePlace>,
}

/// A place in one of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// Which list of files.
    pub role: FileRole,
    /// The index in this list.
    pub file: usize,
    /// The bytes.
    pub span: Span,
}

/// Which of the [`Sides`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRole {
    /// Live objects.
    Live,
    /// Configurations.
    Config,
    /// Configurations of the last apply.
    LastApplied,
}

/// What is wrong with a batch.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BatchErrorKind {
    /// The same object twice.
    #[error("the object is there twice")]
    Duplicate,
    /// A configuration without a namespace, while live objects of its name are in several namespaces.
    #[error("the configuration has no namespace, and several namespaces have this object")]
    Ambiguous,
    /// A configuration without a name.
    #[error("an object needs a name to be applied")]
    Nameless,
    /// A configuration whose name kubectl reads as a number, a boolean or the like.
    #[error("kubectl does not read this name as a string: put it in quotes")]
    UnquotedName,
    /// A file is not YAML.
    #[error(transparent)]
    Syntax(ParseError),
    /// A file is a template.
    #[error("this is a template, which has no structure to merge by")]
    Template,
    /// A document without a kind in the configurations.
    #[error("this is not an object: it has no kind")]
    NoKind,
    /// An object cannot be read.
    #[error(transparent)]
    Read(ReadError),
    /// The configuration cannot be applied.
    #[error(transparent)]
    Apply(PatchError),
    /// The result cannot be written.
    #[error(transparent)]
    Write(ReconcileError),
}

/// A result whose texts were not read again yet.
struct UncheckedOutcome {
    /// Everything but the live files' new texts.
    outcome: Outcome,
    texts: Vec<Option<Unchecked>>,
    /// The first object of each live file and its place, for error messages.
    first: Vec<Option<(ResourceId, FilePlace)>>,
}

impl UncheckedOutcome {
    /// Reads the texts again. Returns the result if they have the wanted values.
    fn checked(mut self) -> Result<Outcome, Box<BatchError>> {
        for (text, first) in self.texts.into_iter().zip(self.first) {
            let text = text.map(Unchecked::checked).transpose();
            self.outcome.texts.push(text.map_err(|cause| unwritable(cause, first))?);
        }
        Ok(self.outcome)
    }
}

fn unwritable(cause: ReconcileError, first: Option<(ResourceId, FilePlace)>) -> Box<BatchError> {
    let (id, place) = first.unzip();
    let (id, places) = (id.unwrap_or_default(), place.into_iter().collect());
    Box::new(BatchError { kind: BatchErrorKind::Write(cause), id, places })
}

/// Applies configurations to the live objects of the same identity.
///
/// ```
/// use kmerge_core::Schema;
/// use kmerge_core::apply::{Options, Sides, apply};
///
/// let live = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: '1', theirs: x}\n";
/// let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: '2'}\n";
/// let sides = Sides { live: &[live][..], config: &[config], last_applied: None };
/// let outcome = apply(sides, Options::new(&Schema::new()))?;
/// assert!(outcome.texts[0].as_ref().expect("it changes").contains("data: {k: '2', theirs: x}"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`BatchError`] if an object cannot be used. Then nothing has been done.
pub fn apply(batch: Sides<&[&str]>, options: Options<'_>) -> Result<Outcome, Box<BatchError>> {
    match parts::apply(batch, options) {
        Some(outcome) => Ok(outcome),
        // If there is an error, the whole file is applied again to find it. Its trees are dropped before the result is
        // read, because both together would take twice the memory.
        None => apply_whole(batch, options)?.checked(),
    }
}

fn apply_whole(batch: Sides<&[&str]>, options: Options<'_>) -> Result<UncheckedOutcome, Box<BatchError>> {
    let (live, config) = (parse(batch.live, FileRole::Live)?, parse(batch.config, FileRole::Config)?);
    let last_applied = batch.last_applied.map(|texts| parse(texts, FileRole::LastApplied)).transpose()?;
    let (live, config, last_applied) = (read(&live), read(&config), last_applied.as_deref().map(read));
    let sources = Sources { live: &live, config: &config, last_applied: last_applied.as_deref() };
    let mut session = Session::new(sources, options)?;
    session.apply_all()?;
    session.finish()
}

fn read<'t>(streams: &'t [Stream<'t>]) -> Vec<Source<'t>> {
    streams.iter().map(Source::new).collect()
}

fn parse<'t>(texts: &[&'t str], role: FileRole) -> Result<Vec<Stream<'t>>, Box<BatchError>> {
    let failed = |kind, file, span| {
        let places = vec![FilePlace { role, file, span }];
        Box::new(BatchError { kind, id: ResourceId::default(), places })
    };
    let parse = |(file, text): (usize, &&'t str)| {
        let parsed = Stream::parse(text).map_err(|error| {
            let span = error.span;
            failed(BatchErrorKind::Syntax(error), file, span)
        })?;
        match is_template(&parsed) {
            true => Err(failed(BatchErrorKind::Template, file, Span::default())),
            false => Ok(parsed),
        }
    };
    texts.iter().enumerate().map(parse).collect()
}
