//! Errors of a merge of directories, with the places they are about.

use kmerge_core::package::{PackageError, Trees, UnitError};
use kmerge_core::{MergeError, Side};
use kyaml_ast::ParseError;

use super::carry::Names;
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
    diagnostic.help("remove one of them, or give it another name; nothing was written").into()
}

/// Why a unit cannot be merged.
pub(crate) fn unit(error: &UnitError, trees: &Trees<'_>, names: &Names) -> anyhow::Error {
    let file = trees.file(error.unit);
    let text = trees.content(file.content).text().unwrap_or_default();
    let source = Source::new(names.file(error.unit.side, file.path), text);
    match error.error {
        MergeError::UnknownDirective { span, .. } => {
            Diagnostic::error(Code::Directive, error.to_string()).at(&source, span, "").into()
        }
        _ => Diagnostic::error(Code::BrokenResult, error.to_string())
            .at(&source, trees.unit(error.unit).span, "")
            .help(crate::merge::DEFECT)
            .into(),
    }
}

/// A result that does not parse never gets out.
pub(super) fn broken(names: &Names, path: &str, text: &str, error: &ParseError) -> Diagnostic {
    let source = Source::new(format!("{} (merged)", names.file(Side::Dest, path)), text);
    let message = format!("the result is not valid YAML: {error}");
    Diagnostic::error(Code::BrokenResult, message).at(&source, error.span, "").help(crate::merge::DEFECT)
}
