//! Edits and grafts: what changes, and that nothing else does.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kyaml_ast::{
    CommentSlot, Content, Document, Edit, Entry, Graft, Kind, Piece, Position, Span, Stream, StreamId, splice,
};
use pretty_assertions::assert_eq;

const DEST: StreamId = StreamId(0);
const OTHER: StreamId = StreamId(1);

/// The entry at a path of field names and item numbers, as `a/0/b`.
fn at<'t>(stream: &'t Stream<'t>, path: &str) -> Entry<'t> {
    let mut node = stream.documents().next().unwrap().root().unwrap();
    let mut found = None;
    for segment in path.split('/') {
        let entry = match segment.parse::<usize>() {
            Ok(index) => node.entries().nth(index).unwrap(),
            Err(_) => node.entries().find(|entry| entry.key().unwrap().value() == segment).unwrap(),
        };
        node = entry.value();
        found = Some(entry);
    }
    found.unwrap()
}

fn parse(source: &str) -> Stream<'_> {
    Stream::parse(source).unwrap_or_else(|error| panic!("{error}: {source}"))
}

fn apply(source: &str, edits: impl Fn(&Stream<'_>) -> Vec<Edit>) -> String {
    let stream = parse(source);
    let result = splice(&[&stream], DEST, &edits(&stream)).unwrap();
    parse(&result);
    result
}

fn set(source: &str, path: &str, text: &str) -> String {
    apply(source, |stream| {
        vec![Edit::ReplaceValue { entry: at(stream, path).id(), content: Content::Inline(text.into()) }]
    })
}

fn remove(source: &str, paths: &[&str]) -> String {
    apply(source, |stream| paths.iter().map(|path| Edit::Remove { entry: at(stream, path).id() }).collect())
}

/// Replaces the value at `path` of `source` by the one at `from` of `other`.
fn graft_value(source: &str, path: &str, other: &str, from: &str) -> String {
    let (stream, other) = (parse(source), parse(other));
    let content = Content::Value(Graft::new(OTHER, at(&other, from).id()));
    let edit = Edit::ReplaceValue { entry: at(&stream, path).id(), content };
    let result = splice(&[&stream, &other], DEST, &[edit]).unwrap();
    parse(&result);
    result
}

/// Inserts the entry at `from` of `other` after the entry at `path` (or first in that entry's collection).
fn graft_entry(source: &str, path: &str, is_first: bool, other: &str, from: &str) -> String {
    let (stream, other) = (parse(source), parse(other));
    let entry = at(&stream, path);
    let position = if is_first { Position::First } else { Position::After(entry.id()) };
    let pieces = vec![Piece::Entry(Graft::new(OTHER, at(&other, from).id()))];
    let edit = Edit::Insert { collection: entry.id().collection, position, pieces };
    let result = splice(&[&stream, &other], DEST, &[edit]).unwrap();
    parse(&result);
    result
}

/// Inserts the entry at `from` of `other` into the empty collection at `path`.
fn fill(source: &str, path: &str, other: &str, from: &str) -> String {
    let (stream, other) = (parse(source), parse(other));
    let collection = at(&stream, path).value().id();
    let pieces = vec![Piece::Entry(Graft::new(OTHER, at(&other, from).id()))];
    let edit = Edit::Insert { collection, position: Position::First, pieces };
    let result = splice(&[&stream, &other], DEST, &[edit]).unwrap();
    parse(&result);
    result
}

fn comment(source: &str, path: &str, slot: CommentSlot, other: &str, from: Option<&str>) -> String {
    let (stream, other) = (parse(source), parse(other));
    let from = from.map(|from| (OTHER, at(&other, from).id()));
    let edit = Edit::SetComment { entry: at(&stream, path).id(), slot, from };
    let result = splice(&[&stream, &other], DEST, &[edit]).unwrap();
    parse(&result);
    result
}

#[test]
fn replaces_scalars_in_place() {
    assert_eq!(set("a:   1   # c\nb: 2\n", "a", "5"), "a:   5   # c\nb: 2\n");
    assert_eq!(set("a:\nb: 2\n", "a", "5"), "a: 5\nb: 2\n");
    assert_eq!(set("a: # c\nb: 2\n", "a", "5"), "a: 5 # c\nb: 2\n");
    assert_eq!(set("- 1\n-\n", "1", "x"), "- 1\n- x\n");
    assert_eq!(set("a: 1", "a", "2"), "a: 2");
    assert_eq!(set("a: 1\r\nb: 2\r\n", "a", "3"), "a: 3\r\nb: 2\r\n");
    assert_eq!(set("a: &x 1\nb: *x\n", "b", "2"), "a: &x 1\nb: 2\n");
    assert_eq!(set("a: {b: 1, c: 2}\n", "a/b", "9"), "a: {b: 9, c: 2}\n");
    assert_eq!(set("a: [1, 2]\n", "a/1", "9"), "a: [1, 9]\n");
    assert_eq!(set("a: {b, c: 2}\n", "a/b", "9"), "a: {b: 9, c: 2}\n");
    assert_eq!(set("\u{feff}a: 1\n", "a", "2"), "\u{feff}a: 2\n");
}

#[test]
fn comments_between_properties_and_text_stay() {
    for (source, text, expected) in [
        ("a: !t # b\n  x # c\n", "z", "a: # b\n  z # c\n"),
        ("a: &n # b\n  x # c\n", "&n z", "a: &n # b\n  z # c\n"),
        ("a: &n # b\n  # d\n  !t # e\n  x # c\n", "&n z", "a: # b\n  # d\n  # e\n  &n z # c\n"),
        ("a:\n  # b\n  !t\n  # d\n  x # c\n", "z", "a:\n  # b\n  # d\n  z # c\n"),
        ("a: !t # b\n  |\n  x\n", "z", "a: # b\n  z\n"),
        ("a: &n # b\n  !t\n  # c\n  k: v # d\n", "z", "a: # b\n  z\n"),
        ("{a: !t # b\n  x # c\n  }\n", "z", "{a: # b\n  z # c\n  }\n"),
        ("a: !t # b\n  x # c\n", "", "a: # b\n  # c\n"),
    ] {
        assert_eq!(set(source, "a", text), expected, "{source:?} {text:?}");
    }
    assert_eq!(graft_value("a: !t # b\n  x # c\n", "a", "d: {k: v}\n", "d"), "a: # b\n  {k: v} # c\n");
    assert_eq!(graft_value("a: !t # b\n  x # c\n", "a", "d:\n  k: v\n", "d"), "a: # b\n  # c\n  k: v\n");
    // A new value that has comments there, too, comes without them: each of the two is a comment of its own document.
    for (source, new, expected) in [
        ("a: &n # b\n  x # c\n", "d: &n # b\n  y\n", "a: &n # b\n  y # c\n"),
        ("a: &n # b\n  x # c\n", "d: &m # e\n  !t # f\n  y\n", "a: # b\n  &m !t y # c\n"),
        ("a: &n # b\n  x # c\n", "d: &n # e\n  [y]\n", "a: &n # b\n  [y] # c\n"),
        ("a: &n # b\n  x # c\n", "d: &n # e\n  |\n  y\n", "a: &n # b\n  | # c\n  y\n"),
        ("a: x # c\n", "d: &n # b\n  y\n", "a: &n # b\n  y # c\n"),
    ] {
        assert_eq!(graft_value(source, "a", new, "d"), expected, "{source:?} {new:?}");
    }
}

#[test]
fn replaces_collections_by_scalars_and_back() {
    assert_eq!(set("a: # c\n  x: 1\n  y: 2\nb: 2\n", "a", "5"), "a: 5 # c\nb: 2\n");
    assert_eq!(set("a: | # c\n  text\n\n  more\nb: 2\n", "a", "5"), "a: 5 # c\nb: 2\n");
    assert_eq!(set("- x: 1\n  y: 2\n- 3\n", "0", "5"), "- 5\n- 3\n");
    assert_eq!(
        graft_value("a: 1 # c\nb: 2\n", "a", "q:\n    x: 1\n    y: 2\n", "q"),
        "a: # c\n    x: 1\n    y: 2\nb: 2\n"
    );
    assert_eq!(graft_value("- 1\n- 2\n", "0", "q:\n    x: 1\n    y: 2\n", "q"), "- x: 1\n  y: 2\n- 2\n");
    assert_eq!(graft_value("- 1 # c\n- 2\n", "0", "q:\n    x: 1\n", "q"), "- # c\n  x: 1\n- 2\n");
    assert_eq!(graft_value("a: 1\nb: 2", "b", "q: |-\n    x\n     y\n", "q"), "a: 1\nb: |-\n    x\n     y");
    assert_eq!(graft_value("a:\n  b: 1\n", "a/b", "q: |2-\n    x\n  y\n", "q"), "a:\n  b: |2-\n      x\n    y\n");
    assert_eq!(
        graft_value("a:\n- 1\nb:\n  c: 1\n", "b/c", "q:\n  - 1\n  - 2\n", "q"),
        "a:\n- 1\nb:\n  c:\n  - 1\n  - 2\n"
    );
    assert_eq!(graft_value("a:\n  - 1\nb: 1\n", "b", "q: &x\n- 1\n", "q"), "a:\n  - 1\nb: &x\n  - 1\n");
}

#[test]
fn removes_entries_with_what_they_own() {
    assert_eq!(remove("# lead\na: 1 # t\n\nb: 2\n", &["a"]), "\nb: 2\n");
    assert_eq!(remove("a: 1\n# lead\nb: 2\n", &["b"]), "a: 1\n");
    assert_eq!(remove("a: 1\nb: 2", &["b"]), "a: 1");
    assert_eq!(remove("x:\n  a: 1\nb: 2\n", &["x/a"]), "x: {}\nb: 2\n");
    assert_eq!(remove("x: # c\n- a\n- b\nb: 2\n", &["x/0", "x/1"]), "x: [] # c\nb: 2\n");
    assert_eq!(remove("- name: x\n  image: y\n  z: 1\n", &["0/name"]), "- image: y\n  z: 1\n");
    assert_eq!(remove("- name: x\n  image: y\n  z: 1\n", &["0/name", "0/image"]), "- z: 1\n");
    assert_eq!(remove("- name: x\n- b\n", &["0/name"]), "- {}\n- b\n");
    assert_eq!(remove("a:\n  b: 1\n  # foot of a\nc: 1\n", &["a"]), "c: 1\n");
    assert_eq!(remove("a: 1\n", &["a"]), "{}\n");
    assert_eq!(remove("# licence\n\na: 1\nb: 1\n", &["a"]), "# licence\n\nb: 1\n");
}

#[test]
fn removes_flow_entries_with_their_commas() {
    assert_eq!(remove("a: [1, 2, 3]\n", &["a/0"]), "a: [2, 3]\n");
    assert_eq!(remove("a: [1, 2, 3]\n", &["a/1"]), "a: [1, 3]\n");
    assert_eq!(remove("a: [1, 2, 3]\n", &["a/2"]), "a: [1, 2]\n");
    assert_eq!(remove("a: [1, 2, 3]\n", &["a/1", "a/2"]), "a: [1]\n");
    assert_eq!(remove("a: {x: 1}\n", &["a/x"]), "a: {}\n");
    assert_eq!(remove("a: [\n  1,\n  2\n]\n", &["a/1"]), "a: [\n  1\n]\n");
    assert_eq!(remove("a: [\n  1, # one\n  2 # two\n]\n", &["a/1"]), "a: [\n  1 # one\n]\n");
    assert_eq!(remove("a: [\n  1,\n  2,\n]\n", &["a/0"]), "a: [\n  2,\n]\n");
}

#[test]
fn inserts_entries_at_the_column_of_their_siblings() {
    assert_eq!(
        graft_entry("s:\n    a: 1\n    c: 3\n", "s/a", false, "t:\n  # lead\n  b: # t\n    - x\n", "t/b"),
        "s:\n    a: 1\n    # lead\n    b: # t\n      - x\n    c: 3\n"
    );
    assert_eq!(graft_entry("a: 1", "a", false, "b: 2\n", "b"), "a: 1\nb: 2");
    assert_eq!(graft_entry("l:\n- a\n", "l/0", true, "k:\n    - b\n", "k/0"), "l:\n- b\n- a\n");
    assert_eq!(graft_entry("l:\n  - n: a\n", "l/0/n", true, "k:\n- m: 1\n", "k/0/m"), "l:\n  - m: 1\n    n: a\n");
    assert_eq!(graft_entry("l:\n  - n: a\n", "l/0/n", false, "k:\n- m: 1\n", "k/0/m"), "l:\n  - n: a\n    m: 1\n");
    assert_eq!(graft_entry("a: 1\r\n", "a", false, "b:\n  c: 2\n", "b"), "a: 1\r\nb:\r\n  c: 2\r\n");
    assert_eq!(graft_entry("l:\n- a\n", "l/0", false, "k: [b, {c: d}]\n", "k/1"), "l:\n- a\n- {c: d}\n");
    assert_eq!(graft_entry("a: 1\n", "a", false, "k: {\"x\":1, y}\n", "k/x"), "a: 1\n\"x\": 1\n");
}

#[test]
fn inserts_into_flow_collections() {
    assert_eq!(graft_entry("a: [1, 2]\n", "a/0", false, "b:\n- 9\n", "b/0"), "a: [1, 9, 2]\n");
    assert_eq!(
        graft_entry("a: [1, 2]\n", "a/1", false, "b:\n- x: 1\n  y: [1]\n", "b/0"),
        "a: [1, 2, {x: 1, y: [1]}]\n"
    );
    assert_eq!(graft_entry("a: {x: 1}\n", "a/x", true, "b: 2 # c\n", "b"), "a:\n  b: 2 # c\n  x: 1\n");
    assert_eq!(graft_entry("a: [\n  1,\n  2\n]\n", "a/1", false, "b: [3]\n", "b/0"), "a: [\n  1,\n  2,\n  3\n]\n");
    assert_eq!(
        graft_entry("a: [\n  1, # x\n  2 # y\n]\n", "a/1", false, "b: [3]\n", "b/0"),
        "a: [\n  1, # x\n  2, # y\n  3\n]\n"
    );
    assert_eq!(graft_entry("a: {x: 1}\n", "a/x", false, "b: |\n  t\n  u\n", "b"), "a:\n  x: 1\n  b: |\n    t\n    u\n");
}

#[test]
fn fills_empty_collections() {
    assert_eq!(fill("a: {} # c\nb: 1\n", "a", "x:\n  y: 1\n", "x/y"), "a: # c\n  y: 1\nb: 1\n");
    assert_eq!(fill("a: []\nb: 1\n", "a", "x:\n  - y: 1\n    z: 2\n", "x/0"), "a:\n- y: 1\n  z: 2\nb: 1\n");
    assert_eq!(fill("z:\n  - 1\na: []\n", "a", "x:\n- y\n", "x/0"), "z:\n  - 1\na:\n  - y\n");
    assert_eq!(fill("- {}\n- 1\n", "0", "x:\n  y: 1\n", "x/y"), "- y: 1\n- 1\n");
    assert_eq!(fill("a: [{}]\n", "a/0", "x:\n  y: 1\n", "x/y"), "a: [{y: 1}]\n");
    assert_eq!(fill("a: {}", "a", "x:\n  y: 1\n", "x/y"), "a:\n  y: 1");
}

#[test]
fn sets_comments() {
    use CommentSlot::{Lead, Trail};
    assert_eq!(comment("a: 1\n", "a", Trail, "x: 1   # new\n", Some("x")), "a: 1   # new\n");
    assert_eq!(comment("a: 1  # old\n", "a", Trail, "x: 1 # new\n", Some("x")), "a: 1  # new\n");
    assert_eq!(comment("a: 1  # old\n", "a", Trail, "x: 1\n", None), "a: 1\n");
    assert_eq!(comment("a:\n  b: 1\n", "a", Trail, "x: 1 # n\n", Some("x")), "a: # n\n  b: 1\n");
    assert_eq!(comment("a: |\n  t\n", "a", Trail, "x: 1 # n\n", Some("x")), "a: | # n\n  t\n");
    assert_eq!(comment("a:\n  b: 1\n", "a/b", Lead, "# n\n# m\nx: 1\n", Some("x")), "a:\n  # n\n  # m\n  b: 1\n");
    assert_eq!(comment("# o\na: 1\n", "a", Lead, "# n\nx: 1\n", Some("x")), "# n\na: 1\n");
    assert_eq!(comment("z: 0\n# o\na: 1\n", "a", Lead, "x: 1\n", None), "z: 0\na: 1\n");
    assert_eq!(comment("- a\n- b\n", "0", Lead, "# n\nx: 1\n", Some("x")), "# n\n- a\n- b\n");
}

#[test]
fn a_comment_above_the_first_key_behind_a_dash_stays_above_it() {
    use CommentSlot::Lead;
    let why = "# why\nx: 1\n";
    assert_eq!(comment("- name: x\n  v: 1\n", "0/name", Lead, why, Some("x")), "-\n  # why\n  name: x\n  v: 1\n");
    assert_eq!(comment("- - a\n", "0/0", Lead, why, Some("x")), "-\n  # why\n  - a\n");
    assert_eq!(comment("- - a: 1\n", "0/0/a", Lead, why, Some("x")), "- -\n    # why\n    a: 1\n");
    assert_eq!(graft_entry("- n: a\n", "0/n", true, why, "x"), "-\n  # why\n  x: 1\n  n: a\n");
    assert_eq!(graft_entry("- # t\n  n: a\n", "0/n", true, why, "x"), "- # t\n  # why\n  x: 1\n  n: a\n");
    assert_eq!(remove("- a: 1\n  # why\n  b: 2\n", &["0/a"]), "-\n  # why\n  b: 2\n");
    assert_eq!(remove("- - a: 1\n    # why\n    b: 2\n", &["0/0/a"]), "- -\n    # why\n    b: 2\n");
    assert_eq!(remove("- a: 1\n\n  # why\n\n  b: 2\n", &["0/a"]), "-\n  # why\n\n  b: 2\n");
    assert_eq!(remove("- a: 1\r\n  # why\r\n  b: 2\r\n", &["0/a"]), "-\r\n  # why\r\n  b: 2\r\n");
}

/// Inserts the root of `other` as the last item of `list` in `source`.
fn added_root(source: &str, other: &str) -> String {
    let (stream, other) = (parse(source), parse(other));
    let items = at(&stream, "list").value();
    let root = other.documents().next().unwrap().root().unwrap();
    let pieces = vec![Piece::New { key: None, value: Content::Root(Graft::new(OTHER, root.id())) }];
    let position = Position::After(items.entries().last().unwrap().id());
    let result =
        splice(&[&stream, &other], DEST, &[Edit::Insert { collection: items.id(), position, pieces }]).unwrap();
    parse(&result);
    result
}

#[test]
fn a_comment_at_the_head_of_a_document_that_becomes_an_item_stands_above_it() {
    let list = "list:\n  - t: |\n      text\n";
    assert_eq!(added_root(list, "# c\na: 1\nb: 2\n"), format!("{list}  # c\n  - a: 1\n    b: 2\n"));
    assert_eq!(added_root(list, "# c\n    # d\n- 1\n- 2\n"), format!("{list}  # c\n  # d\n  - - 1\n    - 2\n"));
    assert_eq!(added_root(list, "# c\na: |+\n  x\n\n"), format!("{list}  # c\n  - a: |+\n      x\n\n"));
    assert_eq!(added_root(list, "a: 1\n# c\nb: 2\n"), format!("{list}  - a: 1\n    # c\n    b: 2\n"));
}

/// Gives the empty value of `from` in `other` an entry on its way to `place` of `source`.
fn filled((source, place): (&str, &str), (other, from): (&str, &str)) -> String {
    let (stream, other) = (parse(source), parse(other));
    let from = at(&other, from);
    let key = (from.value().kind() == Kind::Mapping).then(|| "x".to_owned());
    let pieces = vec![Piece::New { key, value: Content::Inline("1".to_owned()) }];
    let edits = vec![Edit::Insert { collection: from.value().id(), position: Position::First, pieces }];
    let content = Content::Value(Graft { stream: OTHER, part: from.id(), edits });
    splice(&[&stream, &other], DEST, &[Edit::ReplaceValue { entry: at(&stream, place).id(), content }]).unwrap()
}

#[test]
fn empty_brackets_that_are_filled_on_their_way_stand_as_others_do_where_they_arrive() {
    assert_eq!(filled(("a: 1\n", "a"), ("v: {}\n", "v")), "a:\n  x: 1\n");
    assert_eq!(filled(("a: 1\n", "a"), ("- - []\n", "0/0")), "a:\n- 1\n");
    assert_eq!(filled(("- 1\n", "0"), ("v: {}\n", "v")), "- x: 1\n");
    assert_eq!(filled(("a: 1 # t\n", "a"), ("v: [ # c\n  ]\n", "v")), "a: # t\n# c\n- 1\n");
    // In brackets, they stay brackets.
    assert_eq!(filled(("{a: 1}\n", "a"), ("v: {}\n", "v")), "{a: {x: 1}}\n");
    assert_eq!(filled(("a: 1\n", "a"), ("[{}]\n", "0")), "a: {x: 1}\n");
}

#[test]
fn a_comment_turns_a_flow_collection_into_a_block() {
    use CommentSlot::{Lead, Trail};
    let why = "# why\nx: 1 # t\n";
    assert_eq!(comment("a: {b: 1, c: 2}\n", "a/c", Lead, why, Some("x")), "a:\n  b: 1\n  # why\n  c: 2\n");
    assert_eq!(comment("a: [b, c]\n", "a/0", Trail, why, Some("x")), "a:\n- b # t\n- c\n");
    assert_eq!(comment("a: [b, c]\n", "a/0", Lead, why, Some("x")), "a:\n# why\n- b\n- c\n");
}

/// A document that opens has more lines than before: an edit of bytes below stays with what it was about.
#[test]
fn bytes_below_a_flow_collection_that_opens_are_found_again() {
    let (why, emptied) = (parse("# why\nx: 1\n"), |source: &str, text: &str| {
        let start = source.find(text).unwrap() as u32;
        Edit::Text { span: Span::new(start, start + text.len() as u32), text: String::new() }
    });
    for (source, text, expected) in [
        ("--- {b: 1}\n\n# é\n", "# é\n", "---\n# why\nb: 1\n\n"),
        ("# é\n--- {b: 1}\n", "# é\n", "---\n# why\nb: 1\n"),
        ("--- {b: 1}\n# é\n# c\n---\n# d\nc: x\n# é e\n", "# é\n", "---\n# why\nb: 1\n# c\n---\n# d\nc: x\n# é e\n"),
        ("--- {b: 1}\n# é\n---\n# d\nc: x\n# é e\n", "# d\n", "---\n# why\nb: 1\n# é\n---\nc: x\n# é e\n"),
        ("--- {b: 1, c: éx }\n# é\n", "é", "---\n# why\nb: 1\nc: x\n# é\n"),
    ] {
        let stream = parse(source);
        let root = stream.documents().find_map(Document::root).unwrap();
        let entry = root.entries().next().unwrap().id();
        let comment = Edit::SetComment { entry, slot: CommentSlot::Lead, from: Some((OTHER, at(&why, "x").id())) };
        let edits = [comment, emptied(source, text)];
        assert_eq!(splice(&[&stream, &why], DEST, &edits).unwrap(), expected, "{source:?} without {text:?}");
    }
}

#[test]
fn comments_behind_brackets_in_brackets_come_once() {
    let opened = |source, path| graft_entry(source, path, false, "- y # c\n", "0");
    assert_eq!(opened("a: [\n  [x],  # s\n  ] # t\n", "a/0/0"), "a: # t\n- # s\n  - x\n  - y # c\n");
    assert_eq!(
        opened("c: {\n a: [\n  [x],  # s\n  ],   # t\n  d: e}\n", "c/a/0/0"),
        "c:\n  a: # t\n  - # s\n    - x\n    - y # c\n  d: e\n"
    );
}

#[test]
fn the_comment_behind_a_key_is_its_trail_whatever_the_value_is() {
    use CommentSlot::Trail;
    let why = "x: 1 # t\n";
    assert_eq!(comment("a: # o\n  {b: 1}\n", "a", Trail, why, Some("x")), "a: # t\n  {b: 1}\n");
    assert_eq!(comment("a: # o\n  {b: 1}\n", "a", Trail, why, None), "a:\n  {b: 1}\n");
    assert_eq!(comment("a: 1\n", "a", Trail, "x: # o\n  {b: 1}\n", Some("x")), "a: 1 # o\n");
    assert_eq!(comment("- # o\n  text\n", "0", Trail, why, Some("x")), "- # t\n  text\n");
    assert_eq!(comment("a: # o\n  1 # p\n", "a", Trail, why, Some("x")), "a: # o\n  1 # t\n");
}

/// A carriage return alone is a line break: what is grafted comes without it, what stays keeps it.
#[test]
fn carriage_returns_among_line_feeds_are_line_breaks() {
    for value in ["{t: i\rn}", "[i\rn]", "{? i\rn\n: x}", "{t: 'i\rn'}", "{t: \"i\rn\", # c\r u: 1}", "[i, # c\rn]"] {
        let other = format!("a: {value}\n");
        graft_value("a: {t: x}\n", "a", &other, "a");
        graft_value("a:\n  t: x\n", "a", &other, "a");
        graft_value("a: {t: x}\n", "a/t", &other, "a");
    }
    assert_eq!(graft_value("a: {t: x}\n", "a/t", "a: {t: i\rn}\n", "a/t"), "a: {t: \"i n\"}\n");
    assert_eq!(graft_value("- x\n- y\n", "0", "- |\r  a\r  b\n", "0"), "- |\n  a\n  b\n- y\n");
    assert_eq!(set("a: [x,\ry]\rb: 1\n# c\rc: 2\n", "b", "3"), "a: [x,\ry]\rb: 3\n# c\rc: 2\n");
}
