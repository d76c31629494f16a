//! Random damages of the result of a merge.
//!
//! Invariant: what stands between markers stays as it is, as nobody has decided it.

use std::ops::Range;

use kmerge_core::lines::unified;
use kmerge_core::markers;
use kmerge_testgen::Rng;
use kyaml_ast::{Document, Entry, Kind, Node, Path, Segment, Span, Stream};

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    DropEdit,
    DropEntry,
    BringBack,
    DoubleElement,
    SwapElements,
    DropComment,
    MoveComment,
    DoubleComment,
    WrongSide,
    OtherScalar,
}

/// A result that is wrong.
pub(super) struct Damaged {
    pub(super) by: Damage,
    pub(super) was: String,
    pub(super) text: String,
}

impl Damage {
    pub(super) const ALL: [Self; 10] = [
        Self::DropEdit,
        Self::DropEntry,
        Self::BringBack,
        Self::DoubleElement,
        Self::SwapElements,
        Self::DropComment,
        Self::MoveComment,
        Self::DoubleComment,
        Self::WrongSide,
        Self::OtherScalar,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::DropEdit => "a change of lines is undone",
            Self::DropEntry => "an entry is lost",
            Self::BringBack => "removed lines are back",
            Self::DoubleElement => "an element stands twice",
            Self::SwapElements => "neighbours change places",
            Self::DropComment => "a comment is lost",
            Self::MoveComment => "a comment stands elsewhere",
            Self::DoubleComment => "a comment stands twice",
            Self::WrongSide => "a value is the wrong side's",
            Self::OtherScalar => "a value is nobody's",
        }
    }

    /// A result of a merge of base, ours and theirs with this damage; `None` where there is nothing to damage.
    pub(super) fn on(self, result: &str, sides: &[String; 3], random: &mut Rng) -> Option<Damaged> {
        let hunks = markers::hunks(result.as_bytes());
        let plain =
            String::from_utf8(markers::chosen(result.as_bytes(), &hunks, |hunk| Some(hunk.ours.clone()))).ok()?;
        // Only what stands outside of hunks, with its place in the text that has none.
        let (mut open, mut cut, mut at) = (Vec::new(), 0, 0);
        for hunk in &hunks {
            open.push((at - cut..hunk.whole.start - cut, cut));
            cut += hunk.whole.len() - hunk.ours.len();
            at = hunk.whole.end;
        }
        open.push((at - cut..plain.len(), cut));
        let replaced = self.replaced(&plain, sides, random)?;
        let mut text = result.to_owned();
        for (range, with) in replaced {
            let (_, cut) = open.iter().find(|(open, _)| open.start <= range.start && range.end <= open.end)?;
            text.replace_range(range.start + cut..range.end + cut, &with);
        }
        (text != result).then(|| Damaged { by: self, was: result.to_owned(), text })
    }

    /// Which ranges become what: from the last to the first.
    fn replaced(self, text: &str, sides: &[String; 3], random: &mut Rng) -> Option<Vec<(Range<usize>, String)>> {
        let stream = Stream::parse(text).ok()?;
        let one = |range: Range<usize>, with: &str| Some(vec![(range, with.to_owned())]);
        match self {
            Self::DropEdit => {
                let Hunk { range, before } = any(hunks(&sides[0], text), random)?;
                one(range, &before)
            }
            Self::BringBack => {
                let removed = hunks(&sides[0], text).into_iter().filter(|hunk| !hunk.before.is_empty()).collect();
                let Hunk { range, before } = any(removed, random)?;
                one(range.start..range.start, &before)
            }
            Self::DropEntry => one(any(whole_lines(&stream, |_| true), random)?, ""),
            Self::DoubleElement => {
                let element = any(whole_lines(&stream, is_element), random)?;
                one(element.end..element.end, &text[element])
            }
            Self::SwapElements => {
                let mut elements = whole_lines(&stream, is_element);
                elements.sort_by_key(|element| element.start);
                let neighbours = elements.windows(2).filter(|pair| pair[0].end == pair[1].start);
                let known =
                    neighbours.filter(|pair| !are_of_two(&text[pair[0].clone()], &text[pair[1].clone()], sides));
                let pair: Vec<Range<usize>> = any(known.map(<[_]>::to_vec).collect(), random)?;
                one(pair[0].start..pair[1].end, &format!("{}{}", &text[pair[1].clone()], &text[pair[0].clone()]))
            }
            Self::DropComment => one(any(comments(&stream), random)?, ""),
            Self::DoubleComment => {
                let comment = any(own_lines(&stream), random)?;
                one(comment.end..comment.end, &text[comment])
            }
            Self::MoveComment => {
                let comment = any(own_lines(&stream), random)?;
                let to = any(whole_lines(&stream, |_| true), random)?.start;
                let line = text[comment.clone()].to_owned();
                let mut moved = vec![(to..to, line), (comment, String::new())];
                moved.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
                Some(moved)
            }
            Self::WrongSide => any(wrong_sides(&stream, sides), random).map(|found| vec![found]),
            Self::OtherScalar => {
                let scalar = any(scalars(&stream), random)?;
                one(scalar.end..scalar.end, "x")
            }
        }
    }
}

/// Lines of a result, and what stood there before.
struct Hunk {
    range: Range<usize>,
    before: String,
}

/// Where a text differs from the base.
fn hunks(base: &str, text: &str) -> Vec<Hunk> {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let difference = String::from_utf8_lossy(&unified(base.as_bytes(), text.as_bytes())).into_owned();
    let (mut found, mut line): (Vec<Hunk>, usize) = (Vec::new(), 0);
    let mut open = false;
    for row in difference.split_inclusive('\n') {
        if let Some(head) = row.strip_prefix("@@ ") {
            let new = head.split('+').nth(1).and_then(|new| new.split([',', ' ']).next());
            let is_empty =
                head.split('+').nth(1).is_some_and(|new| new.split(' ').next().unwrap_or_default().ends_with(",0"));
            line = new.and_then(|new| new.parse::<usize>().ok()).map_or(0, |line| line - usize::from(!is_empty));
            open = false;
        } else if row.starts_with('\\') {
            open = false;
        } else if let Some(rest) = row.strip_prefix(' ') {
            line += usize::from(!rest.is_empty());
            open = false;
        } else {
            let at = starts.get(line).copied().unwrap_or(text.len());
            if !open {
                found.push(Hunk { range: at..at, before: String::new() });
                open = true;
            }
            if let (Some(hunk), true) = (found.last_mut(), row.starts_with('-')) {
                hunk.before.push_str(&row[1..]);
            } else if let Some(hunk) = found.last_mut() {
                line += 1;
                hunk.range.end = starts.get(line).copied().unwrap_or(text.len());
            }
        }
    }
    found
}

fn any<T>(mut from: Vec<T>, random: &mut Rng) -> Option<T> {
    (!from.is_empty()).then(|| from.swap_remove(random.below(from.len())))
}

fn nodes<'t>(stream: &'t Stream<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut open: Vec<Node<'t>> = stream.documents().filter_map(Document::root).collect();
    std::iter::from_fn(move || {
        let node = open.pop()?;
        open.extend(node.entries().map(Entry::value));
        Some(node)
    })
}

fn is_element(entry: Entry<'_>) -> bool {
    entry.key().is_none()
}

/// Whether each side added one of two elements: then nobody has said which comes first.
fn are_of_two(first: &str, second: &str, [base, ours, theirs]: &[String; 3]) -> bool {
    let is_new = |element: &str, of: &String, other: &String| {
        let is_in = |text: &String| text.contains(element.trim());
        is_in(of) && !is_in(base) && !is_in(other)
    };
    is_new(first, ours, theirs) && is_new(second, theirs, ours)
        || is_new(first, theirs, ours) && is_new(second, ours, theirs)
}

/// The entries that have their lines to themselves.
fn whole_lines(stream: &Stream<'_>, is_wanted: impl Fn(Entry<'_>) -> bool) -> Vec<Range<usize>> {
    let blocks = nodes(stream).filter(|node| node.is_block_collection());
    let entries = blocks.flat_map(Node::entries).filter(|entry| entry.starts_line() && is_wanted(*entry));
    entries.map(|entry| entry.extent().range()).collect()
}

/// The comments: of those that have their line to themselves, the line.
fn comments(stream: &Stream<'_>) -> Vec<Range<usize>> {
    let all = stream.comment_spans_in(Span::new(0, stream.source().len() as u32));
    all.map(|span| own_line(stream, span).unwrap_or_else(|| span.range())).collect()
}

fn own_lines(stream: &Stream<'_>) -> Vec<Range<usize>> {
    let all = stream.comment_spans_in(Span::new(0, stream.source().len() as u32));
    all.filter_map(|span| own_line(stream, span)).collect()
}

fn own_line(stream: &Stream<'_>, span: Span) -> Option<Range<usize>> {
    let source = stream.source();
    let start = source[..span.start as usize].rfind('\n').map_or(0, |newline| newline + 1);
    let end = source[span.end as usize..].find('\n').map(|newline| span.end as usize + newline + 1)?;
    source[start..span.start as usize].trim().is_empty().then_some(start..end)
}

/// Plain scalars that are values.
fn scalars(stream: &Stream<'_>) -> Vec<Range<usize>> {
    nodes(stream).filter(|node| node.kind() == Kind::Plain).map(|node| node.span().range()).collect()
}

/// The scalars that stand otherwise, at the same place, in a version that the result did not take.
fn wrong_sides(stream: &Stream<'_>, sides: &[String; 3]) -> Vec<(Range<usize>, String)> {
    let versions: Vec<Stream<'_>> = sides.iter().filter_map(|text| Stream::parse(text).ok()).collect();
    let mut found = Vec::new();
    for (number, document) in stream.documents().enumerate() {
        let mut open: Vec<(Node<'_>, Path)> = document.root().map(|root| (root, Path::default())).into_iter().collect();
        while let Some((node, path)) = open.pop() {
            for (index, entry) in node.entries().enumerate() {
                let mut path = path.clone();
                path.push(match entry.key() {
                    Some(key) => Segment::Field(key.value().into_owned()),
                    None => Segment::Index(index as i64),
                });
                open.push((entry.value(), path));
            }
            if !matches!(node.kind(), Kind::Plain | Kind::SingleQuoted | Kind::DoubleQuoted) {
                continue;
            }
            let others = versions.iter().filter_map(|version| version.documents().nth(number)?.root());
            let others = others.filter_map(|root| path.find(root).ok().map(|found| found.node));
            let others = others.filter(|other| other.kind() == node.kind() && other.text() != node.text());
            found.extend(others.map(|other| (node.span().range(), other.text().to_owned())));
        }
    }
    found
}
