//! Applies configurations to live objects in files: pairs them by identity, applies each, and writes the live files anew.
//!
//! Invariant: a live file's text changes only where one of its objects does. Ignores reading and writing files.

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

/// How it is applied.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// What is known about kinds.
    pub schema: &'a Schema,
    /// By what items of lists are paired.
    pub keys: ListKeys,
    /// The order of merged lists.
    pub order: ListOrder,
    /// Whether changes of others may be overwritten.
    pub overwrite: bool,
    /// The namespace of configurations that name none.
    pub namespace: Option<&'a str>,
    /// Where objects go that are not there.
    pub new_objects: NewObjects,
    /// Which changes are reported.
    pub detail: Detail,
}

impl<'a> Options<'a> {
    /// As kmerge does it: lists keep their order, changes of others are overwritten, and all changes are reported.
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

/// Which changes of an object a [`Report`] holds: of small objects, they can take more room than the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Those that overrule a change of someone else.
    Overruled,
    /// All.
    All,
}

/// Where objects go that are created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewObjects {
    /// Behind the others of the only live file.
    InFile,
    /// Into texts of their own.
    Apart,
}

/// What became of a configuration's object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// It was not there.
    Created,
    /// It was changed.
    Configured,
    /// It was there as configured.
    Unchanged,
    /// Changes of others stand against it, and must not be overwritten.
    Conflicting,
}

/// What was done for one object of a configuration.
#[derive(Clone, Debug)]
pub struct Report {
    /// The object.
    pub id: ResourceId,
    /// Index of the configuration's file, and the place in it.
    pub config: (usize, Span),
    /// Index of the live file, and the place in it; `None` for an object that was created.
    pub live: Option<(usize, Span)>,
    /// What was done.
    pub verb: Verb,
    /// The places that change in the live object, and why: as [`Detail`] says, all of them where there are conflicts.
    pub findings: Vec<Finding>,
    /// Where others changed what must not be overwritten.
    pub conflicts: Vec<Path>,
    /// Whether something says what was applied last; else nothing is removed.
    pub was_applied: bool,
}

/// The result of a batch.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The new texts of the live files, `None` if nothing changes.
    pub texts: Vec<Option<String>>,
    /// Objects that were created apart: the index of the configuration's file, and their text.
    pub created: Vec<(usize, ResourceId, String)>,
    /// What was done, in the order of the configurations.
    pub reports: Vec<Report>,
}

/// Why a batch cannot be applied, and because of which object.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct BatchError {
    /// What is wrong.
    pub kind: BatchErrorKind,
    /// The object.
    pub id: ResourceId,
    /// Where it stands, and where another one does that it is about.
    pub places: Vec<FilePlace>,
}

/// A place in one of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// Which files.
    pub role: FileRole,
    /// Index among them.
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
    /// Configurations of last time.
    LastApplied,
}

/// What is wrong with a batch.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BatchErrorKind {
    /// The same object twice.
    #[error("the object is there twice")]
    Duplicate,
    /// A configuration without a namespace, and live objects of its name in several.
    #[error("the configuration has no namespace, and several namespaces have this object")]
    Ambiguous,
    /// A configuration without a name.
    #[error("an object needs a name to be applied")]
    Nameless,
    /// A configuration whose name is a number, a boolean or the like to kubectl.
    #[error("kubectl does not read this name as a string: put it in quotes")]
    UnquotedName,
    /// A file is not YAML.
    #[error(transparent)]
    Syntax(ParseError),
    /// A file is a template.
    #[error("this is a template, which has no structure to merge by")]
    Template,
    /// A document without a kind among the configurations.
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

/// A result whose texts nobody has read again yet.
struct UncheckedOutcome {
    /// Everything but the live files' new texts.
    outcome: Outcome,
    texts: Vec<Option<Unchecked>>,
    /// The first object of each live file, and where it is: errors name it.
    first: Vec<Option<(ResourceId, FilePlace)>>,
}

impl UncheckedOutcome {
    /// Reads the texts again, and gives the result out if they say what was wanted.
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
/// [`BatchError`] where an object is unusable; then nothing has been done.
pub fn apply(batch: Sides<&[&str]>, options: Options<'_>) -> Result<Outcome, Box<BatchError>> {
    match parts::apply(batch, options) {
        Some(outcome) => Ok(outcome),
        // Where something is wrong, the whole file says what. Its trees have gone when the result is read: both would take
        // twice the room.
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
