//! Findings for people, programs and GitHub workflows.

use std::fmt::Write as _;

use kyaml_ast::Span;
use serde_json::{Value, json};

use super::{Checked, Level, Problem};
use crate::cli::check::CheckFormat;
use crate::diagnostic::Diagnostic;
use crate::input::Source;
use crate::report::{TOOL, VERSION, span};
use crate::terminal;
use crate::workflow::Annotation;

/// All findings.
pub(crate) fn write(files: &[Checked], format: CheckFormat) -> String {
    match format {
        CheckFormat::Text => files.iter().map(text).collect(),
        CheckFormat::Json => terminal::json(&to_json(files)),
        CheckFormat::Github => files.iter().map(annotations).collect(),
    }
}

fn text(file: &Checked) -> String {
    let mut out = String::new();
    for problem in &file.problems {
        let _ = writeln!(out, "{}", diagnostic(&file.source, problem).render());
    }
    out
}

fn diagnostic(source: &Source, problem: &Problem) -> Diagnostic {
    let message = problem.message.as_str();
    let mut shown = match problem.level {
        Level::Error => Diagnostic::error(problem.code, message),
        Level::Warning => Diagnostic::warning(problem.code, message),
    };
    for (span, label) in [(Some(problem.span), ""), (problem.first, "first here")] {
        let Some(span) = span else { continue };
        shown = if problem.is_secret { shown.at_hidden(source, span, label) } else { shown.at(source, span, label) };
    }
    match &problem.help {
        Some(help) => shown.help(help),
        None => shown,
    }
}

fn to_json(files: &[Checked]) -> Value {
    json!({
        "version": VERSION,
        "tool": TOOL,
        "files": files.iter().map(file).collect::<Vec<_>>(),
    })
}

fn file(file: &Checked) -> Value {
    let place = |at: Span| span(&file.source, at);
    let finding = |problem: &Problem| {
        json!({
            "code": problem.code.to_string(),
            "level": level(problem.level),
            "message": problem.message,
            "path": problem.path.as_ref().map(|path| path.short().to_string()),
            "at": place(problem.span),
            "first": problem.first.map(place),
            "values": problem.values.as_ref().map(|[base, parent, merge]| {
                json!({ "base": base, "parent": parent, "merge": merge })
            }),
        })
    };
    json!({
        "path": file.source.name,
        "template": file.is_template,
        "findings": file.problems.iter().map(finding).collect::<Vec<_>>(),
    })
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
    }
}

/// A workflow command for each finding.
fn annotations(file: &Checked) -> String {
    let mut out = String::new();
    for problem in &file.problems {
        let annotation = Annotation {
            level: level(problem.level),
            file: &file.source.name,
            at: Some(file.source.place(problem.span.start)),
            title: &problem.code.to_string(),
            message: &problem.message,
        };
        out.push_str(&annotation.line());
    }
    out
}
