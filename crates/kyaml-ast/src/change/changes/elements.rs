//! New elements of lists: whether a later change can tell them apart before they are written.

use std::collections::BTreeSet;

use crate::path::{End, Seat, Segment, Step};

/// The new elements of a list.
#[derive(Clone, Debug)]
pub(super) enum NewElements {
    /// Appended elements that are identified by the same fields; `values` has the values of each.
    Known { fields: Vec<String>, values: BTreeSet<Vec<String>> },
    /// Appended elements.
    Last,
    /// Elements at other places, too.
    Anywhere,
}

impl NewElements {
    /// The elements that an end adds to its list.
    pub(super) fn at(end: &End<'_, '_>) -> Self {
        match end.rest.as_ref().and_then(|(rest, _)| rest.first()) {
            Some(Step::One(Segment::Key(pairs))) => {
                let (fields, values) = pairs.iter().cloned().unzip();
                Self::Known { fields, values: BTreeSet::from([values]) }
            }
            Some(Step::New(Seat::Last)) => Self::Last,
            _ => Self::Anywhere,
        }
    }

    /// Whether all new elements are appended.
    pub(super) const fn are_last(&self) -> bool {
        !matches!(self, Self::Anywhere)
    }

    /// Whether certainly no new element has these fields.
    pub(super) fn are_others_than(&self, pairs: &[(String, String)]) -> bool {
        let Self::Known { fields, values } = self else { return false };
        let (names, wanted): (Vec<&String>, Vec<String>) =
            pairs.iter().map(|(name, value)| (name, value.clone())).unzip();
        fields.iter().eq(names) && !values.contains(&wanted)
    }

    pub(super) fn extend(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Known { fields, values }, Self::Known { fields: same, values: others }) if fields == same => {
                values.extend(others.iter().cloned());
            }
            (Self::Anywhere, _) | (_, Self::Anywhere) => *self = Self::Anywhere,
            _ => *self = Self::Last,
        }
    }
}
