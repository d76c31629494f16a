//! Differences for people.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Effects, Style};
use kmerge_core::Role;
use kmerge_core::lines::unified;

use super::{Difference, FileDiff};
use crate::report::{Record, Version};
use crate::terminal::{line, text};

const HEADING: Style = Style::new().effects(Effects::BOLD);
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const CHANGED: Style = AnsiColor::Yellow.on_default();

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// What differs, and how.
    Full,
    /// What differs.
    Brief,
}

/// All differences, with colours.
pub(crate) fn write_text(diffs: &[FileDiff], detail: Detail) -> String {
    let mut out = String::new();
    for diff in diffs {
        write_file(&mut out, diff, detail);
    }
    out
}

fn write_file(out: &mut String, FileDiff { name, what }: &FileDiff, detail: Detail) {
    let name = line(name);
    let _ = match what {
        Difference::OnlyFirst => writeln!(out, "{REMOVED}- {name}{REMOVED:#}"),
        Difference::OnlySecond => writeln!(out, "{ADDED}+ {name}{ADDED:#}"),
        Difference::Bytes => writeln!(out, "{CHANGED}~ {name}{CHANGED:#} (not text)"),
        Difference::Lines(_) if detail == Detail::Brief => writeln!(out, "{CHANGED}~ {name}{CHANGED:#}"),
        Difference::Lines(diff) => {
            let _ = writeln!(out, "{HEADING}{name}{HEADING:#} (line by line)");
            write_lines(out, "  ", diff);
            Ok(())
        }
        Difference::Places(places) if detail == Detail::Brief => {
            let groups = places.chunk_by(|a, b| a.resource == b.resource);
            groups.into_iter().try_for_each(|places| write_brief(out, &name, places))
        }
        Difference::Places(places) => {
            let _ = writeln!(out, "{HEADING}{name}{HEADING:#}");
            write_places(out, places);
            Ok(())
        }
    };
}

/// A resource that differs, that only one version has, or that the other one has.
fn write_brief(out: &mut String, name: &str, places: &[Record]) -> std::fmt::Result {
    let resource = places.first().map_or("", |place| &place.resource);
    let whole = places.iter().find(|place| is_whole(place)).map(|place| &place.sides);
    let (sign, style) = match whole.map(|sides| (sides.dest.is_some(), sides.incoming.is_some())) {
        Some((false, true)) => ("+", ADDED),
        Some((true, false)) => ("-", REMOVED),
        _ => ("~", CHANGED),
    };
    writeln!(out, "{style}{sign} {name}{style:#} {}", line(resource))
}

/// Whether it is about a resource as a whole.
fn is_whole(place: &Record) -> bool {
    place.path.is_root() && place.role == Role::Value && !place.resource.is_empty()
}

fn write_places(out: &mut String, places: &[Record]) {
    let mut resource = "";
    for place in places {
        let is_whole = is_whole(place);
        if place.resource != resource && !is_whole {
            let _ = writeln!(out, "  {HEADING}{}{HEADING:#}", line(&place.resource));
        }
        resource = &place.resource;
        let name = if is_whole { place.resource.clone() } else { place.path.short().to_string() };
        write_place(out, place, &line(&name));
    }
}

fn write_place(out: &mut String, place: &Record, name: &str) {
    let what = match place.role {
        Role::Value => "",
        Role::Lead | Role::Trail => " (comment)",
        Role::Name => " (name of a field)",
        Role::Layout => " (layout)",
        Role::Order => " (order)",
        Role::Gap => " (lines between)",
    };
    let indent = if place.resource.is_empty() || place.path.is_root() { "  " } else { "    " };
    let _ = match (&place.sides.dest, &place.sides.incoming) {
        _ if matches!(place.role, Role::Layout | Role::Order | Role::Gap) => {
            writeln!(out, "{indent}{CHANGED}~ {name}{CHANGED:#}{what}")
        }
        (None, Some(new)) => one_side(out, indent, ("+", ADDED), (name, what), new),
        (Some(old), None) => one_side(out, indent, ("-", REMOVED), (name, what), old),
        (Some(old), Some(new)) => changed(out, indent, (name, what), old, new),
        (None, None) => Ok(()),
    };
}

/// What only one side has, all of it.
fn one_side(
    out: &mut String,
    indent: &str,
    (sign, style): (&str, Style),
    (name, what): (&str, &str),
    version: &Version,
) -> std::fmt::Result {
    let text = shown(version);
    if !text.contains('\n') {
        return writeln!(out, "{indent}{style}{sign} {name}{style:#}{what}: {text}");
    }
    writeln!(out, "{indent}{style}{sign} {name}{style:#}{what}:")?;
    dedented(&text, version).lines().try_for_each(|line| writeln!(out, "{indent}    {style}{line}{style:#}"))
}

fn changed(
    out: &mut String,
    indent: &str,
    (name, what): (&str, &str),
    old: &Version,
    new: &Version,
) -> std::fmt::Result {
    let (before, after) = (shown(old), shown(new));
    if !before.contains('\n') && !after.contains('\n') {
        return writeln!(
            out,
            "{indent}{CHANGED}~ {name}{CHANGED:#}{what}: {REMOVED}{before}{REMOVED:#} → {ADDED}{after}{ADDED:#}"
        );
    }
    writeln!(out, "{indent}{CHANGED}~ {name}{CHANGED:#}{what}:")?;
    let with_newline = |text: String| text.trim_end_matches('\n').to_owned() + "\n";
    let (before, after) = (with_newline(dedented(&before, old)), with_newline(dedented(&after, new)));
    let diff = unified(before.as_bytes(), after.as_bytes());
    if diff.is_empty() {
        let header = |version| shown(version).lines().next().unwrap_or_default().to_owned();
        return writeln!(out, "{indent}    {} → {}", header(old), header(new));
    }
    write_lines(out, &format!("{indent}    "), &String::from_utf8_lossy(&diff));
    Ok(())
}

fn shown(version: &Version) -> String {
    version.text.as_deref().map_or_else(|| "(secret)".to_owned(), |shown| text(shown).into_owned())
}

/// A value of several lines with its own column at the left margin; of a block scalar, its text.
fn dedented(text: &str, version: &Version) -> String {
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_block = text.starts_with(['|', '>']);
    let depths = || text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(blanks);
    let depth = if is_block { depths().min().unwrap_or(0) } else { version.indent };
    let mut out = String::new();
    for (index, line) in text.lines().enumerate() {
        let shown = if index == 0 { line } else { &line[depth.min(blanks(line))..] };
        if index > 0 || !(is_block || line == "---") {
            out.push_str(shown);
            out.push('\n');
        }
    }
    out
}

fn write_lines(out: &mut String, indent: &str, diff: &str) {
    for line in diff.lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => ADDED,
            Some(b'-') => REMOVED,
            _ => Style::new(),
        };
        let _ = writeln!(out, "{indent}{style}{}{style:#}", text(line));
    }
}
