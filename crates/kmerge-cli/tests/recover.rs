//! `kmerge recover` on directories that hold no merge, leftovers, and what is no journal.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory, and a place for its journal.
struct Room {
    tree: tempfile::TempDir,
    state: tempfile::TempDir,
}

impl Room {
    fn new() -> Self {
        Self { tree: tempfile::tempdir().expect("a directory"), state: tempfile::tempdir().expect("a directory") }
    }

    fn recover(&self, flags: &[&str], dir: &Path) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kmerge"));
        command.env("XDG_STATE_HOME", self.state.path());
        command.arg("recover").args(flags).arg(dir).output().expect("the binary runs")
    }

    fn entries(&self) -> usize {
        self.tree.path().read_dir().expect("readable").count()
    }

    /// The directory of the journal, as a merge that was cut off leaves it.
    #[cfg(unix)]
    fn journal(&self) -> PathBuf {
        use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
        let metadata = self.tree.path().metadata().expect("it is there");
        let path = self.state.path().join(format!("kmerge/{:x}-{:x}", metadata.dev(), metadata.ino()));
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&path).expect("created");
        path
    }
}

fn said(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("messages are UTF-8")
}

#[test]
fn a_directory_without_a_merge_is_left_as_it_is() {
    let room = Room::new();
    for flags in [&[][..], &["--resume"], &["--undo"]] {
        let output = room.recover(flags, room.tree.path());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(said(&output).starts_with("no merge was cut off in "), "{}", said(&output));
        assert_eq!(room.entries(), 0);
    }
    assert_eq!(room.recover(&["--undo"], &room.tree.path().join("none")).status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn leftovers_of_a_merge_that_had_not_begun_or_was_over_are_removed() {
    for (stage, ended) in [("stage", "before it changed any file"), ("done", "after its last file")] {
        let room = Room::new();
        let staging = format!(".kmerge-{}", "0".repeat(32));
        std::fs::create_dir_all(room.tree.path().join(&staging).join("new")).expect("created");
        std::fs::write(room.tree.path().join(&staging).join("new/0"), "half").expect("written");
        let journal = format!(
            r#"{{"version":2,"tree":"","staging":"{staging}","steps":[{{"path":"a","old":null,"new":1}}],"directories":[]}}"#
        );
        std::fs::write(room.journal().join(stage), journal).expect("written");
        let output = room.recover(&[], room.tree.path());
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains(ended), "{}", said(&output));
        let output = room.recover(&["--undo"], room.tree.path());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert_eq!(room.entries(), 0);
        assert_eq!(room.state.path().join("kmerge").read_dir().expect("readable").count(), 0);
    }
}

#[cfg(unix)]
#[test]
fn a_broken_journal_is_an_error() {
    let room = Room::new();
    std::fs::write(room.journal().join("apply"), "{").expect("written");
    for flags in [&[][..], &["--resume"], &["--undo"]] {
        let output = room.recover(flags, room.tree.path());
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("is not a journal"), "{}", said(&output));
    }
}
