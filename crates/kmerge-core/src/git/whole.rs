//! The last resort: one conflict around everything that differs, so that each side alone is the file it was.

use crate::lines::{Region, Side, Style, Texts};

/// Sets aside the lines that all texts have in common at both ends; the rest is one conflict.
pub(super) fn regions(texts: Texts<'_>, _: Style) -> Vec<Region> {
    let Texts { base, ours, theirs } = texts;
    let head = shared_lines([base, ours, theirs].map(|text| text.split_inclusive(is_newline)));
    let tail = shared_lines([base, ours, theirs].map(|text| text[head..].split_inclusive(is_newline).rev()));
    let middle = |text: &[u8]| head..text.len() - tail;
    let clean = |range| Region::Clean { side: Side::Ours, range };
    let conflict = Region::Conflict { ours: middle(ours), base: middle(base), theirs: middle(theirs) };
    let regions = [clean(0..head), conflict, clean(ours.len() - tail..ours.len())];
    let is_empty = |region: &Region| matches!(region, Region::Clean { range, .. } if range.is_empty());
    regions.into_iter().filter(|region| !is_empty(region)).collect()
}

const fn is_newline(byte: &u8) -> bool {
    *byte == b'\n'
}

/// How many bytes of lines all texts have in common.
fn shared_lines<'t>([first, second, third]: [impl Iterator<Item = &'t [u8]>; 3]) -> usize {
    let same = |(first, (second, third)): &(&[u8], (&[u8], &[u8]))| first == second && second == third;
    first.zip(second.zip(third)).take_while(same).map(|(line, _)| line.len()).sum()
}
