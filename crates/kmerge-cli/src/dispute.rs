//! How the conflicts of a merge for git are told: place, the three values, and why.

use kmerge_core::git::{Merged, Reason, View};
use kmerge_core::lines::Texts;
use kmerge_core::{Decision, Outcome, Role, Side, Slots};

use crate::bytes::{Bytes, max_bytes};
use crate::input::Source;
use crate::report::{FileReport, Record, Version, shortened};

/// What messages call the sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'n> {
    pub(crate) ours: &'n str,
    pub(crate) theirs: &'n str,
}

/// git's own words.
pub(crate) const PLAIN: Names<'_> = Names { ours: "ours", theirs: "theirs" };

/// A place on which the sides disagree, in git's words.
#[derive(Debug)]
pub(crate) struct Dispute {
    /// `apps/Deployment web`; empty for what is no resource.
    pub(crate) resource: String,
    pub(crate) path: String,
    pub(crate) role: Role,
    pub(crate) ours: Option<Version>,
    pub(crate) base: Option<Version>,
    pub(crate) theirs: Option<Version>,
    /// A line of ours, or of theirs where ours has none, by which the place can be found in a result.
    pub(crate) line: Option<String>,
}

/// How many conflicts a merge has.
pub(crate) fn count(view: &View<'_, '_>) -> usize {
    conflicts(view).count()
}

fn conflicts<'m>(view: &View<'m, '_>) -> impl Iterator<Item = &'m Decision> + use<'m> {
    view.plan.decisions.iter().filter(|decision| decision.outcome == Outcome::Conflict)
}

/// The first conflicts of a merge, at most so many.
pub(crate) fn disputes(view: &View<'_, '_>, most: usize) -> Vec<Dispute> {
    let sources = view.seats.map(|stream| Source::new("", stream.source()));
    let sources =
        Slots { dest: sources.dest.as_ref(), base: sources.base.as_ref(), incoming: sources.incoming.as_ref() };
    let conflicts: Vec<&Decision> = conflicts(view).take(most).collect();
    let records = FileReport::of(&conflicts, view.seats, sources).records;
    let line = |side: Side, version: &Option<Version>| {
        Some(sources.get(side)?.line(version.as_ref()?.from.line - 1).trim().to_owned())
    };
    let dispute = |record: Record| {
        let (dest, incoming) = (line(Side::Dest, &record.sides.dest), line(Side::Incoming, &record.sides.incoming));
        let line = if view.host == Side::Incoming { incoming.or(dest) } else { dest.or(incoming) };
        Dispute { line, ..Dispute::new(record, view.host) }
    };
    records.into_iter().map(dispute).collect()
}

/// All conflicts of a merge of files, each at its place in these.
pub(crate) fn disputes_in_files(view: &View<'_, '_>, texts: Texts<'_>) -> Vec<Dispute> {
    let moved = |version: Option<Version>, start: Option<u32>, text: &[u8]| {
        let start = start.unwrap_or_default();
        let lines = text[..start as usize].iter().filter(|byte| **byte == b'\n').count();
        version.map(|version| version.moved(start, lines))
    };
    let starts = view.starts;
    let in_files = |it: Dispute| Dispute {
        ours: moved(it.ours, starts.dest, texts.ours),
        base: moved(it.base, starts.base, texts.base),
        theirs: moved(it.theirs, starts.incoming, texts.theirs),
        ..it
    };
    disputes(view, usize::MAX).into_iter().map(in_files).collect()
}

/// A line for each conflict: `Deployment web .spec.replicas: ours 3, theirs 4, base 2`.
pub(crate) fn lines(view: &View<'_, '_>) -> Vec<String> {
    disputes(view, usize::MAX).iter().map(|dispute| format!("{}: {}", dispute.place(), dispute.what(PLAIN))).collect()
}

/// What about a place is meant, as it stands behind the path.
pub(crate) const fn aspect(role: Role) -> &'static str {
    match role {
        Role::Value => "",
        Role::Lead => " (comment above)",
        Role::Trail => " (comment beside)",
        Role::Name => " (name of a field)",
        Role::Layout => " (layout)",
        Role::Order => " (order)",
        Role::Gap => " (text between entries)",
    }
}

/// Why a file was merged line by line.
pub(crate) fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Binary => "binary content is not merged".to_owned(),
        Reason::Template(side) => format!("{} is a template, merged line by line", name(*side)),
        Reason::Markers(side) => format!("{} has conflict markers, merged line by line", name(*side)),
        Reason::TooLarge(side) => {
            format!("{} is larger than --max-bytes {} allows, merged line by line", name(*side), Bytes(max_bytes()))
        }
        Reason::Unparseable { side, error } => format!("{} is not YAML ({error}), merged line by line", name(*side)),
        Reason::Asked => "merged line by line, because KMERGE=0 is set".to_owned(),
        Reason::Unproven(unsound) => format!("{}; merged line by line", unsound),
        _ => "merged line by line".to_owned(),
    }
}

/// Why a merge is not the one by structure, or has more in conflict than what both sides changed.
pub(crate) fn note(merged: &Merged<'_>) -> Option<String> {
    let contested = || Some(format!("{}; in conflict as a whole", merged.contests_more()?));
    merged.reason().map(reason).or_else(contested)
}

const fn name(side: Side) -> &'static str {
    match side {
        Side::Dest => "ours",
        Side::Base => "base",
        Side::Incoming => "theirs",
    }
}

/// The value of a version; nothing of a secret.
fn text(version: &Version) -> Option<&str> {
    version.text.as_deref()
}

impl Dispute {
    fn new(record: Record, host: Side) -> Self {
        let Record { resource, path, role, sides: Slots { dest, base, incoming }, .. } = record;
        let (ours, theirs) = if host == Side::Incoming { (incoming, dest) } else { (dest, incoming) };
        Self { resource, path: path.short().to_string(), role, ours, base, theirs, line: None }
    }

    /// What happened.
    pub(crate) fn why(&self) -> String {
        self.because(PLAIN).unwrap_or_else(|| "changed on both sides".to_owned())
    }

    /// What happened, unless it is that both sides changed the place.
    fn because(&self, Names { ours, theirs }: Names<'_>) -> Option<String> {
        let is_as_before = |side: &Option<Version>| {
            let [side, base] = [side, &self.base].map(|version| version.as_ref().map(text));
            self.role == Role::Value && side == base && side != Some(None)
        };
        // What only one side changed is in conflict where its parts cannot be told from what the other side changed.
        let with_more = |(side, own): (&Option<Version>, &str), other: &str| {
            let what = match (&self.base, side) {
                (None, _) => "added",
                (_, None) => "deleted",
                _ => "changed",
            };
            Some(format!("{what} by {own}, in conflict with another change of {other}"))
        };
        match (&self.ours, &self.base, &self.theirs) {
            (None, _, _) if matches!(self.role, Role::Name) => Some(format!("deleted by {ours}, renamed by {theirs}")),
            (_, _, None) if matches!(self.role, Role::Name) => Some(format!("renamed by {ours}, deleted by {theirs}")),
            _ if matches!(self.role, Role::Name) => Some("renamed or replaced on both sides".to_owned()),
            _ if is_as_before(&self.ours) => with_more((&self.theirs, theirs), ours),
            _ if is_as_before(&self.theirs) => with_more((&self.ours, ours), theirs),
            (None, _, Some(_)) => Some(format!("deleted by {ours}, changed by {theirs}")),
            (Some(_), _, None) => Some(format!("changed by {ours}, deleted by {theirs}")),
            (_, None, _) => Some("added on both sides".to_owned()),
            _ => None,
        }
    }

    /// `Deployment web .spec.replicas`
    pub(crate) fn place(&self) -> String {
        // Of a resource as a whole, the name says it all.
        let path = if self.resource.is_empty() || self.path != "." { self.path.as_str() } else { "" };
        let gap = if self.resource.is_empty() || path.is_empty() { "" } else { " " };
        format!("{}{gap}{path}{}", self.resource, aspect(self.role))
    }

    /// `ours 3, theirs 4, base 2`
    pub(crate) fn what(&self, names: Names<'_>) -> String {
        let [ours, theirs, base] = shortened([&self.ours, &self.theirs, &self.base].map(Option::as_ref));
        let because = self.because(names).map_or_else(String::new, |why| format!(": {why}"));
        format!("{} {ours}, {} {theirs}, base {base}{because}", names.ours, names.theirs)
    }
}
