//! What happens to rows of documents, and the edits where the destination has them.

use kyaml_ast::{Document, Edit};

use crate::slots::Slots;

/// What happens to a row of documents.
pub(super) enum Fate {
    /// The destination's document stays, with these edits inside it.
    Keep(Vec<Edit>),
    /// As [`Fate::Keep`], but with conflicts inside the document.
    Unsettled(Vec<Edit>),
    /// As [`Fate::Keep`], but the document moves to follow a new order.
    Move(Vec<Edit>),
    /// The destination's document is removed.
    Remove,
    /// The incoming document is added.
    Add,
    /// The destination has no document and gets none.
    Absent,
    /// The destination has no document, and whether it gets one is a conflict: its index in the plan.
    BothChanged(usize),
}

impl Fate {
    /// The fate of a row if edits of the destination's only document bring everything.
    pub(super) const fn filled(row: &Slots<Document<'_>>) -> Self {
        if row.dest.is_some() { Self::Keep(Vec::new()) } else { Self::Absent }
    }

    /// Lets a document that stays go to another place.
    pub(super) fn go(&mut self) {
        if let Self::Keep(inner) = self {
            *self = Self::Move(std::mem::take(inner));
        }
    }

    /// Whether the destination's document, if there is one, is in the result where it was.
    pub(super) const fn stays(&self) -> bool {
        matches!(self, Self::Keep(_) | Self::Unsettled(_))
    }

    /// Whether the result has, or may have, something at a new place.
    pub(super) const fn comes(&self) -> bool {
        matches!(self, Self::Move(_) | Self::Add | Self::BothChanged(_))
    }
}

/// The edits of rows where the destination has their documents.
pub(super) fn all_in_place(rows: &[Slots<Document<'_>>], fates: &mut [Fate]) -> Vec<Edit> {
    rows.iter().zip(fates).flat_map(|(row, fate)| in_place(*row, fate)).collect()
}

/// The edits of a row where the destination has its document.
fn in_place(row: Slots<Document<'_>>, fate: &mut Fate) -> Vec<Edit> {
    match fate {
        Fate::Keep(inner) | Fate::Unsettled(inner) => std::mem::take(inner),
        Fate::Remove | Fate::Move(_) => {
            row.dest.iter().map(|document| Edit::RemoveDocument { document: document.id() }).collect()
        }
        Fate::Add | Fate::Absent | Fate::BothChanged(_) => Vec::new(),
    }
}
