//! Hunks: whole lines of up to three versions between markers.
//!
//! Invariant: with ours chosen in every hunk of a text it is what ours has, and so for theirs.

use kyaml_ast::Newline;

use crate::lines::{self, Labels, Region, Style, Texts};

/// How hunks look.
#[derive(Clone, Copy, Debug)]
pub(super) struct HunkStyle<'a> {
    pub(super) style: Style,
    pub(super) labels: Labels<'a>,
    pub(super) newline: Newline,
}

impl HunkStyle<'_> {
    /// Whether a version of the base has to be written.
    pub(super) fn shows_base(&self) -> bool {
        self.style != Style::Merge
    }

    /// Writes a marker line: `<`, `|`, `=` or `>`.
    pub(super) fn mark(&self, mark: char, out: &mut String) {
        let label = match mark {
            '<' => self.labels.ours,
            '|' => self.labels.base,
            '>' => self.labels.theirs,
            _ => "",
        };
        out.extend(std::iter::repeat_n(mark, self.labels.size));
        if !label.is_empty() {
            out.push(' ');
            out.push_str(label);
        }
        out.push_str(self.newline.as_str());
    }

    /// Whole lines of three versions as hunks: what the shown versions share stands outside of them.
    pub(super) fn hunk(&self, ours: &str, base: &str, theirs: &str) -> String {
        let shown = [ours, theirs, if self.shows_base() { base } else { ours }];
        if ours != theirs && shown.into_iter().all(is_one_line) {
            let mut out = String::with_capacity(2 * (ours.len() + base.len() + theirs.len()));
            self.conflict([ours, base, theirs], &mut out);
            return out;
        }
        let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        let mut out = String::new();
        for region in lines::narrowed(texts, self.style) {
            match region {
                Region::Ours(range) => out += &ours[range],
                Region::Theirs(range) => out += &theirs[range],
                Region::Conflict { ours: our_lines, base: base_lines, theirs: their_lines } => {
                    self.conflict([&ours[our_lines], &base[base_lines], &theirs[their_lines]], &mut out);
                }
            }
        }
        out
    }

    /// Writes three versions between markers.
    fn conflict(&self, [ours, base, theirs]: [&str; 3], out: &mut String) {
        self.mark('<', out);
        out.push_str(ours);
        if self.shows_base() {
            self.mark('|', out);
            out.push_str(base);
        }
        self.mark('=', out);
        out.push_str(theirs);
        self.mark('>', out);
    }
}

fn is_one_line(text: &str) -> bool {
    !text.is_empty() && memchr::memchr(b'\n', text.as_bytes()).is_none_or(|newline| newline + 1 == text.len())
}

const BOM: &str = "\u{feff}";

/// Moves byte order marks that stand before hunks into their sides: a marker is a line of its own. A file has one at its
/// start, and each of its documents may.
pub(super) fn with_marks_inside(text: String, size: usize) -> String {
    if !text.contains(BOM) {
        return text;
    }
    let marks = ['<', '|', '=', '>'].map(|mark| std::iter::repeat_n(mark, size).collect::<String>());
    let mut out = String::with_capacity(text.len() + 2 * BOM.len());
    let mut is_marked = false;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let bare = line.strip_prefix(BOM).filter(|rest| rest.starts_with(&marks[0]));
        is_marked |= bare.is_some();
        let line = bare.unwrap_or(line);
        out.push_str(line);
        let is_marker = marks.iter().any(|mark| line.starts_with(mark));
        is_marked &= !line.starts_with(&marks[3]);
        if is_marked && is_marker && lines.peek().is_some_and(|next| !marks.iter().any(|mark| next.starts_with(mark))) {
            out.push_str(BOM);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_of_zdiff3_has_nothing_that_stands_outside() {
        let labels = Labels { size: 7, ours: "o", base: "b", theirs: "t" };
        let hunks = HunkStyle { style: Style::Zdiff3, labels, newline: Newline::Lf };
        let text = hunks.hunk("l:\n- p\n- n\n- s\n", "l:\n- p\n- q\n", "l:\n- p\n- n\n- r\n");
        assert_eq!(text, "l:\n- p\n- n\n<<<<<<< o\n- s\n||||||| b\n- q\n=======\n- r\n>>>>>>> t\n");
    }
}
