//! Trees that somebody else wrote, to do harm or without a thought for who reads them; and writers that come in between.
//!
//! Each directory of `fixtures/hostile` holds a `tree` that tries to reach the `victim` beside it. What git cannot hold is
//! made here.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Nothing that is tried here may take longer.
const PATIENCE: Duration = Duration::from_secs(60);

fn command(room: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kmerge"));
    command.current_dir(room).args(arguments).env("XDG_STATE_HOME", room.join("state")).stdin(Stdio::null());
    command
}

fn kmerge(room: &Path, arguments: &[&str]) -> Output {
    run(command(room, arguments))
}

/// Runs a command that must not hang.
fn run(mut command: Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    let began = Instant::now();
    while child.try_wait().expect("it is ours").is_none() {
        let is_late = began.elapsed() > PATIENCE;
        if is_late {
            child.kill().expect("it is ours");
        }
        assert!(!is_late, "{command:?} hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it ended")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
    std::fs::write(path, text).expect("written");
}

/// What is below a directory: links are what they say, directories are nothing.
fn read(root: &Path) -> BTreeMap<PathBuf, String> {
    let (mut found, mut open) = (BTreeMap::new(), vec![root.to_path_buf()]);
    while let Some(directory) = open.pop() {
        for entry in directory.read_dir().expect("a directory") {
            let path = entry.expect("readable").path();
            let name = path.strip_prefix(root).expect("below the root").to_owned();
            if path.is_symlink() {
                found.insert(name, format!("-> {}", path.read_link().expect("a link").display()));
            } else if path.is_dir() {
                found.insert(name, "a directory".to_owned());
                open.push(path);
            } else if path.is_file() {
                found.insert(name, String::from_utf8_lossy(&std::fs::read(&path).expect("readable")).into_owned());
            } else {
                found.insert(name, "something else".to_owned());
            }
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-R").arg(from).arg(to).status().expect("cp runs");
    assert!(done.success());
}

const A: &str = "kind: A\nmetadata:\n  name: a\nx: 1\ny: 1\n";

/// A room with `tree`, `base` and `incoming`, in which `x` of `a.yaml` becomes 2.
fn room() -> tempfile::TempDir {
    let room = tempfile::tempdir().expect("a directory");
    write(&room.path().join("tree/a.yaml"), A);
    inputs(room.path());
    room
}

fn inputs(room: &Path) {
    write(&room.join("base/a.yaml"), A);
    write(&room.join("incoming/a.yaml"), &A.replace("x: 1", "x: 2"));
}

const MERGE: [&str; 7] = ["merge3", "--original", "base", "--updated", "incoming", "--dest", "tree"];

/// Everything that might follow what a tree holds; only `a.yaml` of the tree changes.
fn try_all(room: &Path, name: &str) {
    let before = read(room);
    for arguments in [&["recover", "tree"][..], &["recover", "--resume", "tree"], &["recover", "--undo", "tree"]] {
        let output = kmerge(room, arguments);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", said(&output));
        assert_eq!(said(&output), "no merge was cut off in tree\n", "{name}");
        assert_eq!(read(room), before, "{name}: {arguments:?}");
    }
    let output = kmerge(room, &MERGE);
    assert_eq!(output.status.code(), Some(0), "{name}: {}", said(&output));
    let mut after = read(room);
    after.retain(|path, _| !path.starts_with("state"));
    let mut expected = before;
    expected.insert("tree/a.yaml".into(), A.replace("x: 1", "x: 2"));
    assert_eq!(after, expected, "{name}");
}

#[test]
fn what_a_tree_holds_is_not_obeyed() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hostile");
    for case in fixtures.read_dir().expect("fixtures").map(|case| case.expect("readable").path()) {
        let room = tempfile::tempdir().expect("a directory");
        for part in ["tree", "victim"] {
            copy(&case.join(part), &room.path().join(part));
        }
        inputs(room.path());
        try_all(room.path(), &case.display().to_string());
        assert!(!Path::new("/tmp/kmerge-hostile-hook").exists());
    }
}

#[test]
fn journals_that_never_end_are_not_read() {
    for name in ["apply", "undo", "stage", "done", "lock", "draft"] {
        let endless = room();
        std::fs::create_dir(endless.path().join("tree/.kmerge-transaction")).expect("created");
        symlink("/dev/zero", endless.path().join("tree/.kmerge-transaction").join(name)).expect("linked");
        try_all(endless.path(), name);
        let silent = room();
        std::fs::create_dir(silent.path().join("tree/.kmerge-transaction")).expect("created");
        pipe(&silent.path().join("tree/.kmerge-transaction").join(name));
        try_all(silent.path(), name);
    }
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

#[test]
fn pipes_devices_and_links_in_a_tree_are_neither_read_nor_waited_for() {
    let room = room();
    for directory in ["tree", "base", "incoming"] {
        pipe(&room.path().join(directory).join("p.yaml"));
        pipe(&room.path().join(directory).join(".krmignore"));
        symlink("/dev/zero", room.path().join(directory).join("z.yaml")).expect("linked");
        symlink("/", room.path().join(directory).join("all")).expect("linked");
    }
    let output = kmerge(room.path(), &MERGE);
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), "wrote tree: 1 file modified\n"));
    // A file that is a pipe elsewhere was not removed there.
    std::fs::remove_file(room.path().join("incoming/a.yaml")).expect("removed");
    pipe(&room.path().join("incoming/a.yaml"));
    let output = kmerge(room.path(), &MERGE);
    assert_eq!(output.status.code(), Some(2));
    let expected = "incoming/a.yaml is a pipe, socket or device, and a file in another of the directories";
    assert!(said(&output).contains(expected), "{}", said(&output));
    for (name, reason) in [("p.yaml", "is a pipe, socket or device"), ("z.yaml", "is a link out of")] {
        let only = tempfile::tempdir().expect("a directory");
        let path = only.path().join("tree").join(name);
        write(&only.path().join("tree/a.yaml"), A);
        if name == "p.yaml" {
            pipe(&path)
        } else {
            symlink("/dev/zero", &path).expect("linked")
        }
        let output = kmerge(only.path(), &["apply", "--live", "tree", "--config", "tree", "--check"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(&format!("tree/{name} {reason}")), "{}", said(&output));
    }
}

#[test]
fn what_git_takes_for_its_own_is_neither_read_nor_written() {
    let room = room();
    for name in [".GIT", "git~1", ".git ", ".git.", ".git::$INDEX_ALLOCATION", ".g\u{200c}it", "b/.Git"] {
        write(&room.path().join("incoming").join(name).join("hooks/post-checkout"), "#!/bin/sh\necho harm\n");
        write(&room.path().join("tree").join(name).join("config"), "mine\n");
    }
    let before = read(&room.path().join("tree"));
    let output = kmerge(room.path(), &MERGE);
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), "wrote tree: 1 file modified\n"));
    let mut expected = before;
    expected.insert("a.yaml".into(), A.replace("x: 1", "x: 2"));
    assert_eq!(read(&room.path().join("tree")), expected);
}

/// Does something again and again until `done`.
fn meanwhile<T>(something: impl Fn() + Sync, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                something();
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

/// Somebody makes `tree/d` a link to the victim, and a directory again, as fast as can be.
#[test]
fn a_directory_that_becomes_a_link_and_back_leads_nowhere() {
    let room = room();
    let at = |path: &str| room.path().join(path);
    write(&at("victim/id"), "mine\n");
    write(&at("victim/b.yaml"), "kind: B\nmetadata: {name: b}\n");
    write(&at("victim/gone.yaml"), "kind: C\nmetadata: {name: c}\n");
    let before = read(&at("victim"));
    write(&at("incoming/d/b.yaml"), "kind: B\nmetadata: {name: b}\nnew: 1\n");
    write(&at("incoming/d/e/new.yaml"), "kind: N\nmetadata: {name: n}\n");
    for side in ["base", "tree"] {
        write(&at(side).join("d/b.yaml"), "kind: B\nmetadata: {name: b}\n");
        write(&at(side).join("d/gone.yaml"), "kind: C\nmetadata: {name: c}\n");
    }
    copy(&at("tree"), &at("fresh"));
    symlink("../victim", at("link")).expect("linked");
    let swap = || {
        // What fails here fails because the merge is at work in there, or has taken the tree away.
        let _ = std::fs::rename(at("tree/d"), at("away"));
        let _ = std::fs::rename(at("link"), at("tree/d"));
        let _ = std::fs::rename(at("tree/d"), at("link"));
        let _ = std::fs::rename(at("away"), at("tree/d"));
    };
    let mut codes = BTreeMap::new();
    meanwhile(swap, || {
        for _ in 0..60 {
            let output = kmerge(room.path(), &MERGE);
            *codes.entry(output.status.code()).or_insert(0) += 1;
            if output.status.code() == Some(2) {
                let _ = kmerge(room.path(), &["recover", "--undo", "tree"]);
            }
            assert_eq!(read(&at("victim")), before, "{}", said(&output));
        }
    });
    assert!(codes.keys().all(|code| matches!(code, Some(0 | 2))), "{codes:?}");
    assert_eq!(read(&at("victim")), before);
}

/// Somebody appends lines to a file while it is merged: what was written before the merge said that it is done is there.
#[test]
fn what_others_append_is_not_lost() {
    let lines = 400;
    let room = room();
    let path = room.path().join("tree/a.yaml");
    let append = || {
        for line in 0..lines {
            let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("it is always there");
            writeln!(file, "# {line}").expect("written");
            drop(file);
            std::thread::sleep(Duration::from_micros(500));
        }
    };
    std::thread::scope(|scope| {
        let appends = scope.spawn(append);
        let mut next = 2;
        while !appends.is_finished() {
            write(&room.path().join("incoming/a.yaml"), &A.replace("x: 1", &format!("x: {next}")));
            let output = kmerge(room.path(), &MERGE);
            assert!(matches!(output.status.code(), Some(0 | 2)), "{}", said(&output));
            next += 1;
        }
    });
    let text = std::fs::read_to_string(&path).expect("readable");
    let lost = (0..lines).filter(|line| !text.contains(&format!("# {line}\n"))).count();
    // A writer that opened the file before it was replaced, and writes after the last look, cannot be seen.
    assert!(lost <= 1, "{lost} of {lines} lines are lost");
}

#[test]
fn without_a_place_for_the_journal_nothing_is_written() {
    for (state, home, reason) in [
        (
            None,
            Some("nowhere"),
            "there is no home directory, and a merge needs a place for its journal: set XDG_STATE_HOME",
        ),
        (Some("/dev/null/state"), None, "set XDG_STATE_HOME to a directory of your own"),
        (Some("tree/state"), Some("nowhere"), "there is no home directory"),
    ] {
        let room = room();
        let before = read(room.path());
        let mut command = command(room.path(), &MERGE);
        command.env_remove("XDG_STATE_HOME");
        command.envs(state.map(|state| ("XDG_STATE_HOME", state))).envs(home.map(|home| ("HOME", home)));
        let output = run(command);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(reason), "{}", said(&output));
        assert_eq!(read(room.path()), before);
    }
}

/// Each level names the one below twice, so that reading all of them would take longer than the universe is old.
#[test]
fn a_base_that_is_named_twice_per_level_is_read_once() {
    let room = tempfile::tempdir().expect("a directory");
    let level = |level: usize| room.path().join(level.to_string());
    write(&level(0).join("kustomization.yaml"), "resources: []\n");
    for above in 1..=100 {
        let text = format!("resources: [../{below}, ../{below}/.]\n", below = above - 1);
        write(&level(above).join("kustomization.yaml"), &text);
    }
    let output = kmerge(room.path(), &["build", "100"]);
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""));
    write(&level(0).join("a.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    write(&level(0).join("kustomization.yaml"), "resources: [a.yaml]\n");
    let output = kmerge(room.path(), &["build", "100"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("v1 ConfigMap a is there twice"), "{}", said(&output));
}
