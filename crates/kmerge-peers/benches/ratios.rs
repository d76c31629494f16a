//! What README says about speed, as ratios: `cargo bench -p kmerge-peers --bench ratios`.
//!
//! Everything is timed in turns, round by round, so that a busy machine slows all of it alike; shown is the median of the
//! rounds' ratios, with the least and the greatest.
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use kmerge_core::lines::Texts;
use kmerge_core::{ConflictStyle, Policy, Schema, Slots, merge, render};
use kmerge_testgen::{By, Sides, changed, definition, long_list};
use kyaml_ast::{Content, Edit, Stream, StreamId, splice};
use saphyr::LoadableYamlNode as _;

const ROUNDS: usize = 9;
/// Rounds of merges.
const MERGES: usize = 31;

type Parse = fn(&str) -> usize;

const PEERS: [(&str, Parse); 4] = [
    ("saphyr-parser events", |source| kmerge_peers::saphyr_count(source).unwrap_or(0)),
    ("saphyr values", |source| saphyr::Yaml::load_from_str(source).map_or(0, |documents| documents.len())),
    ("yaml-rust2 events", |source| kmerge_peers::yaml_rust2_count(source).unwrap_or(0)),
    ("unsafe-libyaml events", |source| kmerge_peers::libyaml_count(source).unwrap_or(0)),
];

fn main() {
    let corpora = [
        ("mixed manifests", vec![kmerge_testgen::manifests(1, 4_000_000)]),
        ("long definitions", vec![kmerge_testgen::crds(1, 4_000_000)]),
        ("10,000 small files", kmerge_testgen::small_files(1, 10_000).map(|(_, text)| text).collect()),
    ];
    for (name, files) in &corpora {
        parses(name, files);
    }
    edits();
    merges();
}

fn timed(work: impl FnOnce() -> usize) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// The median, least and greatest of some ratios.
fn shown(mut ratios: Vec<f64>) -> String {
    ratios.sort_by(f64::total_cmp);
    format!("{:6.2}  ({:.2} to {:.2})", ratios[ratios.len() / 2], ratios[0], ratios[ratios.len() - 1])
}

fn parses(name: &str, files: &[String]) {
    let all = |parse: Parse| timed(|| files.iter().map(|file| parse(black_box(file))).sum());
    let tree: Parse = |source| Stream::parse(source).map_or(0, |stream| stream.heap_bytes());
    let bytes: usize = files.iter().map(String::len).sum();
    let heap: usize = files.iter().map(|file| tree(file)).sum();
    println!("{name}: {bytes} bytes, {:.2} bytes of heap per byte", heap as f64 / bytes as f64);
    let mut ratios = PEERS.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        for ((_, peer), ratios) in PEERS.iter().zip(&mut ratios) {
            let (ours, theirs) = (all(tree), all(*peer));
            ratios.push(theirs.as_secs_f64() / ours.as_secs_f64());
        }
    }
    for ((peer, _), ratios) in PEERS.iter().zip(ratios) {
        println!("  {peer:22} takes {} times as long", shown(ratios));
    }
}

/// A hundred edits in a mapping of a thousand keys, parse and result included.
fn edits() {
    let source: String = (0..1000).map(|key| format!("key-{key}: value {key} # why\n")).collect();
    let run = || {
        let stream = Stream::parse(black_box(&source)).ok()?;
        let root = stream.documents().next()?.root()?;
        let content = || Content::Inline("changed".to_owned());
        let edits: Vec<Edit> = root
            .entries()
            .step_by(10)
            .map(|entry| Edit::ReplaceValue { entry: entry.id(), content: content() })
            .collect();
        splice(&[&stream], StreamId(0), &edits).ok().map(|text| text.len())
    };
    let mut times: Vec<f64> = (0..300).map(|_| timed(|| run().unwrap_or(0)).as_secs_f64() * 1000.0).collect();
    times.sort_by(f64::total_cmp);
    println!("100 edits in 1,000 keys: {:.3} ms (least {:.3} ms)", times[times.len() / 2], times[0]);
}

/// Twenty edits in files of many documents and of one, against the three parses that a merge cannot do without.
fn merges() {
    let manifests = kmerge_testgen::manifests(2, 1_200_000);
    merge_of("many documents", &changed(&manifests, "image: ", 20, By::One));
    merge_of("one definition", &changed(&definition(1, 810_000), "maximum: ", 20, By::One));
    merge_of("one long list", &changed(&long_list(13_000), "image: ", 20, By::One));
}

fn merge_of(name: &str, [base, dest, incoming]: &Sides) {
    let schema = Schema::new();
    let parse = |text| Stream::parse(text).ok();
    let merged = || {
        // As the commands do it: what a side has of the base is not read again.
        let base = parse(base)?;
        let (dest, incoming) = (base.parse_again(dest).ok()?, base.parse_again(incoming).ok()?);
        let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
        let plan = merge(sides, &schema, &Policy::MERGE3).ok()?;
        render(&plan, sides, &ConflictStyle::Dest).ok().map(|text| text.len())
    };
    let parsed = || [dest, base, incoming].into_iter().filter_map(|text| parse(text)).map(|it| it.heap_bytes()).sum();
    let texts = Texts { base: base.as_bytes(), ours: dest.as_bytes(), theirs: incoming.as_bytes() };
    let driver = || usize::from(kmerge_core::git::merge(texts, &schema).is_clean());
    println!("{name}, {} bytes, twenty edits: {:?} bytes", base.len(), merged());
    let ratio = |work: Duration| work.as_secs_f64() / timed(parsed).as_secs_f64();
    let merge3 = (0..MERGES).map(|_| ratio(timed(|| merged().unwrap_or(0)))).collect();
    let driver = (0..MERGES).map(|_| ratio(timed(driver))).collect();
    println!("  merge3 takes {} times its three parses", shown(merge3));
    println!("  the driver takes {} times them", shown(driver));
}
