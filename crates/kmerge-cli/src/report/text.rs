//! Reports for people: two lines for each place, grouped by resource.
//!
//! The first line names the place and says what happens to the destination; the second says which rule decided, with the
//! three values, shortened. Values that the rule says are the same are shown once.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Effects, Style};
use kmerge_core::{Outcome, Role, Rule, Slots};

use super::{FileReport, Record, Version};
use crate::terminal::line;

const HEADING: Style = Style::new().effects(Effects::BOLD);
const FAINT: Style = Style::new().effects(Effects::DIMMED);
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const CONTESTED: Style = AnsiColor::Yellow.on_default();
const CONFLICT: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);

/// What the sides of a merge are called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    pub(crate) dest: &'static str,
    pub(crate) base: &'static str,
    pub(crate) incoming: &'static str,
}

impl Words {
    /// Those of kustomize.
    pub(crate) const MERGE: Self = Self { dest: "dest", base: "original", incoming: "updated" };
    /// Those of git.
    pub(crate) const GIT: Self = Self { dest: "ours", base: "base", incoming: "theirs" };
}

/// The report of one file with colours; empty where everything is agreed.
pub(crate) fn write_text(report: &FileReport) -> String {
    write_text_in(report, Words::MERGE)
}

/// The same in other words.
pub(crate) fn write_text_in(report: &FileReport, words: Words) -> String {
    let mut out = String::new();
    let mut resource = "";
    for record in &report.records {
        if resource != record.resource {
            resource = &record.resource;
            let _ = writeln!(out, "{HEADING}{}{HEADING:#}", line(resource));
        }
        describe(&mut out, record, report.is_two_way, words);
    }
    out
}

fn describe(out: &mut String, record: &Record, is_two_way: bool, words: Words) {
    let role = match record.role {
        Role::Value => "",
        Role::Lead => " (comment above)",
        Role::Trail => " (comment beside)",
        Role::Name => " (name of a field)",
        Role::Layout => " (layout)",
        Role::Order => " (order)",
        Role::Gap if record.is_text => "",
        Role::Gap => " (text between entries)",
    };
    let (verb, style) = verb(record, is_two_way);
    let path = match record {
        _ if record.is_text || record.is_of_documents() => record.place(),
        _ if record.path.is_root() => "the whole document".to_owned(),
        _ => record.path.short().to_string(),
    };
    let list = record.list_in_words.as_deref().unwrap_or_default();
    let (beside, below) = if list.len() > LONGEST { ("", list) } else { (list, "") };
    let beside = if beside.is_empty() { String::new() } else { format!(" ({beside})") };
    let (path, beside, below) = (line(&path), line(&beside), line(below));
    let _ = writeln!(out, "  {style}{verb:8}{style:#} {path}{FAINT}{role}{beside}{FAINT:#}");
    let reason = if is_two_way && record.rule == Rule::BothChanged { two_way(record) } else { reason(record, words) };
    let _ = writeln!(out, "           {}", line(&reason));
    if let Some(advice) = record.advice() {
        let _ = writeln!(out, "           {FAINT}{}{FAINT:#}", line(&advice));
    }
    if !below.is_empty() {
        let _ = writeln!(out, "           {FAINT}{below}{FAINT:#}");
    }
}

/// What happens to the destination.
fn verb(record: &Record, is_two_way: bool) -> (&'static str, Style) {
    let (had, has) = (record.sides.dest.is_some(), record.sides.incoming.is_some());
    match record.outcome {
        Outcome::Conflict => ("conflict", CONFLICT),
        Outcome::Keep if record.rule == Rule::BothChanged => ("keep", CONTESTED),
        Outcome::Keep => ("keep", FAINT),
        Outcome::Take if record.rule == Rule::Cleared => ("remove", REMOVED),
        Outcome::Take if had && record.is_overwritten() && !is_two_way => ("overwritten", CONTESTED),
        Outcome::Take if had && has || record.is_of_documents() => ("take", ADDED),
        Outcome::Take if has => ("add", ADDED),
        Outcome::Take => ("remove", REMOVED),
    }
}

/// Which rule decided, with the values.
pub(crate) fn reason(record: &Record, words: Words) -> String {
    let Slots { dest, base, incoming } = record.sides.as_ref();
    let is_whole = matches!(record.role, Role::Layout | Role::Order | Role::Gap);
    match record.rule {
        Rule::Agreed => "both sides agree".to_owned(),
        Rule::OnlyDest => only(record, words.dest, base, dest) + &against(record, words.incoming),
        Rule::OnlyIncoming => only(record, words.incoming, base.or(dest), incoming) + &against(record, words.dest),
        Rule::BothChanged if is_whole => format!("both changed it{}", winner(record, words)),
        Rule::BothChanged => {
            let [old, new, own] = shortened([base, incoming, dest]);
            let Words { dest, base, incoming } = words;
            let end = winner(record, words);
            format!("both changed it{end}: {base} {old}, {incoming} {new}, {dest} {own}")
        }
        Rule::Merged => "both changed it, in different lines, which are merged".to_owned(),
        Rule::Cleared => format!("a null clears it: {}", shortened([dest.or(base)])[0]),
        Rule::Directive => format!("$patch says so: {}", shortened([dest])[0]),
    }
}

/// What one side alone changed.
fn only(record: &Record, side: &str, from: Option<&Version>, to: Option<&Version>) -> String {
    let [old, new] = shortened([from, to]);
    match (from, to) {
        _ if matches!(record.role, Role::Layout | Role::Order | Role::Gap) => format!("only {side} changed it"),
        (Some(_), Some(_)) => format!("only {side} changed it: {old} → {new}"),
        (Some(_), None) if record.outcome == Outcome::Keep => {
            format!("only {side} removed it, and it stays removed: {old}")
        }
        (Some(_), None) => format!("only {side} removed it: {old}"),
        _ => format!("only {side} has it: {new}"),
    }
}

/// What a change of one side is in conflict with, if it is.
fn against(record: &Record, other: &str) -> String {
    match record.outcome {
        Outcome::Conflict => format!("; in conflict with another change of {other}"),
        Outcome::Keep | Outcome::Take => String::new(),
    }
}

/// The reason where there is no original that could say who changed what.
fn two_way(record: &Record) -> String {
    let [dest, updated] = shortened([record.sides.dest.as_ref(), record.sides.incoming.as_ref()]);
    match record.outcome {
        Outcome::Keep => format!("both have it, dest wins: {dest}, not {updated}"),
        Outcome::Take => format!("both have it, the source wins: {dest} → {updated}"),
        Outcome::Conflict => format!("both have it: source {updated}, dest {dest}"),
    }
}

fn winner(record: &Record, words: Words) -> String {
    match record.outcome {
        Outcome::Keep => format!(", {} wins", words.dest),
        Outcome::Take => format!(", {} wins", words.incoming),
        Outcome::Conflict => String::new(),
    }
}

/// The versions on one line each. What long ones have in common at the start is left out: they differ further on.
pub(crate) fn shortened<const N: usize>(versions: [Option<&Version>; N]) -> [String; N] {
    const FEW_WORDS: usize = 1;
    let texts = versions.map(|version| version.and_then(|version| version.text.as_deref()));
    let mut present = texts.iter().flatten().map(|text| text.split_whitespace().collect::<Vec<_>>());
    let first = present.next().unwrap_or_default();
    let same = |words: Vec<&str>| words.iter().zip(&first).take_while(|(a, b)| a == b).count();
    let shared = present.map(same).min().unwrap_or_default();
    let is_long = texts.iter().flatten().any(|text| text.len() > LONGEST);
    let cut = if is_long && shared <= FEW_WORDS { shared_start(&texts) } else { 0 };
    versions.map(|version| match version {
        None => "nothing".to_owned(),
        Some(Version { text: None, .. }) => SECRET.to_owned(),
        Some(Version { text: Some(text), .. }) if text.trim().is_empty() => "empty".to_owned(),
        Some(Version { text: Some(text), .. }) if is_long && shared > FEW_WORDS => {
            let rest: Vec<&str> = text.split_whitespace().skip(shared - 1).collect();
            format!("…{}", on_one_line(&rest.join(" ")))
        }
        Some(Version { text: Some(text), .. }) if cut > 0 => format!("…{}", on_one_line(&text[cut..])),
        Some(Version { text: Some(text), .. }) => on_one_line(text),
    })
}

/// Where to cut texts that would look alike otherwise: a little before the first difference.
fn shared_start(texts: &[Option<&str>]) -> usize {
    const CONTEXT: usize = 12;
    let mut present = texts.iter().flatten();
    let Some(first) = present.next() else { return 0 };
    let same = |text: &&str| first.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
    let Some(shared) = present.map(same).min().filter(|shared| *shared > LONGEST / 2) else { return 0 };
    let cut = (0..=shared - CONTEXT.min(shared)).rev();
    cut.into_iter().find(|at| first.is_char_boundary(*at)).unwrap_or(0)
}

/// Characters of a value that are shown.
const LONGEST: usize = 40;

/// Stands for what must not be shown.
const SECRET: &str = "(secret)";

/// A text on one line, cut where it gets long.
fn on_one_line(text: &str) -> String {
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
