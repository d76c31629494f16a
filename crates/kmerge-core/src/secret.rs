//! Finds the text that must not be shown: the content of Secrets.
//!
//! A mapping is a Secret if its decoded `kind` says so, in any spelling, at any place, and whatever other `kind` fields
//! it has. A mapping with `stringData` is a Secret, too, and so is an object without a kind that stands beside Secrets
//! and may be one. The hidden text is: the values in `data` and `stringData`, all annotations (some repeat the whole
//! object), the values of aliases there, and the comments of the document. For a Secret inside something else, only the
//! comments beside it are hidden. A text that contains a Secret is hidden as a whole. Names are shown.
//!
//! Invariant: hidden places are in order and disjoint. Ignores the API group: any kind called `Secret` counts.

mod lines;
mod places;

use kyaml_ast::{Path, Segment, Span, Stream};

use lines::{by_lines, may_say_secret};

/// The places of a text that must not be shown.
///
/// ```
/// use kmerge_core::Secrets;
///
/// let text = "\"kind\": 'Secret'\nstringData:\n  password: geheim\n";
/// let at = text.find("geheim").unwrap();
/// let hidden = Secrets::in_text(text).first_in(kyaml_ast::Span::new(0, text.len() as u32));
/// assert_eq!(hidden, Some(at as u32));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Secrets {
    hidden: Vec<Span>,
}

impl Secrets {
    /// Finds the secrets in a tree.
    #[must_use]
    pub fn of(stream: &Stream<'_>) -> Self {
        if !may_say_secret(stream.source()) {
            return Self::default();
        }
        Self::sorted(places::hidden(stream))
    }

    /// Finds the secrets in a text. If the text is not YAML, a document that may be a Secret is hidden as a whole.
    #[must_use]
    pub fn in_text(text: &str) -> Self {
        if !may_say_secret(text) {
            return Self::default();
        }
        match Stream::parse(text) {
            Ok(stream) => Self::of(&stream),
            Err(_) => Self::sorted(by_lines(text)),
        }
    }

    fn sorted(mut hidden: Vec<Span>) -> Self {
        hidden.retain(|span| span.start < span.end);
        hidden.sort_unstable();
        hidden.dedup_by(|next, last| {
            let meets = next.start <= last.end;
            if meets {
                last.end = last.end.max(next.end);
            }
            meets
        });
        Self { hidden }
    }

    /// Whether there are no secrets.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.hidden.is_empty()
    }

    /// Whether a place overlaps a secret.
    #[must_use]
    pub fn touch(&self, span: Span) -> bool {
        self.first_in(span).is_some()
    }

    /// The first byte in a place that must not be shown.
    #[must_use]
    pub fn first_in(&self, span: Span) -> Option<u32> {
        let next = self.hidden.partition_point(|hidden| hidden.end <= span.start);
        let first = self.hidden.get(next).filter(|hidden| hidden.start < span.end.max(span.start + 1))?;
        Some(first.start.max(span.start))
    }

    /// Whether a resource of this kind is a Secret.
    #[must_use]
    pub fn is_kind(kind: &str) -> bool {
        kind.trim().eq_ignore_ascii_case("Secret")
    }

    /// Whether the value at a path of a resource of this kind must not be shown: it is inside a secret, or contains
    /// one.
    #[must_use]
    pub fn hides(kind: &str, path: &Path) -> bool {
        const HIDDEN: [&[&str]; 3] = [&["data"], &["stringData"], &["metadata", "annotations"]];
        let is_along = |way: &&[&str]| {
            let steps = path.segments();
            way.iter()
                .zip(steps)
                .all(|(field, step)| matches!(step, Segment::Field(name) if name.eq_ignore_ascii_case(field)))
        };
        Self::is_kind(kind) && HIDDEN.iter().any(is_along)
    }
}

#[cfg(test)]
mod tests;
