//! Decides which list elements are one value. Half of such an element would be another element.
//!
//! These are resources, elements that one side removed, and elements that both sides replaced by another one. If both
//! sides added an element of one name, it depends on how the identity of the list is known. If a schema, a definition
//! or a rule says that the name identifies, the two are one element and their fields are merged. If that is only
//! inferred (tasks, triggers of one type, terms of one topology key), they may be two things that happen to have the
//! same name. Then they are one element only if they are equal, or if one of them has everything that the other has.

use hashbrown::HashMap;
use kyaml_ast::{EntryId, Kind, Node};

use super::{Frame, Walker};
use crate::correspond::{Identity, field_name, shares_field};
use crate::equal::same_value;
use crate::schema::{Cursor, Keys, RuleSource};
use crate::slots::{Side, Slots};

impl<'a> Walker<'a> {
    /// Whether the element of a row is decided as one value.
    pub(super) fn is_whole(&self, frame: &Frame<'a>, row: Slots<EntryId>) -> bool {
        let is_of_both = row.dest.is_some() && row.incoming.is_some();
        if frame.is_name_taken() {
            return true;
        }
        match frame.identity {
            Identity::Resource => !is_of_both,
            Identity::Keyed(_) if row.base.is_none() => {
                self.streams.base.is_some() && may_be_two(frame.cursor, &self.entries(row).map(kyaml_ast::Entry::value))
            }
            Identity::Keyed(keys) => !is_of_both || self.is_replaced(frame, row, keys),
            Identity::Field | Identity::Set | Identity::Position => false,
        }
    }

    /// Whether both sides gave an element another name, and at least one of them shares no field with the old element.
    fn is_replaced(&self, frame: &Frame<'a>, row: Slots<EntryId>, keys: Keys<'a>) -> bool {
        let Some([dest, base, incoming]) = self.entries(row).all() else { return false };
        let same = |a, b| frame.identity.same(a, b);
        let is_other =
            |side: Side| row.get(side).is_some_and(|entry| !shares_field(base, side, *entry, &frame.nodes, keys));
        !same(base, incoming)
            && !same(base, dest)
            && !same(dest, incoming)
            && (is_other(Side::Dest) || is_other(Side::Incoming))
    }
}

impl Frame<'_> {
    /// Whether the other side gave the old name of the current element to another element, or this is that other
    /// element.
    pub(super) fn is_name_taken(&self) -> bool {
        self.taken_names.contains(&(self.next - 1))
    }
}

/// Whether two elements with one name, added by both sides, may be two different things.
fn may_be_two(list: Cursor<'_>, values: &Slots<Node<'_>>) -> bool {
    let Some([dest, incoming]) = values.both() else { return false };
    list.list().source == RuleSource::Inferred && !holds(dest, incoming) && !holds(incoming, dest)
}

/// Whether `whole` has everything that `part` has: fields of mappings at any depth, elements of lists in their order.
pub(crate) fn holds(whole: Node<'_>, part: Node<'_>) -> bool {
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
