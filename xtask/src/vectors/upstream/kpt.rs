//! The table of kpt's merges of packages: directories with one file.

use std::path::Path;

use super::super::Verdict;
use super::super::kustomize::{kmerge, objects};
use super::{Suite, Tests};

pub(super) fn packages(directory: &Path) -> anyhow::Result<Suite> {
    let tests = Tests::read(&directory.join("merge3_test.go"))?;
    let mut suite = Suite::default();
    for (name, case) in tests.tables(&["origin", "update", "local"]) {
        let room = tempfile::tempdir()?;
        for side in ["origin", "update", "local"] {
            std::fs::create_dir(room.path().join(side))?;
            std::fs::write(room.path().join(side).join("f1.yaml"), &case[side])?;
        }
        let path = |side: &str| room.path().join(side).to_string_lossy().into_owned();
        let [origin, update, local] = ["origin", "update", "local"].map(path);
        let is_done = kmerge(&["merge3", "--original", &origin, "--updated", &update, "--dest", &local, "-i"])?.is_ok();
        let ours = match std::fs::read_to_string(room.path().join("local/f1.yaml")) {
            Ok(text) if is_done => Some(objects(&text)?),
            _ => is_done.then(Vec::new),
        };
        let theirs = if case.contains_key("errMsg") { None } else { case.get("expected") }
            .map(|text| objects(text))
            .transpose()?;
        let difference = (ours != theirs).then(|| format!("\n{ours:?}\ninstead of\n{theirs:?}"));
        suite.verdicts.push(Verdict { name: format!("kpt {name}"), difference });
    }
    Ok(suite)
}
