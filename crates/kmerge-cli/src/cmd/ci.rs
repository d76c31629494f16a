//! `kmerge ci`: what a merge of two commits would be.

mod comment;
mod diff;

use std::io::Write as _;

use anyhow::ensure;
use kmerge_core::Schema;
use kmerge_core::git::merge;
use kmerge_core::lines::Texts;
use serde_json::{Value, json};

use crate::cli::ci::{CiArgs, CiFormat};
use crate::dispute::{self, Dispute, PLAIN};
use crate::exit::Exit;
use crate::git;
use crate::git::merge_tree::{MergedTree, Merger};
use crate::git::objects::Git;
use crate::options::configured_schema;
use crate::report::{TOOL, VERSION, role, version};
use crate::setup::attributes;
use crate::workflow::Annotation;

pub(crate) fn run(args: &CiArgs) -> anyhow::Result<Exit> {
    git::require_repository("")?;
    let merger = Merger::new("")?;
    let [base, head] = [merger.git.commit(&args.base)?, merger.git.commit(&args.head)?];
    ensure!(
        !merger.git.merge_bases(&base, &head)?.is_empty(),
        "{} and {} have no common ancestor",
        args.base,
        args.head
    );
    let merged = merger.merge(&args.base, &args.head)?;
    let conflicts = conflicts(&merger.git, &merged, &schema()?)?;
    let mut out = std::io::stdout().lock();
    match args.format {
        CiFormat::Json => {
            write!(out, "{}", crate::terminal::json(&to_json(args, [&base, &head], &merged, &conflicts)))?
        }
        CiFormat::Github => {
            conflicts.iter().flat_map(Conflict::annotations).try_for_each(|line| write!(out, "{line}"))?
        }
        CiFormat::Markdown => write!(out, "{}", comment::body(args, &merged, &conflicts))?,
        CiFormat::Text if args.diff => diff::print(&merger.git, &base, &merged.tree)?,
        CiFormat::Text => writeln!(out, "{}", merged.tree)?,
    }
    if args.format == CiFormat::Text && !args.quiet {
        // Where the diff or the tree's id goes on to a program, people still see the conflicts.
        conflicts
            .iter()
            .flat_map(Conflict::lines)
            .try_for_each(|line| writeln!(crate::terminal::stderr(), "{line}"))?;
    }
    Ok(if merged.is_clean { Exit::Clean } else { Exit::Findings })
}

/// What is in conflict in one file, or what git says where no file's content is.
#[derive(Debug)]
struct Conflict {
    /// Its path; several where git says so.
    paths: Vec<String>,
    /// Such as `CONFLICT (contents)`.
    kind: String,
    message: String,
    places: Vec<Dispute>,
}

impl Conflict {
    fn lines(&self) -> Vec<String> {
        if self.places.is_empty() {
            return vec![self.message.clone()];
        }
        let path = self.paths.join(", ");
        self.places.iter().map(|place| format!("{path}: {}: {}", place.place(), place.what(PLAIN))).collect()
    }

    /// An annotation for each place, where the version of BASE has it.
    fn annotations(&self) -> Vec<String> {
        let file = self.paths.first().map_or("", String::as_str);
        let annotation = |at, message: &str| Annotation { level: "error", file, at, title: "conflict", message }.line();
        if self.places.is_empty() {
            return vec![annotation(None, &self.message)];
        }
        let place = |place: &Dispute| {
            annotation(place.ours.as_ref().map(|it| it.from), &format!("{}: {}", place.place(), place.what(PLAIN)))
        };
        self.places.iter().map(place).collect()
    }
}

/// The rules that the driver has merged with: broken ones do not stop it, but what it said of them git has kept to itself.
fn schema() -> std::io::Result<Schema> {
    let without = |error: anyhow::Error| {
        writeln!(crate::terminal::stderr(), "merged without the rules of the configuration file: {error:#}")?;
        Ok(Schema::new())
    };
    configured_schema().or_else(without)
}

fn conflicts(git: &Git, merged: &MergedTree, schema: &Schema) -> anyhow::Result<Vec<Conflict>> {
    let mut blobs = git.blobs()?;
    let mut found = Vec::new();
    for message in merged.messages.iter().filter(|message| message.kind.starts_with("CONFLICT")) {
        let mut conflict = Conflict {
            paths: message.paths.clone(),
            kind: message.kind.clone(),
            message: message.text.clone(),
            places: Vec::new(),
        };
        if message.kind == "CONFLICT (contents)"
            && let [path] = message.paths.as_slice()
            && attributes::is_manifest(path)
            && let Some([base, Some(ours), Some(theirs)]) = merged.unmerged.get(path)
        {
            let base = base.as_ref().map_or_else(|| Ok(Vec::new()), |base| blobs.read(base))?;
            let [ours, theirs] = [blobs.read(ours)?, blobs.read(theirs)?];
            let texts = Texts { base: &base, ours: &ours, theirs: &theirs };
            let merged = merge(texts, schema);
            conflict.places = merged.views().iter().flat_map(|it| dispute::disputes_in_files(it, texts)).collect();
            if let Some(reason) = merged.reason() {
                conflict.message = format!("{path}: {} ({})", conflict.message, dispute::reason(reason));
            }
        }
        found.push(conflict);
    }
    Ok(found)
}

fn to_json(args: &CiArgs, [base, head]: [&str; 2], merged: &MergedTree, conflicts: &[Conflict]) -> Value {
    json!({
        "version": VERSION,
        "tool": TOOL,
        "base": { "name": args.base, "commit": base },
        "head": { "name": args.head, "commit": head },
        "tree": merged.tree,
        "clean": merged.is_clean,
        "conflicts": conflicts.iter().map(conflict).collect::<Vec<_>>(),
    })
}

fn conflict(conflict: &Conflict) -> Value {
    let place = |place: &Dispute| {
        json!({
            "resource": place.resource,
            "path": place.path,
            "role": role(place.role),
            "why": place.why(),
            "ours": place.ours.as_ref().map(version),
            "base": place.base.as_ref().map(version),
            "theirs": place.theirs.as_ref().map(version),
        })
    };
    json!({
        "files": conflict.paths,
        "kind": conflict.kind,
        "message": conflict.message,
        "places": conflict.places.iter().map(place).collect::<Vec<_>>(),
    })
}
