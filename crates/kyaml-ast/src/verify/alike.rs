//! Decides when two nodes are equal without looking inside, and when two scalars have the same meaning.

use crate::scalar::{Scalar, same_scalar};
use crate::span::Span;
use crate::tree::{Kind, Node, Record};

/// Whether a node is a copy of another, byte for byte and record for record.
pub(super) fn is_copy(wanted: Node<'_>, found: Node<'_>) -> bool {
    let (theirs, ours) = (records(wanted), records(found));
    let (span, copy) = (span_of(theirs), span_of(ours));
    let is_same_text = span.of(wanted.stream().source) == copy.of(found.stream().source);
    let is_same = |(a, b): (&Record, &Record)| {
        // The same header can mean another indentation at another place.
        let (a, b) = (a.moved(|at| at - span.start), b.moved(|at| at - copy.start));
        a.stands_as(b) && (a.kind != Kind::Indent || a.column == b.column)
    };
    theirs.len() == ours.len() && is_same_text && theirs.iter().zip(ours).all(is_same)
}

fn records<'t>(node: Node<'t>) -> &'t [Record] {
    &node.stream().tape[node.first_record()..node.after()]
}

fn span_of(records: &[Record]) -> Span {
    let end = records.last().map_or(0, |last| last.leaf_span().end);
    Span::new(records.first().map_or(end, |record| record.start), end)
}

/// Whether two nodes are scalars of the same value. Their tags are compared elsewhere.
pub(super) fn is_same_scalar(wanted: Node<'_>, found: Node<'_>) -> bool {
    if !found.kind().is_scalar() {
        return false;
    }
    let is_text = !wanted.kind().is_block_scalar() && wanted.kind() == found.kind();
    if is_text && wanted.text() == found.text() {
        return true;
    }
    let (theirs, ours, tag) = (wanted.value(), found.value(), wanted.tag());
    let theirs = Scalar { kind: wanted.kind(), tag, text: &theirs };
    same_scalar(theirs, Scalar { kind: found.kind(), tag, text: &ours })
}

/// Whether a node is a null without properties, written or not.
pub(super) fn is_nothing(node: Node<'_>) -> bool {
    let null = Scalar { kind: Kind::Null, tag: None, text: "" };
    let text = node.value();
    let scalar = Scalar { kind: node.kind(), tag: node.tag(), text: &text };
    node.kind().is_scalar() && node.anchor().is_none() && same_scalar(null, scalar)
}
