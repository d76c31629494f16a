//! What a merge does where its inputs leave a choice: plain data, with presets.

/// Who gets a place that both sides changed, differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contested {
    /// The destination stays as it is.
    Keep,
    /// The incoming side is taken.
    Take,
    /// Nobody: the place becomes a [`Conflict`](crate::Conflict).
    Conflict,
}

/// What an explicit `null` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nulls {
    /// A `null` that one side introduced removes the field.
    Clear,
    /// A value like any other.
    Data,
}

/// Where an element or field goes that only the incoming side has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListOrder {
    /// After its nearest preceding sibling that the result has, else before the nearest following one, else last.
    Neighbour,
    /// Last.
    Append,
    /// First.
    Prepend,
}

/// Whose new entries come first where both sides put some at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum First {
    /// The destination's: the sides are equals. A list that is sorted on every side stays sorted.
    Dest,
    /// The incoming side's: it stands beside the neighbour that it has there.
    Incoming,
}

/// What happens to lists whose elements have no identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unkeyed {
    /// Each is one value.
    Atomic,
    /// They are merged along their longest common subsequence.
    Elementwise,
}

/// What becomes of an entry that one side removed and the other changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Removal {
    /// By parts: what the removing side had goes, what the other side added stays (kustomize's documented rules).
    Parts,
    /// As a whole: the entry is contested.
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

/// All choices of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Values.
    pub contested: Contested,
    /// Comments.
    pub comments: Contested,
    /// Explicit nulls.
    pub nulls: Nulls,
    /// Order of new entries.
    pub order: ListOrder,
    /// Order of new entries of both sides.
    pub first: First,
    /// Lists without keys.
    pub unkeyed: Unkeyed,
    /// Removed against changed.
    pub removal: Removal,
    /// `$patch`.
    pub directives: Directives,
}

impl Policy {
    /// `merge2`: the source is put over the destination; there is no base.
    pub const MERGE2: Self = Self {
        contested: Contested::Take,
        comments: Contested::Take,
        nulls: Nulls::Clear,
        order: ListOrder::Neighbour,
        first: First::Incoming,
        unkeyed: Unkeyed::Atomic,
        removal: Removal::Parts,
        directives: Directives::Execute,
    };

    /// `merge3`: what changed from original to updated is put into the destination; updated wins, and it is recorded.
    pub const MERGE3: Self = Self { comments: Contested::Keep, directives: Directives::Data, ..Self::MERGE2 };

    /// The git merge driver: two equal sides, conflicts where both changed something.
    pub const GIT: Self = Self {
        contested: Contested::Conflict,
        comments: Contested::Conflict,
        nulls: Nulls::Data,
        order: ListOrder::Neighbour,
        first: First::Dest,
        unkeyed: Unkeyed::Elementwise,
        removal: Removal::Whole,
        directives: Directives::Data,
    };
}
