//! Why a source is not accepted, and where.

use crate::span::Span;

/// The first thing in a source that the parser cannot accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// The bytes it is about.
    pub span: Span,
}

/// What is wrong with a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// More than 4 GiB - 1.
    #[error("the input is larger than 4 GiB; split it")]
    TooLarge,
    /// UTF-16, with or without byte order mark.
    #[error("the input is UTF-16; convert it to UTF-8")]
    Utf16,
    /// UTF-32, with or without byte order mark.
    #[error("the input is UTF-32; convert it to UTF-8")]
    Utf32,
    /// Bytes that are not UTF-8.
    #[error("the input is not UTF-8 here; convert it to UTF-8")]
    NotUtf8,
    /// A character that YAML does not allow unescaped.
    #[error("control character U+{0:04X} is not allowed; write it as an escape in double quotes")]
    ControlCharacter(u32),
    /// A byte order mark that is not at the start of a document.
    #[error("a byte order mark is allowed at the start of a document only; remove it")]
    MisplacedByteOrderMark,

    /// A line that git or another tool wrote to mark a conflict.
    #[error("a conflict marker; resolve the conflict first")]
    ConflictMarker,
    /// Text with `{{`, which becomes YAML only after it is rendered.
    #[error(
        "this is a template, and not YAML before it is rendered; render it, or quote the value that contains `{{{{`"
    )]
    Template,

    /// A tab where indentation is counted.
    #[error("a tab cannot indent; use spaces")]
    TabIndentation,
    /// A line deeper than the entries of its collection.
    #[error("this line is indented by {found}, but its siblings by {expected} columns; align them")]
    TooDeep {
        /// Column (from 0) of the collection's entries.
        expected: u32,
        /// Column (from 0) of the line.
        found: u32,
    },
    /// No open collection has the column of this line.
    #[error(
        "this line is indented by {found}, but the collections around it by {outer} and {inner} columns; align it with one"
    )]
    NoSuchLevel {
        /// Column (from 0) of the collection further out.
        outer: u32,
        /// Column (from 0) of the collection further in.
        inner: u32,
        /// Column (from 0) of the line.
        found: u32,
    },
    /// Something other than `- ` at the column of a sequence.
    #[error("expected `- ` for the next item of the sequence")]
    ExpectedItem,
    /// `-item`
    #[error("expected a space after `-`")]
    ExpectedSpaceAfterDash,
    /// `- ` at the column of a mapping's keys.
    #[error("expected a key, found a sequence item; indent the sequence under its key, or remove the value before it")]
    UnexpectedItem,
    /// A key without `:`.
    #[error("expected `:` after the key")]
    ExpectedColon,
    /// `key:value`
    #[error("expected a space after `:`")]
    ExpectedSpaceAfterColon,
    /// A second value after a complete one.
    #[error("expected the end of the line after a value, found more content")]
    TrailingContent,
    /// Content after the root node.
    #[error("expected the end of the document; start another one with `---`, or check the indentation")]
    SecondRoot,
    /// `a: b: c`
    #[error(
        "a mapping cannot start on the line of its key; quote the value if the `:` is part of it, or start a new line"
    )]
    NestedMapping,
    /// `a: - b`
    #[error("a sequence cannot start on the line of its key; start a new line")]
    NestedSequence,
    /// `a: ? b`
    #[error("an explicit key `? ` cannot start here; start a new line")]
    NestedExplicitKey,
    /// `--- a: b`
    #[error("a block collection cannot start on the line of `---`; start a new line")]
    CollectionOnMarkerLine,
    /// `&a - b`
    #[error("a block collection cannot follow its anchor or tag on the same line; start a new line")]
    CollectionAfterProperty,
    /// A line of a plain scalar that looks like an entry.
    #[error("expected text that continues the value above, found a key; check the indentation, or quote the value")]
    KeyInScalar,
    /// A key without `?` that spans lines.
    #[error("a key must be on one line; expected `:` on the line where the key starts")]
    MultilineKey,
    /// A key without `?` of more than 1024 characters.
    #[error("a key without `? ` must not be longer than 1024 characters")]
    LongKey,

    /// `[` or `{` without its end.
    #[error("expected `{0}` that closes this bracket")]
    UnclosedBracket(char),
    /// A marker of documents inside brackets.
    #[error("expected `{0}` that closes this bracket before the next document")]
    MarkerInFlow(char),
    /// A key on a later line than the start of its item: most likely the bracket is not closed.
    #[error("expected `{0}` that closes this bracket before the key on a later line")]
    KeyInUnclosedBracket(char),
    /// The wrong closing bracket.
    #[error("expected `,` or `{expected}`, found `{found}`")]
    WrongBracket {
        /// The bracket that would close the collection.
        expected: char,
        /// The bracket that is there.
        found: char,
    },
    /// A closing bracket that nothing opened.
    #[error("`{0}` closes nothing; quote it if it is text")]
    UnopenedBracket(char),
    /// Something other than `,` or the closing bracket.
    #[error("expected `,` or `{0}` here")]
    ExpectedComma(char),
    /// A comma without an item before it.
    #[error("expected an item before `,`")]
    ExpectedFlowItem,
    /// A line inside brackets that is not indented more than the collection around them.
    #[error("a line inside brackets must be indented by at least {0} columns here")]
    FlowIndentation(u32),

    /// A quoted scalar without its end.
    #[error("expected `{0}` that closes this quote")]
    UnclosedQuote(char),
    /// Text right after a closing quote, which was probably not meant to close.
    #[error("expected the end of the line after the closing `{0}`; double it, or escape it, if it is part of the text")]
    TextAfterQuote(char),
    /// A marker of documents inside quotes.
    #[error("expected `{0}` that closes this quote before the next document")]
    MarkerInQuote(char),
    /// A line inside quotes that is not indented more than the collection around them.
    #[error("a line inside quotes must be indented by at least {0} columns here")]
    QuoteIndentation(u32),
    /// `"\q"`
    #[error("unknown escape; write `\\\\` for a backslash, or use single quotes")]
    UnknownEscape,
    /// `"\xZZ"`
    #[error("expected {0} hexadecimal digits in the escape")]
    ExpectedHex(u8),
    /// `"\ud800"`
    #[error("the escape is not a Unicode character")]
    NoCharacter,

    /// A character that cannot start a scalar.
    #[error("{0:?} cannot start a value; quote it")]
    ReservedCharacter(char),
    /// `-`, `?` or `:` inside brackets, at a place where it is neither an indicator nor text.
    #[error("`{0}` is neither text nor an indicator here; quote it")]
    BareIndicator(char),
    /// `|` or `>` inside brackets or in a key.
    #[error("a block scalar is not allowed here; quote the text")]
    MisplacedBlockScalar,
    /// An unknown character in a block scalar's header.
    #[error("expected the end of the line after `|` or `>`, an indentation 1 to 9, `+` or `-`")]
    BlockScalarHeader,
    /// Text below `key: |` that is not indented.
    #[error("expected the text of the block scalar above to be indented deeper than its key")]
    UnindentedBlockScalar,
    /// A line that is indented more than the key of the block scalar above, and less than its text.
    #[error("expected the lines of the block scalar above to be indented like its first one")]
    DedentedBlockScalar,
    /// Blank lines before a block scalar's text that are indented more than the text.
    #[error("a blank line before a block scalar's text is indented more than the text; shorten it or indent the text")]
    BlockScalarIndentation,
    /// A block scalar with an indentation indicator, in a column that the tape cannot store.
    #[error("an indentation indicator cannot be used deeper than 65,000 columns")]
    BlockScalarTooDeep,
    /// `#` right after other text.
    #[error("expected a blank before the comment")]
    ExpectedBlankBeforeComment,

    /// `&` without a name.
    #[error("expected a name after `{0}`; quote the value if it is text")]
    ExpectedName(char),
    /// `&a *b`
    #[error("an alias cannot have an anchor or a tag")]
    AliasWithProperty,
    /// Two anchors on one node.
    #[error("a node can have only one anchor")]
    SecondAnchor,
    /// Two tags on one node.
    #[error("a node can have only one tag")]
    SecondTag,
    /// A tag that is not well-formed.
    #[error("malformed tag; expected `!name`, `!!name`, `!handle!name` or `!<uri>`")]
    MalformedTag,
    /// A tag handle without `%TAG`.
    #[error("undeclared tag handle; declare it with `%TAG` before `---`")]
    UndeclaredHandle,
    /// Text right after an anchor or tag.
    #[error("expected a blank after an anchor or tag")]
    ExpectedBlankAfterProperty,

    /// `--` or `----` on a line of its own.
    #[error("expected `---`, if another document starts here")]
    MalformedMarker,
    /// Directives without `---`.
    #[error("expected `---` after the directives")]
    ExpectedMarkerAfterDirectives,
    /// `%YAML` or `%TAG` below content.
    #[error("a directive must be before its document; end the document above with `...`")]
    MisplacedDirective,
    /// Two `%YAML` in one document.
    #[error("a document can have only one `%YAML`")]
    SecondYamlDirective,
    /// Two `%TAG` of one handle in one document.
    #[error("a document can declare a tag handle only once")]
    SecondTagDirective,
    /// A malformed directive.
    #[error("malformed directive; expected `%YAML 1.2` or `%TAG !handle! prefix`")]
    MalformedDirective,
    /// Content on the line of `...`.
    #[error("expected the end of the line after `...`")]
    ContentAfterEnd,
}
