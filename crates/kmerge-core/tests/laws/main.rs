//! The laws of merging, on generated triples.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, unreachable_pub)]

mod laws;

use kmerge_testgen::{Triple, manifest_triple, random_triple};

fn check(triple: &Triple, seed: u64) {
    laws::check([&triple.base.text(), &triple.dest.text(), &triple.incoming.text()], seed);
}

#[test]
fn laws_hold_on_manifests() {
    for seed in 0..150 {
        check(&manifest_triple(seed, 3, 3), seed);
    }
}

#[test]
fn laws_hold_on_arbitrary_documents() {
    for seed in 0..300 {
        check(&random_triple(seed, 30, 2), seed);
    }
}
