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
    /// added stay (kustomize's documented rules).
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
