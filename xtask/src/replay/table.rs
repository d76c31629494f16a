//! What is counted over replayed files, and the tables of it.

use std::io::Write;

use super::classify::Outcome;
use super::determined::Need;
use super::notes::Fault;

/// What became of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) need: Need,
    pub(super) mine: Merged,
    pub(super) of_git: Merged,
}

/// One merge of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Merged {
    pub(super) outcome: Outcome,
    /// Clean, and one of the values that are wanted.
    pub(super) is_right: bool,
    /// What is wrong with the comments of a clean merge.
    pub(super) fault: Option<Fault>,
}

impl Merged {
    pub(super) fn is_clean(self) -> bool {
        self.outcome != Outcome::Conflict
    }
}

impl Judged {
    /// Whether somebody should read it: wrong, clean without a right, or worse than git.
    pub(super) fn is_notable(self) -> bool {
        let is_wrong = self.need == Need::Determined && !self.mine.is_right;
        let is_bold = self.need == Need::Choice && self.mine.is_clean();
        is_wrong || is_bold || self.mine.fault.is_some() || self.mine.outcome > self.of_git.outcome
    }
}

pub(super) fn write(out: &mut impl Write, all: &[Judged]) -> anyhow::Result<()> {
    writeln!(out, "{} files changed on both sides\n{:56}{:>8}{:>8}", all.len(), "", "kmerge", "git")?;
    for outcome in Outcome::ALL {
        row(out, &outcome.to_string(), all, |it| it.outcome == outcome)?;
    }
    let determined = having(all, |it| it.need == Need::Determined);
    let conflicts = having(&determined, |it| !it.of_git.is_clean());
    for (what, files) in [("determined by the sides", determined), ("of them in conflict for git", conflicts)] {
        writeln!(out, "{} {what}", files.len())?;
        row(out, "right", &files, |it| it.is_right)?;
        row(out, "conflict", &files, |it| !it.is_clean())?;
        row(out, "clean and wrong", &files, |it| it.is_clean() && !it.is_right)?;
    }
    let choices = having(all, |it| it.need == Need::Choice);
    writeln!(out, "{} with a value that both sides changed in different ways", choices.len())?;
    row(out, "clean", &choices, Merged::is_clean)?;
    row(out, "clean, and not as committed", &choices, |it| it.is_clean() && !it.is_right)?;
    let others = having(all, |it| it.need == Need::OtherCommitted);
    writeln!(out, "{} in which people committed more or less than the changes", others.len())?;
    row(out, "clean", &others, Merged::is_clean)?;
    writeln!(out, "clean, with a comment that")?;
    row(out, "stands twice", all, |it| it.fault == Some(Fault::Twice))?;
    row(out, "is back", all, |it| it.fault == Some(Fault::Back))
}

fn having(all: &[Judged], wanted: impl Fn(&Judged) -> bool) -> Vec<Judged> {
    all.iter().copied().filter(wanted).collect()
}

/// Counts for kmerge and git, and their shares.
fn row(out: &mut impl Write, what: &str, all: &[Judged], wanted: impl Fn(Merged) -> bool) -> anyhow::Result<()> {
    let [mine, of_git]: [fn(&Judged) -> Merged; 2] = [|it| it.mine, |it| it.of_git];
    let counts = [mine, of_git].map(|of| all.iter().filter(|it| wanted(of(it))).count());
    let [mine, of_git] = counts.map(|count| 100.0 * count as f64 / all.len().max(1) as f64);
    writeln!(out, "    {what:52}{:>8}{:>8}{mine:>9.2} %{of_git:>7.2} %", counts[0], counts[1])?;
    Ok(())
}
