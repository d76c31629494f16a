//! `cargo xtask replay REPOSITORY…`: merges again what people have merged, and compares with what they committed.
//!
//! Every YAML file that both sides of a merge commit (or of a cherry-pick that names its source) have changed is merged
//! with git's line merge and with kmerge. Prints every file that should be read, and tables: all files; those of which the sides
//! determine the value (`determined.rs` says when), and of these the ones in which git conflicts; those with a choice.
//! `--limit N` takes N merges and N cherry-picks of each repository, spread over its history. `--keep DIRECTORY` writes the files
//! there, and `--cases DIRECTORY` merges them again. `--triples` merges files that are in no repository (see `compare.rs`).

mod cases;
mod classify;
mod compare;
mod determined;
mod history;
mod notes;
mod table;
mod triples;

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use kmerge_core::ConflictStyle;
use kmerge_core::Schema;
use kmerge_core::git::merge;
use kmerge_core::lines::{Labels, Style, Texts};

use self::classify::classify;
pub(crate) use self::compare::sides_parse;
use self::determined::Wanted;
use self::history::{History, Replayed};
use self::table::{Judged, Merged};
use crate::parallel;

const LABELS: Labels<'static> = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };

const USAGE: &str = "usage: cargo xtask replay [--limit N] [--keep DIRECTORY] REPOSITORY... | --cases DIRECTORY | --triples \
                     LIST|DIRECTORY...";

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    match arguments {
        ["--triples", places @ ..] => compare::run(places),
        ["--cases", place] => report(&cases::read(Path::new(place))?),
        ["--limit", limit, rest @ ..] => replay(rest, limit.parse().context(USAGE)?),
        _ => replay(arguments, usize::MAX),
    }
}

fn replay(arguments: &[&str], limit: usize) -> anyhow::Result<()> {
    let (keep, repositories) = match arguments {
        ["--keep", place, repositories @ ..] => (Some(Path::new(place)), repositories),
        repositories => (None, repositories),
    };
    if repositories.is_empty() || limit == 0 {
        bail!(USAGE);
    }
    let found = parallel::map(repositories, |repository| files(repository, limit))?.concat();
    if let Some(place) = keep {
        cases::write(&found, place)?;
    }
    report(&found)
}

fn files(repository: &str, limit: usize) -> anyhow::Result<Vec<Replayed>> {
    let mut history = History::open(Path::new(repository))?;
    let mut found = Vec::new();
    for merged in history.merges(limit)? {
        for file in history.files(&merged)? {
            found.push(Replayed { path: format!("{repository} {} {}", merged.commit, file.path), ..file });
        }
    }
    Ok(found)
}

fn report(files: &[Replayed]) -> anyhow::Result<()> {
    let judged = parallel::map(files, |file| Ok(judge(file)))?;
    let mut out = std::io::stdout().lock();
    for (file, it) in files.iter().zip(&judged) {
        if it.is_notable() {
            writeln!(out, "{:?}: {}, git {}: {}", it.need, said(it.mine), said(it.of_git), file.path)?;
        }
    }
    table::write(&mut out, &judged)
}

fn said(merged: Merged) -> String {
    let fault = merged.fault.map(|fault| format!(", a comment {fault:?}")).unwrap_or_default();
    format!("{}{fault}", merged.outcome)
}

/// What kmerge and git make of a file.
fn judge(file: &Replayed) -> Judged {
    let texts = Texts { base: &file.base, ours: &file.ours, theirs: &file.theirs };
    let wanted = Wanted::new(texts, &file.committed);
    let merged = |text: &[u8], conflict: bool| Merged {
        outcome: classify(text, conflict, &file.committed),
        is_right: !conflict && wanted.is_met_by(text),
        fault: if conflict { None } else { notes::fault(texts, text, &file.committed) },
    };
    let written = merge(texts, &Schema::new()).write(&ConflictStyle::Markers { style: Style::Merge, labels: LABELS });
    let by_lines = texts.merge(Style::Merge);
    let of_git = by_lines.text(&LABELS);
    Judged {
        need: wanted.need,
        mine: merged(&written.text, written.conflict),
        of_git: merged(&of_git, by_lines.has_conflict()),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::classify::Outcome;
    use super::determined::Need;
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
        let merges = history.merges(usize::MAX).unwrap();
        assert_eq!(merges.len(), 2);
        let files: Vec<Replayed> = merges.iter().flat_map(|merge| history.files(merge).unwrap()).collect();
        let judged: Vec<_> = files.iter().map(judge).collect();
        let outcomes: Vec<_> = judged.iter().map(|it| (it.need, it.mine.outcome, it.of_git.outcome)).collect();
        let [right, other] = [(Need::Determined, Outcome::Same), (Need::OtherCommitted, Outcome::Different)];
        assert_eq!(outcomes, [right, other].map(|(need, mine)| (need, mine, Outcome::Conflict)));
        let kept = tempfile::tempdir().unwrap();
        cases::write(&files, kept.path()).unwrap();
        let again: Vec<_> = cases::read(kept.path()).unwrap().iter().map(judge).collect();
        assert_eq!(again, judged);
    }

    #[test]
    fn a_limit_takes_merges_from_the_whole_history() {
        let room = repository();
        let history = History::open(room.path()).unwrap();
        assert_eq!(history.merges(1).unwrap().len(), 2, "a merge and a cherry-pick");
    }
}
