//! `cargo xtask api [--check]`: lists what is public in the libraries, one thing a line.
//!
//! The lists are in `xtask/api`. A change of a public item is then a line of a diff that somebody reviews. They are read from the
//! sources, so that every toolchain writes the same: what a macro would add is not in them.

mod list;
mod module;
mod names;

use std::path::Path;

use anyhow::{Context as _, bail, ensure};

const CRATES: [&str; 2] = ["kyaml-ast", "kmerge-core"];

/// Writes the lists, or compares them with `--check`.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let is_check = match arguments {
        [] => false,
        ["--check"] => true,
        _ => bail!("usage: cargo xtask api [--check]"),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the workspace is above xtask")?;
    for name in CRATES {
        let file = root.join("xtask/api").join(format!("{name}.txt"));
        let listing = list::of(&root.join("crates").join(name).join("src/lib.rs"), &name.replace('-', "_"))?;
        if is_check {
            let known = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            ensure!(known == listing, "{}\n`cargo xtask api` writes the list anew", difference(name, &known, &listing));
        } else {
            std::fs::write(&file, listing)?;
        }
    }
    Ok(())
}

/// The lines that only one of two lists has.
fn difference(name: &str, known: &str, listing: &str) -> String {
    let only = |one: &str, other: &str, sign: char| -> Vec<String> {
        let other: std::collections::BTreeSet<&str> = other.lines().collect();
        one.lines().filter(|line| !other.contains(line)).map(|line| format!("{sign} {line}")).collect()
    };
    let lines = [only(known, listing, '-'), only(listing, known, '+')].concat();
    format!("the public items of {name} are not those of xtask/api/{name}.txt:\n{}", lines.join("\n"))
}
