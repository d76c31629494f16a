//! `kubectl patch --local`: one process for many objects, single runs only for those that fail.

use std::collections::BTreeMap;
use std::process::{Command, Output};

use anyhow::Context;
use serde_json::Value;

use super::{Answer, stderr};

/// The kinds of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatchType {
    Strategic,
    Merge,
    Json,
}

impl PatchType {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Strategic => "strategic",
            Self::Merge => "merge",
            Self::Json => "json",
        }
    }

    /// The media type under which it is sent.
    pub(crate) fn sent(self) -> String {
        let name = if self == Self::Strategic { "strategic-merge" } else { self.name() };
        format!("application/{name}-patch+json")
    }
}

/// How much is to be known about refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusals {
    /// What kubectl says; takes a process for each.
    Told,
    /// Only that it refuses.
    Counted,
}

/// Applies one patch to each of the objects.
pub(crate) fn patch_local(
    objects: &[Value],
    patch: &Value,
    kind: PatchType,
    refusals: Refusals,
) -> anyhow::Result<Vec<Answer>> {
    let numbered: Vec<Value> = objects.iter().enumerate().map(|(index, object)| named(object, index)).collect();
    let mut results = BTreeMap::new();
    let mut start = 0;
    let is_told = loop {
        let output = run(&numbered[start..], patch, kind)?;
        let before = results.len();
        collect(&output, &mut results)?;
        if !stderr(&output).contains("panic:") {
            break !output.status.success() || results.len() - before == numbered.len() - start;
        }
        // The one after the last result made kubectl crash, or was refused before that one.
        start = results.keys().next_back().map_or(start, |last| start.max(last + 1)) + 1;
        if start >= numbered.len() {
            break true;
        }
    };
    let answer = |(index, object): (usize, &Value)| match results.remove(&index) {
        Some(result) => Ok(Ok(unnamed(result))),
        None if refusals == Refusals::Counted && is_told => Ok(Err(String::new())),
        None => single(object, patch, kind),
    };
    numbered.iter().enumerate().map(answer).collect()
}

/// The results that kubectl printed, by their mark.
fn collect(output: &Output, results: &mut BTreeMap<usize, Value>) -> anyhow::Result<()> {
    for result in serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>() {
        let result = result?;
        if let Some(index) = result.pointer(MARK).and_then(Value::as_u64) {
            results.insert(index as usize, result);
        }
    }
    Ok(())
}

/// A field that no patch touches and that tells objects apart.
const MARK: &str = "/mark";

fn named(object: &Value, index: usize) -> Value {
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.insert("mark".to_owned(), index.into());
    }
    object
}

fn unnamed(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.shift_remove("mark");
    }
    object
}

fn single(object: &Value, patch: &Value, kind: PatchType) -> anyhow::Result<Answer> {
    let output = run(std::slice::from_ref(object), patch, kind)?;
    if output.status.success() {
        return Ok(Ok(unnamed(serde_json::from_slice(&output.stdout)?)));
    }
    let said = stderr(&output);
    let panic = said.lines().find(|line| line.starts_with("panic:"));
    let line = panic.or_else(|| said.lines().next()).context("kubectl failed without a word")?;
    Ok(Err(line.trim().to_owned()))
}

fn run(objects: &[Value], patch: &Value, kind: PatchType) -> anyhow::Result<Output> {
    let room = tempfile::tempdir()?;
    let (file, patch_file) = (room.path().join("objects.yaml"), room.path().join("patch.json"));
    let documents: Vec<String> = objects.iter().map(|object| format!("---\n {object}\n")).collect();
    std::fs::write(&file, documents.concat())?;
    std::fs::write(&patch_file, patch.to_string())?;
    let mut command = Command::new("kubectl");
    command.args(["patch", "--local", "--output=json", "--type", kind.name(), "--filename"]).arg(&file);
    command.arg("--patch-file").arg(&patch_file).env("HOME", room.path());
    command.output().context("kubectl cannot be run")
}
