//! `--max-bytes`: inputs that are too large are refused before they are read.

use std::fs::File;
use std::process::Stdio;

use crate::{Room, said};

/// The arguments of a command on a file that is too large, `big.yaml` or stdin.
const COMMANDS: [&[&str]; 11] = [
    &["get", "big.yaml", ".a"],
    &["set", "-i", "big.yaml", ".a", "1"],
    &["delete", "big.yaml", ".a"],
    &["patch", "-p", "{a: 1}", "big.yaml"],
    &["patch", "-p", "big.yaml", "f.yaml"],
    &["resolve", "big.yaml"],
    &["merge2", "big.yaml", "f.yaml"],
    &["merge3", "--original", "f.yaml", "--updated", "f.yaml", "--dest", "big.yaml"],
    &["diff", "f.yaml", "big.yaml"],
    &["last-applied", "strip", "-i", "big.yaml"],
    &["get", "-", ".a"],
];

#[test]
fn a_gigabyte_of_zero_bytes_is_refused_and_the_message_says_how_it_could_be_read() {
    let room = Room::new();
    room.write("f.yaml", "a: 1\n");
    let big = File::create(room.path("big.yaml")).expect("created");
    // Nothing of it is on the disk.
    big.set_len(1 << 30).expect("sparse");
    for args in COMMANDS {
        let input = File::open(room.path("big.yaml")).expect("there");
        let output = room.kmerge(args).stdin(Stdio::from(input)).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", said(&output));
        assert!(said(&output).contains("--max-bytes 256M"), "{args:?}: {}", said(&output));
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    let output = room.run(&["driver", "f.yaml", "f.yaml", "big.yaml"]);
    assert_eq!(output.status.code(), Some(129), "git leaves the tree alone: {}", said(&output));
    assert_eq!(room.read("f.yaml"), "a: 1\n");
}

#[test]
fn the_driver_merges_large_files_line_by_line() {
    let room = Room::new();
    for (ours, theirs, wanted, code) in [
        ("a: 2\nb: 1\nc: 1\n", "a: 1\nb: 1\nc: 2\n", "a: 2\nb: 1\nc: 2\n", 0),
        ("a: 2\nb: 1\nc: 1\n", "a: 1\nb: 1\nc: 1\n", "a: 2\nb: 1\nc: 1\n", 0),
        ("a: 2\n", "a: 3\n", "<<<<<<< ours\na: 2\n=======\na: 3\n>>>>>>> theirs\n", 1),
    ] {
        room.write("base.yaml", "a: 1\nb: 1\nc: 1\n");
        room.write("ours.yaml", ours);
        room.write("theirs.yaml", theirs);
        let driver = ["driver", "--max-bytes", "10", "base.yaml", "ours.yaml", "theirs.yaml"];
        let output = room.run(&driver);
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        assert_eq!(room.read("ours.yaml"), wanted);
        let is_merged = ours.lines().next() != wanted.lines().next() || ours != wanted;
        assert_eq!(said(&output).contains("--max-bytes 10 bytes"), is_merged, "{}", said(&output));
    }
}

#[test]
fn an_input_without_an_end_is_refused() {
    let room = Room::new();
    let zero = || Stdio::from(File::open("/dev/zero").expect("there"));
    for args in [["get", "--max-bytes", "1M", "-", ".a"], ["get", "--max-bytes", "1M", "/dev/zero", ".a"]] {
        let output = room.kmerge(&args).stdin(zero()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("--max-bytes 1M"), "{}", said(&output));
    }
}

#[test]
fn the_limit_is_the_last_byte_that_is_read() {
    let room = Room::new();
    room.write("f.yaml", "a: 1\n");
    for (most, code) in [("5", 0), ("4", 2), ("0", 2), ("1k", 0), ("lots", 2)] {
        for args in [["--max-bytes", most, "get", "f.yaml", ".a"], ["get", "f.yaml", ".a", "--max-bytes", most]] {
            assert_eq!(room.run(&args).status.code(), Some(code), "{most}");
        }
    }
}

#[test]
fn the_limit_holds_for_each_file_of_a_tree() {
    let room = Room::new();
    for tree in ["a", "b", "c"] {
        std::fs::create_dir(room.path(tree)).expect("created");
        room.write(&format!("{tree}/f.yaml"), "a: 1\n");
        room.write(&format!("{tree}/g.bin"), tree);
    }
    room.write("b/f.yaml", "a: 12345\n");
    for (most, code) in [("9", 0), ("8", 2)] {
        let args = ["merge3", "--max-bytes", most, "--original", "a", "--updated", "b", "--dest", "c", "--diff"];
        let output = room.run(&[&args[..], &["--on-conflict", "updated"]].concat());
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        let names_it = said(&output).contains("cannot read b/f.yaml: it is larger than --max-bytes 8 bytes allows");
        assert_eq!(names_it, code == 2, "{}", said(&output));
    }
}
