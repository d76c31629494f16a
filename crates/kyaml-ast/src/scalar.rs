//! The meaning of a scalar's text: its value in YAML 1.2's core schema, and by the rules of Kubernetes tools.
//!
//! Kubernetes tools read YAML with go-yaml v2. Its rules are those of YAML 1.1 with additions (`0o644`) and omissions
//! (no sexagesimal numbers; dates stay strings). Two scalars are the same value only if both schemas say so, because
//! nobody knows which of the two the next reader uses.
//!
//! Owns resolution, equality, hashing and identity text of one scalar. Ignores where the scalar stands, what an alias
//! refers to, and `%TAG` directives (`!!` always means the YAML namespace here).

mod base64;
mod core12;
mod kube11;
mod node;
mod shape;
mod tag;

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use crate::tree::Kind;
use tag::Tag;

pub(crate) use shape::is_taken_by_yaml11;

/// The parts of a scalar that its value depends on.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<'a> {
    /// The style. Without a tag, only [`Kind::Plain`] and [`Kind::Null`] can be anything but a string.
    pub kind: Kind,
    /// The tag as written.
    pub tag: Option<&'a str>,
    /// The decoded text: without quotes, with escapes and folding applied.
    pub text: &'a str,
}

/// Rules by which plain text is read as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarSchema {
    /// The core schema of YAML 1.2.2, chapter 10.3.
    Core12,
    /// What kubectl and the API server read: go-yaml v2, then JSON.
    Kube11,
}

/// The value of a scalar under one [`ScalarSchema`].
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved<'a> {
    /// `null`, `~` or nothing.
    Null,
    /// `true`; under [`ScalarSchema::Kube11`] also `yes`, `on`, `y`.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// An integer beyond [`i128`]: the text without a plus sign and leading zeros. Only under [`ScalarSchema::Core12`].
    BigInt(Cow<'a, str>),
    /// A floating-point number.
    Float(f64),
    /// A string.
    String(Cow<'a, str>),
    /// A tag that the schema does not know, or does not allow for this text. (kubectl refuses a text of the second
    /// kind.)
    Tagged {
        /// The tag in full form: `tag:yaml.org,2002:int`, `!local`.
        tag: Cow<'a, str>,
        /// The decoded text.
        text: Cow<'a, str>,
    },
}

impl<'a> Resolved<'a> {
    fn string(text: &'a str) -> Self {
        Self::String(Cow::Borrowed(text))
    }

    fn tagged(tag: Tag<'a>, text: &'a str) -> Self {
        Self::Tagged { tag: tag.full(), text: Cow::Borrowed(text) }
    }

    /// The same value, without borrowing the text that it was read from.
    #[must_use]
    pub fn into_owned(self) -> Resolved<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Null => Resolved::Null,
            Self::Bool(value) => Resolved::Bool(value),
            Self::Int(value) => Resolved::Int(value),
            Self::Float(value) => Resolved::Float(value),
            Self::BigInt(text) => Resolved::BigInt(owned(text)),
            Self::String(text) => Resolved::String(owned(text)),
            Self::Tagged { tag, text } => Resolved::Tagged { tag: owned(tag), text: owned(text) },
        }
    }
}

/// Reads a scalar under `schema`.
///
/// ```
/// use kyaml_ast::{Kind, Resolved, Scalar, ScalarSchema, resolve_scalar};
///
/// let mode = Scalar { kind: Kind::Plain, tag: None, text: "0644" };
/// assert_eq!(resolve_scalar(mode, ScalarSchema::Core12), Resolved::Int(644));
/// assert_eq!(resolve_scalar(mode, ScalarSchema::Kube11), Resolved::Int(420));
/// ```
#[must_use]
pub fn resolve_scalar(scalar: Scalar<'_>, schema: ScalarSchema) -> Resolved<'_> {
    let tag = Tag::parse(scalar.tag);
    match (tag, scalar.kind) {
        (Tag::None, Kind::Plain | Kind::Null) => match schema {
            ScalarSchema::Core12 => core12::plain(scalar.text),
            ScalarSchema::Kube11 => kube11::plain(scalar.text),
        },
        (Tag::None | Tag::NonSpecific | Tag::Yaml("str"), _) => Resolved::string(scalar.text),
        _ => match schema {
            ScalarSchema::Core12 => core12::tagged(tag, scalar.text),
            ScalarSchema::Kube11 => kube11::tagged(tag, scalar.text),
        },
    }
}

/// Whether two scalars are the same value, and of the same type, under both schemas.
///
/// ```
/// use kyaml_ast::{Kind, Scalar, same_scalar};
///
/// let plain = |text| Scalar { kind: Kind::Plain, tag: None, text };
/// let quoted = |text| Scalar { kind: Kind::DoubleQuoted, tag: None, text };
/// assert!(same_scalar(plain("a"), quoted("a")));
/// assert!(!same_scalar(plain("5"), quoted("5")));
/// assert!(!same_scalar(plain("yes"), plain("true")), "a string for YAML 1.2");
/// ```
#[must_use]
pub fn same_scalar(a: Scalar<'_>, b: Scalar<'_>) -> bool {
    if a.text == b.text && a.tag == b.tag && is_bare(a) == is_bare(b) {
        return true;
    }
    [ScalarSchema::Core12, ScalarSchema::Kube11]
        .into_iter()
        .all(|schema| same_value(&resolve_scalar(a, schema), &resolve_scalar(b, schema)))
}

/// Feeds a hash of the value to `state`. Scalars that [`same_scalar`] calls equal have equal hashes.
pub fn hash_scalar(scalar: Scalar<'_>, state: &mut impl Hasher) {
    let value = resolve_scalar(scalar, ScalarSchema::Core12);
    std::mem::discriminant(&value).hash(state);
    match value {
        Resolved::Null => {}
        Resolved::Bool(value) => value.hash(state),
        Resolved::Int(value) => value.hash(state),
        Resolved::Float(value) => float_identity(value).hash(state),
        Resolved::BigInt(text) | Resolved::String(text) => text.hash(state),
        Resolved::Tagged { tag, text } => (tag, text).hash(state),
    }
}

/// The text by which a scalar identifies a list element. Numbers and strings that print alike are one key.
///
/// ```
/// use kyaml_ast::{Kind, Scalar, key_text};
///
/// let plain = |text| Scalar { kind: Kind::Plain, tag: None, text };
/// assert_eq!(key_text(plain("0x50")), "80");
/// assert_eq!(key_text(plain("https")), "https");
/// ```
#[must_use]
pub fn key_text(scalar: Scalar<'_>) -> Cow<'_, str> {
    // Most keys are words, and no number starts like a word.
    let may_be_number = matches!(scalar.text.as_bytes().first(), Some(b'0'..=b'9' | b'+' | b'-' | b'.'));
    if scalar.tag.is_none() && !may_be_number {
        return Cow::Borrowed(scalar.text);
    }
    match resolve_scalar(scalar, ScalarSchema::Kube11) {
        Resolved::Int(value) => Cow::Owned(value.to_string()),
        Resolved::Float(value) if is_small_integer(value) => Cow::Owned(format!("{value:.0}")),
        _ => Cow::Borrowed(scalar.text),
    }
}

/// Whether a key is the YAML merge key `<<`. The same text in quotes is an ordinary name.
#[must_use]
pub fn is_merge_key(scalar: Scalar<'_>) -> bool {
    match Tag::parse(scalar.tag) {
        Tag::None => scalar.kind == Kind::Plain && scalar.text == "<<",
        Tag::Yaml("merge") => scalar.text == "<<",
        _ => false,
    }
}

/// Whether the text alone decides the type of the value.
const fn is_bare(scalar: Scalar<'_>) -> bool {
    matches!(scalar.kind, Kind::Plain | Kind::Null)
}

fn same_value(a: &Resolved<'_>, b: &Resolved<'_>) -> bool {
    match (a, b) {
        (Resolved::Float(a), Resolved::Float(b)) => float_identity(*a) == float_identity(*b),
        _ => a == b,
    }
}

/// The bits of the number. All NaN values have one representation.
fn float_identity(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

/// Whether JSON writes the number as an integer that fits into 64 bits.
fn is_small_integer(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < 9_223_372_036_854_775_808.0
}
