//! Whether a result has the comments that the sides wanted.
//!
//! Added ones are counted line by line; others in blocks (the comments on neighbouring lines), as a block of which the
//! other side changed a line is that side's. Ignores where they stand, and their indentation.

use std::borrow::Cow;

use hashbrown::HashMap;
use kyaml_ast::{Span, Stream, line_start};

use crate::slots::Slots;

/// Whether a result has the comments that a side added, less those that the other side removed, and no more of the others
/// than both sides left.
pub(super) fn has_comments(sides: &Slots<Stream<'_>>, result: &Stream<'_>, side: &Stream<'_>) -> bool {
    has_added(sides, result, side) && lacks_removed(sides, result, side)
}

fn has_added(sides: &Slots<Stream<'_>>, result: &Stream<'_>, side: &Stream<'_>) -> bool {
    let now = counted(lines(side));
    if now.is_empty() {
        return true;
    }
    let [base, ours, theirs] = [&sides.base, &sides.dest, &sides.incoming];
    let [base, ours, theirs] =
        [base, ours, theirs].map(|of| of.as_ref().map(|of| counted(lines(of))).unwrap_or_default());
    let has = counted(lines(result));
    now.iter().all(|(comment, times)| {
        let was = count(&base, comment);
        let left = was.min(count(&ours, comment)).min(count(&theirs, comment));
        *times <= was || count(&has, comment) >= left + times - was
    })
}

/// Whether no block of comments that neither side has more often than the base stands there more often than the side has it,
/// and none that is new on both sides more often than on one.
fn lacks_removed(sides: &Slots<Stream<'_>>, result: &Stream<'_>, side: &Stream<'_>) -> bool {
    let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = sides else { return true };
    let [base, ours, theirs, now, has] = [base, ours, theirs, side, result].map(|of| counted(blocks(of)));
    let is_one = |(block, times): (&Cow<'_, str>, &usize)| {
        let added = count(&ours, block).min(count(&theirs, block));
        added == 0 || base.contains_key(block) || *times <= count(&ours, block).max(count(&theirs, block))
    };
    let is_removed = |(block, was): (&Cow<'_, str>, &usize)| {
        let [ours, theirs, now, has] = [&ours, &theirs, &now, &has].map(|of| count(of, block));
        ours.max(theirs) > *was || has <= now
    };
    base.iter().all(is_removed) && has.iter().all(is_one)
}

fn count(of: &HashMap<Cow<'_, str>, usize>, comment: &str) -> usize {
    of.get(comment).copied().unwrap_or_default()
}

fn counted<'s>(comments: impl Iterator<Item = Cow<'s, str>>) -> HashMap<Cow<'s, str>, usize> {
    let mut counts = HashMap::new();
    comments.for_each(|comment| *counts.entry(comment).or_default() += 1);
    counts
}

fn lines<'s>(stream: &'s Stream<'s>) -> impl Iterator<Item = Cow<'s, str>> {
    stream.comments_in(whole(stream)).map(Cow::Borrowed)
}

fn whole(stream: &Stream<'_>) -> Span {
    Span::new(0, stream.source().len() as u32)
}

/// The comments of a stream; those on neighbouring lines that hold nothing else are one.
fn blocks<'s>(stream: &'s Stream<'s>) -> impl Iterator<Item = Cow<'s, str>> {
    let mut spans = stream.comment_spans_in(whole(stream)).peekable();
    std::iter::from_fn(move || {
        let mut last = spans.next()?;
        let mut block = Cow::Borrowed(last.of(stream.source()));
        while let Some(next) = spans.next_if(|next| are_neighbours(stream.source(), last, *next)) {
            let block = block.to_mut();
            block.push('\n');
            block.push_str(next.of(stream.source()));
            last = next;
        }
        Some(block)
    })
}

fn are_neighbours(source: &str, above: Span, below: Span) -> bool {
    let is_trail = !Span::new(line_start(source, above.start), above.start).of(source).trim().is_empty();
    let between = Span::new(above.end, below.start).of(source);
    !is_trail && between.trim().is_empty() && between.matches('\n').count() == 1
}
