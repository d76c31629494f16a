//! Whether a result has the comments that the sides wanted.
//!
//! Added ones are counted line by line; others in blocks (the comments on neighbouring lines), as a block of which the
//! other side changed a line is that side's. Ignores where they stand, their indentation and all other spacing.

use std::borrow::Cow;

use hashbrown::HashMap;
use kyaml_ast::{Span, Stream, line_start};

use super::{Doubt, Remark};
use crate::slots::{Side, Slots};

/// A comment that a side added and a result has not, though the other side did not remove it; or one of which the result has
/// more than both sides left.
pub(super) fn doubt(sides: &Slots<Stream<'_>>, result: &Stream<'_>, side: Side) -> Option<Doubt> {
    missing(sides, result, side).or_else(|| too_many(sides, result, side))
}

/// A comment that this side added, and the result has not.
fn missing(sides: &Slots<Stream<'_>>, result: &Stream<'_>, side: Side) -> Option<Doubt> {
    let stream = sides.get(side)?;
    let now = counted(lines(stream));
    if now.is_empty() {
        return None;
    }
    let [base, ours, theirs] = [&sides.base, &sides.dest, &sides.incoming];
    let [base, ours, theirs] =
        [base, ours, theirs].map(|of| of.as_ref().map(|of| counted(lines(of))).unwrap_or_default());
    let has = counted(lines(result));
    let is_missing = |comment: &str| {
        let (was, times) = (count(&base, comment), count(&now, comment));
        let left = was.min(count(&ours, comment)).min(count(&theirs, comment));
        times > was && count(&has, comment) < left + times - was
    };
    // Counted once for each comment, looked for only where one is missing.
    if !now.keys().any(|comment| is_missing(comment)) {
        return None;
    }
    let span = stream.comment_spans_in(whole(stream)).find(|span| is_missing(&text(span.of(stream.source()))))?;
    Some(Doubt::CommentLost(Remark::of(side, stream, span)))
}

/// A block of comments that neither side has more often than the base and that stands there more often than the side has it,
/// or one that is new on both sides and stands there more often than on one.
fn too_many(sides: &Slots<Stream<'_>>, result: &Stream<'_>, side: Side) -> Option<Doubt> {
    let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = sides else { return None };
    let now = if side == Side::Incoming { theirs } else { ours };
    let streams = [base, now];
    let [was_lines, now_lines] = [base, now].map(|of| counted(lines(of)));
    let [base, ours, theirs, now, has] = [base, ours, theirs, now, result].map(|of| counted(blocks(of)));
    let is_one = |(block, times): (&Cow<'_, str>, &usize)| {
        let added = count(&ours, block).min(count(&theirs, block));
        added == 0 || base.contains_key(block) || *times <= count(&ours, block).max(count(&theirs, block))
    };
    let is_removed = |(block, was): (&Cow<'_, str>, &usize)| {
        let [ours, theirs, now, has] = [&ours, &theirs, &now, &has].map(|of| count(of, block));
        // What stands next to other comments now is still there.
        let is_there = || block.lines().all(|line| count(&now_lines, line) >= count(&was_lines, line));
        ours.max(theirs) > *was || has <= now || is_there()
    };
    if let Some((block, _)) = base.iter().filter(|block| !is_removed(*block)).min() {
        return remark(Side::Base, streams[0], block).map(Doubt::CommentBack);
    }
    let (block, _) = has.iter().filter(|block| !is_one(*block)).min()?;
    remark(side, streams[1], block).map(Doubt::CommentTwice)
}

/// The first comment of a block of a side.
fn remark(side: Side, stream: &Stream<'_>, block: &str) -> Option<Remark> {
    let first = block.lines().next()?;
    let mut spans = stream.comment_spans_in(whole(stream));
    Some(Remark::of(side, stream, spans.find(|span| text(span.of(stream.source())) == first)?))
}

/// Tells of a span of a side whether all comments in it stand in a result as often as on the side, wherever.
pub(super) fn found_in<'s>(side: &'s Stream<'_>, result: &'s Stream<'_>) -> impl Fn(Span) -> bool + 's {
    let [now, has] = [side, result].map(|of| counted(lines(of)));
    move |span| {
        let mut comments = side.comments_in(span).peekable();
        let is_there = |comment: &str| count(&has, &text(comment)) >= count(&now, &text(comment));
        comments.peek().is_some() && comments.all(is_there)
    }
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
    stream.comments_in(whole(stream)).map(text)
}

/// A comment without its spacing.
fn text(comment: &str) -> Cow<'_, str> {
    match comment.contains([' ', '\t']) {
        true => Cow::Owned(comment.split([' ', '\t']).collect()),
        false => Cow::Borrowed(comment),
    }
}

fn whole(stream: &Stream<'_>) -> Span {
    Span::new(0, stream.source().len() as u32)
}

/// The comments of a stream; those on neighbouring lines that hold nothing else are one.
fn blocks<'s>(stream: &'s Stream<'s>) -> impl Iterator<Item = Cow<'s, str>> {
    let mut spans = stream.comment_spans_in(whole(stream)).peekable();
    std::iter::from_fn(move || {
        let mut last = spans.next()?;
        let mut block = text(last.of(stream.source()));
        while let Some(next) = spans.next_if(|next| are_neighbours(stream.source(), last, *next)) {
            let block = block.to_mut();
            block.push('\n');
            block.push_str(&text(next.of(stream.source())));
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
