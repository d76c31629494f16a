//! `cargo xtask driver [COUNT [SEED [DIRECTORY]]]`: merges random triples for git and compares with the line merge.
//!
//! The triples are generated, or random changes of the YAML files below a directory. Prints how often each merge is clean,
//! and what should not be: more conflicts than the line merge, directions that disagree, laws that do not hold, words of a
//! side that are lost or come back, clean results that are others when a side is merged into them again, merges by structure
//! that did not prove sound, sides that are not YAML. The first cases of each kind are written to `target/driver/`.

mod mutate;
mod words;

pub(crate) use mutate::corpus;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kmerge_core::git::{Reason, Written, merge};
use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::{ConflictStyle, Schema, markers};
use kmerge_testgen::{manifest_triple, random_triple};

use crate::replay::sides_parse;

/// So many cases of each kind are written down.
const SHOWN: usize = 5;

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let number = |at: usize, default: u64| match arguments.get(at) {
        Some(text) => text.parse::<u64>().with_context(|| format!("not a number: {text:?}")),
        None => Ok(default),
    };
    let (count, seed) = (number(0, 2000)?, number(1, 1)?);
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    let corpus = arguments.get(2).map(|directory| mutate::corpus(Path::new(directory))).transpose()?;
    for case in seed..seed + count {
        let [base, ours, theirs] = corpus.as_ref().map_or_else(|| triple(case), |corpus| mutate::triple(corpus, case));
        let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        let verdict = std::panic::catch_unwind(|| judge(texts)).unwrap_or_else(|_| vec!["PANIC".to_owned()]);
        for kind in verdict {
            let seen = tally.entry(kind.clone()).or_default();
            *seen += 1;
            if *seen <= SHOWN && kind.chars().next().is_some_and(char::is_uppercase) {
                write_down(texts, &kind, case)?;
            }
        }
    }
    let mut out = std::io::stdout().lock();
    for (kind, times) in tally {
        writeln!(out, "{times:7} {kind}")?;
    }
    Ok(())
}

/// Manifests mostly, sometimes arbitrary YAML.
pub(crate) fn triple(seed: u64) -> [String; 3] {
    let edits = 1 + (seed / 7 % 5) as usize;
    let triple = match seed % 4 {
        0 => random_triple(seed, 40, edits),
        kind => manifest_triple(seed, kind as usize, edits),
    };
    [triple.base.text(), triple.dest.text(), triple.incoming.text()]
}

/// What is to be counted about a merge; faults start with a capital letter.
fn judge(texts: Texts<'_>) -> Vec<String> {
    let schema = Schema::new();
    let labels = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
    let style = ConflictStyle::Markers { style: Style::Merge, labels };
    let merged = merge(texts, &schema);
    let written = merged.write(&style);
    let back = merge(Texts { ours: texts.theirs, theirs: texts.ours, ..texts }, &schema).write(&style);
    let of_git = texts.merge(Style::Merge).conflicts();
    let mine = markers::hunks(&written.text).len();
    let name = |conflict: bool| if conflict { "conflict" } else { "clean" };
    let mut verdict = vec![format!("kmerge {}, git {}", name(written.conflict), name(of_git > 0))];
    if let Some(Reason::Unproven(unsound)) = merged.reason() {
        let what = format!("{unsound:?}");
        let what = what.split(['(', ' ']).next().unwrap_or_default();
        verdict.push(format!("Unproven: {what}, git {}", name(of_git > 0)));
    }
    if written.conflict != back.conflict {
        verdict.push("Directions disagree".to_owned());
    }
    if mine > of_git {
        verdict.push(format!("More conflicts than git, which has {}", if of_git == 0 { "none" } else { "some" }));
    }
    if !sides_parse(&written.text) && merged.reason().is_none() {
        verdict.push("A side is not YAML".to_owned());
    }
    verdict.extend(words_of(texts, &written).map(str::to_owned));
    verdict.extend(broken_laws(texts, &schema, &style).map(|law| format!("Law {law} does not hold")));
    verdict.extend(
        changes_again(texts, &written, (&schema, &style)).map(|side| format!("Again with {side}: another result")),
    );
    verdict
}

/// What became of the words of both sides.
fn words_of(texts: Texts<'_>, written: &Written) -> Option<&'static str> {
    let [base, ours, theirs, result] =
        [texts.base, texts.ours, texts.theirs, &written.text].map(|text| std::str::from_utf8(text).unwrap_or_default());
    if words::lost(base, [ours, theirs], result).is_some() {
        return Some("Lost a word");
    }
    (!written.conflict && words::revived(base, [ours, theirs], result).is_some()).then_some("Revived a word")
}

/// A side that did not change anything changes nothing.
fn broken_laws(texts: Texts<'_>, schema: &Schema, style: &ConflictStyle<'_>) -> Option<&'static str> {
    let Texts { base, ours, theirs } = texts;
    let gives = |ours, theirs, wanted: &[u8]| {
        let written = merge(Texts { base, ours, theirs }, schema).write(style);
        !written.conflict && written.text == wanted
    };
    let laws = [
        ("L1", gives(ours, base, ours)),
        ("L2", gives(base, theirs, theirs)),
        ("L3", gives(ours, ours, ours)),
        ("L4", gives(base, base, base)),
    ];
    laws.into_iter().find(|(_, holds)| !holds).map(|(law, _)| law)
}

/// The side that changes a clean result when it is merged with it again, from the same base.
fn changes_again(
    texts: Texts<'_>,
    clean: &Written,
    (schema, style): (&Schema, &ConflictStyle<'_>),
) -> Option<&'static str> {
    let changes = |theirs| merge(Texts { ours: &clean.text, theirs, ..texts }, schema).write(style) != *clean;
    let sides = [("ours", texts.ours), ("theirs", texts.theirs)];
    let changing = sides.into_iter().find(|(_, side)| !clean.conflict && changes(side));
    changing.map(|(name, _)| name)
}

fn write_down(texts: Texts<'_>, kind: &str, case: u64) -> anyhow::Result<()> {
    let name = format!("{}-{case}", kind.split([' ', ',']).next().unwrap_or_default());
    let directory: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/driver").join(name);
    std::fs::create_dir_all(&directory)?;
    for (file, text) in [("base", texts.base), ("ours", texts.ours), ("theirs", texts.theirs)] {
        std::fs::write(directory.join(format!("{file}.yaml")), text)?;
    }
    Ok(())
}
