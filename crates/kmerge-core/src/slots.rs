//! The three versions of one thing. Each may be absent.

use kyaml_ast::StreamId;

/// One of the three inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The side that is merged into: git's *ours*, kustomize's *dest*, kubectl's *live*.
    Dest,
    /// The version that both sides came from: git's *base*, kustomize's *original*, kubectl's *last-applied*.
    Base,
    /// The side that is merged in: git's *theirs*, kustomize's *updated*, kubectl's *configuration*.
    Incoming,
}

impl Side {
    /// All sides.
    pub const ALL: [Self; 3] = [Self::Dest, Self::Base, Self::Incoming];

    /// The two that change the base.
    pub(crate) const MERGED: [Self; 2] = [Self::Dest, Self::Incoming];

    /// Of the two sides that are merged, the other one.
    pub(crate) const fn other(self) -> Self {
        if matches!(self, Self::Dest) { Self::Incoming } else { Self::Dest }
    }

    /// The number of the side's stream in a plan.
    #[must_use]
    pub const fn stream(self) -> StreamId {
        StreamId(self as u32)
    }
}

/// A value for each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slots<T> {
    /// The destination's value.
    pub dest: Option<T>,
    /// The value of the common ancestor.
    pub base: Option<T>,
    /// The incoming value.
    pub incoming: Option<T>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { dest: None, base: None, incoming: None }
    }
}

impl<T> Slots<T> {
    /// The three versions of a three-way merge.
    pub const fn three(dest: T, base: T, incoming: T) -> Self {
        Self { dest: Some(dest), base: Some(base), incoming: Some(incoming) }
    }

    /// The two versions of a two-way merge, without a common ancestor.
    pub const fn two(dest: T, incoming: T) -> Self {
        Self { dest: Some(dest), base: None, incoming: Some(incoming) }
    }

    /// The result of calling `of` for each side.
    pub(crate) fn of(mut of: impl FnMut(Side) -> Option<T>) -> Self {
        Self { dest: of(Side::Dest), base: of(Side::Base), incoming: of(Side::Incoming) }
    }

    /// The value of one side.
    pub const fn get(&self, side: Side) -> Option<&T> {
        match side {
            Side::Dest => self.dest.as_ref(),
            Side::Base => self.base.as_ref(),
            Side::Incoming => self.incoming.as_ref(),
        }
    }

    /// The value of one side, mutable.
    pub const fn get_mut(&mut self, side: Side) -> Option<&mut T> {
        match side {
            Side::Dest => self.dest.as_mut(),
            Side::Base => self.base.as_mut(),
            Side::Incoming => self.incoming.as_mut(),
        }
    }

    /// Sets the value of one side.
    pub fn set(&mut self, side: Side, value: T) {
        match side {
            Side::Dest => self.dest = Some(value),
            Side::Base => self.base = Some(value),
            Side::Incoming => self.incoming = Some(value),
        }
    }

    /// The values by reference.
    pub const fn as_ref(&self) -> Slots<&T> {
        Slots { dest: self.dest.as_ref(), base: self.base.as_ref(), incoming: self.incoming.as_ref() }
    }

    /// Applies `f` to each present value.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> Slots<U> {
        Slots { dest: self.dest.map(&mut f), base: self.base.map(&mut f), incoming: self.incoming.map(&mut f) }
    }

    /// Applies `f` to each present value. A `None` from `f` becomes absent.
    pub fn filter_map<U>(self, mut f: impl FnMut(T) -> Option<U>) -> Slots<U> {
        Slots {
            dest: self.dest.and_then(&mut f),
            base: self.base.and_then(&mut f),
            incoming: self.incoming.and_then(&mut f),
        }
    }

    /// The values in the order of [`Side::ALL`], if no side lacks its own.
    pub(crate) fn all(self) -> Option<[T; 3]> {
        Some([self.dest?, self.base?, self.incoming?])
    }

    /// The values of the two sides that are merged, if both have one.
    pub(crate) fn both(self) -> Option<[T; 2]> {
        Some([self.dest?, self.incoming?])
    }

    /// The value that counts where all sides have to follow one: the base's, so that nothing depends on the direction of a merge.
    /// Without a base, it is the destination's, or else the incoming one.
    pub(crate) fn for_all(self) -> Option<T> {
        self.base.or(self.dest).or(self.incoming)
    }

    /// Whether no side lacks its value.
    pub(crate) const fn is_full(&self) -> bool {
        self.dest.is_some() && self.base.is_some() && self.incoming.is_some()
    }

    /// The present values with their sides.
    pub fn present(&self) -> impl Iterator<Item = (Side, &T)> + Clone {
        Side::ALL.into_iter().filter_map(|side| Some((side, self.get(side)?)))
    }
}
