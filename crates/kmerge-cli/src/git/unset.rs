//! Whether git needs to be asked for a setting at all: starting it takes longer than most merges.
//!
//! Reads no values. Where a file that git would read has the setting's name, or includes other files, and wherever it is not plain which
//! files these are, git is asked. The places are those of git-config(1), "FILES"; where git's own directory is, its programs' paths tell.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::is_bare;

/// Larger files are git's to read.
const MOST: u64 = 1 << 20;

/// Whether no configuration of git names `key`, as `merge.conflictStyle`. If this is false, git has to be asked.
pub(super) fn is_unset(key: &str) -> bool {
    // Elsewhere, the system's configuration may be anywhere.
    if !cfg!(target_os = "linux") || std::env::vars_os().any(|(name, _)| redirects(&name)) {
        return false;
    }
    let name = key.rsplit('.').next().unwrap_or(key).to_ascii_lowercase();
    let Some(files) = own_file().map(|own| own.into_iter().chain(system_files()).chain(user_files())) else {
        return false;
    };
    files.into_iter().all(|file| is_silent(&file, &name))
}

/// Whether a variable gives git settings, or other files for them.
fn redirects(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b"GIT_CONFIG") && name != b"GIT_CONFIG_NOSYSTEM"
        || matches!(name, b"GIT_DIR" | b"GIT_COMMON_DIR" | b"GIT_CEILING_DIRECTORIES")
}

/// The repository's file, if there is a repository; `None` if only git can tell.
fn own_file() -> Option<Option<PathBuf>> {
    let here = std::env::current_dir().ok()?;
    for directory in here.ancestors() {
        let repository = directory.join(".git");
        if let Ok(found) = repository.metadata() {
            return found.is_dir().then(|| Some(repository.join("config")));
        }
        if is_bare(directory) {
            return None;
        }
    }
    Some(None)
}

fn system_files() -> impl Iterator<Item = PathBuf> {
    let programs = std::env::var_os("PATH").unwrap_or_default();
    let programs: Vec<PathBuf> = std::env::split_paths(&programs).collect();
    let own = std::env::var_os("GIT_EXEC_PATH").map(PathBuf::from);
    // The programs are in `bin` or in `libexec/git-core` of the directory that has `etc`.
    let prefixes = programs.into_iter().chain(own).flat_map(|directory| {
        let parents = directory.ancestors().skip(1).take(2);
        parents.map(|prefix| prefix.join("etc/gitconfig")).collect::<Vec<_>>()
    });
    [PathBuf::from("/etc/gitconfig")].into_iter().chain(prefixes)
}

fn user_files() -> impl Iterator<Item = PathBuf> {
    let directory = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let home = directory("HOME");
    let configured = directory("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
    [home.map(|home| home.join(".gitconfig")), configured.map(|directory| directory.join("git/config"))]
        .into_iter()
        .flatten()
}

/// Whether a file does not exist, or neither has `name` nor sends git to other files.
fn is_silent(file: &Path, name: &str) -> bool {
    let found = match file.metadata() {
        Ok(found) => found,
        Err(error) => return matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory),
    };
    if !found.is_file() || found.len() > MOST {
        return false;
    }
    let Ok(bytes) = std::fs::read(file) else { return false };
    let text = bytes.to_ascii_lowercase();
    [name, "include", "worktreeconfig"].iter().all(|word| memchr::memmem::find(&text, word.as_bytes()).is_none())
}

#[cfg(test)]
mod tests {
    use super::is_silent;

    #[test]
    fn a_file_is_silent_that_has_neither_the_name_nor_a_way_to_others() {
        let room = tempfile::tempdir().unwrap();
        let file = room.path().join("config");
        assert!(is_silent(&file, "conflictstyle"));
        assert!(!is_silent(room.path(), "conflictstyle"));
        for (text, expected) in [
            ("[user]\n\tname = me\n", true),
            ("[merge]\n\tConflictStyle = diff3\n", false),
            ("[merge] conflictstyle\n", false),
            ("[Include]\n\tpath = other\n", false),
            ("[includeIf \"gitdir:~/work/\"]\n\tpath = other\n", false),
            ("[extensions]\n\tworktreeConfig = true\n", false),
            ("", true),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(is_silent(&file, "conflictstyle"), expected, "{text:?}");
        }
    }
}
