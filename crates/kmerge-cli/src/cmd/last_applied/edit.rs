//! `kmerge last-applied edit`: the annotation as YAML in an editor, until it is valid or given up.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use kmerge_core::apply::documents::Documents;
use kmerge_core::apply::last_applied::{set, text, text_for};
use kmerge_core::apply::objects::Object;
use kmerge_core::reconcile::Comments;
use kmerge_core::value::{self, Reader, Value, from_json, to_yaml};
use kyaml_ast::{Stream, StreamId};

use super::view::not_json;
use crate::cli::apply::EditArgs;
use crate::deliver::Target;
use crate::diagnostic::{Code, Diagnostic};
use crate::exit::Exit;
use crate::input::Source;
use crate::manifest;

const HEADER: &str = "\
# What was applied last. Lines that start with '#' are ignored; an unchanged file changes nothing.
# A field that is taken out here and out of the configuration stays as it is from then on.
#
";

pub(super) fn run(args: &EditArgs) -> anyhow::Result<Exit> {
    let target = Target::new(&args.target, &args.objects.file)?;
    let source = Source::read(&args.objects.file)?;
    let stream = source.parse_mergeable()?;
    let file = value::Source::new(&stream);
    let found = manifest::selected(&source, &file, args.objects.select.as_deref())?;
    ensure!(found.len() == 1, "{} holds {} objects: --select chooses one", source.name, found.len());
    let mut documents = Documents::new(&file);
    let own = manifest::value_mut(&mut documents, &found[0], &source)?;
    let Some(own) = own.as_map_mut() else { bail!("{} is no object", found[0].id) };
    let Some(before) = text(own) else { return Err(missing(&found[0], &source).into()) };
    let before = from_json(before).map_err(|error| not_json(&error, &found[0], &source))?;
    if let Some(after) = edited(&before)? {
        set(own, text_for(&after));
    }
    target.deliver(&manifest::write(documents, Comments::OfChanges, &source)?, &source)
}

fn missing(object: &Object, source: &Source) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::Apply, format!("{} has no last-applied annotation", object.id));
    diagnostic.at(source, object.span, "").help("kmerge last-applied set --create writes one")
}

/// What the user makes of a value; `None` where nothing changed.
fn edited(before: &Value) -> anyhow::Result<Option<Value>> {
    let room = tempfile::Builder::new().prefix("kmerge-edit-").suffix(".yaml").tempfile()?;
    let body = to_yaml(before);
    let mut text = format!("{HEADER}{body}");
    let mut refused = None;
    loop {
        std::fs::write(room.path(), &text)?;
        open_editor(room.path())?;
        let after = std::fs::read_to_string(room.path()).context("cannot read back what was edited")?;
        if after == text || without_comments(&after) == body {
            return Ok(None);
        }
        match read(&after) {
            Ok(value) => return Ok((value != *before).then_some(value)),
            Err(error) => {
                let own = without_comments(&after);
                ensure!(refused.as_ref() != Some(&own), "still not valid, nothing was changed: {error}");
                text = format!("# {}\n#\n{}", error.replace('\n', "\n# "), without_errors(&after));
                refused = Some(own);
            }
        }
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
    let value = documents.next().map(|document| Reader::new(&file, StreamId(0)).document(document));
    let value = value.transpose().map_err(|error| error.to_string())?.flatten();
    match value {
        Some(value) if value.as_map().is_some() && documents.next().is_none() => Ok(value),
        _ => Err("this is not one object".to_owned()),
    }
}

fn open_editor(path: &Path) -> anyhow::Result<()> {
    let names = ["KUBE_EDITOR", "VISUAL", "EDITOR"];
    let editor = names.iter().find_map(|name| std::env::var(name).ok().filter(|editor| !editor.is_empty()));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    // The variable may hold arguments, so that a shell has to read it.
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg(&editor).arg(path).status();
    let status = status.with_context(|| format!("cannot run the editor {editor}"))?;
    ensure!(status.success(), "the editor {editor} failed: nothing was changed");
    Ok(())
}
