//! `kmerge recover`: finishes or takes back a merge of directories that was cut off.

use std::io::Write as _;

use anyhow::Context as _;

use crate::cli::RecoverArgs;
use crate::exit::Exit;
use crate::transaction::{self, Settled, Store};
use crate::tree::Dir;

pub(crate) fn run(args: &RecoverArgs) -> anyhow::Result<Exit> {
    let shown = args.dir.display();
    let dir = &Dir::open(&args.dir).with_context(|| format!("cannot read directory {shown}"))?;
    let store = &Store::needed()?;
    let mut notice = crate::terminal::stderr();
    let (what, settled) = match (args.resume, args.undo) {
        (false, false) => {
            let found = transaction::interrupted(store, dir)?;
            match &found {
                Some(interrupted) => writeln!(notice, "{interrupted}")?,
                None if transaction::has_leftovers(store, dir)? => {
                    writeln!(
                        notice,
                        "a merge was cut off in {shown} before it changed any file; `kmerge recover --undo {shown}` removes \
                         what it left"
                    )?;
                    return Ok(Exit::Findings);
                }
                None => writeln!(notice, "no merge was cut off in {shown}")?,
            }
            return Ok(if found.is_some() { Exit::Findings } else { Exit::Clean });
        }
        (true, _) => ("finished", transaction::resume(store, dir)?),
        (false, true) => ("taken back", transaction::undo(store, dir)?),
    };
    match settled {
        Settled::Nothing => writeln!(notice, "no merge was cut off in {shown}")?,
        Settled::Leftovers => writeln!(notice, "no file was changed in {shown}; what a merge left there is removed")?,
        Settled::Files(files) => writeln!(notice, "the merge in {shown} is {what}: {files} files")?,
    }
    Ok(Exit::Clean)
}
