//! Paths: written, read, and refused.

use kyaml_ast::{Path, PathError, PathErrorKind, Pattern, Segment};
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
    let cases: [(&str, &[Segment]); 17] = [
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
        ("$.spec.replicas", &[field("spec"), field("replicas")]),
        ("$", &[]),
        ("$['a.b'][0]", &[field("a.b"), Segment::Index(0)]),
        (r".labels.app\.kubernetes\.io/name", &[field("labels"), field("app.kubernetes.io/name")]),
        ("/spec/containers/0/a~1b~0c", &[field("spec"), field("containers"), Segment::Index(0), field("a/b~c")]),
        ("a[port=80,protocol=TCP]", &[field("a"), key(&[("port", "80"), ("protocol", "TCP")])]),
        (".$", &[field("$")]),
    ];
    for (text, segments) in cases {
        assert_eq!(text.parse(), Ok(segments.iter().cloned().collect::<Path>()), "{text}");
    }
}

#[test]
fn refuses_with_a_place() {
    use PathErrorKind::{
        Backslash, Braces, Bracket, Escape, Filter, Index, New, NoIndex, NoName, Regex, Several, Tilde, TwoEquals,
        Unclosed, UnclosedQuote, Unexpected,
    };
    let cases = [
        ("", NoName, 0),
        ("a.", NoName, 2),
        ("a..b", Several, 1),
        ("a b", Unexpected(' '), 1),
        ("a[*]", Several, 1),
        ("a.*", Several, 1),
        ("a.*b", Unexpected('*'), 2),
        ("a[+]", New, 1),
        ("a[x!=1]", Several, 1),
        ("a]", Unexpected(']'), 1),
        ("a[0]b", Unexpected('b'), 4),
        ("a[", Unclosed, 2),
        ("a[0", Unclosed, 3),
        ("a[]", NoIndex, 2),
        ("a[x]", Bracket, 2),
        ("a[x=1,]", NoName, 6),
        ("a[x=1,y]", Bracket, 7),
        ("a[x=1", Unclosed, 5),
        ("a[99999999999999999999]", Index, 2),
        ("a[\"b]", UnclosedQuote, 2),
        (r#"a["\x"]"#, Escape, 3),
        (r#"a["\ud800"]"#, Escape, 3),
        (r#"a["\u00é"]"#, Escape, 3),
        ("{.spec.replicas}", Braces, 0),
        ("a[?(@.name==\"x\")]", Filter, 2),
        ("a[name==x]", TwoEquals, 6),
        ("a[name=~(]", Regex, 6),
        ("a[name=~[a-z]]", Regex, 6),
        (r"a\tb", Backslash, 1),
        ("/a~b", Tilde, 2),
        ("a.", NoName, 2),
        ("a...b", NoName, 3),
        ("a[+x]", Bracket, 3),
        ("a[name=~x+]", Several, 1),
    ];
    for (text, kind, at) in cases {
        assert_eq!(text.parse::<Path>(), Err(PathError { kind, at }), "{text}");
    }
    let message = "a b".parse::<Path>().map_err(|error| error.to_string());
    assert_eq!(message, Err("unexpected ' '; write a name that contains it as [\"…\"] (at byte 1)".to_owned()));
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

#[test]
fn patterns_are_written_as_they_are_read() {
    let cases = [
        ("..image", "..image"),
        ("$..[\"a.b\"]", "..\"a.b\""),
        (".spec.containers[*].image", ".spec.containers[*].image"),
        (".data.*", ".data.*"),
        ("[name!=app,image=~nginx]", "[name!=\"app\",image=~\"nginx\"]"),
        ("[=~'^--[a-z,]+$']", "[=~\"^--[a-z,]+$\"]"),
        ("[!=x]", "[!=\"x\"]"),
        (".a[+]", ".a[+]"),
        (".a[+3].b", ".a[+3].b"),
        (".a[name=app+]", ".a[name=\"app\"+]"),
        (".a[name=\"app+\"]", ".a[name=\"app+\"]"),
        (".a[name=\"app+\"+]", ".a[name=\"app+\"+]"),
        (".a[=x+]", ".a[=\"x\"+]"),
        ("/spec/a~1b/-", "/spec/a~1b/-"),
        ("[\"*\"]", "[\"*\"]"),
    ];
    for (text, shown) in cases {
        let pattern: Pattern = text.parse().unwrap();
        assert_eq!(pattern.to_string(), shown);
        assert_eq!(shown.parse(), Ok(pattern));
    }
}

proptest! {
    #[test]
    fn any_pattern_is_read_or_refused(text in "[-+!~/\\[\\].=,*'\" \\\\$0-9ab]{0,12}") {
        if let Ok(pattern) = text.parse::<Pattern>() {
            let again = pattern.to_string().parse::<Pattern>();
            prop_assert_eq!(again, Ok(pattern), "{}", text);
        }
    }

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
