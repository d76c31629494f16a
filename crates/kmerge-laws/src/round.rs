//! One round: a text, another one to graft from, and random edits.

use kmerge_testgen::Rng;
use kyaml_ast::{
    Acceptance, CommentSlot, Content, Edit, Entry, Graft, NodeId, Piece, Span, SpliceError, Stream, StreamId, line_end,
    splice, splice_unchecked,
};

use crate::aliases::{found, wanted};
use crate::change::Streams;
use crate::comments::comments;
use crate::model::{Order, roots};
use crate::outside::outside;
use crate::random::Picker;
use crate::{Broken, law, tiling};

/// What came of a round whose laws hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The edits were applied.
    Applied,
    /// The edits were refused, with a reason that a caller can foresee.
    Refused,
}

/// Applies up to `count` random edits to `source`, with grafts from it and from `other`, and checks what came of it.
///
/// The result parses (strictly, where the inputs do), means what the edits say, keeps all bytes that no edit is about, and
/// obeys [`tiling`].
///
/// # Errors
///
/// The law that does not hold, with all that it takes to see it.
///
/// # Panics
///
/// Where `source` or `other` is not YAML.
pub fn edit_round(source: &str, other: &str, seed: u64, count: usize) -> Result<Outcome, Broken> {
    let parse = |text| Stream::parse(text).expect("the inputs are YAML");
    let (stream, other) = (parse(source), parse(other));
    let streams = [&stream, &other];
    let mut rng = Rng::new(seed);
    let edits = Picker::new(&mut rng, &streams, StreamId(0)).edits(count);
    check(&streams, &edits).map_err(|broken| {
        Broken(format!(
            "{broken}\n--- seed {seed}\n--- source\n{source}\n--- other\n{}\n--- edits\n{edits:?}",
            other.source()
        ))
    })
}

/// Checks that edits of a file whose lines end with a carriage return alone, all or some of them, give what they give with
/// line feeds, and that what stays keeps its line breaks.
///
/// # Errors
///
/// The two results, where they differ.
///
/// # Panics
///
/// Where `source` or `other` is not YAML, or has carriage returns.
pub fn carriage_round(source: &str, other: &str, seed: u64, count: usize) -> Result<(), Broken> {
    assert!(!source.contains('\r') && !other.contains('\r'), "the inputs have no carriage returns");
    let edited = |source: &str, other: &str| {
        let parse = |text| Stream::parse(text).expect("the inputs are YAML");
        let (stream, other) = (parse(source), parse(other));
        let streams = [&stream, &other];
        let edits = Picker::new(&mut Rng::new(seed), &streams, StreamId(0)).edits(count);
        let result = splice(&streams, StreamId(0), &edits).ok();
        // A carriage return that comes to stand before an empty line has to become a line feed: the two would be one break.
        let is_sure = |result: &&String| [source, result].iter().all(|text| !text.replace('\r', "\n").contains("\n\n"));
        let stays = result.as_ref().filter(is_sure).map_or(Ok(()), |result| outside(&stream, &edits, result));
        stays.map(|()| result.map(|text| text.replace('\r', "\n")))
    };
    let wanted = edited(source, other)?;
    let carriage = |text: &str| text.replace('\n', "\r");
    let rng = &mut Rng::new(seed);
    let (mixed, other_mixed) = (with_carriages(source, rng), with_carriages(other, rng));
    for (source, other) in
        [(carriage(source), carriage(other)), (mixed, other_mixed.clone()), (source.into(), other_mixed)]
    {
        let found = edited(&source, &other).map_err(|broken| Broken(format!("seed {seed}: {broken} in {source:?}")))?;
        law(wanted == found, || format!("seed {seed}: wanted {wanted:?}\nfound  {found:?}\nof {source:?}, {other:?}"))?;
    }
    Ok(())
}

/// The text with a carriage return for some of its line feeds; of two in a row, never for the first alone.
fn with_carriages(text: &str, rng: &mut Rng) -> String {
    let mut next = ' ';
    let mixed: Vec<char> = text
        .chars()
        .rev()
        .map(|char| {
            let is_changed = char == '\n' && next != '\n' && rng.chance(30);
            next = if is_changed { '\r' } else { char };
            next
        })
        .collect();
    mixed.into_iter().rev().collect()
}

fn check(streams: &[&Stream<'_>; 2], edits: &[Edit]) -> Result<Outcome, Broken> {
    let result = match splice(streams, StreamId(0), edits) {
        Ok(result) => result,
        Err(error) if is_foreseeable(streams, (StreamId(0), edits), &error) => return Ok(Outcome::Refused),
        Err(error) => {
            let text = splice_unchecked(streams, StreamId(0), edits).unwrap_or_default();
            return Err(Broken(format!("refused: {error}\n--- result\n{text}")));
        }
    };
    let shown = |broken: Broken| Broken(format!("{broken}\n--- result\n{result}"));
    means(streams, edits, &result).map_err(shown)?;
    outside(streams[0], edits, &result).map_err(shown)?;
    Ok(Outcome::Applied)
}

fn means(streams: &[&Stream<'_>; 2], edits: &[Edit], result: &str) -> Result<(), Broken> {
    let parsed = Stream::parse(result).map_err(|error| Broken(format!("does not parse: {error}")))?;
    if streams.iter().all(|stream| is_read_alike(stream)) {
        let strict = Stream::parse_with(result, Acceptance::Strict12);
        strict.map_err(|error| Broken(format!("does not parse strictly: {error}")))?;
    }
    let wanted = wanted(streams, Streams(streams, edits).documents());
    let found = found(roots(&parsed));
    let order = if streams[0].source().ends_with(['\n', '\r']) { Order::Kept } else { Order::Free };
    let is_same =
        wanted.len() == found.len() && wanted.iter().zip(&found).all(|(wanted, found)| wanted.same(found, order));
    law(is_same, || format!("wanted {wanted:?}\nfound  {found:?}"))?;
    comments(streams, edits, &parsed)?;
    tiling(&parsed)
}

/// Whether both policies read the same. `[?a]` is text by `ns-plain-first(c)`, and a key to kubectl: what is edited is not
/// what the specification reads then.
fn is_read_alike(stream: &Stream<'_>) -> bool {
    let events = |stream: &Stream<'_>| stream.events().map(|event| event.to_string()).collect::<Vec<_>>();
    let strict = Stream::parse_with(stream.source(), Acceptance::Strict12);
    strict.is_ok_and(|strict| events(&strict) == events(stream))
}

/// Whether edits ask for something that has no place: a comment inside a flow collection that is, or lies in, a key, or on
/// a line that has one.
fn is_foreseeable(streams: &[&Stream<'_>], (id, edits): (StreamId, &[Edit]), error: &SpliceError) -> bool {
    let stream = streams[id.0 as usize];
    let is_here = edits.iter().any(|edit| match edit {
        Edit::ReplaceValue { entry, .. } | Edit::Rewrite { entry, .. } | Edit::SetComment { entry, .. } => {
            is_in_flow_key(stream, entry.collection)
        }
        Edit::Insert { collection, .. } => is_in_flow_key(stream, *collection),
        _ => false,
    });
    // There is one comment to a line.
    let is_taken = edits.iter().any(|edit| match edit {
        Edit::SetComment { entry, slot: CommentSlot::Trail, .. } => has_comment_of_another(stream.entry(*entry)),
        _ => false,
    });
    if is_taken && matches!(error, SpliceError::NoPlace(_)) {
        return true;
    }
    // An anchor in a key, and an alias inside its own anchor, cannot be copied.
    if matches!(error, SpliceError::UndefinedAlias { .. }) {
        return true;
    }
    let is_inside = || edits.iter().flat_map(grafts).any(|graft| is_foreseeable(streams, graft, error));
    matches!(error, SpliceError::NoPlace(_)) && (is_here || is_inside())
}

/// Whether a comment that is not the entry's own stands behind it on its line.
fn has_comment_of_another(entry: Entry<'_>) -> bool {
    let source = entry.stream().source();
    let end = entry.span().end;
    entry.trail().is_none() && Span::new(end, line_end(source, end)).of(source).contains('#')
}

fn is_in_flow_key(stream: &Stream<'_>, collection: NodeId) -> bool {
    let all = crate::random::entries(stream);
    let mut is_flow = false;
    let mut node = collection;
    loop {
        is_flow |= stream.node(node).is_flow();
        let Some(holder) = all.iter().find(|entry| entry.value == node || entry.key == Some(node)) else {
            return false;
        };
        if holder.key == Some(node) {
            return is_flow;
        }
        node = holder.collection;
    }
}

/// What is grafted by an edit, with its own edits.
fn grafts(edit: &Edit) -> Vec<(StreamId, &[Edit])> {
    fn content(content: &Content) -> Option<(StreamId, &[Edit])> {
        match content {
            Content::Value(Graft { stream, edits, .. }) | Content::Layout(Graft { stream, edits, .. }) => {
                Some((*stream, edits.as_slice()))
            }
            Content::Root(Graft { stream, edits, .. }) => Some((*stream, edits.as_slice())),
            _ => None,
        }
    }
    match edit {
        Edit::ReplaceValue { content: it, .. } | Edit::ReplaceRoot { content: it, .. } => {
            content(it).into_iter().collect()
        }
        Edit::Insert { pieces, .. } | Edit::Rewrite { pieces, .. } => pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Entry(graft) => Some((graft.stream, graft.edits.as_slice())),
                Piece::New { value, .. } => content(value),
                Piece::Lines(_) => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}
