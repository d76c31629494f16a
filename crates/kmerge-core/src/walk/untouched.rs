//! Entries that are written alike where it counts, so that nothing below them has to be looked at.

use kyaml_ast::{Entry, EntryId, Span};

use super::unkeyed::Whole;
use super::{Frame, Mode, Walker};
use crate::equal::same_text;
use crate::policy::Nulls;
use crate::slots::Slots;

impl<'a> Walker<'a> {
    /// Whether nothing can come of a row: all of it is written alike where it counts.
    pub(super) fn is_untouched(&self, frame: &Frame<'a>, row: Slots<EntryId>) -> bool {
        if frame.mode != Mode::Merge {
            return false;
        }
        let entries = self.entries(row);
        let (Some(dest), Some(incoming)) = (entries.dest, entries.incoming) else { return false };
        if same_entry(dest, incoming) {
            // The incoming side's own nulls and directives are orders, even where the destination has the same bytes.
            return self.policy.nulls == Nulls::Data || entries.base.is_some_and(|base| same_entry(base, incoming));
        }
        let is_taken = frame.whole == Whole::Taken;
        self.policy.nulls == Nulls::Data && !is_taken && entries.base.is_some_and(|base| same_entry(base, incoming))
    }
}

/// Whether two entries are written alike, comments included.
fn same_entry(a: Entry<'_>, b: Entry<'_>) -> bool {
    let (a_source, b_source) = (a.stream().source(), b.stream().source());
    // To the end of the extent: what trails the last entry inside stands behind the value.
    let lines = |entry: Entry<'_>| Span::new(entry.start(), entry.extent().end);
    same_text(a.value(), b.value())
        && a.key().is_some() == b.key().is_some()
        && lines(a).of(a_source).trim_ascii_end() == lines(b).of(b_source).trim_ascii_end()
        && a.trail().map(|trail| trail.of(a_source)) == b.trail().map(|trail| trail.of(b_source))
        && lead_lines(a).eq(lead_lines(b))
}

/// The lines of a lead comment without their indentation.
pub(super) fn lead_lines(entry: Entry<'_>) -> impl Iterator<Item = &str> {
    let lead = entry.lead().map_or("", |lead| lead.of(entry.stream().source()));
    lead.lines().map(str::trim)
}
