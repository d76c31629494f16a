//! Triples of files that are in no repository: listed in a file, or versions of trees that lie side by side.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

/// Where the three versions of a file lie.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Triple {
    pub(crate) base: PathBuf,
    pub(crate) ours: PathBuf,
    pub(crate) theirs: PathBuf,
}

/// The triples of a list or a directory of which each side changed something.
pub(crate) fn find(place: &Path) -> anyhow::Result<Vec<Triple>> {
    if !place.is_dir() {
        let list = std::fs::read_to_string(place).with_context(|| format!("cannot read {}", place.display()))?;
        return list.lines().filter(|line| !line.trim().is_empty()).map(listed).collect();
    }
    let mut triples = Vec::new();
    for [base, ours, theirs] in trees(place)? {
        let [base, ours, theirs] = [files(&base)?, files(&ours)?, files(&theirs)?];
        for (path, base) in base {
            if let (Some(ours), Some(theirs)) = (ours.get(&path), theirs.get(&path)) {
                triples.push(Triple { base, ours: ours.clone(), theirs: theirs.clone() });
            }
        }
    }
    let mut kept = Vec::new();
    for triple in triples {
        let [base, ours, theirs] = triple.read()?;
        if base != ours && base != theirs && ours != theirs {
            kept.push(triple);
        }
    }
    Ok(kept)
}

impl Triple {
    /// The texts of base, ours and theirs.
    pub(crate) fn read(&self) -> anyhow::Result<[Vec<u8>; 3]> {
        let read = |path: &PathBuf| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
        Ok([read(&self.base)?, read(&self.ours)?, read(&self.theirs)?])
    }
}

/// `BASE`, `OURS` and `THEIRS` with tabs between them.
fn listed(line: &str) -> anyhow::Result<Triple> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [base, ours, theirs] = fields[..] else {
        anyhow::bail!("not BASE, OURS and THEIRS with tabs between them: {line:?}");
    };
    Ok(Triple { base: base.into(), ours: ours.into(), theirs: theirs.into() })
}

/// The trees below a directory: `base`, `ours` and `theirs`, or versions. Of these, each that has neighbours is the base of a
/// cherry-pick from the next one to the one before; and what comes first in a series (versions with one first number) is the
/// base of its maintenance branch and of the next series.
fn trees(directory: &Path) -> anyhow::Result<Vec<[PathBuf; 3]>> {
    let named = ["base", "ours", "theirs"].map(|name| directory.join(name));
    if named.iter().all(|tree| tree.is_dir()) {
        return Ok(vec![named]);
    }
    let mut versions: Vec<(Vec<u64>, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            versions.push((numbers(&path), path));
        }
    }
    versions.sort();
    ensure!(versions.len() > 2, "{} holds neither base, ours and theirs nor three versions", directory.display());
    let trees = |of: [&(Vec<u64>, PathBuf); 3]| of.map(|(_, path)| path.clone());
    let mut found: Vec<_> = versions.windows(3).map(|three| trees([&three[1], &three[2], &three[0]])).collect();
    let series: Vec<_> = versions.chunk_by(|(a, _), (b, _)| a.first() == b.first()).collect();
    for pair in series.windows(2) {
        found.extend(pair[0][1..].iter().map(|ours| trees([&pair[0][0], ours, &pair[1][0]])));
    }
    Ok(found)
}

/// The numbers in the name of a version.
fn numbers(path: &Path) -> Vec<u64> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split(|char: char| !char.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

/// The YAML files below a directory by their paths in it.
fn files(tree: &Path) -> anyhow::Result<BTreeMap<PathBuf, PathBuf>> {
    let mut files = BTreeMap::new();
    let mut open = vec![tree.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).with_context(|| format!("cannot list {}", directory.display()))? {
            let entry = entry?;
            let path = entry.path();
            let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else if is_yaml && path.is_file() {
                files.insert(path.strip_prefix(tree)?.to_owned(), path);
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The parts of the paths below a directory.
    fn names(triples: &[Triple], below: &Path) -> Vec<[String; 3]> {
        let name = |path: &PathBuf| path.strip_prefix(below).unwrap().display().to_string();
        triples.iter().map(|triple| [&triple.base, &triple.ours, &triple.theirs].map(name)).collect()
    }

    #[test]
    fn three_trees_are_one_merge() {
        let room = tempfile::tempdir().unwrap();
        for side in ["base", "ours", "theirs"] {
            write(&room.path().join(side).join("d/a.yaml"), side);
            write(&room.path().join(side).join("same.yml"), "x: 1\n");
            write(&room.path().join(side).join("a.txt"), side);
        }
        let found = names(&find(room.path()).unwrap(), room.path());
        assert_eq!(found, [["base/d/a.yaml", "ours/d/a.yaml", "theirs/d/a.yaml"].map(str::to_owned)]);
    }

    #[test]
    fn versions_are_cherry_picks_and_branches() {
        let room = tempfile::tempdir().unwrap();
        for version in ["1.9", "1.10", "2.0"] {
            write(&room.path().join(version).join("a.yaml"), version);
        }
        let found = names(&find(room.path()).unwrap(), room.path());
        let [pick, branch] = [["1.10", "2.0", "1.9"], ["1.9", "1.10", "2.0"]];
        assert_eq!(found, [pick, branch].map(|of| of.map(|version| format!("{version}/a.yaml"))));
    }

    #[test]
    fn lists_name_three_files() {
        let room = tempfile::tempdir().unwrap();
        let list = room.path().join("list");
        write(&list, "a\tb\tc\n\n");
        let found = find(&list).unwrap();
        assert_eq!(found, [Triple { base: "a".into(), ours: "b".into(), theirs: "c".into() }]);
        write(&list, "a b c\n");
        assert!(find(&list).is_err());
    }
}
