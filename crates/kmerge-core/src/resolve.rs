//! The four rules, and nothing else: [`resolve`] documents them.

use crate::policy::Contested;
use crate::slots::Slots;

/// Which of the four rules decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Both sides have the same.
    Agreed,
    /// Only the destination changed.
    OnlyDest,
    /// Only the incoming side changed.
    OnlyIncoming,
    /// Both changed, differently.
    Contested,
    /// Both changed lines of one block scalar, different ones: they are merged.
    Merged,
    /// An explicit null clears the field.
    Cleared,
    /// A patch directive says so.
    Directive,
}

/// What happens to the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It stays.
    Keep,
    /// It becomes what the incoming side has. If that has nothing, it is removed.
    Take,
    /// Somebody has to decide.
    Conflict,
}

/// Applies the four rules to three values. `same` says whether two are equal; absent equals absent.
///
/// | | rule | outcome |
/// |---|---|---|
/// | 1 | destination and incoming side have the same | keep |
/// | 2 | only the destination has changed | keep |
/// | 3 | only the incoming side has changed | take; if it has removed the value, this is a removal |
/// | 4 | both have changed, differently | a conflict: the policy says keep, take or conflict |
///
/// ```
/// use kmerge_core::{Contested, Outcome, Rule, Slots, resolve};
///
/// let slots = Slots { dest: Some(1), base: Some(1), incoming: Some(2) };
/// assert_eq!(resolve(slots, Contested::Conflict, |a, b| a == b), (Outcome::Take, Rule::OnlyIncoming));
/// ```
pub fn resolve<T: Copy>(slots: Slots<T>, contested: Contested, same: impl Fn(T, T) -> bool) -> (Outcome, Rule) {
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
    let outcome = match contested {
        Contested::Keep => Outcome::Keep,
        Contested::Take => Outcome::Take,
        Contested::Conflict => Outcome::Conflict,
    };
    (outcome, Rule::Contested)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 15 ways in which three values can be absent, equal or different: 0 is absent.
    const PATTERNS: [([u8; 3], Rule); 15] = [
        ([0, 0, 0], Rule::Agreed),
        ([0, 0, 1], Rule::OnlyIncoming),
        ([0, 1, 0], Rule::Agreed),
        ([0, 1, 1], Rule::OnlyDest),
        ([0, 1, 2], Rule::Contested),
        ([1, 0, 0], Rule::OnlyDest),
        ([1, 0, 1], Rule::Agreed),
        ([1, 0, 2], Rule::Contested),
        ([1, 1, 0], Rule::OnlyIncoming),
        ([1, 1, 1], Rule::Agreed),
        ([1, 1, 2], Rule::OnlyIncoming),
        ([1, 2, 0], Rule::Contested),
        ([1, 2, 1], Rule::Agreed),
        ([1, 2, 2], Rule::OnlyDest),
        ([1, 2, 3], Rule::Contested),
    ];

    #[test]
    fn every_pattern_under_every_policy() {
        let policies = [
            (Contested::Keep, Outcome::Keep),
            (Contested::Take, Outcome::Take),
            (Contested::Conflict, Outcome::Conflict),
        ];
        for ([dest, base, incoming], rule) in PATTERNS {
            let present = |value: u8| (value > 0).then_some(value);
            let slots = Slots { dest: present(dest), base: present(base), incoming: present(incoming) };
            for (contested, of_contested) in policies {
                let outcome = match rule {
                    Rule::OnlyIncoming => Outcome::Take,
                    Rule::Contested => of_contested,
                    _ => Outcome::Keep,
                };
                assert_eq!(resolve(slots, contested, |a, b| a == b), (outcome, rule), "{slots:?}");
            }
        }
    }
}
