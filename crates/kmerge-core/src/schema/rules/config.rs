//! The `lists` section of a configuration file.
//!
//! ```yaml
//! lists:
//! - kind: Widget                 # optional, as is `group`
//!   path: .spec.gears[].teeth
//!   keys: [id]                   # or "id,side", or set, or atomic
//! ```

use kyaml_ast::{Document, Kind, Node, Stream};

use super::{Rule, RuleList, RulePathError};
use crate::resource::{fields, items};
use crate::schema::SchemaError;

/// What is wrong with a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ConfigErrorKind {
    /// A second document.
    #[error("expected a single document")]
    SecondDocument,
    /// Something else where a mapping has to be.
    #[error("expected a mapping")]
    NotAMapping,
    /// Something else where a list has to be.
    #[error("expected a list")]
    NotAList,
    /// Something else where a text has to be.
    #[error("expected a text")]
    NotAText,
    /// A field that is not known at the top.
    #[error("unknown field, expected lists or upstream")]
    UnknownSection,
    /// A field that a rule does not have.
    #[error("unknown field, expected group, kind, path or keys")]
    UnknownField,
    /// A field that is there twice.
    #[error("duplicate field")]
    DuplicateField,
    /// A rule without `path`.
    #[error("the rule has no path")]
    NoPath,
    /// A rule without `keys`.
    #[error("the rule has no keys")]
    NoKeys,
    /// `path` is not one.
    #[error(transparent)]
    Path(RulePathError),
    /// `keys` is neither.
    #[error("expected atomic, set, or a list of different field names")]
    Keys,
}

type Result<T> = std::result::Result<T, SchemaError>;

impl Rule {
    /// Reads the rules of a configuration file, in their order; a file without content has none.
    ///
    /// # Errors
    /// The first thing in the file that is not as documented.
    pub fn from_config(stream: &Stream<'_>) -> Result<Vec<Self>> {
        let mut documents = stream.documents().filter_map(Document::root);
        let Some(root) = documents.next() else { return Ok(Vec::new()) };
        if let Some(second) = documents.next() {
            return fail(ConfigErrorKind::SecondDocument, second);
        }
        if root.kind() == Kind::Null {
            return Ok(Vec::new());
        }
        // `upstream` says where a package came from; it is no rule.
        let [lists, _] = known_fields(root, ["lists", "upstream"], ConfigErrorKind::UnknownSection)?;
        let Some(lists) = lists else { return Ok(Vec::new()) };
        if lists.kind() != Kind::Sequence {
            return fail(ConfigErrorKind::NotAList, lists);
        }
        items(lists).map(rule).collect()
    }
}

fn rule(entry: Node<'_>) -> Result<Rule> {
    let names = ["group", "kind", "path", "keys"];
    let [group, kind, path, keys] = known_fields(entry, names, ConfigErrorKind::UnknownField)?;
    let path = path.ok_or_else(|| SchemaError::at(ConfigErrorKind::NoPath, entry))?;
    let keys = keys.ok_or_else(|| SchemaError::at(ConfigErrorKind::NoKeys, entry))?;
    Ok(Rule {
        group: group.map(text).transpose()?,
        kind: kind.map(text).transpose()?,
        path: text(path)?.parse().map_err(|wrong| SchemaError::at(ConfigErrorKind::Path(wrong), path))?,
        list: list(keys)?,
    })
}

fn list(keys: Node<'_>) -> Result<RuleList> {
    let list = if keys.kind() == Kind::Sequence {
        let names = items(keys).map(text).collect::<Result<Vec<_>>>()?;
        RuleList::keys(names.iter().map(String::as_str))
    } else {
        RuleList::parse(&text(keys)?)
    };
    list.ok_or_else(|| SchemaError::at(ConfigErrorKind::Keys, keys))
}

/// The values of the fields with these names; `unknown` is the error for any other.
fn known_fields<'t, const N: usize>(
    mapping: Node<'t>,
    names: [&str; N],
    unknown: ConfigErrorKind,
) -> Result<[Option<Node<'t>>; N]> {
    if mapping.kind() != Kind::Mapping {
        return fail(ConfigErrorKind::NotAMapping, mapping);
    }
    let mut found = [None; N];
    for (key, value) in fields(mapping) {
        let name = text(key)?;
        let Some(index) = names.iter().position(|known| *known == name) else { return fail(unknown, key) };
        if found[index].replace(value).is_some() {
            return fail(ConfigErrorKind::DuplicateField, key);
        }
    }
    Ok(found)
}

fn text(node: Node<'_>) -> Result<String> {
    match node.kind() {
        kind if kind.is_scalar() && kind != Kind::Null => Ok(node.value().into_owned()),
        _ => fail(ConfigErrorKind::NotAText, node),
    }
}

fn fail<T>(kind: ConfigErrorKind, node: Node<'_>) -> Result<T> {
    Err(SchemaError::at(kind, node))
}
