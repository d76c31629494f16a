//! `kmerge delete`: a place less, in a file or in many.

use kmerge_core::Schema;
use kmerge_core::edit::{Action, Options, Script};

use crate::cli::edit::DeleteArgs;
use crate::edits::{self, Flags, Job, Texts};
use crate::exit::Exit;
use crate::place;

pub(crate) fn run(args: &DeleteArgs) -> anyhow::Result<Exit> {
    let is_many = !args.place.many.within.is_empty();
    anyhow::ensure!(!is_many || args.place.second.is_none(), "with --in, write PATH before it, and the files after it");
    let path = if is_many { args.place.first.as_str() } else { args.place.second.as_deref().unwrap_or_default() };
    let schema = Schema::new();
    let mut plan = Options::new(&schema);
    plan.select = place::selectors(&args.place.select)?;
    plan.ignore_missing = args.place.many.ignore_missing;
    let script = Script::of([Action::Delete(place::pattern(path)?)]);
    edits::run(
        &Job { script, options: plan, texts: Texts::Arguments },
        &args.place,
        Flags { target: &args.target, say: &args.say },
    )
}
