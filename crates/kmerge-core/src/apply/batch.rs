//! Applies configurations to live objects in files: pairs them by identity, applies each, and writes the live files anew.
//!
//! Invariant: a live file's text changes only where one of its objects does. Ignores reading and writing files.

mod parts;
mod session;

use kyaml_ast::{Path, Span};
use thiserror::Error;

use super::error::PatchError;
use super::report::Finding;
use super::strategic::{ListKeys, ListOrder};
use crate::reconcile::{ReconcileError, Unchecked};
use crate::resource::ResourceId;
use crate::schema::Schema;
use crate::value::{ReadError, Source};
use session::Session;

/// What is applied to what.
#[derive(Clone, Copy)]
pub struct Batch<'a, 't> {
    /// The files with the live objects.
    pub live: &'a [Source<'t>],
    /// The files with the configurations.
    pub config: &'a [Source<'t>],
    /// The configurations of last time, unless the live objects' annotations shall say.
    pub last_applied: Option<&'a [Source<'t>]>,
}

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

/// Which of the files of a [`Batch`].
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
#[derive(Clone, Debug)]
pub struct UncheckedOutcome {
    /// Everything but the live files' new texts.
    outcome: Outcome,
    texts: Vec<Option<Unchecked>>,
    /// The first object of each live file, and where it is: errors name it.
    first: Vec<Option<(ResourceId, FilePlace)>>,
}

impl UncheckedOutcome {
    /// Reads the texts again, and gives the result out if they say what was wanted.
    ///
    /// # Errors
    ///
    /// Where one does not.
    pub fn checked(mut self) -> Result<Outcome, Box<BatchError>> {
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

/// Applies a batch. The result is not yet read again: drop the streams before [`UncheckedOutcome::checked`] does that, as
/// both together may need too much memory.
///
/// # Errors
///
/// [`BatchError`] where an object is unusable; then nothing has been done.
pub fn apply(batch: Batch<'_, '_>, options: Options<'_>) -> Result<UncheckedOutcome, Box<BatchError>> {
    let mut session = Session::new(batch, options)?;
    session.apply_all()?;
    session.finish()
}

/// Applies configurations to one live file, and holds one part of it at a time; see [`parts`](super::parts::parts).
///
/// `None` where the whole file is needed: call [`apply`] then. If something is wrong, that says what.
#[must_use]
pub fn apply_in_parts(live: (&str, &[Span]), config: &[Source<'_>], options: Options<'_>) -> Option<Outcome> {
    parts::apply(live, config, options)
}
