//! Several edits of one file at the same time: none gets lost.

use std::process::Output;

use crate::{Room, said};

/// Runs all of these at the same time.
fn at_once(room: &Room, commands: &[&[&str]]) -> Vec<Output> {
    let children: Vec<_> = commands.iter().map(|args| room.kmerge(args).spawn().expect("it starts")).collect();
    children.into_iter().map(|child| child.wait_with_output().expect("it ends")).collect()
}

#[test]
fn two_fields_set_at_the_same_time_are_both_set() {
    let room = Room::new();
    for round in 1..=40 {
        room.write("f.yaml", "a: 0\nb: 0\n");
        for output in at_once(&room, &[&["set", "-i", "f.yaml", ".a", "1"], &["set", "-i", "f.yaml", ".b", "1"]]) {
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        }
        assert_eq!(room.read("f.yaml"), "a: 1\nb: 1\n", "round {round}");
    }
    assert_eq!(room.names(), ["f.yaml"]);
}

#[test]
fn all_commands_that_edit_in_place_wait_for_each_other() {
    const FILE: &str = "apiVersion: v1\nkind: A\nmetadata:\n  name: x # the name\nspec:\n  a: 0\n  b: 0\n  c: 0\n  d: 0\n<<<<<<< ours\n  e: 1\n||||||| base\n  e: 0\n=======\n  e: 1\n>>>>>>> theirs\n";
    const CLEAN: &str =
        "apiVersion: v1\nkind: A\nmetadata:\n  name: x # the name\nspec:\n  a: 0\n  b: 0\n  c: 0\n  d: 0\n";
    let room = Room::new();
    room.write("patch.yaml", "apiVersion: v1\nkind: A\nmetadata:\n  name: x\nspec:\n  d: 4\n");
    let edits: [&[&str]; 6] = [
        &["set", "-i", "f.yaml", ".spec.a", "1"],
        &["delete", "-i", "f.yaml", ".spec.b"],
        &["patch", "-i", "--type", "merge", "-p", "{spec: {c: 3}}", "f.yaml"],
        &["merge2", "-i", "patch.yaml", "f.yaml"],
        &["last-applied", "set", "-i", "f.yaml", "--config", "patch.yaml", "--create"],
        &["merge3", "-i", "--original", "old.yaml", "--updated", "new.yaml", "--dest", "f.yaml", "-q"],
    ];
    room.write("old.yaml", "apiVersion: v1\nkind: A\nmetadata:\n  name: x\n");
    room.write("new.yaml", "apiVersion: v1\nkind: A\nmetadata:\n  name: x\n  namespace: y\n");
    for round in 1..=5 {
        room.write("f.yaml", CLEAN);
        for output in at_once(&room, &edits) {
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        }
        let text = room.read("f.yaml");
        for part in ["name: x # the name", "  a: 1\n", "  c: 3\n", "  d: 4\n", "last-applied", "namespace: y"] {
            assert!(text.contains(part), "round {round}: no {part:?} in {text}");
        }
        assert!(!text.contains("  b: 0\n"), "round {round}: {text}");
    }
    room.write("f.yaml", FILE);
    for output in at_once(&room, &[["resolve", "f.yaml"].as_slice(); 3]) {
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
    assert_eq!(room.read("f.yaml"), format!("{CLEAN}  e: 1\n"));
    assert_eq!(room.names(), ["f.yaml", "new.yaml", "old.yaml", "patch.yaml"]);
}

#[test]
fn a_file_that_somebody_holds_is_waited_for() {
    use fs4::fs_std::FileExt;

    let room = Room::new();
    room.write("f.yaml", "a: 0\n");
    let file = std::fs::File::open(room.path("f.yaml")).expect("there");
    file.lock_exclusive().expect("free");
    let mut child = room.kmerge(&["set", "-i", "f.yaml", ".a", "1"]).spawn().expect("it starts");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(child.try_wait().expect("it is ours"), None, "it waits");
    assert_eq!(room.read("f.yaml"), "a: 0\n");
    FileExt::unlock(&file).expect("it was locked");
    assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(0));
    assert_eq!(room.read("f.yaml"), "a: 1\n");
}
