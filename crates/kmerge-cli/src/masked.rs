//! Unified diffs without what Secrets hold.
//!
//! A line that holds a secret ends where it starts, with `*** (before)` or `*** (after)`: that it changed can be seen, and what it
//! is cannot be guessed. Invariant: which lines there are, and how they start, stays.

use std::fmt::Write as _;
use std::ops::Range;

use kmerge_core::Secrets;
use kmerge_core::markers::{Hunk, chosen, hunks};
use kyaml_ast::Span;

use crate::places::line_starts;

/// A diff of two texts, as [`unified`](kmerge_core::lines::unified) and git write them: lines before the first `@@` are no content.
pub(crate) fn mask(diff: &str, before: &str, after: &str) -> String {
    let sides = [Side::new(before), Side::new(after)];
    if sides.iter().all(|side| side.secrets.is_empty()) {
        return diff.to_owned();
    }
    let mut out = String::new();
    let mut at = None;
    for line in diff.split_inclusive('\n') {
        if let Some((range, start)) = hunk(line) {
            at = Some(start);
            // git adds a line from above.
            let _ = writeln!(out, "{range}");
            continue;
        }
        let (Some([old, new]), Some(sign)) = (&mut at, line.chars().next()) else {
            out.push_str(line);
            continue;
        };
        let shown = match sign {
            '-' => sides[0].shown(*old).map(|length| (length, " (before)")),
            '+' => sides[1].shown(*new).map(|length| (length, " (after)")),
            _ => sides[0].shown(*old).into_iter().chain(sides[1].shown(*new)).min().map(|length| (length, "")),
        };
        match shown.filter(|_| sign != '\\') {
            Some((length, which)) => {
                let content = line.trim_end_matches(['\n', '\r']);
                let _ = write!(out, "{}***{which}{}", &content[..=length], &line[content.len()..]);
            }
            None => out.push_str(line),
        }
        *old += usize::from(matches!(sign, '-' | ' '));
        *new += usize::from(matches!(sign, '+' | ' '));
    }
    out
}

/// The start of a line that begins a hunk, and the indices of the lines with which that starts on each side.
fn hunk(line: &str) -> Option<(&str, [usize; 2])> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let first = |range: &str| {
        let (first, count) = range.split_once(',').unwrap_or((range, "1"));
        let first = first.parse::<usize>().ok()?;
        // Of no lines, the one before them is named.
        Some(if count == "0" { first } else { first.saturating_sub(1) })
    };
    let length = "@@ -".len() + ranges.len() + " @@".len();
    Some((&line[..length], [first(old)?, first(new)?]))
}

/// The lines of a text, without line feeds, as people may see them, and whether something in them is hidden.
pub(crate) fn lines(text: &str) -> (Vec<String>, bool) {
    let side = Side::new(text);
    let show = |(at, line): (usize, &str)| {
        let line = line.trim_end_matches('\n');
        let shown = if side.secrets.is_empty() { None } else { side.shown(at) };
        shown.map_or_else(|| line.to_owned(), |length| format!("{}***", &line[..length]))
    };
    (text.split_inclusive('\n').enumerate().map(show).collect(), !side.secrets.is_empty())
}

/// The lines of a text with conflicts, as people may see them. Those of a hunk are shown as in the text with that side chosen:
/// with the conflicts nobody could tell where in them a secret starts.
pub(crate) fn lines_with_conflicts(text: &str) -> (Vec<String>, bool) {
    const SIDES: [fn(&Hunk) -> Range<usize>; 3] = [
        |hunk| hunk.ours.clone(),
        |hunk| hunk.base.clone().unwrap_or(hunk.ours.end..hunk.ours.end),
        |hunk| hunk.theirs.clone(),
    ];
    let (mut shown, hides) = lines(text);
    let found = hunks(text.as_bytes());
    if !hides {
        return (shown, hides);
    }
    let starts = line_starts(text);
    let line = |byte: usize| starts.partition_point(|start| (*start as usize) < byte);
    for side in SIDES {
        let whole = chosen(text.as_bytes(), &found, |hunk| Some(side(hunk)));
        let (of_side, _) = lines(&String::from_utf8_lossy(&whole));
        let (mut done, mut at) = (0, 0);
        for hunk in &found {
            let own = line(side(hunk).start)..line(side(hunk).end);
            at += line(hunk.whole.start) - done;
            let chosen = at..at + own.len();
            at = chosen.end;
            shown[own].clone_from_slice(&of_side[chosen]);
            done = line(hunk.whole.end);
        }
    }
    (shown, hides)
}

struct Side<'t> {
    text: &'t str,
    starts: Vec<u32>,
    secrets: Secrets,
}

impl<'t> Side<'t> {
    fn new(text: &'t str) -> Self {
        let secrets = Secrets::in_text(text);
        let starts = if secrets.is_empty() { Vec::new() } else { line_starts(text) };
        Self { text, starts, secrets }
    }

    /// How much of a line can be shown; `None` where it holds no secret.
    fn shown(&self, line: usize) -> Option<usize> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).map_or(self.text.len() as u32, |end| *end);
        let line = Span::new(start, end).of(self.text).trim_end_matches(['\n', '\r']);
        let first = self.secrets.first_in(Span::new(start, start + line.len() as u32))? - start;
        let blanks = line.len() - line.trim_start().len();
        // Of the text of a block scalar, the indentation.
        (blanks < line.len()).then(|| blanks.max(first as usize))
    }
}

#[cfg(test)]
mod tests {
    use kmerge_core::lines::unified;
    use pretty_assertions::assert_eq;

    use super::*;

    fn diff(before: &str, after: &str) -> String {
        mask(&String::from_utf8(unified(before.as_bytes(), after.as_bytes())).unwrap(), before, after)
    }

    #[test]
    fn secrets_end_their_lines() {
        let text = |a: &str, b: &str| {
            format!(
                "kind: Secret\nmetadata:\n  name: s\nstringData:\n  a: {a} # c\n  b: |\n    one\n    {b}\n\n    end\n  c: same\n"
            )
        };
        let shown = diff(&text("old", "two"), &text("new", "2"));
        let expected = "@@ -2,10 +2,10 @@\n metadata:\n   name: s\n stringData:\n-  a: *** (before)\n+  a: *** (after)\n   b: ***\n     ***\n-    *** (before)\n+    *** (after)\n \n     ***\n   c: ***\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn lines_are_counted_through_all_hunks() {
        let filler = (0..20).map(|at| format!("f{at}: {at}\n")).collect::<String>();
        let text = |a: &str| format!("x: {a}\n{filler}kind: Secret\ndata: {{a: {a}}}\r\n");
        let shown = diff(&text("1"), &format!("new: 1\n{}", text("2")));
        assert_eq!(shown.matches("data: {a: ***").count(), 2, "{shown}");
        assert!(shown.contains("-data: {a: *** (before)\r\n+data: {a: *** (after)\r\n"), "{shown}");
        let gone = diff("kind: Secret\ndata: {a: geheim}", "");
        assert_eq!(gone, "@@ -1,2 +0,0 @@\n-kind: Secret\n-data: {a: *** (before)\n\\ No newline at end of file\n");
    }

    #[test]
    fn hidden_lines_keep_their_number() {
        let (shown, hides) = lines("kind: Secret\ndata:\n  a: eA==\nx: 1\n");
        assert_eq!(shown, ["kind: Secret", "data:", "  a: ***", "x: 1"]);
        assert!(hides);
        assert_eq!(lines("a: 1\r\nb"), (vec!["a: 1\r".to_owned(), "b".to_owned()], false));
    }

    #[test]
    fn a_hunk_shows_the_names_of_its_fields() {
        let text = "kind: Secret\nstringData:\n<<<<<<< HEAD\n  a: ours\n  b: |\n    one\n||||||| base\n  a: old\n=======\n  a: theirs\n>>>>>>> topic\n  z: 1\n<<<<<<< HEAD\n  c: 2\n=======\n>>>>>>> topic\n";
        let (shown, _) = lines_with_conflicts(text);
        let expected = [
            "kind:***",
            "stringData:",
            "<<<<<<< HEAD",
            "  a: ***",
            "  b: ***",
            "    ***",
            "||||||| base",
            "  a: ***",
            "=======",
            "  a: ***",
            ">>>>>>> topic",
            "  ***",
            "<<<<<<< HEAD",
            "  c: ***",
            "=======",
            ">>>>>>> topic",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn other_texts_stay() {
        let shown = diff("kind: A\ndata: {a: 1}\n", "kind: A\ndata: {a: 2}\n");
        assert_eq!(shown, "@@ -1,2 +1,2 @@\n kind: A\n-data: {a: 1}\n+data: {a: 2}\n");
    }
}
