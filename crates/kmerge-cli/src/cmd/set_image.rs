//! `kmerge set-image`: another version or name of an image, in all files that refer to it.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

use anyhow::ensure;
use kmerge_core::image::{Done, Filter, ImageError, names};
use kmerge_core::is_of_template;
use kyaml_ast::{Stream, similar_names};
use memchr::memmem;

use crate::cli::image::SetImageArgs;
use crate::deliver::Target;
use crate::diagnostic::{Code, Diagnostic};
use crate::exit::Exit;
use crate::input::{STDIO, Source};
use crate::many::{self, Changed};
use crate::place::first_names;
use crate::terminal::{self, counted};
use crate::told;

pub(crate) fn run(args: &SetImageArgs) -> anyhow::Result<Exit> {
    let filter = Filter { container: args.container.clone(), policy: args.policy.clone() };
    let mut count = Count::default();
    let exit = match args.inputs.as_slice() {
        [file] if !file.is_dir() => one(args, &filter, file, &mut count)?,
        _ => several(args, &filter, &mut count)?,
    };
    if !args.say.quiet {
        writeln!(terminal::stderr(), "{}", count.summary())?;
    }
    Ok(exit)
}

/// How many places and files there are.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    files: usize,
    matched: usize,
    with_matches: usize,
    changed: usize,
    with_changes: usize,
}

impl Count {
    fn add(&mut self, done: &Done) {
        self.files += 1;
        self.matched += done.matched;
        self.with_matches += usize::from(done.matched > 0);
        self.changed += done.changed;
        self.with_changes += usize::from(done.changed > 0);
    }

    /// `12 places in 7 of 40 files`
    fn summary(&self) -> String {
        let files = counted(self.files, "file");
        match self.changed {
            0 => format!("nothing to do: {} in {} of {files}", counted(self.matched, "place"), self.with_matches),
            changed => format!("{} in {} of {files}", counted(changed, "place"), self.with_changes),
        }
    }

    /// That nobody refers to the image is more often a slip than not.
    fn check(&self, args: &SetImageArgs, files: &[Source]) -> Result<(), Diagnostic> {
        if self.matched > 0 {
            return Ok(());
        }
        let place = match (&args.container, &args.policy) {
            (Some(container), _) => format!(" in a container `{container}`"),
            (_, Some(_)) => " beside a comment of this policy".to_owned(),
            _ => String::new(),
        };
        let who = if self.files == 1 {
            "the file does not refer".to_owned()
        } else {
            format!("none of {} files refers", self.files)
        };
        let message = format!("{who} to the image `{}`{place}", args.image.name());
        let diagnostic = Diagnostic::error(Code::NotFound, message);
        Err(help(args.image.name(), files).into_iter().fold(diagnostic, Diagnostic::help))
    }
}

/// Which images there are: those that are written almost alike, or else the first ones.
fn help(name: &str, files: &[Source]) -> Option<String> {
    let streams = files.iter().filter_map(|file| Stream::parse(&file.text).ok());
    let known: BTreeSet<String> = streams.flat_map(|stream| names(&stream)).collect();
    let similar = similar_names(name, known.iter().map(|name| name.as_str().into()));
    match similar.first() {
        _ if known.is_empty() => None,
        Some(similar) if !known.contains(name) => Some(format!("did you mean `{similar}`?")),
        _ => Some(format!("the files use {}", first_names(&Vec::from_iter(known)))),
    }
}

fn one(args: &SetImageArgs, filter: &Filter, file: &Path, count: &mut Count) -> anyhow::Result<Exit> {
    let target = Target::new(&args.target, file)?;
    target.edit_and_tell(file, &args.say, |source| {
        *count = Count::default();
        let done = changed(args, filter, source)?;
        count.add(&done);
        count.check(args, std::slice::from_ref(source))?;
        Ok(done.text.unwrap_or_else(|| source.text.clone()))
    })
}

fn several(args: &SetImageArgs, filter: &Filter, count: &mut Count) -> anyhow::Result<Exit> {
    ensure!(args.inputs.iter().all(|input| input.as_os_str() != STDIO), "stdin cannot be combined with files");
    ensure!(args.target.output.is_none(), "--output is for the result of one file, and these may be several");
    ensure!(
        args.target.in_place || args.target.diff || args.target.check,
        "this may be several files: add --in-place to write them, or --diff or --check"
    );
    told::check_stdout(&args.say, &Target::Nowhere { diff: args.target.diff, check: args.target.check })?;
    let (mut changes, mut others) = (Vec::new(), Vec::new());
    for path in many::manifests_of(&args.inputs)? {
        let before = Source::read(&path)?;
        let done = changed(args, filter, &before)?;
        count.add(&done);
        match done.text {
            Some(after) => changes.push(Changed { path, after: Source::new(before.name.as_str(), after), before }),
            None => others.push(before),
        }
    }
    count.check(args, &others)?;
    let pairs: Vec<[&Source; 2]> = changes.iter().map(|change| [&change.before, &change.after]).collect();
    told::changes(&args.say, &pairs)?;
    many::deliver(&changes, &args.inputs, &args.target)
}

/// What becomes of a file. One without the name of the image is not read any further.
fn changed(args: &SetImageArgs, filter: &Filter, source: &Source) -> anyhow::Result<Done> {
    let text = source.text.as_bytes();
    let has = |part: &str| memmem::find(text, part.as_bytes()).is_some();
    let may_match = has(args.image.last_part()) || (filter.policy.is_some() && has("$imagepolicy"));
    if !may_match {
        return Ok(Done::default());
    }
    match Stream::parse(&source.text) {
        Err(error) if is_of_template(&source.text, &error) => {
            if !args.say.quiet {
                writeln!(terminal::stderr(), "{}: a template, left out", source.name)?;
            }
            return Ok(Done::default());
        }
        _ => {}
    }
    let done = args.image.set(&source.parse()?, filter);
    Ok(done.map_err(|error| match error {
        ImageError::NoDigest { span } => Diagnostic::error(Code::NotFound, error.to_string())
            .at(source, span, "")
            .help("add `digest: \"\"` there if it does, or give a tag"),
        _ => Diagnostic::error(Code::BrokenResult, format!("{}: {error}", source.name)),
    })?)
}
