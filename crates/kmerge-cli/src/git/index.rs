//! The versions of an unmerged file that git's index holds.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::command::{git, without_filters};
use super::sides::Sides;

/// All files of the working tree that are not merged yet, as paths from the working directory.
pub(crate) fn unmerged() -> anyhow::Result<Vec<PathBuf>> {
    let up = super::way_up()?;
    let mut list = git(Some(up.as_path()).filter(|up| !up.as_os_str().is_empty()));
    let listed = list.args(["ls-files", "--unmerged", "-z"]).output().context("cannot run git")?;
    ensure!(listed.status.success(), "git: {}", String::from_utf8_lossy(&listed.stderr).trim());
    let mut files = Vec::new();
    for entry in listed.stdout.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
        let (_, path) = split_once(entry, b'\t').context("git printed something unexpected")?;
        files.push(up.join(os_str(path)?));
    }
    // A file has up to three versions there.
    files.dedup();
    Ok(files)
}

/// The versions of a file, as they would be in the working tree; `None` where it is merged, unknown to git or in no repository.
pub(crate) fn stages(file: &Path) -> anyhow::Result<Option<Sides>> {
    let (directory, name) = (directory_of(file), file.file_name().context("this is not a file")?);
    let mut list = git(Some(&directory));
    list.args(["--literal-pathspecs", "ls-files", "--unmerged", "--full-name", "-z", "--"]).arg(name);
    let Ok(listed) = list.output() else { return Ok(None) };
    if !listed.status.success() || listed.stdout.is_empty() {
        return Ok(None);
    }
    let config = without_filters(Some(&directory))?;
    let mut stages = Sides::default();
    for entry in listed.stdout.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
        let (about, path) = split_once(entry, b'\t').context("git printed something unexpected")?;
        let about = std::str::from_utf8(about)?;
        let [_, id, stage] = about.split(' ').collect::<Vec<_>>()[..] else { continue };
        let content = Some(content(&directory, &config, id, path)?);
        match stage {
            "1" => stages.base = content,
            "2" => stages.ours = content,
            "3" => stages.theirs = content,
            _ => {}
        }
    }
    Ok(Some(stages))
}

/// The content of an object, with line endings and encoding as git would write them to the path. `config` keeps filters out.
fn content(directory: &Path, config: &[String], id: &str, path: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut option = std::ffi::OsString::from("--path=");
    option.push(os_str(path)?);
    let mut show = git(Some(directory));
    show.args(config.iter().flat_map(|setting| ["-c", setting])).args(["cat-file", "--filters"]).arg(option).arg(id);
    let output = show.output().context("cannot run git")?;
    ensure!(output.status.success(), "git cannot show {id}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(output.stdout)
}

fn directory_of(file: &Path) -> PathBuf {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

fn split_once(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let found = memchr::memchr(at, bytes)?;
    Some((&bytes[..found], &bytes[found + 1..]))
}

#[cfg(unix)]
pub(crate) fn os_str(bytes: &[u8]) -> anyhow::Result<&OsStr> {
    use std::os::unix::ffi::OsStrExt as _;
    Ok(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
pub(crate) fn os_str(bytes: &[u8]) -> anyhow::Result<&OsStr> {
    Ok(OsStr::new(std::str::from_utf8(bytes)?))
}
