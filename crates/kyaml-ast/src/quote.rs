//! Writes strings as YAML scalars that every reader takes for the same string.
//!
//! A string is plain only if neither YAML 1.2 nor YAML 1.1 nor go-yaml reads the text as something else, and the place
//! allows it. Otherwise it gets double quotes, as is usual in manifests, or single quotes if they save a backslash.
//! Several lines become a literal block, if a block scalar can stand there. Text is never wrapped or folded again.
//!
//! Owns the choice of style, and the text in that style. Ignores values that are not strings, tags, and the comment on
//! a block scalar's header.

mod block;
pub(crate) mod plain;

use crate::scalar::{Resolved, Scalar, ScalarSchema, is_taken_by_yaml11, resolve_scalar};
use crate::span::Newline;
use crate::tree::{Kind, Node};

/// The place where a scalar will stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarPlace {
    /// The key of a block mapping's entry.
    BlockKey,
    /// The value of a block mapping's entry, the item of a block sequence, or the root of a document.
    Block(BlockLayout),
    /// A key, value or item inside a flow collection.
    Flow,
}

/// The layout for the lines of a block scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLayout {
    /// Column of the collection that holds the scalar (for an item: of its `-`); `None` for the root of a document.
    pub parent: Option<usize>,
    /// How many columns the lines are indented further than the parent; at least 1.
    pub step: usize,
    /// Line ending of the file.
    pub newline: Newline,
}

/// Whether `text`, written plain at `place`, is read as exactly this string by YAML 1.2, YAML 1.1 and go-yaml.
///
/// ```
/// use kyaml_ast::{ScalarPlace, plain_is_safe};
///
/// assert!(plain_is_safe("nginx:1.7", ScalarPlace::BlockKey));
/// assert!(!plain_is_safe("no", ScalarPlace::BlockKey));
/// assert!(!plain_is_safe("a, b", ScalarPlace::Flow));
/// ```
#[must_use]
pub fn plain_is_safe(text: &str, place: ScalarPlace) -> bool {
    plain::fits(text, place == ScalarPlace::Flow) && reads_as_string(text)
}

/// Writes `text` in the style that suits it best at `place`.
///
/// A block scalar is returned without its last line break. The caller must add one, and no blank line after it if the
/// text ends in more than one break (`|+`).
///
/// ```
/// use kyaml_ast::{ScalarPlace, render_string};
///
/// assert_eq!(render_string("web", ScalarPlace::Flow), "web");
/// assert_eq!(render_string("8080", ScalarPlace::Flow), "\"8080\"");
/// assert_eq!(render_string(r"^\d+$ # all", ScalarPlace::Flow), r"'^\d+$ # all'");
/// ```
#[must_use]
pub fn render_string(text: &str, place: ScalarPlace) -> String {
    if plain_is_safe(text, place) {
        return text.to_owned();
    }
    if let ScalarPlace::Block(layout) = place
        && text.contains('\n')
        && let Some(block) = block::literal(text, layout)
    {
        return block;
    }
    let spares_a_backslash = text.contains(['"', '\\']) && !text.contains('\'');
    if spares_a_backslash && single_can_hold(text) { single_quoted(text) } else { double_quoted(text) }
}

/// Writes `text` in the style `old` of the scalar that it replaces, if that style can hold it at `place`.
///
/// A plain scalar stays plain only if [`plain_is_safe`] allows it. The result has the form that [`render_string`]
/// documents.
#[must_use]
pub fn render_string_like(old: Kind, text: &str, place: ScalarPlace) -> String {
    let kept = match (old, place) {
        (Kind::DoubleQuoted, _) => Some(double_quoted(text)),
        (Kind::SingleQuoted, _) if single_can_hold(text) => Some(single_quoted(text)),
        (Kind::SingleQuoted, _) => Some(double_quoted(text)),
        (Kind::Literal, ScalarPlace::Block(layout)) => block::literal(text, layout),
        (Kind::Folded, ScalarPlace::Block(layout)) => block::folded(text, layout),
        _ => None,
    };
    kept.unwrap_or_else(|| render_string(text, place))
}

/// As [`render_string_like`], for the scalar `old`. A folded text keeps the line breaks in paragraphs, and parts of
/// paragraphs, that stay.
pub(crate) fn render_string_over(old: Node<'_>, text: &str, place: ScalarPlace) -> String {
    let folded = match (old.kind(), place) {
        (Kind::Folded, ScalarPlace::Block(layout)) => block::folded_over(old, text, layout),
        _ => None,
    };
    folded.unwrap_or_else(|| render_string_like(old.kind(), text, place))
}

/// Whether a rendered key may stand before its `:` without a `?`: one line, at most 1024 characters.
#[must_use]
pub fn fits_implicit_key(rendered: &str) -> bool {
    rendered.chars().take(1025).count() <= 1024 && !rendered.contains('\n')
}

fn reads_as_string(text: &str) -> bool {
    let scalar = Scalar { kind: Kind::Plain, tag: None, text };
    let is_string = |schema| matches!(resolve_scalar(scalar, schema), Resolved::String(_));
    is_string(ScalarSchema::Core12) && is_string(ScalarSchema::Kube11) && !is_taken_by_yaml11(text)
}

fn single_can_hold(text: &str) -> bool {
    !text.contains(needs_escape)
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Double-quoted with escapes that JSON knows as well.
pub(crate) fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if needs_escape(char) => out.push_str(&format!("\\u{:04X}", u32::from(char))),
            _ => out.push(char),
        }
    }
    out.push('"');
    out
}

/// Characters that only an escape brings through every reader: control characters, line breaks of YAML 1.1,
/// non-characters, and the byte order mark. All of them are in the Basic Multilingual Plane.
const fn needs_escape(char: char) -> bool {
    matches!(char, '\0'..='\x1F' | '\x7F'..='\u{9F}' | '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
}
