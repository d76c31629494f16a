//! What happens to files: edits at the same time, signals at any moment, owners and modes, and inputs without an end.

#![cfg(unix)]

mod apart;
mod concurrent;
mod editor;
mod likeness;
mod limits;
mod signals;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};

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

    /// The names of all files, sorted.
    fn names(&self) -> Vec<String> {
        names(self.0.path())
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

fn names(directory: &Path) -> Vec<String> {
    let entries = directory.read_dir().expect("a directory").map(|entry| entry.expect("readable").file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn said(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("messages are UTF-8")
}

fn send(child: &std::process::Child, signal: Signal) {
    // A process that has ended but was not waited for still takes signals.
    kill_process(Pid::from_child(child), signal).expect("the process is there");
}
