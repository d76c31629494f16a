//! Edits a file of many documents in parts, so that only the trees and values of one part are in memory.
//!
//! Invariant: editing the parts one by one gives the same text as editing the whole file. If that is not certain, there
//! is only one part: documents with directives or `...`, mixed line breaks, aliases, or a different indentation in a
//! later part.

use kyaml_ast::{Span, Stream};

use super::documents::Documents;
use crate::template::is_template;
use crate::value::Source;

/// The smallest size of a part. Trees and values of this many bytes are small compared to the program itself.
pub(super) const PART: usize = 256 << 10;

/// Cuts a text before `---` lines into parts of at least `least` bytes.
pub(super) fn parts(text: &str, least: usize) -> Vec<Span> {
    let cut = cut(text, least);
    let are_alike = cut.len() > 1 && has_bare_documents(text) && has_like_parts(text, &cut);
    if are_alike { cut } else { vec![Span::new(0, text.len() as u32)] }
}

impl Documents<'_, '_> {
    /// The new text of a large file. `edit` gets one part at a time. `None` if the file must be edited as a whole.
    ///
    /// ```
    /// use kmerge_core::apply::Documents;
    ///
    /// assert_eq!(Documents::edit_in_parts("a: 1\n", |part| Some(part.to_owned())), None);
    /// ```
    pub fn edit_in_parts(text: &str, mut edit: impl FnMut(&str) -> Option<String>) -> Option<String> {
        let parts = parts(text, PART);
        if parts.len() == 1 {
            return None;
        }
        let mut edited = String::with_capacity(text.len());
        for part in parts {
            edited.push_str(&edit(part.of(text))?);
        }
        Some(edited)
    }
}

fn cut(text: &str, least: usize) -> Vec<Span> {
    let (mut parts, mut start) = (Vec::new(), 0);
    while let Some(end) = next_document(text, start + least) {
        parts.push(Span::new(start as u32, end as u32));
        start = end;
    }
    parts.push(Span::new(start as u32, text.len() as u32));
    parts
}

/// The start of the first `---` line at or after a byte.
fn next_document(text: &str, from: usize) -> Option<usize> {
    let rest = text.as_bytes().get(from..)?;
    let is_marker = |at: &usize| matches!(rest.get(at + 4), None | Some(b' ' | b'\t' | b'\r' | b'\n'));
    memchr::memmem::find_iter(rest, b"\n---").find(is_marker).map(|at| from + at + 1)
}

/// Whether only `---` separates documents, and all lines have the same line break.
fn has_bare_documents(text: &str) -> bool {
    let has = |what: &str| memchr::memmem::find(text.as_bytes(), what.as_bytes()).is_some();
    let returns = memchr::memchr_iter(b'\r', text.as_bytes()).count();
    let breaks = || memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let pairs = || memchr::memmem::find_iter(text.as_bytes(), b"\r\n").count();
    let is_plain = !text.starts_with(['%', '.']) && !has("\n%") && !has("\n...");
    is_plain && (returns == 0 || returns == breaks() && returns == pairs())
}

fn has_like_parts(text: &str, parts: &[Span]) -> bool {
    let mut indentation = None;
    parts.iter().all(|part| {
        let Ok(stream) = Stream::parse(part.of(text)) else { return false };
        let is_like = *indentation.get_or_insert(stream.indentation()) == stream.indentation();
        is_like && !is_template(&stream) && !Source::new(&stream).has_aliases()
    })
}

#[cfg(test)]
mod tests {
    use super::parts;

    fn cut(text: &str) -> Vec<&str> {
        parts(text, 4).into_iter().map(|part| part.of(text)).collect()
    }

    #[test]
    fn parts_are_whole_documents() {
        assert_eq!(
            cut("a: 1\n---\nb: |\n ---\n---x: 1\n--- # c\n"),
            ["a: 1\n", "---\nb: |\n ---\n---x: 1\n", "--- # c\n"]
        );
        assert_eq!(cut("a\n---\nb\n--- c\n"), ["a\n---\nb\n", "--- c\n"]);
        assert_eq!(cut("a: 1\r\n---\r\nb: 1\r\n---"), ["a: 1\r\n", "---\r\nb: 1\r\n", "---"]);
        assert_eq!(cut(""), [""]);
    }

    #[test]
    fn what_depends_on_more_than_a_part_stays_whole() {
        let whole = [
            "a: 12\n---\nb: 'x\n",
            "a: 12\n%YAML 1.2\n---\nb: 1\n",
            "a: 12\n...\n---\nb: 1\n",
            "a: 12\r\n---\nb: 1\n",
            "a: &a 12\nc: *a\n---\nb: 1\n",
            "a:\n- b\n---\na:\n  - b\n",
            "a: 12\n---\n{{ x }}: 1\n",
        ];
        for text in whole {
            assert_eq!(cut(text), [text]);
        }
    }
}
