//! A transaction is killed, with a real `kill -9`, before every single file operation, and recovered both ways.
//!
//! The child of a test is this very test binary, told by its environment to run one half of a test and to stop before
//! file operation N; the parent kills it there.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const ROOT: &str = "KMERGE_TEST_ROOT";
const ACTION: &str = "KMERGE_TEST_ACTION";
const STOP: &str = "KMERGE_TEST_STOP_BEFORE";

static STEPS: AtomicUsize = AtomicUsize::new(0);

/// Counts a file operation; in a child, waits to be killed before the chosen one.
pub(super) fn step() {
    let Some(stop) = std::env::var(STOP).ok().and_then(|stop| stop.parse::<usize>().ok()) else { return };
    if STEPS.fetch_add(1, Ordering::SeqCst) + 1 == stop {
        println!("\nwaiting");
        std::io::stdin().read_line(&mut String::new()).unwrap();
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Commit,
    Resume,
    Undo,
}

/// Runs as a child process only; on its own it has nothing to do.
#[test]
fn child() {
    let Ok(root) = std::env::var(ROOT) else { return };
    let root = Path::new(&root);
    match std::env::var(ACTION).unwrap().as_str() {
        "Commit" => commit(root, &changes()).unwrap(),
        "Resume" => drop(resume(root).unwrap()),
        _ => drop(undo(root).unwrap()),
    }
}

/// Runs `action` in a child and kills it before file operation `stop`; false if it ended before.
fn killed(root: &Path, action: Action, stop: usize) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "transaction::tests::child", "--nocapture"])
        .env(ROOT, root)
        .env(ACTION, format!("{action:?}"))
        .env(STOP, stop.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let waits = lines.map_while(Result::ok).any(|line| line == "waiting");
    if waits {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    assert!(waits || status.success(), "{action:?} failed by itself");
    waits
}

fn file(text: &str) -> Entry {
    Entry::File { bytes: text.as_bytes().to_vec(), permissions: None }
}

fn print(text: &str) -> Option<Fingerprint> {
    Some(Fingerprint::of_bytes(text.as_bytes()))
}

fn changes() -> Vec<Change> {
    vec![
        Change { path: "a.yaml".into(), old: print("a: 1\n"), new: Some(file("a: 2\n")) },
        Change { path: "new/deep/b.yaml".into(), old: None, new: Some(file("b: 1\n")) },
        Change { path: "old/gone.yaml".into(), old: print("gone: 1\n"), new: None },
        Change {
            path: "link".into(),
            old: Some(Fingerprint::of_link(Path::new("a.yaml"))),
            new: Some(Entry::Link(PathBuf::from("other"))),
        },
        Change { path: "to-dir".into(), old: print("file\n"), new: None },
        Change { path: "to-dir/in/c.yaml".into(), old: None, new: Some(file("c: 1\n")) },
        Change { path: "to-file".into(), old: None, new: Some(file("file\n")) },
        Change { path: "to-file/in/d.yaml".into(), old: print("d: 1\n"), new: None },
    ]
}

type Content = BTreeMap<String, String>;

fn old_content() -> Content {
    content_of(&[
        ("a.yaml", "a: 1\n"),
        ("keep.yaml", "k\n"),
        ("link", "-> a.yaml"),
        ("old/gone.yaml", "gone: 1\n"),
        ("to-dir", "file\n"),
        ("to-file/in/d.yaml", "d: 1\n"),
    ])
}

fn new_content() -> Content {
    content_of(&[
        ("a.yaml", "a: 2\n"),
        ("keep.yaml", "k\n"),
        ("link", "-> other"),
        ("new/deep/b.yaml", "b: 1\n"),
        ("to-dir/in/c.yaml", "c: 1\n"),
        ("to-file", "file\n"),
    ])
}

fn content_of(files: &[(&str, &str)]) -> Content {
    files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect()
}

fn tree() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in old_content() {
        std::fs::create_dir_all(root.path().join(&path).parent().unwrap()).unwrap();
        match text.strip_prefix("-> ") {
            Some(target) => std::os::unix::fs::symlink(target, root.path().join(path)).unwrap(),
            None => std::fs::write(root.path().join(path), text).unwrap(),
        }
    }
    root
}

/// Every file outside the transaction's directory, and every directory that holds nothing as `path/`.
fn content(root: &Path) -> Content {
    let mut found = Content::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(directory) = open.pop() {
        let mut entries: Vec<PathBuf> = directory.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.retain(|path| !path.ends_with(DIRECTORY));
        let name = |path: &Path| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if entries.is_empty() {
            found.insert(name(&directory) + "/", String::new());
        }
        for path in entries {
            if path.is_symlink() {
                found.insert(name(&path), format!("-> {}", path.read_link().unwrap().display()));
            } else if path.is_dir() {
                open.push(path);
            } else {
                found.insert(name(&path), std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// Each path holds what it held before or what it is to hold; what differs from both fails.
fn assert_old_or_new(root: &Path, after: &str) {
    let (found, old, new) = (content(root), old_content(), new_content());
    let paths = old.keys().chain(new.keys()).chain(found.keys().filter(|path| !path.ends_with('/')));
    for path in paths {
        let at = found.get(path);
        assert!(at == old.get(path) || at == new.get(path), "{path} is {at:?} after {after}");
    }
}

fn assert_whole(root: &Path, expected: &Content, after: &str) {
    assert_eq!(&content(root), expected, "after {after}");
    assert!(!root.join(DIRECTORY).exists(), "leftovers after {after}");
}

/// Kills `first` at every step, then `second` at every `stride`-th of its own, and lets a third run end it.
fn kill_everywhere(second: Action, stride: usize) {
    for stop in 1.. {
        let root = tree();
        let after = format!("a kill before step {stop}");
        if !killed(root.path(), Action::Commit, stop) {
            assert_whole(root.path(), &new_content(), &after);
            assert!(stop > 30, "the hook sees the file operations");
            return;
        }
        assert_old_or_new(root.path(), &after);
        let journaled = interrupted(root.path()).unwrap();
        let all_new = content(root.path()) == new_content();
        let mut again = stop % stride + 1;
        while killed(root.path(), second, again) {
            assert_old_or_new(root.path(), &format!("{after}, then {second:?} before step {again}"));
            again += stride;
        }
        let expected = match (journaled, second, all_new) {
            (None, _, true) | (Some(_), Action::Resume, _) => new_content(),
            _ => old_content(),
        };
        assert_whole(root.path(), &expected, &after);
    }
}

#[test]
fn a_kill_at_any_step_can_be_resumed() {
    kill_everywhere(Action::Resume, 9);
}

#[test]
fn a_kill_at_any_step_can_be_undone() {
    kill_everywhere(Action::Undo, 9);
}

#[test]
fn the_next_merge_says_how_to_go_on() {
    for stop in 1.. {
        let root = tree();
        if !killed(root.path(), Action::Commit, stop) {
            return;
        }
        let journaled = interrupted(root.path()).unwrap();
        let found = content(root.path());
        if journaled.is_none() && found == old_content() {
            commit(root.path(), &changes()).unwrap();
            assert_whole(root.path(), &new_content(), "a second run");
        } else if let Some(journaled) = journaled {
            let error = commit(root.path(), &changes()).unwrap_err().to_string();
            assert_eq!(error, journaled.to_string());
            assert!(error.contains("kmerge recover --resume"), "{error}");
            assert_eq!(content(root.path()), found);
        }
    }
}

/// A directory that appears where a file is to go makes the transaction fail in the middle.
#[test]
fn a_failure_on_the_way_is_taken_back() {
    let root = tree();
    let blocked = [changes(), vec![Change { path: "z.yaml".into(), old: None, new: Some(file("z: 1\n")) }]].concat();
    std::fs::create_dir(root.path().join("z.yaml")).unwrap();
    let room = Room::new(root.path());
    let lock = Lock::take(&room).unwrap();
    let journal = prepare_unchecked(&room, &blocked);
    let error = apply_or_undo(&room, &journal).unwrap_err();
    assert_eq!(error.to_string(), "the merge was taken back, nothing is changed");
    room.clear().unwrap();
    lock.release().unwrap();
    std::fs::remove_dir(root.path().join("z.yaml")).unwrap();
    assert_whole(root.path(), &old_content(), "a failure");
}

/// What [`prepare`] does, without its check that the last path is free.
fn prepare_unchecked(room: &Room, changes: &[Change]) -> Journal {
    let (last, checked) = changes.split_last().unwrap();
    let mut journal = prepare(room, checked).unwrap();
    disk::write_new(&room.new_entry(checked.len()), last.new.as_ref().unwrap()).unwrap();
    journal.steps.push(super::step(last));
    journal
}

#[test]
fn what_was_edited_after_the_kill_is_not_overwritten() {
    let root = tree();
    let mut stop = 1;
    while killed(root.path(), Action::Commit, stop) && interrupted(root.path()).unwrap().is_none() {
        stop += 1;
    }
    std::fs::write(root.path().join("a.yaml"), "a: mine\n").unwrap();
    let before = content(root.path());
    for error in [resume(root.path()).unwrap_err(), undo(root.path()).unwrap_err()] {
        assert!(
            error.to_string().contains("edited since the merge broke off, put back or move away: a.yaml"),
            "{error}"
        );
    }
    assert_eq!(content(root.path()), before);
}

#[test]
fn a_tree_that_changed_since_the_plan_is_left_alone() {
    let root = tree();
    std::fs::write(root.path().join("old/gone.yaml"), "gone: 2\n").unwrap();
    let before = content(root.path());
    let error = commit(root.path(), &changes()).unwrap_err().to_string();
    assert!(error.contains("old/gone.yaml was changed during the merge"), "{error}");
    assert_whole(root.path(), &before, "a refused transaction");
}

#[test]
fn nothing_is_written_through_a_linked_directory() {
    let outside = tempfile::tempdir().unwrap();
    let root = tree();
    std::os::unix::fs::symlink(outside.path(), root.path().join("new")).unwrap();
    let error = commit(root.path(), &changes()).unwrap_err().to_string();
    assert_eq!(error, "cannot write new/deep/b.yaml: new is a symbolic link, and not followed");
    assert_eq!(content(outside.path()), content_of(&[("/", "")]));
    assert_eq!(std::fs::read_to_string(root.path().join("a.yaml")).unwrap(), "a: 1\n");
}

#[test]
fn a_directory_with_files_of_its_own_does_not_become_a_file() {
    let root = tree();
    std::fs::write(root.path().join("to-file/in/own"), "mine\n").unwrap();
    let before = content(root.path());
    let error = commit(root.path(), &changes()).unwrap_err().to_string();
    assert_eq!(error, "cannot write to-file: a directory stands there, and to-file/in/own is to stay");
    assert_whole(root.path(), &before, "a refused transaction");
}

#[test]
fn mode_bits_are_written_and_other_files_keep_theirs() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = tree();
    let path = root.path().join("a.yaml");
    let permissions = std::fs::Permissions::from_mode(0o640);
    let entry = Entry::File { bytes: b"a: 2\n".to_vec(), permissions: Some(permissions) };
    let before = root.path().join("keep.yaml").metadata().unwrap().modified().unwrap();
    commit(root.path(), &[Change { path: "a.yaml".into(), old: print("a: 1\n"), new: Some(entry) }]).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(root.path().join("keep.yaml").metadata().unwrap().modified().unwrap(), before);
}

#[test]
fn two_writers_exclude_each_other() {
    let root = tree();
    let lock = Lock::take(&Room::new(root.path())).unwrap();
    let error = commit(root.path(), &changes()).unwrap_err().to_string();
    assert!(error.starts_with("another kmerge is writing into"), "{error}");
    lock.release().unwrap();
    commit(root.path(), &changes()).unwrap();
    assert_whole(root.path(), &new_content(), "the lock was free");
}
