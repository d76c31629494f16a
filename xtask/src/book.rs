//! `cargo xtask book`: builds the book in `docs` with `mdbook`, and takes a warning for an error.
//!
//! Links and anchors are checked by the tests of `kmerge-cli` (`tests/docs.rs`), without mdbook.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail, ensure};

/// Writes the book to `target/book`.
pub(crate) fn run() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = match Command::new("mdbook").arg("build").arg(&root).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("mdbook is not installed: `cargo install --locked --no-default-features mdbook`")
        }
        output => output.context("cannot run mdbook")?,
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let is_clean = output.status.success() && !said.contains("WARN") && !said.contains("ERROR");
    ensure!(is_clean, "mdbook is not content:\n{said}");
    Ok(())
}
