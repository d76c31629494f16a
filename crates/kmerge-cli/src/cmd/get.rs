//! `kmerge get`: the value at one place, read through aliases and merge keys.

use std::io::Write as _;

use kyaml_ast::{Content, Document, Edit, Graft, Node, Stream, StreamId, splice};

use crate::aliases;
use crate::cli::edit::GetArgs;
use crate::exit::Exit;
use crate::input::Source;
use crate::place;

pub(crate) fn run(args: &GetArgs) -> anyhow::Result<Exit> {
    let path = place::path(&args.place)?;
    let source = Source::read(&args.place.file)?;
    let stream = source.parse()?;
    let place = place::choose(&args.place, path, &source, &stream)?;
    let root = place.document.root().ok_or_else(|| place::no_document(&source))?;
    let node = aliases::follow(root, &place.path).0.map_err(|error| place::lost(&error, &source))?;
    let mut out = std::io::stdout().lock();
    if node.kind().is_collection() {
        out.write_all(alone(node)?.as_bytes())?;
    } else {
        let value = node.value();
        out.write_all(if node.text().is_empty() { b"null" } else { value.as_bytes() })?;
        if !value.ends_with('\n') {
            out.write_all(b"\n")?;
        }
    }
    Ok(Exit::Clean)
}

/// A collection as a text of its own.
fn alone(node: Node<'_>) -> anyhow::Result<String> {
    let frame = Stream::parse("null\n")?;
    let Some(root) = frame.documents().next().and_then(Document::root) else { return Ok(String::new()) };
    let content = Content::Root(Graft::new(StreamId(1), node.id()));
    Ok(splice(&[&frame, node.stream()], StreamId(0), &[Edit::ReplaceRoot { root: root.id(), content }])?)
}
