//! Templates: files that become YAML only after they are rendered.

use kyaml_ast::{Document, Kind, Node, ParseError, ParseErrorKind, Stream};

/// Whether a text is not YAML because it is a template: the parser says so, or a template expression stands before the
/// place of the error or on its line.
///
/// ```
/// use kmerge_core::is_of_template;
/// use kyaml_ast::Stream;
///
/// let fails = |text| Stream::parse(text).is_err_and(|error| is_of_template(text, &error));
/// assert!(fails("{% if x %}\na: 1\n{% endif %}\n"));
/// assert!(!fails("a: 'b\n"));
/// ```
#[must_use]
pub fn is_of_template(text: &str, error: &ParseError) -> bool {
    let at = error.span.start as usize;
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let line = before.len() - before.bytes().rev().take_while(|byte| *byte != b'\n').count();
    let line = &text[line..at.min(text.len()) + after.find('\n').unwrap_or(after.len())];
    error.kind == ParseErrorKind::Template
        || line.contains("{%")
        || template_in(text).is_some_and(|template| template <= at)
}

/// The first template expression at the start of a value, item or line. The text need not be YAML.
#[must_use]
pub(crate) fn template_in(text: &str) -> Option<usize> {
    let mut start = 0;
    text.split_inclusive('\n').find_map(|line| {
        let at = start;
        start += line.len();
        expression_in(line).map(|found| at + found)
    })
}

/// The starts of template expressions, statements and comments.
const STARTS: [&str; 3] = ["{{", "{%", "{#"];

/// The place in a line where a value starts with an expression. Comments are skipped.
fn expression_in(line: &str) -> Option<usize> {
    let found = STARTS.iter().filter_map(|start| line.find(start)).min()?;
    let key = line[..found].trim_start_matches(['-', ' ', '\t']).trim_end();
    (key.is_empty() || key.ends_with(':') && !key.starts_with('#')).then_some(found)
}

/// Whether a stream has `{{ … }}` outside quotes. YAML reads this as a mapping whose key is a mapping.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_where_a_template_starts() {
        assert_eq!(template_in("a: 1\n  {{- if .Values.on }}\n"), Some(7));
        assert_eq!(template_in("- key: {{ .Values.key }}\n"), Some(7));
        assert_eq!(template_in("a: 1\n{% if x %}\n"), Some(5));
        assert_eq!(template_in("summary: '{{ $labels.pod }}' # {{ no }}\n"), None);
    }
}
