//! Puts documents together to a file.
//!
//! Documents that stood one after the other in one file are joined byte for byte; anywhere else a `---` is added where one
//! is needed (also so that comments that stand on their own still do), and a last line without newline gets one when
//! something follows. Documents from other files get the line
//! ends of this one.

use std::borrow::Cow;

use kyaml_ast::Newline;

use super::trees::UnitRef;
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
}

/// The file that the result looks like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model<'s> {
    /// Its side and index.
    pub(super) file: (Side, u32),
    /// Its text.
    pub(super) text: &'s str,
}

/// Joins documents.
pub(super) fn assemble(parts: &[Part], model: Model<'_>) -> String {
    let out = String::with_capacity(parts.iter().map(|part| part.text.len() + 8).sum());
    let mut file = Assembly { model, out, is_open: false, is_header: true };
    for (index, part) in parts.iter().enumerate() {
        file.push(part, index.checked_sub(1).map(|before| &parts[before]));
    }
    if model.text.starts_with('\u{feff}') {
        file.out.insert(0, '\u{feff}');
    }
    file.out
}

/// The text of a file whose first document went: it begins with `%YAML` as before.
pub(super) fn with_version(text: String, model: &str) -> String {
    let first_line = model.trim_start_matches('\u{feff}').split_inclusive('\n').next();
    let Some(version) = first_line.filter(|line| line.starts_with("%YAML")) else { return text };
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let (mark, rest) = text.split_at(start);
    let marker = match head(rest) {
        Head::Directives => return text,
        Head::Start => "",
        Head::Bare | Head::Comments => "---",
    };
    let newline = if marker.is_empty() { "" } else { Newline::of(model).as_str() };
    [mark, version, marker, newline, rest].concat()
}

/// The documents so far.
struct Assembly<'m> {
    model: Model<'m>,
    out: String,
    /// Whether the last document goes on until somebody ends it.
    is_open: bool,
    /// Whether there are comments at most.
    is_header: bool,
}

impl Assembly<'_> {
    fn push(&mut self, part: &Part, previous: Option<&Part>) {
        let is_own = (part.unit.side, part.unit.file) == self.model.file;
        let text = part.text.trim_start_matches('\u{feff}');
        let text = &*if is_own { Cow::Borrowed(text) } else { with_newlines(text, Newline::of(self.model.text)) };
        match previous {
            None => self.out.push_str(first(text, part.document, self.model.text)),
            Some(previous) if follows(previous, part) => self.out.push_str(text),
            Some(_) => self.push_apart(text),
        }
        self.is_open = stays_open(text, self.is_open);
        self.is_header &= matches!(head(text), Head::Comments);
    }

    /// Adds a document that did not stand behind the last one.
    fn push_apart(&mut self, text: &str) {
        let newline = Newline::of(self.model.text).as_str();
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push_str(newline);
        }
        let is_blank = |line: &str| line.trim_ascii().is_empty();
        let is_set_off = self.is_header && self.out.lines().next_back().is_none_or(is_blank);
        let text = if is_set_off { below_header(text, self.model.text) } else { text };
        if let Some(separator) = separator(text, self.is_open, is_set_off) {
            self.out.extend([separator, newline]);
        }
        self.out.push_str(text);
    }
}

/// Whether a part came directly after another one in its file.
fn follows(previous: &Part, part: &Part) -> bool {
    let is_same_file = (previous.unit.side, previous.unit.file) == (part.unit.side, part.unit.file);
    is_same_file && previous.document + 1 == part.document && previous.text.ends_with('\n')
}

/// The text that starts the file: a bare `---` stays away where the file had none before its first document.
fn first<'t>(text: &'t str, document: u32, model: &str) -> &'t str {
    let is_bare = document > 0 && !model.trim_start_matches('\u{feff}').starts_with("---");
    if is_bare { without_marker(text) } else { text }
}

/// The text of what is now the first document below comments: a bare `---` goes where the file had none there.
fn below_header<'t>(text: &'t str, model: &str) -> &'t str {
    let is_bare = matches!(head(model.trim_start_matches('\u{feff}')), Head::Bare);
    if is_bare { without_marker(text) } else { text }
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

/// Whether a document, or what was open before it, goes on until somebody ends it.
fn stays_open(text: &str, was_open: bool) -> bool {
    match head(text) {
        Head::Comments => was_open,
        _ => !has_end(text),
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
fn with_newlines(text: &str, newline: Newline) -> Cow<'_, str> {
    let crlf = memchr::memmem::find_iter(text.as_bytes(), b"\r\n").count();
    let all = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    match newline {
        Newline::Lf if crlf == 0 => Cow::Borrowed(text),
        Newline::CrLf if crlf == all => Cow::Borrowed(text),
        Newline::Lf => Cow::Owned(text.replace("\r\n", "\n")),
        Newline::CrLf => Cow::Owned(text.replace("\r\n", "\n").replace('\n', "\r\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document of a file; that with the number 0 is the model.
    fn part(file: u32, document: u32, text: &str) -> Part {
        Part { unit: UnitRef { side: Side::Dest, file, unit: 0 }, document, text: text.to_owned() }
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
            assert_eq!(assemble(&parts.map(Clone::clone), model), expected, "{what}");
        }
    }
}
