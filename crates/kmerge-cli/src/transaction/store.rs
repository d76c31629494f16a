//! Where journals are kept: in a directory of the user, where no tree that somebody else wrote can put one.
//!
//! Invariant: the directory and what is in it belong to this user, and nobody else can look into it. Each tree has a
//! directory of its own there, which is named after the device and the inode of the tree's root.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use crate::tree::Dir;

/// What to do where there is no such place.
const HELP: &str = "journals of merges are kept there: set XDG_STATE_HOME to a directory of your own";

/// Where journals are kept.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
    trees: Vec<PathBuf>,
}

impl Store {
    /// `kmerge` in `$XDG_STATE_HOME`, or where the system has such things; `None` where the user has no home.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        let given = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        Some(Self::at(given.or_else(usual)?.join("kmerge")))
    }

    /// The same for what cannot do without.
    ///
    /// # Errors
    /// Where the user has no home.
    pub fn needed() -> anyhow::Result<Self> {
        Self::of_user()
            .context("there is no home directory, and a merge needs a place for its journal: set XDG_STATE_HOME")
    }

    /// A directory that only this user can look into, and that need not exist.
    #[must_use]
    pub const fn at(path: PathBuf) -> Self {
        Self { path, trees: Vec::new() }
    }

    /// For changes in `trees`, which a directory of this user holds. Somebody else may have written the trees, so this place must
    /// not be in one of them. It may be elsewhere in the directory.
    #[must_use]
    pub fn of_trees(self, trees: &[PathBuf]) -> Self {
        Self { trees: trees.to_vec(), ..self }
    }

    /// Opens the directory, if there is one.
    pub(super) fn open(&self) -> anyhow::Result<Option<Dir>> {
        let Some((parent, name)) = self.parts() else { return Ok(None) };
        if parent.join(name).symlink_metadata().is_err() {
            return Ok(None);
        }
        let parent = Dir::open(parent).with_context(|| format!("cannot read {}", parent.display()))?;
        open_private(&parent, name).map(Some)
    }

    /// Creates the directory unless it is there.
    pub(super) fn create(&self) -> anyhow::Result<Dir> {
        let (parent, name) = self.parts().context("there is no place for journals")?;
        let cannot = || format!("cannot create {}; {HELP}", self.path.display());
        std::fs::create_dir_all(parent).with_context(cannot)?;
        let parent = Dir::open(parent).with_context(cannot)?;
        create_private(&parent, name).with_context(cannot)?;
        open_private(&parent, name)
    }

    /// A tree must not hold the place of its own journal.
    pub(super) fn check_outside(&self, root: &Path) -> anyhow::Result<()> {
        let place = self.path.canonicalize()?;
        let trees = if self.trees.is_empty() { vec![root] } else { self.trees.iter().map(PathBuf::as_path).collect() };
        for tree in trees {
            let tree = tree.canonicalize()?;
            let (path, is_inside) = (self.path.display(), place.starts_with(&tree));
            ensure!(!is_inside, "{path} is in {}, and {HELP} outside of it", tree.display());
        }
        Ok(())
    }

    fn parts(&self) -> Option<(&Path, &str)> {
        Some((self.path.parent()?, self.path.file_name()?.to_str()?))
    }
}

#[cfg(not(any(target_vendor = "apple", windows)))]
fn usual() -> Option<PathBuf> {
    home().map(|home| home.join(".local/state"))
}

#[cfg(target_vendor = "apple")]
fn usual() -> Option<PathBuf> {
    home().map(|home| home.join("Library/Application Support"))
}

#[cfg(windows)]
fn usual() -> Option<PathBuf> {
    std::env::var_os("LOCALAPPDATA").map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(not(windows))]
fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.is_absolute())
}

/// Creates a directory for this user alone; one that is there already is fine.
pub(super) fn create_private(parent: &Dir, name: &str) -> std::io::Result<()> {
    match parent.create_private_dir(name) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}

/// Opens a directory that has to be this user's alone.
pub(super) fn open_private(parent: &Dir, name: &str) -> anyhow::Result<Dir> {
    let shown = parent.shown_at(name);
    let dir = parent.child(name).with_context(|| format!("{} is not a directory; {HELP}", shown.display()))?;
    check_private(&dir)?;
    Ok(dir)
}

#[cfg(unix)]
fn check_private(dir: &Dir) -> anyhow::Result<()> {
    let (owner, mode) = dir.owner_and_mode()?;
    let shown = dir.shown().display();
    ensure!(owner == rustix::process::geteuid().as_raw(), "{shown} belongs to another user; {HELP}");
    ensure!(mode & 0o077 == 0, "{shown} is open to other users: `chmod 700 {shown}`");
    Ok(())
}

#[cfg(not(unix))]
fn check_private(_: &Dir) -> anyhow::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn refused(store: &Store) -> String {
        assert_eq!(format!("{:#}", store.open().unwrap_err()), format!("{:#}", store.create().unwrap_err()));
        format!("{:#}", store.create().unwrap_err())
    }

    #[test]
    fn the_place_is_private_and_no_link() {
        let room = tempfile::tempdir().unwrap();
        let store = Store::at(room.path().join("a/b/kmerge"));
        assert!(store.open().unwrap().is_none());
        let dir = store.create().unwrap();
        assert_eq!(dir.owner_and_mode().unwrap().1 & 0o777, 0o700);
        assert!(store.open().unwrap().is_some());
        std::fs::set_permissions(dir.shown(), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(refused(&store).contains("is open to other users: `chmod 700 "), "{}", refused(&store));
        let linked = Store::at(room.path().join("linked"));
        symlink("a", room.path().join("linked")).unwrap();
        assert!(refused(&linked).contains("linked is not a directory"), "{}", refused(&linked));
        let file = Store::at(room.path().join("file/kmerge"));
        std::fs::write(room.path().join("file"), "").unwrap();
        let error = format!("{:#}", file.create().unwrap_err());
        assert!(error.contains("set XDG_STATE_HOME to a directory of your own"), "{error}");
        assert!(store.check_outside(room.path()).unwrap_err().to_string().contains("set XDG_STATE_HOME"));
    }
}
