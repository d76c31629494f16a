//! One hunk: whole lines of up to three versions between markers.

use kyaml_ast::Newline;

use crate::lines::{Labels, Style};

/// How hunks look.
#[derive(Clone, Copy, Debug)]
pub(super) struct HunkStyle<'a> {
    pub(super) style: Style,
    pub(super) labels: Labels<'a>,
    pub(super) newline: Newline,
}

impl HunkStyle<'_> {
    /// A marker line: `<`, `|`, `=` or `>`.
    pub(super) fn marker(&self, mark: char) -> String {
        let label = match mark {
            '<' => self.labels.ours,
            '|' => self.labels.base,
            '>' => self.labels.theirs,
            _ => "",
        };
        let marks: String = std::iter::repeat_n(mark, self.labels.size).collect();
        let space = if label.is_empty() { "" } else { " " };
        format!("{marks}{space}{label}{}", self.newline.as_str())
    }

    /// Whole lines of three versions as one hunk; what the shown versions share at both ends stays outside.
    pub(super) fn hunk(&self, ours: &str, base: &str, theirs: &str) -> String {
        let shown: Vec<&str> = if self.style == Style::Diff3 { vec![ours, base, theirs] } else { vec![ours, theirs] };
        let (head, tail) = shared_ends(&shown);
        let cut = |text: &str| text[head..text.len() - tail].to_owned();
        let mut out = ours[..head].to_owned();
        out += &self.marker('<');
        out += &cut(ours);
        match self.style {
            Style::Merge => {}
            Style::Diff3 => out += &(self.marker('|') + &cut(base)),
            Style::Zdiff3 => {
                // What all three share stands outside; what only the sides share is still told of the base.
                let (head, tail) = shared_ends(&[ours, base, theirs]);
                out += &(self.marker('|') + &base[head..base.len() - tail]);
            }
        }
        out += &self.marker('=');
        out += &cut(theirs);
        out += &self.marker('>');
        out + &ours[ours.len() - tail..]
    }
}

const BOM: &str = "\u{feff}";

/// Moves a byte order mark that stands before a hunk into its sides: a marker is a line of its own.
pub(super) fn with_bom_inside(text: String, size: usize) -> String {
    let mark = |mark: char| std::iter::repeat_n(mark, size).collect::<String>();
    let marks = ['<', '|', '=', '>'].map(mark);
    let Some(rest) = text.strip_prefix(BOM).filter(|rest| rest.starts_with(&marks[0])) else { return text };
    let mut out = String::with_capacity(text.len() + 2 * BOM.len());
    let mut rest = rest;
    loop {
        let (line, after) = rest.split_at(rest.find('\n').map_or(rest.len(), |at| at + 1));
        let is_marker = marks.iter().any(|mark| line.starts_with(mark));
        out.push_str(line);
        rest = after;
        if line.starts_with(&marks[3]) || rest.is_empty() {
            return out + rest;
        }
        if is_marker && !marks.iter().any(|mark| rest.starts_with(mark)) {
            out.push_str(BOM);
        }
    }
}

/// Lengths in bytes of the whole lines that all texts share at their start and, after these, at their end.
fn shared_ends(texts: &[&str]) -> (usize, usize) {
    let Some((first, rest)) = texts.split_first() else { return (0, 0) };
    let mut head = 0;
    for line in first.split_inclusive('\n') {
        if !rest.iter().all(|text| text[head..].starts_with(line)) {
            break;
        }
        head += line.len();
    }
    let mut tail = 0;
    for line in first[head..].split_inclusive('\n').rev() {
        let fits = |text: &&str| {
            let body = &text[head..];
            body.len() >= tail + line.len()
                && body[..body.len() - tail].ends_with(line)
                && (body.len() == tail + line.len() || body[..body.len() - tail - line.len()].ends_with('\n'))
        };
        if !rest.iter().all(fits) {
            break;
        }
        tail += line.len();
    }
    (head, tail)
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
