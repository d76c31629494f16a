//! `cargo xtask sabotage [COUNT [SEED]]`: damages results of merges, and counts what the proof lets through.
//!
//! The merges are those of `cargo xtask driver`, and the cases in `fixtures/driver`. Each result, clean or with hunks, gets one
//! damage at a time: a change of a side is dropped, an element stands twice, neighbours change places, a comment goes or moves, a
//! value is another side's, something removed is back. A damage that leaves the same values, orders and comments is none, and one
//! that leaves no YAML needs no proof; neither counts. Prints, by kind, how many there were and how many the proof let through;
//! the first of those go to `target/sabotage/`.
//!
//! What [`Defect::of`] says is all that is taken from the proof: whether a text is the same is found out here.

mod damage;
mod same;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kmerge_core::git::{Defect, merge};
use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::{ConflictStyle, Schema, markers};
use kmerge_testgen::Rng;

use crate::driver::triple;
use damage::{Damage, Damaged};

/// So many cases of each kind are written down.
const SHOWN: usize = 12;
/// Damages tried on each result, of each kind.
const TRIES: usize = 2;

/// Base, ours and theirs.
type Triple = [String; 3];

/// How many damages of a kind there were.
#[derive(Default)]
struct Tally {
    tried: usize,
    passed: usize,
}

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let number = |at: usize, default: u64| match arguments.get(at) {
        Some(text) => text.parse::<u64>().with_context(|| format!("not a number: {text:?}")),
        None => Ok(default),
    };
    let (count, seed) = (number(0, 20_000)? as usize, number(1, 1)?);
    let fixtures = fixtures()?;
    let (mut tally, mut done) = (BTreeMap::new(), 0);
    for case in seed.. {
        if done >= count {
            break;
        }
        let mut random = Rng::new(case);
        let fixture = usize::try_from(case / 4).map(|number| &fixtures[number % fixtures.len()])?;
        let texts = if case % 4 == 0 { fixture.clone() } else { triple(case) };
        for damaged in damaged(&texts, &mut random) {
            let is_through = passes(&texts, &damaged.text);
            done += 1;
            let seen: &mut Tally = tally.entry(damaged.by.name()).or_default();
            seen.tried += 1;
            seen.passed += usize::from(is_through);
            if is_through && seen.passed <= SHOWN {
                write_down(&texts, &damaged, case)?;
            }
        }
    }
    print(&tally)
}

fn print(tally: &BTreeMap<&str, Tally>) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let all = tally
        .values()
        .fold(Tally::default(), |all, one| Tally { tried: all.tried + one.tried, passed: all.passed + one.passed });
    for (name, Tally { tried, passed }) in tally.iter().map(|(name, of)| (*name, of)).chain([("all", &all)]) {
        writeln!(out, "{tried:7} {passed:7} {:6.2} %  {name}", 100.0 * *passed as f64 / (*tried).max(1) as f64)?;
    }
    Ok(())
}

/// The cases that have a structure.
fn fixtures() -> anyhow::Result<Vec<Triple>> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/driver");
    let mut cases: Vec<PathBuf> =
        std::fs::read_dir(suite)?.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    cases.sort();
    let read = |case: &PathBuf| {
        let file = |name: &str| std::fs::read_to_string(case.join(name)).ok();
        Some([file("base.yaml")?, file("ours.yaml")?, file("theirs.yaml")?])
    };
    Ok(cases.iter().filter_map(read).collect())
}

/// The damages of one merge that are worth a proof.
fn damaged(texts: &Triple, random: &mut Rng) -> Vec<Damaged> {
    let labels = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
    let written = merge(of(texts), &Schema::new()).write(&ConflictStyle::Markers { style: Style::Merge, labels });
    let Ok(result) = String::from_utf8(written.text) else { return Vec::new() };
    // What does not pass as it is tells nothing.
    if !passes(texts, &result) {
        return Vec::new();
    }
    let kinds = Damage::ALL.into_iter().flat_map(|kind| [kind; TRIES]);
    let damaged = kinds.filter_map(|kind| kind.on(&result, texts, random));
    damaged.filter(|damaged| sides(&damaged.text).zip(sides(&result)).any(|(a, b)| same::differ(&a, &b))).collect()
}

/// A text with either side chosen.
fn sides(text: &str) -> impl Iterator<Item = String> {
    let hunks = markers::hunks(text.as_bytes());
    [true, false].into_iter().map(move |is_ours| {
        let side = |hunk: &markers::Hunk| Some(if is_ours { hunk.ours.clone() } else { hunk.theirs.clone() });
        String::from_utf8_lossy(&markers::chosen(text.as_bytes(), &hunks, side)).into_owned()
    })
}

fn passes(texts: &Triple, text: &str) -> bool {
    matches!(Defect::of(of(texts), text, &Schema::new()), Ok(None))
}

const fn of([base, ours, theirs]: &Triple) -> Texts<'_> {
    Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() }
}

fn write_down(texts: &Triple, damaged: &Damaged, case: u64) -> anyhow::Result<()> {
    let name = format!("{}-{case}", damaged.by.name().replace(' ', "-"));
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/sabotage").join(name);
    std::fs::create_dir_all(&directory)?;
    let [base, ours, theirs] = texts;
    let files =
        [("base", base), ("ours", ours), ("theirs", theirs), ("result", &damaged.was), ("damaged", &damaged.text)];
    for (file, text) in files {
        std::fs::write(directory.join(format!("{file}.yaml")), text)?;
    }
    Ok(())
}
