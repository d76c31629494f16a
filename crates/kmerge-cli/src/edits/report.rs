//! What edits are about, for people and programs. Values are not shown: they may be secrets.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use kmerge_core::edit::{FilePlan, PlacePlan, Script};
use serde_json::json;

use super::Inputs;
use crate::cli::merge::ReportFormat;
use crate::input::STDIO;
use crate::output;
use crate::report::{TOOL, VERSION};

/// Writes the places of all files.
pub(crate) fn write(
    path: &Path,
    format: ReportFormat,
    (script, inputs): (&Script, &Inputs),
    plans: &[FilePlan],
) -> anyhow::Result<()> {
    let text = match format {
        ReportFormat::Json => {
            serde_json::to_string_pretty(&json!({
                "version": VERSION,
                "tool": TOOL,
                "files": inputs.sources.iter().zip(plans).filter(|(_, plan)| !plan.places.is_empty()).map(|(source, plan)| json!({
                    "path": source.name,
                    "changed": plan.text.is_some(),
                    "places": plan.places.iter().map(|place| json!({
                        "statement": place.statement + 1,
                        "action": script.statements[place.statement].action.verb(),
                        "resource": resource(place),
                        "path": place.path.short().to_string(),
                    })).collect::<Vec<_>>(),
                })).collect::<Vec<_>>(),
            }))? + "\n"
        }
        ReportFormat::Text => {
            let mut out = String::new();
            for (source, plan) in inputs.sources.iter().zip(plans) {
                for place in &plan.places {
                    let resource = resource(place);
                    let space = if resource.is_empty() { "" } else { " " };
                    let verb = script.statements[place.statement].action.verb();
                    let _ = writeln!(out, "{}: {verb} {resource}{space}{}", source.name, place.path.short());
                }
            }
            out
        }
    };
    if path.as_os_str() == STDIO {
        std::io::stdout().write_all(text.as_bytes())?;
    } else {
        output::write(path, text.as_bytes())?;
    }
    Ok(())
}

fn resource(place: &PlacePlan) -> String {
    place.resource.as_ref().map(ToString::to_string).unwrap_or_default()
}
