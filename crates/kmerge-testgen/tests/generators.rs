//! The generators are deterministic, reach the sizes asked for, and edit in every way they name.

use std::collections::BTreeSet;

use kmerge_testgen::{Change, Rng, crds, manifest_triple, manifests, random_stream, random_triple, small_files};

#[test]
fn equal_seeds_give_equal_data() {
    assert_eq!(manifests(5, 20_000), manifests(5, 20_000));
    assert_eq!(crds(5, 20_000), crds(5, 20_000));
    assert_ne!(manifests(5, 20_000), manifests(6, 20_000));
    let texts = |seed| {
        let triple = manifest_triple(seed, 2, 5);
        [triple.base, triple.dest, triple.incoming].map(|stream| stream.text())
    };
    assert_eq!(texts(9), texts(9));
}

#[test]
fn the_first_numbers_stay_what_they_are() {
    let mut rng = Rng::new(1);
    assert_eq!([rng.next(), rng.next()], [5424204624148110235, 15555979849632202484]);
}

#[test]
fn small_files_have_names_of_their_own() {
    let files: Vec<(String, String)> = small_files(1, 300).collect();
    let names: BTreeSet<&String> = files.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 300);
    assert!(files.iter().all(|(_, text)| text.starts_with("---\n") && text.len() < 40_000));
}

#[test]
fn every_kind_of_edit_occurs_and_shows() {
    let mut seen = BTreeSet::new();
    let mut unchanged = 0;
    for seed in 0..300 {
        let triple = random_triple(seed, 30, 1);
        seen.extend(triple.changes.iter().flatten().copied());
        unchanged += usize::from(triple.base.text() == triple.dest.text());
    }
    let all = [
        Change::Value,
        Change::Insert,
        Change::Remove,
        Change::Reorder,
        Change::LeadComment,
        Change::TrailComment,
        Change::BlankLine,
        Change::Requote,
        Change::Reindent,
        Change::Reform,
        Change::Documents,
    ];
    assert_eq!(seen, BTreeSet::from(all));
    assert!(unchanged < 60, "{unchanged} of 300 edits do not show");
}

#[test]
fn no_edits_leave_the_stream_alone() {
    let stream = random_stream(11, 50);
    let (copy, changes) = stream.vary(&mut Rng::new(1), 0);
    assert_eq!((copy.text(), changes.len()), (stream.text(), 0));
}
