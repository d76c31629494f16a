//! Parsing to the lossless tree against peers that emit events or build values: `cargo bench -p kmerge-peers --bench parse`.
#![allow(missing_docs)]

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use kyaml_ast::Stream;

fn main() {
    divan::main();
}

const CORPORA: [&str; 3] = ["manifests", "definitions", "small files"];

/// 20 MB of mixed manifests, 20 MB of long definitions, 10,000 small files.
fn corpus(name: &str) -> Vec<String> {
    match name {
        "manifests" => vec![kmerge_testgen::manifests(1, 20_000_000)],
        "definitions" => vec![kmerge_testgen::crds(1, 20_000_000)],
        _ => kmerge_testgen::small_files(1, 10_000).map(|(_, text)| text).collect(),
    }
}

fn run(bencher: Bencher<'_, '_>, name: &str, parse: impl Fn(&str) -> usize + Sync) {
    let files = corpus(name);
    let bytes: usize = files.iter().map(String::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench(|| files.iter().map(|file| parse(black_box(file))).sum::<usize>());
}

#[divan::bench(args = CORPORA, sample_count = 10)]
fn kyaml_ast_lossless_tree(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, |source| Stream::parse(source).map_or(0, |stream| stream.heap_bytes()));
}

#[divan::bench(args = CORPORA, sample_count = 10)]
fn saphyr_parser_events(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, |source| kmerge_peers::saphyr_count(source).unwrap_or(0));
}

#[divan::bench(args = CORPORA, sample_count = 5)]
fn saphyr_values(bencher: Bencher<'_, '_>, name: &str) {
    use saphyr::LoadableYamlNode as _;
    run(bencher, name, |source| saphyr::Yaml::load_from_str(source).map_or(0, |documents| documents.len()));
}

#[divan::bench(args = CORPORA, sample_count = 10)]
fn yaml_rust2_events(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, |source| kmerge_peers::yaml_rust2_count(source).unwrap_or(0));
}

#[divan::bench(args = CORPORA, sample_count = 10)]
fn unsafe_libyaml_events(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, |source| kmerge_peers::libyaml_count(source).unwrap_or(0));
}
