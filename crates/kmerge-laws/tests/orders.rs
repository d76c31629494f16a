//! The laws of lists on random cases of every shape.
//!
//! `KMERGE_LAW_ROUNDS` and `KMERGE_LAW_FIRST` widen the search: how many cases, and the seed.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kmerge_core::Schema;
use kmerge_laws::{OrderCase, Shape};
use kmerge_testgen::Rng;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn lists_keep_what_both_sides_did() {
    let (schema, mut random) = (Schema::new(), Rng::new(number("KMERGE_LAW_FIRST").unwrap_or(1)));
    let count = number("KMERGE_LAW_ROUNDS").unwrap_or(350) as usize;
    let mut seen = 0;
    for shape in Shape::ALL.into_iter().cycle().take(count) {
        let case = OrderCase::random(shape, &mut random);
        let faults = case.faults(&schema);
        assert!(faults.is_empty(), "{shape:?}: {faults:?}\n{}", case.texts().join("---\n"));
        seen += 1;
    }
    assert_eq!(seen, count);
}
