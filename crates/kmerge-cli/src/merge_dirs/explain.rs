//! Errors of a merge of directories, with the places they are about.

use kmerge_core::package::{FilePlan, PackageError, Trees};
use kmerge_core::{MergeError, Side};
use kyaml_ast::{ParseError, Stream};

use super::carry::{Job, Names};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;

/// Why the trees cannot be paired.
pub(super) fn package(error: &PackageError, trees: &Trees<'_>, names: &Names) -> anyhow::Error {
    let PackageError::Duplicate { places, .. } = error else { return anyhow::anyhow!("{error}") };
    let mut diagnostic = Diagnostic::error(Code::Duplicate, error.to_string());
    for unit in *places {
        let file = trees.file(unit);
        let text = trees.content(file.content).text().unwrap_or_default();
        let source = Source::new(names.file(unit.side, file.path), text);
        diagnostic = diagnostic.at(&source, trees.unit(unit).span, "");
    }
    diagnostic.help("one of them has to go, or to get a name of its own; nothing was written").into()
}

/// Why the units of a file cannot be merged.
pub(super) fn merge(error: &MergeError, job: &Job<'_>, file: &FilePlan<'_>) -> anyhow::Error {
    let message = format!("{}: {error}", job.names.file(Side::Dest, file.path));
    let MergeError::UnknownDirective { .. } = error else {
        return Diagnostic::error(Code::BrokenResult, message).help(crate::merge::DEFECT).into();
    };
    let found = job.trees.incoming.iter().find(|incoming| incoming.path == file.path);
    let text = found.and_then(|found| job.trees.content(found.content).text());
    let diagnostic = Diagnostic::error(Code::Directive, error.to_string());
    let Some(text) = text else { return diagnostic.into() };
    let source = Source::new(job.names.file(Side::Incoming, file.path), text);
    match directive(&source) {
        Some(span) => diagnostic.at(&source, span, "").into(),
        None => Diagnostic::error(Code::Directive, message).into(),
    }
}

/// The first directive of a file that nobody knows.
fn directive(source: &Source) -> Option<kyaml_ast::Span> {
    let stream = Stream::parse(&source.text).ok()?;
    let sides = kmerge_core::Slots { dest: None, base: None, incoming: Some(&stream) };
    let tried = kmerge_core::merge(sides, &kmerge_core::Schema::without_builtin(), &kmerge_core::Policy::MERGE2);
    match tried {
        Err(MergeError::UnknownDirective { span }) => Some(span),
        _ => None,
    }
}

/// A result that does not parse never gets out.
pub(super) fn broken(names: &Names, path: &str, text: &str, error: &ParseError) -> Diagnostic {
    let source = Source::new(format!("{} (merged)", names.file(Side::Dest, path)), text);
    let message = format!("the result is not valid YAML: {error}");
    Diagnostic::error(Code::BrokenResult, message).at(&source, error.span, "").help(crate::merge::DEFECT)
}
