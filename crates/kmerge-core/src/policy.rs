//! The choices of a merge, as plain data with presets.
//!
//! Ignores how a merge carries out a choice.

use crate::slots::Side;

/// Which side wins a conflict: a place that both sides changed in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BothChanged {
    /// The destination stays as it is.
    Keep,
    /// The incoming side is taken.
    Take,
    /// Neither: the place becomes a [`Conflict`](crate::Conflict).
    Conflict,
}

/// The meaning of an explicit `null`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nulls {
    /// A `null` that one side introduced removes the field. In a three-way merge, the original must have the field; any
    /// other null is data.
    Clear,
    /// It is a value like any other.
    Data,
}

/// The place of a new list item or field of the incoming side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListOrder {
    /// Next to its neighbour: after the nearest item before it that the result has. If there is none, before the
    /// nearest one after it; else last.
    Neighbour,
    /// Last.
    Append,
    /// First.
    Prepend,
}

/// How to merge lists whose items have no identity key; and which side's new entries come first if both sides add some
/// at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unkeyed {
    /// The list is one value. The incoming side's new entries come first, so that they stand next to their neighbour
    /// there.
    Atomic,
    /// Items are merged one by one, along the longest common subsequence. The destination's new entries come first. A
    /// keyed list or a set that is sorted on every side stays sorted; without a rule, if it has five items or more.
    Elementwise,
}

/// What happens to an entry that one side removed and the other changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Removal {
    /// Its fields are merged one by one: fields that the removing side had are removed, and fields that the other side
    /// added stay (kustomize's documented rules). With [`BothChanged::Conflict`], this is [`Removal::Whole`]: a conflict
    /// needs a place in the destination, and what the destination removed has none.
    Parts,
    /// It is one conflict.
    Whole,
}

/// Whether patch directives (`$patch`) in the incoming side are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Directives {
    /// Directives are executed.
    Execute,
    /// Directives are fields like any other.
    Data,
}

/// All choices of a merge. Start with a preset, and change single fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Which side wins if both changed a value.
    pub both_changed: BothChanged,
    /// Which side wins if both changed a comment.
    pub comments: BothChanged,
    /// The meaning of an explicit null.
    pub nulls: Nulls,
    /// The place of new entries.
    pub order: ListOrder,
    /// How lists without identity keys are merged.
    pub unkeyed: Unkeyed,
    /// What happens to an entry that one side removed and the other changed.
    pub removal: Removal,
    /// Whether patch directives are executed.
    pub directives: Directives,
}

impl Policy {
    /// The side whose new entries come first, if both sides add some at the same place.
    pub(crate) const fn first(&self) -> Side {
        match self.unkeyed {
            Unkeyed::Atomic => Side::Incoming,
            Unkeyed::Elementwise => Side::Dest,
        }
    }

    /// Whether the fields of a removed entry are merged one by one.
    pub(crate) fn merges_removed(&self) -> bool {
        let has_conflicts = [self.both_changed, self.comments].contains(&BothChanged::Conflict);
        self.removal == Removal::Parts && !has_conflicts
    }

    /// `merge2`: merges the source into the destination, without a base.
    pub const MERGE2: Self = Self {
        both_changed: BothChanged::Take,
        comments: BothChanged::Take,
        nulls: Nulls::Clear,
        order: ListOrder::Neighbour,
        unkeyed: Unkeyed::Atomic,
        removal: Removal::Parts,
        directives: Directives::Execute,
    };

    /// `merge3`: merges the changes from original to updated into the destination. Updated wins, and the plan records
    /// it.
    pub const MERGE3: Self = Self { comments: BothChanged::Keep, directives: Directives::Data, ..Self::MERGE2 };

    /// The git merge driver: both sides are equal, and no side wins a conflict.
    pub const GIT: Self = Self {
        both_changed: BothChanged::Conflict,
        comments: BothChanged::Conflict,
        nulls: Nulls::Data,
        order: ListOrder::Neighbour,
        unkeyed: Unkeyed::Elementwise,
        removal: Removal::Whole,
        directives: Directives::Data,
    };
}

#[cfg(test)]
mod tests {
    use kyaml_ast::Stream;

    use super::*;
    use crate::{Schema, Slots, merge};

    #[test]
    fn every_policy_has_a_plan_for_what_one_side_removed() {
        let [base, changed, removed] =
            ["m:\n  l: {a: 1, t: 1}\n  n: 1\ns: 1\n", "s: 1\nm:\n  l: {a: 1, t: 2}\n  n: 1\n", "s: 1\n"]
                .map(|text| Stream::parse(text).unwrap());
        let outcomes = [BothChanged::Take, BothChanged::Keep, BothChanged::Conflict];
        for (both_changed, comments) in outcomes.into_iter().flat_map(|one| outcomes.map(|other| (one, other))) {
            for preset in [Policy::MERGE3, Policy::GIT] {
                for removal in [Removal::Parts, Removal::Whole] {
                    let policy = Policy { both_changed, comments, removal, ..preset };
                    for (dest, incoming) in [(&changed, &removed), (&removed, &changed)] {
                        let sides = Slots { dest: Some(dest), base: Some(&base), incoming: Some(incoming) };
                        assert!(merge(sides, &Schema::new(), &policy).is_ok(), "{policy:?}");
                    }
                }
            }
        }
    }
}
