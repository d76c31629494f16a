//! The four rules, and nothing else. [`Rule`] documents them.
//!
//! Ignores what the values are: a function compares them.

use crate::policy::BothChanged;
use crate::slots::Slots;

/// Which of the four rules decided, or what else did.
///
/// | | rule | outcome |
/// |---|---|---|
/// | 1 | destination and incoming side have the same | keep |
/// | 2 | only the destination has changed | keep |
/// | 3 | only the incoming side has changed | take; if it has removed the value, this is a removal |
/// | 4 | both have changed, differently | a conflict: the policy says keep, take or conflict |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Both sides have the same.
    Agreed,
    /// Only the destination changed.
    OnlyDest,
    /// Only the incoming side changed.
    OnlyIncoming,
    /// Both changed, differently.
    BothChanged,
    /// Both changed different lines of one block scalar or of comments: the lines are merged.
    Merged,
    /// An explicit null clears the field.
    Cleared,
    /// A patch directive decides.
    Directive,
}

impl Rule {
    /// The rule with the sides in each other's seat.
    pub(crate) const fn turned(self) -> Self {
        match self {
            Self::OnlyDest => Self::OnlyIncoming,
            Self::OnlyIncoming => Self::OnlyDest,
            rule => rule,
        }
    }
}

/// What happens to the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It stays.
    Keep,
    /// It becomes what the incoming side has. If that has nothing, it is removed.
    Take,
    /// A person must decide.
    Conflict,
}

/// Applies the four rules to three values. `same` compares two values. Two absent values are equal.
pub(crate) fn resolve<T: Copy>(
    slots: Slots<T>,
    both_changed: BothChanged,
    same: impl Fn(T, T) -> bool,
) -> (Outcome, Rule) {
    let same = |a: Option<T>, b: Option<T>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b),
        _ => false,
    };
    if same(slots.dest, slots.incoming) {
        return (Outcome::Keep, Rule::Agreed);
    }
    if same(slots.incoming, slots.base) {
        return (Outcome::Keep, Rule::OnlyDest);
    }
    if same(slots.dest, slots.base) {
        return (Outcome::Take, Rule::OnlyIncoming);
    }
    (both_changed.outcome(), Rule::BothChanged)
}

impl BothChanged {
    /// The outcome if both sides changed a place in different ways.
    pub(crate) const fn outcome(self) -> Outcome {
        match self {
            Self::Keep => Outcome::Keep,
            Self::Take => Outcome::Take,
            Self::Conflict => Outcome::Conflict,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 15 combinations of absent, equal and different for three values. 0 is absent.
    const PATTERNS: [([u8; 3], Rule); 15] = [
        ([0, 0, 0], Rule::Agreed),
        ([0, 0, 1], Rule::OnlyIncoming),
        ([0, 1, 0], Rule::Agreed),
        ([0, 1, 1], Rule::OnlyDest),
        ([0, 1, 2], Rule::BothChanged),
        ([1, 0, 0], Rule::OnlyDest),
        ([1, 0, 1], Rule::Agreed),
        ([1, 0, 2], Rule::BothChanged),
        ([1, 1, 0], Rule::OnlyIncoming),
        ([1, 1, 1], Rule::Agreed),
        ([1, 1, 2], Rule::OnlyIncoming),
        ([1, 2, 0], Rule::BothChanged),
        ([1, 2, 1], Rule::Agreed),
        ([1, 2, 2], Rule::OnlyDest),
        ([1, 2, 3], Rule::BothChanged),
    ];

    #[test]
    fn every_pattern_under_every_policy() {
        let policies = [
            (BothChanged::Keep, Outcome::Keep),
            (BothChanged::Take, Outcome::Take),
            (BothChanged::Conflict, Outcome::Conflict),
        ];
        for ([dest, base, incoming], rule) in PATTERNS {
            let present = |value: u8| (value > 0).then_some(value);
            let slots = Slots { dest: present(dest), base: present(base), incoming: present(incoming) };
            for (both_changed, of_in_conflict) in policies {
                let outcome = match rule {
                    Rule::OnlyIncoming => Outcome::Take,
                    Rule::BothChanged => of_in_conflict,
                    _ => Outcome::Keep,
                };
                assert_eq!(resolve(slots, both_changed, |a, b| a == b), (outcome, rule), "{slots:?}");
            }
        }
    }
}
