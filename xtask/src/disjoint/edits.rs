//! Changes of whole lines, and files with some of them.
//!
//! Invariant: the changes of a case touch different lines and stand at different places, so that all of them can be made at once.

use kmerge_testgen::Rng;
use kyaml_ast::{Document, Entry, Kind, Node, Stream};

/// A file, two versions of it, and the one with the changes of both.
pub(crate) struct Case {
    pub(crate) base: String,
    pub(crate) ours: String,
    pub(crate) theirs: String,
    pub(crate) wanted: String,
}

/// Some lines, from one to before another, that become others; `@` is a word of its own.
#[derive(Clone, Debug)]
struct Change {
    from: usize,
    to: usize,
    lines: Vec<String>,
}

impl Case {
    /// A few changes of a text, on both sides; `None` where that is no YAML, or the text is too plain.
    pub(crate) fn random(base: &str, random: &mut Rng) -> Option<Self> {
        let all = changes(base)?;
        let middle = all.get(random.below(all.len().max(1)))?.from;
        let reach = random.pick(&[6, 15, 60, 2000]);
        let mut near: Vec<Change> = all.into_iter().filter(|it| it.from.abs_diff(middle) <= reach).collect();
        let wanted = random.between(2, 7);
        let mut chosen: Vec<Change> = Vec::new();
        while chosen.len() < wanted && !near.is_empty() {
            let mut change = near.swap_remove(random.below(near.len()));
            if chosen.iter().all(|other| are_apart(&change, other)) {
                let word = format!("new{}", chosen.len());
                change.lines.iter_mut().for_each(|line| *line = line.replace('@', &word));
                chosen.push(change);
            }
        }
        if chosen.len() < 2 {
            return None;
        }
        let cut = random.between(1, chosen.len() - 1);
        let [ours, theirs, wanted] = [&chosen[..cut], &chosen[cut..], &chosen].map(|some| applied(base, some));
        let is_yaml = |text: &String| Stream::parse(text).is_ok();
        let are_all = [&ours, &theirs, &wanted].into_iter().all(is_yaml);
        are_all.then_some(Self { base: base.to_owned(), ours, theirs, wanted })
    }
}

/// Whether two changes have a line between them that neither touches, or at least do not meet.
fn are_apart(a: &Change, b: &Change) -> bool {
    let (first, second) = if a.from <= b.from { (a, b) } else { (b, a) };
    let is_insert = first.from == first.to || second.from == second.to;
    first.from != second.from
        && first.to != second.to
        && if is_insert { first.to < second.from } else { first.to <= second.from }
}

fn applied(base: &str, changes: &[Change]) -> String {
    let mut lines: Vec<&str> = base.split('\n').collect();
    let mut sorted: Vec<&Change> = changes.iter().collect();
    sorted.sort_by_key(|change| std::cmp::Reverse((change.from, change.to)));
    for change in sorted {
        lines.splice(change.from..change.to, change.lines.iter().map(String::as_str));
    }
    lines.join("\n")
}

/// Every change that is known of.
fn changes(base: &str) -> Option<Vec<Change>> {
    if base.contains(['@', '\r', '\t', '&', '*']) {
        return None;
    }
    let stream = Stream::parse(base).ok()?;
    let text = Text { starts: line_starts(base), lines: base.split('\n').collect() };
    let mut found = Vec::new();
    let mut open: Vec<Node<'_>> = stream.documents().filter_map(Document::root).collect();
    while let Some(node) = open.pop() {
        open.extend(node.children().filter(|child| child.kind().is_collection()));
        if node.is_block_collection() {
            let entries: Vec<Entry<'_>> = node.entries().collect();
            for (place, entry) in entries.iter().enumerate() {
                text.entry(*entry, entries.get(place + 1).copied(), &mut found);
            }
        }
    }
    Some(found)
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// A text by lines.
struct Text<'t> {
    starts: Vec<usize>,
    lines: Vec<&'t str>,
}

impl Text<'_> {
    fn line(&self, at: u32) -> usize {
        self.starts.partition_point(|start| *start <= at as usize) - 1
    }

    /// The changes of an entry, before another one.
    fn entry(&self, entry: Entry<'_>, next: Option<Entry<'_>>, found: &mut Vec<Change>) {
        let (line, indent) = (self.line(entry.start()), " ".repeat(entry.column()));
        if self.lines[line].get(..indent.len()) == Some(indent.as_str()) {
            let texts: &[&[&str]] = match (entry.key().is_some(), entry.value().kind()) {
                (true, _) => &[&["@: added"], &["# why @", "@:", "  inner: [1, 2]"], &["# note @"]],
                (false, Kind::Mapping) => &[&["- name: @", "  other: 1"], &["# note @"]],
                (false, _) => &[&["- @"], &["# note @"]],
            };
            let insert = |new: &&[&str]| Change {
                from: line,
                to: line,
                lines: new.iter().map(|new| format!("{indent}{new}")).collect(),
            };
            found.extend(texts.iter().map(insert));
            found.extend(next.and_then(|next| self.removal(line, self.line(next.start()))));
        }
        found.extend(self.values(entry));
    }

    /// Lines up to another entry; what stands above that is its own.
    fn removal(&self, from: usize, mut to: usize) -> Option<Change> {
        let is_above = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        while to > from + 1 && is_above(self.lines[to - 1]) {
            to -= 1;
        }
        (to > from).then(|| Change { from, to, lines: Vec::new() })
    }

    /// Another value, a comment beside it, or more text in a block scalar.
    fn values(&self, entry: Entry<'_>) -> Vec<Change> {
        let value = entry.value();
        let (from, to) = (self.line(value.span().start), self.line(value.span().end));
        let line = self.lines[from];
        let one = |line: String, at: usize| Change { from: at, to: at + 1, lines: vec![line] };
        match value.kind() {
            Kind::Plain | Kind::SingleQuoted | Kind::DoubleQuoted if from == to && from == self.line(entry.start()) => {
                let start = value.span().start as usize - self.starts[from];
                let (head, tail) = (&line[..start], &line[start + value.span().len()..]);
                let mut found = vec![one(format!("{head}@{tail}"), from)];
                found.extend((!tail.contains('#')).then(|| one(format!("{} # @", line.trim_end()), from)));
                found
            }
            Kind::Literal | Kind::Folded => {
                let inner = (from + 1..=to).filter(|at| !self.lines[*at].trim().is_empty());
                inner.map(|at| one(format!("{} @", self.lines[at]), at)).take(3).collect()
            }
            _ => Vec::new(),
        }
    }
}
