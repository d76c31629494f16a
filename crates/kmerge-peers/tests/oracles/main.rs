//! Other parsers argue with ours over real, generated and mutated sources: where two of the three peers agree, so do we, or
//! [`disagreements`] says which production decides.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod disagreements;
mod minimal;
mod readings;
mod scalars;
mod sources;
mod unended;

use std::collections::BTreeSet;

use disagreements::{DISAGREEMENTS, is_listed};
use minimal::minimal;
use readings::{Difference, majority, ours};

/// Least sources of the differences that no list explains.
fn unlisted(sources: impl Iterator<Item = String>) -> BTreeSet<String> {
    let explain = |source: String| {
        let difference = Difference::of(&source)?;
        let least = minimal(&source, difference);
        let shown =
            format!("{difference:?}: {least:?}\n  ours     {:?}\n  majority {:?}", ours(&least), majority(&least));
        (!is_listed(difference, &least)).then_some(shown)
    };
    sources.filter_map(explain).collect()
}

fn check(sources: impl Iterator<Item = String>) {
    let unlisted = unlisted(sources);
    let shown: Vec<_> = unlisted.iter().map(String::as_str).collect();
    assert!(unlisted.is_empty(), "{} differences:\n{}", unlisted.len(), shown.join("\n"));
}

#[test]
fn real_manifests_read_alike() {
    let real = sources::real();
    assert!(real.len() > 500, "{} real sources", real.len());
    check(real.into_iter());
}

#[test]
fn generated_sources_read_alike() {
    check(sources::generated(0..200));
}

#[test]
fn mutated_sources_read_alike() {
    let all: Vec<String> = sources::generated(0..60).chain(sources::real()).collect();
    let count = std::env::var("KMERGE_ORACLE_ROUNDS").ok().and_then(|count| count.parse().ok()).unwrap_or(5000);
    check((0..count).map(|seed: u64| sources::mutated(&all[seed as usize % all.len()], seed)));
}

#[test]
fn every_listed_disagreement_is_there() {
    for listed in DISAGREEMENTS {
        assert_eq!(Difference::of(listed.example), Some(listed.difference), "{:?}", listed.example);
        assert!((listed.matches)(listed.example), "{:?}", listed.example);
    }
}
