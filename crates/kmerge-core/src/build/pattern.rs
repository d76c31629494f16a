//! Regular expressions that a whole text has to fit.

use regex_lite::Regex;
use thiserror::Error;

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
        // Alone first: what is not balanced must not close the group around it.
        Regex::new(text)?;
        Ok(Self(Regex::new(&format!("^(?:{text})$"))?))
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
        assert!(Pattern::new("w(").is_err() && Pattern::new("a)|(b").is_err());
        // As in Go, `\w` and `\d` are of ASCII.
        assert!(!fits(r"\w", "é") && !fits(r"\d", "٣"));
        // Names in Kubernetes are of ASCII, too: the tables of Unicode would be a sixth of what a start has to relocate.
        assert!(Pattern::new(r"\p{L}+").is_err());
    }
}
