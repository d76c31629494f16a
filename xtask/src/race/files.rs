//! The files that are merged, all of them generated.
//!
//! Owns: which cases there are, and how large they are. Ignores what merging them gives: the fixtures say that.

use std::path::Path;

use anyhow::Context as _;
use kmerge_core::same_value;
use kmerge_testgen::{By, Sides, changed, definition, long_list, manifest_triple, manifests};
use kyaml_ast::{Document, Stream};

use crate::generate::merge;
use crate::instructions::ten_lines;

/// Base, ours and theirs, as files.
pub(super) const NAMES: [&str; 3] = ["base.yaml", "ours.yaml", "theirs.yaml"];

/// Seed of whatever is random.
const SEED: u64 = 7;

/// Files to merge one after the other, each with a process of its own.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) sides: Vec<Sides>,
}

impl Case {
    /// Writes the files, each three to a directory of their own.
    pub(super) fn write_below(&self, directory: &Path) -> anyhow::Result<()> {
        let name = self.name.replace(|character: char| !character.is_ascii_alphanumeric(), "-");
        self.sides.iter().enumerate().try_for_each(|(number, sides)| {
            let room = directory.join(&name).join(number.to_string());
            std::fs::create_dir_all(&room).with_context(|| room.display().to_string())?;
            write(sides, &room)
        })
    }
}

pub(super) fn write(sides: &Sides, room: &Path) -> anyhow::Result<()> {
    NAMES.iter().zip(sides).try_for_each(|(name, text)| Ok(std::fs::write(room.join(name), text)?))
}

pub(super) fn cases() -> Vec<Case> {
    let one = |name, sides| Case { name, sides: vec![sides] };
    let many = lines(&manifests(SEED, 1_400_000), 35_000);
    let (deployment, definition, list) = (deployment(63), definition(SEED, 810_000), long_list(13_000));
    vec![
        one("ten lines", ten_lines()),
        one("a deployment, 516 lines", changed(&deployment, "image: ", 2, By::One)),
        Case { name: "200 typical files", sides: (0..200).map(typical).collect() },
        one("35,000 lines, many documents, 20 edits", changed(&many, "image: ", 20, By::One)),
        one("the same, 50 conflicts", changed(&many, "image: ", 50, By::Both)),
        one("the same, half of the resources renamed", merge::renames(many.clone(), SEED)),
        one("the same, re-indented by one side", reindented(changed(&many, "image: ", 20, By::One))),
        one("one definition, 810 kB, re-indented", reindented(changed(&definition, "maximum: ", 20, By::One))),
        one("the same, one edit a side", changed(&definition, "maximum: ", 2, By::One)),
        one("one list, 1.5 MB, 20 edits", changed(&list, "image: ", 20, By::One)),
        one("4,000 conflicts", changed(&long_list(4_000), "image: ", 4_000, By::Both)),
    ]
}

/// Ours with four columns for each level, as formatters write it; documents whose texts would mean something else stay.
fn reindented([base, ours, theirs]: Sides) -> Sides {
    let starts: Vec<usize> = std::iter::once(0).chain(ours.match_indices("\n---").map(|(at, _)| at + 1)).collect();
    let ends = starts.iter().skip(1).copied().chain([ours.len()]);
    let documents = starts.iter().zip(ends).map(|(start, end)| &ours[*start..end]);
    let anew = documents.map(|old| {
        let new = with_wide_levels(old);
        if is_same(old, &new) { new } else { old.to_owned() }
    });
    [base, anew.collect(), theirs]
}

/// A text with four columns for each level; that of a list item stands two columns behind its dash.
fn with_wide_levels(text: &str) -> String {
    let (mut levels, mut out) = (vec![(0, 0)], String::with_capacity(2 * text.len()));
    for line in text.split_inclusive('\n') {
        let mut rest = line.trim_start_matches(' ');
        let old = line.len() - rest.len();
        levels.retain(|(column, _)| *column <= old);
        let (column, mut new) = levels.last().copied().unwrap_or_default();
        if column != old {
            new += 4;
            levels.push((old, new));
        }
        out.extend(std::iter::repeat_n(' ', new));
        out.push_str(rest);
        for depth in 1.. {
            let Some(item) = rest.strip_prefix("- ") else { break };
            levels.push((old + 2 * depth, new + 2 * depth));
            rest = item;
        }
    }
    out
}

fn is_same(old: &str, new: &str) -> bool {
    let (Ok(old), Ok(new)) = (Stream::parse(old), Stream::parse(new)) else { return false };
    let roots = [&old, &new].map(|stream| stream.documents().filter_map(Document::root).collect::<Vec<_>>());
    roots[0].len() == roots[1].len() && roots[0].iter().zip(&roots[1]).all(|(old, new)| same_value(*old, *new))
}

/// The documents that are whole within so many lines.
fn lines(text: &str, count: usize) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').take(count).collect();
    lines.truncate(lines.iter().rposition(|line| line.starts_with("---")).unwrap_or(lines.len()));
    lines.concat()
}

fn typical(number: u64) -> Sides {
    let triple = manifest_triple(number, 1 + (number % 3) as usize, 2);
    [triple.base.text(), triple.dest.text(), triple.incoming.text()]
}

/// A deployment of so many containers, each of eight lines.
fn deployment(containers: usize) -> String {
    let container = |number: usize| {
        format!(
            "      - name: app-{number}\n        image: registry.example.com/app:1.{number}\n        env:\n        - name: LEVEL\n          \
             value: info # the default\n        resources:\n          limits:\n            memory: {number}Mi\n"
        )
    };
    let head = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    app: web\nspec:\n  replicas: 3\n  \
                template:\n    spec:\n      # All of them.\n      containers:\n";
    head.to_owned() + &(0..containers).map(container).collect::<String>()
}
