//! `cargo xtask conformance`: yaml-test-suite, case by case, under [`Acceptance::Strict12`]; no case is skipped.
//!
//! A valid case must give exactly the expected events and a tape whose invariants hold, with `\n`, `\r\n` and `\r`, and
//! under both policies; an invalid case must be rejected with a location in the input. Extents and gaps tile each valid
//! case, and random edits of it, with grafts from the case before, mean what they say.

pub(crate) mod suite;

use anyhow::{Context, bail, ensure};
use kyaml_ast::{Acceptance, Document, Stream};
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
    let failures: Vec<_> = failures.into_iter().chain(check_edits(&cases)).collect();
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
        Ok(stream) => check_events(&stream, case).and_then(|()| check_variants(case)),
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

/// The tape's invariants hold whatever the line breaks are, and those change no event.
///
/// Under [`Acceptance::KubeCompat`] a valid case is accepted too; a few have another reading there.
fn check_variants(case: &Case) -> anyhow::Result<()> {
    let reference = events(&case.yaml, Acceptance::Strict12)?;
    for line_break in ["\n", "\r\n", "\r"] {
        let source = case.yaml.replace('\n', line_break);
        let found = events(&source, Acceptance::Strict12).with_context(|| format!("with {line_break:?}"))?;
        ensure!(found == reference, "events differ with {line_break:?}: {found:?}");
        events(&source, Acceptance::KubeCompat).with_context(|| format!("as kubectl, with {line_break:?}"))?;
    }
    let trimmed = case.yaml.trim_end_matches('\n');
    events(trimmed, Acceptance::Strict12).context("without final newline")?;
    Ok(())
}

/// How often each case is edited.
const ROUNDS: u64 = 100;

/// The laws of edits on all cases that kubectl takes, too.
fn check_edits(cases: &[Case]) -> Vec<(&Case, anyhow::Error)> {
    let valid: Vec<&Case> = cases
        .iter()
        .filter(|case| !case.fail && Stream::parse(&case.yaml).is_ok() && !case.yaml.contains('\r'))
        .collect();
    let neighbours = valid.iter().zip(valid.iter().cycle().skip(1));
    let failure = |(case, other): (&&'_ Case, &&'_ Case)| edits(case, other).err();
    neighbours.filter_map(|(case, other)| Some((*case, failure((case, other))?))).collect()
}

fn edits(case: &Case, other: &Case) -> anyhow::Result<()> {
    for seed in 0..ROUNDS {
        let source = if seed % 3 == 0 { case.yaml.replace('\n', "\r\n") } else { case.yaml.clone() };
        let source = if seed % 5 == 0 { source.trim_end_matches(['\n', '\r']) } else { &source };
        if Stream::parse(source).is_ok() {
            kmerge_laws::edit_round(source, &other.yaml, seed, 1 + seed as usize % 3)?;
        }
    }
    Ok(())
}

fn events(source: &str, acceptance: Acceptance) -> anyhow::Result<Vec<String>> {
    let stream = Stream::parse_with(source, acceptance)?;
    stream.check_tape()?;
    kmerge_laws::tiling(&stream)?;
    let documents = stream.documents().map(Document::span);
    ensure!(
        documents.map(|span| span.of(source)).collect::<String>() == source,
        "the documents do not tile the source"
    );
    Ok(stream.events().map(|event| event.to_string()).collect())
}
