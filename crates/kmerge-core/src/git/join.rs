//! Hunks that stand close together become one, as in git: there is mostly one decision to take.
//!
//! Hunks without a line between them are joined always. Where there are more of them than git would show, the closest are
//! joined until there are not, as long as that does not leave more to read than git does.

use kyaml_ast::Newline;

use super::hunk_choice::{Reading, line_count};
use crate::lines::{Division, FEW_LINES, Labels, Region, Style, Texts};
use crate::markers::{Hunk, SMALLEST, hunks};

/// Joins hunks of the text of a merge, and counts what is left to read. A marker on the last line gets a newline, as with git.
pub(super) fn close_hunks(text: String, of_git: Reading) -> (String, Reading) {
    let found = hunks(text.as_bytes());
    let (mut text, found) = match join(&text, &found, 0) {
        Some(joined) => {
            let found = hunks(joined.as_bytes());
            (joined, found)
        }
        None => (text, found),
    };
    let own = Reading::of_hunks(text.as_bytes(), &found);
    if found.last().is_some_and(|last| last.whole.end == text.len()) && !text.ends_with('\n') {
        text.push_str(Newline::of(&text).as_str());
    }
    if own.hunks < 2 || of_git.hunks >= own.hunks {
        return (text, own);
    }
    let sides = if found.iter().any(|hunk| hunk.base.is_some()) { 3 } else { 2 };
    let farthest = farthest_to_join(distances(&text, &found), own, of_git, sides);
    let Some(joined) = farthest.and_then(|farthest| join(&text, &found, farthest)) else { return (text, own) };
    let read = Reading::of(joined.as_bytes());
    // What git has no conflict for is mostly something in two places, each of which would look like an addition: one hunk, if that
    // is bearable.
    let is_bearable = of_git.hunks > 0 || read.lines <= own.bearable();
    if is_bearable { (joined, read) } else { (text, own) }
}

/// How many lines may be between hunks that are joined, given how many are between neighbours: as many as leave git's number of hunks,
/// unless that is more to read. What joins two hunks is in all `sides` of a hunk.
fn farthest_to_join(mut between: Vec<usize>, own: Reading, of_git: Reading, sides: usize) -> Option<usize> {
    between.sort_unstable();
    if of_git.hunks == 0 {
        return between.last().copied();
    }
    let spare = of_git.lines.saturating_sub(own.lines);
    let enough = *between.get(own.hunks - of_git.hunks - 1)?;
    let mut added = 0;
    let closest = between.chunk_by(|a, b| a == b).take_while(|alike| {
        added += alike[0] * sides * alike.len();
        added <= spare && alike[0] <= enough
    });
    closest.last().map(|alike| alike[0])
}

/// What there is to read in the conflicts of the line merge.
pub(super) fn of_git(texts: Texts<'_>, division: &Division<'_>, style: Style) -> Reading {
    of_regions(texts, &division.regions(style), style)
}

/// What there is to read in conflicts.
pub(super) fn of_regions(texts: Texts<'_>, regions: &[Region], style: Style) -> Reading {
    let mut found = Reading { hunks: 0, lines: 0 };
    for region in regions {
        let Region::Conflict { ours, base, theirs } = region else { continue };
        found.hunks += 1;
        found.lines += line_count(&texts.ours[ours.clone()]) + line_count(&texts.theirs[theirs.clone()]);
        if style != Style::Merge {
            found.lines += line_count(&texts.base[base.clone()]);
        }
    }
    found
}

/// How many lines are between each hunk and the one before it.
fn distances(text: &str, hunks: &[Hunk]) -> Vec<usize> {
    hunks.windows(2).map(|pair| text[pair[0].whole.end..pair[1].whole.start].lines().count()).collect()
}

/// Whether git would join two hunks of a text.
pub(super) fn has_close_hunks(text: &str) -> bool {
    let is_close = |between: &str| {
        between.lines().nth(FEW_LINES).is_none() || !between.bytes().any(|byte| byte.is_ascii_alphanumeric())
    };
    hunks(text.as_bytes()).windows(2).any(|pair| is_close(&text[pair[0].whole.end..pair[1].whole.start]))
}

/// The text, which has markers of the smallest size and of the plain style without labels, with labels.
pub(super) fn labelled(text: &str, labels: &Labels<'_>) -> String {
    let mut labelled = String::with_capacity(text.len());
    let mut done = 0;
    for hunk in hunks(text.as_bytes()) {
        for (marker, label) in [(hunk.whole.start, labels.ours), (hunk.theirs.end, labels.theirs)] {
            let end = marker + hunk.size;
            labelled.push_str(&text[done..end]);
            labelled.push_str(if label.is_empty() { "" } else { " " });
            labelled.push_str(label);
            done = end;
        }
    }
    labelled + &text[done..]
}

/// The text with the two sides of every hunk in each other's place; the markers stay.
pub(super) fn turned(text: &str) -> String {
    let mut turned = String::with_capacity(text.len());
    let mut done = 0;
    for hunk in hunks(text.as_bytes()) {
        turned.push_str(&text[done..hunk.ours.start]);
        turned.push_str(&text[hunk.theirs.clone()]);
        turned.push_str(&text[hunk.ours.end..hunk.theirs.start]);
        turned.push_str(&text[hunk.ours.clone()]);
        done = hunk.theirs.end;
    }
    turned + &text[done..]
}

/// The text with markers of a size that may be too small for them to be told from content afterwards.
pub(super) fn resized(mut text: String, size: usize) -> String {
    if size >= SMALLEST {
        return text;
    }
    for hunk in hunks(text.as_bytes()).into_iter().rev() {
        let mut starts = vec![hunk.whole.start, hunk.ours.end, hunk.theirs.end];
        starts.extend(hunk.base.map(|base| base.end));
        starts.sort_unstable();
        starts.iter().rev().for_each(|start| text.replace_range(*start..start + hunk.size - size, ""));
    }
    text
}

/// Joins hunks with at most `most` lines between them; `None` where all have more.
fn join(text: &str, hunks: &[Hunk], most: usize) -> Option<String> {
    let is_close = |a: &Hunk, b: &Hunk| {
        let between = &text[a.whole.end..b.whole.start];
        a.size == b.size && a.base.is_some() == b.base.is_some() && between.lines().nth(most).is_none()
    };
    if !hunks.windows(2).any(|pair| is_close(&pair[0], &pair[1])) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for group in hunks.chunk_by(is_close) {
        if let [first, .., last] = group {
            out.push_str(&text[done..first.whole.start]);
            out.push_str(&joined(text, group));
            done = last.whole.end;
        }
    }
    Some(out + &text[done..])
}

/// One hunk in place of several; what stands between them is common to all sides.
fn joined(text: &str, group: &[Hunk]) -> String {
    let [first, .., last] = group else { return String::new() };
    let side = |lines: fn(&Hunk) -> std::ops::Range<usize>| {
        let (mut side, mut end) = (String::new(), first.whole.start);
        for hunk in group {
            side.push_str(&text[end..hunk.whole.start]);
            side.push_str(&text[lines(hunk)]);
            end = hunk.whole.end;
        }
        side
    };
    let mut hunk = text[first.whole.start..first.ours.start].to_owned();
    hunk.push_str(&side(|hunk| hunk.ours.clone()));
    if let Some(base) = &first.base {
        hunk.push_str(&text[first.ours.end..base.start]);
        hunk.push_str(&side(|hunk| hunk.base.clone().unwrap_or_default()));
    }
    let separator = first.base.as_ref().map_or(first.ours.end, |base| base.end);
    hunk.push_str(&text[separator..first.theirs.start]);
    hunk.push_str(&side(|hunk| hunk.theirs.clone()));
    hunk.push_str(&text[last.theirs.end..last.whole.end]);
    hunk
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str =
        "<<<<<<< a\n1\n||||||| b\n2\n=======\n3\n>>>>>>> c\nx\n<<<<<<< a\n4\n||||||| b\n=======\n5\n>>>>>>> c\nend\n";

    #[test]
    fn close_hunks_become_one() {
        let joined = |text: &str| join(text, &hunks(text.as_bytes()), 1);
        let one = "<<<<<<< a\n1\nx\n4\n||||||| b\n2\nx\n=======\n3\nx\n5\n>>>>>>> c\nend\n";
        assert_eq!(joined(TWO), Some(one.to_owned()));
        assert_eq!(
            joined(&TWO.replace("||||||| b\n2\n", "").replace("||||||| b\n", "")),
            Some(one.replace("||||||| b\n2\nx\n", ""))
        );
    }

    #[test]
    fn labels_come_to_markers() {
        let plain = "a\n<<<<<<<\nx\n=======\n=======\ny\n>>>>>>>\n<<<<<<<\r\n=======\r\n>>>>>>>\r\nb\n";
        let labels = Labels { size: SMALLEST, ours: "o", base: "b", theirs: "" };
        assert_eq!(labelled(plain, &labels), plain.replace("<<<<<<<", "<<<<<<< o"));
        let labels = Labels { theirs: "t", ..labels };
        assert_eq!(labelled(plain, &labels), plain.replace("<<<<<<<", "<<<<<<< o").replace(">>>>>>>", ">>>>>>> t"));
    }

    #[test]
    fn markers_can_be_small() {
        let small = TWO.replace("<<<<<<<", "<<<").replace("|||||||", "|||").replace("=======", "===");
        assert_eq!(resized(TWO.to_owned(), 3), small.replace(">>>>>>>", ">>>"));
        assert_eq!(resized(TWO.to_owned(), 9), TWO);
    }

    #[test]
    fn hunks_further_apart_stay_two() {
        assert_eq!(join(TWO, &hunks(TWO.as_bytes()), 0), None);
    }
}
