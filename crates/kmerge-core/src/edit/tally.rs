//! Counts the places of all files together.

use super::plan::FilePlan;
use super::script::Script;

/// What a script makes of all files together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many places each statement is about.
    pub statements: Vec<usize>,
    /// How many files hold one.
    pub files: usize,
    /// How many files change.
    pub changed: usize,
    /// How many resources were selected.
    pub selected: usize,
}

impl Tally {
    /// Counts.
    #[must_use]
    pub fn of<'p>(script: &Script, plans: impl IntoIterator<Item = &'p FilePlan>) -> Self {
        let mut tally = Self { statements: vec![0; script.statements.len()], ..Self::default() };
        for plan in plans {
            plan.places.iter().for_each(|place| tally.statements[place.statement] += 1);
            tally.files += usize::from(!plan.places.is_empty());
            tally.changed += usize::from(plan.text.is_some());
            tally.selected += plan.selected;
        }
        tally
    }

    /// How many places all statements together are about.
    #[must_use]
    pub fn places(&self) -> usize {
        self.statements.iter().sum()
    }

    /// The first statement that is about nothing.
    #[must_use]
    pub fn idle(&self, script: &Script) -> Option<usize> {
        let mut counts = script.statements.iter().zip(&self.statements);
        counts.position(|(statement, count)| *count == 0 && statement.action.path().is_some())
    }
}
