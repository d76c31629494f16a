//! What keeps a merge from counting as clean, said so that a person finds it.
//!
//! Invariant: whatever is wrong says what it is, and where; no reason goes without words.

use kyaml_ast::{Entry, Kind, Node, ParseError, Path, Segment, Span, Stream};

use super::aliases;
use super::compare::Wrong;
use super::path_hash::element_name;
use super::rows::Row;
use crate::check::Finding;
use crate::correspond::field_name;
use crate::secret::Secrets;
use crate::slots::{Side, Slots};

/// What is wrong with a merge by structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unsound {
    /// A field or element that one side moved or renamed, and the other deleted or changed.
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
    /// A comment would not be as it should be.
    Comment(CommentFault, Remark),
    /// What a side changed, added or removed would not be so.
    Lost {
        /// Where it stands: in the base, if it was removed.
        place: Place,
        /// Whose change it is.
        by: Side,
    },
    /// The result would have only a part of a removal or replacement.
    Half {
        /// Where it stands: in the base, if it is missing.
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

/// What is wrong with a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommentFault {
    /// It stands at something else than it should.
    Astray,
    /// A side has it, and it is not there.
    Lost,
    /// A side removed it, and it is there.
    Back,
    /// One side removed it, and the other changed it.
    Contested,
    /// It is there more often than the sides want it.
    Twice,
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
        Self { side, line, path: path_at(stream, at) }
    }
}

impl Remark {
    /// The comment of a side that starts at a byte.
    fn at(at: u32, side: Side, stream: &Stream<'_>) -> Option<Self> {
        let span = stream.comment_spans_in(Span::new(at, at + 1)).next()?;
        Some(Self::of(side, stream, span))
    }

    /// A comment of a side, by its span.
    pub(crate) fn of(side: Side, stream: &Stream<'_>, span: Span) -> Self {
        let text = (!Secrets::of(stream).touch(span)).then(|| span.of(stream.source()).to_owned());
        Self { text, place: Place::of(side, stream, span.start) }
    }
}

/// What is wrong with a result, for people; `None` if nobody finds it again.
pub(super) fn in_words(wrong: Wrong, sides: &Slots<Stream<'_>>, result: &Stream<'_>) -> Option<Unsound> {
    let place = |side: Side, at: Option<u32>| Some(Place::of(side, sides.get(side)?, at.unwrap_or_default()));
    Some(match wrong {
        Wrong::Lost(by, at) => lost(by, at, sides)?,
        Wrong::Back(by, [base, ..]) => Unsound::Lost { place: place(Side::Base, base)?, by },
        Wrong::Gone([base, ..]) => Unsound::Gone(place(Side::Base, base)?),
        Wrong::Half(by, at) => half(by, at, sides)?,
        Wrong::New([.., at]) => Unsound::New(path_at(result, at.unwrap_or_default())),
        Wrong::Order(at) => Unsound::Order(path_at(result, at)),
        Wrong::Comment(fault, side, at) => Unsound::Comment(fault, Remark::at(at, side, sides.get(side)?)?),
    })
}

/// What is wrong where a change of a side is not there: there may be an alias in it.
fn lost(by: Side, [_, ours, theirs, _]: Row<u32>, sides: &Slots<Stream<'_>>) -> Option<Unsound> {
    let at = if by == Side::Incoming { theirs } else { ours };
    let of_alias = aliases::of_alias_at(sides, by, at);
    of_alias.or_else(|| Some(Unsound::Lost { place: Place::of(by, sides.get(by)?, at.unwrap_or_default()), by }))
}

/// What is wrong where only a part of a replacement is there.
fn half(by: Side, [base, ours, theirs, _]: Row<u32>, sides: &Slots<Stream<'_>>) -> Option<Unsound> {
    let own = if by == Side::Incoming { theirs } else { ours };
    let (side, at) = if own.is_some() { (by, own) } else { (Side::Base, base) };
    Some(Unsound::Half { place: Place::of(side, sides.get(side)?, at.unwrap_or_default()), by })
}

/// The way to the smallest entry that owns a byte.
fn path_at(stream: &Stream<'_>, at: u32) -> Path {
    path_to(stream, at, |_| false)
}

/// The way to a value.
pub(crate) fn path_of(node: Node<'_>) -> Path {
    path_to(node.stream(), node.span().start, |found| found.id() == node.id())
}

/// The way to the smallest entry that owns a byte, or to what is the end.
fn path_to<'t>(stream: &'t Stream<'t>, at: u32, is_end: impl Fn(Node<'t>) -> bool) -> Path {
    let owns = |span: Span| span.start <= at && at < span.end.max(span.start + 1);
    let mut path = Path::default();
    let mut roots = stream.documents().filter_map(kyaml_ast::Document::root);
    let mut node = roots.find(|root| owns(with_entries(*root)));
    while let Some(holder) = node.filter(|node| !is_end(*node)) {
        let found = holder.entries().enumerate().find(|(_, entry)| owns(entry.extent()));
        node = found.map(|(index, entry)| {
            path.push(segment(entry, index));
            entry.value()
        });
    }
    path
}

/// The bytes of a root and of all that its entries own.
fn with_entries(root: Node<'_>) -> Span {
    let start = root.full_span().start;
    let first = root.entries().next().map_or(start, |first| first.extent().start);
    let last = root.entries().last().map_or(root.span().end, |last| last.extent().end);
    Span::new(first.min(start), last)
}

/// How an entry is called in its collection.
fn segment(entry: Entry<'_>, index: usize) -> Segment {
    if entry.collection().kind() == Kind::Mapping {
        return Segment::Field(field_name(entry));
    }
    match element_name(entry.value()) {
        Some(name) => Segment::Key(vec![("name".to_owned(), name)]),
        None => Segment::Index(index as i64),
    }
}
