//! In which style strings are written.

use kyaml_ast::{
    BlockLayout, Kind, Newline, ScalarPlace, fits_implicit_key, plain_is_safe, render_string, render_string_like,
};

const LAYOUT: BlockLayout = BlockLayout { parent: Some(2), step: 2, newline: Newline::Lf };
const BLOCK: ScalarPlace = ScalarPlace::Block(LAYOUT);
const ROOT: ScalarPlace = ScalarPlace::Block(BlockLayout { parent: None, ..LAYOUT });

#[test]
fn quotes_what_a_reader_takes_for_another_type() {
    let typed = [
        "",
        "~",
        "null",
        "True",
        "yes",
        "Off",
        "n",
        "0",
        "-1",
        "0644",
        "0o644",
        "0xFF",
        "0b1",
        "1_000",
        "1.",
        ".5",
        "1e3",
        ".inf",
        "-.INF",
        ".NaN",
        "2001-01-01",
        "2001-1-1 1:02:03.4 +01:00",
        "12:30:45",
        "20:30.5",
        "<<",
        "=",
        "18446744073709551616",
        "0x1_0000_0000_0000_0000",
        "._5",
        "1_.5",
    ];
    for text in typed {
        assert!(!plain_is_safe(text, BLOCK), "{text}");
    }
}

#[test]
fn leaves_what_every_reader_takes_for_a_string() {
    let plain = [
        "nginx:1.7.9",
        "v1",
        "1.2.3",
        "10.0.0.0/8",
        "100m",
        "1Gi",
        "8080:80",
        "http://x/y?z=1#f",
        "a b",
        "-x",
        "a=b",
        "nULL",
        "é",
        "😀",
        "--flag=x",
        "5%",
        "it's",
        "a\u{a0}b",
        "1e",
        "2001-01",
        "+",
        "on-call",
        "::1",
    ];
    for text in plain {
        assert!(plain_is_safe(text, BLOCK), "{text}");
        assert_eq!(render_string(text, BLOCK), text);
    }
}

#[test]
fn quotes_what_the_syntax_takes() {
    let everywhere = [
        "- a",
        "-",
        "? a",
        ":",
        ": a",
        "a: b",
        "a:",
        "a #b",
        "#a",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "'a",
        "\"a",
        "%a",
        "@a",
        "`a",
        "[a",
        "{a",
        "]",
        ",a",
        " a",
        "a ",
        "a\tb",
        "a\nb",
        "---",
        "... a",
        "\u{85}",
        "\u{feff}a",
    ];
    for text in everywhere {
        assert!(!plain_is_safe(text, BLOCK), "{text}");
        assert!(!plain_is_safe(text, ScalarPlace::BlockKey), "{text}");
    }
    for text in ["a,b", "a]", "{{ .Values.x }}", "a?", ":a"] {
        assert!(!plain_is_safe(text, ScalarPlace::Flow), "{text}");
    }
    assert!(plain_is_safe("a,b [c] {d} e?", BLOCK));
}

#[test]
fn prefers_double_quotes_unless_single_ones_spare_backslashes() {
    assert_eq!(render_string("5", BLOCK), r#""5""#);
    assert_eq!(render_string("a: 'b'", BLOCK), r#""a: 'b'""#);
    assert_eq!(render_string(r#"{"a": 1}"#, BLOCK), r#"'{"a": 1}'"#);
    assert_eq!(render_string(r#"'"'"#, BLOCK), r#""'\"'""#);
    assert_eq!(render_string("a\t\u{7}\u{2028}\"", BLOCK), r#""a\t\u0007\u2028\"""#);
}

#[test]
fn writes_lines_as_a_literal_block_where_one_can_stand() {
    assert_eq!(render_string("a\nb", BLOCK), "|-\n    a\n    b");
    assert_eq!(render_string("a\n\n  b\n", BLOCK), "|\n    a\n\n      b");
    assert_eq!(render_string("a\n\n\n", BLOCK), "|+\n    a\n\n");
    assert_eq!(render_string("\n  a\nb", BLOCK), "|2-\n\n      a\n    b");
    assert_eq!(render_string("a\nb", ROOT), "|-\n  a\n  b");
    assert_eq!(render_string(" a\nb", ROOT), r#"" a\nb""#);
    assert_eq!(render_string("a\nb", ScalarPlace::BlockKey), r#""a\nb""#);
    assert_eq!(render_string("a\nb", ScalarPlace::Flow), r#""a\nb""#);
    for text in ["\n", "a\n ", " \na", "a\r\nb", "a\n\u{1}"] {
        assert!(render_string(text, BLOCK).starts_with('"'), "{text:?}");
    }
    let windows = ScalarPlace::Block(BlockLayout { parent: Some(0), step: 12, newline: Newline::CrLf });
    assert_eq!(render_string("a\n\nb\n", windows), "|\r\n            a\r\n\r\n            b");
    assert_eq!(render_string("\ta\nb\n", windows), "|2\r\n  \ta\r\n  b");
}

#[test]
fn keeps_the_style_of_the_old_scalar_where_it_can() {
    assert_eq!(render_string_like(Kind::DoubleQuoted, "web", BLOCK), r#""web""#);
    assert_eq!(render_string_like(Kind::SingleQuoted, "it's", BLOCK), "'it''s'");
    assert_eq!(render_string_like(Kind::SingleQuoted, "a\nb", BLOCK), r#""a\nb""#);
    assert_eq!(render_string_like(Kind::Plain, "off", BLOCK), r#""off""#);
    assert_eq!(render_string_like(Kind::Literal, "one", BLOCK), "|-\n    one");
    assert_eq!(render_string_like(Kind::Literal, "", BLOCK), r#""""#);
    assert_eq!(render_string_like(Kind::Literal, "one", ScalarPlace::Flow), "one");
    assert_eq!(render_string_like(Kind::Folded, "a b\nc\n\nd\n", BLOCK), ">\n    a b\n\n    c\n\n\n    d");
    assert_eq!(render_string_like(Kind::Folded, "a\n  b\n", BLOCK), "|\n    a\n      b");
}

#[test]
fn knows_how_long_an_implicit_key_may_be() {
    assert!(fits_implicit_key(&"é".repeat(1024)));
    assert!(!fits_implicit_key(&"a".repeat(1025)));
    assert!(!fits_implicit_key("|-\n  a"));
}
