//! Line breaks that are a carriage return alone, as old Macs wrote them.
//!
//! YAML takes such a line break like any other, byte for byte, so a tape holds for the text with line feeds in their place:
//! streams are spliced as that text. The target gets its own breaks back: all lines where it has no others, else those
//! that stay; new lines of a file that mixes them end as its first line with a line feed does.

use super::SpliceError;
use crate::edit::StreamId;
use crate::tree::Stream;

/// Renders a text from `streams` without carriage returns that stand alone, in the line breaks of `target`; to `render` goes
/// where carriage returns have to come back in the target's bytes.
pub(super) fn with_line_feeds(
    streams: &[&Stream<'_>],
    target: StreamId,
    render: impl FnOnce(&[&Stream<'_>], &[u32]) -> Result<String, SpliceError>,
) -> Result<String, SpliceError> {
    let alone: Vec<Vec<u32>> = streams.iter().map(|stream| carriages(stream.source)).collect();
    if alone.iter().all(Vec::is_empty) {
        return render(streams, &[]);
    }
    let texts: Vec<String> = streams.iter().zip(&alone).map(|(stream, alone)| fed(stream.source, alone)).collect();
    let changed: Vec<Stream<'_>> = streams
        .iter()
        .zip(&texts)
        .map(|(stream, source)| Stream { source, tape: stream.tape.clone(), acceptance: stream.acceptance })
        .collect();
    let streams_now: Vec<&Stream<'_>> = changed.iter().collect();
    let index = target.index();
    let has_line_feeds = streams.get(index).is_some_and(|stream| stream.source.contains('\n'));
    if has_line_feeds {
        return render(&streams_now, &alone[index]);
    }
    let text = render(&streams_now, &[])?;
    let is_old = alone.get(index).is_some_and(|alone| !alone.is_empty());
    Ok(if is_old { text.replace("\r\n", "\n").replace('\n', "\r") } else { text })
}

/// The carriage returns that no line feed follows.
pub(super) fn carriages(source: &str) -> Vec<u32> {
    let bytes = source.as_bytes();
    memchr::memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) != Some(&b'\n')).map(|at| at as u32).collect()
}

/// The text with line feeds at these places.
pub(super) fn fed(source: &str, alone: &[u32]) -> String {
    let mut out = String::with_capacity(source.len());
    let mut done = 0;
    for &at in alone {
        out.push_str(&source[done..at as usize]);
        out.push('\n');
        done = at as usize + 1;
    }
    out.push_str(&source[done..]);
    out
}
