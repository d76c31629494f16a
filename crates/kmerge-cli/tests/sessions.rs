//! Sessions: Markdown files with inputs, commands and what these print, each run in a directory of its own.
//!
//! A block ` ```yaml NAME ` (any language) puts a file there. A block ` ```console ` holds commands after `$ ` and below
//! each what it prints, stdout and stderr together, and `? N` where it exits with anything but 0. The commands run in a
//! shell that finds this build's `kmerge`, and a place of their own for its journals. With `KMERGE_BLESS=1` the files are rewritten to what the commands do now.

#![cfg(unix)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use pretty_assertions::assert_eq;

/// The sessions of this crate, and the documents whose examples are sessions too.
const PLACES: [&str; 3] = ["tests/sessions", "../../docs", "../../README.md"];

#[test]
fn sessions_go_as_written() {
    let mut sessions = Vec::new();
    for place in PLACES {
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(place), &mut sessions);
    }
    assert!(!sessions.is_empty());
    for path in sessions {
        let written = std::fs::read_to_string(&path).expect("readable");
        let played = play(&written);
        if std::env::var_os("KMERGE_BLESS").is_some() {
            std::fs::write(&path, &played).expect("writable");
        } else {
            assert_eq!(played, written, "{}", path.display());
        }
    }
}

fn collect(place: &Path, out: &mut Vec<PathBuf>) {
    if place.is_file() {
        return out.push(place.to_owned());
    }
    let entries = place.read_dir().expect("a directory").map(|entry| entry.expect("readable").path());
    let mut entries: Vec<_> = entries.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    entries.sort();
    out.extend(entries);
}

/// The session with what its commands print now.
fn play(session: &str) -> String {
    let room = tempfile::tempdir().expect("a directory");
    let mut out = String::new();
    let mut lines = session.split_inclusive('\n');
    while let Some(line) = lines.next() {
        out.push_str(line);
        let Some(info) = line.trim_end().strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: String = lines.by_ref().take_while(|line| line.trim_end() != "```").collect();
        match info.split_once(' ') {
            Some((_, name)) => write(&room.path().join(name), &block),
            None if info == "console" => out.push_str(&run_all(&block, room.path())),
            None => {}
        }
        if info != "console" {
            out.push_str(&block);
        }
        out.push_str("```\n");
    }
    out
}

fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().expect("it is in a directory")).expect("created");
    std::fs::write(path, content).expect("written");
}

fn run_all(block: &str, room: &Path) -> String {
    let mut out = String::new();
    for line in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let _ = writeln!(out, "$ {line}");
        let (printed, code) = run(line, room);
        out.push_str(&printed);
        if !printed.is_empty() && !printed.ends_with('\n') {
            out.push('\n');
        }
        if code != 0 {
            let _ = writeln!(out, "? {code}");
        }
    }
    out
}

fn run(line: &str, room: &Path) -> (String, i32) {
    let binary = Path::new(env!("CARGO_BIN_EXE_kmerge")).parent().expect("a directory").display();
    let path = std::env::var("PATH").unwrap_or_default();
    let state = tempfile::tempdir().expect("a directory");
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {line}")])
        .current_dir(room)
        .env("PATH", format!("{binary}:{path}"))
        .env("XDG_STATE_HOME", state.path())
        .env_remove("CLICOLOR_FORCE")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("a shell");
    (String::from_utf8(output.stdout).expect("UTF-8"), output.status.code().expect("an exit code"))
}
