//! What kyaml and kpt make of two and of three documents.

use anyhow::Context as _;
use kmerge_core::{ConflictStyle, ListOrder, MergeError, Policy, Schema, Slots, merge, render, same_value};
use kyaml_ast::{Document, Stream};
use serde_json::Value;

use super::{Reasons, Verdict, cases, listed, text};

pub(super) fn reasons() -> anyhow::Result<Reasons> {
    listed("kyaml/divergences.toml", "probes")
}

pub(super) fn verdicts(recorded: &Value) -> anyhow::Result<Vec<Verdict>> {
    cases(recorded)?.iter().map(verdict).collect()
}

fn verdict(probe: &Value) -> anyhow::Result<Verdict> {
    Ok(Verdict { name: name(text(probe, "id")?)?, difference: difference(probe)? })
}

/// What differs between our result of a probe and kyaml's.
pub(super) fn difference(probe: &Value) -> anyhow::Result<Option<String>> {
    Ok(match (ours(probe)?, probe["kyaml_head_output"].as_str()) {
        (Ok(ours), Some(theirs)) if !is_same(&ours, theirs)? => Some(format!("\n{ours}instead of\n{theirs}")),
        (Ok(ours), None) => Some(format!("\n{ours}instead of an error")),
        (Err(error), Some(_)) => Some(error.to_string()),
        _ => None,
    })
}

/// `probe/kptmerge3/both [kpt visitor]` is listed as `kpt-merge3: both`.
fn name(id: &str) -> anyhow::Result<String> {
    let mut parts = id.splitn(3, '/').skip(1);
    let (operation, name) = (parts.next().context("no operation")?, parts.next().context("no name")?);
    Ok(format!("{}: {}", operation.replace("kptmerge", "kpt-merge"), name.trim_end_matches(" [kpt visitor]")))
}

/// Our result of a probe.
fn ours(probe: &Value) -> anyhow::Result<Result<String, MergeError>> {
    let parse = |name: &str| probe[name].as_str().map(Stream::parse).transpose();
    let (dest, base) = (parse("dest")?, parse("original")?);
    let incoming = parse("updated")?.map_or_else(|| parse("src"), |updated| Ok(Some(updated)))?;
    let sides = Slots { dest: dest.as_ref(), base: base.as_ref(), incoming: incoming.as_ref() };
    let is_prepending = probe["options"]["listIncreaseDirection"] == "prepend";
    let order = if is_prepending { ListOrder::Prepend } else { ListOrder::Append };
    let preset = if base.is_some() { Policy::MERGE3 } else { Policy::MERGE2 };
    let plan = match merge(sides, &Schema::new(), &Policy { order, ..preset }) {
        Ok(plan) => plan,
        Err(error) => return Ok(Err(error)),
    };
    Ok(Ok(render(&plan, sides, &ConflictStyle::Dest)?))
}

/// Whether two answers mean the same, list order included.
fn is_same(ours: &str, theirs: &str) -> anyhow::Result<bool> {
    let (ours, theirs) = (Stream::parse(ours)?, Stream::parse(theirs)?);
    let root = |stream| Stream::documents(stream).next().and_then(Document::root);
    Ok(match (root(&ours), root(&theirs)) {
        (Some(ours), Some(theirs)) => same_value(ours, theirs),
        (ours, theirs) => ours.is_none() == theirs.is_none(),
    })
}
