//! `kmerge apply`: configurations onto live objects.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

use anyhow::{bail, ensure};
use kmerge_core::apply::{self as core, Detail, NewObjects, Options, Outcome, Sides, Verb};
use kmerge_core::{ResourceId, Schema};

use crate::apply_report::{explain, notices, to_json, to_text};
use crate::cli::apply::{ApplyArgs, KindFlags, ListKeys};
use crate::cli::merge::ReportFormat;
use crate::deliver::{Target, print_diff};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::files::{FileChange, Files, write_all};
use crate::input::STDIO;
use crate::invocation::Invocation;
use crate::kubectl;
use crate::merge_files::only_one_is_stdin;
use crate::options::{SchemaSources, new_elements, schema_from};
use crate::output;
use crate::terminal;
use crate::told::check_stdout;

pub(crate) fn run(args: &ApplyArgs) -> anyhow::Result<Exit> {
    if let Some(live) = &args.live {
        only_one_is_stdin([live, &args.config])?;
    }
    check_target(args)?;
    let schema = schema_of(&args.kinds)?;
    let config = Files::read(&args.config)?;
    let live = live(args, &config)?;
    let last_applied = args.last_applied.as_deref().map(Files::read).transpose()?;
    let files = (&live, &config, last_applied.as_ref());
    let outcome = apply(args, &schema, files)?;
    ensure!(!outcome.reports.is_empty(), "there is nothing to apply in {}", args.config.display());
    write_report(args, &outcome, (&live, &config))?;
    let has_conflicts = outcome.reports.iter().any(|report| report.verb == Verb::Conflicting);
    if args.say.verbose {
        terminal::stderr().write_all(to_text(&outcome).as_bytes())?;
    } else if !args.say.quiet {
        terminal::stderr().write_all(notices(&outcome).as_bytes())?;
    }
    if has_conflicts {
        return Ok(Exit::Findings);
    }
    match &live.root {
        Some(root) => deliver_directory(args, root, &live, outcome),
        None => deliver_file(args, &live, outcome),
    }
}

/// The live objects; a plugin of kubectl can ask it for them.
fn live(args: &ApplyArgs, config: &Files) -> anyhow::Result<Files> {
    match &args.live {
        Some(live) => Files::read(live),
        None if Invocation::current() == Invocation::Plugin => {
            kubectl::get(&args.config, config, args.namespace.as_deref()).map(Files::of)
        }
        None => bail!("--live is missing: only `kubectl kmerge apply` can ask the cluster"),
    }
}

/// What `--in-place` means: a file, or what comes from elsewhere.
fn live_path(args: &ApplyArgs) -> &Path {
    args.live.as_deref().unwrap_or(Path::new(STDIO))
}

/// What is known about kinds by the flags.
pub(crate) fn schema_of(flags: &KindFlags) -> anyhow::Result<Schema> {
    let rules = flags.rules.as_deref();
    schema_from(SchemaSources { choice: flags.schema, crds: &flags.crd, rules, list_keys: &flags.list_key })
}

/// By what the elements of lists are paired.
pub(crate) const fn keys(keys: ListKeys) -> core::ListKeys {
    match keys {
        ListKeys::Smp => core::ListKeys::Smp,
        ListKeys::Ssa => core::ListKeys::Ssa,
    }
}

fn check_target(args: &ApplyArgs) -> anyhow::Result<()> {
    let flags = &args.target;
    if live_path(args).is_dir() {
        ensure!(
            flags.in_place || flags.diff || flags.check,
            "--live is a directory: add --in-place to write it, or --diff or --check"
        );
        return Ok(());
    }
    check_stdout(&args.say, &Target::new(flags, live_path(args))?)
}

fn apply(
    args: &ApplyArgs,
    schema: &Schema,
    (live, config, last_applied): (&Files, &Files, Option<&Files>),
) -> Result<Outcome, Diagnostic> {
    let (live_texts, config_texts, last_texts) = (live.texts(), config.texts(), last_applied.map(Files::texts));
    let sides = Sides { live: live_texts.as_slice(), config: &config_texts, last_applied: last_texts.as_deref() };
    core::apply(sides, options(args, schema, live)).map_err(|error| explain(&error, (live, config, last_applied)))
}

fn options<'a>(args: &'a ApplyArgs, schema: &'a Schema, live: &Files) -> Options<'a> {
    Options {
        schema,
        keys: keys(args.lists.list_keys),
        order: new_elements(args.lists.list_order).map_or(core::ListOrder::Kubectl, core::ListOrder::Stable),
        overwrite: !args.no_overwrite,
        namespace: args.namespace.as_deref(),
        new_objects: if live.root.is_some() { NewObjects::Apart } else { NewObjects::InFile },
        detail: if args.say.verbose || args.say.report.is_some() { Detail::All } else { Detail::Overruled },
    }
}

fn write_report(args: &ApplyArgs, outcome: &Outcome, (live, config): (&Files, &Files)) -> anyhow::Result<()> {
    let Some(path) = &args.say.report else { return Ok(()) };
    let text = match args.say.format {
        ReportFormat::Json => terminal::json(&to_json(outcome, live, config)),
        ReportFormat::Text => terminal::text(&to_text(outcome)).into_owned(),
    };
    if path.as_os_str() == STDIO {
        return Ok(terminal::stdout().write_all(text.as_bytes())?);
    }
    output::write(path, text.as_bytes()).map(drop)
}

fn deliver_file(args: &ApplyArgs, live: &Files, outcome: Outcome) -> anyhow::Result<Exit> {
    let [source] = live.sources.as_slice() else { bail!("there is no live file") };
    let text = outcome.texts.into_iter().next().flatten();
    Target::new(&args.target, live_path(args))?.deliver(text.as_deref().unwrap_or(&source.text), source)
}

fn deliver_directory(args: &ApplyArgs, root: &Path, live: &Files, outcome: Outcome) -> anyhow::Result<Exit> {
    let changes = changes(live, outcome)?;
    if args.target.diff {
        for change in &changes {
            print_diff(&change.path, change.before.as_deref(), Some(&change.after))?;
        }
    }
    if args.target.in_place {
        write_all(root, &changes)?;
    }
    Ok(if args.target.check && !changes.is_empty() { Exit::Findings } else { Exit::Clean })
}

/// The files of the live directory that change, and those of created objects.
fn changes(live: &Files, outcome: Outcome) -> anyhow::Result<Vec<FileChange>> {
    let mut changes = Vec::new();
    let mut taken = BTreeSet::new();
    for (index, text) in outcome.texts.into_iter().enumerate() {
        let path = live.relative(index)?;
        taken.insert(path.clone());
        let before = Some(live.sources[index].text.clone());
        changes.extend(text.map(|after| FileChange { path, before, after }));
    }
    for (_, id, after) in outcome.created {
        let path = free_name(&id, &mut taken);
        changes.push(FileChange { path, before: None, after });
    }
    Ok(changes)
}

/// A file name for a new object that no other file has: `deployment-web.yaml`.
fn free_name(id: &ResourceId, taken: &mut BTreeSet<String>) -> String {
    let safe = |text: &str| text.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "-");
    let stem = [&id.kind, &id.namespace, &id.name];
    let stem = stem.into_iter().filter(|part| !part.is_empty()).map(|part| safe(part)).collect::<Vec<_>>().join("-");
    let names = (0..).map(|number| if number == 0 { format!("{stem}.yaml") } else { format!("{stem}-{number}.yaml") });
    let mut free = names.filter(|name| !taken.contains(name));
    let name = free.next().unwrap_or_default();
    taken.insert(name.clone());
    name
}
