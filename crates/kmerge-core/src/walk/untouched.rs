//! Finds entries whose versions have the same text where it counts, so that the walk can skip everything below them.

use kyaml_ast::{Entry, EntryId, Span};

use super::unkeyed::Whole;
use super::{Frame, Mode, Walker};
use crate::equal::{differ_in_columns, same_text};
use crate::policy::Nulls;
use crate::slots::Slots;

/// Down to this depth, two versions may differ in the indentation of their lines. Deeper, they may not: to compare lines
/// without indentation, each level reads all lines below it again.
const DEEPEST: usize = 64;

impl<'a> Walker<'a> {
    /// Whether a row needs no change, because its versions have the same text where it counts.
    pub(super) fn is_untouched(&self, frame: &Frame<'a>, row: Slots<EntryId>) -> bool {
        if frame.mode != Mode::Merge {
            return false;
        }
        let entries = self.entries(row);
        let (Some(dest), Some(incoming)) = (entries.dest, entries.incoming) else { return false };
        let is_deep = self.path.depth() > DEEPEST;
        let same_entry = |a: Entry<'_>, b: Entry<'_>| same_entry(a, b, !is_deep);
        if same_entry(dest, incoming) {
            // New nulls and directives of the incoming side are orders, even if the destination has the same bytes.
            return self.policy.nulls == Nulls::Data || entries.base.is_some_and(|base| same_entry(base, incoming));
        }
        let is_taken = frame.whole == Whole::Taken;
        self.policy.nulls == Nulls::Data && !is_taken && entries.base.is_some_and(|base| same_entry(base, incoming))
    }
}

/// Whether two entries have the same text, comments included. With `at_any_column`, the indentation of their lines may
/// differ.
fn same_entry(a: Entry<'_>, b: Entry<'_>, at_any_column: bool) -> bool {
    let (a_source, b_source) = (a.stream().source(), b.stream().source());
    let is_same = match same_text(a.value(), b.value()) {
        true => {
            let [a_extent, b_extent] = [a, b].map(Entry::extent);
            let is_block = !a.collection().is_flow() && !b.collection().is_flow();
            if is_block && a_extent.of(a_source) == b_extent.of(b_source) {
                return a.key().is_some() == b.key().is_some();
            }
            // To the end of the extent, because comments after the last entry inside stand behind the value.
            let lines = |entry: Entry<'_>, extent: Span| Span::new(entry.start(), extent.end);
            lines(a, a_extent).of(a_source).trim_ascii_end() == lines(b, b_extent).of(b_source).trim_ascii_end()
        }
        false => at_any_column && is_reindented(a, b),
    };
    is_same
        && a.key().is_some() == b.key().is_some()
        && a.trail().map(|trail| trail.of(a_source)) == b.trail().map(|trail| trail.of(b_source))
        && lead_lines(a).eq(lead_lines(b))
}

/// Whether two entries differ only in the columns of their lines, and have comments only on the lines of values.
fn is_reindented(a: Entry<'_>, b: Entry<'_>) -> bool {
    let is_same = |(a, b): (&str, &str)| {
        !a.contains('#') && a.split('\n').map(str::trim_ascii).eq(b.split('\n').map(str::trim_ascii))
    };
    differ_in_columns(a.value(), b.value()) && around(a).into_iter().zip(around(b)).all(is_same)
}

/// The text before and after the value of an entry.
fn around(entry: Entry<'_>) -> [&str; 2] {
    let (value, source) = (entry.value().full_span(), entry.stream().source());
    [Span::new(entry.start(), value.start), Span::new(value.end, entry.extent().end)].map(|span| span.of(source))
}

/// The lines of a lead comment without their indentation.
pub(super) fn lead_lines(entry: Entry<'_>) -> impl Iterator<Item = &str> {
    let lead = entry.lead().map_or("", |lead| lead.of(entry.stream().source()));
    lead.lines().map(str::trim)
}
