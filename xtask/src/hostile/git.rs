//! Repositories whose configuration names programs, and links where git keeps its files.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use anyhow::{Context as _, ensure};

use super::Tries;
use super::room::{Program, Room, deployment};

/// Configuration that lets some git command run a program; `RUN` stands for its path.
const CONFIGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "[core]\n\tfsmonitor = RUN\n"),
    ("core.hooksPath", "[core]\n\thooksPath = DIR\n"),
    ("core.pager", "[core]\n\tpager = RUN\n[pager]\n\tlog = RUN\n\tconfig = RUN\n"),
    ("core.sshCommand", "[core]\n\tsshCommand = RUN\n[remote \"origin\"]\n\turl = ssh://host/x\n\tpromisor = true\n"),
    ("diff.external", "[diff]\n\texternal = RUN\n"),
    ("textconv", "[diff \"k\"]\n\ttextconv = RUN\n"),
    ("filter", "[filter \"k\"]\n\tsmudge = RUN\n\tclean = RUN\n\tprocess = RUN\n"),
    ("merge driver", "[merge \"k\"]\n\tdriver = RUN %A\n"),
    ("credential", "[credential]\n\thelper = RUN\n"),
    ("gpg", "[gpg]\n\tprogram = RUN\n[log]\n\tshowSignature = true\n"),
    ("promisor", PROMISOR),
];

/// A remote that git asks for every object that is missing.
const PROMISOR: &str = "[remote \"origin\"]\n\turl = ext::RUN\n\tpromisor = true\n\tpartialclonefilter = blob:none\n[extensions]\n\tpartialClone = origin\n[protocol]\n\tallow = always\n";

const COMMANDS: &[&[&str]] = &[
    &["check", "a.yaml"],
    &["check", "--merge", "HEAD"],
    &["explain", "keys", "a.yaml"],
    &["merge2", "a.yaml", "b.yaml"],
    &["resolve", "a.yaml"],
    &["ci", "--base", "one", "--head", "two"],
    &["setup"],
    &["setup", "--check"],
    &["setup", "--undo"],
    &["driver", "a.yaml", "b.yaml", "b.yaml", "-o", "-"],
    &["set", "-i", "a.yaml", ".metadata.name", "x"],
];

pub(super) fn programs(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for (name, config) in CONFIGS {
        for bare in [false, true] {
            let mut room = Room::new(program)?;
            repository(&room)?;
            let script = room.outside("run");
            let config = config.replace("RUN", &script.to_string_lossy());
            let config = config.replace("DIR", &room.outside("hooks").to_string_lossy());
            if bare {
                // What a tree can carry: the files of a repository, and no `.git`.
                std::fs::rename(room.work(".git"), room.work("git"))?;
                for part in ["HEAD", "objects", "refs", "config"] {
                    std::fs::rename(room.work("git").join(part), room.work(part))?;
                }
            }
            let place = if bare { "config" } else { ".git/config" };
            let text = std::fs::read_to_string(room.work(place))?;
            let text = if bare { text.replace("bare = false", "bare = true") } else { text };
            room.file(place, format!("{text}{config}"))?;
            if name.contains("promisor") {
                lose_objects(&room, if bare { "objects" } else { ".git/objects" })?;
            }
            room.guard()?;
            for command in COMMANDS {
                let ran = room.run(command)?;
                let where_ = if bare { "a bare one in the tree" } else { "the user's" };
                let name = format!("{name} in {where_}, {}", command.join(" "));
                // The witness is a file of `outside`, so damage tells that the program ran.
                tries.add(&name, ran.ending().or(room.damage()?));
            }
        }
    }
    Ok(())
}

/// A repository with two branches that change one place, an unmerged file, and attributes that choose every program.
fn repository(room: &Room) -> anyhow::Result<()> {
    witness(room)?;
    git(room, &["init", "-q", "-b", "one"])?;
    room.file("b.yaml", deployment("1"))?;
    for (branch, tag) in [("one", "1"), ("two", "2")] {
        if branch == "two" {
            git(room, &["checkout", "-q", "-b", branch])?;
        }
        room.file("a.yaml", deployment(tag))?;
        git(room, &["add", "."])?;
        git(room, &["commit", "-q", "-m", branch])?;
    }
    git(room, &["checkout", "-q", "one"])?;
    room.file("a.yaml", deployment("3"))?;
    git(room, &["commit", "-q", "-a", "-m", "three"])?;
    // The merge is in conflict, and leaves an index with three stages.
    drop(git(room, &["merge", "-q", "two"]));
    room.file(".gitattributes", "*.yaml diff=k filter=k merge=k\n")
}

/// A program that leaves a trace outside.
fn witness(room: &Room) -> anyhow::Result<()> {
    let text = format!("#!/bin/sh\ntouch '{}'\ncat\n", room.outside("ran").display());
    std::fs::create_dir(room.outside("hooks"))?;
    for place in ["run", "hooks/post-index-change", "hooks/pre-auto-gc", "hooks/reference-transaction"] {
        std::fs::write(room.outside(place), &text)?;
        std::fs::set_permissions(room.outside(place), std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Takes the blobs away, so that git would have to fetch them.
fn lose_objects(room: &Room, objects: &str) -> anyhow::Result<()> {
    let listed = std::fs::read_dir(room.work(objects))?;
    for entry in listed.collect::<Result<Vec<_>, _>>()? {
        if entry.file_name().len() == 2 {
            for object in std::fs::read_dir(entry.path())? {
                let path = object?.path();
                let is_blob = std::fs::metadata(&path)?.len() > 140;
                if is_blob {
                    std::fs::remove_file(path)?;
                }
            }
        }
    }
    Ok(())
}

pub(super) fn setup_links(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for (place, command) in [
        (".gitattributes", &["setup", "--gitattributes"][..]),
        (".git/info/attributes", &["setup"]),
        (".git/config", &["setup"]),
        (".gitattributes", &["setup", "--undo"]),
    ] {
        let mut room = Room::new(program)?;
        git(&room, &["init", "-q", "-b", "one"])?;
        let content = if place == ".git/config" { std::fs::read(room.work(place))? } else { b"# mine\n".to_vec() };
        std::fs::write(room.outside("target"), content)?;
        drop(std::fs::remove_file(room.work(place)));
        room.link(place, &room.outside("target").to_string_lossy())?;
        room.guard()?;
        let ran = room.run(command)?;
        tries.add(&format!("{place}, {}", command.join(" ")), ran.ending().or(room.damage()?));
    }
    Ok(())
}

fn git(room: &Room, arguments: &[&str]) -> anyhow::Result<()> {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "commit.gpgsign=false"]);
    command.args(arguments).current_dir(room.work("")).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.output().context("cannot run git")?;
    ensure!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
