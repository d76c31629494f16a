//! What is wrong in a file that is no YAML as a whole: each document is read on its own.
//!
//! A line that begins with `---` starts a document wherever it stands, so that one document's error says nothing about
//! the others. What is only wrong between documents (a resource that stands twice) is looked for once they all parse.

use kmerge_core::Schema;
use kyaml_ast::{ParseError, Span, Stream};

use super::{Problem, faults, is_of_template};
use crate::diagnostic::Code;

/// The problems of each document of a text that does not parse because of `whole`.
pub(super) fn problems(text: &str, whole: ParseError, schema: &Schema) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut is_whole_found = false;
    for span in documents(text) {
        let part = span.of(text);
        let problems = match Stream::parse(part) {
            Ok(stream) => faults(&stream, schema),
            Err(error) if is_of_template(part, &error) => Vec::new(),
            Err(error) => {
                is_whole_found |= span.start <= whole.span.start && whole.span.start <= span.end;
                vec![Problem::new(Code::Syntax, error.to_string(), error.span)]
            }
        };
        found.extend(problems.into_iter().map(|problem| problem.below(span.start)));
    }
    if !is_whole_found {
        found.push(Problem::new(Code::Syntax, whole.to_string(), whole.span));
        found.sort_by_key(|problem| problem.span.start);
    }
    found
}

/// Where each document stands: from a `---` on, or from the directives before it.
fn documents(text: &str) -> Vec<Span> {
    let mut documents = Vec::new();
    let (mut start, mut at) = (0, 0);
    // Whether there was nothing but directives and comments since the last document ended, and whether directives.
    let (mut is_head, mut has_directives) = (true, false);
    for line in text.split_inclusive('\n') {
        if is_marker(line, "---") {
            if !has_directives {
                documents.push(Span::new(start, at));
                start = at;
            }
            (is_head, has_directives) = (false, false);
        } else if is_head {
            has_directives |= line.starts_with('%');
            is_head = line.starts_with(['%', '#']) || line.trim().is_empty();
        }
        at += line.len() as u32;
        if is_marker(line, "...") {
            documents.push(Span::new(start, at));
            start = at;
            (is_head, has_directives) = (true, false);
        }
    }
    documents.push(Span::new(start, at));
    documents.retain(|span| span.start < span.end);
    documents
}

fn is_marker(line: &str, marker: &str) -> bool {
    line.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}
