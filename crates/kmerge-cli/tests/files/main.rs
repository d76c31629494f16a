//! What happens to files: inputs without an end.

#![cfg(unix)]

mod limits;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A directory of its own, and kmerge in it.
struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.path(name), content).expect("written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("readable")
    }

    fn kmerge(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kmerge"));
        command.args(args).current_dir(self.0.path()).env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.kmerge(args).output().expect("the binary runs")
    }
}

fn said(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("messages are UTF-8")
}
