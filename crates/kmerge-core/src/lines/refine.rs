//! Narrows conflicts down, as far as the style of the markers allows.

use super::Style;
use super::chunk::{Chunk, Outcome, chunks};
use super::diff::Differ;
use super::intern::Lines;

/// Clean lines between two conflicts that are too few to be worth two pairs of markers.
pub(crate) const FEW_LINES: usize = 3;

/// Narrows the conflicts among `chunks`.
pub(super) fn refine(lines: &Lines<'_>, chunks: Vec<Chunk>, style: Style, differ: &mut Differ) -> Vec<Chunk> {
    match style {
        Style::Diff3 => chunks,
        Style::Zdiff3 => chunks.into_iter().map(|chunk| trim(lines, chunk)).collect(),
        Style::Merge => join(lines, split(lines, chunks, differ)),
    }
}

/// Narrows one conflict that no line of base limits. Where base is shown, a part of it belongs to each conflict, so that only
/// lines that all have divide them.
pub(super) fn narrow(lines: &Lines<'_>, whole: Chunk, style: Style, differ: &mut Differ) -> Vec<Chunk> {
    if style == Style::Merge {
        return join(lines, split(lines, vec![whole], differ));
    }
    let [ours, theirs] = [&lines.ours, &lines.theirs].map(|side| differ.diff(&lines.base.tokens, &side.tokens));
    let disputed = chunks(lines, &ours, &theirs).into_iter().map(|chunk| {
        let is_alike = lines.ours.tokens[chunk.ours.clone()] == lines.theirs.tokens[chunk.theirs.clone()];
        Chunk { outcome: if is_alike { Outcome::Agreed } else { Outcome::Conflict }, ..chunk }
    });
    let joined = join(lines, disputed.collect());
    if style == Style::Zdiff3 { joined.into_iter().map(|chunk| trim(lines, chunk)).collect() } else { joined }
}

/// Takes the lines that both sides have in common at both ends of a conflict out of it. As with git, what is left stays a
/// conflict even where nothing is left.
fn trim(lines: &Lines<'_>, mut chunk: Chunk) -> Chunk {
    if chunk.outcome != Outcome::Conflict {
        return chunk;
    }
    let (ours, theirs) = (&lines.ours.tokens[chunk.ours.clone()], &lines.theirs.tokens[chunk.theirs.clone()]);
    let same = |(a, b): &(&u32, &u32)| a == b;
    let head = ours.iter().zip(theirs).take_while(same).count();
    let tail = ours[head..].iter().rev().zip(theirs[head..].iter().rev()).take_while(same).count();
    chunk.ours = chunk.ours.start + head..chunk.ours.end - tail;
    chunk.theirs = chunk.theirs.start + head..chunk.theirs.end - tail;
    chunk
}

/// Splits each conflict into the places where ours and theirs differ.
fn split(lines: &Lines<'_>, chunks: Vec<Chunk>, differ: &mut Differ) -> Vec<Chunk> {
    let mut parts = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        if chunk.outcome != Outcome::Conflict || chunk.ours.is_empty() || chunk.theirs.is_empty() {
            parts.push(chunk);
            continue;
        }
        let ours = &lines.ours.tokens[chunk.ours.clone()];
        let theirs = &lines.theirs.tokens[chunk.theirs.clone()];
        let hunks = differ.diff(ours, theirs);
        if hunks.is_empty() {
            parts.push(Chunk { outcome: Outcome::Ours, ..chunk });
            continue;
        }
        let mut base = chunk.base;
        for hunk in hunks {
            parts.push(Chunk {
                ours: chunk.ours.start + hunk.before.start..chunk.ours.start + hunk.before.end,
                theirs: chunk.theirs.start + hunk.after.start..chunk.theirs.start + hunk.after.end,
                base: base.clone(),
                outcome: Outcome::Conflict,
            });
            base.start = base.end;
        }
    }
    parts
}

/// Joins conflicts with few lines between them, or with lines that hold no letter and no digit.
fn join(lines: &Lines<'_>, chunks: Vec<Chunk>) -> Vec<Chunk> {
    let mut joined: Vec<Chunk> = Vec::with_capacity(chunks.len());
    for chunk in chunks.into_iter().filter(|chunk| chunk.outcome != Outcome::Agreed) {
        let conflicts = |last: &&mut Chunk| last.outcome == Outcome::Conflict && chunk.outcome == Outcome::Conflict;
        if let Some(last) = joined.last_mut().filter(conflicts) {
            let between = last.ours.end..chunk.ours.start;
            if between.len() <= FEW_LINES || !lines.ours.slice(between).iter().any(u8::is_ascii_alphanumeric) {
                last.base.end = chunk.base.end;
                last.ours.end = chunk.ours.end;
                last.theirs.end = chunk.theirs.end;
                continue;
            }
        }
        joined.push(chunk);
    }
    joined
}
