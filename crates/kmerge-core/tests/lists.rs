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
