//! The path of a rule: fields, any field, any item.

use std::str::FromStr;

use kyaml_ast::{Path, PathError, PathErrorKind, Segment};

/// One step from a value into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Field(String),
    AnyField,
    Item,
}

/// The way from the root of a resource to a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RulePath(pub(super) Vec<Step>);

/// Why a text is not the path of a rule, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at byte {at})")]
pub(crate) struct RulePathError {
    /// What is wrong.
    pub(crate) kind: RulePathErrorKind,
    /// Byte offset of the place in the text.
    pub(crate) at: usize,
}

/// What is wrong with the path of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RulePathErrorKind {
    /// Not a path at all.
    #[error(transparent)]
    Path(PathErrorKind),
    /// A segment that picks one element.
    #[error("a rule is for every element of a list: write [] for its items")]
    OneElement,
    /// `[]` at the end.
    #[error("a rule names the list, not its items: leave out [] at the end")]
    ItemsOfList,
}

impl FromStr for RulePath {
    type Err = RulePathError;

    fn from_str(text: &str) -> Result<Self, RulePathError> {
        let mut steps = Vec::new();
        let mut start = 0;
        for (at, len, step) in wildcards(text) {
            push_fields(&mut steps, text, start..at)?;
            steps.push(step);
            start = at + len;
        }
        if start == text.len() && steps.last() == Some(&Step::Item) {
            return Err(RulePathError { kind: RulePathErrorKind::ItemsOfList, at: start - 2 });
        }
        push_fields(&mut steps, text, start..text.len())?;
        Ok(Self(steps))
    }
}

/// The places of `[]` and `.*` outside quotes, with their lengths.
fn wildcards(text: &str) -> impl Iterator<Item = (usize, usize, Step)> {
    let mut quote = None;
    let mut escaped = false;
    text.bytes().enumerate().filter_map(move |(at, byte)| {
        match (quote, byte) {
            _ if escaped => escaped = false,
            (Some(b'"'), b'\\') => escaped = true,
            (Some(open), byte) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            _ => {}
        }
        let rest = &text.as_bytes()[at..];
        match quote {
            None if rest.starts_with(b"[]") => Some((at, 2, Step::Item)),
            None if matches!(rest, [b'.', b'*'] | [b'.', b'*', b'.' | b'[', ..]) => Some((at, 2, Step::AnyField)),
            _ => None,
        }
    })
}

fn push_fields(steps: &mut Vec<Step>, text: &str, range: std::ops::Range<usize>) -> Result<(), RulePathError> {
    let at = range.start;
    let part = &text[range];
    let error = |error: PathError| RulePathError { kind: RulePathErrorKind::Path(error.kind), at: at + error.at };
    match part.chars().next() {
        None if !text.is_empty() => return Ok(()),
        Some(first) if at > 0 && !matches!(first, '.' | '[') => {
            return Err(error(PathError { kind: PathErrorKind::Unexpected(first), at: 0 }));
        }
        _ => {}
    }
    let path: Path = part.parse().map_err(error)?;
    for segment in path.segments() {
        match segment {
            Segment::Field(name) => steps.push(Step::Field(name.clone())),
            _ => return Err(RulePathError { kind: RulePathErrorKind::OneElement, at }),
        }
    }
    Ok(())
}
