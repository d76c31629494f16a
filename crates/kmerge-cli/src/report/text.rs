//! Reports for people: a line for each place, the three values below it.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Effects, Style};
use kmerge_core::{Outcome, Role, Rule, Slots};

use super::{FileReport, Record, Version};

const PATH: Style = Style::new().effects(Effects::BOLD);
const FAINT: Style = Style::new().effects(Effects::DIMMED);
const CONFLICT: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);

/// The report of one file with colours, grouped by resource; empty where everything is agreed.
pub(crate) fn write_text(report: &FileReport) -> String {
    let mut out = String::new();
    let mut resource = None;
    for record in &report.records {
        if resource != Some(&record.resource) {
            resource = Some(&record.resource);
            heading(&mut out, &record.resource);
        }
        describe(&mut out, record);
    }
    out
}

fn heading(out: &mut String, resource: &str) {
    if !resource.is_empty() {
        let _ = writeln!(out, "{resource}");
    }
}

fn describe(out: &mut String, record: &Record) {
    let role = match record.role {
        Role::Value => "",
        Role::Lead => " (comment above)",
        Role::Trail => " (comment beside)",
        Role::Layout => " (layout)",
        Role::Order => " (order)",
        Role::Gap => " (gap)",
    };
    let style = if record.outcome == Outcome::Conflict { CONFLICT } else { FAINT };
    let _ = writeln!(out, "  {PATH}{}{PATH:#}{role}  {style}{}{style:#}", record.path, reason(record));
    let _ = writeln!(out, "      {}", values(record));
}

/// Which rule decided, and what it did.
fn reason(record: &Record) -> &'static str {
    let (had, has) = (record.sides.dest.is_some(), record.sides.incoming.is_some());
    match (record.rule, record.outcome) {
        (Rule::Agreed, _) => "both sides agree",
        (Rule::OnlyDest, _) if !had => "only dest changed it: stays removed",
        (Rule::OnlyDest, _) if record.sides.base.is_none() => "only dest has it: kept",
        (Rule::OnlyDest, _) => "only dest changed it: kept",
        (Rule::OnlyIncoming, _) if !has => "only updated changed it: removed",
        (Rule::OnlyIncoming, _) if !had => "only updated has it: added",
        (Rule::OnlyIncoming, _) => "only updated changed it: taken",
        (Rule::Contested, Outcome::Keep) => "both changed it: dest wins",
        (Rule::Contested, Outcome::Take) => "both changed it: updated wins",
        (Rule::Contested, Outcome::Conflict) => "both changed it: conflict",
        (Rule::Merged, _) => "both changed it, in different lines: merged",
        (Rule::Cleared, _) => "null clears it",
        (Rule::Directive, _) => "$patch says so",
    }
}

fn values(record: &Record) -> String {
    let Slots { dest, base, incoming } = &record.sides;
    let shown = [("original", base), ("updated", incoming), ("dest", dest)];
    let one = |(name, version): (&str, &Option<Version>)| {
        let text = version.as_ref().map_or_else(|| "-".to_owned(), shorten);
        format!("{FAINT}{name}{FAINT:#} {text}")
    };
    shown.map(one).join("  ")
}

/// The value on one line, cut where it gets long.
fn shorten(version: &Version) -> String {
    version.text.as_deref().map_or_else(|| SECRET.to_owned(), on_one_line)
}

/// Stands for what must not be shown.
pub(crate) const SECRET: &str = "(secret)";

/// A text on one line, cut where it gets long.
pub(crate) fn on_one_line(text: &str) -> String {
    const LONGEST: usize = 32;
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
        if words.len() > LONGEST {
            break;
        }
    }
    if words.chars().count() <= LONGEST {
        return words;
    }
    let cut: String = words.chars().take(LONGEST - 1).collect();
    format!("{}…", cut.trim_end())
}
