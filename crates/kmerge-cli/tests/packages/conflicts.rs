//! What both sides changed, or one of them removed: markers, messages, and who wins.

use super::renamed::map;
use super::{A, Tree, files, merge3, merged, read, room, said};

fn text(tree: &Tree, path: &str) -> String {
    tree.get(path).map(|(bytes, _)| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
}

const LIST: &str = "kind: List\nitems:\n";
const X: &str = "- kind: X\n  metadata: {name: x}\n  n: 1\n";
const Y: &str = "- kind: Y\n  metadata: {name: y}\n  n: 1\n";

#[test]
fn an_item_that_one_side_removed_and_the_other_changed_stands_between_markers() {
    let changed = Y.replace("n: 1", "n: 2");
    let [all, left, new, only] =
        [[X, Y].concat(), X.to_owned(), [X, &changed].concat(), changed.clone()].map(|items| format!("{LIST}{items}"));
    let other = ("z.yaml", "kind: Z\nmetadata: {name: z}\n");
    let here = format!("<<<<<<< dest\n{changed}=======\n>>>>>>> incoming\n");
    let there = format!("<<<<<<< dest\n=======\n{changed}>>>>>>> incoming\n");
    let whole = format!("<<<<<<< dest\n{only}=======\n>>>>>>> incoming\n");
    for (dest, incoming, expected) in [
        (("l.yaml", &*new), ("l.yaml", &*left), format!("{left}{here}")),
        (("l.yaml", &*left), ("l.yaml", &*new), format!("{left}{there}")),
        (("l.yaml", &*new), other, whole),
        (other, ("l.yaml", &*new), format!("<<<<<<< dest\n=======\n{only}>>>>>>> incoming\n")),
    ] {
        let trees: [&[(&str, &str)]; 3] = [&[("l.yaml", &all)], &[dest], &[incoming]];
        let (code, result) = merged(trees, &["--on-conflict", "markers"]);
        assert_eq!((code, text(&result, "l.yaml")), (Some(1), expected));
    }
}

#[test]
fn a_document_in_conflict_that_became_an_item_stands_between_markers() {
    let documents = "kind: X\nmetadata: {name: x}\nn: 1\n---\nkind: Y\nmetadata: {name: y}\nn: 1\n";
    let list = format!("{LIST}{X}{}", Y.replace("n: 1", "n: 2"));
    let trees: [&[(&str, &str)]; 3] = [
        &[("a.yaml", documents)],
        &[("a.yaml", &documents[..documents.find("---").expect("there")])],
        &[("a.yaml", &list)],
    ];
    let (code, result) = merged(trees, &["--on-conflict", "markers"]);
    let hunk = "<<<<<<< dest\n=======\n---\nkind: Y\nmetadata: {name: y}\nn: 2\n>>>>>>> incoming\n";
    assert_eq!((code, text(&result, "a.yaml").ends_with(hunk)), (Some(1), true));
}

#[test]
fn a_list_whose_items_became_documents_is_not_missed() {
    let documents = [X, Y].map(|item| item.replace("- ", "  ").replace("\n  ", "\n").trim_start().to_owned());
    let dest = [("x.yaml", &*documents[0]), ("y.yaml", &*documents[1])];
    let (all, left) = (format!("{LIST}{X}{Y}"), format!("{LIST}{X}"));
    let trees: [&[(&str, &str)]; 3] = [&[("l.yaml", &all)], &dest, &[("l.yaml", &left)]];
    for flag in ["updated", "dest", "fail", "markers"] {
        let room = {
            let [base, dest, incoming] = trees.map(files);
            room(&base, &dest, &incoming)
        };
        let output = merge3(room.path(), &["--on-conflict", flag]);
        assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), "wrote dest: 1 file deleted\n"));
        assert_eq!(read(&room.path().join("dest")), files(&dest[..1]));
    }
}

#[test]
fn a_file_that_one_side_removed_and_the_other_changed_stands_between_markers() {
    for [dest, incoming] in [["", "a\nB\n"], ["a\nB\n", ""]] {
        let tree = |text: &'static str| if text.is_empty() { Vec::new() } else { vec![("note.txt", text)] };
        let [dest_tree, incoming_tree] = [dest, incoming].map(tree);
        let trees: [&[(&str, &str)]; 3] = [&[("note.txt", "a\nb\n")], &dest_tree, &incoming_tree];
        let expected = format!("<<<<<<< dest\n{dest}=======\n{incoming}>>>>>>> incoming\n");
        let (code, result) = merged(trees, &["--on-conflict", "markers"]);
        assert_eq!((code, text(&result, "note.txt")), (Some(1), expected));
    }
}

#[test]
fn a_message_says_where_no_markers_are() {
    let [base, dest, incoming] = ["-> a", "-> b", "-> c"].map(|link| files(&[("link", link)]));
    for (dest, left) in [(&dest, "dest has its own version"), (&Tree::new(), "it stays away")] {
        let room = room(&base, dest, &incoming);
        let output = merge3(room.path(), &["--on-conflict", "markers"]);
        assert!(said(&output).contains(&format!("conflict; no markers fit into it, {left}")), "{}", said(&output));
        assert_eq!(&read(&room.path().join("dest")), dest);
    }
}

#[test]
fn a_comment_that_one_side_removed_and_the_other_changed_stands_between_markers() {
    let new = format!("# a\n{A}");
    let trees: [&[(&str, &str)]; 3] = [&[("a.yaml", "# a\n")], &[("a.yaml", "# mine\n")], &[("a.yaml", &new)]];
    let (code, result) = merged(trees, &["--on-conflict", "markers"]);
    let expected = format!("{new}<<<<<<< dest\n---\n# mine\n=======\n>>>>>>> incoming\n");
    assert_eq!((code, text(&result, "a.yaml")), (Some(1), expected));
}

#[test]
fn a_message_names_the_files_that_kustomizations_do_not_fit() {
    let list = |entries: &str| format!("kind: Kustomization\nresources: [{entries}]\n");
    let [all, split, own] = ["all.yaml", "a.yaml, b.yaml", "mine.yaml, app"].map(list);
    let [b, c] = ["b", "c"].map(|name| map(name, 1));
    let [both, three] = [format!("{A}---\n{b}"), format!("{A}---\n{b}---\n{c}")];
    let kustomization = "kustomization.yaml";
    let unlisted: [&[(&str, &str)]; 3] = [
        &[("all.yaml", &both), (kustomization, &all)],
        &[("all.yaml", &three), (kustomization, &all)],
        &[("a.yaml", A), ("b.yaml", &b), (kustomization, &split)],
    ];
    let gone: [&[(&str, &str)]; 3] = [
        &[("a.yaml", A), ("app/b.yaml", &b)],
        &[("mine.yaml", A), ("app/b.yaml", &b), (kustomization, &own)],
        &[("c.yaml", &c)],
    ];
    let [one, two] = ["a.yaml", "a.yaml, n.yaml"].map(list);
    let renamed: [&[(&str, &str)]; 3] = [
        &[("k/a.yaml", A), ("k/kustomization.yaml", &one)],
        &[("q/a.yaml", A), ("q/kustomization.yaml", &one)],
        &[("k/a.yaml", A), ("k/n.yaml", &b), ("k/kustomization.yaml", &two)],
    ];
    for (trees, expected) in [
        (renamed, "dest/q/n.yaml: missing, and a kustomization lists it\n"),
        (unlisted, "dest/all.yaml: no kustomization lists it any more\n"),
        (
            gone,
            "dest/app: missing, and a kustomization lists it\ndest/c.yaml: new, and no kustomization lists it\n\
            dest/mine.yaml: missing, and a kustomization lists it\n",
        ),
    ] {
        let [base, dest, incoming] = trees.map(files);
        let output = merge3(room(&base, &dest, &incoming).path(), &[]);
        assert!(said(&output).starts_with(expected), "{}", said(&output));
    }
}

#[test]
fn a_message_names_files_that_are_listed_by_one_side_and_missing_on_the_other() {
    let list = |entries: &str| format!("kind: Kustomization\nresources: [{entries}]\n");
    let [one, two, mine] = ["a.yaml", "a.yaml, b.yaml", "a.yaml, mine.yaml"].map(list);
    let generator = format!("{one}configMapGenerator: [{{name: g, files: [k=p.txt]}}]\n");
    let b = map("b", 1);
    let [kustomization, a, b_there, text] = ["kustomization.yaml", "a.yaml", "b.yaml", "p.txt"];
    let removed: [&[(&str, &str)]; 3] = [
        &[(a, A), (b_there, &b), (kustomization, &one)],
        &[(a, A), (kustomization, &one)],
        &[(a, A), (b_there, &b), (kustomization, &two)],
    ];
    let renamed = [removed[0], &[(a, A), ("mine.yaml", &b), (kustomization, &mine)], removed[2]];
    let generated: [&[(&str, &str)]; 3] = [
        &[(a, A), (text, "p\n"), (kustomization, &one)],
        &[(a, A), (text, "p\n"), (kustomization, &generator)],
        &[(a, A), (kustomization, &one)],
    ];
    for (trees, missing) in [(removed, b_there), (renamed, b_there), (generated, text)] {
        let [base, dest, incoming] = trees.map(files);
        let output = merge3(room(&base, &dest, &incoming).path(), &[]);
        let expected = format!("dest/{missing}: missing, and a kustomization lists it\nwrote ");
        assert!(said(&output).starts_with(&expected), "{}", said(&output));
    }
}

#[test]
fn no_message_names_files_that_upstream_does_not_list_either() {
    let list = "kind: Kustomization\nresources: [a.yaml, gone.yaml]\n";
    let b = map("b", 1);
    let [base, dest] = [&[("kustomization.yaml", list), ("a.yaml", A), ("b.yaml", &*b)][..]; 2].map(files);
    let incoming = files(&[
        ("kustomization.yaml", list),
        ("a.yaml", A),
        ("more/b.yaml", &b),
        ("values.yaml", "replicas: 1\n"),
        ("notes.yaml", "# a\n"),
    ]);
    let output = merge3(room(&base, &dest, &incoming).path(), &[]);
    assert_eq!(said(&output), "wrote dest: 3 files created, 1 file deleted\n");
}

#[test]
fn no_message_names_a_new_file_that_holds_no_resource() {
    let list = "kind: Kustomization\nresources: [a.yaml]\n";
    let trees: [&[(&str, &str)]; 3] = [
        &[("a.yaml", A)],
        &[("a.yaml", A), ("kustomization.yaml", list)],
        &[("a.yaml", A), ("values.yaml", "replicas: 1\n"), ("notes.yaml", "# a\n")],
    ];
    let [base, dest, incoming] = trees.map(files);
    assert_eq!(said(&merge3(room(&base, &dest, &incoming).path(), &[])), "wrote dest: 2 files created\n");
}

#[test]
fn a_document_of_comments_that_was_edited_stays_for_dest() {
    let b = map("b", 1);
    let [was, mine] = ["# a\n", "# mine\n"].map(|comment| format!("{A}---\n{comment}---\n{b}"));
    let trees: [&[(&str, &str)]; 3] =
        [&[("a.yaml", &was)], &[("a.yaml", &mine)], &[("a.yaml", &format!("{A}---\n{b}"))]];
    for (flag, code) in [("dest", 0), ("fail", 1)] {
        assert_eq!(merged(trees, &["--on-conflict", flag]), (Some(code), files(trees[1])));
    }
}

#[test]
fn comments_that_are_lost_beside_a_conflict_have_a_message() {
    let b = map("b", 1);
    let [base, dest] = ["", "# mine\n"].map(|note| format!("{A}---\n{note}{b}"));
    let [dest, incoming] = [dest.replace("x: 1", "x: 3"), A.replace("x: 1", "x: 2")];
    let [base, dest, incoming] = [&base, &dest, &incoming].map(|text| files(&[("a.yaml", text)]));
    let output = merge3(room(&base, &dest, &incoming).path(), &["--on-conflict", "markers"]);
    assert!(said(&output).starts_with("1 place in conflict:\n"), "{}", said(&output));
    let lost = "ConfigMap b: dest changed its comments and updated removed it: removed\n";
    assert!(said(&output).contains(lost), "{}", said(&output));
}

#[test]
fn comments_of_both_sides_are_called_comments() {
    let [base, dest, incoming] = ["# a\n", "# b\n", "# c\n"].map(|text| files(&[("a.yaml", text)]));
    let output = merge3(room(&base, &dest, &incoming).path(), &[]);
    assert!(said(&output).contains("dest/a.yaml:1: comments around the document"), "{}", said(&output));
}

/// The text with one side of every hunk.
fn chosen(text: &str, ours: bool) -> String {
    let mut side = None;
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        match line.trim_end() {
            "<<<<<<< dest" => side = Some(true),
            "=======" => side = Some(false),
            ">>>>>>> incoming" => side = None,
            _ if side.is_none_or(|side| side == ours) => out.push_str(line),
            _ => {}
        }
    }
    out
}

#[test]
fn each_choice_at_the_markers_of_a_document_is_what_the_flag_makes() {
    let [b, c] = ["b", "c"].map(|name| map(name, 1));
    let new = |text: &str| text.replace(": 1", ": 2");
    let joined = |documents: &[&str]| documents.join("---\n");
    let yaml = |text: &str| format!("%YAML 1.2\n---\n{text}");
    let ended = |text: &str| format!("{text}...\n");
    for [base, changed, left] in [
        [joined(&[A, &b, &c]), joined(&[A, &new(&b), &c]), joined(&[A, &c])],
        [joined(&[A, &b]), joined(&[A, &new(&b)]), A.to_owned()],
        [joined(&[A, &b]), joined(&[&new(A), &b]), b.clone()],
        [joined(&[A, &b, &c]), joined(&[&new(A), &new(&b), &c]), c.clone()],
        [yaml(&joined(&[A, &b])), yaml(&joined(&[&new(A), &b])), yaml(&b)],
        [joined(&[A, &b, &c]), joined(&[A, &ended(&new(&b)), &c]), joined(&[A, &c])],
    ]
    .map(|texts| texts.map(|text| [text.clone(), text.replace('\n', "\r\n")]))
    .iter()
    .flat_map(|[base, changed, left]| [0, 1].map(|end| [&*base[end], &*changed[end], &*left[end]]))
    {
        for [dest, incoming] in [[changed, left], [left, changed]] {
            let trees: [&[(&str, &str)]; 3] = [&[("a.yaml", base)], &[("a.yaml", dest)], &[("a.yaml", incoming)]];
            let result = |flag: &str| text(&merged(trees, &["--on-conflict", flag]).1, "a.yaml");
            let marked = result("markers");
            for (is_ours, flag) in [(true, "dest"), (false, "updated")] {
                assert_eq!(chosen(&marked, is_ours), result(flag), "{marked}");
            }
        }
    }
}

#[test]
fn a_destination_with_open_conflicts_is_refused() {
    for (path, base) in [("a.yaml", A), ("note.txt", "a\nx: 1\nb\n")] {
        let [base, dest, incoming] =
            [1, 2, 3].map(|value| files(&[(path, &base.replace("x: 1", &format!("x: {value}")))]));
        let room = room(&base, &dest, &incoming);
        merge3(room.path(), &["--on-conflict", "markers"]);
        let marked = read(&room.path().join("dest"));
        let line = text(&marked, path).lines().position(|line| line == "<<<<<<< dest").expect("marked") + 1;
        let flags = ["updated", "dest", "fail", "markers"];
        for (index, flag) in flags.into_iter().chain(flags).enumerate() {
            if index == flags.len() {
                std::fs::remove_file(room.path().join("incoming").join(path)).expect("removed");
            }
            let output = merge3(room.path(), &["--on-conflict", flag]);
            let place = format!("dest/{path}:{line}:1: error[KM0016]: dest/{path} has a conflict");
            assert!(said(&output).contains(&place), "{}", said(&output));
            assert_eq!((output.status.code(), read(&room.path().join("dest"))), (Some(2), marked.clone()));
        }
    }
}

#[test]
fn markers_that_are_text_are_merged() {
    let hunk = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n";
    let [base, dest, incoming] = [["1", "1"], ["2", "1"], ["1", "2"]].map(|[a, b]| format!("{a}\n{hunk}{b}\n"));
    let trees: [&[(&str, &str)]; 3] = [&[("note.md", &base)], &[("note.md", &dest)], &[("note.md", &incoming)]];
    assert_eq!(merged(trees, &[]), (Some(0), files(&[("note.md", &format!("2\n{hunk}2\n"))])));
}
