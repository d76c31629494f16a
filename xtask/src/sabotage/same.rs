//! Whether two texts differ in what a person would miss: values, the order of elements, comments and what they stand at.
//!
//! A text that is no YAML does not count as another one: the parser stands before every proof.

use kyaml_ast::{Document, Span, Stream};

/// Whether both are YAML, and do not say the same.
pub(super) fn differ(a: &str, b: &str) -> bool {
    let (Ok(a), Ok(b)) = (Stream::parse(a), Stream::parse(b)) else { return false };
    !same_values(&a, &b) || sorted(comments(&a)) != sorted(comments(&b))
}

fn same_values(a: &Stream<'_>, b: &Stream<'_>) -> bool {
    let roots = |stream: &Stream<'_>| stream.documents().filter_map(Document::root).count();
    let mut pairs = a.documents().filter_map(Document::root).zip(b.documents().filter_map(Document::root));
    roots(a) == roots(b) && pairs.all(|(a, b)| kmerge_core::same_value(a, b))
}

/// All comments, each with the key or element that it stands at.
fn comments<'s>(stream: &'s Stream<'_>) -> impl Iterator<Item = (&'s str, &'s str)> {
    let source = stream.source();
    stream.comment_spans_in(Span::new(0, source.len() as u32)).map(move |span| {
        let (start, end) = (span.start as usize, span.end as usize);
        let line = &source[source[..start].rfind('\n').map_or(0, |newline| newline + 1)..start];
        let below =
            || source[end..].lines().skip(1).map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        let at = if line.trim().is_empty() { below().unwrap_or_default() } else { line.trim() };
        (span.of(source), at.trim_start_matches(['-', ' ']).split(':').next().unwrap_or_default())
    })
}

fn sorted<T: Ord>(found: impl Iterator<Item = T>) -> Vec<T> {
    let mut found: Vec<T> = found.collect();
    found.sort_unstable();
    found
}
