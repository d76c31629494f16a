//! `kmerge recover`: finishes or takes back a merge of directories that was cut off.

use std::io::Write as _;

use anyhow::Context as _;

use crate::cli::RecoverArgs;
use crate::exit::Exit;
use crate::transaction::{self, Settled, Stage, Store};
use crate::tree::Dir;

pub(crate) fn run(args: &RecoverArgs) -> anyhow::Result<Exit> {
    let shown = args.dir.display();
    let dir = &Dir::open(&args.dir).with_context(|| format!("cannot read directory {shown}"))?;
    let store = &Store::needed()?;
    let say = |text: String| match args.quiet {
        true => Ok(()),
        false => writeln!(crate::terminal::stderr(), "{text}"),
    };
    let (what, settled) = match (args.resume, args.undo) {
        (false, false) => {
            if let Some(interrupted) = transaction::interrupted(store, dir)? {
                say(interrupted.to_string())?;
                return Ok(Exit::Findings);
            }
            let ended = match transaction::leftovers(store, dir)? {
                Some(Stage::Done) => "after its last file",
                Some(_) => "before it changed any file",
                None => {
                    say(format!("no merge was cut off in {shown}"))?;
                    return Ok(Exit::Clean);
                }
            };
            say(format!(
                "a merge was cut off in {shown} {ended}; `kmerge recover --undo {shown}` removes what it left"
            ))?;
            return Ok(Exit::Findings);
        }
        (true, _) => ("finished", transaction::resume(store, dir)?),
        (false, true) => ("taken back", transaction::undo(store, dir)?),
    };
    match settled {
        Settled::Nothing => say(format!("no merge was cut off in {shown}"))?,
        Settled::Leftovers => say(format!("no file was changed in {shown}; what a merge left there is removed"))?,
        Settled::Files(files) => say(format!("the merge in {shown} is {what}: {files} files"))?,
    }
    Ok(Exit::Clean)
}
