//! Valid YAML of any kind: every style, every layout, comments everywhere, anchors, tags, directives, line endings.

use std::collections::HashSet;

use crate::model::{Comment, Content, Document, Entry, Form, Gap, Key, Layout, Line, Node, Scalar, Stream, Style};
use crate::rng::Rng;
use crate::words::{COMMENTS, LINES, TRICKY, TYPED, WORDS, sentence};

/// Nesting beyond which only scalars come.
const DEEPEST: usize = 7;

/// A valid stream of about `nodes` nodes, in YAML 1.2's strict sense; texts are unusual on purpose.
///
/// ```
/// let stream = kmerge_testgen::random_stream(7, 40);
/// assert_eq!(stream.text(), kmerge_testgen::random_stream(7, 40).text());
/// assert!(stream.events().starts_with("+STR\n"));
/// ```
#[must_use]
pub fn random_stream(seed: u64, nodes: usize) -> Stream {
    let mut rng = Rng::new(seed);
    let count = if rng.chance(75) { 1 } else { rng.between(2, 4) };
    let documents = (0..count).map(|_| document(&mut rng, nodes / count)).collect();
    let mut stream = Stream { documents, bom: rng.chance(3), crlf: rng.chance(8), cut: rng.chance(10) };
    stream.settle_markers();
    stream
}

fn document(rng: &mut Rng, nodes: usize) -> Document {
    let mut maker = Maker { rng, left: nodes, anchors: Vec::new(), anchored: 0 };
    let root = maker.root();
    let directive = rng.chance(8).then(|| rng.pick(&["%YAML 1.2", "%TAG !e! tag:example.com,2000:"]));
    let tail = lines(rng, 10);
    Document { directive, start: rng.chance(40), root, tail, end: rng.chance(10) }
}

/// A node to put into a variant of some document: small, without anchors and aliases.
pub(crate) fn small_node(rng: &mut Rng, in_flow: bool) -> Node {
    let mut node = Maker { rng, left: 4, anchors: Vec::new(), anchored: 0 }.node(DEEPEST - 1, in_flow);
    strip_anchors(&mut node);
    node
}

fn strip_anchors(node: &mut Node) {
    node.anchor = None;
    if let Content::Alias(name) = &node.content {
        node.content = Content::Scalar(Scalar::new(name.clone(), Style::Double));
    }
    if let Content::Mapping(entries, _) | Content::Sequence(entries, _) = &mut node.content {
        for entry in entries {
            strip_anchors(&mut entry.value);
            if let Some(key) = &mut entry.key {
                strip_anchors(&mut key.node);
            }
        }
    }
}

struct Maker<'r> {
    rng: &'r mut Rng,
    /// Nodes still to be made.
    left: usize,
    /// Anchors that an alias may refer to.
    anchors: Vec<String>,
    anchored: usize,
}

impl Maker<'_> {
    fn root(&mut self) -> Node {
        match self.rng.below(20) {
            0 => Node::scalar(self.flow_scalar()),
            1 => Node::scalar(Scalar::new("first\n  second\n", Style::Literal)),
            2 => Node::default(),
            3 => self.collection(0, true),
            _ => self.collection(0, false),
        }
    }

    fn node(&mut self, depth: usize, in_flow: bool) -> Node {
        self.left = self.left.saturating_sub(1);
        if !self.anchors.is_empty() && self.rng.chance(6) {
            return Node::alias(self.anchors[self.rng.below(self.anchors.len())].clone());
        }
        if !in_flow && self.rng.chance(5) {
            return Node::default();
        }
        let is_collection = self.left > 0 && depth < DEEPEST && self.rng.chance(45);
        let node = if is_collection { self.collection(depth, in_flow) } else { self.scalar(in_flow) };
        self.with_properties(node)
    }

    fn with_properties(&mut self, mut node: Node) -> Node {
        if self.rng.chance(6) {
            self.anchored += 1;
            let name = format!("{}{}", self.rng.pick(&["a", "anchor-", "x_", "é"]), self.anchored);
            self.anchors.push(name.clone());
            node.anchor = Some(name);
        }
        if self.rng.chance(6) {
            node.tag = Some(match node.content {
                Content::Mapping(..) => self.rng.pick(&["!!map", "!local"]),
                Content::Sequence(..) => self.rng.pick(&["!!seq", "!local"]),
                _ => self.rng.pick(&["!!str", "!local", "!", "!<tag:example.com,2000:x>", "!!binary"]),
            });
        }
        node
    }

    fn collection(&mut self, depth: usize, in_flow: bool) -> Node {
        let layout = layout(self.rng, in_flow);
        let in_flow = in_flow || layout.form != Form::Block;
        let is_mapping = layout.form == Form::Pair || self.rng.chance(65);
        let count = match layout.form {
            Form::Pair => 1,
            _ if self.rng.chance(6) => 0,
            _ => self.rng.between(1, 5.min(self.left.max(1))),
        };
        let mut names = HashSet::new();
        let entries = (0..count)
            .map(|_| {
                let key = is_mapping.then(|| self.key(&mut names, depth, in_flow));
                self.entry(key, depth, in_flow)
            })
            .collect();
        if is_mapping { Node::mapping(entries, layout) } else { Node::sequence(entries, layout) }
    }

    fn entry(&mut self, key: Option<Key>, depth: usize, in_flow: bool) -> Entry {
        let value = self.node(depth + 1, in_flow);
        let gap = if self.rng.chance(92) { Gap::default() } else { self.rng.pick(&[Gap::Spaces(3), Gap::Tab]) };
        let trail = self.rng.chance(9).then(|| comment(self.rng));
        Entry { lead: lines(self.rng, 8), key, gap, value, trail }
    }

    fn key(&mut self, names: &mut HashSet<String>, depth: usize, in_flow: bool) -> Key {
        let explicit = self.rng.chance(6);
        if explicit && self.rng.chance(40) {
            return Key { node: self.node(depth + 1, in_flow), explicit };
        }
        let style =
            self.rng.pick(&[Style::Plain, Style::Plain, Style::Plain, Style::Plain, Style::Single, Style::Double]);
        let mut name = if style != Style::Plain && self.rng.chance(30) {
            self.rng.pick(TRICKY).to_owned()
        } else if self.rng.chance(8) {
            self.rng.pick(TYPED).to_owned()
        } else {
            self.rng.pick(WORDS).to_owned()
        };
        while !names.insert(name.clone()) {
            name.push_str("-2");
        }
        let style = if style == Style::Single && name.contains(char::is_control) { Style::Double } else { style };
        Key { node: Node::scalar(Scalar::new(name, style)), explicit }
    }

    fn scalar(&mut self, in_flow: bool) -> Node {
        let is_block = !in_flow && self.rng.chance(15);
        Node::scalar(if is_block { block_scalar(self.rng) } else { self.flow_scalar() })
    }

    fn flow_scalar(&mut self) -> Scalar {
        let rng = &mut *self.rng;
        let style =
            rng.pick(&[Style::Plain, Style::Plain, Style::Plain, Style::Single, Style::Double, Style::DoubleEscaped]);
        match (style, rng.below(10)) {
            (Style::Plain, 0..=2) => Scalar::new(rng.pick(TYPED), style),
            (_, 0..=2) => Scalar::new(rng.pick(TYPED), style),
            (Style::Plain, 3) => Scalar::new(rng.pick(PLAIN_TRICKY), style),
            (Style::Single, 3..=4) => Scalar::new(rng.pick(TRICKY).replace('\t', " "), style),
            (Style::Double | Style::DoubleEscaped, 3..=4) => Scalar::new(rng.pick(TRICKY), style),
            (Style::Double, 5) => Scalar::new("bell\u{7} break\n\u{1b}[0m \\ end", style),
            (_, 6..=7) => prose(rng, style),
            _ => Scalar::new(rng.pick(WORDS), style),
        }
    }
}

/// The part of [`TRICKY`] that is plain in block context.
const PLAIN_TRICKY: &[&str] = &[
    "a#b",
    "a:b",
    "-x",
    "--dry-run=client",
    "http://example.com/p?q=1#f",
    "a, b",
    "x [y] {z}",
    "it's",
    "say \"hi\"",
    "100%",
    "a & b",
    "a*b",
    "x!",
    "a | b",
    "é",
    "日本語",
    "😀 ok",
    "\\d+",
    "$(VAR)",
    "?x",
    ":x",
];

fn prose(rng: &mut Rng, style: Style) -> Scalar {
    let words = rng.between(2, 12);
    let mut text = sentence(rng, words);
    if rng.chance(15) {
        let words = rng.between(1, 6);
        text = format!("{text}{}{}", "\n".repeat(rng.between(1, 3)), sentence(rng, words));
    }
    Scalar { text, style, wrap: if rng.chance(50) { rng.between(1, 6) } else { 0 } }
}

fn block_scalar(rng: &mut Rng) -> Scalar {
    let style = if rng.chance(70) { Style::Literal } else { Style::Folded };
    let ending = "\n".repeat(rng.pick(&[0, 1, 1, 1, 2, 3]));
    if style == Style::Folded || rng.chance(15) {
        let scalar = prose(rng, style);
        return Scalar { text: scalar.text + &ending, ..scalar };
    }
    let count = rng.between(1, 6);
    let lines: Vec<&str> = (0..count).map(|_| rng.pick(LINES)).collect();
    Scalar::new(lines.join("\n") + &ending, style)
}

fn layout(rng: &mut Rng, in_flow: bool) -> Layout {
    let form = if in_flow || rng.chance(20) {
        rng.pick(&[Form::Tight, Form::Tight, Form::Spaced, Form::Lines, Form::Pair])
    } else {
        Form::Block
    };
    Layout { form, step: rng.pick(&[2, 2, 2, 4, 0, 0, 1, 3, 8]), inline: rng.chance(75) }
}

fn comment(rng: &mut Rng) -> Comment {
    Comment { text: rng.pick(COMMENTS).to_owned(), gap: rng.pick(&[1, 1, 2, 8]) }
}

/// Comment and blank lines, `percent` times in a hundred.
fn lines(rng: &mut Rng, percent: usize) -> Vec<Line> {
    if !rng.chance(percent) {
        return Vec::new();
    }
    let count = rng.between(1, 3);
    (0..count).map(|_| if rng.chance(35) { Line::Blank } else { own_line(rng) }).collect()
}

pub(crate) fn own_line(rng: &mut Rng) -> Line {
    Line::Comment { text: rng.pick(COMMENTS).to_owned(), outdent: if rng.chance(90) { 0 } else { rng.below(9) } }
}
