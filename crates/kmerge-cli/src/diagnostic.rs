//! Errors that point: what is wrong, where it stands in the user's files, and which flag decides it.
//!
//! A diagnostic owns the lines it shows, so that it outlives the files it is about.

mod code;

use std::fmt::{self, Display, Write as _};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use clap::builder::styling::{AnsiColor, Effects, Style};
use kyaml_ast::{Place, Span};

use crate::input::Source;
use crate::terminal::line;
pub(crate) use code::Code;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    Error,
    Warning,
    Conflict,
}

/// One problem.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    severity: Severity,
    code: Code,
    message: String,
    excerpts: Vec<Excerpt>,
    help: Option<String>,
}

/// A place in a file.
#[derive(Debug)]
struct Excerpt {
    name: String,
    place: Place,
    label: String,
    /// Its first line, and what is underlined in it; `None` where that holds a secret.
    line: Option<(String, Range<usize>)>,
}

impl Diagnostic {
    pub(crate) fn error(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, message: message.into(), excerpts: Vec::new(), help: None }
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self { severity: Severity::Conflict, ..Self::error(Code::Conflict, message) }
    }

    pub(crate) fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Adds a place; the first one is where the problem is said to be. What a Secret holds is not shown.
    pub(crate) fn at(mut self, source: &Source, span: Span, label: &str) -> Self {
        self.excerpts.push(Excerpt::new(source, span, label));
        self
    }

    /// Adds a place that is not shown: another one's text there is a secret.
    pub(crate) fn at_hidden(mut self, source: &Source, span: Span, label: &str) -> Self {
        self.excerpts.push(Excerpt { line: None, ..Excerpt::new(source, span, label) });
        self
    }

    /// Adds what can be done about it.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Place, message and help on one line.
    pub(crate) fn summary(&self) -> String {
        match &self.help {
            Some(help) => format!("{self}: {help}"),
            None => self.to_string(),
        }
    }

    /// The whole message with colours; they are stripped where nobody wants them.
    pub(crate) fn render(&self) -> String {
        let mut out = String::new();
        let bold = Style::new().effects(Effects::BOLD);
        let (word, style) = match self.severity {
            Severity::Error => ("error", AnsiColor::Red.on_default().effects(Effects::BOLD)),
            Severity::Warning => ("warning", AnsiColor::Yellow.on_default().effects(Effects::BOLD)),
            Severity::Conflict => ("conflict", AnsiColor::Yellow.on_default().effects(Effects::BOLD)),
        };
        if let Some(Excerpt { name, place, .. }) = self.excerpts.first() {
            let _ = write!(out, "{bold}{}:{}:{}:{bold:#} ", line(name), place.line, place.column);
        }
        let _ = write!(out, "{style}{word}[{}]:{style:#} {bold}{}{bold:#}", self.code, line(&self.message));
        if !self.excerpts.is_empty() || self.help.is_some() {
            out.push('\n');
            out.push_str(&self.snippets());
        }
        out
    }

    fn snippets(&self) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning | Severity::Conflict => Level::WARNING,
        };
        let mut group = Group::with_level(level);
        for Excerpt { name, place, label, line: text } in &self.excerpts {
            let name = line(name);
            let Some((text, range)) = text else {
                group = group.element(Origin::path(name).line(place.line).char_column(place.column));
                continue;
            };
            let annotation = AnnotationKind::Primary.span(range.clone()).label(line(label));
            let snippet = Snippet::source(text.as_str()).line_start(place.line).annotation(annotation);
            group = group.element(if self.excerpts.len() > 1 { snippet.path(name) } else { snippet });
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(line(help)));
        }
        Renderer::styled().render(&[group])
    }
}

impl Excerpt {
    fn new(source: &Source, span: Span, label: &str) -> Self {
        /// Of longer lines only the part around the place is shown.
        const LONGEST: usize = 400;
        let place = source.place(span.start);
        let (line, start) = (source.line(place.line - 1), source.line_start(place.line - 1));
        let from = ((span.start - start) as usize).min(line.len());
        let to = ((span.end - start) as usize).clamp(from, line.len());
        let first = boundary(line, from.saturating_sub(LONGEST / 2));
        let last = boundary(line, first + LONGEST);
        let range = from - first..to.min(last) - first;
        let shown = Span::new(start + first as u32, start + last as u32);
        let line = (!source.secrets().touch(shown)).then(|| (line[first..last].to_owned(), range));
        Self { name: source.name.clone(), place, label: label.to_owned(), line }
    }
}

/// The last place not after `at` where a character starts, or the end.
fn boundary(line: &str, at: usize) -> usize {
    let at = at.min(line.len());
    (0..=at).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0)
}

/// Without colours and excerpts: `file:line:column: message [code]`.
impl Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Excerpt { name, place, .. }) = self.excerpts.first() {
            write!(f, "{name}:{}:{}: ", place.line, place.column)?;
        }
        write!(f, "{} [{}]", self.message, self.code)
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}é: [{}\n", "x".repeat(5000), "y".repeat(5000));
        let source = Source::new("long.yaml", text.as_str());
        let at = text.find('[').expect("it is there") as u32;
        let shown = Diagnostic::error(Code::Syntax, "unclosed").at(&source, Span::new(at, at + 1), "").render();
        assert!(shown.contains("é: [") && shown.len() < 2000, "{shown}");
        assert!(shown.contains("long.yaml:1:5004:"), "{shown}");
    }
}
