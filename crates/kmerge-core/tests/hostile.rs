//! Inputs made to be slow, deep or large, as sides of a merge and as targets of an edit: a result or an error, in linear time.
//!
//! The sizes are such that quadratic work would take minutes, so that the bound holds on a slow machine without
//! optimisation and still tells.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::time::{Duration, Instant};

use kmerge_core::{ConflictStyle, Policy, Schema, Slots, merge, render};
use kyaml_ast::{Content, Edit, Stream, StreamId, splice};

/// Takes five seconds where nothing else runs; quadratic work would take hours.
const LIMIT: Duration = Duration::from_secs(300);
const DEEP: usize = 100_000;

/// Merges a change beside `value` with one behind or inside of it, in both directions, and edits beside it.
fn hostile(name: &str, value: &str, changed: &str) {
    let file = |beside: &str, value: &str| format!("beside: {beside}\nvalue:\n{value}\nbehind: 1\n");
    let (base, dest, incoming) = (file("1", value), file("2", value), file("1", changed));
    let start = Instant::now();
    let [base, dest, incoming] =
        [&base, &dest, &incoming].map(|text| Stream::parse(text).unwrap_or_else(|error| panic!("{name}: {error}")));
    for policy in [Policy::GIT, Policy::MERGE3] {
        for (dest, incoming) in [(&dest, &incoming), (&incoming, &dest)] {
            let sides = Slots { dest: Some(dest), base: Some(&base), incoming: Some(incoming) };
            let plan = merge(sides, &Schema::new(), &policy).unwrap_or_else(|error| panic!("{name}: {error}"));
            let text = render(&plan, sides, &ConflictStyle::Dest).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(text, file("2", changed), "{name}");
        }
    }
    let root = dest.documents().next().unwrap().root().unwrap();
    let entry = root.entries().next().unwrap().id();
    let edit = Edit::ReplaceValue { entry, content: Content::Inline("3".to_owned()) };
    assert_eq!(splice(&[&dest], StreamId(0), &[edit]).unwrap(), file("3", value), "{name}");
    let elapsed = start.elapsed();
    assert!(elapsed < LIMIT, "{name}: {elapsed:?}");
}

#[test]
fn deep_brackets() {
    let nested = |leaf: &str| format!("  {}{leaf}{}", "[".repeat(DEEP), "]".repeat(DEEP));
    hostile("sequences", &nested("a"), &nested("b"));
    let nested = |leaf: &str| format!("  {}{leaf}{}", "{a: ".repeat(DEEP), "}".repeat(DEEP));
    hostile("mappings", &nested("a"), &nested("b"));
}

#[test]
fn deep_blocks() {
    let nested = |leaf: &str| format!("  {}{leaf}", "- ".repeat(DEEP));
    hostile("sequences", &nested("a"), &nested("b"));
    let nested = |leaf: &str| {
        let keys: String = (0..1_000).map(|depth| " ".repeat(depth + 2) + "a:\n").collect();
        format!("{keys}{}{leaf}", " ".repeat(1_002))
    };
    hostile("mappings", &nested("a"), &nested("b"));
}

/// Every level has a path of its own, which must not be copied for each of them.
#[test]
fn changes_at_every_depth() {
    const LEVELS: usize = 20_000;
    let nested = |value: &str| format!("{}1{}\n", format!("{{a: {value}, b: ").repeat(LEVELS), "}".repeat(LEVELS));
    let start = Instant::now();
    let (base, dest, incoming) = (nested("1"), nested("2"), nested("3"));
    let [base, dest, incoming] = [&base, &dest, &incoming].map(|text| Stream::parse(text).unwrap());
    for policy in [Policy::GIT, Policy::MERGE3] {
        let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
        let plan = merge(sides, &Schema::new(), &policy).unwrap();
        let both_changed = plan.decisions.iter().filter(|decision| decision.path.depth() == LEVELS).count();
        assert_eq!((both_changed, plan.decisions.len() >= LEVELS), (1, true));
    }
    let elapsed = start.elapsed();
    assert!(elapsed < LIMIT, "{elapsed:?}");
}

#[test]
fn many_entries() {
    let keys = |last: &str| (0..DEEP).map(|key| format!("  key{key}: value\n")).collect::<String>() + "  last: " + last;
    hostile("keys", &keys("a"), &keys("b"));
    let items = |last: &str| "  - a\n".repeat(DEEP) + "  - " + last;
    hostile("items", &items("b"), &items("c"));
    let elements =
        |last: &str| (0..DEEP).map(|key| format!("  - name: n{key}\n")).collect::<String>() + "  - name: " + last;
    hostile("elements", &elements("a"), &elements("a # new"));
}

#[test]
fn long_line() {
    let line = |last: &str| format!("  {}{last}", "ab ".repeat(1_300_000));
    hostile("plain", &line("a"), &line("b"));
    let quoted = |last: &str| format!("  \"{}{last}\"", "\\u00e9\\t".repeat(500_000));
    hostile("quoted", &quoted("a"), &quoted("b"));
}

#[test]
fn anchors_and_bombs() {
    let anchors = |last: &str| {
        (0..5_000).map(|anchor| format!("  - &a{anchor} [*a{}]\n", anchor - 1.min(anchor))).collect::<String>()
            + "  - "
            + last
    };
    hostile("anchors", &anchors("a"), &anchors("b"));
    let bomb = |last: &str| {
        let level = |level: usize| format!("  a{level}: &a{level} [{}]\n", format!("*a{}, ", level - 1).repeat(10));
        "  a0: &a0 [x, x]\n".to_owned() + &(1..1_000).map(level).collect::<String>() + "  last: " + last
    };
    hostile("bomb", &bomb("a"), &bomb("b"));
}

#[test]
fn pairs_in_brackets() {
    let nested = "[".repeat(200) + &"]: x".repeat(199) + "]";
    let list = |last: &str| format!("  - {nested}\n").repeat(200) + "  - " + last;
    hostile("pairs", &list("a"), &list("b"));
}
