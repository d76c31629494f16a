//! `kmerge delete`: one place less.

use crate::cli::edit::DeleteArgs;
use crate::cmd::set::refused;
use crate::deliver::Target;
use crate::exit::Exit;
use crate::input::Source;
use crate::place;

pub(crate) fn run(args: &DeleteArgs) -> anyhow::Result<Exit> {
    let path = place::path(&args.place)?;
    let target = Target::new(&args.target, &args.place.file)?;
    let source = Source::read(&args.place.file)?;
    let stream = source.parse()?;
    let document = place::document(&args.place, &source, &stream)?;
    let text = document.delete(&path).map_err(|error| refused(&error, &path, &source))?;
    target.deliver(&text, &source)
}
