//! In-place edits: at the same time, of files with narrow modes, and cut off by signals.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};

use super::Tries;
use super::room::{Program, Room, deployment};

pub(super) fn concurrent(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for round in 0..40 {
        let room = Room::new(program)?;
        room.file("a.yaml", "a: 0\nb: 0\nc: 0\n")?;
        let edits = [["set", "-i", "a.yaml", ".a", "1"], ["set", "-i", "a.yaml", ".b", "1"]];
        let running = edits.iter().map(|edit| room.command(edit).stderr(Stdio::piped()).spawn());
        let running = running.collect::<Result<Vec<_>, _>>()?;
        let done = running.into_iter().map(std::process::Child::wait_with_output).collect::<Result<Vec<_>, _>>()?;
        let text = std::fs::read_to_string(room.work("a.yaml"))?;
        // Who could not write has to say so; who did, must be seen.
        let lost = [("a: 1\n", 0), ("b: 1\n", 1)]
            .into_iter()
            .find(|(line, edit)| done[*edit].status.success() && !text.contains(line));
        let failed = done.iter().find(|output| !output.status.success());
        let failed = failed.map(|output| format!("failed: {}", String::from_utf8_lossy(&output.stderr)));
        tries.add(&format!("round {round}"), lost.map(|(line, _)| format!("{line:?} was lost")).or(failed));
    }
    Ok(())
}

pub(super) fn modes(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for mode in [0o600, 0o640, 0o644, 0o755, 0o444] {
        let room = Room::new(program)?;
        room.file("a.yaml", deployment("1"))?;
        let path = room.work("a.yaml");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode))?;
        let is_root = path.metadata()?.uid() == 0;
        if is_root {
            std::os::unix::fs::chown(&path, Some(1000), Some(1000))?;
        }
        let ran = room.run(&["set", "-i", "a.yaml", ".metadata.name", "x"])?;
        let after = path.metadata()?;
        let wrong_mode = (after.mode() & 0o7777 != mode).then(|| format!("mode {:o}", after.mode()));
        let wrong_owner = is_root && after.uid() != 1000;
        let wrong = wrong_mode.or(wrong_owner.then(|| "another owner".to_owned()));
        tries.add(&format!("mode {mode:o}"), ran.ending().or(wrong));
    }
    Ok(())
}

pub(super) fn signals(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    let old = (0..3000).map(|n| format!("k{n}: {n}\n")).collect::<String>();
    let new = old.replace("k7: 7\n", "k7: x\n");
    for signal in ["INT", "TERM", "HUP"] {
        for round in 0..20_u64 {
            let room = Room::new(program)?;
            room.file("a.yaml", &old)?;
            let mut child = room.command(&["set", "-i", "a.yaml", ".k7", "x"]).stderr(Stdio::null()).spawn()?;
            std::thread::sleep(Duration::from_micros(800 + 400 * round));
            let killed =
                Command::new("kill").args(["-s", signal, &child.id().to_string()]).stderr(Stdio::null()).status();
            killed.context("cannot run kill")?;
            child.wait()?;
            let text = std::fs::read_to_string(room.work("a.yaml"))?;
            let torn = (text != old && text != new).then(|| "the file is neither old nor new".to_owned());
            let names: Vec<_> = std::fs::read_dir(room.work(""))?.collect::<Result<_, _>>()?;
            ensure!(!names.is_empty(), "the file is gone");
            let stayed = names.iter().map(std::fs::DirEntry::file_name).find(|name| name != "a.yaml");
            let stayed = stayed.map(|name| format!("{} stayed", name.display()));
            tries.add(&format!("SIG{signal}, round {round}"), torn.or(stayed));
        }
    }
    Ok(())
}
