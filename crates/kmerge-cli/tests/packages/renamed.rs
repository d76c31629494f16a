//! What moved, was renamed, or only looks so; a second merge changes nothing.

use super::{A, Tree, files, merge3, merged, read, room, said};

#[test]
fn a_header_goes_with_the_document_below_it() {
    const TOP: &str = "# top\n\n";
    let b = "kind: B\nmetadata: {name: b}\n";
    let all = |top: &str| format!("{top}{A}---\n{b}");
    let [was, mine, split] = [all(TOP), all("# top\n# mine\n\n"), format!("{TOP}{A}")];
    let trees: [&[(&str, &str)]; 3] =
        [&[("all.yaml", &was)], &[("all.yaml", &mine)], &[("a.yaml", &split), ("b.yaml", b)]];
    let expected = files(&[("a.yaml", &format!("# top\n# mine\n\n{A}")), ("b.yaml", b)]);
    assert_eq!(merged(trees, &["--on-conflict", "fail"]), (Some(0), expected));
}

/// A config map with three values.
pub(super) fn map(name: &str, value: u32) -> String {
    format!("kind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  a: {value}\n  b: 2\n  c: 3\n")
}

/// Checks that a merge is clean, that this is the result, and that a second merge changes nothing.
fn assert_merges_twice(trees: [&[(&str, &str)]; 3], expected: &[(&str, &str)]) {
    let [base, dest, incoming] = trees.map(files);
    let room = room(&base, &dest, &incoming);
    for _ in 0..2 {
        let output = merge3(room.path(), &["--on-conflict", "fail"]);
        assert_eq!(output.status.code(), Some(0), "{trees:?}: {}", said(&output));
        assert_eq!(read(&room.path().join("dest")), files(expected), "{trees:?}");
    }
}

#[test]
fn what_was_renamed_and_changed_is_found_again() {
    let lines = "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n";
    let [ours, theirs] = [lines.replace("a: 1", "a: 9"), lines.replace("e: 5", "e: 9")];
    let both = ours.replace("e: 5", "e: 9");
    for [old, new] in [["values.yaml", "own.yaml"], ["README.md", "DOC.md"]] {
        for [dest, incoming] in [[old, new], [new, old], [new, new]] {
            assert_merges_twice([&[(old, lines)], &[(dest, &ours)], &[(incoming, &theirs)]], &[(new, &both)]);
        }
    }
}

#[test]
fn a_resource_that_was_renamed_in_a_file_that_was_stays_one() {
    let [was, new, edited, both] = [map("a", 1), map("b", 1), map("a", 9), map("b", 9)];
    for [dest, incoming] in [[&new, &edited], [&edited, &new]] {
        assert_merges_twice([&[("a.yaml", &was)], &[("b.yaml", dest)], &[("b.yaml", incoming)]], &[("b.yaml", &both)]);
    }
    assert_merges_twice([&[("a.yaml", &was)], &[("b.yaml", &both)], &[("b.yaml", &new)]], &[("b.yaml", &both)]);
}

#[test]
fn a_resource_with_another_name_does_not_come_back() {
    let [was, mine, new, both] = [map("a", 1), map("mine", 1), map("a", 9), map("mine", 9)];
    assert_merges_twice([&[("a.yaml", &was)], &[("a.yaml", &mine)], &[("b.yaml", &new)]], &[("b.yaml", &both)]);
    let other = map("other", 1);
    let [joined, result] = [&new, &both].map(|map| format!("{other}---\n{map}"));
    let trees: [&[(&str, &str)]; 3] =
        [&[("a.yaml", &was), ("b.yaml", &other)], &[("a.yaml", &mine), ("b.yaml", &other)], &[("b.yaml", &joined)]];
    assert_merges_twice(trees, &[("b.yaml", &result)]);
}

#[test]
fn a_patch_stays_when_its_resource_is_removed() {
    const WEB: &str = "kind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n  paused: false\n";
    const PATCH: &str = "kind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 8\n";
    let trees: [&[(&str, &str)]; 3] = [
        &[("web.yaml", WEB), ("a.yaml", A)],
        &[("web.yaml", WEB), ("a.yaml", A), ("patch.yaml", PATCH)],
        &[("a.yaml", A)],
    ];
    assert_merges_twice(trees, &[("a.yaml", A), ("patch.yaml", PATCH)]);
}

#[test]
fn a_file_says_its_version_of_yaml_without_its_first_document() {
    const VERSION: &str = "%YAML 1.2\n---\n";
    let [b, c] = ["b", "c"].map(|name| map(name, 1));
    let [was, new] = [format!("{VERSION}{A}---\n{b}"), format!("{VERSION}{b}")];
    let [mine, result] = [format!("{was}---\n{c}"), format!("{new}---\n{c}")];
    assert_merges_twice([&[("a.yaml", &was)], &[("a.yaml", &mine)], &[("a.yaml", &new)]], &[("a.yaml", &result)]);
}

#[test]
fn a_json_file_gets_no_yaml() {
    let json = |x: u32| format!("{{\"kind\": \"A\", \"metadata\": {{\"name\": \"a\"}}, \"x\": {x}, \"y\": 1}}\n");
    let b = map("b", 1);
    let mine = format!("# mine\n{}", A.replace("y: 1", "y: 9"));
    let result = "# mine\nkind: \"A\"\nmetadata: {\"name\": \"a\"}\nx: 2\ny: 9\n";
    assert_merges_twice([&[("a.yaml", A)], &[("a.yaml", &mine)], &[("a.json", &json(2))]], &[("a.yaml", result)]);
    let [own, more] = [json(1), format!("{A}---\n{b}")];
    let expected = [("a.json", &*own), ("a.yaml", &*b)];
    assert_merges_twice([&[("a.yaml", A)], &[("a.json", &own)], &[("a.yaml", &more)]], &expected);

    let yaml = format!("# new\n{A}z: |\n  text\n");
    let room = room(&files(&[("a.yaml", A)]), &files(&[("a.json", &own)]), &files(&[("a.yaml", &yaml)]));
    let output = merge3(room.path(), &[]);
    assert!(said(&output).contains("dest/a.json would not be JSON any more"), "{}", said(&output));
    assert_eq!((output.status.code(), read(&room.path().join("dest"))), (Some(2), files(&[("a.json", &own)])));
}

#[test]
fn a_new_resource_is_not_taken_for_a_removed_one() {
    let [gone, own] = [map("gone", 1), map("own", 9)];
    let [was, mine, result] =
        [format!("{A}---\n{gone}"), format!("{A}---\n{gone}---\n{own}"), format!("{A}---\n{own}")];
    assert_merges_twice([&[("a.yaml", &was)], &[("a.yaml", &mine)], &[("a.yaml", A)]], &[("a.yaml", &result)]);
}

#[test]
fn a_json_file_holds_one_of_the_documents_that_both_sides_add() {
    let json = |name: &str| {
        format!(
            "{{\"kind\": \"ConfigMap\", \"metadata\": {{\"name\": \"{name}\"}}, \"data\": {{\"{name}\": \"1\"}}}}\n"
        )
    };
    let [dest, incoming] = ["x", "y"].map(|name| files(&[("q.json", &json(name))]));
    let room = room(&Tree::new(), &dest, &incoming);
    let output = merge3(room.path(), &[]);
    assert!(said(&output).contains("dest/q.json would hold several documents"), "{}", said(&output));
    assert_eq!((output.status.code(), read(&room.path().join("dest"))), (Some(2), dest));
}

#[test]
fn what_both_sides_renamed_otherwise_comes_once() {
    let [was, mine, theirs] = [("web", 1), ("mine", 1), ("fe", 7)].map(|(name, value)| map(name, value));
    let trees: [&[(&str, &str)]; 3] = [&[("a.yaml", &was)], &[("a.yaml", &mine)], &[("a.yaml", &theirs)]];
    let [base, dest, incoming] = trees.map(files);
    let room = room(&base, &dest, &incoming);
    for _ in 0..2 {
        let output = merge3(room.path(), &["--on-conflict", "dest"]);
        assert!(said(&output).contains("ConfigMap mine .metadata.name"), "{}", said(&output));
        assert_eq!(read(&room.path().join("dest")), files(&[("a.yaml", &map("mine", 7))]));
    }
}

#[test]
fn a_copy_of_what_upstream_removed_stays() {
    let values = "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n";
    for (path, copy) in [("values.yaml", "values-prod.yaml"), ("README", "README.orig")] {
        let trees: [&[(&str, &str)]; 3] = [&[(path, values)], &[(path, values), (copy, values)], &[("k", "k\n")]];
        assert_merges_twice(trees, &[(copy, values), ("k", "k\n")]);
    }
}

#[test]
fn a_patch_at_the_old_path_is_not_the_resource_that_moved() {
    let whole =
        |x: u32, end: u32| format!("kind: W\nmetadata: {{name: w}}\nspec: {{x: {x}, a: 1, b: 1, c: 1, end: {end}}}\n");
    let patch = "kind: W\nmetadata: {name: w}\nspec: {x: 9}\n";
    let [was, mine, new, both] = [whole(1, 1), whole(2, 1), whole(1, 2), whole(2, 2)];
    let result = [("base/w.yaml", &*both), ("w.yaml", patch)];
    let moved = |text| [("base/w.yaml", text), ("w.yaml", patch)];
    assert_merges_twice([&[("w.yaml", &was)], &moved(&mine), &[("w.yaml", &new)]], &result);
    assert_merges_twice([&[("w.yaml", &was)], &[("w.yaml", &mine)], &moved(&new)], &result);
    assert_merges_twice([&[("w.yaml", &was)], &[("w.yaml", &was)], &moved(&new)], &moved(&new));
    // The patch goes, and the resource comes to its path.
    assert_merges_twice([&moved(&was), &moved(&mine), &[("w.yaml", &new)]], &[("w.yaml", &both)]);
}
