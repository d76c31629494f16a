//! What the comments of a tree stand at.
//!
//! Owns: which comments have to be read, and the places above, beside and behind each. Ignores what the places are, and what other
//! trees say: that is [`facts`](super::facts).

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Span, Stream, line_end, line_start};

use super::facts::{DOCUMENT, END, Facts};
use super::names::hash;
use super::rows::{RESULT, Row, Thing, is_alike, is_of_one_side, other};

/// What has to be read inside a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inside {
    /// Everything.
    Open,
    /// The comments around the value, which may be those of a neighbour elsewhere: one side made the rest what the result has, or
    /// not all trees have it.
    Around,
    /// Nothing: the bytes are the same in all trees.
    Alike,
}

impl Inside {
    pub(super) fn of(row: &Row<Thing<'_>>) -> Self {
        match is_alike(row) {
            true if row.iter().all(Option::is_some) => Self::Alike,
            false if !is_of_one_side(row) => Self::Open,
            _ => Self::Around,
        }
    }

    /// The part of a thing that is not read.
    pub(super) fn unread(self, thing: &Thing<'_>) -> Option<Span> {
        match self {
            Self::Open => None,
            Self::Around => Some(Span::new(thing.start, thing.value.full_span().end)),
            Self::Alike => Some(thing.extent),
        }
    }
}

/// What a comment stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Owner {
    /// Beside or inside this place.
    In(u32),
    /// Above this place.
    Above(u32),
}

/// A comment of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment {
    pub(super) owner: Owner,
    /// What it stands behind.
    pub(super) behind: u32,
    /// How many of the tree's places start before it.
    pub(super) before: usize,
    /// The first of the tree's places that is behind it.
    pub(super) next: usize,
    /// Whether it has lines of its own, and a blank line stands below these: it may be about what is above or around.
    pub(super) is_set_off: bool,
    /// Whether it has no letter and no digit: it says nothing, and may stand as often as somebody wants.
    pub(super) is_separator: bool,
    /// What it says with the comments on the lines next to it, as a hash.
    pub(super) block: u64,
    /// The name of the entry that it would be without its `#`, as a hash.
    pub(super) name: Option<u64>,
    pub(super) span: Span,
}

/// A new entry of a side that the result has, too.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewEntry {
    pub(super) tree: usize,
    /// What it is called, as a comment of this name.
    pub(super) name: u64,
    /// The first place below it that the base has.
    pub(super) below: u32,
}

/// Where a place starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) at: u32,
    pub(super) place: u32,
    /// Where it ends, if nothing inside has a place of its own.
    pub(super) closed: u32,
    /// Where the flow collection ends that it is part of.
    pub(super) flow_end: Option<u32>,
}

impl Start {
    /// What the line is called as an entry.
    fn name(&self, stream: &Stream<'_>) -> Option<u64> {
        entry_name(Span::new(self.at, line_end(stream.source(), self.at)).of(stream.source()))
    }

    /// Whether comments may stand above it: above a document, they stand at what it starts with.
    pub(super) fn has_above(&self, places: &[u8]) -> bool {
        places[self.place as usize] & DOCUMENT == 0
    }
}

/// What is needed to tell what the comments of a tree stand at.
#[derive(Debug, Default)]
pub(super) struct Margin {
    pub(super) starts: Vec<Start>,
    /// What need not be read.
    pub(super) skipped: Vec<Span>,
}

impl Margin {
    pub(super) fn in_order(mut self) -> Self {
        self.starts.sort_by_key(|start| start.at);
        self.skipped.sort_by_key(|span| span.start);
        self
    }

    /// Gives each comment with a hash of what it says.
    pub(super) fn comments(&self, stream: &Stream<'_>, places: &[u8], mut found: impl FnMut(u64, Comment)) {
        let source = stream.source();
        let spans: Vec<Span> = self.spans(stream).collect();
        let mut reader = CommentReader { margin: self, source, places, before: 0, beside: Beside::default() };
        for spans in spans.chunk_by(|above, below| are_neighbours(source, *above, *below)) {
            let said: Vec<u64> = spans.iter().map(|span| said(span.of(source))).collect();
            let block = hash(&said);
            let is_set_off = spans.last().is_some_and(|last| is_above_blank(source, *last));
            for (span, said) in spans.iter().copied().zip(said) {
                found(said, reader.read(span, block, is_set_off));
            }
        }
    }

    /// One of the tree's places, if there is one.
    fn place(&self, index: Option<usize>) -> u32 {
        index.and_then(|index| self.starts.get(index)).map_or(END, |start| start.place)
    }

    /// The entries that this tree alone has of base, ours and theirs, and the result, too.
    pub(super) fn new_entries(&self, stream: &Stream<'_>, tree: usize, facts: &Facts<'_>) -> Vec<NewEntry> {
        let new = self.starts.iter().enumerate().filter(|(_, start)| facts.is_new_in(start.place, tree));
        let entries = new.filter_map(|(index, start)| {
            Some(NewEntry { tree, name: start.name(stream)?, below: facts.below_in(index, tree, 0) })
        });
        entries.collect()
    }

    /// The names of the entries that only this tree has.
    pub(super) fn left_out(&self, stream: &Stream<'_>, tree: usize, facts: &Facts<'_>) -> HashSet<u64> {
        let new = self.starts.iter().filter(|start| facts.is_only_in(start.place, tree));
        new.filter_map(|start| start.name(stream)).collect()
    }

    /// The names of the entries of the base that a side has not. With each, whether the other side has all that are called so, and
    /// whether the result has any of them.
    pub(super) fn removed(&self, stream: &Stream<'_>, side: usize, facts: &Facts<'_>) -> HashMap<u64, [bool; 2]> {
        let mut names = HashMap::new();
        for start in self.starts.iter().filter(|start| !facts.is_at(start.place, side)) {
            let [is_left, is_there] = [other(side), RESULT].map(|tree| facts.is_at(start.place, tree));
            if let Some(name) = start.name(stream) {
                let [all_left, any_there] = names.entry(name).or_insert([true, false]);
                (*all_left, *any_there) = (*all_left && is_left, *any_there || is_there);
            }
        }
        names
    }

    /// The comments that have to be read.
    fn spans(&self, stream: &Stream<'_>) -> impl Iterator<Item = Span> {
        let mut skipped = self.skipped.iter().peekable();
        let all = stream.comment_spans_in(Span::new(0, stream.source().len() as u32));
        all.filter(move |span| {
            while skipped.next_if(|skipped| skipped.end <= span.start).is_some() {}
            skipped.peek().is_none_or(|skipped| skipped.start > span.start)
        })
    }
}

/// For each place of a tree, in the order given, the last up to there that another tree has, too.
pub(super) fn shared<'s>(starts: impl Iterator<Item = &'s Start>, places: &[u8], other: usize) -> Vec<u32> {
    let is_shared = |start: &Start| start.has_above(places) && places[start.place as usize] & 1 << other != 0;
    let last = starts.scan(END, |last, start| {
        *last = if is_shared(start) { start.place } else { *last };
        Some(*last)
    });
    last.collect()
}

/// Reads the comments of a tree in order.
struct CommentReader<'m> {
    margin: &'m Margin,
    source: &'m str,
    places: &'m [u8],
    /// How many places started before the last comment.
    before: usize,
    beside: Beside,
}

impl CommentReader<'_> {
    /// The next comment, with the hash of its block, and whether that is set off.
    fn read(&mut self, span: Span, block: u64, is_set_off: bool) -> Comment {
        let starts = &self.margin.starts;
        self.before += starts[self.before..].iter().take_while(|start| start.at <= span.start).count();
        let (started, to_come) = starts.split_at(self.before);
        let next = self.before + to_come.iter().take_while(|start| !start.has_above(self.places)).count();
        let is_beside = is_beside(self.source, span);
        let last = if is_beside { self.beside.find(started, span) } else { self.before.checked_sub(1) };
        let behind = self.margin.place(last);
        let is_inside = started.last().is_some_and(|last| span.start < last.closed);
        let is_in = is_beside || is_inside;
        let owner = if is_in { Owner::In(behind) } else { Owner::Above(self.margin.place(Some(next))) };
        let text = span.of(self.source).trim_start_matches('#');
        let (name, is_separator) = (entry_name(text), !text.chars().any(char::is_alphanumeric));
        let is_set_off = is_set_off && !is_beside;
        Comment { owner, behind, before: self.before, next, is_set_off, is_separator, block, name, span }
    }
}

/// What the last comment stood beside. A flow collection that ended before one comment ended before the next one, too, and is
/// not looked at again.
#[derive(Default)]
struct Beside {
    /// How many places started before the comment.
    before: usize,
    /// How many of them may hold a comment still.
    open: usize,
}

impl Beside {
    /// The last of the places before a comment that it is about: behind a flow collection, that is what holds the collection.
    fn find(&mut self, starts: &[Start], comment: Span) -> Option<usize> {
        let open = if starts.len() == self.before { self.open } else { starts.len() };
        let found = starts[..open].iter().rposition(|start| start.flow_end.is_none_or(|end| comment.start < end));
        *self = Self { before: starts.len(), open: found.map_or(0, |found| found + 1) };
        found
    }
}

/// Whether a comment shares its line with something else.
fn is_beside(source: &str, span: Span) -> bool {
    let line = Span::new(line_start(source, span.start), span.start).of(source);
    !line.trim_start_matches('\u{feff}').trim().is_empty()
}

/// Whether two comments stand on neighbouring lines that hold nothing else.
fn are_neighbours(source: &str, above: Span, below: Span) -> bool {
    let between = Span::new(above.end, below.start).of(source);
    between.trim().is_empty() && between.matches('\n').count() == 1 && !is_beside(source, above)
}

/// Whether a blank line stands below a comment, or the start of a document.
fn is_above_blank(source: &str, comment: Span) -> bool {
    let below = source[comment.end as usize..].split_once('\n').map(|(_, below)| below);
    let line = below.and_then(|below| below.split_once('\n'));
    line.is_some_and(|(line, _)| line.trim().is_empty() || line.starts_with("---"))
}

/// The name of a line as an entry, as a hash: its key, or all of it if it is an item. `None` if it is no entry.
fn entry_name(line: &str) -> Option<u64> {
    let line = line.trim();
    if line.starts_with("- ") {
        return Some(hash(line));
    }
    let is_end = |at: &usize| matches!(line.as_bytes().get(at + 1), None | Some(b' '));
    let end = memchr::memchr_iter(b':', line.as_bytes()).find(is_end)?;
    Some(hash(&line[..end]))
}

/// What a comment says, as a hash: blanks do not count.
fn said(comment: &str) -> u64 {
    let mut bare = Vec::with_capacity(comment.len());
    let mut rest = comment.as_bytes();
    while let Some(blank) = memchr::memchr2(b' ', b'\t', rest) {
        bare.extend_from_slice(&rest[..blank]);
        rest = &rest[blank + 1..];
    }
    bare.extend_from_slice(rest);
    hash(&bare[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comments at these places are beside, in `xs: [a, b]` of which each start is given with the end of its collection.
    fn beside(comments: &[u32]) -> Vec<Option<usize>> {
        let starts = [(0, None), (5, Some(10)), (8, Some(10))];
        let starts = starts.map(|(at, flow_end)| Start { at, place: at, closed: 0, flow_end });
        let mut beside = Beside::default();
        let find = |at: &u32| {
            let before = starts.iter().filter(|start| start.at <= *at).count();
            beside.find(&starts[..before], Span::new(*at, at + 1))
        };
        comments.iter().map(find).collect()
    }

    #[test]
    fn a_comment_behind_a_flow_list_is_about_its_holder() {
        assert_eq!(beside(&[3, 6, 9, 11, 12]), [Some(0), Some(1), Some(2), Some(0), Some(0)]);
        assert_eq!(beside(&[11, 12]), [Some(0), Some(0)]);
    }
}
