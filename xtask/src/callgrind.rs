//! Counts the instructions of a run of a program, mostly `target/release/kmerge`. However busy the machine is, the count is the same.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

/// The program, and a directory for its inputs.
pub(crate) struct Counter<'a> {
    program: PathBuf,
    room: &'a Path,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(room: &'a Path) -> anyhow::Result<Self> {
        let kmerge = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/kmerge");
        ensure!(kmerge.is_file(), "first: cargo build --release -p kmerge-cli");
        Ok(Self::of(kmerge, room))
    }

    pub(crate) const fn of(program: PathBuf, room: &'a Path) -> Self {
        Self { program, room }
    }

    /// The instructions of a run with these arguments, which ends with the code of a merge.
    pub(crate) fn count(&self, arguments: &[String]) -> anyhow::Result<f64> {
        let profile = self.room.join("profile");
        let mut command = Command::new("valgrind");
        let out = format!("--callgrind-out-file={}", profile.display());
        // Rules of the directory we are in would count, too.
        command.args(["--tool=callgrind", &out]).arg(&self.program).args(arguments).current_dir(self.room);
        // So would the variables around us: with cargo's LD_LIBRARY_PATH, libraries take longer to find.
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env_clear().envs([("PATH", path.as_os_str()), ("HOME", self.room.as_os_str())]);
        let output = command.stdout(Stdio::null()).output().context("valgrind cannot be run")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(matches!(output.status.code(), Some(0..=127)), "{}: {said}", arguments.join(" "));
        let profile = std::fs::read_to_string(profile)?;
        let total =
            profile.lines().find_map(|line| line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: ")));
        total.context("valgrind has counted nothing")?.trim().parse::<f64>().context("not a number")
    }
}
