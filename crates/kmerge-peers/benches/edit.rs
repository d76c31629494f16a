//! A hundred edits in a mapping of a thousand keys, parse and result included: `cargo bench -p kmerge-peers --bench edit`.
#![allow(missing_docs)]

use divan::{Bencher, black_box};
use kyaml_ast::{Content, Edit, Stream, StreamId, splice};

fn main() {
    divan::main();
}

#[divan::bench]
fn hundred_edits_in_a_thousand_keys(bencher: Bencher<'_, '_>) {
    let source: String = (0..1000).map(|key| format!("key-{key}: value {key} # why\n")).collect();
    bencher.bench(|| {
        let stream = Stream::parse(black_box(&source)).ok()?;
        let root = stream.documents().next()?.root()?;
        let edit = |entry: kyaml_ast::Entry<'_>| Edit::ReplaceValue {
            entry: entry.id(),
            content: Content::Inline("changed".to_owned()),
        };
        let edits: Vec<Edit> = root.entries().step_by(10).map(edit).collect();
        splice(&[&stream], StreamId(0), &edits).ok()
    });
}
