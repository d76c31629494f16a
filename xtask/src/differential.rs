//! `cargo xtask differential [--cases N] [--seed S]`: random objects, configurations and patches, answered by kubectl and
//! by kmerge; every answer has to be the same, list order and refusals included.
//!
//! Half of the cases are applied: the patch that kubectl sends to a server is compared, and then what that patch makes of
//! the live object. The other half is patched.

pub(crate) mod applies;
mod patches;

use std::collections::BTreeMap;
use std::io::Write as _;

use anyhow::{Context as _, bail, ensure};

use crate::ours::Ours;
use crate::random::Random;

/// What has been found so far.
#[derive(Default)]
struct Findings {
    /// How often kubectl gave which kind of answer.
    answers: BTreeMap<&'static str, usize>,
    /// Each difference, told.
    differences: Vec<String>,
}

impl Findings {
    fn count(&mut self, answer: &'static str) {
        *self.answers.entry(answer).or_default() += 1;
    }
}

/// Runs as many cases as the arguments say.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let (cases, seed) = options(arguments)?;
    let ours = Ours::new();
    let mut random = Random::new(seed);
    let mut findings = Findings::default();
    let (mut applied, mut patched) = (0, 0);
    while applied < cases / 2 {
        applied += applies::compare(&ours, &mut random, cases / 2 - applied, &mut findings)?;
    }
    while patched < cases - cases / 2 {
        patched += patches::compare(&ours, &mut random, &mut findings)?;
    }
    let mut out = std::io::stdout().lock();
    for difference in &findings.differences {
        writeln!(out, "{difference}\n")?;
    }
    for (answer, count) in &findings.answers {
        writeln!(out, "{count:7} {answer}")?;
    }
    let differences = findings.differences.len();
    writeln!(out, "{applied} applied, {patched} patched, seed {seed}: {differences} differences")?;
    ensure!(differences == 0, "kmerge and kubectl differ");
    Ok(())
}

fn options(arguments: &[&str]) -> anyhow::Result<(usize, u64)> {
    let (mut cases, mut seed) = (500, 1);
    for pair in arguments.chunks(2) {
        match pair {
            ["--cases", number] => cases = number.parse().context("--cases takes a number")?,
            ["--seed", number] => seed = number.parse().context("--seed takes a number")?,
            _ => bail!("usage: cargo xtask differential [--cases N] [--seed S]"),
        }
    }
    Ok((cases, seed))
}
