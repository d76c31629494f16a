//! Regular expressions that must match a whole text.

use kyaml_ast::{Fit, FitError};

/// A regular expression that matches a text from its first to its last character.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Fit);

impl Pattern {
    pub(super) fn new(text: &str) -> Result<Self, FitError> {
        // Alone first: an unbalanced expression must not close the group around it.
        Fit::new(text)?;
        Ok(Self(Fit::new(&format!("^(?:{text})$"))?))
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
        assert!(fits("", "") && fits("web-[0-9]+", "web-12") && fits(r"\p{L}+", "é") && fits("(?i)É", "é"));
        assert!(Pattern::new("w(").is_err() && Pattern::new("a)|(b").is_err());
    }

    #[test]
    fn what_would_take_long_is_refused() {
        let names: Vec<String> = (0..200).map(|number| format!("{number}-of-many-names")).collect();
        assert!([".{200}", r"(\w+-){5}", &names.join("|")].into_iter().all(|text| Pattern::new(text).is_ok()));
        let refused = Pattern::new("(.{100}){100}").map(|_| ()).map_err(|error| error.to_string());
        let why = "the regular expression is too large: compiled, it takes more than 256 KiB";
        assert_eq!(refused, Err(why.to_owned()));
    }
}
