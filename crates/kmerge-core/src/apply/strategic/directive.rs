//! The keys of a patch that are instructions, not fields.

/// `$patch: replace | delete`, in a mapping.
pub(super) const PATCH: &str = "$patch";
/// `$retainKeys: [name, …]`: the only fields that the mapping may keep.
pub(super) const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_ITEMS: &str = "$deleteFromPrimitiveList";
const ITEM_ORDER: &str = "$setElementOrder";

/// The meaning of a key in a mapping of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Directive<'k> {
    /// `$patch`: how to merge this mapping, or the list that contains this item.
    Patch,
    /// `$retainKeys`: all other fields are removed.
    RetainKeys,
    /// `$deleteFromPrimitiveList/field`: scalars to remove from a list.
    DeleteItems(&'k str),
    /// `$setElementOrder/field`: the wanted order of a list.
    ItemOrder(&'k str),
    /// A directive for a list that names no list.
    Malformed,
    /// A field like any other.
    Field(&'k str),
}

impl<'k> Directive<'k> {
    /// Reads a key.
    #[must_use]
    pub(crate) fn of(key: &'k str) -> Self {
        match key {
            PATCH => return Self::Patch,
            RETAIN_KEYS => return Self::RetainKeys,
            _ => {}
        }
        let (head, field) = key.split_once('/').map_or((key, None), |(head, field)| (head, Some(field)));
        if !(head.starts_with(DELETE_ITEMS) || head.starts_with(ITEM_ORDER)) {
            return Self::Field(key);
        }
        match (head, field) {
            (DELETE_ITEMS, Some(field)) => Self::DeleteItems(field),
            (ITEM_ORDER, Some(field)) => Self::ItemOrder(field),
            _ => Self::Malformed,
        }
    }
}

/// The key of the directive that removes scalars from the list `field`.
pub(super) fn delete_items(field: &str) -> String {
    format!("{DELETE_ITEMS}/{field}")
}

/// The key of the directive that orders the list `field`.
pub(super) fn item_order(field: &str) -> String {
    format!("{ITEM_ORDER}/{field}")
}

#[cfg(test)]
mod tests {
    use super::Directive;

    #[test]
    fn keys_are_told_apart() {
        let cases = [
            ("$patch", Directive::Patch),
            ("$retainKeys", Directive::RetainKeys),
            ("$deleteFromPrimitiveList/a/b", Directive::DeleteItems("a/b")),
            ("$setElementOrder/a", Directive::ItemOrder("a")),
            ("$setElementOrder", Directive::Malformed),
            ("$setElementOrders/a", Directive::Malformed),
            ("a/$setElementOrder", Directive::Field("a/$setElementOrder")),
            ("$other", Directive::Field("$other")),
        ];
        for (key, directive) in cases {
            assert_eq!(Directive::of(key), directive);
        }
    }
}
