//! What `kubectl apply` sends, and what that leaves of the live object.

use anyhow::Context as _;
use kmerge_core::value::{self, Source};
use kyaml_ast::Stream;
use serde_json::{Value, json};

use super::{Reasons, Verdict, cases, listed, text};
use crate::kubectl::Applied;
use crate::ours::{Ours, own};

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

pub(super) fn reasons() -> anyhow::Result<Reasons> {
    listed("kubectl/apply-divergences.toml", "cases")
}

/// Cases that people wrote, their configurations in YAML.
pub(super) fn curated(recorded: &Value) -> anyhow::Result<Vec<Verdict>> {
    let ours = Ours::new();
    let verdict = |case: &Value| {
        let config = from_yaml(text(case, "localYaml")?)?;
        let arguments = case["args"].as_array().context("a case without args")?;
        let overwrite = !arguments.contains(&json!("--overwrite=false"));
        let difference = difference(case, ours.apply(live(case).as_ref(), &config, overwrite));
        Ok(Verdict { name: text(case, "title")?.to_owned(), difference })
    };
    cases(recorded)?.iter().map(verdict).collect()
}

/// Cases that a generator made.
pub(super) fn random(recorded: &Value) -> anyhow::Result<Vec<Verdict>> {
    let ours = Ours::new();
    let verdict = |case: &Value| {
        let overwrite = case["overwrite"].as_bool().context("a case without overwrite")?;
        let answer = ours.apply(live(case).as_ref(), &own(&case["local"]), overwrite);
        Ok(Verdict { name: format!("random {}", case["id"]), difference: difference(case, answer) })
    };
    cases(recorded)?.iter().map(verdict).collect()
}

fn from_yaml(text: &str) -> anyhow::Result<value::Value> {
    let stream = Stream::parse(text)?;
    let document = stream.documents().next().context("no document")?;
    let value = Source::new(&stream).value(document)?;
    value.context("an empty document")
}

/// The live object with its annotation.
fn live(case: &Value) -> Option<Value> {
    let mut live = Some(case["live"].clone()).filter(|live| !live.is_null())?;
    let annotation = match &case["lastApplied"] {
        Value::Null => return Some(live),
        Value::String(text) => text.clone(),
        object => format!("{object}\n"),
    };
    if !live["metadata"]["annotations"].is_object() {
        live["metadata"]["annotations"] = json!({});
    }
    live["metadata"]["annotations"][ANNOTATION] = annotation.into();
    Some(live)
}

/// What differs between the recorded answer and ours.
fn difference(case: &Value, (sent, result): (Applied, Option<Value>)) -> Option<String> {
    let recorded = match case["verb"].as_str() {
        Some("unchanged") => Applied::Unchanged,
        Some("created") => Applied::Created(case["created"].clone()),
        Some(_) => {
            let media_type = format!("application/{}+json", case["patchType"].as_str().unwrap_or_default());
            Applied::Configured(media_type, case["patch"].clone())
        }
        None => Applied::Refused(String::new()),
    };
    if sent != recorded {
        return Some(format!("{sent:?} instead of {recorded:?}"));
    }
    let expected = case.get("result").cloned();
    (matches!(sent, Applied::Configured(..)) && result != expected)
        .then(|| format!("{} instead of {}", json!(result), json!(expected)))
}
