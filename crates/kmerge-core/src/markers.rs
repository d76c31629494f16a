//! Conflict markers in a text: where hunks stand, and what their sides are.
//!
//! A hunk is what git writes: whole lines that start with seven or more `<`, perhaps as many `|`, as many `=`, as many
//! `>`, each alone or with a label after a space. Inside a hunk markers of other sizes are content, as in the base of a
//! criss-cross merge.

use std::ops::Range;

use memchr::memmem;

use crate::slots::Side;

/// git's default size of a marker, and the smallest that counts as one here.
pub(crate) const SMALLEST: usize = 7;

/// One conflict, in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// From the first marker to the end of the last one's line.
    pub whole: Range<usize>,
    /// The lines of the first side.
    pub ours: Range<usize>,
    /// The lines of the common ancestor, where the style shows them.
    pub base: Option<Range<usize>>,
    /// The lines of the second side.
    pub theirs: Range<usize>,
    /// How many characters a marker has.
    pub size: usize,
}

impl Hunk {
    /// What stands behind the markers of ours, base and theirs, such as the names of branches.
    #[must_use]
    pub fn labels<'t>(&self, text: &'t [u8]) -> [&'t [u8]; 3] {
        let base = self.base.as_ref().map(|base| self.ours.end..base.start);
        let last = self.theirs.end..self.whole.end;
        [Some(self.whole.start..self.ours.start), base, Some(last)].map(|line| {
            let line = line.map_or(&text[..0], |line| &text[line]);
            line.get(self.size..).unwrap_or_default().trim_ascii()
        })
    }

    /// The lines of markers.
    fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let base = self.base.clone();
        let separator = base.as_ref().map_or(self.ours.end, |base| base.end)..self.theirs.start;
        let base = base.map(|base| self.ours.end..base.start);
        let lines =
            [Some(self.whole.start..self.ours.start), base, Some(separator), Some(self.theirs.end..self.whole.end)];
        lines.into_iter().flatten()
    }
}

/// A text with the same side of every hunk chosen; where `side` gives none, the hunk stays as it is.
#[must_use]
pub fn chosen(text: &[u8], hunks: &[Hunk], side: impl Fn(&Hunk) -> Option<Range<usize>>) -> Vec<u8> {
    let mut chosen = Vec::with_capacity(text.len());
    let mut done = 0;
    for hunk in hunks {
        chosen.extend_from_slice(&text[done..hunk.whole.start]);
        chosen.extend_from_slice(&text[side(hunk).unwrap_or_else(|| hunk.whole.clone())]);
        done = hunk.whole.end;
    }
    chosen.extend_from_slice(&text[done..]);
    chosen
}

/// A text with the version of ours or theirs in every hunk; `None` where that is no text.
pub(crate) fn with_side(text: &str, hunks: &[Hunk], side: Side) -> Option<String> {
    let lines = |hunk: &Hunk| Some(if side == Side::Dest { &hunk.ours } else { &hunk.theirs }.clone());
    String::from_utf8(chosen(text.as_bytes(), hunks, lines)).ok()
}

/// A text without the labels of its hunks, so that texts can be compared that were merged under other names.
#[must_use]
pub fn without_labels(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut done = 0;
    for hunk in hunks(text) {
        for line in hunk.lines() {
            plain.extend_from_slice(&text[done..line.start + hunk.size]);
            done = line.end - text[line.clone()].iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        }
    }
    plain.extend_from_slice(&text[done..]);
    plain
}

/// The complete hunks of a text, in order.
#[must_use]
pub fn hunks(text: &[u8]) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let mut next = 0;
    let opening = memmem::Finder::new(&[b'<'; SMALLEST]);
    while let Some(first) = first_marker(text, next, &opening) {
        next = first.line.end;
        let mut open = Open::new(&first);
        for marker in markers(text, first.line.end) {
            next = marker.line.end;
            if marker.size != open.size {
                continue;
            }
            match open.with(marker.kind, &marker) {
                Ok(still_open) => open = still_open,
                Err(done) => {
                    hunks.extend(done);
                    break;
                }
            }
        }
    }
    hunks
}

/// The first line that can start a hunk, at a place or behind it. Most lines are in no hunk: they are not looked at one by one.
fn first_marker(text: &[u8], mut from: usize, opening: &memmem::Finder<'_>) -> Option<Marker> {
    while let Some(found) = opening.find(&text[from..]) {
        let at = from + found;
        from = line_end(text, at);
        if is_line_start(text, at)
            && let Some((kind, size)) = marker(&text[at..from])
        {
            return Some(Marker { kind, size, line: at..from });
        }
    }
    None
}

/// The lines of a text that look like conflict markers, also without the rest of a hunk. (A line of `=` alone is a
/// headline to many.)
pub fn stray(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    // Most lines hold none of these characters: they are not looked at one by one.
    let starts = memchr::memchr3_iter(b'<', b'|', b'>', text).filter(|at| is_line_start(text, *at));
    starts.map(|at| at..line_end(text, at)).filter(|line| marker(&text[line.clone()]).is_some())
}

/// A hunk that has not ended yet.
struct Open {
    size: usize,
    start: usize,
    ours: Range<usize>,
    base: Option<Range<usize>>,
    theirs: Option<usize>,
}

impl Open {
    fn new(marker: &Marker) -> Self {
        let ours = marker.line.end..marker.line.end;
        Self { size: marker.size, start: marker.line.start, ours, base: None, theirs: None }
    }

    /// Goes on with the next marker of the hunk's size; `Err` where the hunk ends with it, holding what it amounts to.
    fn with(mut self, kind: u8, marker: &Marker) -> Result<Self, Option<Hunk>> {
        let (at, after) = (marker.line.start, marker.line.end);
        match (kind, &mut self.base, self.theirs) {
            (b'<', ..) => Ok(Self::new(marker)),
            (b'|', None, None) => {
                self.ours.end = at;
                self.base = Some(after..after);
                Ok(self)
            }
            (b'=', base, None) => {
                match base {
                    Some(base) => base.end = at,
                    None => self.ours.end = at,
                }
                self.theirs = Some(after);
                Ok(self)
            }
            (b'>', _, Some(theirs)) => Err(Some(Hunk {
                whole: self.start..after,
                ours: self.ours,
                base: self.base,
                theirs: theirs..at,
                size: self.size,
            })),
            (b'>', ..) => Err(None),
            // A second line of `=` or `|` is content of the side it stands in.
            _ => Ok(self),
        }
    }
}

struct Marker {
    kind: u8,
    size: usize,
    /// The line with its newline.
    line: Range<usize>,
}

/// Every line from a line's start on that is a marker by itself.
fn markers(text: &[u8], mut start: usize) -> impl Iterator<Item = Marker> {
    std::iter::from_fn(move || {
        while start < text.len() {
            let line = start..line_end(text, start);
            start = line.end;
            if let Some((kind, size)) = marker(&text[line.clone()]) {
                return Some(Marker { kind, size, line });
            }
        }
        None
    })
}

fn is_line_start(text: &[u8], at: usize) -> bool {
    at == 0 || text[at - 1] == b'\n'
}

/// The end of a place's line, behind its newline.
fn line_end(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline + 1)
}

fn marker(line: &[u8]) -> Option<(u8, usize)> {
    let kind = *line.first().filter(|first| matches!(first, b'<' | b'|' | b'=' | b'>'))?;
    let size = line.iter().take_while(|byte| **byte == kind).count();
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n') || (*byte == b' ' && kind != b'=');
    (size >= SMALLEST && line.get(size).is_none_or(is_end)).then_some((kind, size))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const LINES: &[&str] = &[
        "<<<<<<< a",
        "<<<<<<<",
        "<<<<<<<<",
        "||||||| b",
        "=======",
        "=======",
        "========",
        ">>>>>>> c",
        ">>>>>>>",
        ">>>>>>>>",
        "x",
        "",
        " <<<<<<< a",
        "x<<<<<<<",
        "<<<<<<<x",
        "<<<<<<",
        "<<<<<<<<<<<<<<",
    ];

    fn sides(text: &str) -> Vec<[Option<&str>; 3]> {
        let side = |hunk: &Hunk| {
            [
                Some(&text[hunk.ours.clone()]),
                hunk.base.clone().map(|base| &text[base]),
                Some(&text[hunk.theirs.clone()]),
            ]
        };
        hunks(text.as_bytes()).iter().map(side).collect()
    }

    /// Line by line, as the invariant says it.
    fn hunks_of_lines(text: &[u8]) -> Vec<Hunk> {
        let (mut hunks, mut open) = (Vec::new(), None::<Open>);
        for marker in markers(text, 0) {
            open = match open.take() {
                None if marker.kind == b'<' => Some(Open::new(&marker)),
                Some(hunk) if hunk.size == marker.size => match hunk.with(marker.kind, &marker) {
                    Ok(hunk) => Some(hunk),
                    Err(done) => {
                        hunks.extend(done);
                        None
                    }
                },
                open => open,
            };
        }
        hunks
    }

    proptest! {
        #[test]
        fn lines_outside_hunks_may_be_anything(lines in vec(0..LINES.len(), 0..24), newline in "\r?\n") {
            let text = lines.into_iter().map(|line| LINES[line]).collect::<Vec<_>>().join(&newline);
            prop_assert_eq!(hunks(text.as_bytes()), hunks_of_lines(text.as_bytes()), "{:?}", text);
        }
    }

    #[test]
    fn hunks_of_every_style() {
        let text =
            "x\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\ny\n<<<<<<< HEAD\n||||||| 1234\nc\n=======\n>>>>>>> topic\n";
        assert_eq!(sides(text), [[Some("a\n"), None, Some("b\n")], [Some(""), Some("c\n"), Some("")]]);
        assert_eq!(hunks(text.as_bytes())[0].whole, 2..41);
    }

    #[test]
    fn labels_are_read_and_left_out() {
        let text = b"x\n<<<<<<< HEAD\na\n||||||| 12 34\r\n=======\nb\n>>>>>>> topic";
        let [hunk] = hunks(text).try_into().unwrap();
        assert_eq!(hunk.labels(text), [&b"HEAD"[..], b"12 34", b"topic"]);
        assert_eq!(without_labels(text), b"x\n<<<<<<<\na\n|||||||\r\n=======\nb\n>>>>>>>");
    }

    #[test]
    fn a_side_is_chosen_everywhere() {
        let text = b"x\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\ny\n";
        let hunks = hunks(text);
        assert_eq!(chosen(text, &hunks, |hunk| Some(hunk.theirs.clone())), b"x\nb\ny\n");
        assert_eq!(chosen(text, &hunks, |hunk| hunk.base.clone()), text);
    }

    #[test]
    fn windows_newlines_and_no_labels() {
        let text = "<<<<<<<\r\na\r\n=======\r\nb\r\n>>>>>>>";
        assert_eq!(sides(text), [[Some("a\r\n"), None, Some("b\r\n")]]);
    }

    #[test]
    fn other_sizes_are_content() {
        let text = "<<<<<<<< a\n1\n|||||||| b\n<<<<<<<<<< x\n2\n==========\n3\n>>>>>>>>>> y\n========\n4\n>>>>>>>> c\n";
        let base = "<<<<<<<<<< x\n2\n==========\n3\n>>>>>>>>>> y\n";
        assert_eq!(sides(text), [[Some("1\n"), Some(base), Some("4\n")]]);
    }

    #[test]
    fn incomplete_hunks_are_none() {
        for text in
            ["<<<<<<< a\n1\n", "=======\n", "a\n>>>>>>> b\n", "<<<<<<< a\n>>>>>>> b\n", "<<<<<< a\n======\n>>>>>> b\n"]
        {
            assert_eq!(hunks(text.as_bytes()), [], "{text}");
        }
        assert_eq!(sides("<<<<<<< a\n<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n"), [[Some("1\n"), None, Some("2\n")]]);
    }

    #[test]
    fn stray_markers_are_found_and_headlines_are_not() {
        let lines = |text: &str| stray(text.as_bytes()).count();
        assert_eq!(lines("a: |\n  Title\n  =======\n=======\n"), 0);
        assert_eq!(lines("<<<<<<<x\n  >>>>>>> a\n>>>>>>>: b\n"), 0);
        assert_eq!(lines(">>>>>>> a\n||||||| b\n<<<<<<< c\n"), 3);
    }
}
