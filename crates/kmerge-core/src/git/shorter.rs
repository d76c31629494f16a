//! Where the line merge leaves much less to read than the merge by structure, its conflicts stand in the result.
//!
//! Only where they tell of every place that the merge by structure could not decide, and where either side of them can be
//! chosen. What the report says about these places stays the same.

use std::ops::Range;

use kyaml_ast::Span;

use super::examine::Examiner;
use super::structure::Structured;
use super::{Disagreement, join};
use crate::lines::{self, Labels, Region, Style, Texts};
use crate::markers::hunks;
use crate::plan::Conflict;
use crate::slots::Side;

/// A merge by structure may leave so many times the lines of the line merge: whole entries are understood sooner.
const TIMES: usize = 2;
/// So many more are no burden.
const FEW: usize = 12;

/// Whether the line merge is to be written.
pub(super) fn is_shorter(texts: Texts<'_>, structured: &Structured<'_>, examiner: &Examiner<'_>) -> bool {
    let labels = Labels { size: 7, ours: "", base: "", theirs: "" };
    let regions = lines::merge(texts, Style::Merge);
    let by_lines = String::from_utf8(lines::render(texts, &regions, Style::Merge, &labels));
    let by_structure = structured.write(&Disagreement::Markers { style: Style::Merge, labels });
    let (Ok(by_lines), Some(by_structure)) = (by_lines, by_structure) else { return false };
    let by_structure = join::close_hunks(texts, by_structure, Style::Merge);
    lines::has_conflict(&regions)
        && to_read(&by_structure) > TIMES * to_read(&by_lines) + FEW
        && tells_of_all(structured, &regions)
        && examiner.passes_on_each_side(structured.sides(), &by_lines)
}

/// How many lines the hunks of a text have, markers included.
fn to_read(text: &str) -> usize {
    hunks(text.as_bytes()).into_iter().map(|hunk| text[hunk.whole].lines().count()).sum()
}

/// Whether each conflict of the merge by structure lies at one of the line merge.
fn tells_of_all(structured: &Structured<'_>, regions: &[Region]) -> bool {
    let view = structured.view();
    let tells = |conflict: &Conflict, region: &Region| {
        let Region::Conflict { ours, base, theirs } = region else { return false };
        let spans = conflict.spans;
        let (our_span, their_span) =
            if view.host == Side::Incoming { (spans.incoming, spans.dest) } else { (spans.dest, spans.incoming) };
        [(our_span, ours), (spans.base, base), (their_span, theirs)].into_iter().any(|(span, lines)| touch(span, lines))
    };
    view.plan.conflicts.iter().all(|conflict| regions.iter().any(|region| tells(conflict, region)))
}

fn touch(span: Option<Span>, lines: &Range<usize>) -> bool {
    span.map(Span::range).is_some_and(|span| span.start <= lines.end && lines.start <= span.end)
}
