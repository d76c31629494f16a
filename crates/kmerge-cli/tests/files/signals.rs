//! Signals at random moments: the file is the old one or the new one, and no temporary file stays but after SIGKILL.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Child;
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
    let whole = start.elapsed();
    assert!(output.status.success(), "{output:?}");
    let new = room.read("f.yaml");
    assert_ne!(new, old, "the command changes the file");
    let mut ends = [0, 0];
    for round in 0..ROUNDS {
        room.write("f.yaml", old);
        let signal = SIGNALS[round as usize % SIGNALS.len()];
        let mut child = room.kmerge(command).spawn().expect("it starts");
        // Writing comes last.
        std::thread::sleep(whole / 4 + random(whole));
        send(&child, signal);
        let status = child.wait().expect("it ends");
        assert!(status.signal() == Some(signal.as_raw()) || status.success(), "{status:?} after {signal:?}");
        let found = room.read("f.yaml");
        assert!(found == old || found == new, "{signal:?}: neither old nor new, {} bytes", found.len());
        ends[usize::from(found == new)] += 1;
        let left = room.names();
        if signal != Signal::KILL {
            assert_eq!(left, ["f.yaml"], "{signal:?}");
        }
        left.iter().filter(|name| *name != "f.yaml").for_each(|name| {
            assert!(name.starts_with(".kmerge-"), "{name}");
            std::fs::remove_file(room.path(name)).expect("removed");
        });
    }
    assert!(ends[0] > 0, "the signals came too late: {ends:?}");
}

/// A part of a time.
fn random(whole: Duration) -> Duration {
    whole * (RandomState::new().hash_one(0) % 1000) as u32 / 1000
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
    let mut command = std::process::Command::new("sh");
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
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let child = command.env_remove("KUBE_EDITOR").env_remove("VISUAL").spawn().expect("it starts");
    while !room.path("open").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}
