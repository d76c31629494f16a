//! What keeps a merge from counting as clean, said so that a person finds it.
//!
//! Invariant: whatever is wrong says what it is, and where; no reason goes without words.

use kyaml_ast::{Kind, Node, ParseError, Path, Segment, Span, Stream};

use super::aliases;
use super::compare::Wrong;
use crate::check::Finding;
use crate::correspond::field_name;
use crate::resource::field;
use crate::secret::Secrets;
use crate::slots::{Side, Slots};

/// What is wrong with a merge by structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unsound {
    /// A side deleted or renamed a field or document that the other renamed otherwise.
    Renamed(Renaming),
    /// A field or element that one side moved to another mapping or list, and the other deleted.
    Moved(Moving),
    /// A document for which each side has another one, or one side has none.
    Replaced(String),
    /// A document beside which the other side added another one: one without a name, or of a file that is new on both sides.
    Added(Place),
    /// It would be no YAML.
    Broken(ParseError),
    /// It would hold these faults, which no side has.
    Faults(Vec<Finding>),
    /// An alias whose anchor the other side does not have.
    Unanchored {
        /// The name of the anchor.
        name: String,
        /// Where the alias stands.
        alias: Place,
        /// Who has no such anchor.
        gone: Side,
    },
    /// An alias that would refer to something else than on its side.
    Referent {
        /// The name of the anchor.
        name: String,
        /// Where the alias stands.
        alias: Place,
    },
    /// A comment would stand at something else than it should.
    CommentAstray(Remark),
    /// A comment that a side added would not be there.
    CommentLost(Remark),
    /// A comment that a side removed would be there.
    CommentBack(Remark),
    /// A comment that one side removed and the other changed.
    CommentContested(Remark),
    /// A comment would be there more often than the sides want it.
    CommentTwice(Remark),
    /// What a side changed, added or removed would not be so.
    Lost {
        /// Where it stands: in the base, if it was removed.
        place: Place,
        /// Whose change it is.
        by: Side,
    },
    /// What all sides have would not be there.
    Gone(Place),
    /// Something would stand there that no side has, or once more than on any.
    New(Path),
    /// An element would come after one that it should stand before.
    Order(Path),
    /// The edits could not be written.
    Unwritten,
}

/// What became of a field or document under both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Renaming {
    /// What holds it; the root for a document.
    pub(crate) path: Path,
    /// Its names in base, ours and theirs; `None` where it was deleted.
    pub(crate) names: [Option<String>; 3],
}

/// What became of a field or element that one side moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moving {
    /// Where it was.
    pub(crate) from: Path,
    /// Where it is.
    pub(crate) to: Path,
    /// Who moved it; the other side deleted it.
    pub(crate) by: Side,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// In whose file.
    pub(crate) side: Side,
    /// Its line, from 1.
    pub(crate) line: usize,
    /// The way to it in its document.
    pub(crate) path: Path,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    /// What it says, with its `#`; `None` in a Secret, where that may be a secret, too.
    pub(crate) text: Option<String>,
    /// Where it stands.
    pub(crate) place: Place,
}

impl Place {
    /// The place of byte `at`.
    pub(crate) fn of(side: Side, stream: &Stream<'_>, at: u32) -> Self {
        let line = 1 + Span::new(0, at).of(stream.source()).matches('\n').count();
        Self { side, line, path: path_to(stream, at, |_| false) }
    }
}

impl Remark {
    /// A comment of a side, by its span.
    pub(crate) fn of(side: Side, stream: &Stream<'_>, span: Span) -> Self {
        let text = (!Secrets::of(stream).touch(span)).then(|| span.of(stream.source()).to_owned());
        Self { text, place: Place::of(side, stream, span.start) }
    }
}

/// What is wrong with a result, for people.
pub(super) fn in_words(wrong: Wrong, sides: &Slots<Stream<'_>>, result: &Stream<'_>) -> Unsound {
    let place = |side: Side, at: Option<u32>| {
        sides.get(side).map(|stream| Place::of(side, stream, at.unwrap_or_default())).ok_or(Unsound::Unwritten)
    };
    let remark = |side: Side, at: u32| {
        let stream = sides.get(side).ok_or(Unsound::Unwritten)?;
        let span = stream.comment_spans_in(Span::new(at, at + 1)).next().ok_or(Unsound::Unwritten)?;
        Ok(Remark::of(side, stream, span))
    };
    let path = |at: Option<u32>| path_to(result, at.unwrap_or_default(), |_| false);
    let said = match wrong {
        Wrong::Lost(by, [_, ours, theirs, _]) => {
            let at = if by == Side::Incoming { theirs } else { ours };
            return aliases::of_alias_at(sides, by, at)
                .unwrap_or_else(|| place(by, at).map_or_else(|other| other, |place| Unsound::Lost { place, by }));
        }
        Wrong::Back(by, [base, ..]) => place(Side::Base, base).map(|place| Unsound::Lost { place, by }),
        Wrong::Gone([base, ..]) => place(Side::Base, base).map(Unsound::Gone),
        Wrong::New([.., at]) => Ok(Unsound::New(path(at))),
        Wrong::Order(at) => Ok(Unsound::Order(path(Some(at)))),
        Wrong::CommentLost(side, at) => remark(side, at).map(Unsound::CommentLost),
        Wrong::CommentBack(at) => remark(Side::Base, at).map(Unsound::CommentBack),
        Wrong::CommentTwice(side, at) => remark(side, at).map(Unsound::CommentTwice),
        Wrong::CommentAstray(side, at) => remark(side, at).map(Unsound::CommentAstray),
    };
    said.unwrap_or_else(|other| other)
}

/// The way to a value.
pub(crate) fn path_of(node: Node<'_>) -> Path {
    path_to(node.stream(), node.span().start, |found| found.id() == node.id())
}

/// The way to the smallest entry that owns a byte, or to what is the end.
fn path_to<'t>(stream: &'t Stream<'t>, at: u32, is_end: impl Fn(Node<'t>) -> bool) -> Path {
    let owns = |span: Span| span.start <= at && at < span.end.max(span.start + 1);
    let mut path = Path::default();
    let mut node = stream.documents().filter_map(kyaml_ast::Document::root).find(|root| {
        let last = root.entries().last().map_or(root.span().end, |last| last.extent().end);
        let first = root.entries().next().map_or(root.full_span().start, |first| first.extent().start);
        owns(Span::new(first.min(root.full_span().start), last))
    });
    while let Some(holder) = node.filter(|node| !is_end(*node)) {
        let found = holder.entries().enumerate().find(|(_, entry)| owns(entry.extent()));
        if let Some((index, entry)) = found {
            let name = field(entry.value(), "name").filter(|name| name.kind().is_scalar());
            path.push(match name {
                _ if holder.kind() == Kind::Mapping => Segment::Field(field_name(entry)),
                Some(name) => Segment::Key(vec![("name".to_owned(), name.value().into_owned())]),
                None => Segment::Index(index as i64),
            });
        }
        node = found.map(|(_, entry)| entry.value());
    }
    path
}
