//! Which anchors of a document aliases refer to.

use std::collections::HashMap;
use std::ops::Range;

use crate::tree::{Document, Kind};

/// Anchors and the aliases that refer to them, by their records, in the order of the anchors.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses(Vec<(usize, usize)>);

impl Uses {
    pub(super) fn of(document: Document<'_>) -> Self {
        let (stream, first) = (document.stream, document.id.index());
        let records = first..first + stream.tape[first].skip();
        let (mut uses, mut current) = (Vec::new(), HashMap::new());
        for index in records {
            let record = stream.tape[index];
            let name = || &record.leaf_span().of(stream.source)[1..];
            match record.kind {
                Kind::Anchor => _ = current.insert(name(), index),
                Kind::Alias => uses.extend(current.get(name()).map(|anchor| (*anchor, index))),
                _ => {}
            }
        }
        uses.sort_unstable();
        Self(uses)
    }

    /// An anchor among these records that an alias outside of them refers to, and the first such alias.
    pub(super) fn used_outside(&self, inside: &Range<usize>) -> Option<(usize, usize)> {
        let first = self.0.partition_point(|(anchor, _)| *anchor < inside.start);
        let here = self.0[first..].iter().take_while(|(anchor, _)| *anchor < inside.end);
        here.filter(|(_, alias)| !inside.contains(alias)).min_by_key(|(_, alias)| *alias).copied()
    }
}
