//! Which paths may be read and written in a tree.
//!
//! A path is relative, has no detours, and names nothing that is git's own, in any of the spellings that some file system
//! takes for `.git`: upper case, trailing dots and spaces, the short name and the streams of NTFS, and the characters
//! that HFS+ does not see.

use std::fmt;

/// Bytes of a path, as many as Linux takes.
const MOST: usize = 4096;

/// A path that leads nowhere inside of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Empty or absolute, with empty names, `.` or `..`, or with characters that no name has.
    Shape,
    /// Longer than the system allows.
    Long,
    /// It leads to what belongs to git.
    Git,
}

impl fmt::Display for Unfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Shape => "it is not a path inside of the directory",
            Self::Long => "it is too long",
            Self::Git => "it belongs to git",
        })
    }
}

impl std::error::Error for Unfit {}

/// Whether a path, with `/` between its names, may be read and written in a tree.
///
/// # Errors
/// Why not.
pub fn check_path(path: &str) -> Result<(), Unfit> {
    if path.len() > MOST {
        return Err(Unfit::Long);
    }
    path.split('/').try_for_each(|name| match name {
        "" | "." | ".." => Err(Unfit::Shape),
        name if name.contains('\0') || (cfg!(windows) && name.contains(['\\', ':'])) => Err(Unfit::Shape),
        name if is_dot_git(name) => Err(Unfit::Git),
        _ => Ok(()),
    })
}

/// Whether some file system takes a name for `.git`.
#[must_use]
pub fn is_dot_git(name: &str) -> bool {
    // Most names are too long, and have nothing to strip.
    let seen: String = name.chars().filter(|&c| !is_unseen(c)).collect();
    let stem = seen.split([':', '\\']).next().unwrap_or_default().trim_end_matches(['.', ' ']);
    stem.eq_ignore_ascii_case(".git") || stem.eq_ignore_ascii_case("git~1")
}

/// The characters that HFS+ leaves out when it compares names.
const fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_is_known_in_every_spelling() {
        for name in [
            ".git",
            ".GIT",
            ".gIt",
            ".git ",
            ".git.",
            ".git. . ",
            "git~1",
            "GIT~1",
            "git~1.",
            ".git::$INDEX_ALLOCATION",
            ".git:x",
            ".git\\config",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git\u{200d}",
            ".gi\u{202e}T",
            ".g\u{206a}it ",
        ] {
            assert!(is_dot_git(name), "{name:?}");
            assert_eq!(check_path(&format!("a/{name}/hooks")), Err(Unfit::Git), "{name:?}");
        }
        for name in [".gitignore", ".gitattributes", ".github", "git", "git~2", "x.git", "..git", ".g it", ".gi", ""] {
            assert!(!is_dot_git(name), "{name:?}");
        }
    }

    #[test]
    fn a_path_leads_inside() {
        for path in ["", "/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/..", "./a", "a\0b"] {
            assert_eq!(check_path(path), Err(Unfit::Shape), "{path:?}");
        }
        assert_eq!(check_path(&"a/".repeat(3000)), Err(Unfit::Long));
        for path in ["a", "a/b.yaml", "...", "a/..b", ".kmerge-transaction/new", "-", "~"] {
            assert_eq!(check_path(path), Ok(()), "{path:?}");
        }
    }
}
