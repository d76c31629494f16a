//! What somebody chose in the hunks of a merge: what it would break, and how it is written.
//!
//! Invariant: a file is written only while it holds what the merge was made of, and only without new faults, unless whoever
//! chose says otherwise. Ignores where the choices come from: a browser or a terminal.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use anyhow::ensure;
use kmerge_core::Schema;
use kmerge_core::markers::hunks;
use serde::{Deserialize, Serialize};

use super::file::Merge;
use crate::check::check;
use crate::output;

/// What stands in the place of a hunk.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Choice {
    Ours,
    Base,
    Theirs,
    Text(String),
}

/// The hunks, by number from 0, that somebody has decided.
pub(super) type Choices = BTreeMap<usize, Choice>;

/// A file that is written, and what it held when it was read.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) path: PathBuf,
    pub(crate) before: Vec<u8>,
}

/// What became of choices.
#[derive(Debug, Default, Serialize)]
pub(super) struct Answer {
    /// Hunks that are left.
    pub(super) left: usize,
    /// What would be wrong with the file.
    pub(super) faults: Vec<String>,
    pub(super) written: bool,
    pub(super) error: Option<String>,
}

/// Checks choices of a merge.
#[derive(Debug)]
pub(super) struct Checker<'m> {
    merge: &'m Merge,
    schema: &'m Schema,
    /// The faults of the sides, which no choice brings.
    known: OnceCell<HashSet<String>>,
}

impl<'m> Checker<'m> {
    pub(super) const fn new(merge: &'m Merge, schema: &'m Schema) -> Self {
        Self { merge, schema, known: OnceCell::new() }
    }

    /// What `kmerge check` finds in the result with these choices and in none of the sides. Hunks that are left count as ours.
    pub(super) fn faults(&self, choices: &Choices) -> Vec<String> {
        let text = resolved(self.merge.result.as_bytes(), choices, Left::Ours).0;
        let sides = || self.merge.sides.present().flat_map(|(_, text)| self.found(text.as_bytes())).collect();
        let known = self.known.get_or_init(sides);
        self.found(&text).filter(|fault| !known.contains(fault)).collect()
    }

    fn found(&self, text: &[u8]) -> impl Iterator<Item = String> {
        let checked = check(self.merge.path.clone(), text.to_vec(), self.schema);
        checked.problems.into_iter().map(|problem| problem.message)
    }

    /// Writes the result with these choices into its file. With faults it is written only if `anyway` says so.
    pub(super) fn write(&self, file: &mut Written, choices: &Choices, anyway: bool) -> anyhow::Result<Answer> {
        let marked = if self.merge.hides_base { Left::WithoutBase } else { Left::Whole };
        let (text, left) = resolved(self.merge.result.as_bytes(), choices, marked);
        // Markers that are left are what nobody has decided yet.
        let faults = if left == 0 { self.faults(choices) } else { Vec::new() };
        let written = faults.is_empty() || anyway;
        if written {
            put(file, &text)?;
        }
        Ok(Answer { left, faults, written, error: None })
    }
}

/// What stands in hunks that nobody has decided.
#[derive(Clone, Copy, Debug)]
enum Left {
    /// The hunk with its markers.
    Whole,
    WithoutBase,
    Ours,
}

/// A text with the choices in the places of its hunks, and how many hunks are left.
fn resolved(text: &[u8], choices: &Choices, undecided: Left) -> (Vec<u8>, usize) {
    let (mut out, mut done, mut left) = (Vec::with_capacity(text.len()), 0, 0);
    for (at, hunk) in hunks(text).iter().enumerate() {
        out.extend_from_slice(&text[done..hunk.whole.start]);
        // A base that nobody knows cannot be chosen.
        let choice = choices.get(&at).filter(|choice| **choice != Choice::Base || hunk.base.is_some());
        left += usize::from(choice.is_none());
        let chosen = match (choice, undecided) {
            (Some(Choice::Ours), _) | (None, Left::Ours) => &text[hunk.ours.clone()],
            (Some(Choice::Base), _) => &text[hunk.base.clone().unwrap_or_default()],
            (Some(Choice::Theirs), _) => &text[hunk.theirs.clone()],
            (Some(Choice::Text(own)), _) => own.as_bytes(),
            (None, Left::Whole) => &text[hunk.whole.clone()],
            (None, Left::WithoutBase) => {
                out.extend_from_slice(&text[hunk.whole.start..hunk.ours.end]);
                &text[hunk.base.as_ref().map_or(hunk.ours.end, |base| base.end)..hunk.whole.end]
            }
        };
        out.extend_from_slice(chosen);
        done = hunk.whole.end;
    }
    out.extend_from_slice(&text[done..]);
    (out, left)
}

/// Writes a file unless somebody else has changed it since it was read.
fn put(file: &mut Written, text: &[u8]) -> anyhow::Result<()> {
    let Written { path, before } = file;
    output::edit(path, |now| {
        ensure!(now == before.as_slice(), "{} has changed since it was read: start again", path.display());
        Ok(text.to_vec())
    })?;
    *before = text.to_vec();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"a\n<<<<<<< o\n1\n||||||| b\n0\n=======\n2\n>>>>>>> t\nz\n<<<<<<< o\n3\n=======\n4\n>>>>>>> t\n";

    fn chosen(choices: &str) -> (String, usize) {
        let choices: Choices = serde_json::from_str(choices).unwrap();
        let (text, left) = resolved(TEXT, &choices, Left::Whole);
        (String::from_utf8(text).unwrap(), left)
    }

    #[test]
    fn choices_stand_in_the_places_of_hunks() {
        assert_eq!(chosen(r#"{"0": "base", "1": "theirs"}"#), ("a\n0\nz\n4\n".to_owned(), 0));
        assert_eq!(chosen(r#"{"0": {"text": "x\n"}, "1": "ours"}"#), ("a\nx\nz\n3\n".to_owned(), 0));
        let (text, left) = chosen(r#"{"1": "ours"}"#);
        assert!(text.contains("<<<<<<< o\n1\n") && text.ends_with("z\n3\n"), "{text}");
        assert_eq!(left, 1);
        let (text, left) = chosen(r#"{"0": "ours", "1": "base"}"#);
        assert!(text.ends_with("z\n<<<<<<< o\n3\n=======\n4\n>>>>>>> t\n") && left == 1, "{text}");
        assert_eq!(resolved(TEXT, &Choices::new(), Left::Ours).0, b"a\n1\nz\n3\n");
        let without = resolved(TEXT, &Choices::new(), Left::WithoutBase).0;
        assert!(without.starts_with(b"a\n<<<<<<< o\n1\n=======\n2\n>>>>>>> t\nz\n"));
    }

    #[test]
    fn a_choice_is_blamed_for_its_own_faults_only() {
        let side = |value: &str| Some(format!("a: 1\na: 2\nb: {value}\n"));
        let sides = kmerge_core::Slots { dest: side("1"), base: side("0"), incoming: side("2") };
        let result = "a: 1\na: 2\n<<<<<<< o\nb: 1\n=======\nb: 2\n>>>>>>> t\n".to_owned();
        let merge = Merge { path: "x.yaml".to_owned(), sides, result, ..Merge::default() };
        let schema = Schema::new();
        let checker = Checker::new(&merge, &schema);
        assert_eq!(checker.faults(&Choices::from([(0, Choice::Theirs)])), [""; 0]);
        let twice = Choices::from([(0, Choice::Text("b: 1\nb: 2\n".to_owned()))]);
        assert_eq!(checker.faults(&twice).len(), 1, "{:?}", checker.faults(&twice));
    }
}
