//! Errors of a merge of directories, with the places they are about.

use kmerge_core::package::{PackageError, Trees, UnitRef};
use kmerge_core::{MergeError, Side};
use kyaml_ast::ParseError;

use super::carry::Names;
use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;

/// Why the trees cannot be merged.
pub(crate) fn package(error: &PackageError, trees: &Trees<'_>, names: &Names) -> anyhow::Error {
    let source = |unit: UnitRef| {
        let file = trees.file(unit);
        let text = trees.content(file.content).text().unwrap_or_default();
        Source::new(names.file(unit.side, file.path), text)
    };
    match error {
        PackageError::Duplicate { places, .. } => {
            let duplicate = Diagnostic::error(Code::Duplicate, error.to_string());
            let diagnostic =
                places.iter().fold(duplicate, |found, unit| found.at(&source(*unit), trees.span(*unit), ""));
            diagnostic.help("remove one of them, or give it another name; nothing was written").into()
        }
        PackageError::Unit { unit, error: MergeError::UnknownDirective { span, .. } } => {
            Diagnostic::error(Code::Directive, error.to_string()).at(&source(*unit), *span, "").into()
        }
        PackageError::Unit { unit, error: MergeError::TooManyAliases { .. } } => {
            let found = Diagnostic::error(Code::Anchor, error.to_string()).at(&source(*unit), trees.span(*unit), "");
            found.help(crate::merge::FEWER_ALIASES).into()
        }
        PackageError::Unit { unit, .. } => Diagnostic::error(Code::BrokenResult, error.to_string())
            .at(&source(*unit), trees.span(*unit), "")
            .help(crate::merge::DEFECT)
            .into(),
        _ => anyhow::anyhow!("{error}"),
    }
}

/// A result that does not parse never gets out.
pub(super) fn broken(names: &Names, path: &str, text: &str, error: &ParseError) -> Diagnostic {
    let source = Source::new(format!("{} (merged)", names.file(Side::Dest, path)), text);
    let message = format!("the result is not valid YAML: {error}");
    Diagnostic::error(Code::BrokenResult, message).at(&source, error.span, "").help(crate::merge::DEFECT)
}
