//! Edits of files: read, planned, and handed over, all or none.
//!
//! Invariant: no file is written before all statements are planned for all of them.

mod message;

use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use kmerge_core::edit::{FilePlan, Options, Script, Tally};
use kmerge_core::is_of_template;
use kyaml_ast::Stream;
use rayon::prelude::*;

use crate::cli::edit::{PlaceArgs, SelectFlags};
use crate::cli::merge::{SayFlags, TargetFlags};
use crate::deliver::{Target, print_diff};
use crate::diagnostic::{Code, Diagnostic};
use crate::exit::Exit;
use crate::files::write_several;
use crate::input::{STDIO, Source};
use crate::place::{self, first_names, no_document, shown};
use crate::{output, terminal, told, walk};

/// What is to be done, and how it was said.
pub(crate) struct Job<'a> {
    pub(crate) script: Script,
    pub(crate) options: Options<'a>,
    pub(crate) texts: Texts,
}

/// The texts that statements come from.
pub(crate) enum Texts {
    /// Arguments.
    Arguments,
    /// Arguments, of which this is the value.
    Value(Source),
    /// Scripts; for each statement, which of them.
    Scripts { sources: Vec<Source>, origins: Vec<usize> },
}

/// The files that are meant.
pub(crate) struct Inputs {
    /// What the user named.
    named: Vec<PathBuf>,
    pub(crate) sources: Vec<Source>,
    paths: Vec<PathBuf>,
    /// Templates of directories, which cannot be edited.
    templates: Vec<String>,
}

impl Inputs {
    /// Reads files and all manifests of directories, each once.
    pub(crate) fn read(inputs: &[PathBuf]) -> anyhow::Result<Self> {
        let mut found = Self { named: inputs.to_vec(), sources: Vec::new(), paths: Vec::new(), templates: Vec::new() };
        let mut known = HashSet::new();
        for input in inputs {
            let is_stdin = input.as_os_str() == STDIO;
            let files = if is_stdin { vec![input.clone()] } else { walk::manifests(input)? };
            for path in files {
                if !known.insert(path.clone()) {
                    continue;
                }
                let source = Source::read(&path)?;
                let is_template = input.is_dir()
                    && Stream::parse(&source.text).is_err_and(|error| is_of_template(&source.text, &error));
                if is_template {
                    found.templates.push(source.name);
                } else {
                    found.sources.push(source);
                    found.paths.push(path);
                }
            }
        }
        Ok(found)
    }

    /// Says which files were left out.
    pub(crate) fn tell_templates(&self) -> std::io::Result<()> {
        self.templates
            .iter()
            .try_for_each(|name| writeln!(terminal::stderr(), "{}: a template, left out", terminal::line(name)))
    }
}

/// Where results go, and what is said about them.
#[derive(Clone, Copy)]
pub(crate) struct Flags<'f> {
    pub(crate) target: &'f TargetFlags,
    pub(crate) say: &'f SayFlags,
}

/// Makes the edits of `kmerge set` and `kmerge delete`.
pub(crate) fn run(job: &Job<'_>, args: &PlaceArgs, flags: Flags<'_>) -> anyhow::Result<Exit> {
    if !args.many.within.is_empty() {
        let inputs = Inputs::read(&args.many.within)?;
        inputs.tell_templates()?;
        let plans = job.plans(&inputs)?;
        let tally = job.tally(&plans, &args.select, args.many.expect)?;
        let exit = job.deliver(&inputs, &plans, flags)?;
        if !flags.say.quiet {
            tally.tell(inputs.sources.len())?;
        }
        return Ok(exit);
    }
    let path = Path::new(&args.first);
    place::refuse_directory(path)?;
    Target::new(flags.target, path)?.edit_and_tell(path, flags.say, |source| {
        let stream = source.parse()?;
        let is_empty = place::choose(&args.select, source, &stream)?.is_none();
        let plan = job.plan(source)?;
        if plan.places.is_empty() && !args.many.ignore_missing {
            let nothing = Diagnostic::error(Code::NotFound, format!("{} has no such place", source.name));
            return Err(if is_empty { no_document(source).help("--create starts one") } else { nothing }.into());
        }
        Ok(plan.text.unwrap_or_else(|| source.text.clone()))
    })
}

impl Job<'_> {
    fn plan(&self, source: &Source) -> Result<FilePlan, Diagnostic> {
        let plan = self.script.plan(&source.name, &source.text, &self.options);
        let plan = plan.map_err(|problem| message::diagnostic(self, &problem, source))?;
        let is_json = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let was_json = || source.text.trim_ascii().is_empty() || is_json(&source.text);
        match &plan.text {
            Some(text) if source.name.ends_with(".json") && was_json() && !is_json(text) => {
                let message = format!("{}: the result would not be valid JSON", source.name);
                let help = "JSON has no comments, anchors or aliases. Rename the file to .yaml to use them";
                Err(Diagnostic::error(Code::Syntax, message).help(help))
            }
            _ => Ok(plan),
        }
    }

    /// Plans all statements for all files; says what cannot be done, at most ten times.
    pub(crate) fn plans(&self, inputs: &Inputs) -> anyhow::Result<Vec<FilePlan>> {
        const MOST: usize = 10;
        let planned: Vec<Result<FilePlan, Diagnostic>> =
            inputs.sources.par_iter().map(|source| self.plan(source)).collect();
        let (mut plans, mut wrong) = (Vec::new(), Vec::new());
        for plan in planned {
            match plan {
                Ok(plan) => plans.push(plan),
                Err(diagnostic) => wrong.push(diagnostic),
            }
        }
        let count = wrong.len();
        if count == 0 {
            return Ok(plans);
        }
        if count == 1 {
            return Err(wrong.remove(0).into());
        }
        for diagnostic in wrong.into_iter().take(MOST) {
            crate::trouble(&diagnostic.into());
        }
        bail!("{count} files cannot be edited like this: nothing was written")
    }

    /// Counts places; every statement is about one at least, unless that is said to be no mistake.
    pub(crate) fn tally(
        &self,
        plans: &[FilePlan],
        flags: &SelectFlags,
        expect: Option<usize>,
    ) -> Result<Told, Diagnostic> {
        let tally = Tally::of(&self.script, plans);
        if expect.is_some_and(|expected| expected != tally.places()) {
            return Err(not_expected(tally.places(), expect, ""));
        }
        if self.options.ignore_missing || expect == Some(0) {
            return Ok(Told(tally));
        }
        if tally.selected == 0 {
            let names: Vec<String> = plans.iter().flat_map(|plan| plan.names.iter().cloned()).collect();
            return Err(none_selected(flags, &names));
        }
        match tally.idle(&self.script) {
            Some(index) => Err(message::idle(self, index)),
            None => Ok(Told(tally)),
        }
    }

    /// Hands all new texts over, and says what changes.
    pub(crate) fn deliver(&self, inputs: &Inputs, plans: &[FilePlan], flags: Flags<'_>) -> anyhow::Result<Exit> {
        let Flags { target: flags, say } = flags;
        let is_shown = flags.diff || flags.check;
        ensure!(
            is_shown || flags.in_place || plans.len() == 1,
            "there are {} files: -i writes them, --diff shows what would change",
            plans.len()
        );
        let given = inputs.paths.first().map_or(Path::new(STDIO), PathBuf::as_path);
        told::check_stdout(say, &Target::new(flags, given)?)?;
        let texts = inputs
            .sources
            .iter()
            .zip(plans)
            .filter_map(|(source, plan)| Some(Source::new(source.name.as_str(), plan.text.as_deref()?)));
        let texts: Vec<Source> = texts.collect();
        let is_changed = |(_, plan): &(usize, &FilePlan)| plan.text.is_some();
        let changed: Vec<usize> = plans.iter().enumerate().filter(is_changed).map(|(index, _)| index).collect();
        let pairs: Vec<[&Source; 2]> =
            changed.iter().zip(&texts).map(|(index, text)| [&inputs.sources[*index], text]).collect();
        if flags.diff {
            for [before, after] in &pairs {
                print_diff(&before.name, Some(&before.text), Some(&after.text))?;
            }
        }
        if flags.in_place {
            let paths = changed.iter().map(|index| inputs.paths[*index].as_path());
            self.write(&paths.zip(pairs.iter().copied()).collect::<Vec<_>>(), &inputs.named)?;
        } else if !is_shown {
            let source = &inputs.sources[0];
            Target::new(flags, given)?.deliver(plans[0].text.as_deref().unwrap_or(&source.text), source)?;
        }
        told::changes(say, &pairs)?;
        Ok(if flags.check && !changed.is_empty() { Exit::Findings } else { Exit::Clean })
    }

    /// Writes all files, or none. One alone is planned anew where another program has written it meanwhile.
    fn write(&self, changed: &[(&Path, [&Source; 2])], named: &[PathBuf]) -> anyhow::Result<()> {
        match changed {
            [(path, _)] => {
                ensure!(path.as_os_str() != STDIO, "--in-place needs a file to write to, not stdin");
                output::edit(path, |bytes| {
                    let source = Source::decode(path.display().to_string(), bytes.to_vec())?;
                    Ok(self.plan(&source)?.text.map_or_else(|| bytes.to_vec(), String::into_bytes))
                })?;
                Ok(())
            }
            several => write_several(several, named),
        }
    }
}

/// No resource of the files matches; they have those with these names.
pub(crate) fn none_selected(flags: &SelectFlags, names: &[String]) -> Diagnostic {
    let what = shown(flags).map_or_else(
        || "the files hold no document".to_owned(),
        |flags| format!("the files have no resource that matches {flags}"),
    );
    let diagnostic = Diagnostic::error(Code::Selection, what);
    if names.is_empty() { diagnostic } else { diagnostic.help(format!("they hold {}", first_names(names))) }
}

/// Other places than were expected.
pub(crate) fn not_expected(count: usize, expected: Option<usize>, what: &str) -> Diagnostic {
    let found = if count == 1 { "1 place".to_owned() } else { format!("{count} places") };
    match expected {
        Some(expected) => {
            Diagnostic::error(Code::NotFound, format!("{found} found, {expected} expected: nothing was written"))
        }
        None => Diagnostic::error(Code::NotFound, format!("the files hold no {what}")),
    }
}

/// Counted places.
pub(crate) struct Told(Tally);

impl Told {
    /// `12 places in 7 of 40 files`
    pub(crate) fn tell(&self, all: usize) -> std::io::Result<()> {
        let Self(tally) = self;
        let many = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let changed = if tally.changed == tally.files {
            String::new()
        } else {
            format!("; {} changed", many(tally.changed, "file"))
        };
        writeln!(
            terminal::stderr(),
            "{} in {} of {}{changed}",
            many(tally.places(), "place"),
            tally.files,
            many(all, "file")
        )
    }
}
