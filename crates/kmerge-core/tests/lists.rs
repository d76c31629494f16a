//! Lists merge by what the schema, or the elements themselves, say about them.
#![allow(clippy::unwrap_used, missing_docs)]

use kmerge_core::git;
use kmerge_core::lines::{Labels, Style, Texts};
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

/// Items without a key, as lines: the first field of each, and what stands below.
fn items(list: &str, items: &[(&str, String)]) -> String {
    let items: String = items.iter().map(|(path, fields)| format!("  - path: {path}\n{fields}")).collect();
    format!("{list}:\n{items}")
}

/// The driver's result. `None` if there is a conflict.
fn driver([base, ours, theirs]: [&str; 3]) -> Option<String> {
    let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    let labels = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
    let style = ConflictStyle::Markers { style: Style::Merge, labels };
    let written = git::merge(texts, &Schema::new()).write(&style);
    (!written.conflict).then(|| String::from_utf8(written.text).unwrap())
}

/// One side adds a field below an item, the other changes the last line of that item and adds an item that ends as it
/// ended. git's line merge puts the field below the new item.
#[test]
fn a_field_stays_in_the_item_that_a_side_added_it_to() {
    let mut clean = 0;
    for (list, count, has_more) in ["paths", "steps", "l"]
        .into_iter()
        .flat_map(|list| (1..4).flat_map(move |n| [(list, n, false), (list, n, true)]))
    {
        let fields = |last: &str| {
            let alike: String = (1..count).map(|field| format!("    f{field}: same\n")).collect();
            format!("{alike}    last: {last}\n")
        };
        let more = || has_more.then(|| ("/more", fields("old")));
        let all = |own: Vec<(&'static str, String)>| items(list, &own.into_iter().chain(more()).collect::<Vec<_>>());
        let base = all(vec![("/", fields("old"))]);
        let ours = all(vec![("/", fields("old") + "    port: 80\n")]);
        let theirs = all(vec![("/", fields("new")), ("/t", fields("old"))]);
        let expected = all(vec![("/", fields("new") + "    port: 80\n"), ("/t", fields("old"))]);
        for texts in [[&base, &ours, &theirs], [&base, &theirs, &ours]] {
            let Some(merged) = driver(texts.map(String::as_str)) else { continue };
            assert_eq!(merged, expected, "{texts:#?}");
            clean += 1;
        }
    }
    assert!(clean >= 30, "{clean} of 36 are clean");
}
