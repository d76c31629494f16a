//! `kmerge delete`: one place less.

use crate::aliases::{self, Change};
use crate::cli::edit::DeleteArgs;
use crate::cmd::set::refused;
use crate::deliver::Target;
use crate::exit::Exit;
use crate::input::Source;
use crate::place::{self, Place};

pub(crate) fn run(args: &DeleteArgs) -> anyhow::Result<Exit> {
    let path = place::path(&args.place)?;
    let target = Target::new(&args.target, &args.place.file)?;
    let source = Source::read(&args.place.file)?;
    let stream = source.parse()?;
    let Place { document, path, .. } = place::choose(&args.place, path, &source, &stream)?;
    document.root().map_or(Ok(()), |root| aliases::refuse(root, &path, Change::Delete, &source))?;
    let text = document.delete(&path).map_err(|error| refused(&error, &path, &source))?;
    target.deliver(&text, &source)
}
