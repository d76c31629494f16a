//! Where the syntax allows a plain scalar.
//!
//! Stricter than the specification where readers differ: no tabs, no text like a document marker, and inside flow
//! collections (where parsers like libyaml fail) no leading `:` and no `?`.

use super::needs_escape;

/// Whether `text` is one plain scalar on one line.
pub(crate) fn fits(text: &str, in_flow: bool) -> bool {
    starts_plain(text, in_flow)
        && !text.ends_with([' ', ':'])
        && !text.contains(needs_escape)
        && !text.contains(": ")
        && !text.contains(" #")
        && !is_like_marker(text)
        && !(in_flow && breaks_flow(text))
}

fn starts_plain(text: &str, in_flow: bool) -> bool {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return false };
    match first {
        ' ' | ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => false,
        ':' if in_flow => false,
        '-' | '?' | ':' => chars.next().is_some_and(|next| next != ' '),
        _ => true,
    }
}

pub(crate) fn is_like_marker(text: &str) -> bool {
    let rest = text.strip_prefix("---").or_else(|| text.strip_prefix("..."));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

fn breaks_flow(text: &str) -> bool {
    text.contains([',', '[', ']', '{', '}', '?'])
}
