//! `kmerge ci --diff`: git's diff of the merge, without what Secrets hold.

use anyhow::ensure;

use crate::deliver::print_lines;
use crate::git::objects::{Blobs, Git};
use crate::masked::mask;
use crate::terminal::coloured_stdout;

/// Prints what a merge changes in `base`.
pub(super) fn print(git: &Git, base: &str, tree: &str) -> anyhow::Result<()> {
    const DIFF: [&str; 5] = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short"];
    let done = git.run(&[&DIFF[..], &[base, tree]].concat())?;
    ensure!(done.code == Some(0), "git cannot show the merge: {}", done.stderr);
    let text = String::from_utf8_lossy(&done.stdout);
    let mut blobs = git.blobs()?;
    let mut out = coloured_stdout();
    for file in files(&text) {
        let [old, new] = versions(file, &mut blobs)?;
        print_lines(&mut out, &mask(file, &old, &new))?;
    }
    Ok(())
}

/// The parts of a diff. Lines of content have a sign in front, so that none is taken for a heading.
fn files(diff: &str) -> impl Iterator<Item = &str> {
    let starts = diff.match_indices("diff --git ").map(|(at, _)| at);
    let starts = starts.filter(|at| *at == 0 || diff[..*at].ends_with('\n'));
    let starts: Vec<usize> = starts.chain([diff.len()]).collect();
    let parts: Vec<&str> = starts.windows(2).map(|ends| &diff[ends[0]..ends[1]]).collect();
    parts.into_iter()
}

/// Both versions of the file that a part of a diff is about; nothing where there is none, or it is a submodule.
fn versions(part: &str, blobs: &mut Blobs) -> anyhow::Result<[String; 2]> {
    const SUBMODULE: &str = " 160000";
    let heading = part.lines().take_while(|line| !line.starts_with("@@"));
    let index = heading.filter_map(|line| line.strip_prefix("index ")).find(|index| !index.ends_with(SUBMODULE));
    let Some((old, new)) = index.and_then(|index| index.split_once("..")) else {
        return Ok([const { String::new() }; 2]);
    };
    let mut read = |id: &str| -> anyhow::Result<String> {
        let is_nothing = id.bytes().all(|byte| byte == b'0');
        let bytes = if is_nothing { Vec::new() } else { blobs.read(id)? };
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok([read(old)?, read(new.split(' ').next().unwrap_or_default())?])
}
