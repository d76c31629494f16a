//! Finds what must be read of an object and its configuration. Values that are the same in both change nothing and need
//! not be read.
//!
//! Invariant: only scalars of mappings are left out, and only if both have them under the same name with the same text.
//! Everything else that an apply could refuse is still read. Ignores the last applied configuration: it matters only
//! where the two differ.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use kyaml_ast::{Kind, Node};

use super::algorithm::Algorithm;
use super::strategic::{Meta, Strategy};
use crate::value::{MAX_DEPTH, Needed, field_name};

/// The fields in which two objects may differ, the fields that identify them, and all of `metadata`.
pub(super) fn differing(live: Node<'_>, config: Node<'_>, algorithm: Algorithm<'_>) -> Needed {
    let needed = in_values(live, config, algorithm.meta, 0);
    needed.and(&["apiVersion"]).and(&["kind"]).and(&["metadata"])
}

fn in_values(live: Node<'_>, config: Node<'_>, meta: Option<Meta<'_>>, depth: usize) -> Needed {
    if live.kind() != Kind::Mapping || config.kind() != Kind::Mapping || depth == MAX_DEPTH {
        return Needed::All;
    }
    let (Some(live), Some(config)) = (Field::all(live), Field::all(config)) else { return Needed::All };
    let mut needed = BTreeMap::new();
    let (mut live, mut config) = (live.into_iter().peekable(), config.into_iter().peekable());
    loop {
        let order = match (live.peek(), config.peek()) {
            (Some(one), Some(other)) => one.name.cmp(&other.name),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return Needed::Fields(needed),
        };
        let (mine, theirs) = match order {
            Ordering::Less => (live.next(), None),
            Ordering::Greater => (None, config.next()),
            Ordering::Equal => (live.next(), config.next()),
        };
        let below = match (&mine, &theirs) {
            (Some(live), Some(config)) if live.says_what(config) => continue,
            (Some(live), Some(config)) => match meta.map(|meta| meta.mapping(&live.name)) {
                None => in_values(live.value, config.value, None, depth + 1),
                Some(Ok(field)) if field.strategy != Strategy::Replace => {
                    in_values(live.value, config.value, Some(field.below), depth + 1)
                }
                Some(_) => Needed::All,
            },
            _ => Needed::All,
        };
        needed.extend(mine.or(theirs).map(|field| (field.name.into_owned(), below)));
    }
}

/// A field of a mapping in which every name stands once, and is plain text.
struct Field<'t> {
    name: Cow<'t, str>,
    value: Node<'t>,
}

impl<'t> Field<'t> {
    /// The fields, sorted by name. `None` if a name stands twice, or if kubectl does not read it as text.
    fn all(mapping: Node<'t>) -> Option<Vec<Self>> {
        let mut fields = Vec::new();
        for entry in mapping.entries() {
            let key = entry.key()?;
            let name = key.value();
            if field_name(key)? != name {
                return None;
            }
            fields.push(Self { name, value: entry.value() });
        }
        fields.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        let is_twice = fields.windows(2).any(|pair| pair[0].name == pair[1].name);
        (!is_twice).then_some(fields)
    }

    /// Whether both are the same scalar with the same text. Directives never count as the same, because they do more
    /// than set a value.
    fn says_what(&self, other: &Self) -> bool {
        let (one, two) = (self.value, other.value);
        let is_plain = one.kind().is_scalar() && one.kind() == two.kind() && one.tag().is_none() && two.tag().is_none();
        is_plain && one.value() == two.value() && !self.name.starts_with('$')
    }
}

#[cfg(test)]
mod tests {
    use kyaml_ast::Stream;

    use super::{Algorithm, differing};
    use crate::value::Needed;

    fn names(live: &str, config: &str) -> String {
        fn show(needed: &Needed) -> String {
            match needed {
                Needed::All => String::new(),
                Needed::Fields(fields) => {
                    let fields =
                        fields.iter().filter(|(name, _)| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
                    format!(
                        "({})",
                        fields.map(|(name, below)| name.clone() + &show(below)).collect::<Vec<_>>().join(" ")
                    )
                }
            }
        }
        let [live, config] = [live, config].map(|text| Stream::parse(text).unwrap());
        let [live_root, config_root] =
            [&live, &config].map(|stream| stream.documents().next().unwrap().root().unwrap());
        show(&differing(live_root, config_root, Algorithm::JSON_MERGE))
    }

    #[test]
    fn what_differs_is_read() {
        let cases = [
            ("{a: 1, b: 2}", "{b: 2, a: 1}", "()"),
            ("{a: 1, b: 2}", "{b: 3, c: 1}", "(a b c)"),
            ("{a: {b: {c: 1, d: 2}}}", "{a: {b: {c: 1, d: 3}}}", "(a(b(d)))"),
            // Other spellings of the same value; lists, because an apply may refuse some; a directive.
            ("{a: 1, b: '1', c: x}", "{a: 0x1, b: 1, c: 'x'}", "(a b c)"),
            ("{a: [1], $patch: x}", "{a: [1], $patch: x}", "($patch a)"),
            // A name that stands twice, or that is no name.
            ("{m: {a: 1, a: 2}}", "{m: {a: 1}}", "(m)"),
            ("{m: {a: 1, \"a\": 2}}", "{m: {a: 1}}", "(m)"),
            ("{m: {y: 1, b: 2}}", "{m: {y: 1, b: 2}}", "(m)"),
            ("{a: !x 1}", "{a: !x 1}", "(a)"),
        ];
        for (live, config, wanted) in cases {
            assert_eq!(names(live, config), wanted, "{live} {config}");
        }
    }
}
