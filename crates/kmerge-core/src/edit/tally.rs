//! Counts the places of all files together.

use super::plan::FilePlan;
use super::script::Script;

/// The result of a script for all files together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of places for each statement.
    pub statements: Vec<usize>,
    /// The number of files with such a place.
    pub files: usize,
    /// The number of files that change.
    pub changed: usize,
    /// The number of selected resources.
    pub selected: usize,
}

impl Tally {
    /// Counts the places in all plans.
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

    /// The number of places of all statements together.
    #[must_use]
    pub fn places(&self) -> usize {
        self.statements.iter().sum()
    }

    /// The first statement that changes no place.
    #[must_use]
    pub fn idle(&self, script: &Script) -> Option<usize> {
        let mut counts = script.statements.iter().zip(&self.statements);
        counts.position(|(statement, count)| *count == 0 && statement.action.path().is_some())
    }
}
