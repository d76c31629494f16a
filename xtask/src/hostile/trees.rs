//! Trees that came from somebody else: links, journals, devices, names that mean something to git.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::ensure;

use super::Tries;
use super::room::{Program, Room, deployment};

const MERGE: &[&str] = &["merge3", "--original", "original", "--updated", "updated", "--dest", "dest"];

/// The directory in which earlier versions kept a journal inside of the tree.
const JOURNAL: &str = "dest/.kmerge-transaction";

/// Commands that look at a tree, or write into it.
const COMMANDS: &[&[&str]] = &[
    MERGE,
    &["merge2", "updated", "dest"],
    &["recover", "dest"],
    &["recover", "--resume", "dest"],
    &["recover", "--undo", "dest"],
    &["check", "dest"],
];

/// Puts something hostile into a room.
type Plant = fn(&Room) -> anyhow::Result<()>;

const PLANTS: &[(&str, Plant)] = &[
    ("new is a link", |room| room.link(&format!("{JOURNAL}/new"), "../../../outside")),
    ("the directory is a link", |room| room.link(JOURNAL, "../../outside")),
    ("lock is a link", |room| room.link(&format!("{JOURNAL}/lock"), "../../../outside/made")),
    ("a path leads up", |room| journal(room, "../../outside/hook")),
    ("an absolute path", |room| journal(room, &room.outside("hook").to_string_lossy())),
    ("the journal is /dev/zero", |room| room.link(&format!("{JOURNAL}/apply"), "/dev/zero")),
    ("the journal is a pipe", |room| {
        room.file(&format!("{JOURNAL}/note"), "")?;
        pipe(room, &format!("{JOURNAL}/apply"))
    }),
];

/// A journal as earlier versions wrote it, of a merge that creates one file.
fn journal(room: &Room, path: &str) -> anyhow::Result<()> {
    room.file(&format!("{JOURNAL}/new/0"), "#!/bin/sh\n")?;
    let steps = format!("[{{\"path\":\"{path}\",\"old\":null,\"new\":1}}]");
    room.file(&format!("{JOURNAL}/apply"), format!("{{\"version\":1,\"steps\":{steps},\"directories\":[]}}"))
}

pub(super) fn transaction(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for (name, plant) in PLANTS {
        for command in COMMANDS {
            let mut room = Room::new(program)?;
            room.trees()?;
            plant(&room)?;
            attempt(&mut room, &format!("{name}, {}", command.join(" ")), command, tries)?;
        }
    }
    Ok(())
}

pub(super) fn links(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for target in ["../../outside", "../../outside/sub", "/"] {
        for place in ["dest/d", "updated/d", "original/d"] {
            let mut room = Room::new(program)?;
            room.trees()?;
            if place != "updated/d" {
                room.file("updated/d/new.yaml", deployment("9").replace("web", "other"))?;
            }
            room.link(place, target)?;
            attempt(&mut room, &format!("{place} -> {target}"), MERGE, tries)?;
        }
    }
    Ok(())
}

/// While merges run, another process exchanges a directory for a link and back.
pub(super) fn swapped(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for round in 0..10 {
        let mut room = Room::new(program)?;
        for file in 0..40 {
            for (side, tag) in [("original", "1"), ("updated", "2"), ("dest", "1")] {
                room.file(&format!("{side}/d/{file}.yaml"), deployment(tag).replace("web", &format!("w{file}")))?;
            }
        }
        room.guard()?;
        let (over, place, aside) = (AtomicBool::new(false), room.work("dest/d"), room.work("dest/aside"));
        let outside = room.outside("");
        let ran = std::thread::scope(|scope| {
            let swapper = scope.spawn(|| -> std::io::Result<()> {
                while !over.load(Ordering::Relaxed) {
                    std::fs::rename(&place, &aside)?;
                    std::os::unix::fs::symlink(&outside, &place)?;
                    std::thread::yield_now();
                    std::fs::remove_file(&place)?;
                    std::fs::rename(&aside, &place)?;
                    std::thread::sleep(std::time::Duration::from_micros(200));
                }
                Ok(())
            });
            let ran = room.run(MERGE);
            over.store(true, Ordering::Relaxed);
            // A merge that creates what was moved aside can stop the swapper: that harms nobody.
            drop(swapper.join());
            ran
        })?;
        tries.add(&format!("round {round}"), ran.ending().or(room.damage()?));
    }
    Ok(())
}

/// What git takes for its own directory, here or on another file system.
const GIT_NAMES: &[&str] = &[
    ".git",
    ".GIT",
    ".Git",
    ".git ",
    ".git.",
    ".git. .",
    "git~1",
    "GIT~1",
    ".git::$INDEX_ALLOCATION",
    ".g\u{200c}it",
    ".git\u{200d}",
    "\u{feff}.git",
];

pub(super) fn git_directory(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for name in GIT_NAMES {
        for parent in ["", "sub/"] {
            let mut room = Room::new(program)?;
            room.trees()?;
            room.file(&format!("updated/{parent}{name}/config"), "[core]\n  fsmonitor = false\n")?;
            room.file(&format!("updated/{parent}{name}/hooks/x.yaml"), "a: 1\n")?;
            room.guard()?;
            let ran = room.run(MERGE)?;
            let came = room.work(&format!("dest/{parent}{name}")).symlink_metadata().is_ok();
            let came = came.then(|| format!("{parent}{name} came into the destination"));
            tries.add(&format!("{parent}{name}"), ran.ending().or(came).or(room.damage()?));
        }
    }
    Ok(())
}

pub(super) fn special_files(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for side in ["original", "updated", "dest"] {
        for command in [MERGE, &["merge2", "updated", "dest"], &["check", "dest"], &["build", "dest"]] {
            let mut room = Room::new(program)?;
            room.trees()?;
            room.file("dest/kustomization.yaml", "resources: [a.yaml, p.yaml]\n")?;
            pipe(&room, &format!("{side}/p.yaml"))?;
            attempt(&mut room, &format!("a pipe in {side}, {}", command.join(" ")), command, tries)?;
            let mut room = Room::new(program)?;
            room.trees()?;
            room.file("dest/kustomization.yaml", "resources: [a.yaml, p.yaml]\n")?;
            room.link(&format!("{side}/p.yaml"), "/dev/zero")?;
            attempt(&mut room, &format!("/dev/zero in {side}, {}", command.join(" ")), command, tries)?;
        }
    }
    Ok(())
}

pub(super) fn rules_link(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    let word = "hunter2-of-another-file";
    for target in ["../outside/rules", "/dev/zero", "pipe"] {
        for command in [MERGE, &["check", "dest/a.yaml"], &["explain", "keys", "dest/a.yaml"]] {
            let mut room = Room::new(program)?;
            room.trees()?;
            std::fs::write(room.outside("rules"), format!("{word}: [\n"))?;
            pipe(&room, "pipe")?;
            room.link("kmerge.yaml", target)?;
            room.guard()?;
            let ran = room.run(command)?;
            let shown = ran.text().contains(word).then(|| "shows the file behind the link".to_owned());
            let name = format!("kmerge.yaml -> {target}, {}", command.join(" "));
            tries.add(&name, ran.ending().or(shown).or(room.damage()?));
        }
    }
    Ok(())
}

pub(super) fn bases(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    const LEVELS: usize = 40;
    let mut room = Room::new(program)?;
    for level in 1..=LEVELS {
        let below = level - 1;
        room.file(&format!("{level}/kustomization.yaml"), format!("resources: [../{below}, ../{below}/.]\n"))?;
    }
    room.file("0/kustomization.yaml", "resources: [a.yaml]\n")?;
    room.file("0/a.yaml", deployment("1"))?;
    attempt(&mut room, "a base named twice on 40 levels", &["build", &LEVELS.to_string()], tries)?;
    let mut room = Room::new(program)?;
    room.file("a/kustomization.yaml", "resources: [../b]\n")?;
    room.file("b/kustomization.yaml", "resources: [../a]\n")?;
    room.guard()?;
    let ran = room.run(&["build", "a"])?;
    let accepted = (ran.code != Some(2)).then(|| format!("exit {:?}: {}", ran.code, ran.text()));
    tries.add("two bases that name each other", ran.ending().or(accepted).or(room.damage()?));
    Ok(())
}

/// Runs a command in a guarded room: it ends, and nothing outside changes.
fn attempt(room: &mut Room, name: &str, command: &[&str], tries: &mut Tries) -> anyhow::Result<()> {
    room.guard()?;
    let ran = room.run(command)?;
    tries.add(name, ran.ending().or(room.damage()?));
    Ok(())
}

fn pipe(room: &Room, name: &str) -> anyhow::Result<()> {
    let made = Command::new("mkfifo").arg(room.work(name)).status()?;
    ensure!(made.success(), "cannot make a pipe");
    Ok(())
}
