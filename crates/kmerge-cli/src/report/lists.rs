//! Why a list is one value, in words.

use kmerge_core::Side;
use kmerge_core::schema::{NoIdentity, OneValue, RuleSource};
use kyaml_ast::Span;

/// What people call who says how a list is paired.
pub(crate) const fn source_name(source: RuleSource) -> &'static str {
    match source {
        RuleSource::User => "a rule of yours",
        RuleSource::Crd => "a custom resource definition",
        RuleSource::Builtin => "the built-in schema",
        RuleSource::Inferred => "inferred from the elements",
    }
}

/// `one value: although the built-in schema says by name, two elements have the same key (dest, lines 3 and 5)`
///
/// `place` names the lines of some spans of a side.
pub(crate) fn one_value(list: &OneValue, place: impl Fn(Side, &[Span]) -> String) -> String {
    let OneValue { source, declared, why } = list;
    let from = source_name(*source);
    let Some((side, why)) = why else { return format!("one value: {from}") };
    let spans = match *why {
        NoIdentity::NoElements => return "empty: agrees with any key".to_owned(),
        NoIdentity::NoCommonKey => return "one value: no usual key is in every element".to_owned(),
        NoIdentity::NotAMapping(_) if declared.is_none() => return "one value: elements without fields".to_owned(),
        NoIdentity::NotAMapping(span) | NoIdentity::NotAScalar(span) | NoIdentity::MissingKey(span) => vec![span],
        NoIdentity::Duplicate { first, second } => vec![first, second],
        _ => Vec::new(),
    };
    let declared = match declared.as_deref() {
        None => String::new(),
        Some("set") => format!("although {from} says a set, "),
        Some(keys) => format!("although {from} says by {keys}, "),
    };
    format!("one value: {declared}{why} ({})", place(*side, &spans))
}

/// `line 3`, `lines 3 and 5`
pub(crate) fn lines(lines: &[usize]) -> String {
    match lines {
        [line] => format!("line {line}"),
        lines => format!("lines {}", lines.iter().map(usize::to_string).collect::<Vec<_>>().join(" and ")),
    }
}
