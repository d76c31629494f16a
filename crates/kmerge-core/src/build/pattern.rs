//! Regular expressions that a whole text has to fit.

use regex::Regex;
use thiserror::Error;

/// A regular expression that fits a text from its first to its last character.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Regex);

/// Why a text is no regular expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not a regular expression: {message}")]
pub(super) struct PatternError {
    /// What the parser of regular expressions says, on one line.
    message: String,
}

impl From<regex::Error> for PatternError {
    fn from(error: regex::Error) -> Self {
        let text = error.to_string();
        let message = text.lines().last().unwrap_or_default();
        Self { message: message.strip_prefix("error: ").unwrap_or(message).to_owned() }
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
        assert!(fits("", "") && fits("web-[0-9]+", "web-12") && fits(r"\p{L}+", "é"));
        assert!(Pattern::new("w(").is_err() && Pattern::new("a)|(b").is_err());
    }
}
