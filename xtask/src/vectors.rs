//! `cargo xtask vectors DIR`: what other tools answered, recorded in the JSON files of a directory, against our answers.
//!
//! A case agrees, or it diverges for a reason that is listed under `fixtures/`, or it fails; so does a listed one that
//! agrees. Files that no one here can read are named.

mod acceptance;
mod apply;
mod go;
mod kustomize;
mod merges;
mod patch;
mod upstream;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

/// Our answer to one case.
struct Verdict {
    name: String,
    /// What differs, if something does.
    difference: Option<String>,
}

/// Names of cases that differ for a reason.
type Reasons = BTreeMap<String, String>;

/// How the files of one name are read.
struct Reading {
    /// The file's name, without `.json`.
    file: &'static str,
    verdicts: fn(&Value) -> anyhow::Result<Vec<Verdict>>,
    reasons: fn() -> anyhow::Result<Reasons>,
}

const READINGS: [Reading; 6] = [
    Reading { file: "acceptance", verdicts: acceptance::verdicts, reasons: acceptance::reasons },
    Reading { file: "kubectl_apply_curated", verdicts: apply::curated, reasons: apply::reasons },
    Reading { file: "kubectl_apply_random", verdicts: apply::random, reasons: apply::reasons },
    Reading { file: "kubectl_patch_local", verdicts: patch::verdicts, reasons: patch::reasons },
    Reading { file: "kustomize_patches", verdicts: kustomize::verdicts, reasons: || Ok(kustomize::reasons()) },
    Reading { file: "kyaml_probes", verdicts: merges::verdicts, reasons: merges::reasons },
];

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let [directory] = arguments else { bail!("usage: cargo xtask vectors DIR") };
    let entries = std::fs::read_dir(directory).with_context(|| format!("cannot read {directory}"))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let (mut out, mut failed) = (std::io::stdout().lock(), 0);
    for path in paths {
        let file = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        match READINGS.iter().find(|reading| reading.file == file) {
            Some(reading) => failed += check_file(reading, &path, &mut out)?,
            None => writeln!(out, "{file}: skipped, nothing reads it")?,
        }
    }
    for suite in upstream::SUITES {
        let path = Path::new(directory).join(suite.path);
        if path.exists() {
            let read = (suite.read)(&path).with_context(|| format!("cannot read {}", path.display()))?;
            failed += check(suite.name, read.verdicts, &upstream::reasons()?, &mut out)?;
            if read.unread > 0 {
                writeln!(out, "{}: {} not read", suite.name, read.unread)?;
            }
        }
    }
    ensure!(failed == 0, "{failed} cases failed");
    Ok(())
}

fn check_file(reading: &Reading, path: &Path, out: &mut impl std::io::Write) -> anyhow::Result<usize> {
    let recorded: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let reasons = (reading.reasons)()?;
    let verdicts = (reading.verdicts)(&recorded).with_context(|| format!("cannot read {}", path.display()))?;
    check(reading.file, verdicts, &reasons, out)
}

/// Prints what fails and the counts; tells how many fail.
fn check(
    suite: &str,
    verdicts: Vec<Verdict>,
    reasons: &Reasons,
    out: &mut impl std::io::Write,
) -> anyhow::Result<usize> {
    let (mut agree, mut diverge, mut fail) = (0, 0, 0);
    for Verdict { name, difference } in verdicts {
        match (difference, reasons.contains_key(&name)) {
            (None, false) => agree += 1,
            (Some(_), true) => diverge += 1,
            (Some(difference), false) => {
                fail += 1;
                writeln!(out, "{suite}: {name} differs: {difference}")?;
            }
            (None, true) => {
                fail += 1;
                writeln!(out, "{suite}: {name} is listed as divergent, but agrees")?;
            }
        }
    }
    writeln!(out, "{suite}: {agree} agree, {diverge} diverge, {fail} fail")?;
    Ok(fail)
}

/// A text field of a case.
fn text<'v>(case: &'v Value, field: &str) -> anyhow::Result<&'v str> {
    case[field].as_str().with_context(|| format!("a case without {field}"))
}

/// The cases of a file: all of it, or its field `cases`.
fn cases(recorded: &Value) -> anyhow::Result<&Vec<Value>> {
    recorded.as_array().or_else(|| recorded["cases"].as_array()).context("there are no cases")
}

/// Names under the groups of a list of divergences, which is a file below `fixtures/`.
fn listed(file: &str, names: &str) -> anyhow::Result<Reasons> {
    let path = crate::fixtures::root().join(file);
    let list: toml::Table = std::fs::read_to_string(&path)?.parse()?;
    let mut reasons = Reasons::new();
    for group in list.get("group").and_then(toml::Value::as_array).into_iter().flatten() {
        let reason = group.get("reason").and_then(toml::Value::as_str).context("a group without a reason")?;
        let names = group.get(names).and_then(toml::Value::as_array).context("a group without cases")?;
        reasons.extend(names.iter().filter_map(toml::Value::as_str).map(|name| (name.to_owned(), reason.to_owned())));
    }
    Ok(reasons)
}
