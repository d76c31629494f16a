//! Lists of resources: conflicts of their own fields, and what is lost with their items.

use super::{files, merge3, merged, room, said};

/// A list with a version and items, each a name with a value.
fn list(version: u32, items: &[(&str, u32)]) -> String {
    let mut text = format!("kind: List\nmetadata:\n  resourceVersion: {version}\nitems:\n");
    for (name, value) in items {
        text += &format!("- apiVersion: v1\n  kind: X\n  metadata: {{name: {name}}}\n  n: {value}\n");
    }
    text
}

#[test]
fn markers_stand_around_a_field_of_a_list_and_around_its_items() {
    let field = "<<<<<<< dest\n  resourceVersion: 3\n=======\n  resourceVersion: 2\n>>>>>>> incoming\n";
    let item = "<<<<<<< dest\n  n: 3\n=======\n  n: 2\n>>>>>>> incoming\n";
    let with_hunk = |value: u32| list(3, &[("x", value)]).replace("  resourceVersion: 3\n", field);
    for (values, expected) in [([1, 1, 1], with_hunk(1)), ([1, 3, 2], with_hunk(3).replace("  n: 3\n", item))] {
        let [base, dest, incoming] =
            [(1, values[0]), (3, values[1]), (2, values[2])].map(|(version, value)| list(version, &[("x", value)]));
        let trees: [&[(&str, &str)]; 3] = [&[("l.yaml", &base)], &[("l.yaml", &dest)], &[("l.yaml", &incoming)]];
        for flags in [&["--on-conflict", "markers"][..], &["--policy", "git"]] {
            assert_eq!(merged(trees, flags), (Some(1), files(&[("l.yaml", &expected)])));
        }
        let [base, dest, incoming] = trees.map(files);
        let room = room(&base, &dest, &incoming);
        let output = merge3(room.path(), &["--on-conflict", "markers", "--diff"]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    }
}

#[test]
fn a_comment_that_is_lost_with_its_item_has_a_message() {
    let [both, left] = [list(1, &[("x", 1), ("y", 1)]), list(1, &[("x", 1)])];
    let y = &both[left.len()..];
    let below = |text: &str| format!("{left}{text}");
    let flow =
        y.replace("- apiVersion: v1\n  kind: X\n  metadata: {name: y}\n  n: 1\n", "- {kind: X, metadata: {name: y}}\n");
    let noted = [
        (y, format!("# mine\n{y}")),
        (y, format!("{y}  # mine\n")),
        (y, y.replace("n: 1", "n: 1 # mine")),
        (&*flow, flow.replace("}}\n", "}} # mine\n")),
    ];
    for (was, mine) in noted {
        for [dest, incoming] in [[&*below(&mine), &*left], [&*left, &*below(&mine)]] {
            let [base, dest, incoming] = [&*below(was), dest, incoming].map(|text| files(&[("l.yaml", text)]));
            let output = merge3(room(&base, &dest, &incoming).path(), &["--on-conflict", "fail"]);
            assert!(said(&output).contains("X y: "), "{mine}{}", said(&output));
            assert!(said(&output).contains("changed its comments and"), "{mine}{}", said(&output));
        }
    }
}

#[test]
fn an_item_that_is_new_in_a_list_that_dest_removed_comes_without_a_conflict() {
    let [base, incoming, new] = [&[("x", 1)][..], &[("x", 1), ("z", 1)], &[("z", 1)]].map(|items| list(1, items));
    let other = ("o.yaml", "kind: O\nmetadata: {name: o}\n");
    let trees: [&[(&str, &str)]; 3] = [&[("l.yaml", &base), other], &[other], &[("l.yaml", &incoming), other]];
    for flag in ["updated", "dest", "fail", "markers"] {
        assert_eq!(merged(trees, &["--on-conflict", flag]), (Some(0), files(&[("l.yaml", &new), other])));
    }
}

#[test]
fn a_list_of_which_no_item_is_wanted_stays_away_without_a_conflict() {
    let [base, fewer] = [&[("x", 1), ("y", 1)][..], &[("x", 1)]].map(|items| list(1, items));
    let other = ("o.yaml", "kind: O\nmetadata: {name: o}\n");
    for incoming in [fewer, list(2, &[("x", 1), ("y", 1)])] {
        let trees: [&[(&str, &str)]; 3] = [&[("l.yaml", &base), other], &[other], &[("l.yaml", &incoming), other]];
        for flag in ["updated", "dest", "fail", "markers"] {
            assert_eq!(merged(trees, &["--on-conflict", flag]), (Some(0), files(&[other])), "{flag}");
        }
    }
}

#[test]
fn comments_beside_the_dashes_of_items_are_merged_as_in_files() {
    let list = |beside: &str| format!("kind: List\nitems:\n- # {beside}\n  kind: A\n  metadata: {{name: a}}\n");
    let [base, dest, incoming] = ["old", "mine", "new"].map(list);
    let only_new: [&[(&str, &str)]; 3] = [&[("l.yaml", &base)], &[("l.yaml", &base)], &[("moved.yaml", &incoming)]];
    assert_eq!(merged(only_new, &[]), (Some(0), files(&[("moved.yaml", &incoming)])));
    let both: [&[(&str, &str)]; 3] = [&[("l.yaml", &base)], &[("l.yaml", &dest)], &[("moved.yaml", &incoming)]];
    assert_eq!(merged(both, &[]), (Some(0), files(&[("moved.yaml", &dest)])));
    let hunk = "<<<<<<< dest\n- # mine\n=======\n- # new\n>>>>>>> incoming\n";
    let expected = base.replace("- # old\n", hunk);
    assert_eq!(merged(both, &["--policy", "git"]), (Some(1), files(&[("moved.yaml", &expected)])));
}

#[test]
fn a_comment_beside_a_dash_stands_above_the_item_that_leaves_its_list() {
    let a = "kind: A\nmetadata: {name: a}\n";
    let list = "kind: List\nitems:\n- kind: A\n  metadata: {name: a}\n";
    let added = format!("{list}# above\n- # beside\n  kind: B\n  metadata: {{name: b}}\n");
    let trees: [&[(&str, &str)]; 3] = [&[("l.yaml", list)], &[("l.yaml", a)], &[("l.yaml", &added)]];
    let expected = format!("{a}---\n# above\n# beside\nkind: B\nmetadata: {{name: b}}\n");
    assert_eq!(merged(trees, &[]), (Some(0), files(&[("l.yaml", &expected)])));
}

/// Markers are no markers but at the start of a line.
#[test]
fn markers_stand_around_an_item_in_flow_style() {
    let list = |n: u32| format!("kind: List\nitems:\n  - {{kind: A, metadata: {{name: a}}, n: {n}}} # a\n");
    let [base, dest, incoming] = [1, 2, 3].map(list);
    let trees: [&[(&str, &str)]; 3] = [&[("l.yaml", &base)], &[("l.yaml", &dest)], &[("moved.yaml", &incoming)]];
    let [head, ours] = [&dest[..18], &dest[18..]];
    let expected = format!("{head}<<<<<<< dest\n{ours}=======\n{}>>>>>>> incoming\n", &incoming[18..]);
    for flags in [&["--on-conflict", "markers"][..], &["--policy", "git"]] {
        assert_eq!(merged(trees, flags), (Some(1), files(&[("moved.yaml", &expected)])));
    }
    let shown = format!(
        "{head}<<<<<<< dest\n{ours}||||||| base\n{}=======\n{}>>>>>>> incoming\n",
        &base[18..],
        &incoming[18..]
    );
    assert_eq!(
        merged(trees, &["--policy", "git", "--marker-style", "diff3"]),
        (Some(1), files(&[("moved.yaml", &shown)]))
    );
}

#[test]
fn markers_around_a_document_behind_its_marker_stand_below_that() {
    let document = |n: u32| format!("{{kind: A, metadata: {{name: a}}, n: {n}}}\n");
    let [base, dest] = [1, 2].map(|n| format!("--- {}", document(n)));
    let incoming = format!("kind: List\nitems:\n- {}", document(3));
    let trees: [&[(&str, &str)]; 3] = [&[("a.yaml", &base)], &[("a.yaml", &dest)], &[("a.yaml", &incoming)]];
    let [ours, theirs] = [2, 3].map(document);
    let expected = format!("---\n<<<<<<< dest\n    {ours}=======\n    {theirs}>>>>>>> incoming\n");
    assert_eq!(merged(trees, &["--on-conflict", "markers"]), (Some(1), files(&[("a.yaml", &expected)])));
}
