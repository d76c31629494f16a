//! `cargo xtask hostile [BINARY]`: puts hostile trees, repositories, Secrets and loads to a built `kmerge`, and prints a
//! table of what was tried and what failed. `docs/security.md` names the promise behind each row.
//!
//! Every try has a room of its own, with a directory `outside` that nothing may change, a time limit and a memory limit.
//! Ignores what has a test beside the code: this is the whole program, as a user runs it.

mod files;
mod git;
mod load;
mod room;
mod secrets;
mod terminal;
mod trees;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use room::Program;

/// What one kind of attack came to.
#[derive(Debug, Default)]
pub(crate) struct Tries {
    tried: usize,
    failures: Vec<String>,
}

impl Tries {
    /// Counts one try; what it found wrong is a failure.
    fn add(&mut self, name: &str, wrong: Option<String>) {
        self.tried += 1;
        self.failures.extend(wrong.map(|wrong| format!("{name}: {wrong}")));
    }
}

type Attack = fn(&Program, &mut Tries) -> anyhow::Result<()>;

/// The rows of the table, in its order.
const ATTACKS: &[(&str, Attack)] = &[
    ("transaction directory that comes with a tree", trees::transaction),
    ("directories of a tree that are links", trees::links),
    ("directory swapped for a link during a merge", trees::swapped),
    ("git's own directory, in many spellings", trees::git_directory),
    ("pipes and devices in a tree", trees::special_files),
    ("kmerge.yaml that leads out of the tree", trees::rules_link),
    ("kustomizations in cycles and diamonds", trees::bases),
    ("repository that names programs", git::programs),
    ("setup through links", git::setup_links),
    ("words of Secrets in outputs", secrets::words),
    ("control characters in outputs", terminal::controls),
    ("in-place edits at the same time", files::concurrent),
    ("modes and owners of edited files", files::modes),
    ("signals during an edit", files::signals),
    ("input without end", load::endless),
    ("shapes that take quadratic time", load::shapes),
];

/// Runs all attacks, or those whose row holds a word.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let (binary, only) = match arguments {
        ["--only", word, binary @ ..] => (binary.first(), Some(*word)),
        binary => (binary.first(), None),
    };
    let program = Program::new(&binary.map_or_else(usual_binary, PathBuf::from))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "| attack | tried | failures |\n|---|---|---|")?;
    let mut failures = Vec::new();
    for (name, attack) in ATTACKS.iter().filter(|(name, _)| only.is_none_or(|word| name.contains(word))) {
        let mut tries = Tries::default();
        attack(&program, &mut tries).with_context(|| format!("cannot try: {name}"))?;
        ensure!(tries.tried > 0, "nothing was tried: {name}");
        writeln!(out, "| {name} | {} | {} |", tries.tried, tries.failures.len())?;
        failures.extend(tries.failures);
    }
    for failure in &failures {
        writeln!(out, "{failure}")?;
    }
    ensure!(failures.is_empty(), "{} tries failed", failures.len());
    Ok(())
}

fn usual_binary() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/kmerge")
}
