//! Changes that are collected: what each one writes, and when the ones before it have to be written first.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kyaml_ast::{ChangeError, Changes, CommentSlot, Document, NewValue, Pattern, Stream};
use pretty_assertions::assert_eq;

fn document<'t>(stream: &'t Stream<'t>) -> Document<'t> {
    stream.documents().next().unwrap()
}

fn set(source: &str, paths: &[&str], text: &str) -> Result<String, ChangeError> {
    let stream = Stream::parse(source).unwrap();
    let mut changes = Changes::new(&stream);
    for path in paths {
        let pattern: Pattern = path.parse().unwrap();
        for end in pattern.follow(document(&stream).root().unwrap()) {
            assert!(changes.holds(&end), "{path}");
            changes.set(document(&stream), &end, NewValue::Text(text))?;
        }
    }
    changes.finish()
}

#[test]
fn several_changes_are_written_at_once() {
    assert_eq!(
        set("a: 1\nb:\n- x\nm: {}\n", &[".a", ".b[+]", ".m.k", ".m.l", ".b[+]"], "z").unwrap(),
        "a: z\nb:\n- x\n- z\n- z\nm:\n  k: z\n  l: z\n"
    );
    assert_eq!(set("l:\n- {id: 1}\n- {id: 2}\n", &[".l[*].id"], "z").unwrap(), "l:\n- {id: z}\n- {id: z}\n");
    assert_eq!(set("{\"a\": {}}", &[".a.b"], "1").unwrap(), "{\"a\": {\"b\": \"1\"}}");
}

#[test]
fn elements_are_made_by_what_they_are_known_by() {
    assert_eq!(set("l:\n- id: a\n  v: 1\n", &[".l[id=b].v"], "z").unwrap(), "l:\n- id: a\n  v: 1\n- id: b\n  v: z\n");
    assert_eq!(set("l:\n- id: 1\n", &[".l[id=2].v"], "z").unwrap(), "l:\n- id: 1\n- id: 2\n  v: z\n");
    assert_eq!(set("l:\n- id: \"1\"\n", &[".l[id=2].v"], "z").unwrap(), "l:\n- id: \"1\"\n- id: \"2\"\n  v: z\n");
    assert_eq!(set("a: 1\n", &[".l[id=b].m.v"], "z").unwrap(), "a: 1\nl:\n- id: b\n  m:\n    v: z\n");
    assert_eq!(
        set("a:\n  l:\n    - x\n", &[".m[id=b].k[+]"], "z").unwrap(),
        "a:\n  l:\n    - x\nm:\n  - id: b\n    k:\n      - z\n"
    );
}

#[test]
fn json_stays_json_where_it_could_be_yaml() {
    let made = |source: &str, paths: &[&str], value: NewValue<'_>| {
        let stream = Stream::parse(source).unwrap();
        let mut changes = Changes::of_json(&stream);
        for path in paths {
            let pattern: Pattern = path.parse().unwrap();
            match document(&stream).root() {
                Some(root) => {
                    for end in pattern.follow(root) {
                        changes.set(document(&stream), &end, value).unwrap();
                    }
                }
                None => changes.fill(document(&stream), &pattern, value).unwrap(),
            }
        }
        changes.finish().unwrap()
    };
    for (source, path, value, result) in [
        ("{}", ".a", "b", r#"{"a": "b"}"#),
        ("{\n}\n", ".a", "b", "{\"a\": \"b\"}\n"),
        ("{}\n", ".a.b", "{c: [d, 1]}", "{\"a\": {\"b\": {\"c\": [\"d\", 1]}}}\n"),
        ("{}", ".a[+].b", "yes", r#"{"a": [{"b": "yes"}]}"#),
        ("[1, 2]\n", "[+]", "b", "[1, 2, \"b\"]\n"),
        ("[1, 2]\n", "[+0]", "{a: b}", "[{\"a\": \"b\"}, 1, 2]\n"),
        ("[]", "[+]", "b", r#"["b"]"#),
        ("[]", "[+]", "{a: b}", r#"[{"a": "b"}]"#),
        ("[{}]", "[0].a", "b", r#"[{"a": "b"}]"#),
        ("{}", ".", "[b]", r#"["b"]"#),
        ("", ".a", "b", "{\"a\": \"b\"}\n"),
        ("", ".a.b", "1", "{\"a\": {\"b\": 1}}\n"),
        ("", "/a/b", "1", "{\"a\": {\"b\": 1}}\n"),
        ("", "[+]", "b", "[\"b\"]\n"),
    ] {
        assert_eq!(made(source, &[path], NewValue::Yaml(value)), result, "{source:?} {path}");
    }
}

/// After a change, what was found at or around its place counts no more.
#[test]
fn what_counts_no_more_is_told() {
    let stream = Stream::parse("a: 1\nl:\n- id: x\n- id: y\nm: {k: 1}\n").unwrap();
    let root = document(&stream).root().unwrap();
    let holds = |done: &str, next: &str| {
        let mut changes = Changes::new(&stream);
        let pattern: Pattern = done.parse().unwrap();
        for end in pattern.follow(root) {
            changes.set(document(&stream), &end, NewValue::Text("z")).unwrap();
        }
        let pattern: Pattern = next.parse().unwrap();
        pattern.follow(root).iter().all(|end| changes.holds(end))
    };
    for (done, next) in [
        (".a", ".m.k"),
        (".l[+]", ".l[+]"),
        (".m.x", ".m.y"),
        (".m.x", ".m.k"),
        (".l[0].id", ".l[1].id"),
        (".l[id=z].v", ".l[id=w].v"),
        (".l[id=z].v", ".l[+]"),
        (".l[0].id", ".l[+]"),
    ] {
        assert!(holds(done, next), "{done} then {next}");
    }
    for (done, next) in [
        (".a", ".a"),
        (".m.k", ".m"),
        (".l[+]", ".l[id=x].id"),
        (".l[+]", ".l[+0]"),
        (".m.x", ".m.x"),
        (".l", ".l[0].id"),
        (".l[id=z].v", ".l[id=z].w"),
        (".l[id=z].v", ".l[v=z].w"),
        (".l[id=z].v", ".l[-1]"),
        (".l[+]", ".l[id=z].v"),
        // New entries are written as those beside them are.
        (".l[0]", ".l[+]"),
        (".m.k", ".m.x"),
    ] {
        assert!(!holds(done, next), "{done} then {next}");
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let source = "a: &x 1\nb: *x\nc: {d: 1}\n";
    let stream = Stream::parse(source).unwrap();
    let document = document(&stream);
    let found = |path: &str| path.parse::<kyaml_ast::Path>().unwrap().find(document.root().unwrap()).unwrap();
    let mut changes = Changes::new(&stream);
    assert!(matches!(changes.delete(document, found(".a")), Err(ChangeError::Anchored { .. })));
    assert!(matches!(changes.rename(document, found(".a"), "b"), Err(ChangeError::Taken { .. })));
    assert_eq!(changes.rename(document, found(".a"), "x\ny\nz".repeat(400).as_str()), Err(ChangeError::LongName));
    assert_eq!(changes.comment(found(".c.d"), CommentSlot::Trail, "x"), Err(ChangeError::NoRoom));
    assert_eq!(changes.comment(found(".a"), CommentSlot::Trail, "x\ny"), Err(ChangeError::Lines));
    assert_eq!(changes.delete(document, found(".")), Err(ChangeError::Root));
    assert!(changes.is_empty());
    assert_eq!(changes.finish().unwrap(), source);
}
