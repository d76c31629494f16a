//! Bytes as a journal of a merge that was cut off, and what happens to its tree and to what is beside it.
//!
//! The input is the journal itself, byte for byte, but for the first line: it says in which state the merge was, and which
//! contents are staged. The journal may name the tree's own files, so that what it
//! says can be done; or the victim beside the tree, which must stay as it is whatever is said.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kmerge_cli::transaction::{Store, interrupted, leftovers, resume, undo};
use kmerge_cli::tree::Dir;

use crate::{Broken, law};

/// What stands under each path: bytes, or what a link says.
type Content = BTreeMap<PathBuf, Vec<u8>>;

/// The name of the staging directory that inputs may use.
const STAGING: &str = ".kmerge-00000000000000000000000000000000";

/// A journal of any bytes: nothing outside of its tree changes, nothing of git's, and nothing is read without end.
///
/// # Errors
///
/// The law that does not hold.
pub fn journal_input(bytes: &[u8]) -> Result<(), Broken> {
    let line = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (head, journal) = (&bytes[..line], bytes.get(line + 1..).unwrap_or_default());
    let room = memory().map_err(|error| Broken(format!("no room: {error}")))?;
    let made = make(room.path(), head, journal).map_err(|error| Broken(format!("cannot make the tree: {error}")))?;
    let before = outside(room.path());
    for _ in 0..2 {
        follow(&made, head).map_err(|error| Broken(format!("cannot open the tree: {error}")))?;
        let after = outside(room.path());
        law(after == before, || format!("what is not the merge's changed:\n{}", difference(&before, &after)))?;
    }
    Ok(())
}

/// A directory in memory, where there is one: every step of a merge waits for the disk.
fn memory() -> std::io::Result<tempfile::TempDir> {
    let place = Path::new("/dev/shm");
    if place.is_dir() { tempfile::tempdir_in(place) } else { tempfile::tempdir() }
}

/// A tree, and where its journal is.
struct Made {
    tree: PathBuf,
    store: Store,
}

/// `tree`, with files, links to the `victim` and what is git's; and the journal in `state`.
fn make(room: &Path, head: &[u8], journal: &[u8]) -> std::io::Result<Made> {
    let (tree, victim, state) = (room.join("tree"), room.join("victim"), room.join("state"));
    for directory in ["tree/d/e", "tree/.git/hooks", "victim/new", "victim/old", "victim/d"] {
        std::fs::create_dir_all(room.join(directory))?;
    }
    for name in ["a", "new/0", "old/0", "d/f"] {
        std::fs::write(victim.join(name), "victim\n")?;
    }
    for name in ["a", "b", "d/f", ".git/config"] {
        std::fs::write(tree.join(name), "old\n")?;
    }
    link("../victim", &tree.join("link"))?;
    link("../victim/a", &tree.join("file-link"))?;
    let staging = tree.join(STAGING);
    if has(head, b'v') {
        link("../victim", &staging)?;
    } else if has(head, b's') {
        std::fs::create_dir_all(staging.join("new"))?;
        if has(head, b'l') {
            link("../../victim", &staging.join("old"))?;
        } else {
            std::fs::create_dir_all(staging.join("old"))?;
        }
        for (index, part) in head.iter().filter(|byte| byte.is_ascii_digit()).zip(["new", "old"].iter().cycle()) {
            let file = staging.join(part).join(char::from(*index).to_string());
            if !staging.join(part).is_symlink() {
                std::fs::write(file, format!("{part}\n"))?;
            }
        }
    }
    let own = state.join(key(&tree)?);
    private(&own)?;
    let name = match head.first() {
        Some(b'S') => "stage",
        Some(b'U') => "undo",
        Some(b'D') => "done",
        _ => "apply",
    };
    std::fs::write(own.join(name), journal)?;
    Ok(Made { tree, store: Store::at(state) })
}

fn has(head: &[u8], flag: u8) -> bool {
    head.contains(&flag)
}

/// Asks for the merge, and ends it; what it says is nothing to this law.
fn follow(made: &Made, head: &[u8]) -> std::io::Result<()> {
    let root = Dir::open(&made.tree)?;
    let _ = interrupted(&made.store, &root);
    let _ = leftovers(&made.store, &root);
    let _ = if has(head, b'r') { resume(&made.store, &root) } else { undo(&made.store, &root) };
    Ok(())
}

/// Everything but what the journal may change: the tree's own files, and the place of the journal.
fn outside(room: &Path) -> Content {
    let (mut found, mut open) = (Content::new(), vec![room.to_path_buf()]);
    while let Some(directory) = open.pop() {
        for path in directory.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.strip_prefix(room).unwrap_or(&path).to_path_buf();
            if name == Path::new("state") {
                continue;
            }
            let is_free = name.starts_with("tree") && !name.starts_with("tree/.git");
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else if !is_free {
                found.insert(name, std::fs::read(&path).unwrap_or_default());
            }
        }
    }
    found
}

fn difference(before: &Content, after: &Content) -> String {
    let paths = before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path));
    paths.map(|path| format!("  {}\n", path.display())).collect()
}

#[cfg(unix)]
fn link(target: &str, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(unix)]
fn key(tree: &Path) -> std::io::Result<String> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = tree.metadata()?;
    Ok(format!("{:x}-{:x}", metadata.dev(), metadata.ino()))
}

#[cfg(unix)]
fn private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}
