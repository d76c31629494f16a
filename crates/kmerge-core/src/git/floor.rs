//! The line merge's conflicts, and hunks around the changes that make these unsound: what is left where no merge by structure
//! proved sound, or where that leaves more to read.

use super::extra_conflicts::LineMergeWithExtraConflicts;
use super::structure::Structured;
use super::{Reason, View};
use crate::lines::Division;
use crate::proof::{Inputs, SoundnessCheck, Unsound};

/// The floor, and the merge by structure that was not taken.
#[derive(Debug)]
pub(super) struct Floor<'t> {
    widened: LineMergeWithExtraConflicts<'t>,
    /// Why that did not prove sound, if it did not.
    reason: Option<Reason>,
    structured: Option<Box<Structured<'t>>>,
}

impl<'t> Floor<'t> {
    /// The line merge's conflicts, and as many more as it takes; `merged` is the merge by structure, if there could be one.
    pub(super) fn new(
        division: Division<'t>,
        merged: Result<Box<Structured<'t>>, Box<Inputs<'t>>>,
        check: SoundnessCheck<'_>,
    ) -> Self {
        let inputs = merged.as_ref().map_or_else(|inputs| &**inputs, |structured| structured.inputs());
        let structured = merged.as_ref().ok().map(|structured| &**structured);
        let widened = LineMergeWithExtraConflicts::new(division, inputs, structured, check, None);
        let unsound = merged.as_ref().map_or(Unsound::Unwritten, |structured| structured.unsound(check));
        Self { widened, reason: Some(Reason::Unproven(unsound.into())), structured: merged.ok() }
    }

    /// A line merge that leaves less to read than a merge by structure: nothing is said of places that it merges soundly. If that
    /// contests more than the sides do, what made it do so is said.
    pub(super) fn shorter(widened: LineMergeWithExtraConflicts<'t>, mut structured: Structured<'t>) -> Self {
        if let Some(unsound) = structured.contests_more().cloned() {
            let structured = Some(Box::new(structured.contesting_no_more()));
            return Self { widened, reason: Some(Reason::Unproven(unsound.into())), structured };
        }
        structured.report_only(|conflict| widened.tells_of(conflict));
        Self { widened, reason: None, structured: Some(Box::new(structured)) }
    }

    pub(super) const fn reason(&self) -> Option<&Reason> {
        self.reason.as_ref()
    }

    /// The line merge that is written.
    pub(super) const fn by_lines(&self) -> &LineMergeWithExtraConflicts<'t> {
        &self.widened
    }

    /// What the merge by structure could not decide.
    pub(super) fn view(&self) -> Option<View<'_, 't>> {
        self.structured.as_ref().map(|structured| structured.view()).filter(|view| !view.plan.conflicts.is_empty())
    }
}
