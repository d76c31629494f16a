//! A merge of commits that touches neither index nor working tree, with kmerge as the driver for YAML.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail, ensure};

use super::Scope;
use super::command::{without_drivers, without_filters};
use super::objects::{Done, Git};
use crate::setup::attributes::block;
use crate::setup::{by_lines, own_config};
use crate::temporary::Temporary;
use crate::tree::Dir;

/// The first git with `merge-tree --write-tree`.
const WITH_MERGE_TREE: (u32, u32) = (2, 38);

/// How the names of temporary files begin.
const PREFIX: &str = "kmerge-git-";

/// A merge of two commits.
#[derive(Debug)]
pub(crate) struct MergedTree {
    /// The id of the merged tree; where there are conflicts, it holds markers.
    pub(crate) tree: String,
    pub(crate) is_clean: bool,
    /// The blobs of base, ours and theirs for each path in conflict.
    pub(crate) unmerged: BTreeMap<String, [Option<String>; 3]>,
    /// What git says about conflicts.
    pub(crate) messages: Vec<Message>,
}

/// What git says about some paths.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) paths: Vec<String>,
    /// Such as `CONFLICT (modify/delete)`.
    pub(crate) kind: String,
    pub(crate) text: String,
}

/// A git that merges YAML with this binary, whatever the repository's own setup, and the file that tells it so.
#[derive(Debug)]
pub(crate) struct Merger {
    pub(crate) git: Git,
    _attributes: Temporary,
    objects: Option<Temporary>,
}

impl Merger {
    /// `options` go to the driver.
    pub(crate) fn new(options: &str) -> anyhow::Result<Self> {
        let version = super::version()?;
        ensure!(version >= WITH_MERGE_TREE, "this needs git 2.38 or later, which merges without a working tree");
        let (place, shown) = place()?;
        let (attributes, mut file) =
            Temporary::private(&place, PREFIX, "").context("cannot create a temporary file")?;
        // The user's own attributes have the last word. Those of the repository reach git in other ways.
        let own = super::config_path(Scope::Global, "core.attributesFile")?.and_then(|path| std::fs::read(path).ok());
        file.write_all(block().as_bytes())?;
        file.write_all(&own.unwrap_or_default())?;
        let path = shown.join(attributes.name());
        let path = path.to_str().context("the temporary directory is not UTF-8")?;
        let mut config = vec![format!("core.attributesFile={path}")];
        config.extend(without_filters(None)?);
        config.extend(without_drivers(&by_lines(version))?);
        config.extend(own_config(version, options)?.into_iter().map(|(key, value)| format!("{key}={value}")));
        Ok(Self { git: Git::with_config(config), _attributes: attributes, objects: None })
    }

    /// From now on, what is merged leaves nothing in the repository.
    pub(crate) fn keep_objects_apart(&mut self) -> anyhow::Result<()> {
        let (place, shown) = place()?;
        let directory = Temporary::directory(&place, PREFIX).context("cannot create a temporary directory")?;
        self.git.write_objects_to(&shown.join(directory.name()))?;
        self.objects = Some(directory);
        Ok(())
    }

    /// Merges `theirs` into `ours`, both of them names of commits.
    pub(crate) fn merge(&self, ours: &str, theirs: &str) -> anyhow::Result<MergedTree> {
        let done = self.git.run(&["merge-tree", "--write-tree", "-z", "--messages", ours, theirs])?;
        match done.code {
            Some(0 | 1) => read(&done),
            _ => bail!("git cannot merge {theirs} into {ours}: {}", done.stderr),
        }
    }
}

/// The directory of temporary files, and its path for git.
fn place() -> anyhow::Result<(Dir, PathBuf)> {
    let path = std::path::absolute(std::env::temp_dir()).context("there is no directory for temporary files")?;
    let place = Dir::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
    Ok((place, path))
}

/// Reads what `git merge-tree -z` prints.
fn read(done: &Done) -> anyhow::Result<MergedTree> {
    let text = String::from_utf8_lossy(&done.stdout);
    let mut fields = text.split('\0');
    let tree = fields.next().unwrap_or_default().trim().to_owned();
    let mut unmerged: BTreeMap<String, [Option<String>; 3]> = BTreeMap::new();
    for entry in fields.by_ref().take_while(|entry| !entry.is_empty()) {
        let (about, path) = entry.split_once('\t').context("git printed something unexpected")?;
        let [_, id, stage] = about.split(' ').collect::<Vec<_>>()[..] else { continue };
        let stage = stage.parse::<usize>().ok().filter(|stage| (1..=3).contains(stage)).context("an unknown stage")?;
        unmerged.entry(path.to_owned()).or_default()[stage - 1] = Some(id.to_owned());
    }
    let mut messages = Vec::new();
    while let Some(count) = fields.next().and_then(|count| count.parse::<usize>().ok()) {
        let paths = fields.by_ref().take(count).map(str::to_owned).collect();
        let kind = fields.next().unwrap_or_default().to_owned();
        let text = fields.next().unwrap_or_default().trim().to_owned();
        messages.push(Message { paths, kind, text });
    }
    Ok(MergedTree { tree, is_clean: done.code == Some(0), unmerged, messages })
}
