//! What go-yaml v2 makes of plain text, and kubectl then turns into JSON. Checked against answers recorded from kubectl
//! 1.32.

use std::borrow::Cow;

use super::shape::{is_decimal_float, is_timestamp};
use super::tag::Tag;
use super::{Resolved, base64};

/// Reads plain text without a tag.
pub(super) fn plain(text: &str) -> Resolved<'_> {
    constant(text).or_else(|| number(text).map(Number::resolved)).unwrap_or_else(|| Resolved::string(text))
}

/// Reads text under an explicit tag. Foreign tags do not reach JSON.
pub(super) fn tagged<'a>(tag: Tag<'a>, text: &'a str) -> Resolved<'a> {
    let value = match tag {
        Tag::Yaml("null") => constant(text).filter(|value| *value == Resolved::Null),
        Tag::Yaml("bool") => constant(text).filter(|value| matches!(value, Resolved::Bool(_))),
        Tag::Yaml("int") => number(text).filter(|number| !matches!(number, Number::Float(_))).map(Number::resolved),
        Tag::Yaml("float") => float(text),
        Tag::Yaml("timestamp") => is_timestamp(text).then(|| Resolved::string(text)),
        Tag::Yaml("binary") => base64::decode(text).map(|bytes| Resolved::String(lossy(bytes))),
        _ => Some(Resolved::string(text)),
    };
    value.unwrap_or_else(|| Resolved::tagged(tag, text))
}

/// Null, the booleans, and the floats that are written as words.
fn constant(text: &str) -> Option<Resolved<'_>> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Resolved::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Resolved::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Resolved::Bool(false),
        ".nan" | ".NaN" | ".NAN" => Resolved::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Resolved::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Resolved::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

/// A number by its Go type. The type decides which tags it may have.
enum Number {
    Int(i64),
    Uint(u64),
    Float(f64),
}

impl Number {
    /// The number in JSON. Integers beyond signed 64 bits are floats there.
    fn resolved(self) -> Resolved<'static> {
        match self {
            Self::Int(value) => Resolved::Int(i128::from(value)),
            Self::Uint(value) => Resolved::Float(value as f64),
            Self::Float(value) => Resolved::Float(value),
        }
    }
}

fn number(text: &str) -> Option<Number> {
    match text.as_bytes().first()? {
        b'.' => underscores_separate_digits(text).then(|| decimal(&without_underscores(text)))?,
        b'0'..=b'9' | b'+' | b'-' => {
            let text = without_underscores(text);
            integer(&text).or_else(|| decimal(&text))
        }
        _ => None,
    }
}

/// Text with a float tag. Integers become floats, but only those that fit into signed 64 bits.
fn float(text: &str) -> Option<Resolved<'_>> {
    if let Some(Resolved::Float(value)) = constant(text) {
        return Some(Resolved::Float(value));
    }
    match number(text)? {
        Number::Int(value) => Some(Resolved::Float(value as f64)),
        Number::Uint(_) => None,
        Number::Float(value) => Some(Resolved::Float(value)),
    }
}

/// Go's integers with a prefix: `0x`, `0o` or `0`, `0b`, in either case. With a sign, only if signed 64 bits can hold
/// them.
fn integer(text: &str) -> Option<Number> {
    let (sign, magnitude) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("+", &text[1..]),
        _ => ("", text),
    };
    let (digits, radix) = radix_of(magnitude);
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()?;
    match sign {
        "-" => 0_i64.checked_sub_unsigned(value).map(Number::Int),
        "+" => i64::try_from(value).ok().map(Number::Int),
        _ => Some(i64::try_from(value).map_or(Number::Uint(value), Number::Int)),
    }
}

fn radix_of(magnitude: &str) -> (&str, u32) {
    match magnitude.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&magnitude[2..], 16),
        [b'0', b'o' | b'O', ..] => (&magnitude[2..], 8),
        [b'0', b'b' | b'B', ..] => (&magnitude[2..], 2),
        [b'0', _, ..] => (&magnitude[1..], 8),
        _ => (magnitude, 10),
    }
}

/// A decimal float that does not overflow. Text that would overflow stays a string.
fn decimal(text: &str) -> Option<Number> {
    if !is_decimal_float(text) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite()).map(Number::Float)
}

fn without_underscores(text: &str) -> Cow<'_, str> {
    if text.contains('_') { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) }
}

/// Go's own rule for underscores, after a leading point.
fn underscores_separate_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let mut underscores = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'_');
    underscores.all(|(at, _)| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)))
}

/// JSON holds only text. Bytes that are not UTF-8 are replaced.
fn lossy(bytes: Vec<u8>) -> Cow<'static, str> {
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Cow::Owned(text)
}
