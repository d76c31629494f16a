//! `cargo xtask conformance`: yaml-test-suite, case by case, under [`Acceptance::Strict12`]; no case is skipped.
//!
//! A valid case must give exactly the expected events; an invalid case must be rejected with a location in the input.

mod suite;

use anyhow::{bail, ensure};
use kyaml_ast::{Acceptance, Stream};
use std::io::Write;
use suite::Case;

/// How many valid and invalid cases the pinned suite holds.
const EXPECTED: (usize, usize) = (308, 94);

/// Runs the whole suite and fails unless every case passes.
pub(crate) fn run() -> anyhow::Result<()> {
    let cases = suite::load()?;
    let valid = cases.iter().filter(|case| !case.fail).count();
    let counts = (valid, cases.len() - valid);
    ensure!(counts == EXPECTED, "the suite holds {counts:?} cases, expected {EXPECTED:?}");
    let failures: Vec<(&Case, anyhow::Error)> =
        cases.iter().filter_map(|case| check(case).err().map(|error| (case, error))).collect();
    let mut out = std::io::stdout().lock();
    for (case, error) in &failures {
        writeln!(out, "{}: {error:#}\n{:?}\n", case.name, case.yaml)?;
    }
    let failed = |fail| failures.iter().filter(|(case, _)| case.fail == fail).count();
    writeln!(out, "valid {}/{}, invalid {}/{}", counts.0 - failed(false), counts.0, counts.1 - failed(true), counts.1)?;
    if !failures.is_empty() {
        bail!("{} cases fail", failures.len());
    }
    Ok(())
}

fn check(case: &Case) -> anyhow::Result<()> {
    match Stream::parse_with(&case.yaml, Acceptance::Strict12) {
        Ok(_) if case.fail => bail!("accepted, but invalid"),
        Ok(stream) => check_events(&stream, case),
        Err(error) if case.fail => {
            let span = error.span.range();
            ensure!(case.yaml.get(span.clone()).is_some(), "error span {span:?} is not in the input");
            Ok(())
        }
        Err(error) => bail!("rejected: {error}; expected\n{}", case.tree),
    }
}

fn check_events(stream: &Stream<'_>, case: &Case) -> anyhow::Result<()> {
    let expected: Vec<&str> = case.tree.lines().map(str::trim_start).collect();
    let events = stream.events().map(|event| event.to_string());
    let found: Vec<String> = ["+STR".to_owned()].into_iter().chain(events).chain(["-STR".to_owned()]).collect();
    ensure!(found == expected, "events differ\n  found    {found:?}\n  expected {expected:?}");
    Ok(())
}
