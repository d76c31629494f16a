//! `kubectl apply` against the loopback server: one process for many objects.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::kinds::KINDS;
use super::patch::{PatchType, Refusals, patch_local};
use super::server::{Sent, Server};
use super::stderr;
use crate::parallel;

/// Something to apply; see [`named`].
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) config: Value,
    /// `None`: there is no such object.
    pub(crate) live: Option<Value>,
    /// The text of the live object's annotation.
    pub(crate) last_applied: Option<String>,
    pub(crate) overwrite: bool,
}

/// What kubectl did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    /// It sent this object.
    Created(Value),
    /// It sent a patch of this media type.
    Configured(String, Value),
    /// It sent nothing.
    Unchanged,
    /// It refused, with these words.
    Refused(String),
}

/// The annotation's name.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Cases for one process: kubectl slows down after some hundred requests.
const BATCH: usize = 120;

/// Applies each case, named by its index, to its own live object.
pub(crate) fn apply(cases: &[Case], refusals: Refusals) -> anyhow::Result<Vec<Applied>> {
    let mut answers: Vec<Option<Applied>> = cases.iter().map(|_| None).collect();
    for overwrite in [true, false] {
        let some: Vec<usize> = (0..cases.len()).filter(|index| cases[*index].overwrite == overwrite).collect();
        let batches: Vec<&[usize]> = some.chunks(BATCH).collect();
        for answer in parallel::map(&batches, |batch| run(cases, batch, refusals))?.into_iter().flatten() {
            answers[answer.0] = Some(answer.1);
        }
    }
    answers.into_iter().map(|answer| answer.context("a case without an answer")).collect()
}

/// The name of the object of a case.
pub(crate) fn name(index: usize) -> String {
    format!("c{index:05}")
}

/// A case's objects under the name for its index, the live one with its annotation.
pub(crate) fn named(case: &Case, index: usize) -> Case {
    let mut case = case.clone();
    set_name(&mut case.config, index);
    if let Some(live) = &mut case.live {
        set_name(live, index);
        live["metadata"]["namespace"] = "default".into();
        if let Some(text) = &case.last_applied {
            if !live["metadata"]["annotations"].is_object() {
                live["metadata"]["annotations"] = json!({});
            }
            live["metadata"]["annotations"][LAST_APPLIED] = text.as_str().into();
        }
    }
    case
}

fn set_name(object: &mut Value, index: usize) {
    object["metadata"]["name"] = name(index).into();
}

fn run(cases: &[Case], batch: &[usize], refusals: Refusals) -> anyhow::Result<Vec<(usize, Applied)>> {
    let mut live = BTreeMap::new();
    for Case { config, live: object, .. } in batch.iter().map(|&index| &cases[index]) {
        if let Some(object) = object {
            live.insert(path(config)?, object.clone());
        }
    }
    let texts: Vec<String> = batch.iter().map(|&index| cases[index].config.to_string()).collect();
    let (output, mut sent) = exchange(&texts, live, cases[batch[0]].overwrite)?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let unchanged = said.lines().filter_map(|line| line.strip_suffix(" unchanged")?.rsplit('/').next());
    let unchanged: BTreeSet<&str> = unchanged.collect();
    let answer = |&index: &usize| {
        let config = &cases[index].config;
        Ok(match sent.remove(&path(config)?) {
            Some(sent) => (index, answer(sent)),
            None if unchanged.contains(name_of(config)) => (index, Applied::Unchanged),
            None if refusals == Refusals::Counted => (index, Applied::Refused(String::new())),
            None if batch.len() == 1 => (index, Applied::Refused(words(&output))),
            None => run(cases, &[index], refusals)?.pop().context("a case without an answer")?,
        })
    };
    batch.iter().map(answer).collect()
}

/// Applies a text that holds one object, read as `config`, to a live object.
pub(crate) fn apply_text(text: &str, config: &Value, live: Option<Value>, overwrite: bool) -> anyhow::Result<Applied> {
    let path = path(config)?;
    let live = live.map(|live| (path.clone(), live)).into_iter().collect();
    let (output, mut sent) = exchange(&[text.to_owned()], live, overwrite)?;
    let is_unchanged = || String::from_utf8_lossy(&output.stdout).trim_end().ends_with(" unchanged");
    Ok(match sent.remove(&path) {
        Some(sent) => answer(sent),
        None if is_unchanged() => Applied::Unchanged,
        None => Applied::Refused(words(&output)),
    })
}

/// Runs kubectl on some texts and a server with some objects; tells what it sent for which path.
fn exchange(
    texts: &[String],
    live: BTreeMap<String, Value>,
    overwrite: bool,
) -> anyhow::Result<(Output, BTreeMap<String, Sent>)> {
    let room = tempfile::tempdir()?;
    for (index, text) in texts.iter().enumerate() {
        std::fs::write(room.path().join(format!("{index:05}.yaml")), text)?;
    }
    let server = Server::start(live)?;
    let output = kubectl(&server, room.path(), overwrite)?;
    Ok((output, server.stop()?))
}

/// What the patch that was sent for a case leaves of the live object; `None` where it cannot be applied.
pub(crate) fn result(case: &Case, sent: &Applied) -> anyhow::Result<Option<Value>> {
    let (Applied::Configured(media_type, patch), Some(live)) = (sent, &case.live) else { return Ok(None) };
    let kind = if *media_type == PatchType::Merge.sent() { PatchType::Merge } else { PatchType::Strategic };
    let mut answers = patch_local(std::slice::from_ref(live), patch, kind, Refusals::Counted)?;
    Ok(answers.pop().and_then(Result::ok))
}

fn answer(sent: Sent) -> Applied {
    match sent.method.as_str() {
        "POST" => Applied::Created(sent.body),
        _ => Applied::Configured(sent.content_type, sent.body),
    }
}

/// What kubectl said about the only case, without what it quotes.
fn words(output: &Output) -> String {
    let said = stderr(output);
    let panic = said.lines().find(|line| line.starts_with("panic:"));
    let line = panic.or_else(|| said.lines().rev().find(|line| !line.trim().is_empty()));
    line.map(|line| line.rsplit(".yaml\": ").next().unwrap_or(line).trim().to_owned()).unwrap_or_default()
}

fn name_of(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

fn path(object: &Value) -> anyhow::Result<String> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let kind = KINDS.iter().find(|kind| kind.api_version == text("apiVersion") && kind.kind == text("kind"));
    Ok(kind.with_context(|| format!("{} is not served", text("kind")))?.path(name_of(object)))
}

fn kubectl(server: &Server, files: &Path, overwrite: bool) -> anyhow::Result<Output> {
    let home = tempfile::tempdir()?;
    let mut command = Command::new("kubectl");
    command.arg(format!("--server={}", server.url())).args(["apply", "--validate=false", "--openapi-patch=false"]);
    command.arg(format!("--overwrite={overwrite}")).arg("--filename").arg(files);
    command.env("HOME", home.path()).env("KUBECONFIG", "").env_remove("HTTP_PROXY").env_remove("http_proxy");
    let output = command.output().context("kubectl cannot be run")?;
    let said = stderr(&output);
    ensure!(!said.contains("unable to recognize") && !said.contains("connection refused"), "{said}");
    Ok(output)
}
