//! Runs the editor that the user has chosen.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};
use kmerge_cli::temporary::lend_terminal;

/// Opens a file in the editor that the first of these variables names, else in `vi`, and waits until it ends.
pub(crate) fn open(path: &Path, variables: &[&str]) -> anyhow::Result<()> {
    let editor = variables.iter().find_map(|name| std::env::var(name).ok().filter(|editor| !editor.is_empty()));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    // The variable may hold arguments, so that a shell has to read it.
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg(&editor).arg(path);
    let status = lend_terminal(|| command.status());
    let status = status.with_context(|| format!("cannot run the editor {editor}"))?;
    ensure!(status.success(), "the editor {editor} failed: nothing was changed");
    Ok(())
}
