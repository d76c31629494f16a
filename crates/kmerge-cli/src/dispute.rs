//! How the conflicts of a merge for git are told: place, the three values, and why.

use kmerge_core::git::{Reason, View};
use kmerge_core::{Role, Side, Slots};

use crate::input::Source;
use crate::report::{FileReport, Record, shortened};

/// A line for each conflict: `Deployment web .spec.replicas: ours 3, theirs 4, base 2: changed on both sides`.
pub(crate) fn lines(view: &View<'_, '_>) -> Vec<String> {
    let sources = view.seats.map(|stream| Source::new("", stream.source()));
    let sources =
        Slots { dest: sources.dest.as_ref(), base: sources.base.as_ref(), incoming: sources.incoming.as_ref() };
    let report = FileReport::new(view.plan, view.seats, sources);
    report.conflicts().map(|record| line(record, view.host)).collect()
}

/// Why a file was merged line by line.
pub(crate) fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Binary => "binary content is not merged".to_owned(),
        Reason::Template(side) => format!("{} is a template, merged line by line", name(*side)),
        Reason::Markers(side) => format!("{} holds conflict markers, merged line by line", name(*side)),
        Reason::Unparseable { side, error } => format!("{} is not YAML ({error}), merged line by line", name(*side)),
        _ => "the merge by structure would not be sound here, merged line by line".to_owned(),
    }
}

const fn name(side: Side) -> &'static str {
    match side {
        Side::Dest => "ours",
        Side::Base => "base",
        Side::Incoming => "theirs",
    }
}

fn line(record: &Record, host: Side) -> String {
    let Slots { dest, base, incoming } = &record.sides;
    let (ours, theirs) = if host == Side::Incoming { (incoming, dest) } else { (dest, incoming) };
    let why = match (ours, base, theirs) {
        (None, _, Some(_)) => "removed by ours, changed by theirs",
        (Some(_), _, None) => "changed by ours, removed by theirs",
        (_, None, _) => "added on both sides",
        _ => "changed on both sides",
    };
    let what = match record.role {
        Role::Value => "",
        Role::Lead => " (comment above)",
        Role::Trail => " (comment beside)",
        Role::Layout => " (layout)",
        Role::Order => " (order)",
        Role::Gap => " (text between entries)",
    };
    let [ours, theirs, base] = shortened([ours, theirs, base].map(Option::as_ref));
    format!("{}{what}: ours {ours}, theirs {theirs}, base {base}: {why}", record.place())
}
