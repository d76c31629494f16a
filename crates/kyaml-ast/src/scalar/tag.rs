//! Brings the spellings of a tag to one form.

use std::borrow::Cow;

const YAML: &str = "tag:yaml.org,2002:";

/// A tag as written, classified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag<'a> {
    /// No tag is written.
    None,
    /// `!`: a string, whatever the text looks like.
    NonSpecific,
    /// A name in the YAML namespace: `int` for `!!int` and `!<tag:yaml.org,2002:int>`.
    Yaml(&'a str),
    /// Anything else, without the brackets of a verbatim tag.
    Foreign(&'a str),
}

impl<'a> Tag<'a> {
    pub(super) fn parse(written: Option<&'a str>) -> Self {
        let Some(written) = written else {
            return Self::None;
        };
        let verbatim = written.strip_prefix("!<").and_then(|rest| rest.strip_suffix('>'));
        let in_yaml = written.strip_prefix("!!").or_else(|| verbatim?.strip_prefix(YAML));
        match in_yaml {
            Some(name) => Self::Yaml(name),
            None if written == "!" => Self::NonSpecific,
            None => Self::Foreign(verbatim.unwrap_or(written)),
        }
    }

    /// The tag without shorthand. Empty if no tag is written.
    pub(super) fn full(self) -> Cow<'a, str> {
        match self {
            Self::None => Cow::Borrowed(""),
            Self::NonSpecific => Cow::Borrowed("!"),
            Self::Yaml(name) => Cow::Owned(format!("{YAML}{name}")),
            Self::Foreign(tag) => Cow::Borrowed(tag),
        }
    }
}
