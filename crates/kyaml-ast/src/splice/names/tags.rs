//! Tags whose handles a directive declares.

use crate::edit::StreamId;
use crate::event::declared_prefix;
use crate::splice::Context;
use crate::tree::{Document, NodeId};

/// A tag in full, if its handle has another prefix in the document `into` than in its own document.
pub(super) fn in_full(
    context: &Context<'_>,
    (home, tag): (Option<Document<'_>>, &str),
    into: Option<(StreamId, NodeId)>,
) -> Option<String> {
    let handle = tag[1..].find('!').map_or("!", |bang| &tag[..bang + 2]);
    let theirs = home.and_then(|document| declared_prefix(document, handle));
    let ours = into.and_then(|(id, document)| {
        let stream = context.stream(id).ok()?;
        declared_prefix(Document { stream, id: document }, handle)
    });
    if theirs == ours || tag.starts_with("!<") || tag == "!" {
        return None;
    }
    let prefix = theirs.unwrap_or(if handle == "!!" { "tag:yaml.org,2002:" } else { handle });
    Some(format!("!<{prefix}{}>", &tag[handle.len()..]))
}
