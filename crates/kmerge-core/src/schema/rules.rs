//! Rules for lists that the user gives: on the command line (`PATH=KEYS`) or in a configuration file.
//!
//! A rule names a list by its path from the root of a resource, or of a list's item for what stands in `kind: List`:
//!
//! | part of a path | means |
//! |---|---|
//! | `.spec`, `["a.b/c"]` | a field, written as everywhere ([`kyaml_ast::Path`]) |
//! | `.*` | any field |
//! | `[]` | any item |
//!
//! What follows is `atomic`, `set`, or the key fields with commas between them. Of several rules for one list the last
//! one given counts.

mod config;
mod path;
mod trie;

pub(crate) use config::ConfigErrorKind;
pub(super) use path::RulePathError;
#[cfg(test)]
pub(super) use path::RulePathErrorKind;
pub(super) use trie::{Rules, Scope, State};

use path::RulePath;

/// How a user wants a list to merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    group: Option<String>,
    kind: Option<String>,
    path: RulePath,
    list: RuleList,
}

/// What a rule makes of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RuleList {
    Atomic,
    Set,
    /// At least one, none twice.
    Keys(Vec<String>),
}

/// Why a text is not a rule, or why rules cannot be used together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct RuleError(#[from] pub(super) RuleErrorKind);

/// What is wrong with rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RuleErrorKind {
    /// No `=` between path and keys.
    #[error("expected PATH=KEYS")]
    NoKeys,
    /// The path is not one.
    #[error(transparent)]
    Path(RulePathError),
    /// An empty key, or one that comes twice.
    #[error("expected atomic, set, or different field names with commas between them")]
    Keys,
    /// More rules with `*` than can be distinguished at once.
    #[error("too many rules with * in their paths")]
    TooMany,
}

impl std::str::FromStr for Rule {
    type Err = RuleError;

    /// Reads `PATH=KEYS`, for resources of every kind.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        let (path, keys) = text.rsplit_once('=').ok_or(RuleErrorKind::NoKeys)?;
        let list = RuleList::parse(keys).ok_or(RuleErrorKind::Keys)?;
        Ok(Self { group: None, kind: None, path: path.parse().map_err(RuleErrorKind::Path)?, list })
    }
}

impl RuleList {
    /// Reads `atomic`, `set` or `name,protocol`.
    fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "atomic" => Some(Self::Atomic),
            "set" => Some(Self::Set),
            keys => Self::keys(keys.split(',').map(str::trim)),
        }
    }

    fn keys<'a>(names: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut keys: Vec<String> = Vec::new();
        for name in names {
            if name.is_empty() || keys.iter().any(|key| key == name) {
                return None;
            }
            keys.push(name.to_owned());
        }
        (!keys.is_empty()).then_some(Self::Keys(keys))
    }
}
