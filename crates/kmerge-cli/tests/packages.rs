//! Merges of directories by the command itself: every case of `fixtures/packages`, and what is special about directories.
//!
//! `KMERGE_BLESS=1 cargo test -p kmerge-cli --test packages` writes `expected` of the cases anew; read the difference.
#![cfg(unix)]

#[path = "packages/conflicts.rs"]
mod conflicts;
#[path = "packages/lists.rs"]
mod lists;
#[path = "packages/renamed.rs"]
mod renamed;

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Path to content and whether it is executable; a link is its target with an arrow before it.
type Tree = BTreeMap<String, (Vec<u8>, bool)>;

fn read(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in directory.read_dir().expect("a directory") {
            let path = entry.expect("readable").path();
            let name = path.strip_prefix(root).expect("below the root").to_str().expect("UTF-8").to_owned();
            if path.is_symlink() {
                let target = path.read_link().expect("a link");
                tree.insert(name, (format!("-> {}", target.display()).into_bytes(), false));
            } else if path.is_dir() {
                open.push(path);
            } else {
                let executable = path.metadata().expect("it is there").permissions().mode() & 0o100 != 0;
                tree.insert(name, (std::fs::read(&path).expect("readable"), executable));
            }
        }
    }
    tree
}

fn write(root: &Path, tree: &Tree) {
    for (name, (bytes, executable)) in tree {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        match std::str::from_utf8(bytes).ok().and_then(|text| text.strip_prefix("-> ")) {
            Some(target) => symlink(target, &path).expect("linked"),
            None => {
                std::fs::write(&path, bytes).expect("written");
                let mode = if *executable { 0o755 } else { 0o644 };
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
            }
        }
    }
}

fn files(files: &[(&str, &str)]) -> Tree {
    files.iter().map(|&(path, text)| (path.to_owned(), (text.as_bytes().to_vec(), false))).collect()
}

/// A room with the directories `base`, `dest` and `incoming`.
fn room(base: &Tree, dest: &Tree, incoming: &Tree) -> tempfile::TempDir {
    let room = tempfile::tempdir().expect("a directory");
    for (name, tree) in [("base", base), ("dest", dest), ("incoming", incoming)] {
        std::fs::create_dir(room.path().join(name)).expect("created");
        write(&room.path().join(name), tree);
    }
    room
}

fn merge3(room: &Path, flags: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kmerge"));
    let inputs = ["merge3", "--original", "base", "--updated", "incoming", "--dest", "dest"];
    command.env("XDG_STATE_HOME", room.join("state"));
    command.current_dir(room).args(inputs).args(flags).output().expect("the binary runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/packages");
    let mut cases: Vec<PathBuf> =
        root.read_dir().expect("fixtures").map(|entry| entry.expect("readable").path()).collect();
    cases.sort();
    cases
}

#[test]
fn every_case_is_merged_in_place_and_a_second_time_nothing_changes() {
    let bless = std::env::var_os("KMERGE_BLESS").is_some();
    for case in cases().iter().filter(|case| case.join("expected").is_dir()) {
        let [base, dest, incoming] = ["base", "dest", "incoming"].map(|side| read(&case.join(side)));
        let room = room(&base, &dest, &incoming);
        let copied = merge3(room.path(), &["-o", "copy"]);
        assert_eq!(copied.status.code(), Some(0), "{}: {}", case.display(), said(&copied));
        assert_eq!(read(&room.path().join("dest")), dest, "{}: --output leaves dest alone", case.display());

        let output = merge3(room.path(), &[]);
        assert_eq!(output.status.code(), Some(0), "{}: {}", case.display(), said(&output));
        let result = read(&room.path().join("dest"));
        if bless {
            let expected = case.join("expected");
            std::fs::remove_dir_all(&expected).expect("removed");
            write(&expected, &result);
        }
        assert_eq!(result, read(&case.join("expected")), "{}", case.display());
        let ignored = |path: &&String| !read(&room.path().join("copy")).contains_key(*path);
        let left_out: Vec<&String> = result.keys().filter(ignored).collect();
        assert!(left_out.is_empty() || case.join("dest/.krmignore").exists(), "{}: {left_out:?}", case.display());

        let again = merge3(room.path(), &["--check"]);
        assert_eq!(again.status.code(), Some(0), "{}: {}", case.display(), said(&again));
    }
}

/// Under the policy git, a directory holds no clean merge that the driver does not give.
#[test]
fn for_git_a_file_of_a_directory_is_merged_as_the_driver_does() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/driver");
    let mut clean = 0;
    for case in fixtures.read_dir().expect("fixtures").map(|entry| entry.expect("readable").path()) {
        let [base, ours, theirs] =
            ["base.yaml", "ours.yaml", "theirs.yaml"].map(|side| std::fs::read(case.join(side)).unwrap_or_default());
        let [base_tree, ours_tree, theirs_tree] =
            [&base, &ours, &theirs].map(|bytes| Tree::from([("f.yaml".to_owned(), (bytes.clone(), false))]));
        let room = room(&base_tree, &ours_tree, &theirs_tree);
        let driver = Command::new(env!("CARGO_BIN_EXE_kmerge"))
            .args(["driver", "--output", "driver.yaml", "base/f.yaml", "dest/f.yaml", "incoming/f.yaml"])
            .current_dir(room.path())
            .output()
            .expect("the binary runs");
        let merged = merge3(room.path(), &["--policy", "git"]);
        if merged.status.success() && base != theirs {
            assert_eq!(driver.status.code(), Some(0), "{}: clean, but not for the driver", case.display());
            let [merged, driver] =
                ["dest/f.yaml", "driver.yaml"].map(|path| std::fs::read(room.path().join(path)).ok());
            assert_eq!(merged, driver, "{}", case.display());
            clean += 1;
        }
    }
    assert!(clean > 100, "only {clean} were clean");
}

const A: &str = "kind: A\nmetadata:\n  name: a\nx: 1\ny: 1\n";

fn edited(from: &str, to: &str) -> Tree {
    files(&[("a.yaml", &A.replace(from, to))])
}

#[test]
fn nothing_is_written_with_diff_check_or_conflicts_that_fail() {
    let room = room(&edited("", ""), &edited("x: 1", "x: 5"), &edited("x: 1", "x: 2"));
    let before = read(&room.path().join("dest"));
    let diff = merge3(room.path(), &["--diff"]);
    assert_eq!(diff.status.code(), Some(0));
    assert_eq!(
        String::from_utf8_lossy(&diff.stdout),
        "--- a/a.yaml\n+++ b/a.yaml\n@@ -1,5 +1,5 @@\n kind: A\n metadata:\n   name: a\n-x: 5\n+x: 2\n y: 1\n"
    );
    assert_eq!(merge3(room.path(), &["--check"]).status.code(), Some(1));
    let failed = merge3(room.path(), &["--on-conflict", "fail"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(said(&failed).contains("dest/a.yaml:4:1: conflict[KM0007]"), "{}", said(&failed));
    assert_eq!(read(&room.path().join("dest")), before);
    let changes = |flags: &[&str]| {
        let report = merge3(room.path(), &[&["--report", "-", "--format", "json"], flags].concat());
        let report: serde_json::Value = serde_json::from_slice(&report.stdout).expect("JSON");
        report["changes"].as_array().expect("an array").len()
    };
    assert_eq!((changes(&["--check"]), changes(&["--on-conflict", "fail"])), (1, 0));

    let marked = merge3(room.path(), &["--on-conflict", "markers"]);
    assert_eq!(marked.status.code(), Some(1));
    let (text, _) = &read(&room.path().join("dest"))["a.yaml"];
    assert!(String::from_utf8_lossy(text).contains("<<<<<<< dest\nx: 5\n=======\nx: 2\n>>>>>>> incoming\n"));
}

#[test]
fn mode_bits_follow_the_four_rules_and_untouched_files_are_not_written() {
    let mut base = edited("", "");
    base.insert("run.sh".to_owned(), (b"echo\n".to_vec(), false));
    let mut incoming = edited("x: 1", "x: 2");
    incoming.insert("run.sh".to_owned(), (b"echo\n".to_vec(), true));
    let mut dest = base.clone();
    dest.insert("keep.yaml".to_owned(), (b"kept:   as is\n".to_vec(), true));
    let room = room(&base, &dest, &incoming);
    let path = room.path().join("dest/a.yaml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("set");
    let modified =
        |name: &str| room.path().join("dest").join(name).metadata().expect("there").modified().expect("known");
    let before = modified("keep.yaml");
    assert_eq!(merge3(room.path(), &[]).status.code(), Some(0));
    let result = read(&room.path().join("dest"));
    assert_eq!(result["run.sh"], (b"echo\n".to_vec(), true));
    assert_eq!(path.metadata().expect("there").permissions().mode() & 0o777, 0o640);
    assert_eq!(modified("keep.yaml"), before);
}

#[test]
fn a_link_out_of_the_tree_is_neither_followed_nor_written_through() {
    let outside = tempfile::tempdir().expect("a directory");
    let mut incoming = edited("", "");
    incoming.insert("vendor/b.yaml".to_owned(), (b"kind: B\nmetadata: {name: b}\n".to_vec(), false));
    let room = room(&edited("", ""), &edited("x: 1", "x: 5"), &incoming);
    symlink(outside.path(), room.path().join("dest/vendor")).expect("linked");
    for flags in [&["--diff"][..], &["--check"], &[]] {
        let output = merge3(room.path(), flags);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &[][..]));
        assert!(said(&output).contains("cannot write vendor/b.yaml: vendor is a symbolic link"), "{}", said(&output));
    }
    assert_eq!(outside.path().read_dir().expect("readable").count(), 0);
    assert_eq!(read(&room.path().join("dest"))["a.yaml"].0, A.replace("x: 1", "x: 5").into_bytes());
}

#[test]
fn an_interrupted_merge_is_named_before_anything_else() {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
    let room = room(&edited("", ""), &edited("", ""), &edited("x: 1", "x: 2"));
    let metadata = room.path().join("dest").metadata().expect("it is there");
    let journal = room.path().join(format!("state/kmerge/{:x}-{:x}", metadata.dev(), metadata.ino()));
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&journal).expect("created");
    let staging = format!(".kmerge-{}", "0".repeat(32));
    let text = format!(r#"{{"version":2,"tree":"","staging":"{staging}","steps":[],"directories":[]}}"#);
    std::fs::write(journal.join("apply"), text).expect("written");
    let output = merge3(room.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("kmerge recover --resume dest"), "{}", said(&output));
}

#[test]
fn files_and_directories_do_not_mix_and_stdout_is_no_directory() {
    let room = room(&edited("", ""), &edited("", ""), &edited("x: 1", "x: 2"));
    std::fs::write(room.path().join("file.yaml"), A).expect("written");
    let output = merge3(room.path(), &["--dest", "file.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    let output = merge3(room.path(), &["-o", "-"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("a directory cannot be written to stdout"), "{}", said(&output));
    assert_eq!(merge3(room.path(), &["-o", "base"]).status.code(), Some(2));
}

#[test]
fn the_report_tells_what_became_of_resources_and_files() {
    let base = files(&[("all.yaml", &format!("{A}---\nkind: B\nmetadata: {{name: b}}\n")), ("note.txt", "1\n2\n3\n")]);
    let dest =
        files(&[("all.yaml", &format!("{A}---\nkind: B\nmetadata: {{name: b}}\nz: 1\n")), ("note.txt", "0\n2\n3\n")]);
    let incoming = files(&[("other.yaml", &A.replace("x: 1", "x: 2")), ("note.txt", "1\n2\n4\n")]);
    let room = room(&base, &dest, &incoming);
    let output = merge3(room.path(), &["--check", "--report", "-", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["version"], 1);
    let resources = report["resources"].as_array().expect("an array");
    let found: Vec<String> =
        resources.iter().map(|it| format!("{} {} {} {}", it["resource"], it["fate"], it["rule"], it["path"])).collect();
    assert_eq!(found, [r#""A a" "merge" "agreed" "other.yaml""#, r#""B b" "remove" "both-changed" null"#,]);
    assert_eq!(report["whole_files"][0]["fate"], "merge-lines");
    let changes: Vec<String> = report["changes"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|it| format!("{} {}", it["path"], it["change"]))
        .collect();
    assert_eq!(changes, [r#""all.yaml" "deleted""#, r#""note.txt" "modified""#, r#""other.yaml" "created""#]);
    let text = merge3(room.path(), &["--check", "--report", "-"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("dest changed it and updated removed it: updated wins, removed"), "{text}");
    assert!(text.contains("moved from all.yaml to other.yaml") && text.contains("note.txt: lines merged"), "{text}");
}

#[test]
fn an_unknown_directive_is_shown_where_it_stands() {
    const LIST: &str = "kind: List\nitems:\n- kind: A\n  metadata: {name: a}\n";
    let document = "kind: A\nmetadata: {name: a}\n$patch: off\n";
    let listed = format!("{LIST}  $patch: off\n");
    let of_list = LIST.replace("items:", "metadata:\n  $patch: off\nitems:");
    for (dest, source, place) in
        [(LIST, document, "3:9"), (LIST, &listed, "5:11"), ("x: 1\n", &listed, "5:11"), (LIST, &of_list, "3:11")]
    {
        let room = room(&files(&[]), &files(&[("a.yaml", dest)]), &files(&[("a.yaml", source)]));
        let mut command = Command::new(env!("CARGO_BIN_EXE_kmerge"));
        let output = command.current_dir(room.path()).args(["merge2", "incoming", "dest"]).output().expect("runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).starts_with(&format!("incoming/a.yaml:{place}: ")), "{}", said(&output));
    }
}

#[test]
fn what_both_sides_add_is_reported_as_in_files() {
    const HEAD: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n";
    let texts = ["mine", "upstream"].map(|value| format!("{HEAD}  a: {value}\n  b: null\n"));
    let room = room(&files(&[]), &files(&[("c.yaml", &texts[0])]), &files(&[("c.yaml", &texts[1])]));
    std::fs::write(room.path().join("empty.yaml"), "").expect("written");
    let of_files = ["merge3", "--original", "empty.yaml", "--updated", "incoming/c.yaml", "--dest", "dest/c.yaml"];
    let of_files =
        Command::new(env!("CARGO_BIN_EXE_kmerge")).current_dir(room.path()).args(of_files).output().expect("runs");
    let of_trees = merge3(room.path(), &[]);
    for output in [&of_files, &of_trees] {
        assert!(said(output).contains(".data.a: your mine → upstream"), "{}", said(output));
    }
    let merged = std::fs::read(room.path().join("dest/c.yaml")).expect("there");
    assert_eq!(String::from_utf8_lossy(&merged), String::from_utf8_lossy(&of_files.stdout));
}

/// An item of a list of one kind need not say its kind; as a document it is nothing without it, and no Secret to anybody.
#[test]
fn an_item_that_leaves_its_list_says_its_kind() {
    const T: &str = "metadata: {name: t}\n";
    let old = format!("apiVersion: v1\nkind: SecretList\nitems:\n- {T}");
    let new = format!("{old}# one\n- metadata: {{name: s}}\n  data:\n    p: bmV3\n");
    let own = format!("apiVersion: v1\nkind: Secret\n{T}");
    let room = room(&files(&[("a.yaml", &old)]), &files(&[("a.yaml", &own)]), &files(&[("a.yaml", &new)]));
    let diff = merge3(room.path(), &["--diff"]);
    let told = String::from_utf8_lossy(&diff.stdout);
    assert!(!told.contains("bmV3") && told.contains("***"), "{told}");
    merge3(room.path(), &[]);
    let result = read(&room.path().join("dest"));
    let secret = "# one\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata:\n  p: bmV3\n";
    assert_eq!(result, files(&[("a.yaml", &format!("{own}---\n{secret}"))]));
}

/// Merges three trees, and gives the exit code and the files of the result with their texts.
fn merged(trees: [&[(&str, &str)]; 3], flags: &[&str]) -> (Option<i32>, Tree) {
    let [base, dest, incoming] = trees.map(files);
    let room = room(&base, &dest, &incoming);
    let output = merge3(room.path(), flags);
    (output.status.code(), read(&room.path().join("dest")))
}

#[test]
fn what_both_sides_renamed_and_one_changed_stays() {
    const WAS: &str = "a\nb\nc\nd\n";
    const NEW: &str = "a\nb\nc\nd\ne\n";
    for [dest, incoming] in [[NEW, WAS], [WAS, NEW]] {
        let trees: [&[(&str, &str)]; 3] = [&[("README.md", WAS)], &[("DOC.md", dest)], &[("DOC.md", incoming)]];
        assert_eq!(merged(trees, &["--on-conflict", "fail"]), (Some(0), files(&[("DOC.md", NEW)])));
    }
}

#[test]
fn no_file_moves_onto_another_one() {
    const WAS: &str = "a\nb\nc\nd\n";
    let own = |dest, incoming| [&[("a.md", WAS)][..], dest, incoming];
    for trees in [
        own(&[("a.md", WAS), ("b.md", "own\n")], &[("b.md", WAS)]),
        own(&[("b.md", "own\n")], &[("b.md", WAS)]),
        own(&[("b.md", WAS)], &[("a.md", WAS), ("b.md", "up\n")]),
    ] {
        assert_eq!(merged(trees, &["--on-conflict", "fail"]), (Some(1), files(trees[1])), "{trees:?}");
        let (code, result) = merged(trees, &["--on-conflict", "markers"]);
        let text = String::from_utf8_lossy(&result["b.md"].0).into_owned();
        let has_both = [trees[1], trees[2]].iter().all(|side| {
            let at = side.iter().find(|(path, _)| *path == "b.md").map(|(_, text)| *text);
            at.is_some_and(|at| text.contains(at))
        });
        assert!(code == Some(1) && has_both, "{trees:?} gives {text}");
    }
}

#[test]
fn text_in_another_encoding_is_merged_line_by_line() {
    let tree = |bytes: &[u8]| Tree::from([("t.txt".to_owned(), (bytes.to_vec(), false))]);
    let [base, dest, incoming] = [&b"a \xe4\nb\nc\n"[..], b"A \xe4\nb\nc\n", b"a \xe4\nb\nC\n"].map(tree);
    let room = room(&base, &dest, &incoming);
    assert!(merge3(room.path(), &["--on-conflict", "fail"]).status.success());
    assert_eq!(read(&room.path().join("dest")), tree(b"A \xe4\nb\nC\n"));
}

#[test]
fn a_message_says_what_came_in_broken_and_what_was_merged_line_by_line() {
    let told = |[base, dest, incoming]: [&str; 3]| {
        let room = room(&files(&[("f.yaml", base)]), &files(&[("f.yaml", dest)]), &files(&[("f.yaml", incoming)]));
        let output = merge3(room.path(), &[]);
        assert!(output.status.success(), "{}", said(&output));
        said(&output)
    };
    let broken = "taken as it is, although it is not YAML: incoming/f.yaml:1:";
    assert!(told(["a: 1\n", "a: 1\n", "a: [\n"]).contains(broken));
    assert!(told(["a: 1\n", "a: 1\n", "<<<<<<< x\na: 1\n=======\na: 2\n>>>>>>> y\n"]).contains(broken));
    assert!(
        told(["a: [\n", "a: 1\n\n\nb: 1\n", "a: [\n\n\nb: 1\n"])
            .contains("merged line by line, because base/f.yaml:1:")
    );
    let template = ["a: {{ x }}\n\n\nb: 1\n", "a: {{ y }}\n\n\nb: 1\n", "a: {{ x }}\n\n\nb: 2\n"];
    assert!(told(template).contains("merged line by line, because base/f.yaml:1:4: this is a template"));
    // A new version of a template, or of what is broken anyway, is what everybody expects.
    for nothing_new in [["a: {{ x }}\n", "a: {{ x }}\n", "a: {{ y }}\n"], ["a: [\n", "a: [\n", "a: {\n"]] {
        assert_eq!(told(nothing_new), "wrote dest: 1 file modified\n");
    }
}
