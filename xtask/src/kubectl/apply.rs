//! `kubectl apply` against the loopback server: one process for many objects.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::kinds::KINDS;
use super::patch::{PatchType, Refusals, patch_local};
use super::server::{Sent, Server};
use super::stderr;

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

/// Applies each case, named by its index, to its own live object.
pub(crate) fn apply(cases: &[Case], refusals: Refusals) -> anyhow::Result<Vec<Applied>> {
    let mut answers: Vec<Option<Applied>> = cases.iter().map(|_| None).collect();
    for overwrite in [true, false] {
        let batch: Vec<usize> = (0..cases.len()).filter(|index| cases[*index].overwrite == overwrite).collect();
        if !batch.is_empty() {
            run(cases, &batch, refusals, &mut answers)?;
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

fn run(cases: &[Case], batch: &[usize], refusals: Refusals, answers: &mut [Option<Applied>]) -> anyhow::Result<()> {
    let room = tempfile::tempdir()?;
    let mut live = BTreeMap::new();
    for &index in batch {
        let Case { config, live: object, .. } = &cases[index];
        std::fs::write(room.path().join(format!("{}.json", name(index))), config.to_string())?;
        if let Some(object) = object {
            live.insert(path(config, index)?, object.clone());
        }
    }
    let server = Server::start(live)?;
    let output = kubectl(&server, room.path(), cases[batch[0]].overwrite)?;
    let mut sent = server.stop()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let unchanged = |index: usize| said.lines().any(|line| line.ends_with(&format!("/{} unchanged", name(index))));
    for &index in batch {
        let answer = match sent.remove(&path(&cases[index].config, index)?) {
            Some(sent) => answer(sent),
            None if unchanged(index) => Applied::Unchanged,
            None if refusals == Refusals::Told && batch.len() > 1 => {
                run(cases, &[index], refusals, answers)?;
                continue;
            }
            None => Applied::Refused(if refusals == Refusals::Told { words(&output) } else { String::new() }),
        };
        answers[index] = Some(answer);
    }
    Ok(())
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
    line.map(|line| line.rsplit(".json\": ").next().unwrap_or(line).trim().to_owned()).unwrap_or_default()
}

fn path(config: &Value, index: usize) -> anyhow::Result<String> {
    let text = |field: &str| config[field].as_str().unwrap_or_default();
    let kind = KINDS.iter().find(|kind| kind.api_version == text("apiVersion") && kind.kind == text("kind"));
    Ok(kind.with_context(|| format!("{} is not served", text("kind")))?.path(&name(index)))
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
