//! Merges block scalars line by line: scripts and configuration files that both sides edited.
//!
//! Lines are compared without the scalar's indentation, so re-indenting a scalar changes none of its lines. Only
//! scalars of one kind (`|` or `>`) are merged by line. Scalars of different kinds are a conflict of the whole values.
//! Whether the last newline counts (`|` or `|-`) is decided apart from the lines. With `|+`, where blank lines at the
//! end count, it is not.

use kyaml_ast::{BlockScalar, Edit, Entry, Newline, Node, Span};

use super::Walker;
use crate::lines::{Region, Style, Texts};
use crate::plan::{Conflict, ConflictPlace, Role, Variant};
use crate::policy::BothChanged;
use crate::resolve::{Outcome, resolve};
use crate::slots::Slots;

/// The lines of a block scalar without their indentation. Each ends with `\n`.
struct Lines {
    text: String,
    scalar: BlockScalar,
}

impl<'a> Walker<'a> {
    /// Merges three versions of a block scalar line by line. The outcome is for lines where both sides'
    /// changes overlap. `None` if the values cannot be merged by line.
    pub(super) fn block_lines(&mut self, entries: Slots<Entry<'a>>) -> Option<(Vec<Edit>, Option<Outcome>)> {
        let values = entries.map(Entry::value);
        let (dest, base, incoming) = (values.dest?, values.base?, values.incoming?);
        let is_alike =
            |a: Node<'_>, b: Node<'_>| a.kind() == b.kind() && a.tag() == b.tag() && a.anchor() == b.anchor();
        if !is_alike(dest, base) || !is_alike(dest, incoming) {
            return None;
        }
        let header = header(dest, base, incoming)?;
        let (mut ours, base, theirs) = (lines(dest)?, lines(base)?, lines(incoming)?);
        if ours.text.trim_ascii().is_empty() {
            // Blank lines do not show the indentation of the scalar, so a new one is chosen.
            ours.scalar.indent = entries.dest?.column() + 2;
        }
        let texts = Texts { base: base.text.as_bytes(), ours: ours.text.as_bytes(), theirs: theirs.text.as_bytes() };
        let merged = texts.merge(Style::Diff3);
        let mut page = Page::new(&ours, dest.stream().source(), header.into_iter().collect());
        page.is_open = [dest, incoming].into_iter().all(is_open);
        let mut cursor = 0;
        let mut pending = String::new();
        for region in merged.regions().iter().cloned() {
            match self.settled(region) {
                Region::Theirs(range) => pending.push_str(&theirs.text[range]),
                Region::Ours(range) => {
                    page.replace(cursor..range.start, &std::mem::take(&mut pending));
                    cursor = range.end;
                }
                Region::Conflict { ours: range, base: was, theirs: new } => {
                    page.replace(cursor..range.start, &std::mem::take(&mut pending));
                    cursor = range.end;
                    let lead = page.lead(&range, [&base.text[was.clone()], &theirs.text[new.clone()]]);
                    let span = page.span(lead.start..range.end);
                    let variant =
                        |text: &str| Variant::Text(page.indented(&format!("{}{text}", &ours.text[lead.clone()])));
                    let conflict = Conflict {
                        path: self.path.clone(),
                        role: Role::Value,
                        place: ConflictPlace::Lines(span),
                        dest: Some(variant(&ours.text[range])),
                        base: variant(&base.text[was]),
                        incoming: variant(&theirs.text[new]),
                        spans: entries.map(Entry::span),
                    };
                    self.plan.conflicts.push(conflict);
                }
            }
        }
        page.replace(cursor..ours.text.len(), &pending);
        let overlap = (merged.conflicts() > 0).then(|| self.policy.both_changed.outcome());
        Some((page.edits, overlap))
    }

    /// If the policy lets one side win, overlapping lines are taken from that side.
    fn settled(&self, region: Region) -> Region {
        match (self.policy.both_changed, region) {
            (BothChanged::Keep, Region::Conflict { ours, .. }) => Region::Ours(ours),
            (BothChanged::Take, Region::Conflict { theirs, .. }) => Region::Theirs(theirs),
            (_, region) => region,
        }
    }
}

/// Edits of the destination's lines.
struct Page<'l> {
    ours: &'l Lines,
    source: &'l str,
    /// The offset of each line of `ours`.
    starts: Vec<usize>,
    /// The end of each source line of the scalar, in the same order.
    ends: Vec<usize>,
    /// Whether the last line has no line break, in the destination and in what comes.
    is_open: bool,
    edits: Vec<Edit>,
}

impl<'l> Page<'l> {
    fn new(ours: &'l Lines, source: &'l str, edits: Vec<Edit>) -> Self {
        let starts = ends(&ours.text).scan(0, |next, end| Some(std::mem::replace(next, end))).collect();
        let ends = ends(ours.scalar.body.of(source)).collect();
        Self { ours, source, starts, ends, is_open: false, edits }
    }

    fn replace(&mut self, range: std::ops::Range<usize>, text: &str) {
        if range.is_empty() && text.is_empty() {
            return;
        }
        let lead = self.lead(&range, [text]);
        let span = self.span(lead.start..range.end);
        let mut text = self.indented(&format!("{}{text}", &self.ours.text[lead]));
        let newline = Newline::of(self.source).as_str();
        if !text.is_empty() && !self.source[..span.start as usize].ends_with(['\n', '\r']) {
            // Behind a last line without a line break.
            text.insert_str(0, newline);
        }
        if self.is_open && span.end == self.ours.scalar.body.end {
            text.truncate(text.strip_suffix(newline).unwrap_or(&text).len());
        }
        self.edits.push(Edit::Text { span, text });
    }

    /// The part of the destination that must be written again before `texts`. Blank lines after the last line of a
    /// scalar belong to a `|+` scalar only if they are written together with that line.
    fn lead<const N: usize>(&self, range: &std::ops::Range<usize>, texts: [&str; N]) -> std::ops::Range<usize> {
        let text = &self.ours.text;
        let is_behind = range.is_empty() && range.start == text.len();
        let keeps = self.ours.scalar.header.of(self.source).contains('+');
        if !is_behind || !keeps || !texts.iter().any(|text| text.starts_with('\n')) {
            return range.start..range.start;
        }
        let last = text.strip_suffix('\n').unwrap_or(text);
        last.rfind('\n').map_or(0, |end| end + 1)..range.start
    }

    /// The source lines for a range of the text without indentation. The range has whole lines.
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        let body = self.ours.scalar.body;
        let at = |place: usize| {
            let before = self.starts.partition_point(|start| *start < place);
            let end = before.checked_sub(1).map(|last| self.ends.get(last).copied().unwrap_or(body.len()));
            body.start + end.unwrap_or(0) as u32
        };
        Span::new(at(range.start), at(range.end))
    }

    fn indented(&self, text: &str) -> String {
        let newline = Newline::of(self.source).as_str();
        let indent = " ".repeat(self.ours.scalar.indent);
        let mut out = String::with_capacity(text.len() + 64);
        for line in text.split_inclusive('\n') {
            let content = line.strip_suffix('\n').unwrap_or(line);
            out.push_str(if content.is_empty() { "" } else { &indent });
            out.push_str(content);
            out.push_str(newline);
        }
        out
    }
}

/// The end of each line of a text.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    text.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some(*at)
    })
}

/// The edit that changes the destination's chomping (`-`, `+` or none), if it needs one. The outer `None`: chomping
/// cannot be decided apart from the lines.
fn header(dest: Node<'_>, base: Node<'_>, incoming: Node<'_>) -> Option<Option<Edit>> {
    let chompings = Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) }.map(chomping);
    let is_one = chompings.dest == chompings.base && chompings.dest == chompings.incoming;
    if !is_one && chompings.present().any(|(_, chomping)| *chomping == Some('+')) {
        return None;
    }
    match resolve(chompings, BothChanged::Conflict, |a, b| a == b).0 {
        Outcome::Keep => Some(None),
        Outcome::Take => {
            let span = dest.block_scalar()?.header;
            let own = span.of(dest.stream().source()).chars().filter(|character| *character != '-');
            let text = own.chain(chompings.incoming.flatten()).collect();
            Some(Some(Edit::Text { span, text }))
        }
        Outcome::Conflict => None,
    }
}

/// Whether the last line of a block scalar has no line break, as the file ends there.
fn is_open(node: Node<'_>) -> bool {
    let body = node.block_scalar().map_or("", |scalar| scalar.body.of(node.stream().source()));
    !body.is_empty() && !body.ends_with(['\n', '\r'])
}

fn chomping(node: Node<'_>) -> Option<char> {
    let scalar = node.block_scalar()?;
    scalar.header.of(node.stream().source()).chars().find(|character| matches!(character, '+' | '-'))
}

fn lines(node: Node<'_>) -> Option<Lines> {
    let scalar = node.block_scalar()?;
    let mut text = String::with_capacity(scalar.body.len());
    for line in scalar.body.of(node.stream().source()).lines() {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        text.push_str(&line[blanks.min(scalar.indent)..]);
        text.push('\n');
    }
    Some(Lines { text, scalar })
}
