//! Hunks in which one side commented out what the other changed: the comments are what that side has in its place.
//!
//! Owns: putting such comments into their hunk, so that who chooses the change does not get them as well. Invariant: a side that is
//! chosen loses no line that it has. Ignores comments above a hunk, and those of which the base has no such line.

use std::cell::OnceCell;

use hashbrown::HashSet;

use crate::lines::Texts;
use crate::markers::hunks;

/// The text with what a side commented out inside the hunk that is about it.
pub(super) fn with_commented(text: &str, texts: Texts<'_>) -> String {
    let known = OnceCell::new();
    let mut written = String::with_capacity(text.len());
    let mut done = 0;
    for hunk in hunks(text.as_bytes()) {
        let [ours, theirs] = [&hunk.ours, &hunk.theirs].map(|side| text[side.clone()].trim());
        let (at, changed, of) = match (ours.is_empty(), theirs.is_empty()) {
            (true, false) => (hunk.ours.end, theirs, [OURS, THEIRS]),
            (false, true) => (hunk.theirs.end, ours, [THEIRS, OURS]),
            _ => continue,
        };
        let below = &text[hunk.whole.end..];
        let is_commented_out =
            |line: &str, said: &str| known.get_or_init(|| Known::of(texts)).has_commented(line, said, of);
        let Some(len) = commented(below, changed, is_commented_out) else { continue };
        written.push_str(&text[done..at]);
        written.push_str(&below[..len]);
        written.push_str(&text[at..hunk.whole.end]);
        done = hunk.whole.end + len;
    }
    written + &text[done..]
}

const OURS: usize = 1;
const THEIRS: usize = 2;

/// The lines of base, ours and theirs, without what stands around them.
struct Known<'t>([HashSet<&'t [u8]>; 3]);

impl<'t> Known<'t> {
    fn of(texts: Texts<'t>) -> Self {
        let lines = |text: &'t [u8]| text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
        Self([texts.base, texts.ours, texts.theirs].map(lines))
    }

    /// Whether one side, and not the other, made a comment of a line, given with what it says.
    fn has_commented(&self, line: &str, said: &str, [own, other]: [usize; 2]) -> bool {
        let Self(sides) = self;
        let (line, said) = (line.trim().as_bytes(), said.trim().as_bytes());
        sides[0].contains(said)
            && !sides[own].contains(said)
            && !sides[0].contains(line)
            && !sides[other].contains(line)
    }
}

/// How many bytes at the start of a text are the commented version of what the other side changed.
fn commented(text: &str, changed: &str, is_commented_out: impl Fn(&str, &str) -> bool) -> Option<usize> {
    let mut lines = text.split_inclusive('\n').map_while(|line| Some((line, line.trim_start().strip_prefix('#')?)));
    let (first, said) = lines.next()?;
    let is_version = name(said) == name(changed.lines().next()?) && is_commented_out(first, said);
    let deeper = |(line, of): &(&str, &str)| depth(of) > depth(said) && is_commented_out(line, of);
    let len = first.len() + lines.take_while(deeper).map(|(line, _)| line.len()).sum::<usize>();
    (is_version && text[..len].ends_with('\n')).then_some(len)
}

/// What says which entry a line begins: its key; of an item, the line.
fn name(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with('-') { line } else { line.split(':').next().unwrap_or(line) }
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, base: &str, ours: &str, theirs: &str) -> String {
        let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        with_commented(text, texts)
    }

    #[test]
    fn what_was_commented_out_is_in_the_hunk() {
        let hunk = |ours: &str, theirs: &str| format!("<<<<<<< o\n{ours}=======\n{theirs}>>>>>>> t\n");
        for (base, ours, theirs, commented, rest) in [
            ("b: 1\nc: 1\n", "# b: 1\nc: 1\n", "b: 2\n", "# b: 1\n", "c: 1\n"),
            ("- n: b\n  v: 1\n", "# - n: b\n#   v: 1\n", "- n: b\n  v: 2\n", "# - n: b\n#   v: 1\n", ""),
            // Only what the hunk is about.
            ("b: 1\nc: 1\n", "# b: 1\n# c: 1\n", "b: 2\n", "# b: 1\n", "# c: 1\n"),
            ("b: 1\nc: 1\n", "# c: 1\n", "b: 2\n", "", "# c: 1\n"),
            // What was there, and what says something else.
            ("b: 1\n# b: 1\n", "# b: 1\n", "b: 2\n", "", "# b: 1\n"),
            ("b: 1\n", "# b: see there\n", "b: 2\n", "", "# b: see there\n"),
        ] {
            let text = format!("{}{commented}{rest}", hunk("", theirs));
            assert_eq!(shown(&text, base, ours, theirs), format!("{}{rest}", hunk(commented, theirs)));
            let text = format!("{}{commented}{rest}", hunk(theirs, ""));
            assert_eq!(shown(&text, base, theirs, ours), format!("{}{rest}", hunk(theirs, commented)));
        }
    }
}
