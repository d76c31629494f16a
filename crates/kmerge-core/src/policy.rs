//! What a merge does where its inputs leave a choice: plain data, with presets.

use crate::slots::Side;

/// Which side wins a conflict: a place that both sides changed, differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BothChanged {
    /// The destination stays as it is.
    Keep,
    /// The incoming side is taken.
    Take,
    /// Neither: the place becomes a [`Conflict`](crate::Conflict).
    Conflict,
}

/// What an explicit `null` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nulls {
    /// A `null` that one side introduced removes the field. In a merge with an original, this is a field of the original; any other null
    /// is data.
    Clear,
    /// It is a value like any other.
    Data,
}

/// Where a new list item or field of the incoming side is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListOrder {
    /// Next to its neighbour: after the nearest item before it that the result has, else before the nearest one after it, else last.
    Neighbour,
    /// Last.
    Append,
    /// First.
    Prepend,
}

/// How lists are merged whose items have no identity key, and whose new entries come first if both sides add some at the
/// same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unkeyed {
    /// The list is one value. The incoming side's entries come first: they are next to the neighbour that they have there.
    Atomic,
    /// Items are merged one by one, along the longest common subsequence. The destination's entries come first: a list that is
    /// sorted on every side stays sorted.
    Elementwise,
}

/// What happens to an entry that one side removed and the other changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Removal {
    /// Its fields are merged one by one: fields that the removing side had are removed, fields that the other side added stay
    /// (kustomize's documented rules).
    Parts,
    /// It is one conflict.
    Whole,
}

/// Whether patch directives (`$patch`) in the incoming side are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Directives {
    /// They are.
    Execute,
    /// They are fields like any other.
    Data,
}

/// All choices of a merge. Start from a preset, and change single fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Which side wins where both changed a value.
    pub both_changed: BothChanged,
    /// Which side wins where both changed a comment.
    pub comments: BothChanged,
    /// What an explicit null means.
    pub nulls: Nulls,
    /// Where new entries are inserted.
    pub order: ListOrder,
    /// How lists without identity keys are merged.
    pub unkeyed: Unkeyed,
    /// What happens to an entry that one side removed and the other changed.
    pub removal: Removal,
    /// Whether patch directives are executed.
    pub directives: Directives,
}

impl Policy {
    /// Whose new entries come first, if both sides add some at the same place.
    pub(crate) const fn first(&self) -> Side {
        match self.unkeyed {
            Unkeyed::Atomic => Side::Incoming,
            Unkeyed::Elementwise => Side::Dest,
        }
    }

    /// `merge2`: the source is merged into the destination, without a base.
    pub const MERGE2: Self = Self {
        both_changed: BothChanged::Take,
        comments: BothChanged::Take,
        nulls: Nulls::Clear,
        order: ListOrder::Neighbour,
        unkeyed: Unkeyed::Atomic,
        removal: Removal::Parts,
        directives: Directives::Execute,
    };

    /// `merge3`: changes from original to updated are merged into the destination. Updated wins, and the plan records it.
    pub const MERGE3: Self = Self { comments: BothChanged::Keep, directives: Directives::Data, ..Self::MERGE2 };

    /// The git merge driver: both sides count alike, and nobody wins a conflict.
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
