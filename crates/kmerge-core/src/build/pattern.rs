//! Regular expressions that a whole text has to fit.

use regex_lite::{Regex, RegexBuilder};
use thiserror::Error;

/// The largest expression, compiled, in bytes: some 2,000 characters. A match takes as long as the expression times the text.
const LARGEST: usize = 1 << 16;

/// A regular expression that fits a text from its first to its last character.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Regex);

/// Why a text is no regular expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not a regular expression: {message}")]
pub(super) struct PatternError {
    /// What the parser of regular expressions says.
    message: String,
}

impl From<regex_lite::Error> for PatternError {
    fn from(error: regex_lite::Error) -> Self {
        Self { message: error.to_string() }
    }
}

impl Pattern {
    pub(super) fn new(text: &str) -> Result<Self, PatternError> {
        let compiled = |text: &str| RegexBuilder::new(text).size_limit(LARGEST).build();
        // Alone first: what is not balanced must not close the group around it.
        compiled(text)?;
        Ok(Self(compiled(&format!("^(?:{text})$"))?))
    }

    pub(super) fn fits(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn fits_whole_texts() {
        let fits = |pattern: &str, text: &str| Pattern::new(pattern).expect("it is one").fits(text);
        assert!(fits("a|b", "b") && !fits("a|b", "ab") && !fits("w", "web"));
        assert!(fits("", "") && fits("web-[0-9]+", "web-12") && fits("(?i)web", "WEB") && fits("caf.", "café"));
        assert!(Pattern::new(&["some-name"; 150].join("|")).is_ok() && Pattern::new("(.{100}){100}").is_err());
        assert!(Pattern::new("w(").is_err() && Pattern::new("a)|(b").is_err());
        // As in Go, `\w` and `\d` are of ASCII.
        assert!(!fits(r"\w", "é") && !fits(r"\d", "٣"));
        // Names in Kubernetes are of ASCII, too: the tables of Unicode would be a sixth of what a start has to relocate.
        assert!(Pattern::new(r"\p{L}+").is_err());
    }
}
