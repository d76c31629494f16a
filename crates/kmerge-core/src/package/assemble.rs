//! Puts documents together to a file.
//!
//! Documents that stood one after the other in one file are joined byte for byte; anywhere else a `---` is added where one
//! is needed (also so that comments that stand on their own still do), and a last line without newline gets one when
//! something follows. Documents from other files get the line ends of this one. Where the first document of a file went that
//! begins with `%YAML`, the next one begins so.
//!
//! A document that one side removed and the other changed makes versions of the file that differ: each is put together on its own,
//! and hunks stand around what differs. So each choice is a file that needs no marker more and no marker less.

use std::borrow::Cow;

use kyaml_ast::Newline;

use super::trees::{Trees, UnitRef};
use super::whole::hunk;
use crate::conflict::ConflictStyle;
use crate::lines::Texts;
use crate::slots::Side;

/// The text of one document and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The unit whose place in its file the text has.
    pub(super) unit: UnitRef,
    /// Index of the document in its file.
    pub(super) document: u32,
    /// The document with its markers.
    pub(super) text: String,
    /// The document in the base, where only the side of the unit has it, and that is in conflict.
    pub(super) contested: Option<String>,
}

impl Part {
    /// The document in one version of the file.
    fn version(&self, side: Side) -> Option<Version<'_>> {
        let of_unit =
            Version { text: &self.text, document: self.document, file: Some((self.unit.side, self.unit.file)) };
        match &self.contested {
            Some(base) if side == Side::Base => Some(Version { text: base, file: None, ..of_unit }),
            Some(_) if side != self.unit.side => None,
            _ => Some(of_unit),
        }
    }
}

/// A document in one version of the file.
#[derive(Clone, Copy)]
struct Version<'p> {
    text: &'p str,
    document: u32,
    /// The file that it comes from, where the others do.
    file: Option<(Side, u32)>,
}

/// The file that the result looks like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model<'s> {
    /// Its side and index.
    pub(super) file: (Side, u32),
    /// Its text.
    pub(super) text: &'s str,
}

impl<'s> Model<'s> {
    pub(super) fn of(trees: &Trees<'s>, side: Side, file: u32) -> Self {
        Self { file: (side, file), text: trees.content_of(side, file).text().unwrap_or_default() }
    }
}

/// Joins documents; what is in conflict is shown in a style.
pub(super) fn assemble(parts: &[Part], model: Model<'_>, style: ConflictStyle<'_>) -> String {
    let version = |side: Side| chunks(parts, model, side);
    let text = match style {
        ConflictStyle::Base => version(Side::Base).concat(),
        ConflictStyle::Incoming => version(Side::Incoming).concat(),
        ConflictStyle::Markers { .. } if parts.iter().any(|part| part.contested.is_some()) => {
            marked(parts, &Side::ALL.map(version), style)
        }
        ConflictStyle::Dest | ConflictStyle::Markers { .. } => version(Side::Dest).concat(),
    };
    if model.text.starts_with('\u{feff}') { ["\u{feff}", &text].concat() } else { text }
}

/// What each part adds to one version of the file.
fn chunks(parts: &[Part], model: Model<'_>, side: Side) -> Vec<String> {
    let versions: Vec<Option<Version<'_>>> = parts.iter().map(|part| part.version(side)).collect();
    let mut file = Assembly { model, previous: None, last: String::new(), is_open: false, is_header: true };
    let pushed = versions.iter().map(|version| version.map(|version| file.push(version)).unwrap_or_default());
    let mut chunks: Vec<String> = pushed.collect();
    let is_first = |version: &Version<'_>| version.file == Some(model.file) && version.document == 0;
    if !versions.iter().flatten().any(is_first)
        && let Some(top) = versions.iter().position(Option::is_some)
    {
        chunks[top] = with_version(std::mem::take(&mut chunks[top]), model.text);
    }
    chunks
}

/// The versions of a file in one, with hunks where they differ.
fn marked(parts: &[Part], versions: &[Vec<String>; 3], style: ConflictStyle<'_>) -> String {
    let chunk = |index: usize| versions.each_ref().map(|chunks| chunks.get(index).map_or("", String::as_str));
    let mut out = String::new();
    let mut start = 0;
    while start < parts.len() {
        let contested = parts[start..].iter().take_while(|part| part.contested.is_some()).count();
        let end = start + contested;
        let [ours, base, theirs] = chunk(end);
        // What is below is the same whatever is chosen, and so are those that stand between.
        if start > 0 && ours == base && base == theirs {
            (start..=end).for_each(|index| push_hunk(&mut out, chunk(index), style));
        } else {
            let joined = versions.each_ref().map(|chunks| chunks[start..parts.len().min(end + 1)].concat());
            push_hunk(&mut out, joined.each_ref().map(String::as_str), style);
        }
        start = end + 1;
    }
    out
}

/// Adds texts of which only one will stand: a hunk, without the lines that all have at their beginnings and ends.
fn push_hunk(out: &mut String, texts: [&str; 3], style: ConflictStyle<'_>) {
    let lines = texts.map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let below = common(lines.each_ref().map(|lines| lines.iter().rev()));
    let rest = lines.each_ref().map(|lines| &lines[..lines.len() - below]);
    let above = common(rest.map(|lines| lines.iter()));
    let inner = rest.map(|lines| lines[above..].concat());
    out.extend(rest[0][..above].iter().copied());
    if inner.iter().any(|text| !text.is_empty()) {
        let [ours, base, theirs] = inner.each_ref().map(String::as_bytes);
        out.push_str(&String::from_utf8_lossy(&hunk(Texts { base, ours, theirs }, style)));
    }
    out.extend(lines[0][rest[0].len()..].iter().copied());
}

/// How many lines all have alike.
fn common<'t>([ours, base, theirs]: [impl Iterator<Item = &'t &'t str>; 3]) -> usize {
    ours.zip(base).zip(theirs).take_while(|((ours, base), theirs)| ours == base && base == theirs).count()
}

/// The text of a file whose first document went: it begins with `%YAML` as before.
fn with_version(text: String, model: &str) -> String {
    let first_line = model.trim_start_matches('\u{feff}').split_inclusive('\n').next();
    let Some(version) = first_line.filter(|line| line.starts_with("%YAML")) else { return text };
    let marker = match head(&text) {
        Head::Directives => return text,
        Head::Start => "",
        Head::Bare | Head::Comments => "---",
    };
    let newline = if marker.is_empty() { "" } else { Newline::of(model).as_str() };
    [version, marker, newline, &text].concat()
}

/// The documents so far.
struct Assembly<'p> {
    model: Model<'p>,
    previous: Option<Version<'p>>,
    /// What the last one of them added.
    last: String,
    /// Whether it goes on until somebody ends it.
    is_open: bool,
    /// Whether there are comments at most.
    is_header: bool,
}

impl<'p> Assembly<'p> {
    /// What a document adds to the file.
    fn push(&mut self, version: Version<'p>) -> String {
        let is_own = version.file == Some(self.model.file);
        let newline = Newline::of(self.model.text);
        let text = version.text.trim_start_matches('\u{feff}');
        let text = &*if is_own { Cow::Borrowed(text) } else { with_newlines(text, newline).into() };
        let chunk = match self.previous {
            Some(previous) if follows(previous, version) => text.to_owned(),
            _ => self.apart(text, version.document, newline.as_str()),
        };
        self.previous = Some(version);
        if !matches!(head(text), Head::Comments) {
            self.is_open = !has_end(text);
            self.is_header = false;
        }
        if !chunk.is_empty() {
            self.last.clone_from(&chunk);
        }
        chunk
    }

    /// What a document adds that did not stand behind the last one. A bare `---` of what is now the first document stays away where
    /// the file had none there.
    fn apart(&self, text: &str, document: u32, newline: &str) -> String {
        let model = self.model.text.trim_start_matches('\u{feff}');
        let ends = self.last.is_empty() || self.last.ends_with('\n');
        let is_blank = |line: &str| line.trim_ascii().is_empty();
        let is_set_off = self.is_header && self.last.lines().next_back().is_none_or(is_blank);
        let is_bare = match self.previous {
            None => document > 0 && !model.starts_with("---"),
            Some(_) => is_set_off && matches!(head(model), Head::Bare),
        };
        let text = if is_bare { without_marker(text) } else { text };
        let separator = separator(text, self.is_open, is_set_off).map(|separator| [separator, newline]);
        [if ends { "" } else { newline }, &separator.unwrap_or_default().concat(), text].concat()
    }
}

/// Whether a document came directly after another one in its file.
fn follows(previous: Version<'_>, version: Version<'_>) -> bool {
    let is_same_file = version.file.is_some() && previous.file == version.file;
    is_same_file && previous.document + 1 == version.document && previous.text.ends_with('\n')
}

fn without_marker(text: &str) -> &str {
    text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")).unwrap_or(text)
}

/// What has to stand before a document, if content may stand open before it, or comments that would become its own.
fn separator(text: &str, is_open: bool, is_set_off: bool) -> Option<&'static str> {
    match head(text) {
        Head::Directives => is_open.then_some("..."),
        Head::Bare => (is_open || !is_set_off).then_some("---"),
        Head::Comments => is_open.then_some("---"),
        Head::Start => None,
    }
}

/// How a document begins.
enum Head {
    /// `%YAML 1.2`
    Directives,
    /// `---`
    Start,
    /// With its content.
    Bare,
    /// Not at all: there are comments at most.
    Comments,
}

fn head(text: &str) -> Head {
    for line in text.lines() {
        if line.starts_with('%') {
            return Head::Directives;
        }
        if line.strip_prefix("---").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
            return Head::Start;
        }
        if !line.trim_ascii().is_empty() && !line.trim_start().starts_with('#') {
            return Head::Bare;
        }
    }
    Head::Comments
}

/// Whether a document ends in `...`.
fn has_end(text: &str) -> bool {
    let is_content = |line: &&str| !line.trim_ascii().is_empty() && !line.trim_start().starts_with('#');
    text.lines().rev().find(is_content).is_some_and(|line| line.starts_with("..."))
}

/// The text with line ends of this style.
fn with_newlines(text: &str, newline: Newline) -> String {
    let text = text.replace("\r\n", "\n");
    if newline == Newline::CrLf { text.replace('\n', "\r\n") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document of a file; that with the number 0 is the model.
    fn part(file: u32, document: u32, text: &str) -> Part {
        Part { unit: UnitRef { side: Side::Dest, file, unit: 0 }, document, text: text.to_owned(), contested: None }
    }

    #[test]
    fn documents_get_the_markers_that_they_need() {
        let (a, b) = (part(0, 0, "a: 1\n"), part(1, 0, "b: 1\n"));
        for (what, model, parts, expected) in [
            ("neighbours", "a: 1\n---\nc: 1\n", [&a, &part(0, 1, "---\nc: 1\n")], "a: 1\n---\nc: 1\n"),
            ("another file", "a: 1\n", [&a, &b], "a: 1\n---\nb: 1\n"),
            ("no last newline", "a: 1", [&part(0, 0, "a: 1"), &b], "a: 1\n---\nb: 1\n"),
            ("no first document", "a: 1\n---\nc: 1\n", [&part(0, 1, "---\nc: 1\n"), &b], "c: 1\n---\nb: 1\n"),
            ("line ends", "a: 1\r\n", [&part(0, 0, "a: 1\r\n"), &b], "a: 1\r\n---\r\nb: 1\r\n"),
            ("a header set off", "# h\n\na: 1\n", [&part(0, 0, "# h\n\n"), &b], "# h\n\nb: 1\n"),
            ("a header", "# h\n---\na: 1\n", [&part(0, 0, "# h\n"), &b], "# h\n---\nb: 1\n"),
            ("directives", "a: 1\n", [&a, &part(1, 0, "%YAML 1.2\n---\nb: 1\n")], "a: 1\n...\n%YAML 1.2\n---\nb: 1\n"),
            ("an end", "a: 1\n...\n", [&part(0, 0, "a: 1\n...\n"), &b], "a: 1\n...\n---\nb: 1\n"),
        ] {
            let model = Model { file: (Side::Dest, 0), text: model };
            assert_eq!(assemble(&parts.map(Clone::clone), model, ConflictStyle::Dest), expected, "{what}");
        }
    }
}
