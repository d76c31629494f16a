//! Regions as text, with conflict markers as git writes them.

use std::ops::Range;

use super::{Region, Style, Texts};

/// What conflict markers look like.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// How many times a marker's character is repeated; git's default is 7.
    pub size: usize,
    /// Stands after `<<<<<<<` and a space, also where it is empty, as with git.
    pub ours: &'a str,
    /// Stands after `|||||||` and a space.
    pub base: &'a str,
    /// Stands after `>>>>>>>` and a space.
    pub theirs: &'a str,
}

/// The text of a merge.
pub(crate) fn render(texts: Texts<'_>, regions: &[Region], style: Style, labels: &Labels<'_>) -> Vec<u8> {
    let text = Vec::with_capacity(texts.ours.len().max(texts.theirs.len()));
    let mut page = Page { text, size: labels.size, newline: "\n" };
    for region in regions {
        match region {
            Region::Ours(range) => page.text.extend_from_slice(&texts.ours[range.clone()]),
            Region::Theirs(range) => page.text.extend_from_slice(&texts.theirs[range.clone()]),
            Region::Conflict { ours, base, theirs } => {
                page.newline = newline(texts, ours, theirs);
                page.marker(b'<', Some(labels.ours));
                page.lines(&texts.ours[ours.clone()]);
                if style != Style::Merge {
                    page.marker(b'|', Some(labels.base));
                    page.lines(&texts.base[base.clone()]);
                }
                page.marker(b'=', None);
                page.lines(&texts.theirs[theirs.clone()]);
                page.marker(b'>', Some(labels.theirs));
            }
        }
    }
    page.text
}

/// The text of a merge in which base stands where the sides disagree.
pub(crate) fn assemble(texts: Texts<'_>, regions: &[Region]) -> Vec<u8> {
    let part = |region: &Region| match region {
        Region::Ours(range) => &texts.ours[range.clone()],
        Region::Theirs(range) => &texts.theirs[range.clone()],
        Region::Conflict { base, .. } => &texts.base[base.clone()],
    };
    regions.iter().map(part).collect::<Vec<_>>().concat()
}

/// The text so far, and what the markers of the current conflict look like.
struct Page {
    text: Vec<u8>,
    size: usize,
    newline: &'static str,
}

impl Page {
    fn marker(&mut self, marker: u8, label: Option<&str>) {
        self.text.extend(std::iter::repeat_n(marker, self.size));
        if let Some(label) = label {
            self.text.push(b' ');
            self.text.extend_from_slice(label.as_bytes());
        }
        self.text.extend_from_slice(self.newline.as_bytes());
    }

    fn lines(&mut self, lines: &[u8]) {
        self.text.extend_from_slice(lines);
        if lines.last().is_some_and(|last| *last != b'\n') {
            self.text.extend_from_slice(self.newline.as_bytes());
        }
    }
}

/// How the markers of a conflict end: like the lines before it on both sides and the first line of base, if these agree
/// on CRLF; those that end in nothing have no say.
fn newline(texts: Texts<'_>, ours: &Range<usize>, theirs: &Range<usize>) -> &'static str {
    let votes = [ending(texts.ours, ours.start), ending(texts.theirs, theirs.start), ending(texts.base, 0)];
    match votes {
        _ if votes.contains(&Ending::Lf) => "\n",
        [.., Ending::CrLf] => "\r\n",
        _ => "\n",
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Lf,
    CrLf,
    None,
}

/// How the line before `at` ends, or the first line; a last line without a newline counts like the one before it.
fn ending(text: &[u8], at: usize) -> Ending {
    let line_end = |from: usize| memchr::memchr(b'\n', &text[from..]).map(|newline| from + newline);
    let newline = if at == 0 { line_end(0) } else { memchr::memrchr(b'\n', &text[..at]) };
    match newline {
        None => Ending::None,
        Some(newline) if text[..newline].ends_with(b"\r") => Ending::CrLf,
        Some(_) => Ending::Lf,
    }
}
