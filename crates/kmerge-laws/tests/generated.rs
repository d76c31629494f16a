//! The laws of trees and edits on generated documents.
//!
//! `KMERGE_LAW_ROUNDS` and `KMERGE_LAW_FIRST` widen the search: how many seeds, and the first of them.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::ops::Range;

use kmerge_laws::{Outcome, carriage_round, edit_round, tiling};
use kmerge_testgen::random_stream;
use kyaml_ast::Stream;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn seeds() -> Range<u64> {
    let first = number("KMERGE_LAW_FIRST").unwrap_or(0);
    first..first + number("KMERGE_LAW_ROUNDS").unwrap_or(4000)
}

#[test]
fn extents_and_gaps_tile_the_source() {
    for seed in seeds() {
        let text = random_stream(seed, 2 + seed as usize % 60).text();
        let stream = Stream::parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        tiling(&stream).unwrap_or_else(|broken| panic!("seed {seed}: {broken}\n{text}"));
    }
}

#[test]
fn edits_do_what_they_say_and_nothing_else() {
    let mut refused = 0;
    for seed in seeds() {
        let text = random_stream(seed, 1 + seed as usize % 14).text();
        let other = random_stream(!seed, 1 + seed as usize % 10).text();
        let count = 1 + (seed % 7).saturating_sub(4) as usize;
        let outcome = edit_round(&text, &other, seed, count).unwrap_or_else(|broken| panic!("{broken}"));
        refused += u64::from(outcome == Outcome::Refused);
    }
    assert!(refused * 1000 <= seeds().end - seeds().start, "{refused} of {:?} were refused", seeds());
}

#[test]
fn carriage_returns_are_line_breaks() {
    for seed in seeds().step_by(8) {
        let text = random_stream(seed, 1 + seed as usize % 14).text().replace('\r', "");
        let other = random_stream(!seed, 1 + seed as usize % 10).text().replace('\r', "");
        carriage_round(&text, &other, seed, 1 + seed as usize % 3).unwrap_or_else(|broken| panic!("{broken}\n{text}"));
    }
}
