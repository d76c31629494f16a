//! `kmerge recover` on directories that hold no merge, leftovers, and what is no journal.

use std::path::Path;
use std::process::{Command, Output};

fn recover(flags: &[&str], dir: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kmerge"));
    command.arg("recover").args(flags).arg(dir).output().expect("the binary runs")
}

fn said(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("messages are UTF-8")
}

#[test]
fn a_directory_without_a_merge_is_left_as_it_is() {
    let dir = tempfile::tempdir().expect("a directory");
    for flags in [&[][..], &["--resume"], &["--undo"]] {
        let output = recover(flags, dir.path());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(said(&output).starts_with("no merge was cut off in "), "{}", said(&output));
        assert_eq!(dir.path().read_dir().expect("readable").count(), 0);
    }
}

#[test]
fn leftovers_of_a_merge_that_had_not_begun_are_removed() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::create_dir_all(dir.path().join(".kmerge-transaction/new")).expect("created");
    std::fs::write(dir.path().join(".kmerge-transaction/new/0"), "half").expect("written");
    let output = recover(&[], dir.path());
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("before it changed any file"), "{}", said(&output));
    let output = recover(&["--undo"], dir.path());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(dir.path().read_dir().expect("readable").count(), 0);
}

#[test]
fn a_broken_journal_and_a_missing_directory_are_errors() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(dir.path().join(".kmerge-transaction")).expect("created");
    std::fs::write(dir.path().join(".kmerge-transaction/apply"), "{").expect("written");
    let output = recover(&["--undo"], dir.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("is no journal"), "{}", said(&output));
    assert_eq!(recover(&["--undo"], &dir.path().join("none")).status.code(), Some(2));
}
