//! Replayed files as directories: `base.yaml`, `ours.yaml`, `theirs.yaml`, `committed.yaml`. To measure again without git.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use super::history::Replayed;

const NAMES: [&str; 4] = ["base", "ours", "theirs", "committed"];

pub(super) fn write(files: &[Replayed], below: &Path) -> anyhow::Result<()> {
    for (number, file) in files.iter().enumerate() {
        let place = below.join(format!("{number:05}"));
        fs::create_dir_all(&place)?;
        for (name, text) in NAMES.iter().zip([&file.base, &file.ours, &file.theirs, &file.committed]) {
            fs::write(place.join(format!("{name}.yaml")), text)?;
        }
        fs::write(place.join("from"), format!("{}\n", file.path))?;
    }
    Ok(())
}

pub(super) fn read(below: &Path) -> anyhow::Result<Vec<Replayed>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(below).with_context(|| format!("cannot list {}", below.display()))? {
        let place = entry?.path();
        let read = |name: &str| {
            let path = place.join(format!("{name}.yaml"));
            fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
        };
        let [base, ours, theirs, committed] = [read("base")?, read("ours")?, read("theirs")?, read("committed")?];
        files.push(Replayed { path: place.display().to_string(), base, ours, theirs, committed });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}
