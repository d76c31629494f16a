//! Replaces an alias that cannot stay.

use super::{Fix, Known};
use crate::edit::{Content, Edit, Graft, StreamId};
use crate::parents::Seat;
use crate::quote::double_quoted;
use crate::splice::{Context, SpliceError};
use crate::tree::{Kind, Node, NodeId};

/// The fix that puts the node that an alias refers to in its place, without the anchor. Also returns how many records
/// that is.
pub(super) fn expansion(
    context: &Context<'_>,
    known: &Known<'_>,
    (id, alias): (StreamId, NodeId),
) -> Result<(Fix, usize), SpliceError> {
    let stream = context.stream(id)?;
    let undefined = |anchor| SpliceError::UndefinedAlias { alias: stream.node(alias).span(), anchor };
    let node = stream.node(known.target(id, alias).ok_or_else(|| undefined(None))?);
    let anchor = node.anchor_span().ok_or_else(|| undefined(None))?;
    let edits = vec![Edit::Text { span: anchor, text: String::new() }];
    let seat = context.seat(id, alias);
    let is_key = matches!(seat, Seat::Key(_));
    let content = match context.seat(id, node.id()) {
        Seat::Value(part) if !is_key => Content::Value(Graft { stream: id, part, edits }),
        Seat::Root if !is_key => Content::Root(Graft { stream: id, part: node.id(), edits }),
        _ => Content::Inline(in_one_line(node).ok_or_else(|| undefined(Some(anchor)))?),
    };
    Ok((Fix::Expand { alias, seat, content }, node.record().skip()))
}

/// A scalar or flow collection as text that can stand anywhere, with its tag.
fn in_one_line(node: Node<'_>) -> Option<String> {
    let tag = node.tag().map_or_else(String::new, |tag| format!("{tag} "));
    if node.kind().is_scalar() {
        let is_plain = node.kind() == Kind::Plain && !node.text().contains('\n');
        let text = match node.kind() {
            Kind::Null if matches!(node.tag(), None | Some("!!null")) => "null".to_owned(),
            _ if is_plain => node.text().to_owned(),
            _ => double_quoted(&node.value()),
        };
        return Some(tag + &text);
    }
    let is_simple = node.is_flow() && !node.is_flow_pair() && !node.text().contains(['\n', '*']);
    is_simple.then(|| tag + node.text())
}
