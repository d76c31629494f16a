//! Reads what tests written in Go hold as data: tables of literals, and calls with literal arguments.
//!
//! It knows brackets, strings, comments and constants, and no more of the language. A value that it cannot follow (a call, a
//! variable of a loop) is `None`, never a guess.

use std::collections::BTreeMap;

/// Source text as brackets and what is in them.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Word(String),
    Text(String),
    Mark(char),
    /// What stands between an opening bracket and its end.
    Group(char, Vec<Tree>),
}

/// Named texts.
pub(super) type Constants = BTreeMap<String, String>;

/// Before the path of a file that a test reads in the place of a text.
pub(super) const FILE: &str = "\0file:";

/// A call `receiver.name(arguments)`.
pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: Vec<Option<String>>,
}

pub(super) fn read(source: &str) -> Vec<Tree> {
    let mut open: Vec<(char, Vec<Tree>)> = vec![(' ', Vec::new())];
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (tree, length) = leaf(rest, first);
        rest = &rest[length..];
        let done = match tree {
            Some(Tree::Mark(bracket @ ('(' | '[' | '{'))) => {
                open.push((bracket, Vec::new()));
                None
            }
            Some(Tree::Mark(')' | ']' | '}')) if open.len() > 1 => {
                open.pop().map(|(bracket, trees)| Tree::Group(bracket, trees))
            }
            tree => tree,
        };
        if let (Some(tree), Some((_, inner))) = (done, open.last_mut()) {
            inner.push(tree);
        }
    }
    open.swap_remove(0).1
}

/// What stands first, and its length; comments and blanks are nothing.
fn leaf(rest: &str, first: char) -> (Option<Tree>, usize) {
    let until = |end: &str| rest[1..].find(end).map_or(rest.len(), |at| at + 1 + end.len());
    match first {
        '`' => (Some(Tree::Text(rest[1..until("`") - 1].replace('\r', ""))), until("`")),
        '"' => quoted(rest),
        '/' if rest.starts_with("//") => (None, until("\n")),
        '/' if rest.starts_with("/*") => (None, until("*/")),
        '\'' if rest.starts_with("'\\''") => (None, 4),
        '\'' => (None, until("'")),
        _ if first.is_alphanumeric() || first == '_' => {
            let length = rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(rest.len());
            (Some(Tree::Word(rest[..length].to_owned())), length)
        }
        '\n' => (Some(Tree::Mark('\n')), 1),
        _ if first.is_whitespace() => (None, first.len_utf8()),
        _ => (Some(Tree::Mark(first)), first.len_utf8()),
    }
}

/// The escapes of Go that tests use are those of JSON.
fn quoted(rest: &str) -> (Option<Tree>, usize) {
    let mut is_escaped = false;
    let end = rest.char_indices().skip(1).find(|&(_, char)| {
        let is_end = char == '"' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        is_end
    });
    let length = end.map_or(rest.len(), |(at, _)| at + 1);
    (serde_json::from_str(&rest[..length]).ok().map(Tree::Text), length)
}

/// The text of an expression: strings and constants, `+` between them, conversions around them.
pub(super) fn text(expression: &[Tree], constants: &Constants) -> Option<String> {
    let mut parts: Vec<&Tree> = without_ends(expression);
    if let [Tree::Group('[', _), Tree::Word(kind), Tree::Group('(', inner)]
    | [Tree::Word(kind), Tree::Group('(', inner)] = parts.as_slice()
        && is_conversion(kind)
    {
        parts = without_ends(inner);
    }
    let (mut out, mut is_operand) = (String::new(), true);
    for part in parts {
        match part {
            Tree::Text(text) if is_operand => out.push_str(text),
            Tree::Word(name) if is_operand => out.push_str(constants.get(name)?),
            Tree::Mark('+') if !is_operand => {}
            _ => return None,
        }
        is_operand = !is_operand;
    }
    (!is_operand).then_some(out)
}

/// An expression without the ends of its lines.
fn without_ends(expression: &[Tree]) -> Vec<&Tree> {
    expression.iter().filter(|tree| !matches!(tree, Tree::Mark('\n'))).collect()
}

/// Whether what looks like a call makes a text of a text.
fn is_conversion(name: &str) -> bool {
    matches!(name, "string" | "byte")
}

/// The parts of a literal or of an argument list.
pub(super) fn parts(trees: &[Tree]) -> impl Iterator<Item = &[Tree]> {
    let is_blank = |part: &[Tree]| part.iter().all(|tree| matches!(tree, Tree::Mark('\n')));
    trees.split(|tree| matches!(tree, Tree::Mark(','))).filter(move |part| !is_blank(part))
}

/// The texts and words of a literal: by the names of its fields, or by their places. Literals in it count as parts of it.
pub(super) fn fields(literal: &[Tree], constants: &Constants) -> BTreeMap<String, String> {
    let (mut out, mut stack) = (BTreeMap::new(), vec![literal]);
    while let Some(literal) = stack.pop() {
        for (place, part) in parts(literal).enumerate() {
            let start = part.iter().position(|tree| !matches!(tree, Tree::Mark('\n'))).unwrap_or_default();
            let (name, value) = match &part[start..] {
                [Tree::Word(name), Tree::Mark(':'), value @ ..] => (name.clone(), value),
                value => (place.to_string(), value),
            };
            match value {
                [Tree::Word(_), .., Tree::Group('{', inner)] => stack.push(inner),
                [.., Tree::Mark('.'), Tree::Word(word)] => drop(out.insert(name, word.clone())),
                [Tree::Word(word)] if !constants.contains_key(word) => drop(out.insert(name, word.clone())),
                _ => out.extend(text(value, constants).map(|text| (name, text))),
            }
        }
    }
    out
}

/// All literals in braces, outer ones first, with what they stand in.
pub(super) fn literals(trees: &[Tree]) -> Vec<&[Tree]> {
    let (mut out, mut stack) = (Vec::new(), vec![trees]);
    while let Some(level) = stack.pop() {
        let groups: Vec<(char, &[Tree])> = level
            .iter()
            .filter_map(|tree| match tree {
                Tree::Group(bracket, inner) => Some((*bracket, inner.as_slice())),
                _ => None,
            })
            .collect();
        out.extend(groups.iter().filter(|(bracket, _)| *bracket == '{').map(|(_, inner)| *inner));
        stack.extend(groups.iter().rev().map(|(_, inner)| *inner));
    }
    out
}

/// All strings, in order.
pub(super) fn texts(trees: &[Tree]) -> Vec<&str> {
    let (mut out, mut stack) = (Vec::new(), vec![trees]);
    while let Some(level) = stack.pop() {
        let Some((first, rest)) = level.split_first() else { continue };
        stack.push(rest);
        match first {
            Tree::Text(text) => out.push(text.as_str()),
            Tree::Group(_, inner) => stack.push(inner),
            Tree::Word(_) | Tree::Mark(_) => {}
        }
    }
    out
}

/// `name = text` and `name := text`, in the order of the source; those in functions as well if they are given.
pub(super) fn constants(trees: &[Tree]) -> Constants {
    let mut out = Constants::new();
    let mut levels: Vec<&[Tree]> = vec![trees];
    for pair in trees.windows(2) {
        if let [Tree::Word(word), Tree::Group('(', inner)] = pair {
            levels.extend((word == "const" || word == "var").then_some(inner.as_slice()));
        }
    }
    for level in levels {
        for line in level.split(|tree| matches!(tree, Tree::Mark('\n'))) {
            if let Some((name, text)) = assignment(line, &out) {
                out.insert(name, text);
            }
        }
    }
    out
}

/// `name = text`, `name := text`, `const name = text`.
pub(super) fn assignment(line: &[Tree], constants: &Constants) -> Option<(String, String)> {
    let at = line.iter().position(|tree| matches!(tree, Tree::Mark('=')))?;
    let name = line[..at].iter().find_map(|tree| match tree {
        Tree::Word(word) if word != "const" && word != "var" => Some(word.clone()),
        _ => None,
    })?;
    Some((name, text(&line[at + 1..], constants)?))
}

/// A function of a file.
#[derive(Clone)]
pub(super) struct Function<'t> {
    parameters: &'t [Tree],
    pub(super) body: &'t [Tree],
}

/// The functions of a file by their names.
pub(super) fn functions(trees: &[Tree]) -> BTreeMap<String, Function<'_>> {
    let mut out = BTreeMap::new();
    for (at, tree) in trees.iter().enumerate() {
        let (Tree::Word(word), Some([Tree::Word(name), Tree::Group('(', parameters)])) =
            (tree, trees.get(at + 1..at + 3))
        else {
            continue;
        };
        let body = trees[at..].iter().find_map(|tree| match tree {
            Tree::Group('{', body) => Some(body.as_slice()),
            _ => None,
        });
        if let ("func", Some(body)) = (word.as_str(), body) {
            out.insert(name.clone(), Function { parameters, body });
        }
    }
    out
}

/// The calls of a function, in order; functions of the same file that it calls are looked into.
pub(super) fn calls(body: &[Tree], functions: &BTreeMap<String, Function<'_>>, constants: &Constants) -> Vec<Call> {
    let (mut out, mut constants) = (Vec::new(), constants.clone());
    let mut stack: Vec<(&[Tree], usize)> = vec![(body, 0)];
    while let Some((level, depth)) = stack.pop() {
        let Some((first, rest)) = level.split_first() else { continue };
        stack.push((rest, depth));
        let line = level.split(|tree| matches!(tree, Tree::Mark('\n'))).next().unwrap_or_default();
        if let (Tree::Word(_), Some((name, text))) = (first, assignment(line, &constants)) {
            constants.insert(name, text);
        }
        match level {
            [Tree::Word(name), Tree::Group('(', arguments), ..] if !is_conversion(name) => {
                let arguments: Vec<Option<String>> = parts(arguments).map(|part| text(part, &constants)).collect();
                match functions.get(name) {
                    Some(function) if depth < 8 => {
                        constants.extend(function.bound(arguments));
                        stack.push((function.body, depth + 1));
                    }
                    _ => out.push(Call { name: name.clone(), arguments }),
                }
            }
            [Tree::Group(_, inner), ..] => stack.push((inner, depth)),
            _ => {}
        }
    }
    out
}

impl Function<'_> {
    /// The texts that the parameters stand for.
    fn bound(&self, arguments: Vec<Option<String>>) -> impl Iterator<Item = (String, String)> {
        let names = parts(self.parameters).map(|part| part.iter().find_map(word));
        names.zip(arguments).filter_map(|(name, text)| Some((name?, text?)))
    }
}

fn word(tree: &Tree) -> Option<String> {
    match tree {
        Tree::Word(word) => Some(word.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{calls, constants, fields, functions, literals, read};

    const SOURCE: &str = r#"
package p
// const no = `comment`
const (
	greeting = "a\tb"
)
var table = []testCase{
	{
		name: `one`, // a comment, with `text`
		data: data{Original: []byte(`x: {`), Other: false},
		sum: greeting + `c`,
		made: f(1),
	},
	{`first`, "second", true},
}
func help(th Harness, text string) { th.Write("d", string(text)) }
func TestIt(t *testing.T) {
	help(th, `h`)
	expected := `e`
	m := th.Run("d", th.Options())
	th.Assert(m, expected)
}
"#;

    #[test]
    fn tables_are_read() {
        let trees = read(SOURCE);
        let constants = constants(&trees);
        let all: Vec<_> = literals(&trees).into_iter().map(|literal| fields(literal, &constants)).collect();
        let named = all.iter().find(|fields| fields.contains_key("name")).expect("a literal with names");
        assert_eq!(named["name"], "one");
        assert_eq!((named["Original"].as_str(), named["Other"].as_str()), ("x: {", "false"));
        assert_eq!(named["sum"], "a\tbc");
        assert!(!named.contains_key("made"), "a call has no text");
        assert!(all.iter().any(|fields| fields.get("1").is_some_and(|text| text == "second") && fields["2"] == "true"));
    }

    #[test]
    fn calls_are_read_in_order() {
        let trees = read(SOURCE);
        let (functions, constants) = (functions(&trees), constants(&trees));
        let calls = calls(functions["TestIt"].body, &functions, &constants);
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["Write", "Run", "Options", "Assert"]);
        assert_eq!(calls[0].arguments, [Some("d".to_owned()), Some("h".to_owned())]);
        assert_eq!(calls[1].arguments, [Some("d".to_owned()), None]);
        assert_eq!(calls[3].arguments, [None, Some("e".to_owned())]);
    }
}
