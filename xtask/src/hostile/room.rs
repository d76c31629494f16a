//! Where a try happens: a temporary directory with a `work`, a `home`, and an `outside` that has to stay as it is.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

/// The binary that is attacked.
#[derive(Clone, Debug)]
pub(crate) struct Program(PathBuf);

impl Program {
    pub(super) fn new(path: &Path) -> anyhow::Result<Self> {
        let path = path
            .canonicalize()
            .with_context(|| format!("no binary at {}: first `cargo build --release -p kmerge-cli`", path.display()))?;
        Ok(Self(path))
    }
}

/// How long any try may take. Far more than it needs: the limit is for what never ends.
const LONGEST: Duration = Duration::from_secs(20);
/// Address space of any try, in kilobytes.
const MOST_KILOBYTES: u64 = 4 << 20;

/// One temporary directory.
#[derive(Debug)]
pub(crate) struct Room {
    directory: tempfile::TempDir,
    program: PathBuf,
    before: BTreeMap<PathBuf, String>,
}

/// What a run of the program did.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code; `None` where a signal or the time limit ended it.
    pub(crate) code: Option<i32>,
    /// Everything it printed, on both streams.
    pub(crate) printed: Vec<u8>,
    pub(crate) took: Duration,
}

impl Ran {
    /// What is wrong with any ending of a run: it has to end by itself, without a panic.
    pub(crate) fn ending(&self) -> Option<String> {
        match self.code {
            None => Some(format!("did not end by itself within {:.1} s", self.took.as_secs_f32())),
            Some(101 | 134) => Some(format!("panicked: {}", self.text())),
            Some(_) => None,
        }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.printed).into_owned()
    }
}

impl Room {
    pub(crate) fn new(program: &Program) -> anyhow::Result<Self> {
        let directory = tempfile::tempdir()?;
        for name in ["work", "home", "outside"] {
            fs::create_dir(directory.path().join(name))?;
        }
        fs::write(directory.path().join("outside/id"), "a key that nobody may touch\n")?;
        Ok(Self { directory, program: program.0.clone(), before: BTreeMap::new() })
    }

    /// A path below the directory in which the program runs.
    pub(crate) fn work(&self, name: &str) -> PathBuf {
        self.directory.path().join("work").join(name)
    }

    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.directory.path().join("outside").join(name)
    }

    /// Writes a file below `work`, with its directories.
    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> anyhow::Result<()> {
        let path = self.work(name);
        fs::create_dir_all(path.parent().context("a file has a directory")?)?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Makes a symbolic link below `work`.
    pub(crate) fn link(&self, name: &str, target: &str) -> anyhow::Result<()> {
        let path = self.work(name);
        fs::create_dir_all(path.parent().context("a link has a directory")?)?;
        std::os::unix::fs::symlink(target, path).with_context(|| format!("cannot link {name}"))
    }

    /// Three trees with one change of upstream: what an ordinary merge works on.
    pub(crate) fn trees(&self) -> anyhow::Result<()> {
        for (side, tag) in [("original", "1"), ("updated", "2"), ("dest", "1")] {
            self.file(&format!("{side}/a.yaml"), deployment(tag))?;
        }
        Ok(())
    }

    /// Notes how `outside` is; [`Room::damage`] compares with it.
    pub(crate) fn guard(&mut self) -> anyhow::Result<()> {
        self.before = snapshot(&self.outside(""))?;
        Ok(())
    }

    /// What has changed outside since [`Room::guard`].
    pub(crate) fn damage(&self) -> anyhow::Result<Option<String>> {
        ensure!(!self.before.is_empty(), "the room was not guarded");
        let after = snapshot(&self.outside(""))?;
        Ok((after != self.before).then(|| format!("changed outside: {:?} -> {after:?}", self.before)))
    }

    /// The program with arguments, to be started in `work`, with limits.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {MOST_KILOBYTES}; exec \"$@\""), "sh"]).arg(&self.program);
        command.args(arguments).current_dir(self.work(""));
        let home = self.directory.path().join("home");
        command.env("HOME", &home).env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("EDITOR", "true").env_remove("GIT_DIR");
        command
    }

    /// Runs the program to its end, or to the time limit.
    pub(crate) fn run(&self, arguments: &[&str]) -> anyhow::Result<Ran> {
        self.finish(self.command(arguments))
    }

    /// Runs a prepared command to its end, or to the time limit.
    pub(crate) fn finish(&self, mut command: Command) -> anyhow::Result<Ran> {
        let output = self.directory.path().join("printed");
        let file = fs::File::create(&output)?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let start = Instant::now();
        let mut child = command.spawn().context("cannot start the program")?;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if start.elapsed() > LONGEST {
                child.kill()?;
                child.wait()?;
                break None;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let took = start.elapsed();
        Ok(Ran { code: status.and_then(|status| status.code()), printed: fs::read(&output)?, took })
    }
}

/// A small workload of which each version has another image.
pub(crate) fn deployment(tag: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers:\n        - name: app\n          image: app:{tag}\n"
    )
}

/// Names, kinds, modes and contents of everything below a directory.
fn snapshot(directory: &Path) -> anyhow::Result<BTreeMap<PathBuf, String>> {
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            let metadata = path.symlink_metadata()?;
            let content = if metadata.is_file() { fs::read(&path)? } else { Vec::new() };
            found.insert(path.clone(), format!("{:o} {}", metadata.mode(), String::from_utf8_lossy(&content)));
            if metadata.is_dir() {
                open.push(path);
            }
        }
    }
    Ok(found)
}
