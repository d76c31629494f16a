//! What `kubectl patch --local` makes of an object.

use anyhow::bail;
use serde_json::Value;

use super::{Reasons, Verdict, cases, listed, text};
use crate::kubectl::PatchType;
use crate::ours::Ours;

pub(super) fn reasons() -> anyhow::Result<Reasons> {
    listed("kubectl/apply-divergences.toml", "cases")
}

pub(super) fn verdicts(recorded: &Value) -> anyhow::Result<Vec<Verdict>> {
    let ours = Ours::new();
    let verdict = |(index, case): (usize, &Value)| {
        let kind = match text(case, "type")? {
            "strategic" => PatchType::Strategic,
            "merge" => PatchType::Merge,
            "json" => PatchType::Json,
            other => bail!("no such kind of patch: {other}"),
        };
        let result = ours.patch(&case["object"], &case["patch"], kind);
        let expected = case.get("result").filter(|result| !result.is_null());
        let show = |result: Option<&Value>| result.map_or_else(|| "refused".to_owned(), Value::to_string);
        let difference = (result.as_ref() != expected)
            .then(|| format!("{} instead of {}, {}", show(result.as_ref()), show(expected), case["error"]));
        Ok(Verdict { name: format!("patch {index}"), difference })
    };
    cases(recorded)?.iter().enumerate().map(verdict).collect()
}
