//! Whether comments stand behind what they stood behind on all sides.
//!
//! A header, or a heading above a group of fields, belongs to its place: what one side puts below it must not end up above. A
//! comment that stands behind the same line on all three sides has nothing to move for, so that another line before it in the
//! result is an entry that went astray. Lines count up to the end of their key, as values change. Ignores comments that a side
//! has several times, and those beside an entry.

use hashbrown::HashMap;
use kyaml_ast::{Span, Stream, line_start};

use super::{Doubt, Remark};
use crate::slots::{Side, Slots};

/// A comment that stands behind another line than on all sides.
pub(super) fn doubt(sides: &Slots<Stream<'_>>, result: &Stream<'_>) -> Option<Doubt> {
    let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = sides else { return None };
    let before = lines_before(result);
    if before.is_empty() {
        return None;
    }
    let known = [base, ours, theirs].map(lines_before);
    let is_astray = |comment: &str| {
        let mut places = known.iter().map(|side| side.get(comment).copied().flatten());
        let Some(place) = places.next().flatten() else { return false };
        let line = before.get(comment).copied().flatten();
        line.is_some_and(|line| line != place) && places.all(|other| other == Some(place))
    };
    let mut spans = base.comment_spans_in(Span::new(0, base.source().len() as u32));
    let astray = spans.find(|span| is_astray(span.of(base.source())))?;
    Some(Doubt::Heading(Remark::of(Side::Base, base, astray)))
}

/// What stands before each comment that has its line to itself; `None` where it is there several times.
fn lines_before<'s>(stream: &'s Stream<'_>) -> HashMap<&'s str, Option<&'s str>> {
    let source = stream.source();
    let mut found = HashMap::new();
    let (mut done, mut last) = (0, "");
    for comment in stream.comment_spans_in(Span::new(0, source.len() as u32)) {
        let start = line_start(source, comment.start);
        let above = Span::new(done, start.max(done)).of(source);
        last = above.lines().rev().find(|line| !line.trim().is_empty()).map_or(last, key);
        let beside = Span::new(start, comment.start).of(source);
        if beside.trim_start_matches('\u{feff}').trim().is_empty() {
            found.entry(comment.of(source)).and_modify(|line| *line = None).or_insert(Some(last));
        } else {
            last = key(beside);
        }
        done = comment.end;
    }
    found
}

/// A line without the value behind its key.
fn key(line: &str) -> &str {
    let line = line.trim();
    let end = line.find(": ").unwrap_or(line.len());
    line[..end].trim_end_matches(':')
}
