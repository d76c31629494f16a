//! What holds for every input of the parser.

use kyaml_ast::{
    Acceptance, BlockLayout, Document, EventKind, Newline, Node, ParseError, ParseErrorKind, ScalarPlace, ScalarSchema,
    Stream, StreamId, render_string, splice,
};

use crate::inputs::has_ambiguous_alias;
use crate::{Broken, law, tiling};

/// Checks that bytes are parsed or refused with a place inside them, under both policies; and of what was parsed: that the
/// tape holds its invariants, extents and documents tile the source, events nest and agree with the nodes, every
/// scalar can be read and written again, no edits change nothing, and the kind of line breaks does not matter.
///
/// # Errors
///
/// The law that does not hold.
pub fn parse(bytes: &[u8]) -> Result<(), Broken> {
    let Ok(source) = std::str::from_utf8(bytes) else {
        let refused = Stream::parse_bytes(bytes).err();
        return law(refused.is_some_and(|error| is_inside(&error, bytes.len())), || {
            "not UTF-8, but accepted".to_owned()
        });
    };
    let policies = [Acceptance::Strict12, Acceptance::KubeCompat];
    let [strict, lenient] = policies.map(|acceptance| Stream::parse_with(source, acceptance));
    for error in [&strict, &lenient].into_iter().filter_map(|stream| stream.as_ref().err()) {
        let is_text = source.get(error.span.range()).is_some() && !error.to_string().is_empty();
        law(is_text, || format!("the error points nowhere: {error:?}"))?;
    }
    if let (Ok(_), Err(error)) = (&strict, &lenient) {
        // The specification lets quoted scalars hold control characters, names a colon, and text inside brackets start with a
        // question mark; kubectl does not.
        let is_control = matches!(error.kind, ParseErrorKind::ControlCharacter(_));
        law(is_control || has_ambiguous_alias(source) || source.contains('?'), || {
            format!("accepted strictly, but not leniently: {error}")
        })?;
    }
    for (stream, acceptance) in [strict, lenient].into_iter().zip(policies) {
        if let Ok(stream) = stream {
            accepted(&stream, acceptance)?;
        }
    }
    Ok(())
}

fn is_inside(error: &ParseError, length: usize) -> bool {
    let span = error.span.range();
    span.start <= span.end && span.end <= length
}

fn accepted(stream: &Stream<'_>, acceptance: Acceptance) -> Result<(), Broken> {
    let source = stream.source();
    stream.check_tape().map_err(|error| Broken(format!("the tape is broken: {error}")))?;
    let concatenated: String = stream.documents().map(Document::text).collect();
    law(concatenated == source, || "documents do not tile the source".to_owned())?;
    tiling(stream)?;
    let bound = 40 * source.len() + 200;
    law(stream.heap_bytes() <= bound, || format!("{} bytes of heap", stream.heap_bytes()))?;
    events(stream)?;
    scalars(stream)?;
    let same = splice(&[stream], StreamId(0), &[]).map_err(|error| Broken(format!("no edits: {error}")))?;
    law(same == source, || format!("no edits give {same:?}"))?;
    line_breaks(stream, acceptance)
}

/// Collections open and close as the nodes nest.
fn events(stream: &Stream<'_>) -> Result<(), Broken> {
    let mut open: Vec<Option<Node<'_>>> = Vec::new();
    for event in stream.events() {
        let is_right = match event.kind {
            EventKind::DocumentStart => {
                open.push(None);
                open.len() == 1
            }
            EventKind::Start(node) => {
                open.push(Some(node));
                open.len() > 1 && node.kind().is_collection()
            }
            EventKind::End(node) => open.pop().flatten().is_some_and(|opened| opened.id() == node.id()),
            EventKind::DocumentEnd => matches!(open.pop(), Some(None)) && open.is_empty(),
            EventKind::Leaf(node) => {
                let holder = open.last().copied().flatten();
                open.len() > 1 && holder.is_some_and(|it| it.span().contains(node.span())) || open.len() == 1
            }
        };
        law(is_right, || format!("an event out of place: {event}"))?;
    }
    law(open.is_empty(), || "a document does not end".to_owned())
}

/// Every scalar has a value, and its value can be written so that it is read as the same string.
fn scalars(stream: &Stream<'_>) -> Result<(), Broken> {
    for event in stream.events() {
        let EventKind::Leaf(node) = event.kind else { continue };
        if !node.kind().is_scalar() {
            continue;
        }
        let _ = (node.resolve(ScalarSchema::Core12), node.resolve(ScalarSchema::Kube11));
        let value = node.value();
        let layout = BlockLayout { parent: Some(0), step: 2, newline: Newline::Lf };
        let block = format!("- {}\n", render_string(&value, ScalarPlace::Block(layout)));
        let flow = format!("[{}]\n", render_string(&value, ScalarPlace::Flow));
        for text in [block, flow] {
            let again = Stream::parse_with(&text, Acceptance::Strict12)
                .map_err(|error| Broken(format!("{value:?} is written as {text:?}: {error}")))?;
            let item = again.documents().next().and_then(Document::root).and_then(|root| root.children().next());
            let read = item.map(|item| item.value().into_owned());
            law(read.as_deref() == Some(&*value), || format!("{value:?} is written as {text:?}, read as {read:?}"))?;
        }
    }
    Ok(())
}

/// Other line breaks give the same events.
fn line_breaks(stream: &Stream<'_>, acceptance: Acceptance) -> Result<(), Broken> {
    let source = stream.source();
    if source.contains('\r') {
        return Ok(());
    }
    let shown = |stream: &Stream<'_>| stream.events().map(|event| event.to_string()).collect::<Vec<_>>();
    let wanted = shown(stream);
    for line_break in ["\r\n", "\r"] {
        let text = source.replace('\n', line_break);
        let other = Stream::parse_with(&text, acceptance)
            .map_err(|error| Broken(format!("refused with {line_break:?} under {acceptance:?}: {error}")))?;
        let found = shown(&other);
        law(found == wanted, || format!("with {line_break:?}: {found:?}, not {wanted:?}"))?;
    }
    Ok(())
}
