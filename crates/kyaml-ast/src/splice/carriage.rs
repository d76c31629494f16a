//! Files whose lines end with a carriage return alone, as old Macs wrote them.
//!
//! YAML takes such a line break like any other, byte for byte, so a tape holds for the text with line feeds in their place:
//! streams are spliced as that text, and the result gets its line breaks back. Ignores files that mix a carriage return
//! alone with other line breaks: there, new lines end with a line feed.

use super::SpliceError;
use crate::edit::StreamId;
use crate::tree::Stream;

/// Renders a text from `streams`, of which none ends its lines with a carriage return alone, in the line breaks of `target`.
pub(super) fn with_line_feeds(
    streams: &[&Stream<'_>],
    target: StreamId,
    render: impl FnOnce(&[&Stream<'_>]) -> Result<String, SpliceError>,
) -> Result<String, SpliceError> {
    let is_old = |stream: &&Stream<'_>| is_carriage_only(stream.source);
    if !streams.iter().any(is_old) {
        return render(streams);
    }
    let texts: Vec<Option<String>> =
        streams.iter().map(|stream| is_old(stream).then(|| stream.source.replace('\r', "\n"))).collect();
    let changed: Vec<Option<Stream<'_>>> = streams
        .iter()
        .zip(&texts)
        .map(|(stream, text)| {
            let source = text.as_deref()?;
            Some(Stream { source, tape: stream.tape.clone(), acceptance: stream.acceptance })
        })
        .collect();
    let streams_now: Vec<&Stream<'_>> =
        streams.iter().zip(&changed).map(|(stream, changed)| changed.as_ref().unwrap_or(stream)).collect();
    let text = render(&streams_now)?;
    let is_target_old = texts.get(target.index()).is_some_and(Option::is_some);
    Ok(if is_target_old { text.replace("\r\n", "\n").replace('\n', "\r") } else { text })
}

fn is_carriage_only(source: &str) -> bool {
    memchr::memchr(b'\n', source.as_bytes()).is_none() && memchr::memchr(b'\r', source.as_bytes()).is_some()
}
