//! `kmerge last-applied view`

use std::io::Write as _;

use kmerge_core::apply::Object;
use kmerge_core::value::{self, Value};

use crate::cli::apply::{ViewArgs, ViewFormat};
use crate::diagnostic::{Code, Diagnostic};
use crate::exit::Exit;
use crate::input::Source;
use crate::manifest;

pub(super) fn run(args: &ViewArgs) -> anyhow::Result<Exit> {
    let source = Source::read(&args.objects.file)?;
    let stream = source.parse_mergeable()?;
    let file = value::Source::new(&stream);
    let (mut texts, mut exit) = (Vec::new(), Exit::Clean);
    for object in manifest::selected(&source, &file, args.objects.select.as_deref())? {
        let own = object.value(&file).map_err(|error| manifest::unreadable(&error, &source))?;
        let Some(text) = own.last_applied_text() else {
            writeln!(crate::terminal::stderr(), "{}: no last-applied annotation in {}", source.name, object.id)?;
            exit = Exit::Findings;
            continue;
        };
        let value = Value::from_json(text).map_err(|error| not_json(&error, &object, &source))?;
        texts.push(match args.format {
            ViewFormat::Yaml => value.to_yaml(),
            ViewFormat::Json => own.last_applied_json().unwrap_or_default(),
        });
    }
    let separator = if args.format == ViewFormat::Yaml { "---\n" } else { "" };
    std::io::stdout().write_all(texts.join(separator).as_bytes())?;
    Ok(exit)
}

pub(super) fn not_json(error: &value::JsonError, object: &Object, source: &Source) -> Diagnostic {
    let message = format!("{}: the last-applied annotation is not JSON: {error}", object.id);
    let span = source.parse().ok().and_then(|stream| object.last_applied_span(&value::Source::new(&stream)));
    Diagnostic::error(Code::Apply, message).at(source, span.unwrap_or(object.span), "")
}
