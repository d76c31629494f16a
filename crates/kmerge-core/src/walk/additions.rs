//! Elements of one name that both sides added: one element, or two?
//!
//! Where a schema, a definition or a rule says that the name identifies, they are one, and their fields are merged. Where that is but
//! inferred (tasks, triggers of one type, terms of one topology key), they may be two things that happen to be called alike: they
//! are one only if they are equal, or one of them holds all that the other has.

use std::collections::HashMap;

use kyaml_ast::{Kind, Node};

use crate::align::field_name;
use crate::equal::same_value;
use crate::identity::Identity;
use crate::schema::{Cursor, RuleSource};
use crate::slots::Slots;

/// Whether the elements of a row of a list may be two things.
pub(super) fn may_be_two((identity, list): (Identity<'_>, Cursor<'_>), values: &Slots<Node<'_>>) -> bool {
    let Slots { dest: Some(dest), base: None, incoming: Some(incoming) } = *values else { return false };
    let is_inferred = matches!(identity, Identity::Keyed(_)) && list.list().source == RuleSource::Inferred;
    is_inferred && !holds(dest, incoming) && !holds(incoming, dest)
}

/// Whether a value has all that another has: the fields of mappings at any depth, the elements of lists in their order.
fn holds(whole: Node<'_>, part: Node<'_>) -> bool {
    let mut open = vec![(whole, part)];
    while let Some((whole, part)) = open.pop() {
        match (whole.kind(), part.kind()) {
            (Kind::Mapping, Kind::Mapping) => {
                let known: HashMap<String, Node<'_>> =
                    whole.entries().map(|field| (field_name(field), field.value())).collect();
                for field in part.entries() {
                    let Some(value) = known.get(&field_name(field)) else { return false };
                    open.push((*value, field.value()));
                }
            }
            (Kind::Sequence, Kind::Sequence) => {
                let mut rest = whole.children();
                if !part.children().all(|item| rest.any(|other| same_value(other, item))) {
                    return false;
                }
            }
            _ if !same_value(whole, part) => return false,
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use kyaml_ast::{Document, Stream};

    use super::*;

    fn holds_all(whole: &str, part: &str) -> bool {
        let [whole, part] = [whole, part].map(|text| Stream::parse(text).unwrap());
        let [whole, part] = [&whole, &part].map(|stream| stream.documents().find_map(Document::root).unwrap());
        holds(whole, part)
    }

    #[test]
    fn one_holds_the_other_at_any_depth() {
        assert!(holds_all("{a: 1, b: {c: 2, d: 3}}", "{b: {d: 3}}"));
        assert!(!holds_all("{a: 1, b: {c: 2}}", "{b: {c: 3}}"));
        assert!(!holds_all("{a: 1}", "{a: 1, b: 2}"));
        assert!(holds_all("{a: [1, 2, 3]}", "{a: [1, 3]}"));
        assert!(!holds_all("{a: [1, 2]}", "{a: [2, 1]}"));
    }
}
