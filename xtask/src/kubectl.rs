//! Runs the real kubectl, for the recorder and for the differential run.

mod apply;
mod kinds;
mod patch;
mod server;

use std::process::{Command, Output};

use anyhow::{Context, ensure};
use serde_json::Value;

pub(crate) use apply::{Applied, Case, apply, apply_text, name, named, result};
pub(crate) use kinds::KINDS;
pub(crate) use patch::{PatchType, Refusals, patch_local};

/// What kubectl made of a case: an object, or the first line of its complaint.
pub(crate) type Answer = Result<Value, String>;

/// kubectl's own version.
pub(crate) fn version() -> anyhow::Result<String> {
    let output = Command::new("kubectl").args(["version", "--client"]).output()?;
    ensure!(output.status.success(), "kubectl version: {}", stderr(&output));
    let text = String::from_utf8(output.stdout)?;
    let word = text.lines().next().and_then(|line| line.split_whitespace().last());
    Ok(word.context("kubectl does not say its version")?.to_owned())
}

pub(super) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
