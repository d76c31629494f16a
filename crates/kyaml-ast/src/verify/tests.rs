//! Wrong results are detected.
#![allow(clippy::unwrap_used)]

use super::verify;
use crate::{Content, Document, Edit, Entry, Graft, Node, Piece, Position, Stream, StreamId, splice};

const TARGET: StreamId = StreamId(0);

/// `a: 1`, `b: {c: [x, z]}`, an alias, a block scalar; and a second document.
const SOURCE: &str = "a: &n 1\nb:\n  c: [x, z]\nd: *n\ne: |\n  text\n---\nf: !t g\n";

fn root<'t>(stream: &'t Stream<'t>) -> Node<'t> {
    stream.documents().find_map(Document::root).unwrap()
}

fn entry<'t>(stream: &'t Stream<'t>, index: usize) -> Entry<'t> {
    root(stream).entries().nth(index).unwrap()
}

fn is_right(edits: &[Edit], result: &str) -> bool {
    let stream = Stream::parse(SOURCE).unwrap();
    verify(&[&stream], TARGET, edits, &Stream::parse(result).unwrap()).is_ok()
}

fn edits() -> Vec<Edit> {
    let stream = Stream::parse(SOURCE).unwrap();
    let moved = Piece::Entry(Graft::new(TARGET, entry(&stream, 1).id()));
    let after = Position::After(entry(&stream, 3).id());
    vec![
        Edit::ReplaceValue { entry: entry(&stream, 0).id(), content: Content::Inline("2".into()) },
        Edit::Remove { entry: entry(&stream, 1).id() },
        Edit::Insert { collection: root(&stream).id(), position: after, pieces: vec![moved] },
    ]
}

#[test]
fn a_right_result_passes_in_any_layout() {
    let stream = Stream::parse(SOURCE).unwrap();
    let result = splice(&[&stream], TARGET, &edits()).unwrap();
    assert_eq!(result, "a: 2\nd: 1\ne: |\n  text\nb:\n  c: [x, z]\n---\nf: !t g\n");
    assert!(is_right(&edits(), &result));
    assert!(is_right(&edits(), "a: 0x2 # two\n'd': 1\ne: \"text\\n\"\nb: {c:   [x,\n   'z']}\n---\n{f: !t g}\n"));
}

#[test]
fn nothing_else_does() {
    let stream = Stream::parse(SOURCE).unwrap();
    let result = splice(&[&stream], TARGET, &edits()).unwrap();
    let wrong = [
        ("a: 2", "a: 1"),
        ("a: 2", "a: \"2\""),
        ("a: 2", "a: &n 2"),
        ("a: 2\n", ""),
        ("d: 1", "d: 2"),
        ("d: 1\ne: |\n  text\n", "e: |\n  text\nd: 1\n"),
        ("  text\n", "  text\n\n  more\n"),
        ("|\n", "|-\n"),
        ("[x, z]", "[x]"),
        ("[x, z]", "[z, x]"),
        ("[x, z]", "{x: z}"),
        ("c: [x, z]", "c: [x, z]\n  h: 1"),
        ("---\n", "---\n---\n"),
        ("!t g", "g"),
        ("!t g", "!u g"),
        ("f: !t g\n", "f: !t g\n---\nh: 1\n"),
        ("---\nf: !t g\n", ""),
    ];
    for (right, changed) in wrong {
        let text = result.replace(right, changed);
        assert_ne!(text, result, "{right}");
        assert!(!is_right(&edits(), &text), "{text}");
    }
}

#[test]
fn an_alias_means_the_node_that_it_meant() {
    assert!(is_right(&[], SOURCE));
    assert!(is_right(&[], &SOURCE.replace("*n", "1")));
    assert!(!is_right(&[], &SOURCE.replace("*n", "2")));
    assert!(!is_right(&[], &SOURCE.replace("a: &n 1", "a: 1").replace("c: [x", "c: [&n x")));
}
