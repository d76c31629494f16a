//! Commits, trees and blobs of the repository in which we are.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, bail, ensure};

use super::command;
use crate::temporary::output;

/// Where new objects go, and which configuration holds beside the repository's.
#[derive(Debug, Default)]
pub(crate) struct Git {
    environment: Vec<(&'static str, OsString)>,
    config: Vec<String>,
}

impl Git {
    /// A git with more configuration, as `KEY=VALUE`.
    pub(crate) fn with_config(config: Vec<String>) -> Self {
        Self { environment: Vec::new(), config }
    }

    /// A git with more in its environment.
    pub(super) fn with_environment(environment: Vec<(&'static str, OsString)>) -> Self {
        Self { environment, config: Vec::new() }
    }

    /// Lets new objects go into a directory of their own, so that the repository stays as it is.
    pub(crate) fn write_objects_to(&mut self, directory: &Path) -> anyhow::Result<()> {
        let own = self.line(&["rev-parse", "--path-format=absolute", "--git-path", "objects"])?;
        self.environment.push(("GIT_ALTERNATE_OBJECT_DIRECTORIES", own.into()));
        self.environment.push(("GIT_OBJECT_DIRECTORY", directory.into()));
        // Commits that nobody will ever see need somebody who made them.
        for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
            self.environment.push((name, "kmerge".into()));
        }
        Ok(())
    }

    /// The id of the commit that `name` stands for.
    pub(crate) fn commit(&self, name: &str) -> anyhow::Result<String> {
        let found =
            self.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])?;
        ensure!(found.code == Some(0), "{name} is not a commit of this repository");
        Ok(found.stdout_line()?.to_owned())
    }

    /// The best common ancestors of two commits; what is missing from a shallow clone is an error.
    pub(crate) fn merge_bases(&self, one: &str, other: &str) -> anyhow::Result<Vec<String>> {
        let found = self.run(&["merge-base", "--all", one, other])?;
        if found.code == Some(1) && self.is_shallow()? {
            bail!("the common ancestor is not in this shallow clone; `git fetch --unshallow` gets it");
        }
        ensure!(matches!(found.code, Some(0 | 1)), "git: {}", found.stderr);
        Ok(found.text()?.lines().map(str::to_owned).collect())
    }

    fn is_shallow(&self) -> anyhow::Result<bool> {
        Ok(self.line(&["rev-parse", "--is-shallow-repository"])? == "true")
    }

    /// What a git that has to succeed prints, without the newline.
    pub(crate) fn line(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let done = self.run(arguments)?;
        ensure!(done.code == Some(0), "git: {}", done.stderr);
        Ok(done.stdout_line()?.to_owned())
    }

    /// Runs git to its end, or to that of this process.
    pub(crate) fn run(&self, arguments: &[&str]) -> anyhow::Result<Done> {
        let output = output(&mut self.command(arguments)).context("cannot run git")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stderr = stderr.trim().trim_start_matches("fatal: ").to_owned();
        Ok(Done { code: output.status.code(), stdout: output.stdout, stderr })
    }

    /// A git to be run with these arguments.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command::git(None);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.args(self.config.iter().flat_map(|pair| ["-c", pair])).args(arguments);
        command
    }

    /// A reader of blobs.
    pub(crate) fn blobs(&self) -> anyhow::Result<Blobs> {
        let mut command = self.command(&["cat-file", "--batch"]);
        let mut git = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot run git")?;
        let (questions, answers) = git.stdin.take().zip(git.stdout.take()).context("git has no pipes")?;
        Ok(Blobs { git, questions: Some(questions), answers: BufReader::new(answers) })
    }
}

/// What a git did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Done {
    fn text(&self) -> anyhow::Result<&str> {
        std::str::from_utf8(&self.stdout).context("git printed what is not UTF-8")
    }

    fn stdout_line(&self) -> anyhow::Result<&str> {
        Ok(self.text()?.trim_end_matches('\n'))
    }
}

/// One git that reads any number of blobs.
#[derive(Debug)]
pub(crate) struct Blobs {
    git: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Blobs {
    /// The content of a blob.
    pub(crate) fn read(&mut self, id: &str) -> anyhow::Result<Vec<u8>> {
        let questions = self.questions.as_mut().context("git has ended")?;
        writeln!(questions, "{id}").and_then(|()| questions.flush()).context("git has ended")?;
        let mut header = String::new();
        self.answers.read_line(&mut header).context("git has ended")?;
        let size = header.split_whitespace().nth(2).and_then(|size| size.parse::<usize>().ok());
        let size = size.with_context(|| format!("git has no object {id}"))?;
        let mut content = vec![0; size];
        self.answers.read_exact(&mut content)?;
        self.answers.read_exact(&mut [0])?;
        Ok(content)
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // Without questions git ends; how makes no difference any more.
        self.questions = None;
        let _ = self.git.wait();
    }
}
