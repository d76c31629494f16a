//! One file of Kubernetes objects, some of which are to change.

use kmerge_core::apply::{Documents, Object, ReconcileError, Unchecked};
use kmerge_core::value::{self, ReadError, Value};
use kyaml_ast::Span;

use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;
use crate::place::{first_names, selects};

/// The objects of a file that `--select` means.
pub(crate) fn selected(
    source: &Source,
    file: &value::Source<'_>,
    select: Option<&str>,
) -> Result<Vec<Object>, Diagnostic> {
    let all = || Object::all(std::slice::from_ref(file));
    let mut found = all();
    if let Some(select) = select {
        let mut index = 0..;
        found.retain(|object| selects(select, index.next().unwrap_or_default(), Some(&object.id)));
    }
    if found.is_empty() {
        let message = match select {
            Some(select) => format!("{} has no object that matches --select {select}", source.name),
            None => format!("{} holds no Kubernetes object", source.name),
        };
        let diagnostic = Diagnostic::error(Code::Selection, message);
        let names: Vec<String> = all().iter().map(|object| object.id.to_string()).collect();
        return Err(match names.is_empty() {
            true => diagnostic,
            false => diagnostic.help(format!("it holds {}", first_names(&names))),
        });
    }
    Ok(found)
}

/// An object as it shall be so far.
pub(crate) fn value_mut<'d>(
    documents: &'d mut Documents<'_, '_>,
    object: &Object,
    source: &Source,
) -> Result<&'d mut Value, Diagnostic> {
    let value = documents.value_mut(object).map_err(|error| unreadable(&error, source))?;
    value.ok_or_else(|| broken("an object got lost", source, object.span))
}

/// The new text of a file; its old one where nothing changes.
pub(crate) fn write(documents: Documents<'_, '_>, source: &Source) -> Result<String, Diagnostic> {
    checked(unchecked(documents, source)?, source)
}

/// The new text of a file, for [`checked`]; `None` where nothing changes.
pub(crate) fn unchecked(documents: Documents<'_, '_>, source: &Source) -> Result<Option<Unchecked>, Diagnostic> {
    documents.unchecked().map_err(|error| unwritable(&error, source))
}

/// The new text of a file once it has been read again; its old one where nothing changes.
pub(crate) fn checked(text: Option<Unchecked>, source: &Source) -> Result<String, Diagnostic> {
    let text = text.map(Unchecked::checked).transpose().map_err(|error| unwritable(&error, source))?;
    Ok(text.unwrap_or_else(|| source.text.clone()))
}

pub(crate) fn unreadable(error: &ReadError, source: &Source) -> Diagnostic {
    Diagnostic::error(Code::Apply, error.to_string()).at(source, error.span, "")
}

pub(crate) fn unwritable(error: &ReconcileError, source: &Source) -> Diagnostic {
    broken(&error.to_string(), source, Span::default())
}

pub(crate) fn broken(message: &str, source: &Source, span: Span) -> Diagnostic {
    Diagnostic::error(Code::BrokenResult, message)
        .at(source, span, "")
        .help("this is a defect of kmerge; nothing was written. Please report it with the input files")
}
