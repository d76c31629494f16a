//! `cargo xtask disjoint [COUNT [SEED [DIRECTORY]]]`: merges changes of different lines, whose outcome is known beforehand.
//!
//! Both sides change lines of one file, mostly neighbouring ones and never the same: fields, items, values and comments come, go
//! and change. What should come out is the file with all of the changes. Counts how often the driver, `merge3` and git's line
//! merge give just that; the first cases in which the driver or `merge3` gives other values, or a text that differs, are written to
//! `target/disjoint/`. The files are generated manifests, or the YAML files below a directory.

mod edits;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;

use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::{ConflictStyle, Outcome, Policy, Rule, Schema, Slots, git, merge, render, same_value};
use kmerge_testgen::{Rng, manifest_triple};
use kyaml_ast::{Document, Stream};

use crate::driver::corpus;
use edits::Case;

/// So many cases of each kind are written down.
const SHOWN: usize = 10;

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let number = |at: usize, default: u64| match arguments.get(at) {
        Some(text) => text.parse::<u64>().with_context(|| format!("not a number: {text:?}")),
        None => Ok(default),
    };
    let (count, seed) = (number(0, 2000)?, number(1, 1)?);
    let corpus = arguments.get(2).map(|directory| corpus(Path::new(directory))).transpose()?;
    let (mut tally, mut random, mut done) = (BTreeMap::new(), Rng::new(seed), 0);
    let mut tries = 0;
    while done < count && tries < count * 50 {
        tries += 1;
        let generated = || manifest_triple(seed + tries, 1, 1).base.text();
        let base = corpus.as_ref().map_or_else(generated, |corpus| corpus[random.below(corpus.len())].clone());
        let Some(case) = Case::random(&base, &mut random) else { continue };
        done += 1;
        for (who, verdict) in verdicts(&case) {
            let seen: &mut usize = tally.entry(format!("{who}: {verdict}")).or_default();
            *seen += 1;
            if *seen <= SHOWN && who != "git" && verdict.starts_with("another") {
                write_down(&case, &format!("{who}-{}-{done}", verdict.replace(' ', "-")))?;
            }
        }
    }
    let mut out = std::io::stdout().lock();
    for (kind, times) in tally {
        writeln!(out, "{times:7} {kind}")?;
    }
    Ok(())
}

/// What each merge made of a case.
fn verdicts(case: &Case) -> [(&'static str, &'static str); 3] {
    let texts = Texts { base: case.base.as_bytes(), ours: case.ours.as_bytes(), theirs: case.theirs.as_bytes() };
    let style =
        ConflictStyle::Markers { style: Style::Merge, labels: Labels { size: 7, ours: "", base: "", theirs: "" } };
    let schema = Schema::new();
    let driver = git::merge(texts, &schema).write(&style);
    let by_lines = texts.merge(Style::Merge);
    let judged = |is_conflict: bool, text: &[u8]| match std::str::from_utf8(text) {
        _ if is_conflict => "a conflict",
        Ok(text) => case.judge(text),
        Err(_) => "another value",
    };
    let of_git = judged(by_lines.has_conflict(), &by_lines.text_with_base());
    [("driver", judged(driver.conflict, &driver.text)), ("git", of_git), ("merge3", merged(case, &schema))]
}

fn merged(case: &Case, schema: &Schema) -> &'static str {
    let streams = [&case.ours, &case.base, &case.theirs].map(|text| Stream::parse(text));
    let [Ok(dest), Ok(base), Ok(incoming)] = streams else { return "refused" };
    let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
    let Ok(plan) = merge(sides, schema, &Policy::MERGE3) else { return "refused" };
    let Ok(text) = render(&plan, sides, &ConflictStyle::Dest) else { return "refused" };
    let is_decided = |it: &kmerge_core::Decision| it.rule == Rule::BothChanged && it.outcome == Outcome::Take;
    match case.judge(&text) {
        "another value" if plan.decisions.iter().any(is_decided) => "both changed a list without keys: updated wins",
        verdict => verdict,
    }
}

impl Case {
    fn judge(&self, result: &str) -> &'static str {
        if result == self.wanted {
            return "exactly both changes";
        }
        let roots =
            |text: &str| Stream::parse(text).map(|stream| stream.documents().filter(|it| it.root().is_some()).count());
        let (Ok(found), Ok(wanted)) = (Stream::parse(result), Stream::parse(&self.wanted)) else {
            return "another value";
        };
        let pairs = found.documents().filter_map(Document::root).zip(wanted.documents().filter_map(Document::root));
        let is_same =
            roots(result).ok() == roots(&self.wanted).ok() && pairs.into_iter().all(|(a, b)| same_value(a, b));
        if is_same { "another text" } else { "another value" }
    }
}

fn write_down(case: &Case, name: &str) -> anyhow::Result<()> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/disjoint").join(name);
    fs::create_dir_all(&directory)?;
    for (file, text) in [("base", &case.base), ("ours", &case.ours), ("theirs", &case.theirs), ("wanted", &case.wanted)]
    {
        fs::write(directory.join(format!("{file}.yaml")), text)?;
    }
    Ok(())
}
