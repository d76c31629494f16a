//! Adds the necessary fixes to edits.

use super::{Fix, Fixes};
use crate::edit::{Content, DocumentPiece, Edit, Graft, Owner, Piece};
use crate::parents::Seat;

/// Adds fixes to the edits of `owner`. Grafts inside come first, because their addresses change when the list changes.
pub(super) fn edits(list: &mut Vec<Edit>, owner: Owner, fixes: &mut Fixes) {
    for edit in list.iter_mut() {
        match edit {
            Edit::ReplaceValue { content: it, .. } | Edit::ReplaceRoot { content: it, .. } => content(it, fixes),
            Edit::Insert { pieces, .. } | Edit::Rewrite { pieces, .. } => {
                for piece in pieces {
                    match piece {
                        Piece::Entry(graft) => edits_of(graft, fixes),
                        Piece::New { value, .. } => content(value, fixes),
                        Piece::Lines(_) => {}
                    }
                }
            }
            Edit::InsertDocuments { documents, .. } => {
                for piece in documents {
                    if let DocumentPiece::Document(graft) = piece {
                        edits_of(graft, fixes);
                    }
                }
            }
            _ => {}
        }
    }
    fixes.remove(&owner).into_iter().flatten().for_each(|fix| push(list, fix));
}

fn edits_of<T>(graft: &mut Graft<T>, fixes: &mut Fixes) {
    let owner = Owner::of(graft);
    edits(&mut graft.edits, owner, fixes);
}

fn content(content: &mut Content, fixes: &mut Fixes) {
    let (owner, node) = match content {
        Content::Value(graft) | Content::Layout(graft) => (Owner::of(graft), graft.part.value),
        Content::Root(graft) => (Owner::of(graft), graft.part),
        Content::Inline(_) | Content::Block { .. } => return,
    };
    // The alias may be all that is grafted.
    let own = fixes.get_mut(&owner).map(std::mem::take).unwrap_or_default();
    let mut rest = Vec::new();
    let mut whole = None;
    for fix in own {
        match fix {
            Fix::Expand { alias, content, .. } if alias == node => whole = Some(content),
            other => rest.push(other),
        }
    }
    if let Some(whole) = whole {
        *content = whole;
        return;
    }
    fixes.insert(owner, rest);
    match content {
        Content::Value(graft) | Content::Layout(graft) => edits_of(graft, fixes),
        Content::Root(graft) => edits_of(graft, fixes),
        Content::Inline(_) | Content::Block { .. } => {}
    }
}

fn push(list: &mut Vec<Edit>, fix: Fix) {
    match fix {
        Fix::Text { span, text } => {
            list.retain(|edit| !matches!(edit, Edit::Text { span: it, .. } if *it == span));
            list.push(Edit::Text { span, text });
        }
        Fix::Expand { seat, content, alias } => list.push(match (seat, content) {
            (Seat::Value(entry), content) => Edit::ReplaceValue { entry, content },
            (Seat::Key(entry), Content::Inline(text)) => Edit::ReplaceKey { entry, text },
            (Seat::Root | Seat::Key(_), content) => Edit::ReplaceRoot { root: alias, content },
        }),
    }
}
