//! Which entries of the destination have conflicts inside.
//!
//! Owns the question, which collections ask for each of their entries: an answer takes the logarithm of the number of conflicts.
//! Conflicts inside a collection's entries are found after its frame was made, so that earlier ones are not looked at.

use kyaml_ast::{Entry, Span, Stream};

use super::Walker;
use crate::plan::{Conflict, ConflictPlace};

/// Where conflicts are.
pub(super) struct Conflicted {
    /// In the order of their starts, each with the least end that it or any conflict behind it has.
    spans: Vec<Span>,
}

impl Walker<'_> {
    /// Where the conflicts are that were found after the first `known` ones.
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

    /// Whether any is inside an entry.
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
        // The destination has nothing there.
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
