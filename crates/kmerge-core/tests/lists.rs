//! Lists merge by what the schema, or the elements themselves, say about them.
#![allow(clippy::unwrap_used, missing_docs)]

use kmerge_core::{ConflictStyle, Policy, Schema, Slots, merge, render};
use kyaml_ast::Stream;
use pretty_assertions::assert_eq;

/// Puts `incoming` over `dest`.
fn merge2(schema: &Schema, incoming: &str, dest: &str) -> String {
    let (incoming, dest) = (Stream::parse(incoming).unwrap(), Stream::parse(dest).unwrap());
    let sides = Slots { dest: Some(&dest), base: None, incoming: Some(&incoming) };
    let plan = merge(sides, schema, &Policy::MERGE2).unwrap();
    render(&plan, sides, &ConflictStyle::Dest).unwrap()
}

/// A list of single letters.
fn letters(items: &str) -> String {
    items.chars().map(|item| format!("- {item}\n")).collect()
}

/// The result with each side chosen in all conflicts.
fn choices([base, dest, incoming]: [&str; 3]) -> [String; 2] {
    let [base, dest, incoming] = [base, dest, incoming].map(|text| Stream::parse(text).unwrap());
    let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
    let plan = merge(sides, &Schema::new(), &Policy::GIT).unwrap();
    [ConflictStyle::Dest, ConflictStyle::Incoming].map(|style| render(&plan, sides, &style).unwrap())
}

#[test]
fn each_choice_is_its_side_where_all_that_differs_is_in_conflict() {
    let cases = [["abcde", "abcdg", "beacd"], ["abcde", "acdhb", "acbd"]];
    for [base, ours, theirs] in cases.map(|case| case.map(letters)) {
        assert_eq!(choices([&base, &ours, &theirs]), [ours.clone(), theirs.clone()]);
        assert_eq!(choices([&base, &theirs, &ours]), [theirs, ours]);
    }
}

#[test]
fn an_element_in_conflict_beside_an_order_in_conflict() {
    let pod = |items: &[(char, u8)]| {
        let items = items.iter().map(|(name, tag)| format!("  - name: {name}\n    image: r/{name}:{tag}\n"));
        format!("apiVersion: v1\nkind: Pod\nspec:\n  initContainers:\n{}", items.collect::<String>())
    };
    let base = pod(&[('a', 0), ('b', 0), ('c', 0), ('d', 0), ('e', 0)]);
    let ours = pod(&[('a', 0), ('c', 0), ('d', 0), ('h', 0), ('b', 0)]);
    let theirs = pod(&[('a', 0), ('c', 0), ('b', 0), ('d', 0), ('e', 2)]);
    assert_eq!(choices([&base, &ours, &theirs]), [ours.clone(), theirs.clone()]);
    assert_eq!(choices([&base, &theirs, &ours]), [theirs, ours]);
}

#[test]
fn one_port_with_two_protocols() {
    let head = "apiVersion: v1\nkind: Service\nmetadata: {name: dns}\nspec:\n  ports:\n";
    let dest = format!("{head}  - port: 53\n    targetPort: 1053\n  - port: 53\n    protocol: UDP\n");
    let patch = format!("{head}  - port: 53\n    protocol: TCP\n    name: tcp\n");
    let expected =
        "  - port: 53\n    protocol: TCP\n    name: tcp\n    targetPort: 1053\n  - port: 53\n    protocol: UDP\n";
    assert_eq!(merge2(&Schema::new(), &patch, &dest), format!("{head}{expected}"));
}

#[test]
fn a_pod_template_in_a_kind_without_schema() {
    let head = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n";
    let dest = format!(
        "{head}      containers:\n      - name: app\n        image: app:1\n        ports:\n        - containerPort: 53\n        \
         - containerPort: 53\n          protocol: UDP\n"
    );
    let patch = format!(
        "{head}      containers:\n      - name: app\n        ports:\n        - containerPort: 53\n          name: tcp\n"
    );
    let merged = merge2(&Schema::new(), &patch, &dest);
    assert!(
        merged.contains(
            "        - containerPort: 53\n          name: tcp\n        - containerPort: 53\n          protocol: UDP\n"
        ),
        "{merged}"
    );
}

#[test]
fn a_rule_of_the_user_comes_first() {
    let dest = "gears:\n- id: 1\n  teeth: 8\n- id: 2\n  teeth: 9\n";
    let patch = "gears:\n- id: 2\n  teeth: 10\n";
    assert_eq!(merge2(&Schema::new(), patch, dest), patch);
    let mut schema = Schema::new();
    schema.set_rules(vec![".gears=id".parse().unwrap()]).unwrap();
    assert_eq!(merge2(&schema, patch, dest), "gears:\n- id: 1\n  teeth: 8\n- id: 2\n  teeth: 10\n");
}
