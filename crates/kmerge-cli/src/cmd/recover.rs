//! `kmerge recover`: finishes or takes back a merge of directories that was cut off.

use std::io::Write as _;

use anyhow::ensure;

use crate::cli::RecoverArgs;
use crate::exit::Exit;
use crate::transaction;

pub(crate) fn run(args: &RecoverArgs) -> anyhow::Result<Exit> {
    let (dir, shown) = (&args.dir, args.dir.display());
    ensure!(dir.is_dir(), "{shown} is not a directory");
    let mut notice = anstream::stderr();
    let done = match (args.resume, args.undo) {
        (false, false) => {
            let found = transaction::interrupted(dir)?;
            match &found {
                Some(interrupted) => writeln!(notice, "{interrupted}")?,
                None => writeln!(notice, "no merge was cut off in {shown}")?,
            }
            return Ok(if found.is_some() { Exit::Findings } else { Exit::Clean });
        }
        (true, _) => ("finished", transaction::resume(dir)?),
        (false, true) => ("taken back", transaction::undo(dir)?),
    };
    match done {
        (_, 0) => writeln!(notice, "no merge was cut off in {shown}")?,
        (what, files) => writeln!(notice, "the merge in {shown} is {what}: {files} files")?,
    }
    Ok(Exit::Clean)
}
