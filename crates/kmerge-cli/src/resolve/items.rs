//! Conflicts about items of lists that stand outside of the conflict as well.
//!
//! Markers alone show neither side as it was: what stands outside of them is what both sides became. Where a side moved an
//! item out of a conflict, its removal is inside and its new place is not, so that nobody can tell any more what was moved,
//! and by whom. Such a conflict is put aside: a comment takes its place while the others are merged.

use kmerge_core::markers::{Hunk, hunks};

/// A text without some of its conflicts.
pub(super) struct Aside<'t> {
    text: &'t [u8],
    /// What was put aside, and the comment in its place.
    kept: Vec<(Hunk, String)>,
    /// The text with comments in their places.
    pub(super) rest: Vec<u8>,
}

impl<'t> Aside<'t> {
    /// Puts aside what markers alone do not tell enough about.
    pub(super) fn of(text: &'t [u8], all: &[Hunk]) -> Self {
        let lines = lines(text, all);
        let is_open = |hunk: &&Hunk| stands_outside(text, &lines, hunk);
        let comment = |(number, hunk): (usize, &Hunk)| {
            let mut comment = format!("# conflict {number}\n");
            while memchr::memmem::find(text, comment.trim_end().as_bytes()).is_some() {
                comment.insert(2, '-');
            }
            (hunk.clone(), comment)
        };
        let kept: Vec<(Hunk, String)> = all.iter().filter(is_open).enumerate().map(comment).collect();
        let (mut rest, mut done) = (Vec::with_capacity(text.len()), 0);
        for (hunk, comment) in &kept {
            rest.extend_from_slice(&text[done..hunk.whole.start]);
            rest.extend_from_slice(comment.as_bytes());
            done = hunk.whole.end;
        }
        rest.extend_from_slice(&text[done..]);
        Self { text, kept, rest }
    }

    /// Puts the conflicts back; `None` where one of them has lost its place.
    pub(super) fn put_back(&self, mut merged: Vec<u8>) -> Option<Vec<u8>> {
        for (hunk, comment) in &self.kept {
            let mut places = memchr::memmem::find_iter(&merged, comment.as_bytes());
            let (place, None) = (places.next()?, places.next()) else { return None };
            if hunks(&merged).iter().any(|other| other.whole.contains(&place)) {
                return None;
            }
            merged.splice(place..place + comment.len(), self.text[hunk.whole.clone()].iter().copied());
        }
        Some(merged)
    }
}

/// A line outside of all conflicts.
struct Line<'t> {
    start: usize,
    text: &'t [u8],
}

fn lines<'t>(text: &'t [u8], all: &[Hunk]) -> Vec<Line<'t>> {
    let mut lines = Vec::new();
    let (mut at, mut next) = (0, all.iter().peekable());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        while next.next_if(|hunk| hunk.whole.end <= at).is_some() {}
        if next.peek().is_none_or(|hunk| at < hunk.whole.start) {
            lines.push(Line { start: at, text: line.trim_ascii_end() });
        }
        at += line.len();
    }
    lines
}

/// Whether an item on which the sides of a hunk differ stands in the same list outside of all hunks, too.
fn stands_outside(text: &[u8], outside: &[Line<'_>], hunk: &Hunk) -> bool {
    let items = |range: std::ops::Range<usize>| -> Vec<&[u8]> {
        let lines = text[range].split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
        lines.filter(|line| is_item(line)).collect()
    };
    let sides = [Some(hunk.ours.clone()), hunk.base.clone(), Some(hunk.theirs.clone())];
    let sides: Vec<Vec<&[u8]>> = sides.into_iter().flatten().map(items).collect();
    let differs = |item: &&[u8]| !sides.iter().all(|side| side.contains(item));
    let disputed: Vec<&[u8]> = sides.iter().flatten().copied().filter(differs).collect();
    let first = outside.partition_point(|line| line.start < hunk.whole.start);
    disputed.into_iter().any(|item| {
        let is_list = |line: &&Line<'_>| belongs_to_list(line.text, indentation(item));
        let mut around = outside[..first].iter().rev().take_while(is_list);
        let mut below = outside[first..].iter().take_while(is_list);
        around.any(|line| line.text == item) || below.any(|line| line.text == item)
    })
}

/// Whether a line may be part of a list whose dashes are at a column.
fn belongs_to_list(line: &[u8], column: usize) -> bool {
    let own = indentation(line);
    own == line.len() || line[own] == b'#' || own > column || (own == column && is_item(line))
}

fn is_item(line: &[u8]) -> bool {
    let line = &line[indentation(line)..];
    line == b"-" || line.starts_with(b"- ")
}

fn indentation(line: &[u8]) -> usize {
    line.iter().take_while(|byte| **byte == b' ').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(text: &str) -> String {
        let aside = Aside::of(text.as_bytes(), &hunks(text.as_bytes()));
        let back = aside.put_back(aside.rest.clone());
        assert_eq!(back.as_deref(), Some(text.as_bytes()));
        String::from_utf8(aside.rest).unwrap()
    }

    #[test]
    fn an_item_that_left_its_conflict_is_put_aside() {
        let hunk = "<<<<<<< a\n- a\n||||||| b\n- a\n- b\n=======\n- b\n- a\n>>>>>>> c\n";
        assert_eq!(rest(&format!("args:\n{hunk}- c\n- b\nx: 1\n")), "args:\n# conflict 0\n- c\n- b\nx: 1\n");
        assert_eq!(
            rest(&format!("args:\n- b\n  # two\n\n- x: 1\n  y: 2\n{hunk}")).lines().last(),
            Some("# conflict 0")
        );
    }

    #[test]
    fn another_list_says_nothing() {
        let text = "args:\n<<<<<<< a\n- a\n||||||| b\n- a\n- b\n=======\n- b\n- a\n>>>>>>> c\n- c\nmore:\n- b\n";
        assert_eq!(rest(text), text);
        let text = "- b\n- x:\n<<<<<<< a\n  - a\n||||||| b\n=======\n  - b\n>>>>>>> c\n- b\n";
        assert_eq!(rest(text), text);
    }
}
