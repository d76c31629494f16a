//! Merges comments and blank lines around a document's root that nothing inside the root owns.
//!
//! The lines are merged like lines between entries: a document is a lane of its markers, its properties, and its root
//! or the entries of the root. A marker (`---`, `...`) that not all sides have does not separate lines: if it comes or
//! goes, it takes no comment away. A comment on the line of a marker or of the root follows the four rules on its own.
//! Ignores the markers themselves: they stay as the destination has them.

use kyaml_ast::{Document, Edit, Newline, Node, Span, line_end, line_start};

use super::around::{Around, behind_directives, beside_end, beside_start};
use super::foot::has_room;
use super::{Frame, Root, Walker};
use crate::merge::page::merged_lines;
use crate::merge::strip::Mark;
use crate::plan::Role;
use crate::resolve::{Outcome, Rule, resolve};
use crate::resource::content;
use crate::schema::Cursor;
use crate::slots::{Side, Slots};

/// A place on a line of a document.
type Place = fn(Document<'_>) -> Option<Span>;

/// What a lane has around its entries.
#[derive(Default)]
pub(super) struct Margin {
    pub(super) room: Span,
    /// The column of its comment lines.
    pub(super) column: Option<usize>,
    /// Whether comment lines may be indented deeper than that.
    pub(super) is_deep: bool,
    pub(super) above: Vec<Mark>,
    pub(super) below: Vec<Mark>,
}

impl Margin {
    /// Leaves the lines directly above the root out of the merge.
    fn without_head(mut self) -> Self {
        for mark in &mut self.above {
            mark.has_lines &= mark.row > ROOT || mark.row <= END;
        }
        self
    }
}

/// Row numbers of the parts of a document that are no entries. If not all sides have a part, each side's part has a row
/// of its own: one of the three numbers below.
const START: usize = usize::MAX;
const PROPERTIES: usize = START - 4;
const ROOT: usize = PROPERTIES - 4;
const END: usize = ROOT - 4;

impl<'a> Walker<'a> {
    /// Merges a document that destination and incoming have: its root, and the lines around the root.
    ///
    /// The `headers` of the files are left out.
    pub(crate) fn document(&mut self, row: Slots<Document<'a>>, headers: Slots<Span>, cursor: Cursor<'a>) -> Vec<Edit> {
        let around = around_of(row, headers);
        let is_everywhere = around.is_full();
        let roots = row.filter_map(Document::root);
        let mut root = match roots.dest.and(roots.incoming) {
            Some(_) => self.roots(roots, cursor, if is_everywhere { margins(around, false) } else { Slots::default() }),
            None => Root::of(Outcome::Keep),
        };
        if is_everywhere && root.outcome != Outcome::Conflict {
            self.ends(around, cursor, &mut root);
        }
        root.edits
    }

    /// Merges the lines around the roots of a document.
    fn ends(&mut self, around: Slots<Around<'a>>, cursor: Cursor<'a>, root: &mut Root) {
        if !root.has_settled_lines {
            root.edits.extend(self.bare_lane(around, cursor, root.outcome));
        }
        let row = around.map(|side| side.document);
        let places: [Place; 3] = [behind_directives, beside_start, beside_end];
        let apart = places.into_iter().filter(|place| !is_mixed(row, *place));
        root.edits.extend(apart.filter_map(|place| self.rest(row.filter_map(place))));
        root.edits.extend(self.beside_root(around, root.outcome));
    }

    /// Merges the lines around roots that are no block collections, or that are not merged as such.
    fn bare_lane(&mut self, around: Slots<Around<'a>>, cursor: Cursor<'a>, outcome: Outcome) -> Vec<Edit> {
        let roots = around.filter_map(|side| content(side.document));
        let is_taken = outcome == Outcome::Take && roots.present().count() > 0;
        let mut margins = margins(around, true);
        let is_block = |root: Option<Node<'a>>| root.is_some_and(Node::is_block_collection);
        if is_taken && is_block(roots.incoming) {
            margins.dest = margins.dest.map(|margin| Margin { column: Some(0), ..margin });
        }
        if !is_taken && is_block(roots.dest) != is_block(roots.incoming) {
            // A comment above a scalar belongs to the document; the same comment above a collection belongs to its
            // first entry.
            margins = margins.map(Margin::without_head);
        }
        let frame = self.lines(margins, cursor);
        let below = around.dest.and_then(|dest| dest.root).map_or(u32::MAX, |root| root.end);
        let above = if outcome == Outcome::Keep { roots.dest } else { roots.incoming };
        self.lines_alone(&frame, |span, text| span.start < below || above.is_none_or(|root| has_room(root, 0, 0, text)))
    }

    /// A frame without entries, for lines alone.
    pub(super) fn lines(&self, margins: Slots<Margin>, cursor: Cursor<'a>) -> Frame<'a> {
        Frame { margins, ..self.frame(Slots::default(), Slots::default(), cursor) }
    }

    /// Merges the rest of a line, and for directives the lines below them.
    fn rest(&mut self, spans: Slots<Span>) -> Option<Edit> {
        let (span, text) = (spans.dest?, self.resolved(spans)?);
        // Directly after the header of a block scalar, `#` starts a comment. After other text it needs a space.
        let space = if text.starts_with('#') { " " } else { "" };
        Some(Edit::Text { span, text: format!("{space}{}", text.trim_end()) })
    }

    /// Merges the comment beside a root. The destination's comment stays, or gives way to the incoming one.
    fn beside_root(&mut self, around: Slots<Around<'a>>, outcome: Outcome) -> Option<Edit> {
        let roots = around.filter_map(|side| content(side.document));
        let places = roots.filter_map(Node::beside);
        let (old, new, comment) = (roots.dest?, roots.incoming?, places.dest?);
        let is_taken = outcome == Outcome::Take;
        let has_place = !old.is_block_collection() && places.incoming.is_some();
        if has_place && self.is_in_foot(around, places) {
            return None;
        }
        if is_taken && !has_place {
            return self.without_beside_root(around, old, comment);
        }
        if !is_taken && old.is_block_collection() != new.is_block_collection() {
            return None;
        }
        self.rest(if is_taken { beside_roots(around) } else { places })
    }

    /// The incoming root comes with its own comment, or with none.
    fn without_beside_root(&mut self, around: Slots<Around<'a>>, root: Node<'a>, comment: Span) -> Option<Edit> {
        self.resolved(Slots { incoming: Some(Span::default()), ..beside_roots(around) })?;
        let source = self.source(Side::Dest);
        let is_alone = line_start(source, comment.end) == root.full_span().start;
        let end = if is_alone { line_end(source, comment.end) } else { comment.end };
        Some(Edit::Text { span: Span::new(comment.start, end), text: String::new() })
    }

    /// Whether both sides added a comment beside the root, and the destination already has the incoming one below the
    /// root: an earlier merge put it there.
    fn is_in_foot(&self, around: Slots<Around<'a>>, beside: Slots<Span>) -> bool {
        let lines = |side: Side| self.lines_in(side, beside.get(side).copied().unwrap_or_default());
        let [dest, base, incoming] = Side::ALL.map(lines);
        let foot = around.dest.and_then(|dest| dest.foot()).unwrap_or_default();
        let foot = self.lines_in(Side::Dest, foot);
        let Some(new) = comments(&incoming).next() else { return false };
        comments(&dest).next().is_some() && comments(&base).next().is_none() && comments(&foot).any(|line| line == new)
    }

    /// Applies the four rules to a place that all sides have. Returns its new text, as whole lines. `None` if it stays.
    pub(crate) fn resolved(&mut self, spans: Slots<Span>) -> Option<String> {
        if !spans.is_full() {
            return None;
        }
        let texts = Slots::of(|side| Some(self.lines_in(side, *spans.get(side)?)));
        let texts = texts.as_ref().map(String::as_str);
        let (outcome, rule) = resolve(texts, self.policy.comments, same_comments);
        if matches!(rule, Rule::Agreed | Rule::OnlyDest) {
            return None;
        }
        let new = texts.incoming?;
        let versions = if rule == Rule::BothChanged { texts.dest.zip(texts.base) } else { None };
        let (outcome, rule, text) = match versions.and_then(|(dest, base)| merged_lines(dest, Some(base), new)) {
            Some(text) => (Outcome::Take, Rule::Merged, text),
            None if outcome == Outcome::Take => (Outcome::Take, rule, new.to_owned()),
            None => (Outcome::Keep, rule, String::new()),
        };
        self.tell(Role::Gap, outcome, rule, spans);
        (outcome == Outcome::Take).then_some(text)
    }

    /// The lines of a place, with the destination's line breaks.
    fn lines_in(&self, side: Side, place: Span) -> String {
        let newline = Newline::of(self.source(Side::Dest)).as_str();
        place.of(self.source(side)).lines().flat_map(|line| [line, newline]).collect()
    }
}

/// The places beside the roots. A root without one counts as one without a comment.
fn beside_roots(around: Slots<Around<'_>>) -> Slots<Span> {
    around.map(|side| content(side.document).and_then(Node::beside).unwrap_or_default())
}

/// The parts around a document on each side, without the `headers` of files.
fn around_of<'t>(row: Slots<Document<'t>>, headers: Slots<Span>) -> Slots<Around<'t>> {
    Slots::of(|side| Some(Around::of(*row.get(side)?, headers.get(side).copied())))
}

/// What the lanes have around the entries of the roots. A root that is no block collection is one mark. If `bare`,
/// every root is one mark.
fn margins(around: Slots<Around<'_>>, bare: bool) -> Slots<Margin> {
    let margin = |side: Side| {
        let own = around.get(side)?;
        let block = content(own.document).filter(|root| root.is_block_collection());
        let [start, properties, root, end] = marks(around, side);
        let root = if bare || block.is_none() { root } else { None };
        Some(Margin {
            room: own.room,
            column: block.map(Node::column),
            is_deep: false,
            above: [start, properties, root].into_iter().flatten().collect(),
            below: end.into_iter().collect(),
        })
    };
    Slots::of(margin)
}

/// The parts of a side's document as marks with row numbers. A part that not all sides have gets a row of its own on
/// each side.
fn marks(around: Slots<Around<'_>>, side: Side) -> [Option<Mark>; 4] {
    let place = |mark: fn(&Around<'_>) -> Option<Mark>, row: usize| {
        let is_everywhere = around.present().all(|(_, side)| mark(side).is_some());
        let row = if is_everywhere && (row != START || !is_across(around)) { row } else { row - 1 - side as usize };
        around.get(side).and_then(mark).map(|mark| Mark { row, ..mark })
    };
    let row = around.map(|side| side.document);
    let with_comment =
        |mark: Mark, beside: Place| Mark { end: comment_beside(row, side, beside).unwrap_or(mark.end), ..mark };
    let start = place(|side| side.start, START).map(|mark| with_comment(mark, beside_start));
    [
        start.map(|start| Mark { is_marker: start.row < START, ..start }),
        place(|side| side.properties, PROPERTIES),
        place(|side| side.root, ROOT),
        place(|side| side.end, END).map(|mark| with_comment(mark, beside_end)),
    ]
}

/// The start of a comment beside a marker. If some side lacks that place, the comment counts as a line below the marker.
fn comment_beside(row: Slots<Document<'_>>, side: Side, beside: Place) -> Option<u32> {
    let own = if is_mixed(row, beside) { row.get(side)? } else { return None };
    own.stream().comment_spans_in(beside(*own)?).next().map(|comment| comment.start)
}

/// Whether both sides have the same comments above the root, one side above `---` and the other below it.
fn is_across(around: Slots<Around<'_>>) -> bool {
    let [dest, incoming] = [around.dest, around.incoming].map(|side| side.map(|side| side.above_and_below_start()));
    let (Some([above, below]), Some([other_above, other_below])) = (dest, incoming) else { return false };
    above == other_below && below == other_above && above.is_empty() != below.is_empty()
}

/// Whether a side has comments at a place that another side lacks.
fn is_mixed(row: Slots<Document<'_>>, place: Place) -> bool {
    let comments = row.filter_map(|document| Some(document.stream().comments_in(place(document)?).count()));
    !comments.is_full() && comments.present().any(|(_, count)| *count > 0)
}

/// Whether two texts have the same comments. Blank lines do not count.
fn same_comments(a: &str, b: &str) -> bool {
    comments(a).eq(comments(b))
}

fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}
