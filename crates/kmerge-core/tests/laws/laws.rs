//! The laws that hold in both directions and under repetition, byte for byte unless said.

use std::collections::BTreeSet;

use kmerge_core::lines::{Labels, Style};
use kmerge_core::{ConflictStyle, Plan, Policy, Schema, Slots, merge, render, same_value};
use kyaml_ast::{Kind, Node, Stream};

const MARKERS: ConflictStyle<'_> = ConflictStyle::Markers {
    style: Style::Merge,
    labels: Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" },
};

fn parse(source: &str) -> Stream<'_> {
    Stream::parse(source).unwrap_or_else(|error| panic!("{error}:\n{source}"))
}

fn plan(dest: &str, base: &str, incoming: &str, style: &ConflictStyle<'_>) -> (String, Plan) {
    let (dest, base, incoming) = (parse(dest), parse(base), parse(incoming));
    let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
    let plan = merge(sides, &Schema::new(), &Policy::GIT).unwrap();
    let text = render(&plan, sides, style).unwrap_or_else(|error| {
        panic!("{error}\n=== dest\n{}\n=== base\n{}\n=== incoming\n{}", dest.source(), base.source(), incoming.source())
    });
    (text, plan)
}

/// A node's data, fields and elements sorted: keyed lists and sets have no order that both directions could agree on.
fn canonical(node: Node<'_>) -> String {
    let mut parts: Vec<String> = match node.kind() {
        Kind::Mapping | Kind::Sequence => node
            .entries()
            .map(|entry| format!("{}={}", entry.key().map(canonical).unwrap_or_default(), canonical(entry.value())))
            .collect(),
        _ => {
            return format!(
                "{:?}{:?}{}",
                node.tag(),
                node.resolve(kyaml_ast::ScalarSchema::Core12),
                node.alias().unwrap_or_default()
            );
        }
    };
    parts.sort();
    format!("{:?}{parts:?}", node.kind())
}

/// Whether two streams hold the same documents, in any order.
fn same(a: &str, b: &str) -> bool {
    let roots = |source: &str| {
        let stream = parse(source);
        let mut roots: Vec<_> = stream.documents().filter_map(kyaml_ast::Document::root).map(canonical).collect();
        roots.sort();
        roots
    };
    roots(a) == roots(b)
}

/// The text with one side of every hunk.
fn choose(text: &str, ours: bool) -> String {
    let mut side = None;
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        match line.get(..7) {
            Some("<<<<<<<") => side = Some(true),
            Some("=======") if side.is_some() => side = Some(false),
            Some(">>>>>>>") if side.is_some() => side = None,
            _ if side.is_none_or(|side| side == ours) => out.push_str(line),
            _ => {}
        }
    }
    out
}

/// Whether a list has an element twice: nobody can tell the two apart the next time.
fn holds_equal_elements(source: &str) -> bool {
    let stream = parse(source);
    let mut open: Vec<Node<'_>> = stream.documents().filter_map(kyaml_ast::Document::root).collect();
    while let Some(node) = open.pop() {
        let children: Vec<Node<'_>> = node.children().collect();
        let is_twin =
            |(index, child): (usize, &Node<'_>)| children[..index].iter().any(|other| same_value(*other, *child));
        if node.kind() == Kind::Sequence && children.iter().enumerate().any(is_twin) {
            return true;
        }
        open.extend(children);
    }
    false
}

/// Checks one triple.
pub fn check([base, dest, incoming]: [&str; 3], seed: u64) {
    let show = |law: &str, got: &str| {
        format!("seed {seed}: {law}\n=== base\n{base}\n=== dest\n{dest}\n=== incoming\n{incoming}\n=== got\n{got}")
    };
    for x in [dest, incoming] {
        let (kept, _) = plan(x, base, base, &ConflictStyle::Dest);
        assert!(kept == x, "{}", show("merge(b, x, b) = x", &kept));
        let (taken, _) = plan(base, base, x, &ConflictStyle::Dest);
        assert!(taken == x, "{}", show("merge(b, b, y) = y", &taken));
        let (agreed, _) = plan(x, base, x, &ConflictStyle::Dest);
        assert!(agreed == x, "{}", show("merge(b, x, x) = x", &agreed));
    }
    let (text, there) = plan(dest, base, incoming, &MARKERS);
    let (_, back) = plan(incoming, base, dest, &MARKERS);
    let paths = |plan: &Plan| plan.conflicts.iter().map(|conflict| conflict.path.to_string()).collect::<BTreeSet<_>>();
    assert_eq!(paths(&there), paths(&back), "{}", show("both directions conflict at the same places", &text));
    for ours in [true, false] {
        let chosen = choose(&text, ours);
        if let Err(error) = Stream::parse(&chosen) {
            panic!("{}\n=== {error}", show("each side alone is valid", &text));
        }
    }
    if there.conflicts.is_empty() {
        let (other, _) = plan(incoming, base, dest, &ConflictStyle::Dest);
        assert!(same(&text, &other), "{}", show("both directions give the same data", &other));
        let (again, _) = plan(&text, base, incoming, &ConflictStyle::Dest);
        let is_clear = ![base, dest, incoming].into_iter().any(holds_equal_elements);
        assert!(again == text || !is_clear, "{}", show("merging again changes nothing", &again));
    }
}
