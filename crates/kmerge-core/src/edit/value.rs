//! Reads a value by the type of its place: the type in the schema; else the type of the old value, or of the other items; else as YAML.

use hashbrown::HashSet;
use kyaml_ast::{Document, Kind, NewValue, Node, ParseError, Path, Resolved, ScalarSchema, Stream};

use super::known::{is_text, takes_text};
use super::problem::ProblemKind;
use super::statement::{Reading, Value};
use crate::equal::same_value;
use crate::schema::ValueType;

/// Why a text is not a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ValueError {
    /// Not YAML, at a place where YAML is expected.
    #[error("the value is not YAML: {0}")]
    Syntax(ParseError),
    /// It starts like a list or mapping in brackets, but is not valid YAML.
    #[error("the value starts like a list or mapping in brackets, but is not valid YAML: {0}")]
    Broken(ParseError),
    /// Several documents, or none.
    #[error("the value is not one YAML document")]
    NotOne,
    /// A number or the like inside of brackets, where the schema has a string.
    #[error("expected a string")]
    Unquoted,
    /// The schema has another type.
    #[error("expected {0}")]
    Type(ValueType),
    /// Kubernetes and YAML 1.2 read a scalar differently, and JSON has no way to leave it open.
    #[error("JSON cannot hold `{text}`, which is {kube} to Kubernetes and {core} to YAML 1.2")]
    Ambiguous { text: String, kube: String, core: String },
    /// A mapping in it has a key twice.
    #[error("the value has the key {0} twice")]
    Twice(String),
}

impl ValueError {
    pub(super) fn at(self, path: &Path) -> ProblemKind {
        let (path, reason) = (path.to_string(), self.to_string());
        let (syntax, help) = match self {
            Self::Syntax(error) => (Some(error), None),
            Self::Broken(error) => (Some(error), Some("--string takes it as a string")),
            Self::NotOne | Self::Twice(_) => (None, None),
            Self::Unquoted => (None, Some("put it in quotes; --yaml takes the value as it is")),
            Self::Type(_) => (None, Some("--yaml takes the value as it is")),
            Self::Ambiguous { .. } => (None, Some("write the value that is meant; --string takes it as a string")),
        };
        ProblemKind::Value { path, reason, syntax, help }
    }
}

/// A value after reading: YAML or a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Read<'v> {
    Text(&'v str),
    Node(Node<'v>),
}

impl<'v> From<Read<'v>> for NewValue<'v> {
    fn from(read: Read<'v>) -> Self {
        match read {
            Read::Text(text) => Self::Text(text),
            Read::Node(node) => Self::Node(node),
        }
    }
}

/// The text of a value as YAML. `None` if the value is a string: the statement says so, or a guess finds
/// no YAML.
pub(super) fn parse(value: &Value) -> Result<Option<Stream<'_>>, ValueError> {
    let is_in_brackets = value.text.starts_with(['{', '[']);
    let parsed = match (value.reading, Stream::parse(&value.text)) {
        (Reading::String, _) => return Ok(None),
        (_, Ok(stream)) => stream,
        (Reading::Yaml, Err(error)) => return Err(ValueError::Syntax(error)),
        (Reading::Guess, Err(error)) if is_in_brackets => return Err(ValueError::Broken(error)),
        (Reading::Guess, Err(_)) => return Ok(None),
    };
    let is_yaml = is_in_brackets || value.reading == Reading::Yaml;
    let twice = parsed.documents().filter_map(Document::root).find_map(repeated_key);
    match twice {
        Some(key) if is_yaml => Err(ValueError::Twice(key)),
        _ => Ok(Some(parsed)),
    }
}

/// The first key that a mapping has twice, at any depth.
fn repeated_key(root: Node<'_>) -> Option<String> {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        let mut seen = HashSet::new();
        for entry in node.entries() {
            if let Some(key) = entry.key().filter(|key| key.kind().is_scalar()).map(Node::value)
                && !seen.insert(key.clone())
            {
                return Some(key.into_owned());
            }
            open.push(entry.value());
        }
    }
    None
}

/// Reads a value for a place with the old value `old`, where the schema wants the type `wanted`.
pub(super) fn read<'v>(
    value: &'v Value,
    parsed: Option<&'v Stream<'v>>,
    old: Option<Node<'_>>,
    wanted: Option<ValueType>,
) -> Result<Read<'v>, ValueError> {
    let text = Read::Text(&value.text);
    let Some(parsed) = parsed else { return Ok(text) };
    let node = only_root(parsed);
    if value.reading == Reading::Yaml {
        return node.map(Read::Node).ok_or(ValueError::NotOne);
    }
    // Several lines that happen to be YAML are text. So is `*.example.com`.
    let node = node.filter(|node| !node.is_block_collection() && node.alias().is_none());
    if is_text(wanted) {
        return Ok(text);
    }
    let Some(node) = node else { return fitting(text, wanted) };
    // `25%` is a string, and the next value may be a number.
    let may_be_number = wanted == Some(ValueType::IntOrString);
    let was_text = old.is_some_and(Node::is_string) && wanted.is_none_or(takes_text) && !may_be_number;
    let read = if node.is_string() || was_text { text } else { Read::Node(node) };
    fitting(read, wanted)
}

/// The first scalar in a value that Kubernetes and YAML 1.2 read differently.
pub(super) fn ambiguous(value: Node<'_>) -> Option<ValueError> {
    let mut open = vec![value];
    while let Some(node) = open.pop() {
        open.extend(node.entries().map(kyaml_ast::Entry::value));
        if let (Some(kube), Some(core)) = (node.resolve(ScalarSchema::Kube11), node.resolve(ScalarSchema::Core12))
            && kube != core
            && !is_json_number(node.text())
        {
            let [kube, core] = [kube, core].map(|value| in_words(&value));
            if kube != core {
                return Some(ValueError::Ambiguous { text: node.text().to_owned(), kube, core });
            }
        }
    }
    None
}

/// Whether JSON reads the text as a whole number.
fn is_json_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'))
}

fn in_words(value: &Resolved<'_>) -> String {
    match value {
        Resolved::Null => "null".to_owned(),
        Resolved::Bool(value) => value.to_string(),
        Resolved::Int(value) => value.to_string(),
        Resolved::Float(value) => value.to_string(),
        Resolved::BigInt(digits) => digits.to_string(),
        _ => "a string".to_owned(),
    }
}

/// An item of a list that has nothing but strings.
pub(super) fn string_of(list: Node<'_>) -> Option<Node<'_>> {
    let is_list = list.kind() == Kind::Sequence && list.children().all(Node::is_string);
    if is_list { list.children().next() } else { None }
}

fn fitting(read: Read<'_>, wanted: Option<ValueType>) -> Result<Read<'_>, ValueError> {
    let Some(wanted) = wanted else { return Ok(read) };
    let fits = match read {
        Read::Text(_) => takes_text(wanted),
        Read::Node(node) => wanted.fits(node),
    };
    if fits { Ok(read) } else { Err(ValueError::Type(wanted)) }
}

fn only_root<'v>(stream: &'v Stream<'v>) -> Option<Node<'v>> {
    let mut documents = stream.documents();
    let root = documents.next().and_then(Document::root)?;
    documents.next().is_none().then_some(root)
}

/// Whether a value equals the old one, and brings no anchor or comment of its own.
pub(super) fn has_nothing_new(new: Node<'_>, old: Node<'_>) -> bool {
    let is_plain = |node: Node<'_>| node.stream().comments_in(node.full_span()).next().is_none();
    same_value(new, old) && (new.anchor().is_none() || new.anchor() == old.anchor()) && is_plain(new)
}
