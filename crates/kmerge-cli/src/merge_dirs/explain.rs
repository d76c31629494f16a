//! Errors of a merge of directories, with the places they are about.

use kmerge_core::Side;
use kmerge_core::package::{PackageError, Trees, UnitRef};
use kyaml_ast::ParseError;

use super::carry::Names;
use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;
use crate::merge::place_of;

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
        PackageError::Unit { unit, error: reason } => {
            // The unit is the incoming one: of the other sides, the place is not known.
            let (found, help) = match place_of(reason) {
                Some((code, Side::Incoming, span, help)) => {
                    (Diagnostic::error(code, error.to_string()).at(&source(*unit), span, ""), help)
                }
                Some((code, side, _, help)) => {
                    let name = trees.identity(*unit).map_or_else(|| "the document".to_owned(), ToString::to_string);
                    let whose = if side == Side::Dest { "destination" } else { "original" };
                    (Diagnostic::error(code, format!("{error}, in {name} of the {whose}")), help)
                }
                None => {
                    let found = Diagnostic::error(Code::BrokenResult, error.to_string());
                    (found.at(&source(*unit), trees.span(*unit), ""), crate::merge::DEFECT)
                }
            };
            if help.is_empty() { found.into() } else { found.help(help).into() }
        }
        _ => anyhow::anyhow!("{error}"),
    }
}

/// A result that does not parse never gets out.
pub(super) fn broken(names: &Names, path: &str, text: &str, error: &ParseError) -> Diagnostic {
    let source = Source::new(format!("{} (merged)", names.file(Side::Dest, path)), text);
    let message = format!("the result is not valid YAML: {error}");
    Diagnostic::error(Code::BrokenResult, message).at(&source, error.span, "").help(crate::merge::DEFECT)
}
