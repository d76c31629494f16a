//! `kmerge last-applied edit`: the annotation as YAML in an editor, until it is valid or given up.
//!
//! Invariant: neither what the user has written gets lost, nor what others write into the file while the editor is open.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail, ensure};
use kmerge_core::apply::{Documents, Object};
use kmerge_core::value::{self, Value};
use kmerge_core::{Policy, Schema, Slots};
use kyaml_ast::Stream;

use super::view::not_json;
use crate::cli::apply::EditArgs;
use crate::deliver::Target;
use crate::diagnostic::{Code, Diagnostic};
use crate::editor;
use crate::exit::Exit;
use crate::input::Source;
use crate::manifest;
use crate::merge::merge;
use crate::options::{Conflicts, Options};
use crate::temporary::Temporary;
use crate::told::{changes, check_stdout};
use crate::tree::Dir;

const HEADER: &str = "\
# What was applied last. Lines that start with '#' are ignored; an unchanged file changes nothing.
# A field that is taken out here and out of the configuration stays as it is from then on.
#
";

pub(super) fn run(args: &EditArgs) -> anyhow::Result<Exit> {
    let target = Target::new(&args.target, &args.objects.file)?;
    let source = Source::read(&args.objects.file)?;
    let mut before = None;
    changed(args, &source, |value| {
        before = Some(value.clone());
        Ok(value)
    })?;
    let before = before.expect("it was handed over");
    let mut draft = Draft::new()?;
    let change = |after: &Value, source: &Source| changed(args, source, |now| merged(&before, &now, after));
    let done = draft.edited(&before).and_then(|after| match (after, &target) {
        (None, Target::InPlace(_)) => Ok(Exit::Clean),
        (None, _) => target.deliver(&source.text, &source),
        (Some(after), Target::InPlace(file)) => target.edit_and_tell(file, &args.say, |now| change(&after, now)),
        (Some(after), _) => {
            check_stdout(&args.say, &target)?;
            let text = change(&after, &source)?;
            changes(&args.say, &[[&source, &Source::new(source.name.as_str(), text.as_str())]])?;
            target.deliver(&text, &source)
        }
    });
    if done.is_err() {
        draft.keep()?;
    }
    done
}

/// The text of a file in which the annotation becomes what `change` makes of it.
fn changed(
    args: &EditArgs,
    source: &Source,
    change: impl FnOnce(Value) -> anyhow::Result<Value>,
) -> anyhow::Result<String> {
    let stream = source.parse_mergeable()?;
    let file = value::Source::new(&stream);
    let found = manifest::selected(source, &file, args.objects.select.as_deref())?;
    ensure!(found.len() == 1, "{} holds {} objects: --select chooses one", source.name, found.len());
    let mut documents = Documents::new(&file);
    let own = manifest::value_mut(&mut documents, &found[0], source)?;
    let Some(before) = own.last_applied_text() else { return Err(missing(&found[0], source).into()) };
    let before = Value::from_json(before).map_err(|error| not_json(&error, &found[0], source))?;
    let after = change(before.clone())?;
    if after == before {
        return Ok(source.text.clone());
    }
    own.set_last_applied(&after);
    Ok(manifest::write(documents, source)?)
}

/// What the user made of the annotation, with what others wrote into the file meanwhile.
fn merged(before: &Value, now: &Value, after: &Value) -> anyhow::Result<Value> {
    if now == before || now == after {
        return Ok(after.clone());
    }
    let [dest, base, incoming] = [("the file", now), ("the annotation", before), ("your text", after)]
        .map(|(name, value)| Source::new(name, value.to_yaml()));
    let options = Options { policy: Policy::GIT, schema: Schema::new(), conflicts: Conflicts::Fail };
    let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
    let merged = merge(sides, &options)?;
    if let Some(conflict) = merged.report.conflicts().next() {
        bail!("the annotation was changed in the file as well, at {}: nothing was changed", conflict.path);
    }
    read(&merged.text).map_err(anyhow::Error::msg)
}

fn missing(object: &Object, source: &Source) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::Apply, format!("{} has no last-applied annotation", object.id));
    diagnostic.at(source, object.span, "").help("kmerge last-applied set --create writes one")
}

/// The file that the editor is given.
struct Draft {
    file: Temporary,
    path: PathBuf,
    /// What was written into it.
    given: String,
    /// Whether that holds what the user wrote, and why it cannot be read.
    is_refused: bool,
}

impl Draft {
    fn new() -> anyhow::Result<Self> {
        let place = std::env::temp_dir();
        let made = Dir::open(&place).and_then(|place| Temporary::private(&place, "kmerge-edit-", ".yaml"));
        let (file, _) = made.with_context(|| format!("cannot create a file in {}", place.display()))?;
        let path = place.join(file.name());
        Ok(Self { file, path, given: String::new(), is_refused: false })
    }

    /// What the user makes of a value; `None` where nothing changed.
    fn edited(&mut self, before: &Value) -> anyhow::Result<Option<Value>> {
        let body = before.to_yaml();
        let mut refused = None;
        self.given = format!("{HEADER}{body}");
        loop {
            std::fs::write(&self.path, &self.given).context("cannot write what is to be edited")?;
            editor::open(&self.path, &["KUBE_EDITOR", "VISUAL", "EDITOR"])?;
            let after = Source::read(&self.path)?.text;
            if after == self.given && !self.is_refused || without_comments(&after) == body {
                return Ok(None);
            }
            match read(&after) {
                Ok(value) => return Ok((value != *before).then_some(value)),
                Err(error) => {
                    let own = without_comments(&after);
                    ensure!(refused.as_ref() != Some(&own), "still not valid, nothing was changed: {error}");
                    self.given = format!("# {}\n#\n{}", error.replace('\n', "\n# "), without_errors(&after));
                    refused = Some(own);
                    self.is_refused = true;
                }
            }
        }
    }

    /// Lets the file stay where it holds anything that the user has written, and says where it is.
    fn keep(&self) -> anyhow::Result<()> {
        if self.is_refused || std::fs::read(&self.path).is_ok_and(|text| text != self.given.as_bytes()) {
            self.file.keep();
            writeln!(crate::terminal::stderr(), "what you wrote is kept in {}", self.path.display())?;
        }
        Ok(())
    }
}

fn without_comments(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with('#')).collect()
}

/// The text without the errors of an earlier attempt.
fn without_errors(text: &str) -> String {
    format!("{HEADER}{}", without_comments(text))
}

fn read(text: &str) -> Result<Value, String> {
    let stream = Stream::parse(text).map_err(|error| error.to_string())?;
    let mut documents = stream.documents();
    let file = value::Source::new(&stream);
    let value = documents.next().map(|document| file.value(document));
    let value = value.transpose().map_err(|error| error.to_string())?.flatten();
    match value {
        Some(value) if value.as_map().is_some() && documents.next().is_none() => Ok(value),
        _ => Err("this is not one object".to_owned()),
    }
}
