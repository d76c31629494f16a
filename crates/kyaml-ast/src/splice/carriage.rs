//! Handles line breaks that are a carriage return alone, as old Macs wrote them.
//!
//! YAML treats such a break like any other, and it has one byte like a line feed. So a tape is also valid for the text
//! with line feeds in their place, and streams are spliced as that text. The target gets its own breaks back. If it has
//! no other breaks, all its lines get carriage returns. Otherwise the breaks that stay do, and new lines end like the
//! first line that ends with a line feed.

use crate::edit::StreamId;
use crate::tree::Stream;

/// The line breaks of a target that were replaced for splicing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineBreaks {
    /// None were replaced.
    Kept,
    /// Every line feed was a carriage return alone.
    Carriage,
    /// A carriage return alone at these places of the target. Those that stay come back.
    Mixed(Vec<u32>),
}

impl LineBreaks {
    /// The places in the target's bytes where carriage returns must come back while the text is written.
    pub(super) fn carriages(&self) -> &[u32] {
        match self {
            Self::Mixed(places) => places,
            Self::Kept | Self::Carriage => &[],
        }
    }

    /// A finished text with the line breaks of the target.
    pub(super) fn restored(&self, text: String) -> String {
        match self {
            Self::Kept | Self::Mixed(_) => text,
            Self::Carriage => text.replace("\r\n", "\n").replace('\n', "\r"),
        }
    }
}

/// Calls `work` with `streams` in which lone carriage returns are line feeds, and with the line breaks that a text for
/// `target` must get back.
pub(super) fn with_line_feeds<T>(
    streams: &[&Stream<'_>],
    target: StreamId,
    work: impl FnOnce(&[&Stream<'_>], &LineBreaks) -> T,
) -> T {
    let mut alone: Vec<Vec<u32>> = streams.iter().map(|stream| carriages(stream.source)).collect();
    if alone.iter().all(Vec::is_empty) {
        return work(streams, &LineBreaks::Kept);
    }
    let texts: Vec<String> = streams.iter().zip(&alone).map(|(stream, alone)| fed(stream.source, alone)).collect();
    let changed: Vec<Stream<'_>> = streams
        .iter()
        .zip(&texts)
        .map(|(stream, source)| Stream::new(source, stream.tape.clone(), stream.acceptance))
        .collect();
    let streams_now: Vec<&Stream<'_>> = changed.iter().collect();
    let own = alone.get_mut(target.index()).map(std::mem::take).unwrap_or_default();
    let has_line_feeds = streams.get(target.index()).is_some_and(|stream| stream.source.contains('\n'));
    let breaks = match (own.is_empty(), has_line_feeds) {
        (true, _) => LineBreaks::Kept,
        (false, true) => LineBreaks::Mixed(own),
        (false, false) => LineBreaks::Carriage,
    };
    work(&streams_now, &breaks)
}

/// The positions of carriage returns without a line feed after them.
pub(super) fn carriages(source: &str) -> Vec<u32> {
    let bytes = source.as_bytes();
    memchr::memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) != Some(&b'\n')).map(|at| at as u32).collect()
}

/// The text with line feeds at these positions.
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
