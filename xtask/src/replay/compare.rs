//! `cargo xtask replay --triples PLACE…`: merges triples of files, and compares the conflicts with those of the line merge.
//!
//! What a person has to read is counted: hunks, and the lines between their markers. Prints a table, what should not be
//! (a conflict where git has none, directions that disagree, sides that are not YAML), and every file whose hunks have more
//! lines than git's.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::{bail, ensure};
use kmerge_core::git::merge;
use kmerge_core::lines::{Style, Texts};
use kmerge_core::{ConflictStyle, Schema, markers};
use kyaml_ast::Stream;

use super::LABELS;
use super::triples::{Triple, find};
use crate::parallel;

/// What there is to read in the hunks of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reading {
    hunks: usize,
    lines: usize,
}

/// What became of a triple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Judged {
    is_conflict: [bool; 2],
    mine: Reading,
    of_git: Reading,
    /// A fault, if there is one.
    fault: Option<&'static str>,
}

pub(super) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let (style, places) = match arguments {
        ["--style", style, places @ ..] => (named(style)?, places),
        places => (Style::Merge, places),
    };
    ensure!(!places.is_empty(), "usage: cargo xtask replay --triples [--style merge|diff3|zdiff3] LIST|DIRECTORY...");
    let mut triples = Vec::new();
    for place in places {
        triples.extend(find(Path::new(place))?);
    }
    triples.sort();
    triples.dedup();
    let judged = parallel::map(&triples, |triple| {
        let [base, ours, theirs] = triple.read()?;
        Ok(judge(Texts { base: &base, ours: &ours, theirs: &theirs }, style))
    })?;
    report(&mut std::io::stdout().lock(), &triples, &judged)
}

fn named(style: &str) -> anyhow::Result<Style> {
    Ok(match style {
        "merge" => Style::Merge,
        "diff3" => Style::Diff3,
        "zdiff3" => Style::Zdiff3,
        _ => bail!("no style of conflicts: {style:?}"),
    })
}

fn judge(texts: Texts<'_>, style: Style) -> Judged {
    let schema = Schema::new();
    let disagreement = ConflictStyle::Markers { style, labels: LABELS };
    let merged = merge(texts, &schema);
    let written = merged.write(&disagreement);
    let by_lines = texts.merge(style);
    let of_git = by_lines.text(&LABELS);
    let is_conflict = [written.conflict, by_lines.has_conflict()];
    let back = merge(Texts { ours: texts.theirs, theirs: texts.ours, ..texts }, &schema).write(&disagreement);
    let was_yaml = || [texts.base, texts.ours, texts.theirs].iter().all(|text| Stream::parse_bytes(text).is_ok());
    let fault = match () {
        () if back.conflict != written.conflict => Some("the directions disagree"),
        () if is_conflict == [true, false] => Some("a conflict, git none"),
        () if merged.reason().is_none() && was_yaml() && !sides_parse(&written.text) => Some("a side is not YAML"),
        () => None,
    };
    Judged { is_conflict, mine: reading(&written.text), of_git: reading(&of_git), fault }
}

fn reading(text: &[u8]) -> Reading {
    let count = |lines: std::ops::Range<usize>| text[lines].split_inclusive(|byte| *byte == b'\n').count();
    let hunks = markers::hunks(text);
    let lines = |hunk: &markers::Hunk| {
        count(hunk.ours.clone()) + hunk.base.clone().map_or(0, count) + count(hunk.theirs.clone())
    };
    Reading { hunks: hunks.len(), lines: hunks.iter().map(lines).sum() }
}

/// Whether a text is YAML with ours in every hunk, and with theirs.
pub(crate) fn sides_parse(text: &[u8]) -> bool {
    let hunks = markers::hunks(text);
    let is_yaml = |side: fn(&markers::Hunk) -> std::ops::Range<usize>| {
        Stream::parse_bytes(&markers::chosen(text, &hunks, |hunk| Some(side(hunk)))).is_ok()
    };
    is_yaml(|hunk| hunk.ours.clone()) && is_yaml(|hunk| hunk.theirs.clone())
}

fn report(out: &mut impl Write, triples: &[Triple], judged: &[Judged]) -> anyhow::Result<()> {
    let mut longer: Vec<(&Triple, &Judged)> = Vec::new();
    let mut classes: BTreeMap<[bool; 2], usize> = BTreeMap::new();
    let [mut mine, mut of_git] = [Reading::default(); 2];
    for (triple, judged) in triples.iter().zip(judged) {
        *classes.entry(judged.is_conflict).or_default() += 1;
        if let Some(fault) = judged.fault {
            writeln!(out, "{fault}: {}", paths(triple))?;
        }
        if judged.is_conflict == [true; 2] {
            mine.add(judged.mine);
            of_git.add(judged.of_git);
            if judged.mine.lines > judged.of_git.lines {
                longer.push((triple, judged));
            }
        }
    }
    longer.sort_by_key(|(_, judged)| std::cmp::Reverse(judged.mine.lines - judged.of_git.lines));
    for (triple, Judged { mine, of_git, .. }) in &longer {
        writeln!(out, "longer: {mine}, git {of_git}: {}", paths(triple))?;
    }
    let class = |mine, of_git| classes.get(&[mine, of_git]).copied().unwrap_or_default();
    writeln!(out, "{} files changed on both sides", triples.len())?;
    writeln!(out, "{:8} clean in both", class(false, false))?;
    writeln!(out, "{:8} clean here, conflict in git", class(false, true))?;
    writeln!(out, "{:8} conflict here, clean in git", class(true, false))?;
    writeln!(out, "{:8} conflict in both: {mine}, git {of_git}", class(true, true))?;
    let in_both = || judged.iter().filter(|it| it.is_conflict == [true; 2]);
    let fewer = in_both().filter(|it| it.mine.lines < it.of_git.lines).count();
    let equal = in_both().filter(|it| it.mine.lines == it.of_git.lines).count();
    writeln!(out, "{fewer:8} of them with fewer lines, {equal} with as many, {} with more", longer.len())?;
    Ok(())
}

fn paths(triple: &Triple) -> String {
    [&triple.base, &triple.ours, &triple.theirs].map(|path| path.display().to_string()).join(" ")
}

impl Reading {
    fn add(&mut self, other: Self) {
        self.hunks += other.hunks;
        self.lines += other.lines;
    }
}

impl std::fmt::Display for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} lines in {} hunks", self.lines, self.hunks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "a: 1\nb: 1\nc: 1\n";

    fn judged(ours: &str, theirs: &str) -> Judged {
        judge(Texts { base: BASE.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() }, Style::Merge)
    }

    #[test]
    fn lines_between_markers_are_counted() {
        let both = judged("a: 2\nb: 2\nc: 1\n", "a: 1\nb: 3\nc: 1\n");
        assert_eq!((both.mine, both.of_git), (Reading { hunks: 1, lines: 2 }, Reading { hunks: 1, lines: 4 }));
        assert_eq!((both.is_conflict, both.fault), ([true, true], None));
    }

    #[test]
    fn the_table_says_where_there_is_more_to_read() {
        let here = |lines| Judged {
            is_conflict: [true; 2],
            mine: Reading { hunks: 1, lines },
            of_git: Reading { hunks: 2, lines: 4 },
            fault: None,
        };
        let triple = |name: &str| Triple { base: name.into(), ours: "o".into(), theirs: "t".into() };
        let clean = judged("a: 2\nb: 1\nc: 1\n", "a: 1\nb: 2\nc: 1\n");
        let mut out = Vec::new();
        report(&mut out, &["w", "x", "y", "z"].map(triple), &[clean, here(4), here(5), here(9)]).unwrap();
        let out = String::from_utf8(out).unwrap();
        let expected = "longer: 9 lines in 1 hunks, git 4 lines in 2 hunks: z o t
longer: 5 lines in 1 hunks, git 4 lines in 2 hunks: y o t
4 files changed on both sides
       0 clean in both
       1 clean here, conflict in git
       0 conflict here, clean in git
       3 conflict in both: 18 lines in 3 hunks, git 12 lines in 6 hunks
       0 of them with fewer lines, 1 with as many, 2 with more
";
        assert_eq!(out, expected);
    }

    #[test]
    fn sides_of_hunks_are_put_to_the_parser() {
        assert!(sides_parse(b"a: 1\n<<<<<<< x\nb: 1\n=======\nb: 2\n>>>>>>> y\n"));
        assert!(!sides_parse(b"a: 1\n<<<<<<< x\nb: 1\n=======\n b: 2\n>>>>>>> y\n"));
    }
}
