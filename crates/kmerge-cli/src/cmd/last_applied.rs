//! `kmerge last-applied`: what kubectl remembers in the objects of a file.

mod edit;
mod set;
mod view;

use kmerge_core::apply::Documents;
use kmerge_core::value::{self, Value};

use crate::cli::apply::{LastAppliedAction, StripArgs};
use crate::deliver::Target;
use crate::exit::Exit;
use crate::manifest;

pub(crate) fn run(action: &LastAppliedAction) -> anyhow::Result<Exit> {
    match action {
        LastAppliedAction::View(args) => view::run(args),
        LastAppliedAction::Set(args) => set::run(args),
        LastAppliedAction::Edit(args) => edit::run(args),
        LastAppliedAction::Strip(args) => run_strip(args),
    }
}

fn run_strip(args: &StripArgs) -> anyhow::Result<Exit> {
    let target = Target::new(&args.target, &args.objects.file)?;
    target.edit_and_tell(&args.objects.file, &args.say, |source| {
        let stream = source.parse_mergeable()?;
        let file = value::Source::new(&stream);
        let mut documents = Documents::new(&file);
        for object in manifest::selected(source, &file, args.objects.select.as_deref())? {
            manifest::value_mut(&mut documents, &object, source).map(Value::strip_last_applied)?;
        }
        Ok(manifest::write(documents, source)?)
    })
}
