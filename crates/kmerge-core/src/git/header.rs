//! Comments above the first `---`: they belong to the file, and to no document that could be merged.
//!
//! Their lines follow the rules that decide everything else; what both sides changed, differently, is contested.

use kyaml_ast::{Span, Stream};

use crate::slots::Slots;

/// Whether a result has the header that it should have. Says nothing of files that had none.
pub(super) fn is_kept(sides: &Slots<Stream<'_>>, result: &Stream<'_>) -> bool {
    let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = sides else { return true };
    let known = header(base, &[]);
    if known.is_empty() {
        return true;
    }
    let [ours, theirs, result] = [ours, theirs, result].map(|stream| header(stream, &known));
    match (ours == known, theirs == known) {
        (true, _) => result == theirs,
        (_, true) => result == ours,
        _ => ours == theirs && result == ours,
    }
}

/// The comments above the first `---`; where there is none, those of `known` that stand above the first content.
fn header<'s>(stream: &'s Stream<'_>, known: &[&str]) -> Vec<&'s str> {
    let Some(first) = stream.documents().next() else { return Vec::new() };
    let span = first.span();
    match (first.start_marker(), first.root()) {
        (Some(marker), _) => stream.comments_in(Span::new(span.start, marker.start)).collect(),
        (None, None) => stream.comments_in(span).collect(),
        (None, Some(root)) => {
            let above = stream.comments_in(Span::new(span.start, root.span().start));
            above.filter(|comment| known.contains(comment)).collect()
        }
    }
}
