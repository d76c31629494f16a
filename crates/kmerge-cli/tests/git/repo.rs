//! A temporary repository, cut off from the configuration of whoever runs the tests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository, or a bare one, and the home directory its git sees.
pub(crate) struct Repo {
    room: tempfile::TempDir,
    top: PathBuf,
    path: OsString,
    is_named: bool,
}

/// The three versions of a file in a merge.
pub(crate) struct Versions<'a> {
    pub(crate) base: &'a str,
    pub(crate) ours: &'a str,
    pub(crate) theirs: &'a str,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    fn new(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Insists on an exit code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Insists on the driver having been started.
    #[track_caller]
    pub(crate) fn expect_driver(self) -> Self {
        assert!(self.stderr.contains("kmerge driver"), "the driver was not started: {self:#?}");
        self
    }
}

impl Repo {
    /// An empty repository without any setup.
    pub(crate) fn plain() -> Self {
        let room = tempfile::tempdir().expect("a temporary directory");
        let top = room.path().join("repo");
        let binary = Path::new(env!("CARGO_BIN_EXE_kmerge")).parent().expect("a binary has a directory");
        let own = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(binary.to_owned()).chain(std::env::split_paths(&own)));
        let repo =
            Self { top: room.path().to_owned(), room, path: path.expect("a path without colons"), is_named: false };
        repo.git(&["init", "--quiet", "--initial-branch=main", "repo"]).expect(0);
        Self { top, ..repo }
    }

    /// An empty repository after `kmerge setup`.
    pub(crate) fn new() -> Self {
        let repo = Self::plain();
        repo.kmerge(&["setup"]).expect(0);
        repo
    }

    /// A repository in which `main` and `topic` have changed `file` since they parted.
    pub(crate) fn diverged(file: &str, versions: &Versions<'_>) -> Self {
        let repo = Self::new();
        repo.diverge(file, versions);
        repo
    }

    /// Makes `main` and `topic` change `file` since they parted; ends on `main`.
    pub(crate) fn diverge(&self, file: &str, versions: &Versions<'_>) {
        self.commit(file, versions.base);
        self.git(&["branch", "topic"]).expect(0);
        self.commit(file, versions.ours);
        self.git(&["checkout", "--quiet", "topic"]).expect(0);
        self.commit(file, versions.theirs);
        self.git(&["checkout", "--quiet", "main"]).expect(0);
    }

    /// The same repository, for commands in another directory of it or beside it.
    pub(crate) fn at(self, directory: impl AsRef<Path>) -> Self {
        Self { top: self.top.join(directory), is_named: false, ..self }
    }

    /// The bare repository in a directory, which kmerge is told about.
    pub(crate) fn at_bare(self, directory: impl AsRef<Path>) -> Self {
        Self { is_named: true, ..self.at(directory) }
    }

    /// The same repository on a machine without kmerge; `stand_in` is the script that stands in its place.
    pub(crate) fn without_kmerge(self, stand_in: Option<&str>) -> Self {
        let bin = self.room.path().join("bin");
        std::fs::create_dir(&bin).expect("a new directory");
        let own = std::env::var_os("PATH").unwrap_or_default();
        if let Some(script) = stand_in {
            write_script(&bin.join("kmerge"), script);
        }
        let path = std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&own)));
        Self { path: path.expect("a path without colons"), ..self }
    }

    /// The home directory that git sees.
    pub(crate) fn home(&self) -> &Path {
        self.room.path()
    }

    /// Runs git; a trace on stderr shows which drivers it starts.
    pub(crate) fn git(&self, args: &[&str]) -> Done {
        self.run("git", args, &[("GIT_TRACE", "1")])
    }

    /// Runs the binary under test.
    pub(crate) fn kmerge(&self, args: &[&str]) -> Done {
        let named = [("GIT_DIR", ".")];
        self.run(env!("CARGO_BIN_EXE_kmerge"), args, if self.is_named { &named } else { &[] })
    }

    /// Runs a program with more environment.
    pub(crate) fn run(&self, program: &str, args: &[&str], environment: &[(&str, &str)]) -> Done {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.top).env_clear();
        command.env("PATH", &self.path).env("HOME", self.room.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_EDITOR", "true").env("LC_ALL", "C");
        for (name, value) in [("NAME", "kmerge"), ("EMAIL", "kmerge@example.com"), ("DATE", "2026-01-01T00:00:00Z")] {
            command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
        let environment = environment.iter().copied();
        Done::new(command.envs(environment).output().expect("the program starts"))
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        std::fs::write(self.top.join(file), text).expect("a file that can be written");
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.top.join(file)).expect("a file that can be read")
    }

    pub(crate) fn exists(&self, file: &str) -> bool {
        self.top.join(file).exists()
    }

    /// Writes a file and commits it under its own text, so that every commit has a message of its own.
    pub(crate) fn commit(&self, file: &str, text: &str) {
        self.write(file, text);
        self.git(&["add", file]).expect(0);
        let message = text.lines().next().unwrap_or("empty");
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]).expect(0);
    }
}

/// Makes `main` and `topic` merge each other's first commit, and resolve the conflict in `a.yaml` differently.
pub(crate) fn criss_cross(repo: &Repo) {
    repo.commit("a.yaml", "a: 0\n");
    repo.git(&["branch", "topic"]).expect(0);
    repo.commit("a.yaml", "a: 1\n");
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    repo.commit("a.yaml", "a: 2\n");
    repo.git(&["branch", "topic1"]).expect(0);
    repo.git(&["merge", "main"]).expect(1);
    repo.commit("a.yaml", "a: 3\n");
    repo.git(&["checkout", "--quiet", "main"]).expect(0);
    repo.git(&["merge", "topic1"]).expect(1);
    repo.commit("a.yaml", "a: 4\n");
}

/// A process of its own writes the file: one that is open here for writing, or in a process that another test is about to start,
/// could not be run.
pub(crate) fn write_script(file: &Path, script: &str) {
    const WRITE: &str = r#"printf %s "$1" > "$2" && chmod 755 "$2""#;
    let written = Command::new("sh").args(["-c", WRITE, "sh", script]).arg(file).status();
    assert!(written.expect("a shell").success());
}
