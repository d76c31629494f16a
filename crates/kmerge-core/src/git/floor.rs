//! What is left where no merge proved sound: the line merge's conflicts, or one conflict around everything that differs.

use kyaml_ast::Stream;

use super::examine::Examiner;
use super::structure::Structured;
use super::{Reason, Regions, View, whole};
use crate::check::Finding;
use crate::lines::{self, Labels, Style, Texts};
use crate::slots::Slots;

/// What is wrong with the merge by structure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doubt {
    /// It could not be proven that it holds what both sides changed.
    Incomplete,
    /// A side deleted or renamed what the other renamed otherwise; the name, if it is a document.
    Renamed(Option<String>),
    /// It would hold these faults, which no side has.
    Faults(Vec<Finding>),
}

/// The floor, and the merge that was not sound.
#[derive(Debug)]
pub(super) struct Floor<'t> {
    is_whole: bool,
    reason: Reason,
    structured: Option<Box<Structured<'t>>>,
}

impl<'t> Floor<'t> {
    /// The line merge's conflicts, where either side of them can be chosen; else one conflict.
    pub(super) fn new(texts: Texts<'_>, sides: &Slots<Stream<'_>>, examiner: &Examiner<'_>) -> Self {
        let labels = Labels { size: 7, ours: "", base: "", theirs: "" };
        let regions = lines::merge(texts, Style::Merge);
        let text = String::from_utf8(lines::render(texts, &regions, Style::Merge, &labels));
        let is_sound = text.is_ok_and(|text| examiner.is_sound_on_each_side(sides, &text));
        let is_whole = !is_sound || !lines::has_conflict(&regions);
        Self { is_whole, reason: Reason::Unproven(Doubt::Incomplete), structured: None }
    }

    /// The same below a merge by structure.
    pub(super) fn below(texts: Texts<'_>, structured: Box<Structured<'t>>, examiner: &Examiner<'_>) -> Self {
        let reason = Reason::Unproven(structured.doubt(examiner));
        Self { reason, ..Self::new(texts, structured.sides(), examiner) }.with(structured)
    }

    fn with(self, structured: Box<Structured<'t>>) -> Self {
        Self { structured: Some(structured), ..self }
    }

    pub(super) const fn reason(&self) -> &Reason {
        &self.reason
    }

    /// How the merge is divided.
    pub(super) fn regions(&self) -> Regions {
        if self.is_whole { whole::regions } else { lines::merge }
    }

    /// What the merge by structure could not decide.
    pub(super) fn view(&self) -> Option<View<'_, 't>> {
        self.structured.as_ref().map(|structured| structured.view()).filter(|view| !view.plan.conflicts.is_empty())
    }
}
