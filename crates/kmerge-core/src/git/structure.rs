//! The merge by structure as git needs it: the layout of the side that changed the layout, and hunks in git's order.

use kyaml_ast::Stream;

use super::examine::Examiner;
use super::{Disagreement, View, end, join, layout};
use crate::conflict::{ConflictStyle, render};
use crate::documents;
use crate::lines::{Labels, Style, Texts};
use crate::plan::Plan;
use crate::policy::Policy;
use crate::schema::Schema;
use crate::slots::{Side, Slots};

/// A plan, and which side it edits.
#[derive(Debug)]
pub(super) struct Structured<'t> {
    /// Ours is `dest`, whoever is edited.
    sides: Slots<Stream<'t>>,
    plan: Plan,
    /// Whose bytes are edited: what is not edited keeps this side's layout.
    host: Side,
}

impl<'t> Structured<'t> {
    /// Merges by structure; `None` where that is impossible.
    pub(super) fn merge(texts: Texts<'_>, sides: Slots<Stream<'t>>, schema: &Schema) -> Option<Self> {
        let host = if layout::only_theirs_changed(texts, &sides) { Side::Incoming } else { Side::Dest };
        let plan = documents::merge(seats(&sides, host), schema, &Policy::GIT).ok()?;
        Some(Self { sides, plan, host })
    }

    /// The result, if it has no conflict and proves sound.
    pub(super) fn clean(&self, texts: Texts<'_>, examiner: &Examiner<'_>) -> Option<String> {
        if !self.plan.conflicts.is_empty() {
            return None;
        }
        let text = render(&self.plan, seats(&self.sides, self.host), &ConflictStyle::Dest).ok()?;
        let ended = end::resolved(texts, &text).filter(|ended| examiner.passes(&self.sides, ended));
        ended.or_else(|| examiner.passes(&self.sides, &text).then_some(text))
    }

    /// Whether each side of the result proves sound.
    pub(super) fn is_sound(&self, examiner: &Examiner<'_>) -> bool {
        // The sides of the hunks are the same in every style.
        let labels = Labels { size: 7, ours: "", base: "", theirs: "" };
        let text = self.write(&Disagreement::Markers { style: Style::Merge, labels });
        text.is_some_and(|text| examiner.passes_on_each_side(&self.sides, &text))
    }

    /// The text with all disagreements in it.
    pub(super) fn write(&self, disagreement: &Disagreement<'_>) -> Option<String> {
        let style = match *disagreement {
            Disagreement::Base => ConflictStyle::Base,
            Disagreement::Markers { style, labels } => ConflictStyle::Markers { style, labels },
        };
        let text = render(&self.plan, seats(&self.sides, self.host), &style).ok()?;
        Some(if self.host == Side::Incoming { join::turned(&text) } else { text })
    }

    /// The merge for reports.
    pub(super) fn view(&self) -> View<'_, 't> {
        View { plan: &self.plan, seats: seats(&self.sides, self.host), host: self.host }
    }
}

/// The sides in the seats of a merge: the host is the destination.
fn seats<'b, 't>(sides: &'b Slots<Stream<'t>>, host: Side) -> Slots<&'b Stream<'t>> {
    let (ours, base, theirs) = (sides.dest.as_ref(), sides.base.as_ref(), sides.incoming.as_ref());
    if host == Side::Incoming {
        return Slots { dest: theirs, base, incoming: ours };
    }
    Slots { dest: ours, base, incoming: theirs }
}
