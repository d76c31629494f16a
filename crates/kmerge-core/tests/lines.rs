//! The line merge against what git recorded, and its laws.

use kmerge_core::lines::{Labels, Region, Style, Texts};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

const LABELS: Labels<'static> = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
const STYLES: [(Style, &str); 3] = [(Style::Merge, "merge"), (Style::Diff3, "diff3"), (Style::Zdiff3, "zdiff3")];

fn merged(base: &[u8], ours: &[u8], theirs: &[u8], style: Style) -> Vec<u8> {
    let texts = Texts { base, ours, theirs };
    texts.merge(style).text(&LABELS)
}

fn merged_text(base: &str, ours: &str, theirs: &str, style: Style) -> String {
    String::from_utf8(merged(base.as_bytes(), ours.as_bytes(), theirs.as_bytes(), style)).expect("UTF-8 in, UTF-8 out")
}

#[test]
fn equals_git_on_every_recorded_case() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/lines/cases.json");
    let text = std::fs::read_to_string(path).expect("the recorded cases exist");
    let record: serde_json::Value = serde_json::from_str(&text).expect("the recorded cases are JSON");
    let cases = record["cases"].as_array().expect("a list of cases");
    assert!(cases.len() >= 300);
    for (number, case) in cases.iter().enumerate() {
        let text = |name: &str| case[name].as_str().expect("every case has every text");
        for (style, name) in STYLES {
            let result = merged_text(text("base"), text("ours"), text("theirs"), style);
            assert_eq!(result, text(name), "case {number}, style {name}");
        }
    }
}

#[test]
fn bytes_need_not_be_text() {
    let result = merged(b"\xff\n1\n2\n", b"\xff\xfe\n1\n2\n", b"\xff\n1\n\x00\n", Style::Merge);
    assert_eq!(result, b"\xff\xfe\n1\n\x00\n");
}

#[test]
fn neighbouring_lines_conflict_and_lines_apart_do_not() {
    let conflict = "<<<<<<< ours\nA\nb\n=======\na\nB\n>>>>>>> theirs\n";
    assert_eq!(merged_text("a\nb\n", "A\nb\n", "a\nB\n", Style::Merge), conflict);
    assert_eq!(merged_text("a\n-\nb\n", "A\n-\nb\n", "a\n-\nB\n", Style::Merge), "A\n-\nB\n");
}

#[test]
fn markers_have_the_wanted_size_and_labels() {
    let texts = Texts { base: b"", ours: b"a", theirs: b"b" };
    let labels = Labels { size: 3, ours: "", base: "", theirs: "topic" };
    let text = texts.merge(Style::Diff3).text(&labels);
    assert_eq!(text, b"<<< \na\n||| \n===\nb\n>>> topic\n");
}

#[test]
fn markers_end_like_the_lines_around_them() {
    let crlf = merged_text("a\r\nb\r\n", "a\r\nB\r\n", "a\r\nC\r\n", Style::Merge);
    assert_eq!(crlf, "a\r\n<<<<<<< ours\r\nB\r\n=======\r\nC\r\n>>>>>>> theirs\r\n");
}

#[test]
fn a_conflict_that_is_split_keeps_its_base_once() {
    let between = "1\n2\n3\n4\n";
    let (base, ours, theirs) = ("x\n", format!("a\n{between}b\n"), format!("c\n{between}d\n"));
    let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    let expected = [
        Region::Conflict { ours: 0..2, base: 0..2, theirs: 0..2 },
        Region::Ours(2..10),
        Region::Conflict { ours: 10..12, base: 2..2, theirs: 10..12 },
    ];
    assert_eq!(texts.merge(Style::Merge).regions(), expected);
}

#[test]
fn huge_inputs_with_nothing_in_common_end() {
    let text = |step: usize| (0..20_000).map(|line| format!("{}\n", line * step % 20_011)).collect::<String>();
    let result = merged_text(&text(1), &text(7919), &text(3571), Style::Merge);
    assert!(result.starts_with("0\n"));
}

/// Texts of a few different lines, so that they have much in common.
fn texts() -> impl Strategy<Value = String> {
    let line = prop_oneof!["[a-d]\n", "[a-d]\n", "[a-d]\r\n", Just("\n".to_owned())];
    (proptest::collection::vec(line, 0..24), "[ab]?").prop_map(|(lines, last)| lines.concat() + &last)
}

fn styles() -> impl Strategy<Value = Style> {
    prop_oneof![Just(Style::Merge), Just(Style::Diff3), Just(Style::Zdiff3)]
}

proptest! {
    #[test]
    fn what_one_side_changed_is_taken(base in texts(), side in texts(), style in styles()) {
        prop_assert_eq!(&merged_text(&base, &side, &base, style), &side);
        prop_assert_eq!(&merged_text(&base, &base, &side, style), &side);
    }

    #[test]
    fn what_both_sides_changed_alike_is_kept(base in texts(), side in texts(), style in styles()) {
        prop_assert_eq!(&merged_text(&base, &side, &side, style), &side);
    }

    #[test]
    fn both_directions_agree_on_being_clean(base in texts(), ours in texts(), theirs in texts()) {
        let conflicts = |ours: &str, theirs: &str| {
            let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
            texts.merge(Style::Merge).has_conflict()
        };
        prop_assert_eq!(conflicts(&ours, &theirs), conflicts(&theirs, &ours));
    }

    #[test]
    fn regions_are_ordered_and_within_their_sides(base in texts(), ours in texts(), theirs in texts()) {
        let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        let (mut ours_done, mut theirs_done) = (0, 0);
        for region in texts.merge(Style::Diff3).regions().iter().cloned() {
            match region {
                Region::Ours(range) => {
                    prop_assert!(ours_done <= range.start && range.start < range.end);
                    ours_done = range.end;
                }
                Region::Theirs(range) => {
                    prop_assert!(theirs_done <= range.start && range.start < range.end);
                    theirs_done = range.end;
                }
                Region::Conflict { ours, theirs, .. } => {
                    prop_assert!(ours_done <= ours.start && theirs_done <= theirs.start);
                    (ours_done, theirs_done) = (ours.end, theirs.end);
                }
            }
        }
        prop_assert!(ours_done <= ours.len() && theirs_done <= theirs.len());
    }
}
