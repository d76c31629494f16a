//! Random scripts of edits on generated manifests and on the files of the repository.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::Path;

use kmerge_laws::{scripts, there_and_back};
use kmerge_testgen::{manifest_stream, random_stream};

fn rounds() -> u64 {
    std::env::var("KMERGE_LAW_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(300)
}

#[test]
fn scripts_mean_what_edits_of_values_mean() {
    let (mut broken, mut made) = (Vec::new(), 0);
    for seed in 0..rounds() {
        let generated = if seed % 3 == 0 { random_stream(seed, 12) } else { manifest_stream(seed, 1) };
        match scripts(&generated.text(), seed, 1 + seed as usize % 6) {
            Ok(count) => made += count,
            Err(error) => broken.push(format!("seed {seed}: {error}")),
        }
    }
    assert!(broken.is_empty(), "{} break a law:\n\n{}", broken.len(), broken[..broken.len().min(4)].join("\n\n"));
    assert!(made as u64 > rounds(), "{made} statements were made");
}

#[test]
fn what_comes_and_goes_leaves_no_trace() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/edit");
    let mut broken = Vec::new();
    for case in suite.read_dir().unwrap() {
        let text = std::fs::read_to_string(case.unwrap().path().join("input.yaml")).unwrap();
        broken.extend(there_and_back(&text).err());
    }
    for seed in 0..rounds() / 10 {
        broken.extend(there_and_back(&manifest_stream(seed, 1).text()).err());
    }
    let shown: Vec<String> = broken.iter().take(4).map(ToString::to_string).collect();
    assert!(broken.is_empty(), "{} texts break a law:\n\n{}", broken.len(), shown.join("\n\n"));
}
