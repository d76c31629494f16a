//! The merges of a repository, read with git.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, bail, ensure};

/// A merge that somebody has done.
#[derive(Clone, Debug)]
pub(crate) struct Merge {
    pub(crate) commit: String,
    base: String,
    ours: String,
    theirs: String,
}

/// A file that both sides of a merge changed.
#[derive(Clone, Debug)]
pub(crate) struct Replayed {
    pub(crate) path: String,
    pub(crate) base: Vec<u8>,
    pub(crate) ours: Vec<u8>,
    pub(crate) theirs: Vec<u8>,
    pub(crate) committed: Vec<u8>,
}

/// A repository, and a git that hands out its blobs.
pub(crate) struct History {
    repository: PathBuf,
    blobs: Child,
    ask: ChildStdin,
    answer: BufReader<ChildStdout>,
}

impl History {
    pub(crate) fn open(repository: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new("git");
        command.arg("-C").arg(repository).args(["cat-file", "--batch"]);
        let mut blobs = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("git is needed")?;
        let ask = blobs.stdin.take().context("git has no stdin")?;
        let answer = BufReader::new(blobs.stdout.take().context("git has no stdout")?);
        Ok(Self { repository: repository.to_owned(), blobs, ask, answer })
    }

    /// Merges with two parents and one base, and cherry-picks that name their source; at most about `limit` of each.
    pub(crate) fn merges(&self, limit: usize) -> anyhow::Result<Vec<Merge>> {
        let mut merges = Vec::new();
        let listed = self.git(&["rev-list", "--all", "--merges", "--parents"])?;
        for line in spread(listed.lines().collect(), limit) {
            let [commit, ours, theirs] = line.split(' ').collect::<Vec<_>>()[..] else { continue };
            let bases = self.git(&["merge-base", "--all", ours, theirs]).unwrap_or_default();
            if let [base] = bases.lines().collect::<Vec<_>>()[..] {
                merges.push(merge(commit, base, ours, theirs));
            }
        }
        const SOURCE: &str = "(cherry picked from commit ";
        let listed = self.git(&["log", "--all", "--no-merges", "--format=%H %P %B%x00"])?;
        let picks = listed.split('\0').filter(|line| line.contains(SOURCE)).collect();
        for line in spread(picks, limit) {
            let mut words = line.split_whitespace();
            let (Some(commit), Some(ours)) = (words.next(), words.next()) else { continue };
            let Some((_, rest)) = line.split_once(SOURCE) else { continue };
            let theirs = rest.split(')').next().unwrap_or_default();
            let base = self.git(&["rev-parse", "--verify", "--quiet", &format!("{theirs}^")]);
            merges.extend(base.ok().map(|base| merge(commit, base.trim(), ours, theirs)));
        }
        Ok(merges)
    }

    /// The YAML files that both sides changed and that are still there.
    pub(crate) fn files(&mut self, merge: &Merge) -> anyhow::Result<Vec<Replayed>> {
        let (ours, theirs) = (self.changed(&merge.base, &merge.ours)?, self.changed(&merge.base, &merge.theirs)?);
        let mut files = Vec::new();
        for (path, [base, our_blob]) in ours {
            let Some([_, their_blob]) = theirs.get(&path).filter(|[_, theirs]| *theirs != our_blob) else { continue };
            let Some(committed) = self.blob(&format!("{}:{path}", merge.commit))? else { continue };
            let mut read = |blob: &str| anyhow::Ok(self.blob(blob)?.unwrap_or_default());
            let (base, ours, theirs) = (read(&base)?, read(&our_blob)?, read(their_blob)?);
            files.push(Replayed { path, base, ours, theirs, committed });
        }
        Ok(files)
    }

    /// Old and new blob of each YAML file that differs.
    fn changed(&self, from: &str, to: &str) -> anyhow::Result<BTreeMap<String, [String; 2]>> {
        let listing = self.git(&["diff-tree", "-r", "-z", "--no-renames", "--diff-filter=AM", from, to])?;
        let mut fields = listing.split('\0');
        let mut changed = BTreeMap::new();
        while let (Some(about), Some(path)) = (fields.next(), fields.next()) {
            let about: Vec<&str> = about.split(' ').collect();
            if path.ends_with(".yaml") || path.ends_with(".yml") {
                changed.insert(path.to_owned(), [about[2].to_owned(), about[3].to_owned()]);
            }
        }
        Ok(changed)
    }

    /// The content of a blob; `None` where there is none.
    fn blob(&mut self, name: &str) -> anyhow::Result<Option<Vec<u8>>> {
        writeln!(self.ask, "{name}")?;
        self.ask.flush()?;
        let mut head = String::new();
        self.answer.read_line(&mut head)?;
        let mut words = head.split_whitespace().rev();
        let Some(size) = words.next().and_then(|size| size.parse::<usize>().ok()) else { return Ok(None) };
        ensure!(words.next() == Some("blob"), "{name} is no file");
        let mut content = vec![0; size + 1];
        self.answer.read_exact(&mut content)?;
        content.pop();
        Ok(Some(content))
    }

    fn git(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output = Command::new("git").arg("-C").arg(&self.repository).args(arguments).output()?;
        if !output.status.success() {
            bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Drop for History {
    fn drop(&mut self) {
        // Nothing can be done about a git that does not end.
        let _ = self.blobs.kill();
        let _ = self.blobs.wait();
    }
}

/// At most `limit` of all, at equal distances.
fn spread<T>(all: Vec<T>, limit: usize) -> impl Iterator<Item = T> {
    let step = all.len().div_ceil(limit).max(1);
    all.into_iter().step_by(step)
}

fn merge(commit: &str, base: &str, ours: &str, theirs: &str) -> Merge {
    let [commit, base, ours, theirs] = [commit, base, ours, theirs].map(str::to_owned);
    Merge { commit, base, ours, theirs }
}
