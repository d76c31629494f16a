//! `kmerge upgrade`: what changed between two versions of a package upstream, merged into a copy of it.

mod record;
mod summary;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use kmerge_core::{Policy, Slots};

use crate::cli::merge::OutputFlags;
use crate::cli::upgrade::UpgradeArgs;
use crate::dirs::Tree;
use crate::exit::Exit;
use crate::git::upstream::{Address, Upstream, VersionName};
use crate::input::{Source, read_bytes};
use crate::merge_dirs::{Beside, merge_trees};
use crate::options::Options;
use crate::transaction::Entry;
use record::{CONFIG, KPTFILE, Record};

pub(crate) use summary::summary;

pub(crate) fn run(args: &UpgradeArgs) -> anyhow::Result<Exit> {
    ensure!(args.dir.is_dir(), "{} is not a directory", args.dir.display());
    let options = Options::new(&args.rules, Policy::MERGE3)?;
    let (file, source, recorded) = recorded(&args.dir)?;
    let versions = Versions::of(args, recorded.as_ref(), &source)?;
    let (trees, taken) = versions.trees(args, recorded.as_ref())?;
    let Slots { base, incoming, .. } = versions.shown();
    let names = Slots { dest: Some(args.dir.clone()), base, incoming };
    let beside = Beside {
        path: file,
        edit: |text: &str| taken.as_ref().map(|taken| taken.written(file, &Source::new(file, text))).transpose(),
    };
    merge_trees(&names, &trees, &options, (&flags(args), beside))
}

fn flags(args: &UpgradeArgs) -> OutputFlags {
    OutputFlags { target: args.target.clone(), say: args.say.clone(), name: None }
}

/// The file of a copy that records where it came from, and what it says.
fn recorded(dir: &Path) -> anyhow::Result<(&'static str, Source, Option<Record>)> {
    let file = if dir.join(KPTFILE).is_file() { KPTFILE } else { CONFIG };
    let path = dir.join(file);
    let source = if path.is_file() { Source::read(&path)? } else { Source::new(path.display().to_string(), "") };
    let record = Record::read(file, &source)?;
    Ok((file, source, record))
}

/// The two versions, and the repository of those that are names.
struct Versions<'a> {
    from: &'a str,
    to: &'a str,
    /// What is written of a version that the copy records.
    from_name: &'a str,
    repo: Option<Address>,
}

impl<'a> Versions<'a> {
    fn of(args: &'a UpgradeArgs, recorded: Option<&'a Record>, source: &Source) -> anyhow::Result<Self> {
        let (from, from_name) = match (&args.from, recorded) {
            (Some(from), _) => (from.as_str(), from.as_str()),
            (None, Some(record)) => (record.commit.as_str(), record.name.as_str()),
            (None, None) => bail!("{} does not say from which version it came: add --from", source.name),
        };
        let to = args.to.as_str();
        let is_name = |version: &str| !Path::new(version).exists();
        let needs_repo = is_name(to) || is_name(from);
        let repo = if needs_repo { Some(repository(args, recorded, source)?) } else { None };
        Ok(Self { from, to, from_name, repo })
    }

    fn shown(&self) -> Slots<PathBuf> {
        Slots { dest: None, base: Some(PathBuf::from(self.from_name)), incoming: Some(PathBuf::from(self.to)) }
    }

    /// The trees to be merged, and where the new one came from, if that is a repository.
    fn trees(&self, args: &UpgradeArgs, recorded: Option<&Record>) -> anyhow::Result<(Slots<Tree>, Option<Record>)> {
        let dest = Some(Tree::Disk(args.dir.clone()));
        let Some(repo) = &self.repo else {
            let trees = Slots { dest, base: Some(local(self.from)?), incoming: Some(local(self.to)?) };
            return Ok((trees, None));
        };
        let old_path = recorded.map(|record| record.path.as_str());
        let new_path = args.path.as_deref().or(old_path);
        // What is recorded of a version says where the package was in it.
        let old_path = if args.from.is_none() { old_path } else { new_path };
        let texts: Vec<&str> = [self.from, self.to].into_iter().filter(|name| !Path::new(name).exists()).collect();
        let names = texts.iter().map(|text| VersionName::parse(text)).collect::<anyhow::Result<Vec<VersionName>>>()?;
        let upstream = Upstream::fetch(repo, &names)?;
        let version = |text: &str, path: Option<&str>| -> anyhow::Result<(Tree, Option<Record>)> {
            let Some(at) = texts.iter().position(|known| *known == text) else { return Ok((local(text)?, None)) };
            let name = &names[at];
            let path = name.path.as_deref().or(path).unwrap_or_default().trim_matches('/');
            let version = upstream.read(at, name, path).with_context(|| format!("{text} of {}", repo.text))?;
            let (commit, name) = (version.commit.clone(), name.recorded(&version.commit));
            let record = Record { repo: repo.text.clone(), path: path.to_owned(), name, commit };
            Ok((Tree::Memory(version.files), Some(record)))
        };
        let ((base, _), (incoming, taken)) = (version(self.from, old_path)?, version(self.to, new_path)?);
        Ok((Slots { dest, base: Some(base), incoming: Some(incoming) }, taken))
    }
}

/// The repository that the user named, or, if the user says so, the one that the copy records.
fn repository(args: &UpgradeArgs, recorded: Option<&Record>, source: &Source) -> anyhow::Result<Address> {
    let known = recorded.map(|record| record.repo.as_str()).filter(|repo| !repo.is_empty());
    match (&args.repo, known) {
        (Some(repo), _) => Address::parse(repo),
        (None, Some(repo)) if args.recorded_repo => Address::parse(repo),
        (None, Some(repo)) => bail!(
            "{} names the repository {repo}, which is not fetched unless you say so: add --recorded-repo, or name one with --repo",
            source.name
        ),
        (None, None) => bail!("{} is no directory or file: name the repository of this version with --repo", args.to),
    }
}

/// A version that is on this machine: a directory, or a file, which is a package of one.
fn local(path: &str) -> anyhow::Result<Tree> {
    let path = Path::new(path);
    if path.is_dir() {
        return Ok(Tree::Disk(path.to_owned()));
    }
    let name = path.file_name().and_then(|name| name.to_str()).context("the file has no name")?;
    let (_, bytes) = read_bytes(path)?;
    Ok(Tree::Memory(BTreeMap::from([(name.to_owned(), Entry::File { bytes, permissions: None })])))
}
