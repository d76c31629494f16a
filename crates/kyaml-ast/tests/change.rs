//! Setting and deleting one place of a document.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kyaml_ast::{ChangeError, Document, NewValue, Path, Stream};
use pretty_assertions::assert_eq;

fn path(text: &str) -> Path {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn document<'t>(stream: &'t Stream<'t>) -> Document<'t> {
    stream.documents().next().unwrap()
}

fn set(source: &str, at: &str, text: &str) -> String {
    let stream = Stream::parse(source).unwrap();
    document(&stream).set(&path(at), NewValue::Text(text)).unwrap_or_else(|error| panic!("{error}"))
}

fn set_yaml(source: &str, at: &str, yaml: &str) -> String {
    let (stream, value) = (Stream::parse(source).unwrap(), Stream::parse(yaml).unwrap());
    let node = document(&value).root().unwrap();
    document(&stream).set(&path(at), NewValue::Node(node)).unwrap_or_else(|error| panic!("{error}"))
}

fn delete(source: &str, at: &str) -> Result<String, ChangeError> {
    document(&Stream::parse(source).unwrap()).delete(&path(at))
}

#[test]
fn a_string_takes_the_quotes_of_the_one_it_replaces() {
    assert_eq!(set("a: 'x' # c\nb: 1\n", ".a", "y"), "a: 'y' # c\nb: 1\n");
    assert_eq!(set("a: x\n", ".a", "8080"), "a: \"8080\"\n");
    assert_eq!(set("a: x\n", ".a", "yes"), "a: \"yes\"\n");
    assert_eq!(set("[a, 'b']\n", "[1]", "c"), "[a, 'c']\n");
    assert_eq!(set("- a\n- b\n", "[-1]", "c: d"), "- a\n- \"c: d\"\n");
    assert_eq!(set("m: {a: x}\n", ".m.a", "p, q"), "m: {a: \"p, q\"}\n");
}

#[test]
fn lines_become_a_block_where_one_can_stand() {
    assert_eq!(set("a:\n    b: x\n    c: 1\n", ".a.b", "p\nq\n"), "a:\n    b: |\n      p\n      q\n    c: 1\n");
    assert_eq!(set("a: |\n  x\nb: 1\n", ".a", "p\nq\n"), "a: |\n  p\n  q\nb: 1\n");
    assert_eq!(set("a: {b: x}\n", ".a.b", "p\nq\n"), "a: {b: \"p\\nq\\n\"}\n");
    assert_eq!(set("x: 1\r\n", ".s", "p\nq\n"), "x: 1\r\ns: |\r\n  p\r\n  q\r\n");
}

#[test]
fn nodes_come_as_they_are_written() {
    assert_eq!(set_yaml("a: \"3\" # c\n", ".a", "5"), "a: 5 # c\n");
    assert_eq!(
        set_yaml("a:\n  b: 1\n", ".a.b", "x: 1\ny: # why\n- 2\n"),
        "a:\n  b:\n    x: 1\n    y: # why\n    - 2\n"
    );
    assert_eq!(set_yaml("a: {b: 1}\n", ".a.b", "[x,  y]"), "a: {b: [x,  y]}\n");
    assert_eq!(set_yaml("a: 1\n", ".", "b: 2\n"), "b: 2\n");
    assert_eq!(set_yaml("a: 1\n", ".b.c.d", "- x\n- y\n"), "a: 1\nb:\n  c:\n    d:\n    - x\n    - y\n");
}

#[test]
fn missing_fields_are_added_on_the_way() {
    assert_eq!(set("a: 1\n", ".b", "x"), "a: 1\nb: x\n");
    assert_eq!(set("a:\n    b: 1\n", ".a.c.d", "x"), "a:\n    b: 1\n    c:\n        d: x\n");
    assert_eq!(set("a: {}\n", ".a.b.c", "x"), "a:\n  b:\n    c: x\n");
    assert_eq!(set("a: {b: 1}\n", ".a.c.d", "x"), "a: {b: 1, c: {d: x}}\n");
    assert_eq!(set("a:\nb: 1\n", ".a.c", "x"), "a:\n  c: x\nb: 1\n");
    assert_eq!(set("", ".a.b", "x"), "a:\n  b: x\n");
    assert_eq!(set("# only this", ".a", "x"), "# only this\na: x");
    assert_eq!(set("l:\n- name: a\n", ".l[name=a].image", "x:1"), "l:\n- name: a\n  image: x:1\n");
    assert_eq!(
        set("metadata:\n  annotations: {}\n", ".metadata.annotations[\"a.b/c\"]", "on"),
        "metadata:\n  annotations:\n    a.b/c: \"on\"\n"
    );
}

#[test]
fn an_empty_document_takes_any_value() {
    assert_eq!(set_yaml("", ".a.b", "1"), "a:\n  b: 1\n");
    assert_eq!(
        set_yaml("# only this\n", ".a", "x: 1\ny: # why\n- 2\n"),
        "# only this\na:\n  x: 1\n  y: # why\n  - 2\n"
    );
    assert_eq!(set("# only this\r\n", ".a", "p\nq\n"), "# only this\r\na: |\r\n  p\r\n  q\r\n");
    assert_eq!(set_yaml("\u{feff}", ".", "[1]"), "\u{feff}[1]\n");
    assert_eq!(set("", ".", "x"), "x\n");
    assert_eq!(set("", ".", "p\nq\n"), "|\n  p\n  q\n");
    let stream = Stream::parse("").unwrap();
    assert_eq!(document(&stream).set(&path(".a[0]"), NewValue::Text("x")), Err(ChangeError::Empty));
}

#[test]
fn a_null_gives_way_to_what_is_added_in_it() {
    assert_eq!(set("a: ~\n", ".a.b", "x"), "a:\n  b: x\n");
    assert_eq!(set("a: null # c\n", ".a.b.c", "x"), "a: # c\n  b:\n    c: x\n");
    assert_eq!(set("[null]\n", "[0].b", "x"), "[{b: x}]\n");
    assert_eq!(set_yaml("null\n", ".b", "1"), "b: 1\n");
    let stream = Stream::parse("a: &x\nb: *x\n").unwrap();
    let error = document(&stream).set(&path(".a.b"), NewValue::Text("x")).unwrap_err();
    assert!(matches!(error, ChangeError::Anchored { .. }));
}

#[test]
fn what_is_not_there_is_said() {
    let stream = Stream::parse("spec:\n  containers:\n  - name: app\n  replicas: 1\n").unwrap();
    let fails = |at: &str| document(&stream).set(&path(at), NewValue::Text("x")).unwrap_err().to_string();
    assert_eq!(
        fails(".spec.containers[name=ap].image"),
        "no [name=\"ap\"] in .spec.containers; did you mean [name=\"app\"]?"
    );
    assert_eq!(fails(".spec.containers[3]"), "no [3] in .spec.containers, which has 1 items");
    assert_eq!(fails(".spec.replicas.x"), "no .x in .spec.replicas, which is a scalar");
}

#[test]
fn deleting_takes_the_comments_along() {
    assert_eq!(delete("# why\na: 1 # one\nb: 2\n", ".a").unwrap(), "b: 2\n");
    assert_eq!(delete("l:\n- name: a\n- name: b\n", ".l[name=b]").unwrap(), "l:\n- name: a\n");
    assert_eq!(delete("l: [a, b, c]\n", ".l[=b]").unwrap(), "l: [a, c]\n");
    assert_eq!(delete("m:\n  a: 1\nb: 1\n", ".m.a").unwrap(), "m: {}\nb: 1\n");
    assert_eq!(delete("a: 1\n", "."), Err(ChangeError::Root));
    assert!(matches!(delete("a: 1\n", ".b"), Err(ChangeError::Lookup(_))));
}

#[test]
fn anchors_that_are_used_stay() {
    assert_eq!(set("a: &x v # c\nb: *x\n", ".a", "w"), "a: &x w # c\nb: *x\n");
    assert_eq!(set("a: &x v\nb: *x\n", ".b", "w"), "a: &x v\nb: w\n");
    assert_eq!(set("a: &x v\n", ".a", "w"), "a: w\n");
    assert_eq!(set_yaml("a: &x v\nb: *x\n", ".a", "5"), "a: &x 5\nb: *x\n");
    assert_eq!(set_yaml("a: {c: &x v, b: *x}\n", ".a.c", "!!str 1"), "a: {c: &x !!str 1, b: *x}\n");
    assert!(matches!(delete("a: {k: &x v}\nb: *x\n", ".a"), Err(ChangeError::Anchored { .. })));
    assert!(delete("a: &x v\nb: &x w\nc: *x\n", ".a").is_ok());
    let source = "a: &x {k: v}\nb: *x\nc: {d: *x}\n";
    let stream = Stream::parse(source).unwrap();
    let error = document(&stream).set(&path(".a"), NewValue::Node(document(&stream).root().unwrap())).unwrap_err();
    assert!(matches!(&error, ChangeError::Anchored { name, alias } if name == "x" && alias.of(source) == "*x"));
    let through = document(&stream).set(&path(".b.k"), NewValue::Text("w")).unwrap_err();
    assert_eq!(through.to_string(), "no .k in .b, which is an alias");
}

#[test]
fn other_documents_keep_their_bytes() {
    let source = "a: 1\n---\n# second\na: 2\n...\n---\na: 3\n";
    let stream = Stream::parse(source).unwrap();
    let second = stream.documents().nth(1).unwrap();
    let text = second.set(&path(".a"), NewValue::Text("x")).unwrap();
    assert_eq!(text, "a: 1\n---\n# second\na: x\n...\n---\na: 3\n");
}

/// Set to itself, as text or as its own node, every scalar keeps its bytes.
#[test]
fn a_value_that_is_there_already_is_not_written() {
    let values = [
        "plain",
        "of two\n  lines",
        "'single'",
        "'of two\n  lines\n\n  and more'",
        "\"double\"",
        "\"of two \\\n  lines\\u00e9\"",
        "|\n  a\n",
        "|-\n  a\n\n  b\n",
        "|+\n  a\n\n",
        "|2-\n    a\n  b\n",
        "|\n      deep\n",
        ">\n  a\n  b\n\n  c\n    more\n  d\n",
        ">+ # why\n  a\n\n\n",
        "!!str 5",
        "&x anchored",
        "y",
        "yes",
        "0x1F",
        "1_000",
        "12:30:45",
        "2001-01-01",
        "~",
        "",
        "!local x",
        "[a,  b]",
        "{a: 1, b}",
        "\n  k:   1\n  l:\n    -  2\n",
    ];
    for value in values {
        let source = format!("a: {value}\nb: 1\n");
        let stream = Stream::parse(&source).unwrap();
        let node = path(".a").find(document(&stream).root().unwrap()).unwrap().node;
        let text = node.value();
        let as_text = node.is_string().then_some(NewValue::Text(&text));
        for value in as_text.into_iter().chain([NewValue::Node(node)]) {
            assert_eq!(document(&stream).set(&path(".a"), value).as_deref(), Ok(source.as_str()));
        }
    }
    assert_eq!(set("a: y\n", ".a", "y"), "a: \"y\"\n", "a boolean to Kubernetes is no text");
    assert_eq!(set_yaml("a: 0x1F\n", ".a", "31"), "a: 0x1F\n");
    assert_eq!(set_yaml("a: x\n", ".a", "&n x"), "a: &n x\n", "an anchor is something new");
}

#[test]
fn another_text_keeps_the_indentation_of_a_block() {
    assert_eq!(set("a: |\n      one\n      two\n", ".a", "one\n2\n"), "a: |\n      one\n      2\n");
    assert_eq!(set("- |1-\n  one\n two\n", "[0]", " one\n2"), "- |1-\n  one\n 2\n");
    assert_eq!(set("a: |\n\nb: 1\n", ".a", "x\ny"), "a: |-\n  x\n  y\n\nb: 1\n");
}

/// What readers disagree about keeps all of its bytes.
#[test]
fn a_text_that_ends_the_file_without_a_line_break_stays_last() {
    for (old, at, new) in [
        ("a: |\n  x", ".b", "b: v\na: |\n  x"),
        ("a: |+\n  x", ".b", "b: v\na: |+\n  x"),
        ("a: |+\n  ", ".b", "b: v\na: |+\n  "),
        ("a: |-\n  x", ".b", "a: |-\n  x\nb: v"),
        ("a: |\n  x\n\n  ", ".b", "b: v\na: |\n  x\n\n  "),
        ("c: 1\n# why\na: >\n  x", ".b", "c: 1\nb: v\n# why\na: >\n  x"),
        ("m:\n  a: |\n    x", ".m.b", "m:\n  b: v\n  a: |\n    x"),
        ("m:\n  a: |\n    x", ".b.c", "b:\n  c: v\nm:\n  a: |\n    x"),
        ("- a: |\n    x", "[0].b", "- b: v\n  a: |\n    x"),
        ("a: |\r\n  x", ".b", "b: v\r\na: |\r\n  x"),
        ("? |\n  x", ".b", "b: v\n? |\n  x"),
        ("c: &n 1\na: &m |\n  x", ".b", "c: &n 1\na: &m |\n  x\nb: v"),
    ] {
        assert_eq!(set(old, at, "v"), new, "{old:?}");
    }
}

#[test]
fn what_comes_behind_a_key_without_a_value_leaves_no_trace() {
    for (source, at) in [("{c: 1, e: }\n", ".d"), ("m: {e: }\n", ".m.d"), ("- [a, {e:\t}]\n", "[0][1].d")] {
        let with = set(source, at, "x");
        assert_eq!(delete(&with, at).unwrap(), source, "{with}");
    }
    assert_eq!(set("{c: 1, e: }\n", ".d", "x"), "{c: 1, e: , d: x}\n");
}

#[test]
fn a_folded_text_keeps_the_lines_that_stay() {
    let source = "a: >\n  one two\n  three four\n\n  five\n  six\nb: 1\n";
    assert_eq!(set(source, ".a", "one two three 4\nfive six\n"), source.replace("four", "4"));
    assert_eq!(set(source, ".a", "one two three four\nfive six seven\n"), source.replace("six", "six seven"));
    assert_eq!(
        set(source, ".a", "one two three four\nnew\nfive six\n"),
        source.replace("four\n\n", "four\n\n  new\n\n")
    );
    assert_eq!(set(source, ".a", "x\n"), "a: >\n  x\nb: 1\n");
}
