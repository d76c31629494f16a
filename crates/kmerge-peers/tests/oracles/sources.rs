//! Sources to argue about: real manifests, generated ones, and mutations of both.

use std::fs;
use std::path::{Path, PathBuf};

use kmerge_testgen::Rng;

const TOKENS: [&str; 40] = [
    "- ",
    "? ",
    ": ",
    ":",
    "\n",
    "\n  ",
    "\n- ",
    "#",
    " # c",
    "&a ",
    "*a",
    "!!str ",
    "!t ",
    "'",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "|\n ",
    ">\n ",
    "|-\n ",
    ">+\n ",
    "|2\n  ",
    "---\n",
    "...\n",
    "%YAML 1.2\n---\n",
    "\\n",
    "\\\n",
    "''",
    " ",
    "  ",
    "\r\n",
    "a",
    "0x1F",
    "~",
    "null",
    "@",
    "`",
];

/// The YAML files among the fixtures.
pub(crate) fn real() -> Vec<String> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).expect("a readable directory") {
            let path = entry.expect("a readable entry").path();
            match path.extension().and_then(std::ffi::OsStr::to_str) {
                _ if path.is_dir() => open.push(path),
                Some("yaml" | "yml") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let mut sources: Vec<String> = files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
    sources.sort();
    sources.dedup();
    sources
}

pub(crate) fn generated(seeds: std::ops::Range<u64>) -> impl Iterator<Item = String> {
    seeds.flat_map(|seed| {
        let manifest = kmerge_testgen::manifest_stream(seed, 2).text();
        [manifest.clone(), kmerge_testgen::random_stream(seed, 24).text()]
    })
}

/// A part of a source (so that what went wrong is seen soon) with up to three tokens put in, taken out or doubled.
pub(crate) fn mutated(source: &str, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    let first = rng.below(lines.len());
    let mut text: String = lines.iter().skip(first).take(rng.between(1, 12)).copied().collect();
    for _ in 0..rng.between(1, 3) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (from, to) = (rng.below(places.len()), rng.between(1, 4));
        let (at, until) = (places[from], places[(from + to).min(places.len() - 1)]);
        match rng.below(4) {
            0 => text.replace_range(at..until, ""),
            1 => {
                let doubled = text[at..until].to_owned();
                text.insert_str(at, &doubled);
            }
            _ => text.insert_str(at, rng.pick(&TOKENS)),
        }
    }
    text
}
