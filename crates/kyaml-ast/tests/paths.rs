//! Paths: written, read, and refused.

use kyaml_ast::{Path, PathError, PathErrorKind, Segment};
use proptest::prelude::*;

fn field(name: &str) -> Segment {
    Segment::Field(name.to_owned())
}

fn key(fields: &[(&str, &str)]) -> Segment {
    Segment::Key(fields.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect())
}

#[test]
fn displays_every_segment() {
    let path: Path = [
        field("spec"),
        field("a.b/c"),
        key(&[("containerPort", "80"), ("protocol", "TCP")]),
        Segment::Value("x\"]\n".to_owned()),
        Segment::Index(-1),
        key(&[("a b", "")]),
    ]
    .into_iter()
    .collect();
    let text = r#".spec["a.b/c"][containerPort="80",protocol="TCP"][="x\"]\n"][-1]["a b"=""]"#;
    assert_eq!(path.to_string(), text);
    assert_eq!(text.parse(), Ok(path));
    assert_eq!(Path::root().to_string(), ".");
    assert_eq!(".".parse(), Ok(Path::root()));
}

#[test]
fn reads_what_people_write() {
    let cases: [(&str, &[Segment]); 10] = [
        ("spec.replicas", &[field("spec"), field("replicas")]),
        (".spec.replicas", &[field("spec"), field("replicas")]),
        ("metadata.labels.app-x", &[field("metadata"), field("labels"), field("app-x")]),
        (".containers[name=app].image", &[field("containers"), key(&[("name", "app")]), field("image")]),
        ("a[image=nginx:1.7.9]", &[field("a"), key(&[("image", "nginx:1.7.9")])]),
        ("a[app.kubernetes.io/name=x]", &[field("a"), key(&[("app.kubernetes.io/name", "x")])]),
        (r#".a."b.c/d""#, &[field("a"), field("b.c/d")]),
        ("a['it''s'].[0]", &[field("a"), field("it's"), Segment::Index(0)]),
        ("[=x y]", &[Segment::Value("x y".to_owned())]),
        (r#"["\u00e9\/"]"#, &[field("é/")]),
    ];
    for (text, segments) in cases {
        assert_eq!(text.parse(), Ok(segments.iter().cloned().collect::<Path>()), "{text}");
    }
}

#[test]
fn refuses_with_a_place() {
    use PathErrorKind::{Bracket, Escape, Index, NoName, Unclosed, UnclosedQuote, Unexpected};
    let cases = [
        ("", NoName, 0),
        ("a.", NoName, 2),
        ("a..b", NoName, 2),
        ("a b", Unexpected(' '), 1),
        ("a[*]", Bracket, 2),
        ("a.*", Unexpected('*'), 2),
        ("a]", Unexpected(']'), 1),
        ("a[0]b", Unexpected('b'), 4),
        ("a[", Unclosed, 2),
        ("a[0", Unclosed, 3),
        ("a[]", Bracket, 2),
        ("a[x]", Bracket, 2),
        ("a[x=1,]", NoName, 6),
        ("a[x=1,y]", Bracket, 7),
        ("a[x=1", Unclosed, 5),
        ("a[99999999999999999999]", Index, 2),
        ("a[\"b]", UnclosedQuote, 2),
        (r#"a["\x"]"#, Escape, 3),
        (r#"a["\ud800"]"#, Escape, 3),
        (r#"a["\u00é"]"#, Escape, 3),
    ];
    for (text, kind, at) in cases {
        assert_eq!(text.parse::<Path>(), Err(PathError { kind, at }), "{text}");
    }
    let message = "a b".parse::<Path>().map_err(|error| error.to_string());
    assert_eq!(message, Err("unexpected ' '; a name that holds it is written [\"…\"] (at byte 1)".to_owned()));
}

#[test]
fn steps_in_and_out() {
    let mut path: Path = ".a[0]".parse().unwrap();
    let outer = path.clone();
    path.push(field("b"));
    assert!(outer.contains(&path) && outer.contains(&outer) && !path.contains(&outer));
    assert_eq!(path.split_last(), Some((outer, &field("b"))));
    assert_eq!(path.pop(), Some(field("b")));
    assert!(Path::root().split_last().is_none());
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,4}", "[-\\[\\].=,*'\" \\\\/0-9a]{0,6}", any::<String>()]
}

fn segment() -> impl Strategy<Value = Segment> {
    prop_oneof![
        text().prop_map(Segment::Field),
        prop::collection::vec((text(), text()), 1..4).prop_map(Segment::Key),
        text().prop_map(Segment::Value),
        any::<i64>().prop_map(Segment::Index),
    ]
}

proptest! {
    #[test]
    fn display_then_parse_is_the_identity(segments in prop::collection::vec(segment(), 0..5)) {
        let path: Path = segments.into_iter().collect();
        prop_assert_eq!(path.to_string().parse(), Ok(path));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-\\[\\].=,*'\" \\\\/0-9ab]{0,12}") {
        if let Ok(path) = text.parse::<Path>() {
            prop_assert_eq!(path.to_string().parse(), Ok(path));
        }
    }
}
