//! Annotations of GitHub workflows: lines on stdout that GitHub shows beside the lines of a file.

use kyaml_ast::Place;

use crate::terminal;

/// What an annotation is about.
pub(crate) struct Annotation<'a> {
    /// `error` or `warning`.
    pub(crate) level: &'a str,
    pub(crate) file: &'a str,
    /// Where in the file, where that is known.
    pub(crate) at: Option<Place>,
    pub(crate) title: &'a str,
    pub(crate) message: &'a str,
}

impl Annotation<'_> {
    /// The line, with its end.
    pub(crate) fn line(&self) -> String {
        let Self { level, file, at, title, message } = self;
        let at = at.map_or_else(String::new, |at| format!(",line={},col={}", at.line, at.column));
        format!("::{level} file={}{at},title={}::{}\n", property(file), property(title), data(message))
    }
}

/// A text in the place of a message.
fn data(text: &str) -> String {
    let text = terminal::text(text);
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text in the place of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
