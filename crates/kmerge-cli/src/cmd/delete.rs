//! `kmerge delete`: one place less.

use crate::aliases::{self, Change};
use crate::cli::edit::DeleteArgs;
use crate::cmd::set::refused;
use crate::deliver::Target;
use crate::exit::Exit;
use crate::place::{self, Place};

pub(crate) fn run(args: &DeleteArgs) -> anyhow::Result<Exit> {
    let path = place::path(&args.place)?;
    Target::new(&args.target, &args.place.file)?.edit(&args.place.file, None, |source| {
        let stream = source.parse()?;
        let Place { document, path, .. } = place::choose(&args.place, path.clone(), source, &stream)?;
        let root = document.root().ok_or_else(|| place::no_document(source))?;
        aliases::refuse(root, &path, Change::Delete, source)?;
        Ok(Some(document.delete(&path).map_err(|error| refused(&error, &path, source))?))
    })
}
