//! Merges block scalars line by line: scripts and configuration files that both sides edited.
//!
//! Lines are compared without the scalar's indentation, so re-indenting a scalar changes none of its lines. Only
//! scalars of one kind (`|` or `>`) are merged by line. Scalars of different kinds are a conflict of the whole values.
//! Whether the last newline counts (`|` or `|-`) is decided apart from the lines. With `|+`, where blank lines at the
//! end count, it is not.

use kyaml_ast::{BlockScalar, Edit, Entry, Newline, Node, Path, Span};

use super::Walker;
use crate::lines::{Region, Style, Texts};
use crate::plan::{Blanks, Conflict, ConflictPlace, Role, Variant};
use crate::policy::BothChanged;
use crate::resolve::{Outcome, resolve};
use crate::slots::{Side, Slots};

/// The lines of a block scalar without their indentation. Each ends with `\n`.
struct Lines {
    text: String,
    scalar: BlockScalar,
    /// Whether the last line has no line break, as the file ends there.
    is_open: bool,
}

impl<'a> Walker<'a> {
    /// Merges three versions of a block scalar line by line. The outcome is for lines where both sides'
    /// changes overlap. `None` if the values cannot be merged by line.
    pub(super) fn block_lines(&mut self, entries: Slots<Entry<'a>>) -> Option<(Vec<Edit>, Option<Outcome>)> {
        let sides = alike_scalars(entries)?;
        let header = header(sides.map(Entry::value))?;
        let [Some(ours), Some(base), Some(theirs)] = sides.map(lines) else { return None };
        let texts = Texts { base: base.text.as_bytes(), ours: ours.text.as_bytes(), theirs: theirs.text.as_bytes() };
        let merged = texts.merge(Style::Diff3);
        let mut page = Page::new(&ours, self.source(Side::Dest), header);
        page.is_open = ours.is_open && theirs.is_open;
        for region in merged.regions().iter().cloned() {
            page.write(self.settled(region), &base.text, &theirs.text);
        }
        page.flush(ours.text.len());
        let spans = entries.map(Entry::span);
        let conflicts = page.conflicts.into_iter();
        self.plan.conflicts.extend(conflicts.map(|conflict| Conflict { path: self.path.clone(), spans, ..conflict }));
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
    /// Everything before this place is done.
    at: usize,
    /// Lines that come there.
    pending: String,
    edits: Vec<Edit>,
    /// Lines that both sides changed. Without path and spans.
    conflicts: Vec<Conflict>,
}

impl<'l> Page<'l> {
    fn new(ours: &'l Lines, source: &'l str, edits: Vec<Edit>) -> Self {
        let starts = ends(&ours.text).scan(0, |next, end| Some(std::mem::replace(next, end))).collect();
        let ends = ends(ours.scalar.body.of(source)).collect();
        Self { ours, source, starts, ends, is_open: false, at: 0, pending: String::new(), edits, conflicts: Vec::new() }
    }

    /// Writes a region of the merged lines.
    fn write(&mut self, region: Region, base: &str, theirs: &str) {
        match region {
            Region::Theirs(range) => self.pending.push_str(&theirs[range]),
            Region::Ours(range) => self.keep(&range),
            Region::Conflict { ours, base: was, theirs: new } => {
                self.keep(&ours);
                self.conflicts.push(self.conflict(ours, &base[was], &theirs[new]));
            }
        }
    }

    /// Leaves lines of the destination where they are.
    fn keep(&mut self, lines: &std::ops::Range<usize>) {
        self.flush(lines.start);
        self.at = lines.end;
    }

    /// A conflict about lines of the destination.
    fn conflict(&self, range: std::ops::Range<usize>, base: &str, incoming: &str) -> Conflict {
        let lead = self.lead(&range, [base, incoming]);
        let place = ConflictPlace::Lines(self.span(lead.start..range.end));
        let version = |text: &str| Variant::Text(self.indented(&format!("{}{text}", &self.ours.text[lead.clone()])));
        Conflict {
            path: Path::default(),
            role: Role::Value,
            place,
            dest: Some(version(&self.ours.text[range])),
            base: version(base),
            incoming: version(incoming),
            spans: Slots::default(),
            blanks: Blanks::default(),
        }
    }

    /// Writes the pending lines in the place of everything up to `end`.
    fn flush(&mut self, end: usize) {
        let (range, pending) = (self.at..end, std::mem::take(&mut self.pending));
        if range.is_empty() && pending.is_empty() {
            return;
        }
        let lead = self.lead(&range, [&pending]);
        let span = self.span(lead.start..range.end);
        let mut text = self.indented(&format!("{}{pending}", &self.ours.text[lead]));
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

/// The three versions of an entry, if only the lines of its value differ.
fn alike_scalars(entries: Slots<Entry<'_>>) -> Option<[Entry<'_>; 3]> {
    let sides = entries.all()?;
    let is_alike = |side: &Entry<'_>| {
        let (value, model) = (side.value(), sides[0].value());
        value.kind() == model.kind() && value.tag() == model.tag() && value.anchor() == model.anchor()
    };
    sides.iter().all(is_alike).then_some(sides)
}

/// The end of each line of a text.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    text.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some(*at)
    })
}

/// The edits that change the destination's chomping (`-`, `+` or none), if it needs any. `None`: chomping
/// cannot be decided apart from the lines.
fn header([dest, base, incoming]: [Node<'_>; 3]) -> Option<Vec<Edit>> {
    let chompings = Slots::three(dest, base, incoming).map(chomping);
    let is_one = chompings.dest == chompings.base && chompings.dest == chompings.incoming;
    if !is_one && chompings.present().any(|(_, chomping)| *chomping == Some('+')) {
        return None;
    }
    match resolve(chompings, BothChanged::Conflict, |a, b| a == b).0 {
        Outcome::Keep => Some(Vec::new()),
        Outcome::Take => {
            let span = dest.block_scalar()?.header;
            let own = span.of(dest.stream().source()).chars().filter(|character| *character != '-');
            let text = own.chain(chompings.incoming.flatten()).collect();
            Some(vec![Edit::Text { span, text }])
        }
        Outcome::Conflict => None,
    }
}

fn chomping(node: Node<'_>) -> Option<char> {
    let scalar = node.block_scalar()?;
    scalar.header.of(node.stream().source()).chars().find(|character| matches!(character, '+' | '-'))
}

fn lines(entry: Entry<'_>) -> Option<Lines> {
    let mut scalar = entry.value().block_scalar()?;
    let body = scalar.body.of(entry.stream().source());
    let mut text = String::with_capacity(body.len());
    for line in body.lines() {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        text.push_str(&line[blanks.min(scalar.indent)..]);
        text.push('\n');
    }
    if text.trim_ascii().is_empty() {
        // Blank lines do not show the indentation of the scalar, so a new one is chosen.
        scalar.indent = entry.column() + 2;
    }
    Some(Lines { text, scalar, is_open: !body.is_empty() && !body.ends_with(['\n', '\r']) })
}
