//! `cargo xtask replay REPOSITORY…`: merges again what people have merged, and compares with what they committed.
//!
//! Every YAML file that both sides of a merge commit (or of a cherry-pick that names its source) have changed is merged
//! with git's line merge and with kmerge. Prints a table, and every file on which kmerge did worse than git.
//! `--triples` merges files that are in no repository (see `compare.rs`).

mod classify;
mod compare;
mod history;
mod triples;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use anyhow::ensure;
use kmerge_core::Schema;
use kmerge_core::git::{Disagreement, merge};
use kmerge_core::lines::{self, Labels, Style, Texts};

use self::classify::{Outcome, classify};
pub(crate) use self::compare::sides_parse;
use self::history::{History, Replayed};

const LABELS: Labels<'static> = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    if let ["--triples", places @ ..] = arguments {
        return compare::run(places);
    }
    ensure!(!arguments.is_empty(), "usage: cargo xtask replay REPOSITORY... | --triples LIST|DIRECTORY...");
    let mut counts: BTreeMap<(Outcome, Outcome), usize> = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    for repository in arguments {
        let mut history = History::open(Path::new(repository))?;
        for merged in history.merges()? {
            for file in history.files(&merged)? {
                let (mine, of_git) = outcomes(&file);
                *counts.entry((mine, of_git)).or_default() += 1;
                if mine > of_git {
                    writeln!(out, "worse: {repository} {} {}: {mine}, git {of_git}", merged.commit, file.path)?;
                }
            }
        }
    }
    table(&mut out, &counts)
}

/// What kmerge and git make of a file.
fn outcomes(file: &Replayed) -> (Outcome, Outcome) {
    let texts = Texts { base: &file.base, ours: &file.ours, theirs: &file.theirs };
    let schema = Schema::new();
    let style = Disagreement::Markers { style: Style::Merge, labels: LABELS };
    let written = merge(texts, &schema).write(&style);
    let mine = classify(&written.text, written.conflict, &file.committed);
    let regions = lines::merge(texts, Style::Merge);
    let text = lines::render(texts, &regions, Style::Merge, &LABELS);
    (mine, classify(&text, lines::has_conflict(&regions), &file.committed))
}

fn table(out: &mut impl std::io::Write, counts: &BTreeMap<(Outcome, Outcome), usize>) -> anyhow::Result<()> {
    let total: usize = counts.values().sum();
    writeln!(out, "{total} files changed on both sides\n{:24}{:>10}{:>10}", "", "kmerge", "git")?;
    for outcome in Outcome::ALL {
        let sum = |of: fn(&(Outcome, Outcome)) -> Outcome| -> usize {
            counts.iter().filter(|(pair, _)| of(pair) == outcome).map(|(_, count)| count).sum()
        };
        writeln!(out, "{outcome:24}{:>10}{:>10}", sum(|pair| pair.0), sum(|pair| pair.1))?;
    }
    let compared = |wanted: fn(&(Outcome, Outcome)) -> bool| -> usize {
        counts.iter().filter(|(pair, _)| wanted(pair)).map(|(_, count)| count).sum()
    };
    writeln!(
        out,
        "better than git: {}, worse: {}",
        compared(|(mine, git)| mine < git),
        compared(|(mine, git)| mine > git)
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// A repository with a merge, and a cherry-pick of the same change.
    fn repository() -> tempfile::TempDir {
        let room = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.current_dir(&room).args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(arguments);
            assert!(command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap().status.success(), "{arguments:?}");
        };
        let commit = |text: &str, arguments: &[&str]| {
            std::fs::write(room.path().join("a.yaml"), text).unwrap();
            git(&["add", "."]);
            git(&[&["commit", "-m", "x"], arguments].concat());
        };
        git(&["init", "-b", "main"]);
        commit("a: 1\nb: 1\n", &[]);
        git(&["branch", "topic"]);
        commit("a: 2\nb: 1\n", &[]);
        git(&["checkout", "topic"]);
        commit("a: 1\nb: 2\n", &[]);
        git(&["tag", "picked"]);
        git(&["checkout", "main"]);
        git(&["merge", "-s", "ours", "topic"]);
        commit("a: 2\nb: 2\n", &["--amend"]);
        git(&["checkout", "-b", "other", "main~1"]);
        let source = Command::new("git").current_dir(&room).args(["rev-parse", "picked"]).output().unwrap().stdout;
        let source = String::from_utf8(source).unwrap();
        commit("a: 2\nb: 3\n", &["-m", &format!("(cherry picked from commit {})", source.trim())]);
        room
    }

    #[test]
    fn merges_and_cherry_picks_are_found_and_judged() {
        let room = repository();
        let mut history = History::open(room.path()).unwrap();
        let merges = history.merges().unwrap();
        assert_eq!(merges.len(), 2);
        let files: Vec<Replayed> = merges.iter().flat_map(|merge| history.files(merge).unwrap()).collect();
        let judged: Vec<_> = files.iter().map(outcomes).collect();
        assert_eq!(judged, [(Outcome::Same, Outcome::Conflict), (Outcome::Different, Outcome::Conflict)]);
    }
}
