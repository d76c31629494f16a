//! Two texts in, a unified diff out, hunk for hunk what `git diff` prints.

use std::ops::Range;

use super::Texts;
use super::diff::{Differ, Hunk};
use super::intern::{Lines, Text};

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 3;

/// The difference between two texts, without the two lines that name them; empty if there is none.
///
/// ```
/// let diff = kmerge_core::lines::unified(b"a\nb\n", b"a\nc\n");
/// assert_eq!(diff, b"@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// ```
#[must_use]
pub fn unified(before: &[u8], after: &[u8]) -> Vec<u8> {
    let lines = Lines::new(Texts { base: before, ours: after, theirs: b"" });
    let hunks = Differ::default().diff(&lines.base.tokens, &lines.ours.tokens);
    let mut out = Vec::new();
    for group in hunks.chunk_by(|a, b| b.before.start - a.before.end <= 2 * CONTEXT) {
        write_group(&mut out, group, &lines.base, &lines.ours);
    }
    out
}

/// Hunks whose contexts touch, under one `@@` line.
fn write_group(out: &mut Vec<u8>, group: &[Hunk], before: &Text<'_>, after: &Text<'_>) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let lead = first.before.start.min(CONTEXT);
    let trail = (before.tokens.len() - last.before.end).min(CONTEXT);
    let old = first.before.start - lead..last.before.end + trail;
    let new = first.after.start - lead..last.after.end + trail;
    out.extend_from_slice(format!("@@ -{} +{} @@\n", header(&old), header(&new)).as_bytes());
    let mut done = old.start;
    for hunk in group {
        write_lines(out, b' ', before, done..hunk.before.start);
        write_lines(out, b'-', before, hunk.before.clone());
        write_lines(out, b'+', after, hunk.after.clone());
        done = hunk.before.end;
    }
    write_lines(out, b' ', before, done..old.end);
}

/// First line and number of lines; of no lines, the one before them.
fn header(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

fn write_lines(out: &mut Vec<u8>, mark: u8, text: &Text<'_>, lines: Range<usize>) {
    for line in lines {
        let bytes = text.slice(line..line + 1);
        out.push(mark);
        out.extend_from_slice(bytes);
        if !bytes.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(before: &str, after: &str) -> String {
        String::from_utf8(unified(before.as_bytes(), after.as_bytes())).unwrap()
    }

    #[test]
    fn changes_far_apart_get_hunks_of_their_own() {
        let before: String = (1..=20).map(|line| format!("{line}\n")).collect();
        let near = before.replace("5\n", "x\n").replace("\n12\n", "\n");
        assert_eq!(diff(&before, &near).matches("@@ -").count(), 1);
        let far = before.replace("\n3\n", "\nx\n").replace("\n12\n", "\n");
        let expected = "@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+x\n 4\n 5\n 6\n\
                        @@ -9,7 +9,6 @@\n 9\n 10\n 11\n-12\n 13\n 14\n 15\n";
        assert_eq!(diff(&before, &far), expected);
    }

    #[test]
    fn empty_texts_and_missing_newlines() {
        assert_eq!(diff("a\n", "a\n"), "");
        assert_eq!(diff("", "a\n"), "@@ -0,0 +1 @@\n+a\n");
        assert_eq!(diff("a", ""), "@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n");
        assert_eq!(diff("a", "a\n"), "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
    }
}
