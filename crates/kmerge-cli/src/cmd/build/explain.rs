//! Errors of a build, with the places that they are about.

use kmerge_core::build::{BuildError, BuildErrorKind, Near};
use kyaml_ast::{Span, Stream};

use super::load::{Loaded, Step, Text};
use crate::diagnostic::{Code, Diagnostic};

/// An error of a step, or of what is between two.
pub(super) fn explain(error: &BuildError, loaded: &Loaded, step: Option<&Step>) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(code(&error.kind), error.to_string());
    let is_about_target = matches!(error.kind, BuildErrorKind::NoTarget | BuildErrorKind::NoIdentity);
    if let (true, Some(Step::Patch { owner, entry, .. })) = (is_about_target, step) {
        let source = &loaded.texts[*owner].source;
        diagnostic = diagnostic.at(source, entry.target_span.unwrap_or(entry.span), "");
    }
    let places = if is_about_target { &[] } else { error.places.as_slice() };
    for place in places {
        let Some(Text { source, written, .. }) = loaded.texts.get(place.text) else { continue };
        diagnostic = match written {
            Some(written) => diagnostic.at(written, Span::default(), ""),
            None => diagnostic.at(source, exact(&error.kind, &source.text, place.span), ""),
        };
    }
    match help(error, loaded) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

pub(crate) const fn code(kind: &BuildErrorKind) -> Code {
    match kind {
        BuildErrorKind::NoMatch(_)
        | BuildErrorKind::NoTarget
        | BuildErrorKind::NoReplicas(_)
        | BuildErrorKind::SeveralMatches(_) => Code::NoMatch,
        BuildErrorKind::Duplicate(_) => Code::Duplicate,
        BuildErrorKind::Write(_) => Code::BrokenResult,
        _ => Code::Apply,
    }
}

/// The part of a patch that is meant.
fn exact(kind: &BuildErrorKind, text: &str, span: Span) -> Span {
    let Ok(stream) = Stream::parse(text) else { return span };
    let roots = || stream.documents().filter_map(kyaml_ast::Document::root);
    let root = roots().find(|root| root.full_span() == span);
    let found = match (kind, root) {
        (BuildErrorKind::Patch { error, .. }, Some(root)) => error.place_in(root),
        _ => None,
    };
    found.unwrap_or(span)
}

fn help(error: &BuildError, loaded: &Loaded) -> Option<String> {
    if let (BuildErrorKind::Duplicate(_), [one, other, ..]) = (&error.kind, error.places.as_slice())
        && (one.text, one.span) == (other.text, other.span)
    {
        return Some("this file is reached in more than one way".to_owned());
    }
    let near = near_misses(&error.near);
    let is_match = matches!(error.kind, BuildErrorKind::NoMatch(_) | BuildErrorKind::NoTarget);
    let fields: Vec<&str> = loaded.unapplied.iter().map(|(_, field)| field.text.as_str()).collect();
    let naming = ["namespace", "namePrefix", "nameSuffix", "configMapGenerator", "secretGenerator", "helmCharts"];
    let unapplied = fields.into_iter().find(|field| is_match && naming.contains(field));
    match (near, unapplied) {
        (Some(near), Some(field)) => Some(format!("{near}; {field} is not applied")),
        (None, Some(field)) => Some(format!("{field} is not applied, so patches cannot rely on it")),
        (near, None) => near,
    }
}

/// The resources that a patch is almost for.
pub(crate) fn near_misses(near: &[Near]) -> Option<String> {
    let shown: Vec<String> = near.iter().map(show_near).collect();
    (!shown.is_empty()).then(|| format!("there is {}", shown.join(", ")))
}

fn show_near(near: &Near) -> String {
    format!("{} ({} differs)", near.resource, near.misfits.join(" and "))
}
