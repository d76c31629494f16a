//! The tape of small sources, record by record, as the module documentation of `tree` specifies it.

use crate::tree::{Kind, Record, Stream, flag};
use crate::{Acceptance, ParseErrorKind};
use pretty_assertions::assert_eq;

/// One line for each record: indented by depth, with its text, column and flags. A record that closes a subtree shows
/// by its end.
fn dump(source: &str) -> Vec<String> {
    let stream = Stream::parse(source).unwrap();
    stream.check_tape().unwrap();
    let mut ends: Vec<usize> = Vec::new();
    let mut lines = Vec::new();
    for (index, record) in stream.tape.iter().enumerate() {
        while ends.pop_if(|end| *end <= index).is_some() {}
        if record.kind != Kind::Close {
            lines.push(format!("{}{}", "  ".repeat(ends.len()), describe(&stream, index, *record)));
        }
        ends.push(index + record.skip());
    }
    lines
}

fn describe(stream: &Stream<'_>, index: usize, record: Record) -> String {
    let names =
        [(flag::FLOW, "flow"), (flag::PAIR, "pair"), (flag::OWN_LINE, "own line"), (flag::EXPLICIT, "explicit")];
    let flags: String = names.iter().filter(|(bit, _)| record.has(*bit)).map(|(_, name)| format!(" {name}")).collect();
    let text = if record.kind == Kind::Null {
        format!("at {}", record.start)
    } else {
        format!("{:?}", stream.span_at(index).of(stream.source))
    };
    format!("{:?} {text} @{}{flags}", record.kind, record.column)
}

#[test]
fn nulls_stand_after_their_indicator() {
    assert_eq!(
        dump("a: # c\nb:\n  - \n  -\n? d\n? \n"),
        [
            r#"Document "a: # c\nb:\n  - \n  -\n? d\n? \n" @0"#,
            r#"  Mapping "a: # c\nb:\n  - \n  -\n? d\n?" @0"#,
            r#"    Plain "a" @0"#,
            r#"    Null at 2 @2"#,
            r##"    Comment "# c" @3"##,
            r#"    Plain "b" @0"#,
            r#"    Sequence "- \n  -" @2"#,
            r#"      Null at 13 @3"#,
            r#"      Null at 18 @3"#,
            r#"    Plain "d" @2 explicit"#,
            r#"    Null at 22 @3"#,
            r#"    Null at 24 @1 explicit"#,
            r#"    Null at 24 @1"#,
        ]
    );
}

#[test]
fn nulls_stand_after_their_properties() {
    assert_eq!(
        dump("a: &x # c\n&y : !t\n"),
        [
            r#"Document "a: &x # c\n&y : !t\n" @0"#,
            r#"  Mapping "a: &x # c\n&y : !t" @0"#,
            r#"    Plain "a" @0"#,
            r#"    Anchor "&x" @3"#,
            r#"    Null at 5 @5"#,
            r##"    Comment "# c" @6"##,
            r#"    Anchor "&y" @0"#,
            r#"    Null at 12 @2"#,
            r#"    Tag "!t" @5"#,
            r#"    Null at 17 @7"#,
        ]
    );
}

#[test]
fn comments_end_no_block_collection() {
    assert_eq!(
        dump("a: # 1\n  # 2\n  b: c # 3\n  # 4\nd:\n- [e, # 5\n  ] # 6\n"),
        [
            r#"Document "a: # 1\n  # 2\n  b: c # 3\n  # 4\nd:\n- [e, # 5\n  ] # 6\n" @0"#,
            r#"  Mapping "a: # 1\n  # 2\n  b: c # 3\n  # 4\nd:\n- [e, # 5\n  ]" @0"#,
            r#"    Plain "a" @0"#,
            r##"    Comment "# 1" @3"##,
            r##"    Comment "# 2" @2 own line"##,
            r#"    Mapping "b: c" @2"#,
            r#"      Plain "b" @2"#,
            r#"      Plain "c" @5"#,
            r##"    Comment "# 3" @7"##,
            r##"    Comment "# 4" @2 own line"##,
            r#"    Plain "d" @0"#,
            r#"    Sequence "- [e, # 5\n  ]" @0"#,
            r#"      Sequence "[e, # 5\n  ]" @2 flow"#,
            r#"        Plain "e" @3"#,
            r##"        Comment "# 5" @6"##,
            r##"  Comment "# 6" @4"##,
        ]
    );
}

#[test]
fn properties_stand_before_their_node() {
    assert_eq!(
        dump("a: &x\n  &y b: !t z\n"),
        [
            r#"Document "a: &x\n  &y b: !t z\n" @0"#,
            r#"  Mapping "a: &x\n  &y b: !t z" @0"#,
            r#"    Plain "a" @0"#,
            r#"    Anchor "&x" @3"#,
            r#"    Mapping "&y b: !t z" @2"#,
            r#"      Anchor "&y" @2"#,
            r#"      Plain "b" @5"#,
            r#"      Tag "!t" @8"#,
            r#"      Plain "z" @11"#,
        ]
    );
}

#[test]
fn block_scalars_end_with_their_text() {
    assert_eq!(
        dump("- |2- # c\n    a\n\n- >+\n b\n\n- |  \n- |+\n\n"),
        [
            r#"Document "- |2- # c\n    a\n\n- >+\n b\n\n- |  \n- |+\n\n" @0"#,
            r#"  Sequence "- |2- # c\n    a\n\n- >+\n b\n\n- |  \n- |+\n" @0"#,
            r#"    Literal "|2- # c\n    a" @2"#,
            r#"      Indent "2" @2"#,
            r##"      Comment "# c" @6"##,
            r#"    Folded ">+\n b\n" @2"#,
            r#"    Literal "|" @2"#,
            r#"    Literal "|+\n" @2"#,
        ]
    );
}

#[test]
fn flow_pairs_and_missing_values() {
    assert_eq!(
        dump("[a: b, ? c, : d, {e, f: }]\n"),
        [
            r#"Document "[a: b, ? c, : d, {e, f: }]\n" @0"#,
            r#"  Sequence "[a: b, ? c, : d, {e, f: }]" @0 flow"#,
            r#"    Mapping "a: b" @1 flow pair"#,
            r#"      Plain "a" @1"#,
            r#"      Plain "b" @4"#,
            r#"    Mapping "? c" @7 flow pair"#,
            r#"      Plain "c" @9 explicit"#,
            r#"      Null at 10 @10"#,
            r#"    Mapping ": d" @12 flow pair"#,
            r#"      Null at 12 @12"#,
            r#"      Plain "d" @14"#,
            r#"    Mapping "{e, f: }" @17 flow"#,
            r#"      Plain "e" @18"#,
            r#"      Null at 19 @19"#,
            r#"      Plain "f" @21"#,
            r#"      Null at 23 @23"#,
        ]
    );
}

#[test]
fn documents_tile_the_source() {
    assert_eq!(
        dump("\u{FEFF}# 1\na\n# 2\n---\n... # 3\n# 4\n%FOO bar # 5\n--- b\n...\n...\n# 6\n"),
        [
            r##"Document "\u{feff}# 1\na\n# 2\n" @0"##,
            r##"  Comment "# 1" @0 own line"##,
            r#"  Plain "a" @0"#,
            r##"  Comment "# 2" @0 own line"##,
            r##"Document "---\n... # 3\n" @0"##,
            r#"  Start "---" @0"#,
            r#"  Null at 16 @3"#,
            r#"  End "..." @0"#,
            r##"  Comment "# 3" @4"##,
            r##"Document "# 4\n%FOO bar # 5\n--- b\n...\n...\n# 6\n" @0"##,
            r##"  Comment "# 4" @0 own line"##,
            r#"  Directive "%FOO bar" @0"#,
            r##"  Comment "# 5" @9"##,
            r#"  Start "---" @0"#,
            r#"  Plain "b" @4"#,
            r#"  End "..." @0"#,
            r#"  End "..." @0"#,
            r##"  Comment "# 6" @0 own line"##,
        ]
    );
}

#[test]
fn sources_without_content() {
    for source in ["", "\n", "# c\n", "\u{FEFF}", "...\n"] {
        let stream = Stream::parse(source).unwrap();
        assert_eq!(stream.documents().count(), 1, "{source:?}");
        assert!(stream.documents().all(|document| document.root().is_none()), "{source:?}");
    }
}

#[test]
fn aliases_as_keys() {
    let keys = |source: &str, acceptance| {
        let stream = Stream::parse_with(source, acceptance)?;
        let aliases = stream.tape.iter().filter(|record| record.kind == Kind::Alias);
        Ok(aliases.map(|record| record.leaf_span().of(source).to_owned()).collect::<Vec<_>>())
    };
    let source = "a: &b c\n*b: d\n";
    assert_eq!(keys(source, Acceptance::KubeCompat), Ok(vec!["*b".to_owned()]));
    assert_eq!(
        keys(source, Acceptance::Strict12).map_err(|error: crate::ParseError| error.kind),
        Err(ParseErrorKind::ExpectedColon)
    );
    let source = "a: &b: c\nd:\n  *b:\n";
    assert_eq!(keys(source, Acceptance::KubeCompat), Ok(vec!["*b:".to_owned()]));
}
