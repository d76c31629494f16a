//! What happens to the rows of a collection, and the edits that follow from it.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Edit, EntryId, Graft, NodeId, Piece, Position};

use super::{Change, Frame};
use crate::merge::lane::Disputed;

/// Rows whose entry comes, each with the destination's entry that it follows. `None`: the row comes first.
pub(super) type Places = Vec<(usize, Option<EntryId>)>;

/// What happens to the rows of a collection.
#[derive(Default)]
pub(super) struct Fates {
    /// Edits of the destination.
    pub(super) edits: Vec<Edit>,
    /// Rows that were visited, in order.
    pub(super) visited: Vec<usize>,
    /// Rows whose entry comes, or may come: [`Change::Add`] and [`Change::BothChanged`].
    pub(super) added: HashMap<usize, Change>,
    /// The places of these rows.
    pub(super) places: Places,
    /// Rows whose entry leaves its place in the destination.
    pub(super) gone: HashSet<usize>,
    /// Rows whose entry one side removed or emptied and the other changed.
    pub(super) disputed: Disputed,
    /// The lines above entries that come, by row.
    pub(super) lines_above: HashMap<usize, String>,
    /// The lines between the last of the new first entries and the entry that was first.
    pub(super) lines_below_first: String,
}

impl Fates {
    /// Takes the changes out of a frame.
    pub(super) fn of(frame: &mut Frame<'_>) -> Self {
        let mut fates = Self::default();
        for (row, change) in std::mem::take(&mut frame.changes) {
            fates.visited.push(row);
            let is_leaving = matches!(change, Change::Remove | Change::Add(_) | Change::BothChanged(_));
            if let Some(entry) = frame.aligned.rows[row].dest
                && is_leaving
            {
                fates.gone.insert(row);
                fates.edits.push(Edit::Remove { entry });
            }
            match change {
                Change::Keep(inner) => fates.edits.extend(inner),
                Change::Add(_) | Change::BothChanged(_) => _ = fates.added.insert(row, change),
                Change::Remove => {}
            }
        }
        fates
    }

    /// Whether no entry comes or goes.
    pub(super) fn keep_entries(&self) -> bool {
        self.added.is_empty() && self.gone.is_empty()
    }

    /// Whether an entry comes, and is not in conflict.
    pub(super) fn comes(&self, row: usize) -> bool {
        matches!(self.added.get(&row), Some(Change::Add(_)))
    }

    /// The entry of a row that comes.
    pub(super) fn graft(&mut self, row: usize) -> Option<&mut Graft<EntryId>> {
        if let Some(Change::Add(graft)) = self.added.get_mut(&row) { Some(graft) } else { None }
    }

    /// Whether an entry without a conflict comes behind each of these rows, to the same position.
    pub(super) fn followed(&self, places: &[(usize, Option<EntryId>)]) -> Vec<bool> {
        let mut followed = vec![false; places.len()];
        for (at, two) in places.windows(2).enumerate().rev() {
            followed[at] = two[0].1 == two[1].1 && (followed[at + 1] || self.comes(two[1].0));
        }
        followed
    }

    /// Keeps the place of a conflict before entries that come to the same position.
    pub(super) fn keep_place(&mut self, collection: NodeId, position: Position) {
        self.edits.push(Edit::Insert { collection, position, pieces: Vec::new() });
    }

    /// Adds a piece to the last insertion, if that has the same position.
    pub(super) fn insert(&mut self, at: NodeId, place: Position, piece: Piece) {
        if let Some(Edit::Insert { collection, position, pieces }) = self.edits.last_mut()
            && *collection == at
            && *position == place
            && !pieces.is_empty()
        {
            pieces.push(piece);
            return;
        }
        self.edits.push(Edit::Insert { collection: at, position: place, pieces: vec![piece] });
    }
}
