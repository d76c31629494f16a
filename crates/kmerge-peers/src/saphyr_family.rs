//! `saphyr-parser` and `yaml-rust2`.

use saphyr_parser::{Event, Parser, ScalarStyle};
use yaml_rust2::parser::{Event as OldEvent, Parser as OldParser};
use yaml_rust2::scanner::TScalarStyle;

/// How many events saphyr-parser emits; `None` where it refuses the source.
#[must_use]
pub fn saphyr_count(source: &str) -> Option<usize> {
    Parser::new_from_str(source).try_fold(0, |count, event| event.ok().map(|_| count + 1))
}

/// The events of saphyr-parser; `None` where it refuses the source.
#[must_use]
pub fn saphyr_events(source: &str) -> Option<Vec<String>> {
    let mut out = Vec::new();
    for event in Parser::new_from_str(source) {
        match event.ok()?.0 {
            Event::Scalar(value, style, _, _) => out.push(scalar(&value, style)),
            Event::MappingStart(..) => out.push("+MAP".to_owned()),
            Event::MappingEnd => out.push("-MAP".to_owned()),
            Event::SequenceStart(..) => out.push("+SEQ".to_owned()),
            Event::SequenceEnd => out.push("-SEQ".to_owned()),
            Event::Alias(_) => out.push("=ALI".to_owned()),
            Event::DocumentStart(_) => out.push("+DOC".to_owned()),
            _ => {}
        }
    }
    Some(out)
}

fn scalar(value: &str, style: ScalarStyle) -> String {
    let mark = match style {
        ScalarStyle::Plain => ':',
        ScalarStyle::SingleQuoted => '\'',
        ScalarStyle::DoubleQuoted => '"',
        ScalarStyle::Literal => '|',
        ScalarStyle::Folded => '>',
    };
    // A node that is not written is a plain `~` to this family.
    if mark == ':' && value == "~" { "=VAL :".to_owned() } else { format!("=VAL {mark}{value}") }
}

/// How many events yaml-rust2 emits; `None` where it refuses the source.
#[must_use]
pub fn yaml_rust2_count(source: &str) -> Option<usize> {
    let mut parser = OldParser::new_from_str(source);
    let mut count = 0;
    loop {
        let (event, _) = parser.next_token().ok()?;
        count += 1;
        if event == OldEvent::StreamEnd {
            return Some(count);
        }
    }
}

/// The events of yaml-rust2; `None` where it refuses the source.
#[must_use]
pub fn yaml_rust2_events(source: &str) -> Option<Vec<String>> {
    let mut parser = OldParser::new_from_str(source);
    let mut out = Vec::new();
    loop {
        match parser.next_token().ok()?.0 {
            OldEvent::Scalar(value, style, _, _) => out.push(old_scalar(&value, style)),
            OldEvent::MappingStart(..) => out.push("+MAP".to_owned()),
            OldEvent::MappingEnd => out.push("-MAP".to_owned()),
            OldEvent::SequenceStart(..) => out.push("+SEQ".to_owned()),
            OldEvent::SequenceEnd => out.push("-SEQ".to_owned()),
            OldEvent::Alias(_) => out.push("=ALI".to_owned()),
            OldEvent::DocumentStart => out.push("+DOC".to_owned()),
            OldEvent::StreamEnd => return Some(out),
            _ => {}
        }
    }
}

fn old_scalar(value: &str, style: TScalarStyle) -> String {
    scalar(
        value,
        match style {
            TScalarStyle::Plain => ScalarStyle::Plain,
            TScalarStyle::SingleQuoted => ScalarStyle::SingleQuoted,
            TScalarStyle::DoubleQuoted => ScalarStyle::DoubleQuoted,
            TScalarStyle::Literal => ScalarStyle::Literal,
            TScalarStyle::Folded => ScalarStyle::Folded,
        },
    )
}
