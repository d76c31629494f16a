//! Finds the destination's entries that have a conflict inside.
//!
//! Collections ask this for each of their entries. An answer takes time logarithmic in the number of conflicts.
//! Conflicts inside a collection are recorded after its frame was made, so earlier conflicts are not looked at.

use kyaml_ast::{Entry, Span, Stream};

use super::Walker;
use crate::plan::{Conflict, ConflictPlace};

/// The places of conflicts.
pub(super) struct Conflicted {
    /// Sorted by start. The end of each is the smallest end of this and all later conflicts.
    spans: Vec<Span>,
}

impl Walker<'_> {
    /// The places of all conflicts after the first `known` ones.
    pub(super) fn conflicted(&self, known: usize) -> Conflicted {
        let conflicts = self.plan.conflicts.get(known..).unwrap_or_default();
        Conflicted::new(conflicts.iter().filter_map(|conflict| place_of(conflict, self.streams.dest?)).collect())
    }
}

impl Conflicted {
    fn new(mut spans: Vec<Span>) -> Self {
        spans.sort_unstable_by_key(|span| span.start);
        let mut least = u32::MAX;
        for span in spans.iter_mut().rev() {
            least = least.min(span.end);
            span.end = least;
        }
        Self { spans }
    }

    /// Whether a conflict is inside an entry.
    pub(super) fn any_in(&self, entry: Entry<'_>) -> bool {
        self.any_within(entry.extent())
    }

    fn any_within(&self, outer: Span) -> bool {
        let first = self.spans.partition_point(|span| span.start < outer.start);
        self.spans.get(first).is_some_and(|span| span.end <= outer.end)
    }
}

fn place_of(conflict: &Conflict, dest: &Stream<'_>) -> Option<Span> {
    match conflict.place {
        // The destination has no entry there.
        ConflictPlace::Gap(collection, _) => Some(dest.node(collection).span()),
        _ => conflict.spans.dest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_a_conflict_where_one_is_wholly_inside() {
        let all: Vec<Span> = (0..6).flat_map(|start| (start..6).map(move |end| Span::new(start, end))).collect();
        for spans in [&[][..], &[(1, 4)], &[(3, 3), (1, 5)], &[(4, 5), (0, 5), (1, 2)], &[(2, 4), (2, 3), (5, 5)]] {
            let spans: Vec<Span> = spans.iter().map(|(start, end)| Span::new(*start, *end)).collect();
            let conflicted = Conflicted::new(spans.clone());
            for outer in &all {
                let is_inside = spans.iter().any(|span| outer.contains(*span));
                assert_eq!(conflicted.any_within(*outer), is_inside, "{spans:?} in {outer:?}");
            }
        }
    }
}
