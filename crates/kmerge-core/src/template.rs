//! Templates: files that become YAML only once somebody has filled them in.

use kyaml_ast::{Document, Kind, Node, Stream};

/// Whether a stream holds `{{ … }}` outside quotes, which YAML takes for a mapping whose key is a mapping.
///
/// ```
/// use kmerge_core::is_template;
/// use kyaml_ast::Stream;
///
/// assert!(is_template(&Stream::parse("replicas: {{ .Values.replicas }}\n")?));
/// assert!(!is_template(&Stream::parse("summary: '{{ $labels.pod }} is down'\n")?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn is_template(stream: &Stream<'_>) -> bool {
    if memchr::memmem::find(stream.source().as_bytes(), b"{{").is_none() {
        return false;
    }
    let mut open: Vec<Node<'_>> = stream.documents().filter_map(Document::root).collect();
    while let Some(node) = open.pop() {
        if node.kind() == Kind::Mapping && node.is_flow() && node.text().starts_with("{{") {
            return true;
        }
        open.extend(node.children());
    }
    false
}
