//! What real manifests hold besides short fields: licences and explanations above them, long annotations, whole files.
//!
//! Real files have one node or comment in some 20 bytes; fields alone have one in 13.

use crate::build::{lines, map_of, quoted};
use crate::model::{Content, Document, Entry, Line, Node};
use crate::rng::Rng;
use crate::words::{LINES, WORDS, paragraph};

/// Adds prose to a document, as often as people and tools do.
pub(super) fn add(document: &mut Document, rng: &mut Rng) {
    let Content::Mapping(entries, _) = &mut document.root.content else { return };
    if let Some(data) = field(entries, "data").filter(|_| rng.chance(50)) {
        let (name, text) = (format!("{}.conf", rng.pick(WORDS)), file(rng));
        data.push(Entry::field(name, lines(text)));
    }
    if let Some(metadata) = field(entries, "metadata").filter(|_| rng.chance(40)) {
        annotate(metadata, rng);
    }
    if let Some(first) = entries.first_mut().filter(|_| rng.chance(40)) {
        first.lead = head(rng);
    }
}

fn field<'n>(entries: &'n mut [Entry], name: &str) -> Option<&'n mut Vec<Entry>> {
    let wanted = Node::plain(name);
    let entry = entries.iter_mut().find(|entry| entry.key.as_ref().is_some_and(|key| key.node == wanted))?;
    if let Content::Mapping(entries, _) = &mut entry.value.content { Some(entries) } else { None }
}

/// A licence or an explanation, set off from the manifest or right above it.
fn head(rng: &mut Rng) -> Vec<Line> {
    let count = rng.between(2, 12);
    let comment = |rng: &mut Rng| Line::Comment { text: format!("# {}", paragraph(rng, 1)), outdent: 0 };
    let mut lines: Vec<Line> = (0..count).map(|_| comment(rng)).collect();
    lines.extend(rng.chance(50).then_some(Line::Blank));
    lines
}

/// A description, or what was last applied, which is the whole object on one line.
fn annotate(metadata: &mut Vec<Entry>, rng: &mut Rng) {
    let sentences = rng.between(2, 10);
    let name = if rng.chance(50) { "example.com/notes" } else { "example.com/last-applied" };
    let value = quoted(paragraph(rng, sentences));
    match field(metadata, "annotations") {
        Some(annotations) => annotations.push(Entry::field(name, value)),
        None => metadata.push(Entry::field("annotations", map_of(vec![(name.to_owned(), value)]))),
    }
}

fn file(rng: &mut Rng) -> String {
    let count = rng.between(10, 80);
    (0..count).map(|_| format!("{}\n", rng.pick(LINES).trim_end())).collect()
}
