//! Why a statement cannot be made, with the places that show it.

use kmerge_core::edit::{Action, Problem, ProblemKind};
use kyaml_ast::{ChangeError, Span};

use super::{Job, Texts};
use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;

/// A problem of a file.
pub(super) fn diagnostic(job: &Job<'_>, problem: &Problem, source: &Source) -> Diagnostic {
    let Problem { statement, resource, span, kind } = problem;
    let kind = kind.as_ref();
    if let ProblemKind::Syntax(error) = kind {
        return Diagnostic::error(Code::Syntax, error.to_string()).at(source, error.span, "");
    }
    if let (ProblemKind::Value { syntax: Some(error), .. }, Texts::Value(value)) = (kind, &job.texts) {
        let diagnostic = Diagnostic::error(Code::Syntax, error.to_string()).at(value, error.span, "");
        return helped(diagnostic, kind);
    }
    let of_script = matches!(job.texts, Texts::Scripts { .. });
    let action = if of_script { statement.and_then(|index| job.script.actions().nth(index)) } else { None };
    let label = action.map(ToString::to_string).unwrap_or_default();
    let mut message = message(kind, source);
    if let (ProblemKind::Unknown { .. }, Some(resource)) = (kind, resource) {
        message = message.replacen("there is", &format!("{resource} has"), 1);
    }
    let is_named = matches!(kind, ProblemKind::Change { error: ChangeError::Empty, .. });
    if span.is_none() && !is_named {
        let resource = resource.as_ref().map(|name| format!(" {name}:")).unwrap_or_default();
        message = format!("{}:{resource} {message}", source.name);
    }
    let mut diagnostic = Diagnostic::error(code(kind), message);
    if let Some(span) = span {
        diagnostic = match kind {
            ProblemKind::Change { error: ChangeError::Anchored { alias, .. }, .. } => {
                diagnostic.at(source, *alias, "the alias")
            }
            ProblemKind::Change { error: ChangeError::Taken { span, .. }, .. } => {
                diagnostic.at(source, *span, "it is here")
            }
            ProblemKind::Change { error: ChangeError::Root, .. } => diagnostic,
            ProblemKind::Repeated { first, .. } => diagnostic.at(source, *span, &label).at(source, *first, "first"),
            ProblemKind::Blocked { target, .. } => {
                let diagnostic = diagnostic.at(source, first_word(*span, source), "");
                let behind = |diagnostic: Diagnostic, target: &Span| {
                    diagnostic.at(source, first_word(*target, source), "what it stands for")
                };
                target.iter().fold(diagnostic, behind)
            }
            _ => diagnostic.at(source, *span, &label),
        };
    }
    helped(diagnostic, kind)
}

fn helped(diagnostic: Diagnostic, kind: &ProblemKind) -> Diagnostic {
    match kind {
        ProblemKind::Change { error: ChangeError::Root, .. } => diagnostic.help("delete a field of it, or the file"),
        kind => kind.help().into_iter().fold(diagnostic, Diagnostic::help),
    }
}

fn message(kind: &ProblemKind, source: &Source) -> String {
    match kind {
        ProblemKind::Change { path, error: ChangeError::Root } => {
            format!("{}: {path} is the whole document", source.name)
        }
        ProblemKind::Change { path, error: ChangeError::Empty } => {
            format!("{} is empty: only fields can be added, not {path}", source.name)
        }
        kind => kind.to_string(),
    }
}

const fn code(kind: &ProblemKind) -> Code {
    match kind {
        ProblemKind::Missing(_)
        | ProblemKind::Unspecified(_)
        | ProblemKind::OfList(_)
        | ProblemKind::Unknown { .. }
        | ProblemKind::Change { error: ChangeError::Empty, .. } => Code::NotFound,
        ProblemKind::Value { .. } | ProblemKind::Syntax(_) => Code::Syntax,
        ProblemKind::Blocked { .. } | ProblemKind::Change { error: ChangeError::Anchored { .. }, .. } => Code::Anchor,
        ProblemKind::Change { error: ChangeError::Splice(_) | ChangeError::Broken(_), .. } => Code::BrokenResult,
        ProblemKind::Undefined { .. } => Code::UndefinedAlias,
        ProblemKind::Recounted => Code::Selection,
        ProblemKind::Repeated { .. } => Code::DuplicateKey,
        _ => Code::Path,
    }
}

/// A statement that is about nothing in any file.
pub(super) fn idle(job: &Job<'_>, index: usize) -> Diagnostic {
    let action = job.script.actions().nth(index).map(ToString::to_string).unwrap_or_default();
    let message = format!("no file has this place: {action}");
    let Texts::Scripts { sources, origins } = &job.texts else {
        return Diagnostic::error(Code::NotFound, message).help("--ignore-missing allows it");
    };
    let is_select = |action: &Action| matches!(action, Action::Select(_));
    let select = job.script.actions().take(index).enumerate().filter(|(_, action)| is_select(action)).last();
    let select = select.and_then(|(at, _)| Some((&sources[origins[at]], job.script.span(at)?)));
    let diagnostic = Diagnostic::error(Code::NotFound, message);
    let diagnostic = diagnostic.at(&sources[origins[index]], job.script.span(index).unwrap_or_default(), "");
    let diagnostic = match select {
        Some((source, span)) => diagnostic.at(source, span, "in what this selects"),
        None => diagnostic,
    };
    diagnostic.help("--ignore-missing allows it")
}

/// What is underlined of a node: its anchor, if there is one, else its first line.
fn first_word(span: Span, source: &Source) -> Span {
    let line = span.of(&source.text).lines().next().unwrap_or_default();
    let text = if line.starts_with('&') { line.split([' ', '\t']).next().unwrap_or(line) } else { line };
    Span::new(span.start, span.start + text.trim_end().len() as u32)
}
