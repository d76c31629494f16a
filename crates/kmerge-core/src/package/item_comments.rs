//! The comments above and beside the items of a list: decided apart from the items, by the same rules.
//!
//! The comment beside the last line of an item in block layout is its last field's, and merged with that.

use kyaml_ast::{CommentSlot, Edit, Entry, Span, StreamId};

use crate::policy::Contested;
use crate::resolve::{Outcome, resolve};
use crate::slots::Slots;

/// What an item's comments become; the incoming item is one of the stream `other`.
pub(super) fn edits(item: Slots<Entry<'_>>, comments: Contested, other: StreamId) -> Vec<Edit> {
    let (Some(dest), Some(incoming)) = (item.dest, item.incoming) else { return Vec::new() };
    let mut edits = Vec::new();
    for slot in [CommentSlot::Lead, CommentSlot::Trail] {
        if slot == CommentSlot::Trail && dest.value().is_block_collection() {
            continue;
        }
        let texts = item.filter_map(|entry| text(entry, slot));
        let (outcome, _) = resolve(texts, comments, same);
        if outcome == Outcome::Take && texts.dest != texts.incoming {
            let from = texts.incoming.map(|_| (other, incoming.id()));
            edits.push(Edit::SetComment { entry: dest.id(), slot, from });
        }
    }
    edits
}

fn text<'t>(entry: Entry<'t>, slot: CommentSlot) -> Option<&'t str> {
    let span: Option<Span> = match slot {
        CommentSlot::Lead => entry.lead(),
        CommentSlot::Trail => entry.trail(),
    };
    Some(span?.of(entry.stream().source()))
}

/// Whether two comments are the same but for their indentation.
fn same(a: &str, b: &str) -> bool {
    a.lines().map(str::trim).eq(b.lines().map(str::trim))
}
