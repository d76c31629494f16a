//! Compares the meaning of two nodes: kind, tag and value. Ignores comments, quoting, layout and the order of keys.
//!
//! Invariant: equality is an equivalence. It never recurses, and takes at most time linear in the input's size times
//! the logarithm of its widest mapping. Aliases are leaves: they are equal if they name the same anchor.

use hashbrown::HashMap;
use kyaml_ast::{Kind, Node, Scalar, Span, Stream, same_scalar};

/// Whether `a` and `b` have the same value.
#[must_use]
pub fn same_value(a: Node<'_>, b: Node<'_>) -> bool {
    let mut open = vec![(a, b)];
    while let Some((a, b)) = open.pop() {
        if !same_text(a, b) && !same_shallow(a, b, &mut open) {
            return false;
        }
    }
    true
}

/// Whether two parts of streams have the same comments in the same order.
pub(crate) fn same_comments(a: (&Stream<'_>, Span), b: (&Stream<'_>, Span)) -> bool {
    a.0.comments_in(a.1).eq(b.0.comments_in(b.1))
}

/// The text of a node: its kind, its text, and for a block collection its column, without which its lines have no
/// meaning.
pub(crate) type Written<'t> = (Kind, &'t str, Option<usize>);

/// The text of a node. Nodes with the same text have the same value.
pub(crate) fn written(node: Node<'_>) -> Written<'_> {
    (node.kind(), text(node), column(node))
}

/// Whether two nodes have the same text. In very long lines, to find a column takes time: the text is compared first.
pub(crate) fn same_text(a: Node<'_>, b: Node<'_>) -> bool {
    a.kind() == b.kind() && text(a) == text(b) && column(a) == column(b)
}

fn text(node: Node<'_>) -> &str {
    node.full_span().of(node.stream().source())
}

fn column(node: Node<'_>) -> Option<usize> {
    node.is_block_collection().then(|| node.column())
}

/// Whether two nodes have the same text, or differ only in the columns of their lines.
pub(crate) fn same_but_columns(a: Node<'_>, b: Node<'_>) -> bool {
    same_text(a, b) || differ_in_columns(a, b)
}

/// Whether two nodes with different texts differ only in the columns of their lines. At another column, a comment on a
/// line of its own may belong to something else. So the answer is no if there is one.
pub(crate) fn differ_in_columns(a: Node<'_>, b: Node<'_>) -> bool {
    let [a_text, b_text] = [a, b].map(|node| text(node).as_bytes());
    !are_known_to_differ(a, b) && same_lines(a_text, b_text) && same_shape(a, b)
}

/// Whether two nodes were already found to have different values. If the difference is deep, this avoids reading the
/// lines on every level.
fn are_known_to_differ(a: Node<'_>, b: Node<'_>) -> bool {
    a.known_digest().zip(b.known_digest()).is_some_and(|(a, b)| a != b)
}

/// Whether two texts have the same lines at other columns, and no line is a comment.
fn same_lines(a: &[u8], b: &[u8]) -> bool {
    // A fast test for most texts that differ: their last lines start at the same column, or have different words.
    let last = |text: &[u8]| memchr::memrchr(b'\n', text).map_or(0, |newline| newline + 1);
    let (a_last, b_last) = (&a[last(a)..], &b[last(b)..]);
    if blanks(a_last) == blanks(b_last) || a_last[blanks(a_last)..] != b_last[blanks(b_last)..] {
        return false;
    }
    let (mut a, mut b) = (a, b);
    loop {
        (a, b) = (&a[blanks(a)..], &b[blanks(b)..]);
        // A line may end with a lone carriage return.
        let end = memchr::memchr2(b'\n', b'\r', a).map_or(a.len(), |newline| newline + 1);
        if a.first() == Some(&b'#') || b.get(..end) != Some(&a[..end]) {
            return false;
        }
        (a, b) = (&a[end..], &b[end..]);
        if a.is_empty() || b.is_empty() {
            return a.len() == b.len();
        }
    }
}

/// The number of blanks at the start of a text.
fn blanks(text: &[u8]) -> usize {
    let spaces = spaces(text);
    let left = text[spaces..].iter().position(|byte| !matches!(byte, b' ' | b'\t'));
    left.map_or(text.len(), |left| spaces + left)
}

/// How many spaces a text starts with.
fn spaces(text: &[u8]) -> usize {
    const MANY: [u8; 8] = [b' '; 8];
    let mut rest = text;
    while let Some(behind) = rest.strip_prefix(&MANY) {
        rest = behind;
    }
    text.len() - rest.len() + rest.iter().take_while(|byte| **byte == b' ').count()
}

/// Whether two nodes with the same lines contain the same nodes. (In block scalars, blanks at the start of lines
/// count.)
fn same_shape(a: Node<'_>, b: Node<'_>) -> bool {
    let mut open = vec![(a, b)];
    while let Some((a, b)) = open.pop() {
        if a.kind() != b.kind() || a.kind().is_block_scalar() && !bare_lines(a).eq(bare_lines(b)) {
            return false;
        }
        let (mut left, mut right) = (a.children(), b.children());
        loop {
            match (left.next(), right.next()) {
                (Some(a), Some(b)) => open.push((a, b)),
                (None, None) => break,
                _ => return false,
            }
        }
    }
    true
}

/// The lines of a block scalar without their indentation.
fn bare_lines(node: Node<'_>) -> impl Iterator<Item = &[u8]> {
    let (body, indent) = node.block_scalar().map_or(("", 0), |it| (it.body.of(node.stream().source()), it.indent));
    let mut rest = body.as_bytes();
    std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
        let (line, behind) = rest.split_at_checked(end).filter(|(line, _)| !line.is_empty())?;
        rest = behind;
        let line = line.strip_suffix(b"\n").map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line));
        Some(&line[spaces(&line[..line.len().min(indent)])..])
    })
}

fn same_shallow<'a, 'b>(a: Node<'a>, b: Node<'b>, open: &mut Vec<(Node<'a>, Node<'b>)>) -> bool {
    match (a.kind(), b.kind()) {
        (Kind::Mapping, Kind::Mapping) => same_tag(a, b) && same_fields(a, b, open),
        (Kind::Sequence, Kind::Sequence) => {
            let start = open.len();
            let (mut left, mut right) = (a.children(), b.children());
            loop {
                match (left.next(), right.next()) {
                    (Some(a), Some(b)) => open.push((a, b)),
                    (None, None) => break,
                    _ => {
                        open.truncate(start);
                        return false;
                    }
                }
            }
            same_tag(a, b)
        }
        (Kind::Alias, Kind::Alias) => a.alias() == b.alias(),
        (a_kind, b_kind) if a_kind.is_scalar() && b_kind.is_scalar() => same_scalars(a, b),
        _ => false,
    }
}

/// Whether two scalar nodes have the same value.
#[must_use]
pub(crate) fn same_scalars(a: Node<'_>, b: Node<'_>) -> bool {
    let (a_text, b_text) = (a.value(), b.value());
    same_scalar(scalar(a, &a_text), scalar(b, &b_text))
}

/// The text by which a scalar identifies something: a key, or an element of a set.
pub(crate) fn text_of_key(node: Node<'_>) -> String {
    match node.key_text() {
        Some(text) => text.into_owned(),
        None => text_of_complex_key(node),
    }
}

/// The text of a collection as a key: its scalars and its structure, without layout.
fn text_of_complex_key(node: Node<'_>) -> String {
    enum Step<'t> {
        Node(Node<'t>),
        Close,
    }
    let mut out = String::new();
    let mut open = vec![Step::Node(node)];
    while let Some(step) = open.pop() {
        let Step::Node(node) = step else {
            out.push(')');
            continue;
        };
        match node.key_text() {
            Some(text) => out.extend(["\u{1}", &text]),
            None if node.kind() == Kind::Alias => out.extend(["\u{1}", node.text()]),
            None => {
                out.push_str(if node.kind() == Kind::Mapping { "\u{1}map(" } else { "\u{1}seq(" });
                open.push(Step::Close);
                let children: Vec<_> = node.children().collect();
                open.extend(children.into_iter().rev().map(Step::Node));
            }
        }
    }
    out
}

/// A scalar whose `text` was decoded before.
pub(crate) fn scalar<'a>(node: Node<'a>, text: &'a str) -> Scalar<'a> {
    Scalar { kind: node.kind(), tag: node.tag(), text }
}

/// Whether a node is a null: not written, `~` or `null`.
pub(crate) fn is_null(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Null => node.tag().is_none_or(|tag| tag == "!!null"),
        Kind::Plain => matches!(node.text(), "~" | "null" | "Null" | "NULL") && node.tag().is_none(),
        _ => false,
    }
}

fn same_tag(a: Node<'_>, b: Node<'_>) -> bool {
    a.tag() == b.tag()
}

fn same_fields<'a, 'b>(a: Node<'a>, b: Node<'b>, open: &mut Vec<(Node<'a>, Node<'b>)>) -> bool {
    let start = open.len();
    let (mut left, mut right) = (a.entries(), b.entries());
    loop {
        match (left.next(), right.next()) {
            (Some(x), Some(y)) => match x.key().zip(y.key()) {
                Some((a, b)) if same_key(a, b) => open.push((x.value(), y.value())),
                _ => break,
            },
            (None, None) => return true,
            _ => {
                open.truncate(start);
                return false;
            }
        }
    }
    open.truncate(start);
    same_fields_in_any_order(a, b, open)
}

/// Whether two keys are the same. Mostly their bytes say so.
pub(crate) fn same_key(a: Node<'_>, b: Node<'_>) -> bool {
    a.text() == b.text() && a.kind() == b.kind() || text_of_key(a) == text_of_key(b)
}

fn same_fields_in_any_order<'a, 'b>(a: Node<'a>, b: Node<'b>, open: &mut Vec<(Node<'a>, Node<'b>)>) -> bool {
    let mut fields: HashMap<String, Vec<Node<'b>>> = HashMap::new();
    for entry in b.entries() {
        let key = entry.key().map(text_of_key).unwrap_or_default();
        fields.entry(key).or_default().push(entry.value());
    }
    for values in fields.values_mut() {
        values.reverse();
    }
    for entry in a.entries() {
        let key = entry.key().map(text_of_key).unwrap_or_default();
        match fields.get_mut(&key).and_then(Vec::pop) {
            Some(value) => open.push((entry.value(), value)),
            None => return false,
        }
    }
    fields.values().all(Vec::is_empty)
}
