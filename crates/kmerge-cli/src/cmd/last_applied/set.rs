//! `kmerge last-applied set`

use anyhow::ensure;
use kmerge_core::apply::{Directory, Documents, Object};
use kmerge_core::value;

use crate::cli::apply::SetLastAppliedArgs;
use crate::deliver::Target;
use crate::diagnostic::{Code, Diagnostic};
use crate::exit::Exit;
use crate::files::Files;
use crate::input::Source;
use crate::manifest;
use crate::merge_files::only_one_is_stdin;

pub(super) fn run(args: &SetLastAppliedArgs) -> anyhow::Result<Exit> {
    only_one_is_stdin([&args.objects.file, &args.config])?;
    let target = Target::new(&args.target, &args.objects.file)?;
    let config = Files::read(&args.config)?;
    target.edit_and_tell(&args.objects.file, &args.say, |source| annotated(args, &config, source))
}

/// The text of the file with the annotations that the configuration makes.
fn annotated(args: &SetLastAppliedArgs, config: &Files, source: &Source) -> anyhow::Result<String> {
    let (stream, streams) = (source.parse_mergeable()?, config.parse()?);
    let file = value::Source::new(&stream);
    let configs: Vec<value::Source<'_>> = streams.iter().map(value::Source::new).collect();
    let found = manifest::selected(source, &file, args.objects.select.as_deref())?;
    let directory = Directory::new(&found).map_err(|(_, second)| {
        Diagnostic::error(Code::Duplicate, format!("{} is there twice", found[second].id)).at(
            source,
            found[second].span,
            "",
        )
    })?;
    let mut documents = Documents::new(&file);
    let mut set_any = false;
    for object in Object::all(&configs) {
        let Ok(Some(live)) = directory.find(&object.id) else { continue };
        let (live, config_source) = (&found[live], &config.sources[object.source]);
        let value = object.value(&configs[object.source]);
        let mut value = value.map_err(|error| manifest::unreadable(&error, config_source))?;
        value.default_namespace(&live.id.namespace);
        let own = manifest::value_mut(&mut documents, live, source)?;
        if own.last_applied_text().is_none() && !args.create {
            let message = format!("{} has no last-applied annotation", live.id);
            let diagnostic = Diagnostic::error(Code::Apply, message).at(source, live.span, "");
            return Err(diagnostic.help("--create writes one").into());
        }
        own.set_last_applied(&value);
        set_any = true;
    }
    ensure!(set_any, "{} and {} have no object in common", source.name, args.config.display());
    Ok(manifest::write(documents, source)?)
}
