//! Differences for programs; `docs/report.md` is their contract.

use serde_json::{Value, json};

use super::{Difference, FileDiff};
use crate::report::{Record, TOOL, VERSION, role, version};

/// All differences.
pub(crate) fn to_json(diffs: &[FileDiff]) -> Value {
    json!({
        "version": VERSION,
        "tool": TOOL,
        "files": diffs.iter().map(file).collect::<Vec<_>>(),
    })
}

fn file(FileDiff { name, what }: &FileDiff) -> Value {
    match what {
        Difference::OnlyFirst => json!({ "path": name, "change": "removed" }),
        Difference::OnlySecond => json!({ "path": name, "change": "added" }),
        Difference::Bytes => json!({ "path": name, "change": "changed" }),
        Difference::Lines(diff) => {
            json!({ "path": name, "change": "changed", "lines": diff })
        }
        Difference::Places(places) => {
            json!({ "path": name, "change": "changed", "places": places.iter().map(place).collect::<Vec<_>>() })
        }
    }
}

fn place(record: &Record) -> Value {
    let change = match (&record.sides.dest, &record.sides.incoming) {
        (None, _) => "added",
        (_, None) => "removed",
        _ => "changed",
    };
    json!({
        "resource": record.resource,
        "path": record.path.short().to_string(),
        "role": role(record.role),
        "change": change,
        "a": record.sides.dest.as_ref().map(version),
        "b": record.sides.incoming.as_ref().map(version),
    })
}
