//! `kmerge build`: the resources of a kustomization with what it does to them.

mod bake;
mod explain;
mod load;
mod sequence;

use std::io::Write as _;

use anyhow::Context as _;
use kmerge_core::Schema;
use kmerge_core::build::{Dialect, Kustomization, Order, Session};
use kmerge_core::value;
use kyaml_ast::Stream;

use super::apply::schema_of;
use crate::cli::build::{BuildArgs, Compat};
use crate::deliver::Target;
use crate::diagnostic::{Code, Diagnostic};
use crate::exit::Exit;
use crate::input::Source;
use crate::told::{changes, check_stdout};
pub(crate) use explain::{code, near_misses};
use load::{Loaded, Scope, Step, load};
use sequence::{Built, Purpose, carry_out};

pub(crate) fn run(args: &BuildArgs) -> anyhow::Result<Exit> {
    let scope = if args.patches_only { Scope::Patches } else { Scope::All };
    let loaded = load(&args.dir, args.load_restrictor, scope)?;
    refuse_unapplied(args, &loaded)?;
    let mut schema = schema_of(&args.kinds)?;
    let dialect = dialect(args.compat);
    let is_baked = args.target.in_place || args.target.diff || args.target.check;
    let purpose = if is_baked { Purpose::Bake } else { Purpose::Print };
    let built = build(&loaded, &mut schema, (dialect, purpose))?;
    tell_changes(args, &loaded, &built)?;
    if is_baked {
        return bake::bake(args, &loaded, &built);
    }
    let text = |at: &usize| built.texts[*at].as_deref().unwrap_or(&loaded.texts[built.uses[*at]].source.text);
    let parts: Vec<&str> = built.order.iter().map(text).collect();
    let default = if dialect == Dialect::Kustomize { Order::legacy() } else { Order::Given };
    let order = if args.patches_only { None } else { loaded.order.as_ref() };
    let result = Source::new("the result", order.unwrap_or(&default).join(&parts));
    result.parse().map_err(|_| Diagnostic::error(Code::BrokenResult, "the result would not be valid YAML"))?;
    Target::new(&args.target, &args.dir)?.deliver(&result.text, &result)
}

pub(crate) const fn dialect(compat: Option<Compat>) -> Dialect {
    match compat {
        Some(Compat::Kustomize) => Dialect::Kustomize,
        None => Dialect::Kmerge,
    }
}

/// Says what patches change in each file, on stderr or in a report.
fn tell_changes(args: &BuildArgs, loaded: &Loaded, built: &Built) -> anyhow::Result<()> {
    check_stdout(&args.say, &Target::new(&args.target, &args.dir)?)?;
    let mut pairs = Vec::new();
    for (text, after) in built.uses.iter().zip(&built.texts) {
        let before = &loaded.texts[*text].source;
        pairs.extend(after.as_ref().map(|after| (before, Source::new(before.name.as_str(), after.as_str()))));
    }
    let pairs: Vec<[&Source; 2]> = pairs.iter().map(|(before, after)| [*before, after]).collect();
    changes(&args.say, &pairs)
}

/// Fields that are never applied, and what to do about them.
const INSTEAD: [(&str, &str); 6] = [
    ("configMapGenerator", "write the ConfigMap to a file, and name it under `resources`"),
    ("secretGenerator", "write the Secret to a file, and name it under `resources`"),
    ("helmCharts", "render the chart with `helm template`, and name the result under `resources`"),
    ("helmChartInflationGenerator", "render the chart with `helm template`, and name the result under `resources`"),
    ("generators", "run the plugin, and name what it makes under `resources`"),
    ("replacements", "write the value where it is needed, or let a patch write it"),
];

/// Refuses kustomizations that say something that is not applied; with `--patches-only`, only tells it.
fn refuse_unapplied(args: &BuildArgs, loaded: &Loaded) -> anyhow::Result<()> {
    if loaded.unapplied.is_empty() {
        return Ok(());
    }
    if args.patches_only && !args.strict {
        return if args.say.quiet { Ok(()) } else { tell_unapplied(loaded) };
    }
    let mut names: Vec<&str> = Vec::new();
    for (_, field) in &loaded.unapplied {
        if !names.contains(&field.text.as_str()) {
            names.push(&field.text);
        }
    }
    let mut diagnostic =
        Diagnostic::error(Code::Unapplied, format!("kmerge build does not apply {}", names.join(", ")));
    for (owner, field) in &loaded.unapplied {
        diagnostic = diagnostic.at(&loaded.texts[*owner].source, field.span, "");
    }
    let instead = names.iter().find_map(|name| INSTEAD.iter().find(|(field, _)| field == name));
    let help = match instead {
        _ if args.patches_only => "without --strict the patches are merged all the same".to_owned(),
        Some((_, instead)) => {
            format!("{instead}; --patches-only merges only the patches, and leaves the rest to kustomize")
        }
        None => "--patches-only merges only the patches, and leaves the rest to kustomize".to_owned(),
    };
    Err(diagnostic.help(help).into())
}

fn tell_unapplied(loaded: &Loaded) -> anyhow::Result<()> {
    for (owner, field) in &loaded.unapplied {
        let source = &loaded.texts[*owner].source;
        let line = source.place(field.span.start).line;
        writeln!(crate::terminal::stderr(), "{}:{line}: {} is not applied", source.name, field.text)?;
    }
    Ok(())
}

/// What becomes of each text.
fn build(loaded: &Loaded, schema: &mut Schema, (dialect, purpose): (Dialect, Purpose)) -> anyhow::Result<Built> {
    let mut streams: Vec<Stream<'_>> = Vec::with_capacity(loaded.texts.len());
    for text in &loaded.texts {
        let stream = text.source.parse_mergeable()?;
        Kustomization::check_keys(&stream).map_err(|error| {
            Diagnostic::error(Code::DuplicateKey, error.to_string()).at(&text.source, error.span, "")
        })?;
        streams.push(stream);
    }
    if let Some(text) = loaded.schema {
        add_openapi((&loaded.texts[text].source, &streams[text]), schema, dialect)?;
    }
    if dialect == Dialect::Kmerge {
        add_definitions(loaded, &streams, schema)?;
    }
    let sources: Vec<value::Source<'_>> = streams.iter().map(value::Source::new).collect();
    carry_out(loaded, Session::new(&sources, schema, dialect), purpose)
}

/// Takes the definitions of kinds that a kustomization names; to kustomize, there are no others then.
fn add_openapi((source, stream): (&Source, &Stream<'_>), schema: &mut Schema, dialect: Dialect) -> anyhow::Result<()> {
    if dialect == Dialect::Kustomize {
        *schema = std::mem::take(schema).only_given();
    }
    for document in stream.documents() {
        let added = schema.add_openapi(document);
        added.map_err(|error| Diagnostic::error(Code::Crd, error.to_string()).at(source, error.span, ""))?;
    }
    Ok(())
}

/// Takes the custom resource definitions among the resources: they tell how lists of their kinds merge.
fn add_definitions(loaded: &Loaded, streams: &[Stream<'_>], schema: &mut Schema) -> anyhow::Result<()> {
    for step in loaded.steps() {
        let Step::Add { text } = step else { continue };
        for document in streams.get(*text).context("every text was parsed")?.documents() {
            if let Err(error) = schema.add_crds(document) {
                let source = &loaded.texts[*text].source;
                let line = source.place(error.span.start).line;
                writeln!(crate::terminal::stderr(), "{}:{line}: not used for merging: {error}", source.name)?;
            }
        }
    }
    Ok(())
}
