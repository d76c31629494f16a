//! Which change of a parent is missing from a finished merge, file by file.

use kmerge_core::Schema;
use kyaml_ast::Span;

use super::content::{Contents, parent, problems};
use super::{Checked, Level, Problem};
use crate::diagnostic::Code;
use crate::git::history::{Blob, Versions};
use crate::git::sides::{CommitMerge, Sides};
use crate::input::Source;
use crate::setup::attributes;

/// Checks a merge commit; of the files in it, those that a parent changed and that kmerge would merge.
pub(crate) fn check_merge(commit: &str, schema: &Schema) -> anyhow::Result<Vec<Checked>> {
    let mut git = CommitMerge::finished(commit)?;
    let mut checked = Vec::new();
    for file in git.files().iter().filter(|file| file.blobs().any(|blob| attributes::is_manifest(&blob.path))) {
        let found = file.check(&mut git, schema)?;
        checked.extend((!found.problems.is_empty()).then_some(found));
    }
    Ok(checked)
}

impl Versions {
    fn check(&self, git: &mut CommitMerge, schema: &Schema) -> anyhow::Result<Checked> {
        let name = self.path().to_owned();
        let mut found: Vec<Problem> = [0, 1].into_iter().filter_map(|side| self.fate(side, &git.parents)).collect();
        let mut source = Source::new(name.as_str(), "");
        let changed = [0, 1].map(|side| self.is_content_lost(side));
        if self.merge.is_some() && changed.contains(&true) {
            let Sides { base, ours, theirs } = git.sides(self)?;
            let contents = Contents {
                base: base.unwrap_or_default(),
                parents: [ours.unwrap_or_default(), theirs.unwrap_or_default()],
                merge: git.read(&self.merge)?.unwrap_or_default(),
            };
            found.extend(problems(&contents, changed, &git.parents, schema));
            source = Source::new(name, String::from_utf8_lossy(&contents.merge));
        }
        Ok(Checked::new(source, found))
    }

    /// Whether the merge may lack what a parent changed in the file.
    fn is_content_lost(&self, side: usize) -> bool {
        let id = |blob: &Option<Blob>| blob.as_ref().map(|blob| blob.id.clone());
        let own = id(&self.parents[side]);
        own.is_some() && own != id(&self.base) && own != id(&self.merge)
    }

    /// What is missing of a parent's removal, addition or renaming of the file itself.
    fn fate(&self, side: usize, parents: &[String; 2]) -> Option<Problem> {
        let (own, other) = (&self.parents[side], &self.parents[1 - side]);
        if *own == self.base {
            return None;
        }
        let (what, is_in_conflict) = match (own, &self.merge) {
            (None, Some(_)) => ("removed the file".to_owned(), *other != self.base),
            (Some(_), None) if self.base.is_none() => ("added the file".to_owned(), false),
            (Some(_), None) => ("changed the file".to_owned(), other.is_none()),
            (Some(own), Some(merge)) if self.was_moved(own) && own.path != merge.path => {
                let is_in_conflict = other.as_ref().is_none_or(|other| self.was_moved(other));
                (format!("renamed the file to {}", own.path), is_in_conflict)
            }
            _ => return None,
        };
        let who = parent(side, parents);
        let problem = |level, end: &str| {
            let message = format!("{who} {what}, {end}");
            Some(Problem { level, ..Problem::new(Code::LostChange, message, Span::at(0)) })
        };
        match other {
            _ if !is_in_conflict => problem(Level::Error, "and the merge did not"),
            None => problem(Level::Warning, "the other parent removed it, and so does the merge"),
            Some(_) => problem(Level::Warning, "the other parent changed it, and the merge has that"),
        }
    }

    fn was_moved(&self, own: &Blob) -> bool {
        self.base.as_ref().is_some_and(|base| base.path != own.path)
    }
}
