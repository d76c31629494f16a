//! Each refused input has one error: where, about which text, and with which words. `fixtures/errors/cases.json`

#![allow(clippy::unwrap_used)] // Helpers of tests, which the lint's exception for tests does not reach.

use kyaml_ast::{Acceptance, ParseErrorKind, Stream, place};
use pretty_assertions::assert_eq;
use serde_json::Value;

#[test]
fn messages() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/errors/cases.json");
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let text = |case: &Value, field: &str| case[field].as_str().unwrap().to_owned();
    let expected: Vec<String> = cases
        .iter()
        .map(|case| {
            format!("{:?} {} {:?} {}", text(case, "input"), text(case, "at"), text(case, "text"), text(case, "message"))
        })
        .collect();
    let found: Vec<String> = cases.iter().map(|case| report(&text(case, "input"))).collect();
    assert_eq!(found, expected);
}

fn report(source: &str) -> String {
    let Err(error) = Stream::parse(source) else { return format!("{source:?} accepted") };
    let at = place(source, error.span.start);
    format!("{source:?} {}:{} {:?} {error}", at.line, at.column, error.span.of(source))
}

#[test]
fn strict_only() {
    let refusal = |source| Stream::parse_with(source, Acceptance::Strict12).map(|_| ()).unwrap_err();
    let kind = |source| {
        assert!(Stream::parse(source).is_ok(), "{source:?}");
        refusal(source).kind
    };
    assert_eq!(kind("a: [\nb]\n"), ParseErrorKind::FlowIndentation(1));
    assert_eq!(kind("a: \"b\nc\"\n"), ParseErrorKind::QuoteIndentation(1));
    assert_eq!(kind("a: \"b\n\tc\"\n"), ParseErrorKind::TabIndentation);
    assert_eq!(kind("a: \"b\"#c\n"), ParseErrorKind::ExpectedBlankBeforeComment);
    assert_eq!(kind("a: |#c\n  b\n"), ParseErrorKind::ExpectedBlankBeforeComment);
    assert_eq!(kind("a: \"\\'\"\n"), ParseErrorKind::UnknownEscape);
    assert_eq!(kind("---\n\u{FEFF}a: b\n"), ParseErrorKind::MisplacedByteOrderMark);
    assert_eq!(kind("a: b\u{FEFF}c\n"), ParseErrorKind::MisplacedByteOrderMark);
    assert_eq!(kind("a: [-]\n"), ParseErrorKind::BareIndicator('-'));
}

#[test]
fn kubectl_refuses_more_characters_in_quotes() {
    for source in ["a: \"\x7F\"\n", "a: '\u{81}'\n", "a: \"\u{FFFE}\"\n"] {
        assert!(Stream::parse_with(source, Acceptance::Strict12).is_ok(), "{source:?}");
        let kind = Stream::parse(source).map(|_| ()).unwrap_err().kind;
        assert!(matches!(kind, ParseErrorKind::ControlCharacter(_)), "{source:?}");
    }
}

#[test]
fn encodings() {
    let refusal = |source: &[u8]| {
        let error = Stream::parse_bytes(source).map(|_| ()).unwrap_err();
        (error.kind, error.span.range())
    };
    assert_eq!(refusal(b"\xFF\xFEa\0"), (ParseErrorKind::Utf16, 0..4));
    assert_eq!(refusal(b"\xFE\xFF\0a"), (ParseErrorKind::Utf16, 0..4));
    assert_eq!(refusal(b"a\0:\0 \0b\0"), (ParseErrorKind::Utf16, 0..4));
    assert_eq!(refusal(b"\0a\0:"), (ParseErrorKind::Utf16, 0..4));
    assert_eq!(refusal(b"\xFF\xFE\0\0a\0\0\0"), (ParseErrorKind::Utf32, 0..4));
    assert_eq!(refusal(b"\0\0\xFE\xFF\0\0\0a"), (ParseErrorKind::Utf32, 0..4));
    assert_eq!(refusal(b"a\0\0\0"), (ParseErrorKind::Utf32, 0..4));
    assert_eq!(refusal(b"\0\0\0a"), (ParseErrorKind::Utf32, 0..4));
    assert_eq!(refusal(b"a: \xE9\n"), (ParseErrorKind::NotUtf8, 3..4));
    assert_eq!(refusal(b"a: \xE2\x82"), (ParseErrorKind::NotUtf8, 3..5));
    assert!(Stream::parse_bytes(b"\xEF\xBB\xBFa: \xC3\xA9\n").is_ok());
}
