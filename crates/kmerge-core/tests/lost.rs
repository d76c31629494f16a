//! What `lost` says of the merges in `fixtures/driver`: nothing of clean ones, and only what is in conflict where somebody
//! has chosen a side.

use std::fs;
use std::path::{Path, PathBuf};

use kmerge_core::git::{self, lost};
use kmerge_core::lines::Texts;
use kmerge_core::markers::{Hunk, chosen, hunks};
use kmerge_core::{Policy, Schema, Slots, is_template, merge};
use kyaml_ast::Stream;

/// What one side renamed or moved, or what may have become either of two new ones, is an added and a removed one to `lost`, which does
/// not know the other side: what that changed in it seems lost.
const MOVED: [&str; 12] = [
    "item-as-like-one-new-item-as-another",
    "item-as-like-one-new-item-as-another-turned",
    "rename-key-against-edit",
    "job-divided-a-step-inserted",
    "list-divided-an-item-removed",
    "list-divided-and-an-item-changed-against-a-new-item",
    "mapping-divided-a-value-changed",
    "mapping-indented-and-a-value-changed-against-a-change",
    "play-divided-a-task-removed",
    "step-split-against-a-change-in-the-moved-mapping",
    "steps-folded-against-a-change",
    "tasks-divided-in-several-lists-an-item-changed",
];

struct Case {
    name: String,
    base: String,
    sides: [String; 2],
    expected: String,
}

fn cases() -> Vec<Case> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/driver");
    let entries = fs::read_dir(suite).expect("the suite is there");
    let mut directories: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    directories.sort();
    directories.iter().filter_map(|directory| read(directory)).collect()
}

/// Cases that have no structure, or are not UTF-8, are for other tests.
fn read(directory: &Path) -> Option<Case> {
    let read = |file: &str| fs::read_to_string(directory.join(file)).ok();
    let sides = [read("ours.yaml")?, read("theirs.yaml")?];
    let (base, expected) = (read("base.yaml")?, read("expected.yaml")?);
    let has_structure = |text: &String| Stream::parse(text).is_ok_and(|stream| !is_template(&stream));
    let all = sides.iter().chain([&base]).all(has_structure);
    let name = directory.file_name()?.to_string_lossy().into_owned();
    (all && !MOVED.contains(&name.as_str())).then_some(Case { name, base, sides, expected })
}

/// The places of what a result lacks of a side, each with whether both sides changed it.
fn places(case: &Case, result: &str, side: usize) -> Vec<(String, bool)> {
    let schema = Schema::new();
    let [base, ours, theirs, result] =
        [&case.base, &case.sides[0], &case.sides[1], result].map(|text| Stream::parse(text).expect("YAML"));
    // An element that both sides renamed is called what the side in the destination's seat calls it.
    let both_changed = [(&ours, &theirs), (&theirs, &ours)].map(|(dest, incoming)| {
        let seats = Slots { dest: Some(dest), base: Some(&base), incoming: Some(incoming) };
        merge(seats, &schema, &Policy::GIT).expect("a plan").conflicts
    });
    let own = [&ours, &theirs][side];
    let lost = lost(Slots { dest: Some(&result), base: Some(&base), incoming: Some(own) }, &schema).expect("a plan");
    let texts = Texts { base: case.base.as_bytes(), ours: case.sides[0].as_bytes(), theirs: case.sides[1].as_bytes() };
    let merged = git::merge(texts, &schema);
    // More may be contested than the places that are told.
    let is_told = merged.reason().is_none() && merged.contests_more().is_none();
    let views = merged.views();
    let told = || views.iter().flat_map(|view| &view.plan.conflicts);
    let is_in_conflict = |path: &kyaml_ast::Path| {
        !is_told
            || both_changed
                .iter()
                .flatten()
                .chain(told())
                .any(|conflict| conflict.path.contains(path) || path.contains(&conflict.path))
    };
    lost.decisions.iter().map(|it| (format!("{} {:?}", it.path, it.role), is_in_conflict(&it.path))).collect()
}

#[test]
fn clean_merges_lack_nothing() {
    let mut wrong = Vec::new();
    for case in cases().iter().filter(|case| hunks(case.expected.as_bytes()).is_empty()) {
        for side in [0, 1] {
            let lost = places(case, &case.expected, side);
            if !lost.is_empty() {
                wrong.push(format!("{} side {side}: {lost:?}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_choice_lacks_only_what_both_sides_changed() {
    let mut wrong = Vec::new();
    for case in cases() {
        let found = hunks(case.expected.as_bytes());
        let side: [fn(&Hunk) -> std::ops::Range<usize>; 2] = [|hunk| hunk.ours.clone(), |hunk| hunk.theirs.clone()];
        for (index, choose) in side.into_iter().enumerate() {
            let result =
                String::from_utf8(chosen(case.expected.as_bytes(), &found, |hunk| Some(choose(hunk)))).expect("UTF-8");
            for side in [0, 1] {
                for (place, is_in_conflict) in places(&case, &result, side) {
                    if !is_in_conflict {
                        wrong.push(format!("{} chosen {index} side {side}: {place}", case.name));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
