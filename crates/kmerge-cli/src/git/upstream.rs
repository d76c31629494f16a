//! Versions of a repository that a user names: fetched into a repository of their own, and read from there.
//!
//! Invariant: only the protocol of the user's own argument is used: https, ssh, or none, for a directory. What is fetched is
//! never checked out: trees and blobs are read, so that no filter, hook or attribute has a say. The repository is gone with
//! the value.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};

use super::objects::Git;
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

impl Upstream {
    /// Fetches the versions of these names.
    pub(crate) fn fetch(address: &Address, names: &[&str]) -> anyhow::Result<Self> {
        names.iter().try_for_each(|name| check_name(name))?;
        let path = std::path::absolute(std::env::temp_dir()).context("there is no directory for temporary files")?;
        let place = Dir::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
        let directory = Temporary::directory(&place, PREFIX).context("cannot create a temporary directory")?;
        let git = Git::of_repository(&path.join(directory.name()), address.protocol);
        git.line(&["init", "--quiet", "--bare", "--template=", "--initial-branch=none"])?;
        let specs: Vec<String> =
            names.iter().enumerate().map(|(at, name)| format!("+{name}:{}", own_name(at))).collect();
        let mut arguments = vec!["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"];
        arguments.extend(["--no-auto-maintenance", "--depth=1", "--end-of-options", &address.text]);
        arguments.extend(specs.iter().map(String::as_str));
        let done = git.run(&arguments)?;
        ensure!(done.code == Some(0), "cannot fetch {} from {}: {}", names.join(" and "), address.text, done.stderr);
        Ok(Self { git, _directory: directory })
    }

    /// The files below `path`, or the one that it names, of the version that was fetched as this one of the names.
    pub(crate) fn read(&self, at: usize, path: &str) -> anyhow::Result<Version> {
        let commit = self.git.commit(&own_name(at))?;
        let path = path.trim_matches('/');
        let object = format!("{commit}:{path}");
        let kind = self.git.run(&["cat-file", "-t", &object])?;
        ensure!(kind.code == Some(0), "there is no {path} in this version");
        let files = match kind.stdout.trim_ascii_end() {
            b"tree" => self.tree(&object)?,
            _ => {
                let name = path.rsplit('/').next().unwrap_or(path).to_owned();
                BTreeMap::from([(name, file(self.git.blobs()?.read(&object)?, false))])
            }
        };
        Ok(Version { commit, files })
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

/// A name of a tag, branch or commit, and nothing that git would take for more.
fn check_name(name: &str) -> anyhow::Result<()> {
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || ":*?[\\^~".contains(c);
    ensure!(
        !name.is_empty() && !name.starts_with(['-', '+']) && !name.contains(is_odd) && !name.contains(".."),
        "{name:?} is not the name of a tag, branch or commit, and there is no such directory or file"
    );
    Ok(())
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
}

#[cfg(test)]
mod tests {
    use super::{Address, check_name};

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
        assert!(["v1.2.0", "main", "feature/a", "0123456789abcdef"].iter().all(|name| check_name(name).is_ok()));
        for name in ["--upload-pack=x", "a:b", "+a", "a..b", "a b", "", "a^", "a\n"] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }
}
