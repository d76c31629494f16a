//! Versions of a repository that a user names: fetched into a repository of their own, and read from there.
//!
//! Invariant: only the protocol of the user's own argument is used: https, ssh, or none, for a directory. What is fetched is
//! never checked out: trees and blobs are read, so that no filter, hook or attribute has a say. The repository is gone with
//! the value.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};

use super::objects::{Done, Git};
use crate::bytes::{Bytes, max_bytes};
use crate::temporary::Temporary;
use crate::transaction::Entry;
use crate::tree::{Dir, check_path};

/// How the name of the temporary repository begins.
const PREFIX: &str = "kmerge-git-";

/// Where a repository is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// As git is to be told, and as it is recorded.
    pub(crate) text: String,
    protocol: &'static str,
}

/// A repository with the versions that were fetched.
#[derive(Debug)]
pub(crate) struct Upstream {
    git: Git,
    _directory: Temporary,
}

/// A version as users name it: `v1.2`, `main~3`, `0a1b2c3`, or with the place of the package in it, `v2:deploy/app`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VersionName {
    /// A tag, branch or commit.
    reference: String,
    /// The way from there to a commit before it: `~3`, `^2`.
    steps: String,
    /// The directory or file of the package.
    pub(crate) path: Option<String>,
}

/// A version: its commit, and the files of the package in it.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) commit: String,
    pub(crate) files: BTreeMap<String, Entry>,
}

impl Address {
    /// Reads an address: `https://…`, `ssh://…`, `user@host:path`, `file://…` or a directory.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let is = |protocol| Ok(Self { text: text.to_owned(), protocol });
        match text.split_once("://") {
            _ if text.starts_with('-') || text.contains(char::is_control) => {}
            Some(("https", _)) => return is("https"),
            Some(("ssh", _)) => return is("ssh"),
            Some(("file", _)) => return is("file"),
            Some(_) => {}
            None if Path::new(text).is_dir() => {
                let path = Path::new(text).canonicalize().with_context(|| format!("cannot read {text}"))?;
                let text = path.to_str().context("the path of the repository is not UTF-8")?.to_owned();
                return Ok(Self { text, protocol: "file" });
            }
            None if is_host_and_path(text) => return is("ssh"),
            None => {}
        }
        bail!("{text} is not a repository: expected a directory, https://…, ssh://… or user@host:path")
    }
}

/// `git@example.com:team/app.git`, but no remote helper, as in `ext::…`.
fn is_host_and_path(text: &str) -> bool {
    let Some((host, path)) = text.split_once(':') else { return false };
    !host.is_empty() && !host.contains('/') && !path.is_empty() && !path.starts_with(':')
}

impl VersionName {
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let (commit, path) =
            text.split_once(':').map_or((text, None), |(commit, path)| (commit, Some(path.to_owned())));
        let (reference, steps) = commit.split_at(commit.find(['~', '^']).unwrap_or(commit.len()));
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || "*?[\\".contains(c);
        ensure!(
            !reference.is_empty()
                && !reference.starts_with(['-', '+'])
                && !reference.contains(is_odd)
                && !reference.contains("..")
                && steps.chars().all(|c| matches!(c, '~' | '^' | '0'..='9')),
            "{text:?} is no name of a tag, branch or commit, and there is no such directory or file"
        );
        Ok(Self { reference: reference.to_owned(), steps: steps.to_owned(), path })
    }

    /// How many commits, one after the other, it takes to get there.
    fn depth(&self) -> u32 {
        let steps = self.steps.split_inclusive(['~', '^']).zip(self.steps.split(['~', '^']).skip(1));
        // Which parent it is makes no difference; each is one commit away.
        let far = |(sign, count): (&str, &str)| if sign.ends_with('~') { count.parse().unwrap_or(1) } else { 1 };
        steps.map(far).fold(1_u32, u32::saturating_add)
    }

    /// Whether it may be the id of a commit, or how one begins.
    fn may_be_id(&self) -> bool {
        self.reference.len() >= 4 && self.reference.bytes().all(|byte| byte.is_ascii_hexdigit())
    }

    /// How to write down the version, which is this commit, for others: a name that they can fetch.
    pub(crate) fn recorded(&self, commit: &str) -> String {
        let is_lasting = self.steps.is_empty() && !commit.starts_with(&self.reference.to_ascii_lowercase());
        if is_lasting { self.reference.clone() } else { commit.to_owned() }
    }
}

impl Upstream {
    /// Fetches these versions.
    pub(crate) fn fetch(address: &Address, names: &[VersionName]) -> anyhow::Result<Self> {
        let path = std::path::absolute(std::env::temp_dir()).context("there is no directory for temporary files")?;
        let place = Dir::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
        let directory = Temporary::directory(&place, PREFIX).context("cannot create a temporary directory")?;
        let git = Git::of_repository(&path.join(directory.name()), address.protocol);
        git.line(&["init", "--quiet", "--bare", "--template=", "--initial-branch=none"])?;
        let specs: Vec<String> =
            names.iter().enumerate().map(|(at, name)| format!("+{}:{}", name.reference, own_name(at))).collect();
        let depth = names.iter().map(VersionName::depth).max().unwrap_or(1);
        let done = git.fetch(&address.text, Some(depth), &specs)?;
        if done.code != Some(0) {
            let texts: Vec<&str> = names.iter().map(|name| name.reference.as_str()).collect();
            let is_known = names.iter().any(VersionName::may_be_id);
            ensure!(is_known, "cannot fetch {} from {}: {}", texts.join(" and "), address.text, done.stderr);
            git.fetch_all(address, names)?;
        }
        Ok(Self { git, _directory: directory })
    }

    /// The files below `path`, or the one that it names, of the version that was fetched as this one of the names.
    pub(crate) fn read(&self, at: usize, name: &VersionName, path: &str) -> anyhow::Result<Version> {
        let commit = self.git.commit(&format!("{}{}", own_name(at), name.steps));
        let commit = commit.ok().with_context(|| format!("there is no commit {} before it", name.steps))?;
        let path = path.trim_matches('/');
        let object = format!("{commit}:{path}");
        let kind = self.git.run(&["cat-file", "-t", &object])?;
        if kind.code != Some(0) {
            bail!("there is no {path} in this version{}", self.moved(&commit, path)?);
        }
        let files = match kind.stdout.trim_ascii_end() {
            b"tree" => self.tree(&object)?,
            _ => {
                let name = path.rsplit('/').next().unwrap_or(path).to_owned();
                BTreeMap::from([(name, file(self.git.blobs()?.read(&object)?, false))])
            }
        };
        Ok(Version { commit, files })
    }

    /// Where else the version has what `path` names, as a hint.
    fn moved(&self, commit: &str, path: &str) -> anyhow::Result<String> {
        const MOST: usize = 3;
        let listed = self.git.run(&["ls-tree", "-r", "-t", "-z", "--name-only", "--full-tree", commit])?;
        let listed = String::from_utf8_lossy(&listed.stdout);
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let found = listed.split_terminator('\0').filter(|other| last(other) == last(path)).take(MOST);
        let found: Vec<String> = found.map(|other| format!("--path {other}")).collect();
        Ok(if found.is_empty() { String::new() } else { format!(": it may have moved, try {}", found.join(" or ")) })
    }

    fn tree(&self, object: &str) -> anyhow::Result<BTreeMap<String, Entry>> {
        let listed = self.git.run(&["ls-tree", "-r", "-z", "-l", "--full-tree", object])?;
        ensure!(listed.code == Some(0), "git: {}", listed.stderr);
        let listed = String::from_utf8(listed.stdout).context("a path of the repository is not UTF-8")?;
        let (mut files, mut blobs) = (BTreeMap::new(), self.git.blobs()?);
        for line in listed.split_terminator('\0') {
            let (about, path) = line.split_once('\t').context("git printed something unexpected")?;
            let [mode, kind, id, size] = about.split_whitespace().collect::<Vec<_>>()[..] else {
                bail!("git printed something unexpected")
            };
            if kind != "blob" {
                // A submodule: another repository, which nobody named.
                continue;
            }
            check_path(path).map_err(|error| anyhow::anyhow!("{path}: {error}"))?;
            let is_small = size.parse::<u64>().is_ok_and(|size| size <= max_bytes());
            ensure!(is_small, "{path} is larger than --max-bytes {} allows", Bytes(max_bytes()));
            let bytes = blobs.read(id)?;
            let entry = match mode {
                "120000" => {
                    Entry::Link(PathBuf::from(String::from_utf8(bytes).context("a link's target is not UTF-8")?))
                }
                mode => file(bytes, mode == "100755"),
            };
            files.insert(path.to_owned(), entry);
        }
        Ok(files)
    }
}

/// What a version is called in the temporary repository.
fn own_name(at: usize) -> String {
    format!("refs/kmerge/{at}")
}

#[cfg(unix)]
fn file(bytes: Vec<u8>, executable: bool) -> Entry {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if executable { 0o755 } else { 0o644 };
    Entry::File { bytes, permissions: Some(std::fs::Permissions::from_mode(mode)) }
}

#[cfg(not(unix))]
fn file(bytes: Vec<u8>, _: bool) -> Entry {
    Entry::File { bytes, permissions: None }
}

impl Git {
    /// A git for one bare repository, which may use a protocol.
    fn of_repository(path: &Path, protocol: &'static str) -> Self {
        let environment: [(&'static str, OsString); 2] =
            [("GIT_DIR", path.into()), ("GIT_ALLOW_PROTOCOL", protocol.into())];
        Self::with_environment(environment.into())
    }

    fn fetch(&self, address: &str, depth: Option<u32>, specs: &[String]) -> anyhow::Result<Done> {
        let depth = depth.map(|depth| format!("--depth={depth}"));
        let mut arguments = vec!["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"];
        arguments.push("--no-auto-maintenance");
        arguments.extend(depth.as_deref());
        arguments.extend(["--end-of-options", address]);
        arguments.extend(specs.iter().map(String::as_str));
        self.run(&arguments)
    }

    /// Fetches all branches and tags, and looks for the versions in them: nobody hands out a commit for the start of its id.
    fn fetch_all(&self, address: &Address, names: &[VersionName]) -> anyhow::Result<()> {
        let specs = ["+HEAD:refs/kmerge/HEAD", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
        let done = self.fetch(&address.text, None, &specs.map(str::to_owned))?;
        ensure!(done.code == Some(0), "cannot fetch {}: {}", address.text, done.stderr);
        for (at, name) in names.iter().enumerate() {
            let reference = if name.reference == "HEAD" { "refs/kmerge/HEAD" } else { &name.reference };
            let commit = self.commit(reference).ok();
            let commit = commit.with_context(|| {
                format!("{} has no tag, branch or commit {}, or several commits", address.text, name.reference)
            })?;
            self.line(&["update-ref", &own_name(at), &commit])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, VersionName};

    #[test]
    fn an_address_has_one_of_three_protocols() {
        let protocol = |text: &str| Address::parse(text).ok().map(|address| address.protocol);
        assert_eq!(protocol("https://example.com/a"), Some("https"));
        assert_eq!(protocol("ssh://git@example.com/a"), Some("ssh"));
        assert_eq!(protocol("git@example.com:a/b.git"), Some("ssh"));
        assert_eq!(protocol("."), Some("file"));
        for text in
            ["http://example.com/a", "git://example.com/a", "ext::sh -c x", "fd::3", "--upload-pack=x", "a b", ""]
        {
            assert_eq!(protocol(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_is_no_option_and_no_refspec() {
        let is_name = |name: &str| VersionName::parse(name).is_ok();
        assert!(
            ["v1.2.0", "main", "feature/a", "0123456789abcdef", "HEAD~1", "a^2~3", "v1:app"].into_iter().all(is_name)
        );
        for name in ["--upload-pack=x", ":b", "+a", "a..b", "a b", "", "^", "a~x", "a^{tree}", "a\n"] {
            assert!(!is_name(name), "{name:?}");
        }
    }

    #[test]
    fn a_name_leads_back_and_to_a_path() {
        let parse = |name: &str| VersionName::parse(name).unwrap();
        assert_eq!(parse("v2:deploy/app").path.as_deref(), Some("deploy/app"));
        let depths = ["a", "a~", "a~3", "a^", "a^2~3^"].map(|name| parse(name).depth());
        assert_eq!(depths, [1, 2, 4, 2, 6]);
        let recorded = ["v1", "0a1B", "main~2"].map(|name| parse(name).recorded("0a1b2c"));
        assert_eq!(recorded, ["v1", "0a1b2c", "0a1b2c"]);
    }
}
