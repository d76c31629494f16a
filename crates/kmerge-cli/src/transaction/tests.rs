//! A transaction is killed, with a real `kill -9`, before every single file operation, and recovered both ways.
//!
//! The child of a test is this very test binary, told by its environment to run one half of a test and to stop before
//! file operation N; the parent kills it there.

mod refused;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const ROOT: &str = "KMERGE_TEST_ROOT";
const STATE: &str = "KMERGE_TEST_STATE";
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

/// A tree, and a place for its journal.
struct Room {
    tree: tempfile::TempDir,
    state: tempfile::TempDir,
}

impl Room {
    fn path(&self) -> &Path {
        self.tree.path()
    }

    fn root(&self) -> Dir {
        Dir::open(self.path()).unwrap()
    }

    fn store(&self) -> Store {
        Store::at(self.state.path().join("kmerge"))
    }

    fn commit(&self, changes: &[Change]) -> anyhow::Result<()> {
        commit(&self.store(), &self.root(), changes)
    }

    fn interrupted(&self) -> Option<Interrupted> {
        interrupted(&self.store(), &self.root()).unwrap()
    }
}

/// Runs as a child process only; on its own it has nothing to do.
#[test]
fn child() {
    let Ok(root) = std::env::var(ROOT) else { return };
    let (root, store) = (Dir::open(Path::new(&root)).unwrap(), Store::at(std::env::var_os(STATE).unwrap().into()));
    match std::env::var(ACTION).unwrap().as_str() {
        "Commit" => commit(&store, &root, &changes()).unwrap(),
        "Resume" => drop(resume(&store, &root).unwrap()),
        _ => drop(undo(&store, &root).unwrap()),
    }
}

/// Runs `action` in a child and kills it before file operation `stop`; false if it ended before.
fn killed(room: &Room, action: Action, stop: usize) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "transaction::tests::child", "--nocapture"])
        .env(ROOT, room.path())
        .env(STATE, room.state.path().join("kmerge"))
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

fn tree() -> Room {
    let room = Room { tree: tempfile::tempdir().unwrap(), state: tempfile::tempdir().unwrap() };
    for (path, text) in old_content() {
        std::fs::create_dir_all(room.path().join(&path).parent().unwrap()).unwrap();
        match text.strip_prefix("-> ") {
            Some(target) => std::os::unix::fs::symlink(target, room.path().join(path)).unwrap(),
            None => std::fs::write(room.path().join(path), text).unwrap(),
        }
    }
    room
}

/// Whether a path is the staging directory of a transaction.
fn is_staged(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_staging(name.to_str().unwrap()))
}

/// Every file outside of staging directories, and every directory that holds nothing as `path/`.
fn content(root: &Path) -> Content {
    let mut found = Content::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(directory) = open.pop() {
        let mut entries: Vec<PathBuf> = directory.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.retain(|path| !is_staged(path));
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

fn assert_whole(room: &Room, expected: &Content, after: &str) {
    assert_eq!(&content(room.path()), expected, "after {after}");
    let left = |path: &Path| path.read_dir().map_or(Vec::new(), |found| found.map(|it| it.unwrap().path()).collect());
    assert!(!left(room.path()).iter().any(|path: &PathBuf| is_staged(path)), "a staging directory after {after}");
    let kept: Vec<PathBuf> = left(&room.state.path().join("kmerge"));
    assert!(kept.is_empty(), "{kept:?} after {after}");
}

/// Kills a merge at every step, then `second` at every `stride`-th of its own, and lets a third run end it.
fn kill_everywhere(second: Action, stride: usize) {
    for stop in 1.. {
        let room = tree();
        let after = format!("a kill before step {stop}");
        if !killed(&room, Action::Commit, stop) {
            assert_whole(&room, &new_content(), &after);
            assert!(stop > 60, "the hook sees the file operations");
            return;
        }
        assert_old_or_new(room.path(), &after);
        let journaled = room.interrupted();
        let all_new = content(room.path()) == new_content();
        let mut again = stop % stride + 1;
        while killed(&room, second, again) {
            assert_old_or_new(room.path(), &format!("{after}, then {second:?} before step {again}"));
            again += stride;
        }
        let expected = match (journaled, second, all_new) {
            (None, _, true) | (Some(_), Action::Resume, _) => new_content(),
            _ => old_content(),
        };
        assert_whole(&room, &expected, &after);
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
        let room = tree();
        if !killed(&room, Action::Commit, stop) {
            return;
        }
        let journaled = room.interrupted();
        let found = content(room.path());
        if journaled.is_none() && found == old_content() {
            room.commit(&changes()).unwrap();
            assert_whole(&room, &new_content(), "a second run");
        } else if let Some(journaled) = journaled {
            let error = room.commit(&changes()).unwrap_err().to_string();
            assert_eq!(error, journaled.to_string());
            assert!(error.contains("kmerge recover --resume"), "{error}");
            assert_eq!(content(room.path()), found);
        }
    }
}

/// A directory that appears where a file is to go makes the transaction fail in the middle.
#[test]
fn a_failure_on_the_way_is_taken_back() {
    let room = tree();
    let blocked = [changes(), vec![Change { path: "z.yaml".into(), old: None, new: Some(file("z: 1\n")) }]].concat();
    let error = interfere(&room, &blocked, "z.yaml", |path| std::fs::create_dir(path).unwrap()).unwrap_err();
    assert!(error.starts_with("the merge was taken back, nothing is changed: cannot put "), "{error}");
    std::fs::remove_dir(room.path().join("z.yaml")).unwrap();
    assert_whole(&room, &old_content(), "a failure");
}

/// Commits, and lets somebody do something to a path as soon as the tree begins to change.
fn interfere(room: &Room, changes: &[Change], path: &str, something: impl Fn(&Path)) -> Result<(), String> {
    let (store, root) = (room.store(), room.root());
    let lock = Lock::take(&store, &root).unwrap();
    let (journal, staging) = prepare(&lock.room, changes).unwrap();
    something(&room.path().join(path));
    let written = apply_or_undo(&lock.room, &journal, &staging).map_err(|error| format!("{error:#}"));
    lock.room.clear().unwrap();
    lock.release().unwrap();
    written
}

const TAKEN_BACK: &str = "the merge was taken back, nothing is changed: ";

#[test]
fn what_is_appended_or_put_in_place_meanwhile_is_not_lost() {
    let append = |path: &Path| {
        use std::io::Write as _;
        std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"mine: 1\n").unwrap();
    };
    let replace = |path: &Path| {
        std::fs::write(path.with_extension("tmp"), "mine: 1\n").unwrap();
        std::fs::rename(path.with_extension("tmp"), path).unwrap();
    };
    for (path, something, mine) in [
        ("a.yaml", &append as &dyn Fn(&Path), "a: 1\nmine: 1\n"),
        ("a.yaml", &replace, "mine: 1\n"),
        ("old/gone.yaml", &append, "gone: 1\nmine: 1\n"),
        ("old/gone.yaml", &replace, "mine: 1\n"),
    ] {
        let room = tree();
        let error = interfere(&room, &changes(), path, something).unwrap_err();
        assert_eq!(
            error.replace("; others write here", ""),
            format!("{TAKEN_BACK}{path} was changed during the merge")
        );
        let mut expected = old_content();
        expected.insert(path.to_owned(), mine.to_owned());
        assert_whole(&room, &expected, path);
    }
}

/// A directory that becomes a link after everything was checked.
#[test]
fn a_directory_that_becomes_a_link_leads_nowhere() {
    for path in ["old", "to-file"] {
        let (room, outside) = (tree(), tempfile::tempdir().unwrap());
        for name in ["gone.yaml", "in"] {
            std::fs::create_dir_all(outside.path().join(name)).unwrap();
        }
        let before = content(outside.path());
        let swap = |path: &Path| {
            std::fs::rename(path, outside.path().join("away")).unwrap();
            std::os::unix::fs::symlink(outside.path(), path).unwrap();
        };
        let done = interfere(&room, &changes(), path, swap);
        let mut after = content(outside.path());
        after.retain(|path, _| !path.starts_with("away"));
        assert_eq!(after, before, "{path}: {done:?}");
    }
}

#[test]
fn what_was_edited_after_the_kill_is_not_overwritten() {
    let room = tree();
    let mut stop = 1;
    while killed(&room, Action::Commit, stop) && room.interrupted().is_none() {
        stop += 1;
    }
    std::fs::write(room.path().join("a.yaml"), "a: mine\n").unwrap();
    let before = content(room.path());
    let (store, root) = (room.store(), room.root());
    for error in [resume(&store, &root).unwrap_err(), undo(&store, &root).unwrap_err()] {
        let error = error.to_string();
        assert!(error.contains("edited since the merge broke off, put back or move away: a.yaml"), "{error}");
    }
    assert_eq!(content(room.path()), before);
}

#[test]
fn a_tree_keeps_its_journal_when_it_is_moved() {
    let room = tree();
    let mut stop = 1;
    while killed(&room, Action::Commit, stop) && room.interrupted().is_none() {
        stop += 1;
    }
    let moved = room.state.path().join("moved");
    std::fs::rename(room.path(), &moved).unwrap();
    std::fs::create_dir(room.path()).unwrap();
    assert!(room.interrupted().is_none());
    let root = Dir::open(&moved).unwrap();
    let found = interrupted(&room.store(), &root).unwrap().unwrap().to_string();
    assert!(found.contains(&format!("moved (which was {})", room.path().canonicalize().unwrap().display())), "{found}");
    undo(&room.store(), &root).unwrap();
    assert_eq!(content(&moved), old_content());
}

#[test]
fn contents_that_are_gone_are_missed() {
    let room = tree();
    let mut stop = 1;
    while killed(&room, Action::Commit, stop) && room.interrupted().is_none() {
        stop += 1;
    }
    let mut entries = room.path().read_dir().unwrap().map(|entry| entry.unwrap().path());
    let staging = entries.find(|path| is_staged(path)).unwrap();
    std::fs::remove_file(staging.join("new/1")).unwrap();
    std::fs::remove_file(staging.join("old/0")).unwrap();
    let (store, root) = (room.store(), room.root());
    let error = resume(&store, &root).unwrap_err().to_string();
    assert!(error.starts_with("the new content of new/deep/b.yaml is gone"), "{error}");
    std::fs::remove_dir_all(&staging).unwrap();
    let error = undo(&store, &root).unwrap_err().to_string();
    assert!(error.starts_with("the merge can neither be finished nor taken back; to forget it, remove "), "{error}");
    assert_eq!(content(room.path()), old_content());
}

#[test]
fn a_tree_that_changed_since_the_plan_is_left_alone() {
    let room = tree();
    std::fs::write(room.path().join("old/gone.yaml"), "gone: 2\n").unwrap();
    let before = content(room.path());
    let error = room.commit(&changes()).unwrap_err().to_string();
    assert!(error.contains("old/gone.yaml was changed during the merge"), "{error}");
    assert_whole(&room, &before, "a refused transaction");
}

#[test]
fn nothing_is_written_through_a_linked_directory() {
    let outside = tempfile::tempdir().unwrap();
    let room = tree();
    std::os::unix::fs::symlink(outside.path(), room.path().join("new")).unwrap();
    let error = room.commit(&changes()).unwrap_err().to_string();
    assert_eq!(error, "cannot write new/deep/b.yaml: new is a symbolic link, and not followed");
    assert_eq!(content(outside.path()), content_of(&[("/", "")]));
    assert_eq!(std::fs::read_to_string(room.path().join("a.yaml")).unwrap(), "a: 1\n");
}

#[test]
fn a_directory_with_files_of_its_own_does_not_become_a_file() {
    let room = tree();
    std::fs::write(room.path().join("to-file/in/own"), "mine\n").unwrap();
    let before = content(room.path());
    let error = room.commit(&changes()).unwrap_err().to_string();
    assert_eq!(error, "cannot write to-file: a directory stands there, and to-file/in/own is to stay");
    assert_whole(&room, &before, "a refused transaction");
}

#[test]
fn mode_bits_are_written_and_other_files_keep_theirs() {
    use std::os::unix::fs::PermissionsExt as _;
    let room = tree();
    let path = room.path().join("a.yaml");
    let permissions = std::fs::Permissions::from_mode(0o640);
    let entry = Entry::File { bytes: b"a: 2\n".to_vec(), permissions: Some(permissions) };
    let before = room.path().join("keep.yaml").metadata().unwrap().modified().unwrap();
    room.commit(&[Change { path: "a.yaml".into(), old: print("a: 1\n"), new: Some(entry) }]).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(room.path().join("keep.yaml").metadata().unwrap().modified().unwrap(), before);
}

#[test]
fn two_writers_exclude_each_other() {
    let room = tree();
    let (store, root) = (room.store(), room.root());
    let lock = Lock::take(&store, &root).unwrap();
    let error = room.commit(&changes()).unwrap_err().to_string();
    assert!(error.starts_with("another kmerge is writing into"), "{error}");
    lock.release().unwrap();
    room.commit(&changes()).unwrap();
    assert_whole(&room, &new_content(), "the lock was free");
}

#[test]
fn the_owner_of_a_file_stays_where_this_user_may_give_files_away() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let room = tree();
    let path = room.path().join("a.yaml");
    chown(&path, Some(1000), Some(1001)).unwrap();
    room.commit(&changes()).unwrap();
    let metadata = path.metadata().unwrap();
    assert_eq!((metadata.uid(), metadata.gid()), (1000, 1001));
}
