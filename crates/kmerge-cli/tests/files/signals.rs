//! Signals at random moments: the file is the old one or the new one, and no temporary file stays but after SIGKILL.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::{Room, names, send};

const SIGNALS: [Signal; 4] = [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL];

/// How often each command is hit.
const ROUNDS: u32 = 40;

/// A file that takes a while to write.
fn large(rest: &str) -> String {
    (0..3_000).fold(String::from(rest), |text, number| text + &format!("k{number}: some more text\n"))
}

/// Runs a command on `f.yaml` once as it is and then many times with a signal on the way.
fn hit(command: &[&str], old: &str) {
    let room = Room::new();
    room.write("f.yaml", old);
    let start = Instant::now();
    let output = room.kmerge(command).output().expect("it runs");
    let mut moment = Moment(start.elapsed());
    assert!(output.status.success(), "{output:?}");
    let new = room.read("f.yaml");
    assert_ne!(new, old, "the command changes the file");
    let mut ends = [0, 0];
    for round in 0..ROUNDS {
        room.write("f.yaml", old);
        let signal = SIGNALS[round as usize % SIGNALS.len()];
        let mut child = room.kmerge(command).spawn().expect("it starts");
        moment.wait_for();
        send(&child, signal);
        let status = child.wait().expect("it ends");
        assert!(status.signal() == Some(signal.as_raw()) || status.success(), "{status:?} after {signal:?}");
        let found = room.read("f.yaml");
        assert!(found == old || found == new, "{signal:?}: neither old nor new, {} bytes", found.len());
        ends[usize::from(found == new)] += 1;
        moment.adjust(found == new);
        let left = room.names();
        if signal != Signal::KILL {
            assert_eq!(left, ["f.yaml"], "{signal:?}");
        }
        left.iter().filter(|name| *name != "f.yaml").for_each(|name| {
            assert!(name.starts_with(".kmerge-"), "{name}");
            std::fs::remove_file(room.path(name)).expect("removed");
        });
    }
    assert!(ends.iter().all(|count| *count > 0), "the signals came too early or too late: {ends:?}");
}

/// When a command has written, counted from its start. The first guess is how long the first run took, which may be the slowest
/// by far.
struct Moment(Duration);

impl Moment {
    /// Waits until about then.
    fn wait_for(&self) {
        let random = (RandomState::new().hash_one(0) % 1000) as u32;
        std::thread::sleep(self.0 / 2 + self.0 * random / 1000);
    }

    /// Comes earlier if the command had written, later if not.
    fn adjust(&mut self, has_written: bool) {
        self.0 = if has_written { self.0 * 9 / 10 } else { self.0 * 11 / 10 };
    }
}

#[test]
fn set() {
    hit(&["set", "-i", "f.yaml", ".a", "1"], &large("a: 0\n"));
}

#[test]
fn patch() {
    let old = large("apiVersion: v1\nkind: A\nmetadata:\n  name: x\n");
    hit(&["patch", "-i", "--type", "merge", "-p", "{metadata: {namespace: y}}", "f.yaml"], &old);
}

#[test]
fn resolve() {
    let old = large("<<<<<<< ours\na: 1\n||||||| base\na: 0\n=======\na: 1\n>>>>>>> theirs\n");
    hit(&["resolve", "f.yaml"], &old);
}

#[test]
fn a_file_that_is_being_edited_goes_with_the_signal() {
    let old = crate::editor::LIVE;
    for signal in SIGNALS.into_iter().filter(|signal| *signal != Signal::INT) {
        let (room, drafts) = (Room::new(), Room::new());
        room.write("f.yaml", old);
        let mut child = wait_for_editor(&room, &drafts, "sleep 10");
        send(&child, signal);
        let status = child.wait().expect("it ends");
        assert_eq!(status.signal(), Some(signal.as_raw()));
        assert_eq!(room.read("f.yaml"), old);
        assert_eq!(names(drafts.0.path()).is_empty(), signal != Signal::KILL, "{signal:?}");
    }
}

#[test]
fn what_is_typed_in_the_editor_is_the_editors() {
    let (room, drafts) = (Room::new(), Room::new());
    room.write("f.yaml", crate::editor::LIVE);
    let script = "while [ ! -e go ]; do sleep 0.05; done; sed -i 's/replicas: 3/replicas: 4/' \"$1\"";
    let mut child = wait_for_editor(&room, &drafts, script);
    send(&child, Signal::INT);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(child.try_wait().expect("it is ours"), None, "it goes on");
    room.write("go", "");
    assert!(child.wait().expect("it ends").success());
    assert!(room.read("f.yaml").contains(r#""replicas":4"#));
    assert_eq!(names(drafts.0.path()), [""; 0]);
}

#[test]
fn an_editor_that_is_interrupted_interrupts() {
    let (room, drafts) = (Room::new(), Room::new());
    room.write("f.yaml", crate::editor::LIVE);
    let status = wait_for_editor(&room, &drafts, "kill -INT $$").wait().expect("it ends");
    assert_eq!(status.signal(), Some(Signal::INT.as_raw()));
    assert_eq!(names(drafts.0.path()), [""; 0]);
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let (room, drafts) = (Room::new(), Room::new());
    room.write("f.yaml", crate::editor::LIVE);
    room.write("editor.sh", "kill -HUP $(cat pid); sed -i 's/replicas: 3/replicas: 4/' \"$1\"");
    let script =
        format!("trap '' HUP; echo $$ > pid; exec '{}' last-applied edit -i f.yaml", env!("CARGO_BIN_EXE_kmerge"));
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(room.0.path()).env("TMPDIR", drafts.0.path());
    let status = command.env("EDITOR", "sh editor.sh").env_remove("KUBE_EDITOR").env_remove("VISUAL").status();
    assert!(status.expect("it runs").success());
    assert!(room.read("f.yaml").contains(r#""replicas":4"#));
}

/// `last-applied edit` whose editor runs this script, and has started.
fn wait_for_editor(room: &Room, drafts: &Room, script: &str) -> Child {
    room.write("editor.sh", &format!("touch open; {script}"));
    let mut command = room.kmerge(&["last-applied", "edit", "-i", "f.yaml"]);
    command.env("TMPDIR", drafts.0.path()).env("EDITOR", "exec sh editor.sh");
    // The editor may outlive the test, and would keep pipes open.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.env_remove("KUBE_EDITOR").env_remove("VISUAL").spawn().expect("it starts");
    while !room.path("open").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

/// A tree of files without directories, by name.
type Tree = BTreeMap<String, String>;

fn tree(room: &Room, name: &str) -> Tree {
    let path = |file: &str| format!("{name}/{file}");
    names(&room.path(name)).into_iter().map(|file| (file.clone(), room.read(&path(&file)))).collect()
}

fn plant(room: &Room, name: &str, tree: &Tree) {
    std::fs::remove_dir_all(room.path(name)).ok();
    std::fs::create_dir(room.path(name)).expect("created");
    tree.iter().for_each(|(file, text)| room.write(&format!("{name}/{file}"), text));
}

/// A command that keeps its journal in `state`.
fn journalled(room: &Room, state: &Room, command: &[&str]) -> Command {
    let mut kmerge = room.kmerge(command);
    kmerge.env("XDG_STATE_HOME", state.0.path()).stderr(Stdio::null());
    kmerge
}

/// Runs a command that changes the tree `d`, many times with a signal on the way: all of it is old, or all is new.
fn hit_tree(room: &Room, command: &[&str]) {
    let state = Room::new();
    let old = tree(room, "d");
    let start = Instant::now();
    assert!(journalled(room, &state, command).status().expect("it runs").success());
    let mut moment = Moment(start.elapsed());
    let new = tree(room, "d");
    assert_ne!(new, old, "the command changes the tree");
    let mut ended = 0;
    for round in 0..ROUNDS {
        plant(room, "d", &old);
        let signal = SIGNALS[round as usize % (SIGNALS.len() - 1)];
        let mut child = journalled(room, &state, command).spawn().expect("it starts");
        moment.wait_for();
        send(&child, signal);
        let status = child.wait().expect("it ends");
        assert!(status.signal() == Some(signal.as_raw()) || status.success(), "{status:?} after {signal:?}");
        ended += usize::from(!status.success());
        moment.adjust(status.success());
        let found = tree(room, "d");
        assert!(found == old || found == new, "{signal:?}: neither old nor new: {:?}", found.keys());
        let journals = state.path("kmerge");
        assert!(!journals.exists() || names(&journals).is_empty(), "{signal:?}: a journal stays");
    }
    assert!(ended > 0, "the signals came too late");
}

/// What merges of directories start from.
fn trees() -> Room {
    let room = Room::new();
    let files = |a: u32, b: u32| (0..200).map(|n| (format!("f{n}.yaml"), format!("a: {a}\nm: n\nb: {b}\n"))).collect();
    plant(&room, "base", &files(0, 0));
    plant(&room, "updated", &files(1, 0));
    plant(&room, "d", &files(0, 1));
    room
}

const MERGE: [&str; 7] = ["merge3", "--original", "base", "--updated", "updated", "--dest", "d"];

#[test]
fn a_tree_is_all_old_or_all_new() {
    hit_tree(&trees(), &MERGE);
}

#[test]
fn a_second_signal_leaves_what_recover_needs() {
    let (room, state) = (trees(), Room::new());
    let (old, recover) = (tree(&room, "d"), |flags: &[&str]| {
        let command = [&["recover"], flags, &["d"]].concat();
        journalled(&room, &state, &command).status().expect("it runs").success()
    });
    for _ in 0..ROUNDS {
        plant(&room, "d", &old);
        let mut child = journalled(&room, &state, &MERGE).spawn().expect("it starts");
        let mut has_ended = false;
        while !has_ended && !is_applying(&state) {
            has_ended = child.try_wait().expect("it is ours").is_some();
        }
        if has_ended {
            continue;
        }
        // Two of a kind could arrive as one.
        send(&child, Signal::INT);
        send(&child, Signal::TERM);
        child.wait().expect("it ends");
        let is_between = is_applying(&state);
        if !recover(&[]) {
            assert!(recover(&["--undo"]));
        }
        // Otherwise all files were in place when it ended.
        if is_between {
            assert_eq!(tree(&room, "d"), old, "it is taken back");
            return;
        }
    }
    panic!("no merge was cut off");
}

/// Whether files are being put in place.
fn is_applying(state: &Room) -> bool {
    let journals = state.path("kmerge");
    journals.exists() && names(&journals).iter().any(|name| journals.join(name).join("apply").exists())
}

#[test]
fn a_tree_that_is_built_in_place_is_all_old_or_all_new() {
    let room = Room::new();
    let names: Vec<String> = (0..100).map(|n| format!("f{n}.yaml")).collect();
    let text = |name: &String| format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  a: b\n");
    let mut tree: Tree = names.iter().map(|name| (name.clone(), text(name))).collect();
    let patch = "patches:\n- target: {kind: ConfigMap}\n  patch: '[{op: replace, path: /data/a, value: c}]'\n";
    let resources: String = names.iter().map(|name| format!("- {name}\n")).collect();
    tree.insert("kustomization.yaml".to_owned(), format!("resources:\n{resources}{patch}"));
    plant(&room, "d", &tree);
    hit_tree(&room, &["build", "-i", "d"]);
}

/// A copy of the merged tree is whole, or it is not there.
#[test]
fn a_new_directory_is_whole_or_absent() {
    let (room, state) = (trees(), Room::new());
    let command = [&MERGE[..], &["-o", "new/copy"]].concat();
    let start = Instant::now();
    assert!(journalled(&room, &state, &command).status().expect("it runs").success());
    let mut moment = Moment(start.elapsed());
    let new = tree(&room, "new/copy");
    let mut absent = 0;
    for round in 0..ROUNDS / 2 {
        std::fs::remove_dir_all(room.path("new")).expect("removed");
        let signal = SIGNALS[round as usize % (SIGNALS.len() - 1)];
        let mut child = journalled(&room, &state, &command).spawn().expect("it starts");
        moment.wait_for();
        send(&child, signal);
        child.wait().expect("it ends");
        moment.adjust(room.path("new").exists());
        if room.path("new").exists() {
            assert_eq!(tree(&room, "new/copy").len(), new.len(), "{signal:?}");
        } else {
            absent += 1;
            std::fs::create_dir(room.path("new")).expect("created");
        }
    }
    assert!(absent > 0, "the signals came too late");
}

#[test]
fn a_git_that_is_waited_for_ends_too() {
    let room = Room::new();
    let (done, git) =
        (|args: &[&str]| Command::new("git").args(args).current_dir(room.0.path()).output(), room.path("git"));
    done(&["init", "-q"]).expect("git runs");
    room.write("git", "#!/bin/sh\ncase \"$*\" in *\"merge-base\"*) echo $$ > pid.new; mv pid.new pid; exec sleep 60;; *) exec /usr/bin/env PATH=\"$REAL\" git \"$@\";; esac\n");
    std::fs::set_permissions(&git, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("executable");
    for args in [["add", "git"].as_slice(), &["-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "a"]] {
        assert!(done(args).expect("git runs").status.success());
    }
    let real = std::env::var("PATH").expect("a path");
    let mut kmerge = room.kmerge(&["ci", "--base", "HEAD", "--head", "HEAD"]);
    kmerge.env("REAL", &real).env("PATH", format!("{}:{real}", room.0.path().display()));
    let mut child = kmerge.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    while !room.path("pid").exists() {
        assert!(child.try_wait().expect("it is ours").is_none(), "it goes on until it is ended");
        std::thread::sleep(Duration::from_millis(10));
    }
    let git = room.read("pid");
    send(&child, Signal::TERM);
    assert_eq!(child.wait().expect("it ends").signal(), Some(Signal::TERM.as_raw()));
    let runs =
        || std::fs::read_to_string(format!("/proc/{}/stat", git.trim())).is_ok_and(|stat| !stat.contains(") Z "));
    let start = Instant::now();
    while runs() {
        assert!(start.elapsed() < Duration::from_secs(20), "git goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}
