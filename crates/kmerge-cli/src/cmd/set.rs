//! `kmerge set`: another value at a place of a file, or of many.

use std::path::Path as FilePath;

use kmerge_core::edit::{Action, Options, Script, Value};

use crate::cli::edit::SetArgs;
use crate::edits::{self, Flags, Job, Texts};
use crate::exit::Exit;
use crate::input::{STDIO, Source};
use crate::merge_files::only_one_is_stdin;
use crate::{options, place};

pub(crate) fn run(args: &SetArgs) -> anyhow::Result<Exit> {
    let is_many = !args.place.many.within.is_empty();
    let second = args.place.second.as_deref().unwrap_or_default();
    let third = args.third.as_deref().unwrap_or_default();
    let (path, value) = if is_many { (args.place.first.as_str(), second) } else { (second, third) };
    anyhow::ensure!(
        !is_many || args.third.is_none(),
        "with --in, write PATH and VALUE before it, and the files after it"
    );
    let path = place::pattern(path)?;
    let is_piped = value == STDIO;
    if is_piped && !is_many {
        only_one_is_stdin([&args.place.first.clone().into(), &value.to_owned().into()])?;
    }
    let value = if is_piped { Source::read(FilePath::new(STDIO))? } else { Source::new("VALUE", value) };
    let text = value.text.as_str();
    let wanted = match (args.string, args.yaml) {
        (true, _) => Value::string(text),
        (_, true) => Value::yaml(text),
        // Quotes in a file are a part of it.
        _ if is_piped && text.starts_with(['"', '\'']) => Value::string(text),
        _ => Value::new(text),
    };
    let action = Action::Set { path, value: wanted, create: args.create };
    let schema = options::schema(&args.schema)?;
    let mut plan = Options::new(&schema);
    plan.select = place::selectors(&args.place.select)?;
    plan.ignore_missing = args.place.many.ignore_missing;
    let job = Job { script: Script::of([action]), options: plan, texts: Texts::Value(value) };
    edits::run(&job, &args.place, Flags { target: &args.target, say: &args.say })
}
