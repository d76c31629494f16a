//! What a merge of directories decided about resources and files as wholes.

use std::fmt::Write as _;

use kmerge_core::package::{Fate, Match, WholeFile};
use kmerge_core::{BothChanged, Rule, Side, Slots};

use crate::terminal::line;

/// Everything that was decided above the fields.
#[derive(Debug, Default)]
pub(crate) struct PackageReport {
    /// Resources and other documents, in the order of the destination's, then of the new ones.
    pub(crate) resources: Vec<ResourceRecord>,
    /// Files that are no manifests, in the order of paths.
    pub(crate) files: Vec<PathRecord>,
}

/// What became of a resource.
#[derive(Debug)]
pub(crate) struct ResourceRecord {
    /// `apps/Deployment default/web`, or what else it is.
    pub(crate) resource: String,
    pub(crate) fate: Fate,
    pub(crate) rule: Rule,
    /// Whether comments that one side changed are lost, because the other side removed it.
    pub(crate) drops_comments: bool,
    /// How its versions found each other.
    pub(crate) matched: Match,
    /// Where each side has it: path and line.
    pub(crate) places: Slots<Spot>,
    /// The file in which the result has it.
    pub(crate) path: Option<String>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Relative to its directory.
    pub(crate) path: String,
    /// With its directory.
    pub(crate) name: String,
    pub(crate) line: usize,
}

/// What became of a file that is merged as a whole.
#[derive(Debug)]
pub(crate) struct PathRecord {
    /// Where it stands in the result, or stood.
    pub(crate) path: String,
    /// Where the destination has it, if elsewhere.
    pub(crate) moved_from: Option<String>,
    pub(crate) fate: Fate,
    pub(crate) rule: Rule,
    /// The side on which it is not there.
    removed_by: Option<Side>,
    /// Places in its text that both sides changed, differently.
    pub(crate) both_changed: usize,
    /// Whether nobody decided them.
    pub(crate) is_conflict: bool,
    /// Whether markers are asked for, and a conflict as a whole has none.
    is_unmarked: bool,
    /// Whether updated has won, there or as a whole.
    pub(crate) is_overwritten: bool,
}

impl PackageReport {
    /// Resources and files that nobody decided.
    pub(crate) fn conflicts(&self) -> usize {
        let resources = self.resources.iter().filter(|record| record.is_conflict()).count();
        resources + self.files.iter().filter(|record| record.is_conflict).count()
    }
}

impl ResourceRecord {
    pub(crate) fn is_conflict(&self) -> bool {
        self.fate == Fate::Conflict
    }

    /// Whether one side removed it and the other changed it, or its comments.
    pub(crate) fn is_in_conflict(&self) -> bool {
        self.rule == Rule::BothChanged || self.drops_comments
    }

    /// Whether the result has it in another file than the destination.
    pub(crate) fn moved(&self) -> Option<(&str, &str)> {
        let (from, to) = (self.places.dest.as_ref()?.path.as_str(), self.path.as_deref()?);
        (from != to).then_some((from, to))
    }

    /// What became of it, in words.
    pub(crate) fn what(&self) -> String {
        let had = self.places.dest.is_some();
        let mut what = match (self.fate, self.rule) {
            (Fate::Conflict, _) if had => "dest changed it and updated removed it: conflict".to_owned(),
            (Fate::Conflict, _) => "updated changed it and dest removed it: conflict".to_owned(),
            (Fate::Take, Rule::BothChanged) => {
                "updated changed it and dest removed it: updated wins, added again".to_owned()
            }
            (Fate::Remove, _) if self.drops_comments => {
                "dest changed its comments and updated removed it: removed".to_owned()
            }
            (Fate::Keep, _) if self.drops_comments => {
                "updated changed its comments and dest removed it: stays away".to_owned()
            }
            (Fate::Take, _) => "added".to_owned(),
            (Fate::Remove, Rule::BothChanged) => {
                "dest changed it and updated removed it: updated wins, removed".to_owned()
            }
            (Fate::Remove, _) => "removed".to_owned(),
            (Fate::Keep, Rule::BothChanged) if had => {
                "dest changed it and updated removed it: dest wins, kept".to_owned()
            }
            (Fate::Keep, Rule::BothChanged) => {
                "updated changed it and dest removed it: dest wins, stays away".to_owned()
            }
            (Fate::Keep | Fate::Merge, _) => String::new(),
        };
        let mut add = |more: String| {
            if !what.is_empty() {
                what.push_str("; ");
            }
            what.push_str(&more);
        };
        if let Some((from, to)) = self.moved() {
            add(format!("moved from {from} to {to}"));
        }
        if let Match::Likeness(percent) = self.matched {
            add(format!("renamed, found again by its content ({percent} % alike)"));
        }
        what
    }

    /// Where to look for it first: `dest/all.yaml:8`.
    pub(crate) fn place(&self) -> String {
        let spot = self.places.dest.as_ref().or(self.places.incoming.as_ref()).or(self.places.base.as_ref());
        spot.map(|spot| format!("{}:{}", spot.name, spot.line)).unwrap_or_default()
    }
}

impl PathRecord {
    /// The record of a file; `None` where only the destination changed it, or nobody did.
    pub(crate) fn new(
        file: &WholeFile<'_>,
        dest: Option<&str>,
        both_changed: usize,
        policy: BothChanged,
    ) -> Option<Self> {
        let moved_from = dest.filter(|dest| *dest != file.path).map(str::to_owned);
        let is_quiet = file.fate == Fate::Keep && file.rule != Rule::BothChanged && moved_from.is_none();
        let is_open = file.fate == Fate::Merge && both_changed > 0 && policy == BothChanged::Conflict;
        (!is_quiet).then(|| Self {
            path: file.path.to_owned(),
            moved_from,
            fate: file.fate,
            rule: file.rule,
            both_changed,
            is_conflict: is_open || file.fate == Fate::Conflict,
            is_unmarked: false,
            is_overwritten: if file.fate == Fate::Merge {
                both_changed > 0 && policy == BothChanged::Take
            } else {
                file.fate != Fate::Keep
            },
            removed_by: [Side::Incoming, Side::Dest].into_iter().find(|side| file.files.get(*side).is_none()),
        })
    }

    /// The same, and whether markers are asked for that it does not have.
    pub(crate) fn without_markers(self, is_unmarked: bool) -> Self {
        Self { is_unmarked, ..self }
    }

    /// Whether both sides changed it, differently.
    pub(crate) fn is_in_conflict(&self) -> bool {
        match self.fate {
            Fate::Merge => self.both_changed > 0,
            _ => self.rule == Rule::BothChanged,
        }
    }

    /// What became of it, in words.
    pub(crate) fn what(&self) -> String {
        let moved = self.moved_from.as_ref().map(|from| format!("moved from {from}; ")).unwrap_or_default();
        let places = |count: usize| if count == 1 { "1 place".to_owned() } else { format!("{count} places") };
        let what = match (self.fate, self.rule) {
            (Fate::Merge, _) if self.is_conflict => format!("conflict in {}", places(self.both_changed)),
            (Fate::Merge, _) if self.both_changed > 0 => {
                let winner = if self.is_overwritten { "updated" } else { "dest" };
                format!("lines merged; both sides changed {}, differently: {winner} wins", places(self.both_changed))
            }
            (Fate::Merge, _) => "lines merged".to_owned(),
            (Fate::Conflict, _) if !self.is_unmarked => format!("{}: conflict", self.change()),
            (Fate::Conflict, _) => {
                let left =
                    if self.removed_by == Some(Side::Dest) { "it stays away" } else { "dest has its own version" };
                format!("{}: conflict; no markers fit into it, {left}", self.change())
            }
            (Fate::Take, Rule::BothChanged) => format!("{}: updated wins", self.change()),
            (Fate::Take, _) => "taken from updated".to_owned(),
            (Fate::Remove, Rule::BothChanged) => {
                format!("{}: updated wins, removed", self.change())
            }
            (Fate::Remove, _) => "removed".to_owned(),
            (Fate::Keep, Rule::BothChanged) => format!("{}: dest wins", self.change()),
            (Fate::Keep, _) => "kept".to_owned(),
        };
        moved + &what
    }

    /// What both sides did, where nothing is merged.
    const fn change(&self) -> &'static str {
        match self.removed_by {
            Some(Side::Incoming) => "dest changed it and updated removed it",
            Some(_) => "dest removed it and updated changed it",
            None => "both sides changed it, and it has no lines to merge",
        }
    }
}

/// The report for people: a line for each resource and file; empty where nothing but fields was decided.
pub(crate) fn write_package(report: &PackageReport) -> String {
    let mut out = String::new();
    for record in &report.resources {
        let _ = writeln!(out, "{}", line(&format!("{}: {}: {}", record.place(), record.resource, record.what())));
    }
    for record in &report.files {
        let _ = writeln!(out, "{}", line(&format!("{}: {}", record.path, record.what())));
    }
    out
}
