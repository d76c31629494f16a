//! `git merge-file` on temporary files.

use std::process::Command;

use anyhow::{Context as _, ensure};

use super::generate::Triple;

/// Runs `git merge-file`; holds the directory with its three inputs.
pub(crate) struct MergeFile {
    directory: tempfile::TempDir,
    version: String,
}

impl MergeFile {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let output = Command::new("git").arg("--version").output().context("git is needed")?;
        let version = String::from_utf8(output.stdout)?.trim().to_owned();
        Ok(Self { directory: tempfile::tempdir()?, version })
    }

    /// What `git --version` says.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Sets the inputs of the merges to come.
    pub(crate) fn write(&self, triple: &Triple) -> anyhow::Result<()> {
        for (name, content) in [("base", &triple.base), ("ours", &triple.ours), ("theirs", &triple.theirs)] {
            std::fs::write(self.directory.path().join(name), content)?;
        }
        Ok(())
    }

    /// The merge of the inputs, with conflict markers in `style`.
    pub(crate) fn merge(&self, style: &str) -> anyhow::Result<Vec<u8>> {
        Ok(self.merge_with_code(style)?.0)
    }

    /// The merge of the inputs and git's exit code, the number of conflicts.
    pub(crate) fn merge_with_code(&self, style: &str) -> anyhow::Result<(Vec<u8>, i32)> {
        let mut command = Command::new("git");
        command.args(["merge-file", "-p", "--marker-size=7", "-L", "ours", "-L", "base", "-L", "theirs"]);
        if style != "merge" {
            command.arg(format!("--{style}"));
        }
        let command = command.args(["ours", "base", "theirs"]).current_dir(&self.directory);
        let output = command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").output()?;
        let code = output.status.code().context("git was killed")?;
        ensure!(code < 128, "git merge-file failed: {}", String::from_utf8_lossy(&output.stderr));
        Ok((output.stdout, code))
    }
}
