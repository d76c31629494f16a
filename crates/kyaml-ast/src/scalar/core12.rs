//! YAML 1.2.2's core schema (10.3.2): which plain text is null, a boolean or a number.

use std::borrow::Cow;

use super::Resolved;
use super::shape::is_decimal_float;
use super::tag::Tag;

/// Reads plain text without a tag.
pub(super) fn plain(text: &str) -> Resolved<'_> {
    // Most text is a word, and no number starts like a word.
    let number = match text.as_bytes().first() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => integer(text).or_else(|| float(text)),
        _ => null(text).or_else(|| boolean(text)),
    };
    number.unwrap_or_else(|| Resolved::string(text))
}

/// Reads text under an explicit tag.
pub(super) fn tagged<'a>(tag: Tag<'a>, text: &'a str) -> Resolved<'a> {
    let value = match tag {
        Tag::Yaml("null") => null(text),
        Tag::Yaml("bool") => boolean(text),
        Tag::Yaml("int") => integer(text),
        Tag::Yaml("float") => {
            float(text).or_else(|| integer(text).and_then(|_| text.parse().ok().map(Resolved::Float)))
        }
        Tag::Yaml("binary") => {
            return Resolved::Tagged { tag: tag.full(), text: without_blanks(text) };
        }
        _ => None,
    };
    value.unwrap_or_else(|| Resolved::tagged(tag, text))
}

fn null(text: &str) -> Option<Resolved<'_>> {
    matches!(text, "" | "~" | "null" | "Null" | "NULL").then_some(Resolved::Null)
}

fn boolean(text: &str) -> Option<Resolved<'_>> {
    match text {
        "true" | "True" | "TRUE" => Some(Resolved::Bool(true)),
        "false" | "False" | "FALSE" => Some(Resolved::Bool(false)),
        _ => None,
    }
}

fn integer(text: &str) -> Option<Resolved<'_>> {
    if let Some(digits) = text.strip_prefix("0o") {
        return in_radix(text, digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return in_radix(text, digits, 16);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let small = text.parse().ok().map(Resolved::Int);
    small.or_else(|| Some(Resolved::BigInt(canonical_big(text, digits))))
}

fn in_radix<'a>(text: &'a str, digits: &'a str, radix: u32) -> Option<Resolved<'a>> {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let small = i128::from_str_radix(digits, radix).ok().map(Resolved::Int);
    small.or_else(|| {
        let significant = digits.trim_start_matches('0').to_ascii_lowercase();
        Some(Resolved::BigInt(Cow::Owned(format!("{}{significant}", &text[..2]))))
    })
}

/// Decimal digits without leading zeros and plus sign. Big integers in two radices compare as different, which is the
/// safe side.
fn canonical_big<'a>(text: &'a str, digits: &'a str) -> Cow<'a, str> {
    let significant = digits.trim_start_matches('0');
    if text.starts_with('-') { Cow::Owned(format!("-{significant}")) } else { Cow::Borrowed(significant) }
}

fn float(text: &str) -> Option<Resolved<'_>> {
    match text {
        ".nan" | ".NaN" | ".NAN" => return Some(Resolved::Float(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Some(Resolved::Float(f64::INFINITY));
        }
        "-.inf" | "-.Inf" | "-.INF" => return Some(Resolved::Float(f64::NEG_INFINITY)),
        _ => {}
    }
    if !is_decimal_float(text) {
        return None;
    }
    text.parse().ok().map(Resolved::Float)
}

/// Base64 text without blanks and breaks, which are only layout.
fn without_blanks(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_whitespace()) {
        Cow::Owned(text.split_ascii_whitespace().collect())
    } else {
        Cow::Borrowed(text)
    }
}
