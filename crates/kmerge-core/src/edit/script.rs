//! Scripts: one statement per line. Lines that start with `#` are comments.

use std::fmt;

use kyaml_ast::{PathErrorKind, Span};

use super::statement::{self, Action, Statement, VERBS};

/// Statements that are executed one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The statements in order.
    pub(super) statements: Vec<Statement>,
}

/// Why a text is not a script or selector, with the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct ScriptError {
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// Byte offset in the text.
    pub at: usize,
    /// What is wrong.
    pub kind: ScriptErrorKind,
}

/// What is wrong with a script or selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScriptErrorKind {
    /// A line without a verb.
    NoVerb,
    /// A verb that does not exist.
    Verb,
    /// A flag that the verb does not have.
    Flag,
    /// No path after the verb.
    NoPath,
    /// No value after the path.
    NoValue,
    /// No name after the path.
    NoName,
    /// `insert` without a place in a list.
    NoSeat,
    /// More text after the last word.
    Rest,
    /// A path that is not valid.
    Path(PathErrorKind),
    /// A selector without conditions.
    EmptySelector,
    /// A selector with too many slashes, or with an unknown field.
    Selector,
    /// A condition on labels that is not valid.
    Labels,
    /// A condition on a place that is not valid.
    Condition,
}

impl fmt::Display for ScriptErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVerb => f.write_str("expected a statement, such as: set .spec.replicas 3"),
            Self::Verb => write!(f, "no such statement; there are {}", VERBS.join(", ")),
            Self::Flag => f.write_str(
                "no such flag here; set, append and insert have -c, --string and --yaml, comment has --above",
            ),
            Self::NoPath => f.write_str("expected a path, such as .spec.replicas"),
            Self::NoValue => f.write_str("expected a value; one that is empty or starts with # is written in quotes"),
            Self::NoName => f.write_str("expected the new name"),
            Self::NoSeat => {
                f.write_str("insert needs a place in a list: [0] before the first element, [name=app+] behind that one")
            }
            Self::Rest => f.write_str("the statement ends before this"),
            Self::Path(kind) => kind.fmt(f),
            Self::EmptySelector => {
                f.write_str("expected a selector: KIND/NAME, -l LABELS, -n NAMESPACE or --where CONDITION")
            }
            Self::Selector => {
                f.write_str("expected KIND/NAME, KIND/NAMESPACE/NAME, KIND, /NAME, #N, or kind=…,namespace=…,name=…")
            }
            Self::Labels => f.write_str("expected labels: app=web,tier!=db,canary,!old"),
            Self::Condition => f.write_str(
                "expected a condition: .spec.replicas=0, .spec.paused, !.spec.paused or .metadata.name=~'^web-'",
            ),
        }
    }
}

impl ScriptError {
    /// An error at a place in a line.
    pub(super) const fn new(at: usize, kind: ScriptErrorKind) -> Self {
        Self { line: 1, column: 1, at, kind }
    }

    /// The same error in a text. The line starts at byte `start`.
    fn in_text(self, text: &str, start: usize) -> Self {
        let at = start + self.at;
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Self { line, column: before[line_start..].chars().count() + 1, at, kind: self.kind }
    }
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    ///
    /// The first line that is not a statement.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut script = Self::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let content = line.trim();
            if !content.is_empty() && !content.starts_with('#') {
                let action = statement::read(line).map_err(|error| error.in_text(text, start))?;
                let from = start + line.len() - line.trim_start().len();
                script.statements.push(Statement { action, at: (from, from + content.len()) });
            }
            start += line.len();
        }
        Ok(script)
    }

    /// A script of these actions.
    #[must_use]
    pub fn of(actions: impl IntoIterator<Item = Action>) -> Self {
        Self { statements: actions.into_iter().map(|action| Statement { action, at: (0, 0) }).collect() }
    }

    /// The actions of the statements, in order.
    pub fn actions(&self) -> impl ExactSizeIterator<Item = &Action> {
        self.statements.iter().map(|statement| &statement.action)
    }

    /// The place of a statement in the parsed text.
    #[must_use]
    pub fn span(&self, statement: usize) -> Option<Span> {
        let (start, end) = self.statements.get(statement)?.at;
        Some(Span::new(start as u32, end as u32))
    }

    /// Adds the statements of another script, which has a text of its own.
    pub fn append(&mut self, other: Self) {
        self.statements.extend(other.statements);
    }

    /// Whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.statements.iter().all(|statement| matches!(statement.action, Action::Select(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Value;

    fn read(text: &str) -> Vec<Action> {
        Script::parse(text).unwrap().statements.into_iter().map(|statement| statement.action).collect()
    }

    #[test]
    fn statements_stand_on_lines() {
        let found =
            read("# all\n\n  set .spec.replicas 3   # three\nappend --string .a[\"b c\"] 'x y'\r\ndelete ..old\n");
        assert_eq!(
            found.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["set .spec.replicas", "append .a[\"b c\"][+]", "delete ..old"]
        );
        let Action::Set { value, create, .. } = &found[0] else { panic!() };
        assert_eq!((value, create), (&Value::new("3"), &false));
        let Action::Set { value, .. } = &found[1] else { panic!() };
        assert_eq!(value, &Value::string("x y"));
    }

    #[test]
    fn values_end_where_comments_start() {
        let value = |line: &str| match read(line).remove(0) {
            Action::Set { value, .. } => value.text,
            Action::Comment { text, .. } => text,
            _ => panic!(),
        };
        assert_eq!(value("set .a b c#d # e"), "b c#d");
        assert_eq!(value("set .a {x: '#', y: 1} # e"), "{x: '#', y: 1}");
        assert_eq!(value("set .a \"#fff\" # white"), "#fff");
        assert_eq!(value("set .a it's # e"), "it's");
        assert_eq!(value("comment .a see #12"), "see #12");
        assert_eq!(value("comment .a"), "");
        assert_eq!(value("set .a \"one\\ntwo\\n\""), "one\ntwo\n");
    }

    #[test]
    fn quotes_say_that_a_value_is_a_string_also_as_yaml() {
        let value = |line: &str| match read(line).remove(0) {
            Action::Set { value, .. } => value,
            _ => panic!(),
        };
        assert_eq!(value("set .a '80' # e"), Value::string("80"));
        assert_eq!(value("set --string .a '80'"), Value::string("80"));
        assert_eq!(value("set --yaml .a '80' # e"), Value::yaml("'80'"));
        assert_eq!(value("set --yaml .a \"a: \\\" # b\""), Value::yaml("\"a: \\\" # b\""));
        assert_eq!(value("set --yaml .a 80 # e"), Value::yaml("80"));
    }

    #[test]
    fn places_to_insert_at() {
        let shown = |line: &str| read(line)[0].to_string();
        assert_eq!(shown("insert .a[0] x"), "insert .a[+0]");
        assert_eq!(shown("insert /a/1 x"), "insert /a[+1]");
        assert_eq!(shown("insert .a[name=b+] x"), "insert .a[name=\"b\"+]");
    }

    #[test]
    fn mistakes_have_a_line_and_a_column() {
        let cases = [
            ("sett .a 1", (1, 1), ScriptErrorKind::Verb),
            ("set .a 1\n\n  set  ", (3, 8), ScriptErrorKind::NoPath),
            ("set .a", (1, 7), ScriptErrorKind::NoValue),
            ("set .a # x", (1, 8), ScriptErrorKind::NoValue),
            ("set é[x y] 1", (1, 7), ScriptErrorKind::Path(PathErrorKind::Bracket)),
            ("delete --above .a", (1, 8), ScriptErrorKind::Flag),
            ("insert .a x", (1, 8), ScriptErrorKind::NoSeat),
            ("rename .a", (1, 10), ScriptErrorKind::NoName),
            ("delete .a .b", (1, 11), ScriptErrorKind::Rest),
        ];
        for (text, place, kind) in cases {
            let error = Script::parse(text).unwrap_err();
            assert_eq!(((error.line, error.column), error.kind), (place, kind), "{text}");
        }
    }
}
