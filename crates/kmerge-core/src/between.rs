//! Copies comments and blank lines between the entries of a block collection into another collection.
//!
//! Ignores which of these lines a merge wants: that is in `merge/`.

use kyaml_ast::{EntryId, Graft, Newline, Node, Piece, Span, Stream};

/// Neighbouring entries of one list, in its order, with the lines between them, as pieces for `collection`.
pub(crate) fn neighbours(stream: &Stream<'_>, grafts: &[Graft<EntryId>], collection: Node<'_>) -> Vec<Piece> {
    let newline = Newline::of(collection.stream().source());
    let mut pieces: Vec<Piece> = Vec::with_capacity(grafts.len());
    let mut above = None;
    for graft in grafts {
        let above_it = if collection.is_block_collection() { above } else { None };
        let gap = above_it.and_then(|above| between(stream, above, graft.part));
        let column = stream.entry(graft.part).column();
        let lines = gap.map(|gap| shifted(gap.of(stream.source()), column, collection.column(), newline));
        pieces.extend(lines.map(Piece::Lines));
        pieces.push(Piece::Entry(graft.clone()));
        above = Some(graft.part);
    }
    pieces
}

/// The lines between two neighbours. `None` if there are none.
pub(crate) fn between(stream: &Stream<'_>, above: EntryId, below: EntryId) -> Option<Span> {
    let (above, below) = (stream.entry(above), stream.entry(below));
    let (start, end) = (above.extent().end, below.extent().start);
    (below.starts_line() && start < end).then(|| Span::new(start, end))
}

/// Moves lines from column `from` to column `to`.
pub(crate) fn shifted(text: &str, from: usize, to: usize, newline: Newline) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let content = line.trim_start_matches(' ');
        let indent = (line.len() - content.len() + to).saturating_sub(from);
        if !content.is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(content);
        }
        out.push_str(newline.as_str());
    }
    out
}
