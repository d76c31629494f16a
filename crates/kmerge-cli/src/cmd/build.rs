//! `kmerge build`: the resources of a kustomization with its patches merged in.

mod bake;
mod explain;
mod load;
mod sequence;

use std::io::Write as _;

use anyhow::Context as _;
use kmerge_core::Schema;
use kmerge_core::build::{Dialect, Options, Order, Session, join};
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
use load::{Loaded, Step, load};
use sequence::{Built, carry_out};

pub(crate) fn run(args: &BuildArgs) -> anyhow::Result<Exit> {
    let loaded = load(&args.dir, args.load_restrictor)?;
    tell_unapplied(args, &loaded)?;
    let mut schema = schema_of(&args.kinds)?;
    let dialect = dialect(args.compat);
    let built = build(&loaded, &mut schema, dialect)?;
    tell_changes(args, &loaded, &built)?;
    if args.target.in_place || args.target.diff || args.target.check {
        return bake::bake(args, &loaded, &built);
    }
    let text = |at: &usize| built.texts[*at].as_deref().unwrap_or(&loaded.texts[built.uses[*at]].source.text);
    let parts: Vec<&str> = built.order.iter().map(text).collect();
    let documents = if dialect == Dialect::Kustomize { Order::Legacy } else { Order::Given };
    let result = Source::new("the result", join(&parts, documents));
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

/// Tells what the kustomizations say that is not applied.
fn tell_unapplied(args: &BuildArgs, loaded: &Loaded) -> anyhow::Result<()> {
    let Some((owner, first)) = loaded.unapplied.first() else { return Ok(()) };
    if args.strict {
        let names: Vec<&str> = loaded.unapplied.iter().map(|(_, field)| field.field.as_str()).collect();
        let message = format!("kmerge build does not apply {}", names.join(", "));
        let diagnostic = Diagnostic::error(Code::Unapplied, message);
        return Err(diagnostic
            .at(&loaded.texts[*owner].source, first.span, "")
            .help("without --strict the patches are merged all the same")
            .into());
    }
    if !args.say.quiet {
        for (owner, field) in &loaded.unapplied {
            let source = &loaded.texts[*owner].source;
            let line = source.place(field.span.start).line;
            writeln!(crate::terminal::stderr(), "{}:{line}: {} is not applied", source.name, field.field)?;
        }
    }
    Ok(())
}

/// What becomes of each text.
fn build(loaded: &Loaded, schema: &mut Schema, dialect: Dialect) -> anyhow::Result<Built> {
    let mut streams: Vec<Stream<'_>> = Vec::with_capacity(loaded.texts.len());
    for text in &loaded.texts {
        streams.push(text.source.parse_mergeable()?);
    }
    if dialect == Dialect::Kmerge {
        add_definitions(loaded, &streams, schema)?;
    }
    let sources: Vec<value::Source<'_>> = streams.iter().map(value::Source::new).collect();
    carry_out(loaded, Session::new(&sources, Options { schema, dialect }))
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
