//! Goes from directory to directory of a tree: neighbours share most of their way, which stays open.

use std::io::{Error, ErrorKind, Result};

use super::Dir;

/// Directories on the way to a file; each of them is held open.
const DEEPEST: usize = 200;

/// A way through a tree.
#[derive(Debug)]
pub struct Walker<'t> {
    root: &'t Dir,
    /// The directories below the root that are open, with their names.
    way: Vec<(String, Dir)>,
}

impl<'t> Walker<'t> {
    /// Starts at the root.
    #[must_use]
    pub const fn new(root: &'t Dir) -> Self {
        Self { root, way: Vec::new() }
    }

    /// Where it started.
    #[must_use]
    pub const fn root(&self) -> &'t Dir {
        self.root
    }

    /// Goes to a directory by its path from the root, without following links.
    ///
    /// # Errors
    /// Where one on the way is none, or a link to one, or the way is too long.
    pub fn go(&mut self, path: &str) -> Result<&Dir> {
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        if names.len() > DEEPEST {
            return Err(Error::new(ErrorKind::InvalidInput, format!("it is more than {DEEPEST} directories deep")));
        }
        let shared = self.way.iter().zip(&names).take_while(|((open, _), name)| open == *name).count();
        self.way.truncate(shared);
        for name in names.into_iter().skip(shared) {
            let child = self.here().child(name)?;
            self.way.push((name.to_owned(), child));
        }
        Ok(self.here())
    }

    /// Goes to the directory that a path ends in, and returns it with the name in it.
    ///
    /// # Errors
    /// As for [`Walker::go`].
    pub fn parent<'p>(&mut self, path: &'p str) -> Result<(&Dir, &'p str)> {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok((self.go(directory)?, name))
    }

    fn here(&self) -> &Dir {
        self.way.last().map_or(self.root, |(_, dir)| dir)
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_found_and_depth_is_bounded() {
        let room = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(room.path().join("a/b/c")).unwrap();
        std::fs::create_dir_all(room.path().join("a/d")).unwrap();
        std::fs::write(room.path().join("a/d/x"), "x").unwrap();
        let root = Dir::open(room.path()).unwrap();
        let mut walker = Walker::new(&root);
        for path in ["a/b/c", "a/d", "", "a/b", "a/d"] {
            assert_eq!(walker.go(path).unwrap().shown(), room.path().join(path).as_path());
        }
        assert_eq!(walker.go("a/d").unwrap().read("x").unwrap().0, b"x");
        assert!(walker.go("a/d/x").is_err() && walker.go("a/none").is_err());
        assert!(walker.go(&"a/".repeat(300)).unwrap_err().to_string().contains("more than 200 directories"));
    }
}
