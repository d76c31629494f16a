//! Secrets in a text without a tree: whether it may contain a Secret, and which parts of its lines can be shown.

use std::borrow::Cow;

use kyaml_ast::{Span, Stream};

use super::places;

/// Whether a text may contain a Secret: the word `Secret` as a kind, or a field that only Secrets have, in any
/// spelling. Never wrong when it says no.
pub(super) fn may_say_secret(text: &str) -> bool {
    let text = without_escapes(text);
    let bytes = text.as_bytes();
    memchr::memmem::find(bytes, b"stringData").is_some()
        || words(bytes).any(|at| {
            let before = &bytes[..at.saturating_sub(1)];
            let after = &bytes[at + b"ecret".len()..];
            let list = b"list".len();
            let after =
                if after.len() >= list && after[..list].eq_ignore_ascii_case(b"list") { &after[list..] } else { after };
            let is_end = !after.first().is_some_and(u8::is_ascii_alphanumeric);
            let is_start = at > 0 && bytes[at - 1].eq_ignore_ascii_case(&b's');
            // In double quotes, an escape may be a blank: `\tSecret`.
            let is_free =
                !before.last().is_some_and(u8::is_ascii_alphanumeric) || before.iter().nth_back(1) == Some(&b'\\');
            is_start && is_free && is_end
        })
}

/// The positions of `ecret`, in any case.
fn words(bytes: &[u8]) -> impl Iterator<Item = usize> {
    const WORD: &[u8] = b"ecret";
    let is_word = |at: &usize| bytes.get(*at..*at + WORD.len()).is_some_and(|word| word.eq_ignore_ascii_case(WORD));
    memchr::memchr2_iter(b'c', b'C', bytes).filter_map(|at| at.checked_sub(1)).filter(move |at| is_word(at))
}

/// A text without escaped letters and without continued lines in double quotes.
fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let digits = match after.as_bytes().first() {
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            Some(b'\n' | b'\r') => {
                rest = after.trim_start();
                continue;
            }
            _ => 0,
        };
        let code = if digits > 0 { after.get(1..=digits) } else { None };
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        match code.and_then(char::from_u32) {
            Some(letter) => {
                out.push(letter);
                rest = &after[1 + digits..];
            }
            None => {
                out.push('\\');
                // The second of two backslashes starts no escape.
                let taken = usize::from(after.starts_with('\\'));
                out.push_str(&after[..taken]);
                rest = &after[taken..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The hidden parts of a text that is not YAML, document by document. Some documents may still be YAML.
pub(super) fn by_lines(text: &str) -> Vec<Span> {
    let mut hidden = Vec::new();
    let (mut start, mut end) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") && start < end {
            of_document(text, Span::new(start, end), &mut hidden);
            start = end;
        }
        end += line.len() as u32;
    }
    of_document(text, Span::new(start, end), &mut hidden);
    hidden
}

fn of_document(text: &str, span: Span, hidden: &mut Vec<Span>) {
    let document = span.of(text);
    if !may_say_secret(document) {
        return;
    }
    let below = |found: Span| Span::new(found.start + span.start, found.end + span.start);
    if let Ok(stream) = Stream::parse(document) {
        hidden.extend(places::hidden(&stream).into_iter().map(below));
        return;
    }
    let mut at = span.start;
    for line in document.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        hidden.push(Span::new(at + shown(content) as u32, at + content.len() as u32));
        at += line.len() as u32;
    }
}

/// The length of the part of a line that can be shown: a conflict marker, `---`, a field of the document, blanks.
fn shown(line: &str) -> usize {
    const MARKER: usize = 7;
    let sign = line.bytes().next().unwrap_or_default();
    if b"<>=|".contains(&sign) && line.bytes().take_while(|byte| *byte == sign).count() >= MARKER {
        return line.len();
    }
    if line.starts_with("---") {
        return 3;
    }
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    match line.split_once(':') {
        // A text of several lines never starts at column 0.
        Some((name, _)) if is_name(name) => name.len() + 1,
        _ => line.len() - line.trim_start().len(),
    }
}
