//! Prints the fields of a YAML file with their lines and comments: `cargo run -p kyaml-ast --example outline -- FILE`.
//!
//! Without a file it reads a sample, and checks what it prints.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;

use kyaml_ast::{Entry, Node, Stream, place};

const SAMPLE: &str = "\
# The front end.
kind: Deployment
spec:
  replicas: 3 # tuned
  # Keep in step with the chart.
  image: 'app:1'
";

const EXPECTED: &str = "\
2 kind = Deployment   # The front end.
3 spec
4   replicas = 3   # tuned
6   image = app:1   # Keep in step with the chart.
";

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1);
    let source = file.as_ref().map_or_else(|| Ok(SAMPLE.to_owned()), std::fs::read_to_string)?;
    let stream = Stream::parse(&source).map_err(|error| {
        let at = place(&source, error.span.start);
        format!("line {}, column {}: {error}", at.line, at.column)
    })?;
    let mut out = String::new();
    for root in stream.documents().filter_map(kyaml_ast::Document::root) {
        outline(root, &mut out)?;
    }
    if file.is_none() {
        assert_eq!(out, EXPECTED);
    }
    Ok(write!(std::io::stdout(), "{out}")?)
}

/// Writes one line for each entry, those of nested collections below it. A stack, and no recursion: files may be deep.
fn outline(root: Node<'_>, out: &mut String) -> std::fmt::Result {
    let mut open: Vec<(usize, Entry<'_>)> = Vec::new();
    push(&mut open, 0, root);
    while let Some((depth, entry)) = open.pop() {
        let source = entry.stream().source();
        let key = entry.key().map_or_else(|| "-".into(), |key| key.value().into_owned());
        write!(out, "{} {}{key}", place(source, entry.span().start).line, "  ".repeat(depth))?;
        if entry.value().kind().is_scalar() {
            write!(out, " = {}", entry.value().value())?;
        }
        for comment in [entry.lead(), entry.trail()].into_iter().flatten() {
            write!(out, "   {}", comment.of(source))?;
        }
        writeln!(out)?;
        push(&mut open, depth + 1, entry.value());
    }
    Ok(())
}

/// Puts the entries of a collection on the stack, the first one on top.
fn push<'t>(open: &mut Vec<(usize, Entry<'t>)>, depth: usize, node: Node<'t>) {
    let from = open.len();
    open.extend(node.entries().map(|entry| (depth, entry)));
    open[from..].reverse();
}
