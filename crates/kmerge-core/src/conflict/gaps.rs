//! The places of conflicts among the entries that come between the same two entries.
//!
//! Invariant: in the edits of a plan, an insertion without pieces keeps the place of a conflict between those that come before it and
//! those behind it. There is one for each such conflict, in their order. Without one, a conflict comes behind all others.

use std::collections::VecDeque;

use hashbrown::HashMap;
use kyaml_ast::{Edit, NodeId, Piece, Position};

/// A position in a collection.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Gap {
    pub(super) collection: NodeId,
    pub(super) position: Position,
}

/// The places that are kept, by where they are.
pub(super) struct Gaps(HashMap<Gap, VecDeque<usize>>);

impl Gaps {
    pub(super) fn of(edits: &[Edit]) -> Self {
        let mut kept: HashMap<_, VecDeque<usize>> = HashMap::new();
        for (at, edit) in edits.iter().enumerate() {
            if let Edit::Insert { collection, position, pieces } = edit
                && pieces.is_empty()
            {
                let gap = Gap { collection: *collection, position: *position };
                kept.entry(gap).or_default().push_back(at);
            }
        }
        Self(kept)
    }

    /// Inserts what the next conflict at a position brings, if it brings anything.
    pub(super) fn put(&mut self, edits: &mut Vec<Edit>, gap: Gap, brought: Vec<Piece>) {
        let kept = self.0.get_mut(&gap).and_then(VecDeque::pop_front);
        match kept.and_then(|kept| edits.get_mut(kept)) {
            Some(Edit::Insert { pieces, .. }) => *pieces = brought,
            _ if brought.is_empty() => {}
            _ => edits.push(Edit::Insert { collection: gap.collection, position: gap.position, pieces: brought }),
        }
    }
}

/// Drops the places of conflicts that bring nothing.
pub(super) fn without_kept(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.retain(|edit| !matches!(edit, Edit::Insert { pieces, .. } if pieces.is_empty()));
    edits
}

#[cfg(test)]
mod tests {
    use kyaml_ast::Stream;

    use super::*;

    #[test]
    fn conflicts_stand_where_their_places_are_kept_else_behind_all_others() {
        let stream = Stream::parse("a: 1\n").expect("YAML");
        let gap = Gap { collection: stream.root().expect("a root").id(), position: Position::First };
        let insert = |pieces| Edit::Insert { collection: gap.collection, position: gap.position, pieces };
        let lines = |text: &str| vec![Piece::Lines(text.to_owned())];
        let mut edits = vec![insert(Vec::new()), insert(lines("x")), insert(Vec::new()), insert(lines("y"))];
        let mut gaps = Gaps::of(&edits);
        for brought in [Vec::new(), lines("2"), Vec::new(), lines("4")] {
            gaps.put(&mut edits, gap, brought);
        }
        let expected = ["x", "2", "y", "4"].map(|text| insert(lines(text)));
        assert_eq!(without_kept(edits), expected);
    }
}
