//! What a merge has to be, found without kmerge's own walk: the changes of each side, leaf by leaf.
//!
//! A leaf that only one side changed has that side's value. Lists whose elements all have a `name` (or a kind and a name, as
//! resources) of their own are read as mappings. Other lists are merged as git merges lines, one line for each element; where that
//! conflicts, elements are merged one by one if their number is the same, and elements that both sides insert at one place stand
//! side by side, in either order. Strings of several lines are merged as git merges lines. Everything else that both sides changed
//! in different ways is a choice. Ignores comments, quotes, layout, and the order of fields and of elements with names.

use std::collections::{BTreeMap, BTreeSet};

use kmerge_core::lines::{Labels, Region, Style, Texts};
use kyaml_ast::{Document, Kind, Node, ScalarSchema, Stream, resolve_scalar};

/// What the three sides and the committed text say about a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// The changes of the sides fit together, and people committed exactly them.
    Determined,
    /// The sides changed one leaf in different ways.
    Choice,
    /// The changes fit together, but people committed something else.
    OtherCommitted,
    /// A text is no YAML.
    Unreadable,
}

/// What a merge may be.
pub(crate) struct Wanted {
    pub(crate) need: Need,
    /// The committed value, and what is as good.
    values: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Leaf(String),
    Text(String),
    List(Vec<Value>),
    Map(BTreeMap<String, Value>),
}

/// Both sides changed one thing in different ways.
#[derive(Debug)]
struct Choice;

impl Wanted {
    pub(crate) fn new(texts: Texts<'_>, committed: &[u8]) -> Self {
        let all = [texts.base, texts.ours, texts.theirs, committed].map(read);
        let [Some(base), Some(ours), Some(theirs), Some(committed)] = all else {
            return Self { need: Need::Unreadable, values: Vec::new() };
        };
        let ways = [[&ours, &theirs], [&theirs, &ours]].map(|[first, second]| merge(Some(&base), first, second));
        let [Ok(first), Ok(second)] = ways else { return Self { need: Need::Choice, values: vec![committed] } };
        let need = if [&first, &second].contains(&&committed) { Need::Determined } else { Need::OtherCommitted };
        let mut values = vec![committed];
        if need == Need::Determined {
            values.extend([first, second]);
        }
        Self { need, values }
    }

    pub(crate) fn is_met_by(&self, text: &[u8]) -> bool {
        read(text).is_some_and(|value| self.values.contains(&value))
    }
}

fn read(text: &[u8]) -> Option<Value> {
    let stream = Stream::parse_bytes(text).ok()?;
    Some(list(stream.documents().filter_map(Document::root).map(value).collect()))
}

/// Depth: what people commit is not nested deeply.
fn value(node: Node<'_>) -> Value {
    let mut children = node.children();
    match node.kind() {
        Kind::Mapping => {
            let mut fields = BTreeMap::new();
            while let (Some(key), Some(of_key)) = (children.next(), children.next()) {
                fields.insert(key.value().into_owned(), value(of_key));
            }
            Value::Map(fields)
        }
        Kind::Sequence => list(children.map(value).collect()),
        Kind::Alias => Value::Leaf(node.text().to_owned()),
        kind if node.value().trim_end().contains('\n') && kind != Kind::Plain => Value::Text(node.value().into_owned()),
        kind => {
            let text = node.value();
            let scalar = kyaml_ast::Scalar { kind, tag: node.tag(), text: &text };
            Value::Leaf(format!("{:?}", resolve_scalar(scalar, ScalarSchema::Core12)))
        }
    }
}

fn list(elements: Vec<Value>) -> Value {
    let names: BTreeSet<String> = elements.iter().filter_map(Value::name).collect();
    if elements.is_empty() || names.len() < elements.len() {
        return Value::List(elements);
    }
    let named = elements.into_iter().filter_map(|element| Some((element.name()?, element)));
    Value::Map(named.collect())
}

impl Value {
    fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(fields) => fields.get(name),
            _ => None,
        }
    }

    fn name(&self) -> Option<String> {
        let leaf = |value: Option<&Self>| match value {
            Some(Self::Leaf(text)) => Some(text.clone()),
            _ => None,
        };
        let own = leaf(self.field("name")).map(|name| format!("- {name}"));
        own.or_else(|| {
            let about = self.field("metadata")?;
            let name = [self.field("kind"), about.field("namespace"), about.field("name")].map(leaf);
            name[2].as_ref().map(|_| format!("- {name:?}"))
        })
    }
}

fn merge(base: Option<&Value>, ours: &Value, theirs: &Value) -> Result<Value, Choice> {
    match (base, ours, theirs) {
        _ if ours == theirs || Some(theirs) == base => Ok(ours.clone()),
        _ if Some(ours) == base => Ok(theirs.clone()),
        (None, Value::Map(ours), Value::Map(theirs)) => fields(&BTreeMap::new(), ours, theirs),
        (Some(Value::Map(base)), Value::Map(ours), Value::Map(theirs)) => fields(base, ours, theirs),
        (None, Value::List(ours), Value::List(theirs)) => elements(&[], ours, theirs),
        (Some(Value::List(base)), Value::List(ours), Value::List(theirs)) => elements(base, ours, theirs),
        (Some(Value::Text(base)), Value::Text(ours), Value::Text(theirs)) => text(base, ours, theirs),
        _ => Err(Choice),
    }
}

type Fields = BTreeMap<String, Value>;

fn fields(base: &Fields, ours: &Fields, theirs: &Fields) -> Result<Value, Choice> {
    let names: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let mut merged = BTreeMap::new();
    for name in names {
        let value = match (base.get(name), ours.get(name), theirs.get(name)) {
            (base, Some(ours), Some(theirs)) => Some(merge(base, ours, theirs)?),
            (None, added, None) | (None, None, added) => added.cloned(),
            (Some(base), Some(kept), None) | (Some(base), None, Some(kept)) if base == kept => None,
            _ => return Err(Choice),
        };
        merged.extend(value.map(|value| (name.clone(), value)));
    }
    Ok(Value::Map(merged))
}

fn elements(base: &[Value], ours: &[Value], theirs: &[Value]) -> Result<Value, Choice> {
    let [of_base, of_ours, of_theirs] = [base, ours, theirs].map(one_line_each);
    let texts = Texts { base: of_base.as_bytes(), ours: of_ours.as_bytes(), theirs: of_theirs.as_bytes() };
    let lines = |text: &str, range: std::ops::Range<usize>| {
        let start = text[..range.start].matches('\n').count();
        start..start + text[range].matches('\n').count()
    };
    let mut merged: Vec<Value> = Vec::new();
    for region in texts.merge(Style::Diff3).regions().iter().cloned() {
        match region {
            Region::Ours(range) => merged.extend_from_slice(&ours[lines(&of_ours, range)]),
            Region::Theirs(range) => merged.extend_from_slice(&theirs[lines(&of_theirs, range)]),
            Region::Conflict { ours: a, base: b, theirs: c } => {
                let [a, b, c] = [&ours[lines(&of_ours, a)], &base[lines(&of_base, b)], &theirs[lines(&of_theirs, c)]];
                merged.extend(stretch(b, a, c)?);
            }
        }
    }
    Ok(list(merged))
}

fn one_line_each(elements: &[Value]) -> String {
    elements.iter().map(|element| format!("{element:?}\n")).collect()
}

fn stretch(base: &[Value], ours: &[Value], theirs: &[Value]) -> Result<Vec<Value>, Choice> {
    if base.is_empty() {
        let new = theirs.iter().filter(|element| !ours.contains(element));
        return Ok(ours.iter().chain(new).cloned().collect());
    }
    if [ours.len(), theirs.len()] != [base.len(); 2] {
        return Err(Choice);
    }
    (0..base.len()).map(|index| merge(Some(&base[index]), &ours[index], &theirs[index])).collect()
}

fn text(base: &str, ours: &str, theirs: &str) -> Result<Value, Choice> {
    const NONE: Labels<'static> = Labels { size: 7, ours: "", base: "", theirs: "" };
    let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    let by_lines = texts.merge(Style::Merge);
    if by_lines.has_conflict() {
        return Err(Choice);
    }
    let merged = by_lines.text(&NONE);
    Ok(Value::Text(String::from_utf8_lossy(&merged).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(base: &str, ours: &str, theirs: &str, committed: &str) -> Need {
        let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        Wanted::new(texts, committed.as_bytes()).need
    }

    #[test]
    fn leaves_that_one_side_changed_are_determined() {
        assert_eq!(need("a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 2\n", "b: 2\na: 2 # x\n"), Need::Determined);
        assert_eq!(need("a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 2\n", "a: 2\nb: 3\n"), Need::OtherCommitted);
        assert_eq!(need("a: 1\n", "a: 2\n", "a: 3\n", "a: 3\n"), Need::Choice);
        assert_eq!(need("a: 1\nb: 1\n", "b: 1\n", "a: 2\nb: 1\n", "b: 1\n"), Need::Choice);
        assert_eq!(need("a: [\n", "a: 2\n", "a: 3\n", "a: 3\n"), Need::Unreadable);
    }

    #[test]
    fn lists_are_merged_by_name_by_line_or_one_by_one() {
        let named = |a: u8, b: u8| format!("- {{name: a, v: {a}}}\n- {{name: b, v: {b}}}\n");
        assert_eq!(need(&named(1, 1), &named(2, 1), &named(1, 2), &named(2, 2)), Need::Determined);
        assert_eq!(need("[1, 2]", "[3, 2]", "[1, 4]", "[3, 4]"), Need::Determined);
        assert_eq!(need("[1]", "[1, 2]", "[1, 3]", "[1, 3, 2]"), Need::Determined);
        assert_eq!(need("[1, 2]", "[3]", "[1, 4]", "[3, 4]"), Need::Choice);
    }

    #[test]
    fn either_order_of_two_insertions_is_right() {
        let texts = Texts { base: b"[1]", ours: b"[1, 2]", theirs: b"[1, 3]" };
        let wanted = Wanted::new(texts, b"[1, 3, 2]");
        assert!(wanted.is_met_by(b"[1, 2, 3]"));
        assert!(!wanted.is_met_by(b"[2, 1, 3]"));
    }

    #[test]
    fn texts_are_merged_by_line() {
        let text = |a: u8, b: u8| format!("a: |\n  {a}\n  x\n  y\n  {b}\n");
        assert_eq!(need(&text(1, 1), &text(2, 1), &text(1, 2), &text(2, 2)), Need::Determined);
        assert_eq!(need(&text(1, 1), &text(2, 1), &text(3, 1), &text(2, 1)), Need::Choice);
    }
}
