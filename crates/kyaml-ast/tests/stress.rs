//! Inputs made to be slow, deep or large: each is parsed, or refused, in time and memory linear in its size.
//!
//! The sizes are such that quadratic work would take minutes, so that the bounds hold on a slow machine without
//! optimisation and still tell.

#![allow(clippy::panic)] // Helpers of tests, which the lint's exception for tests does not reach.

use kyaml_ast::{Acceptance, ParseErrorKind, Stream};
use std::time::{Duration, Instant};

/// For a loaded machine; quadratic work would take hours.
const LIMIT: Duration = Duration::from_secs(300);
const DEEP: usize = 100_000;

/// Parses under both policies, checks the tape and its size, and reads every scalar.
fn accept(name: &str, source: &str) {
    let start = Instant::now();
    for acceptance in [Acceptance::Strict12, Acceptance::KubeCompat] {
        let stream = Stream::parse_with(source, acceptance).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        stream.check_tape().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(stream.heap_bytes() <= 40 * source.len() + 100, "{name}: {} bytes", stream.heap_bytes());
        assert_eq!(stream.documents().map(|document| document.span().len()).sum::<usize>(), source.len());
    }
    let stream = Stream::parse(source).expect("it was accepted above");
    let total: usize = stream.events().map(|event| event.to_string().len()).sum();
    assert!(total > 0, "{name}");
    within_limit(name, start);
}

fn refuse(name: &str, source: &str, expected: fn(ParseErrorKind) -> bool) {
    let start = Instant::now();
    for acceptance in [Acceptance::Strict12, Acceptance::KubeCompat] {
        let error = Stream::parse_with(source, acceptance).expect_err(name);
        assert!(expected(error.kind), "{name}: {error:?}");
    }
    within_limit(name, start);
}

fn within_limit(name: &str, start: Instant) {
    let elapsed = start.elapsed();
    assert!(elapsed < LIMIT, "{name}: {elapsed:?}");
}

#[test]
fn deep_brackets() {
    accept("sequences", &("[".repeat(DEEP) + &"]".repeat(DEEP)));
    accept("mappings", &("{a: ".repeat(DEEP) + "b" + &"}".repeat(DEEP)));
    accept("explicit pairs", &("[? ".repeat(DEEP) + "a" + &"]".repeat(DEEP)));
    accept("keys in braces", &("{".repeat(DEEP) + "a" + &": b}".repeat(DEEP)));
    refuse("unclosed", &"[".repeat(DEEP), |kind| kind == ParseErrorKind::UnclosedBracket(']'));
    refuse("mixed up", &("[".repeat(DEEP) + &"}".repeat(DEEP)), |kind| {
        matches!(kind, ParseErrorKind::WrongBracket { .. })
    });
}

#[test]
fn deep_pairs() {
    let nested = |depth: usize| "[".repeat(depth) + &"]: x".repeat(depth - 1) + "]";
    refuse("too long for a key", &nested(DEEP), |kind| kind == ParseErrorKind::LongKey);
    let longest = "[".repeat(200) + &"]: x".repeat(199) + "]\n";
    accept("as long as a key can be", &("- ".to_owned() + &longest).repeat(300));
    accept("as block keys", &"? [[[[a]: b]: c]: d]\n".repeat(20_000));
}

#[test]
fn deep_blocks() {
    accept("sequences", &("- ".repeat(DEEP) + "a"));
    accept("empty sequences", &"- ".repeat(DEEP));
    accept("explicit keys", &("? ".repeat(DEEP) + "a"));
    accept("empty explicit keys", &"? ".repeat(DEEP));
    let indented: String = (0..2_000).map(|depth| " ".repeat(depth) + "a:\n").collect();
    accept("mappings", &indented);
    let dedented = indented.clone() + &(0..2_000).rev().map(|depth| " ".repeat(depth) + "b: c\n").collect::<String>();
    accept("mappings and back", &dedented);
}

#[test]
fn comments_before_missing_nodes() {
    let comments = "# c\n".repeat(DEEP);
    accept("below empty sequences", &("- ".repeat(DEEP) + "\n" + &comments));
    accept("below empty keys", &("? ".repeat(DEEP) + "\n" + &comments));
    accept("below a key", &format!("a:\n{comments}b:\n{comments}"));
    accept("below each key", &"a:\n# c\n".repeat(DEEP));
    accept("below each explicit key", &"? a\n# c\n".repeat(DEEP));
    accept("inside brackets", &format!("[{}\n{comments}]", "a, ? ".to_owned() + "\n" + &comments + ", b"));
    accept("between a property and its node", &format!("&a\n{comments}b"));
}

#[test]
fn wide() {
    let keys: String = (0..200_000).map(|key| format!("key{key}: value\n")).collect();
    accept("keys", &keys);
    accept("items", &"- a\n".repeat(200_000));
    accept("flow items", &format!("[{}]", "a, ".repeat(200_000)));
    accept("documents", &"---\na\n".repeat(50_000));
    accept("ended documents", &"a\n...\n# c\n".repeat(50_000));
    accept("end markers", &format!("a\n{}", "...\n".repeat(50_000)));
    accept("anchors", &(0..DEEP).map(|anchor| format!("- &a{anchor} [*a{anchor}]\n")).collect::<String>());
    accept("byte order marks", &format!("a\n{}", "\u{FEFF}\n".repeat(50_000)));
}

#[test]
fn long() {
    const LENGTH: usize = 4_000_000;
    accept("plain line", &"ab ".repeat(LENGTH / 3));
    accept("quoted line", &format!("'{}'", "it''s ".repeat(LENGTH / 6)));
    accept("escapes", &format!("\"{}\"", "\\u00e9\\t".repeat(LENGTH / 8)));
    accept("comment", &format!("a #{}", " b".repeat(LENGTH / 2)));
    accept("plain lines", &"ab\n\n".repeat(LENGTH / 4));
    accept("quoted lines", &format!("\"{}\"", "ab  \n\n  \\\n".repeat(LENGTH / 10)));
    accept("literal lines", &format!("- |+\n{}", "  ab\n\n".repeat(LENGTH / 6)));
    accept("folded lines", &format!("- >\n{}", "  ab\n   cd\n".repeat(LENGTH / 12)));
    accept("blank lines", &format!("a: |\n{}", " \n".repeat(LENGTH / 2)));
    accept("blanks", &" ".repeat(LENGTH).replace("  ", " \t").replacen(' ', "a", 1));
    accept("line breaks", &format!("a{}", "\r".repeat(LENGTH / 2)));
}

#[test]
fn alias_bomb_is_not_expanded() {
    let mut source = "a0: &a0 [x, x]\n".to_owned();
    for level in 1..1_000 {
        source += &format!("a{level}: &a{level} [{}]\n", format!("*a{}, ", level - 1).repeat(10));
    }
    accept("alias bomb", &source);
}
