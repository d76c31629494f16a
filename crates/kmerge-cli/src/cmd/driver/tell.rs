//! What the driver says about a merge: each conflict on one line, and what lines could not merge.
//!
//! Invariant: nothing is said under `--quiet`, `KMERGE_QUIET=1` and `KMERGE=0`, nor of virtual ancestors, which nobody sees.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::Range;

use clap::builder::styling::{AnsiColor, Effects, Style};
use kmerge_core::git::{Merged, Reason};
use kmerge_core::lines::Texts;
use kmerge_core::markers::{Hunk, hunks};
use kyaml_ast::{Span, Stream};

use super::notice;
use crate::cli::{DriverArgs, OnConflict};
use crate::dispute::{self, Dispute, Names};
use crate::terminal::{self, counted};

/// So many conflicts are listed.
const MOST: usize = 10;

const BOLD: Style = Style::new().effects(Effects::BOLD);
const PLACE: Style = AnsiColor::Yellow.on_default();

/// Whether the user wants git's own merge.
pub(super) fn is_off() -> bool {
    std::env::var_os("KMERGE").is_some_and(|value| value == "0")
}

fn is_quiet(args: &DriverArgs) -> bool {
    let is_set = std::env::var_os("KMERGE_QUIET").is_some_and(|value| !value.is_empty() && value != "0");
    args.say.quiet || is_set || is_off() || args.on_conflict == OnConflict::Base
}

/// Says what a user may not expect of a merge that gave `text`.
pub(super) fn tell(args: &DriverArgs, texts: Texts<'_>, merged: &Merged<'_>, text: &[u8]) {
    if is_quiet(args) {
        return;
    }
    let hunks = hunks(text);
    let views = merged.views();
    let [ours, theirs] = [&args.ours_label, &args.theirs_label].map(|label| short(&label.to_string_lossy()));
    let most = if args.say.verbose { usize::MAX } else { MOST };
    let count: usize = views.iter().map(dispute::count).sum();
    let mut disputes: Vec<Dispute> = Vec::new();
    for view in &views {
        if disputes.len() < most {
            disputes.extend(dispute::disputes(view, most - disputes.len()));
        }
    }
    let mut told: Vec<(Option<usize>, String)> = Vec::new();
    for (dispute, at) in disputes.iter().zip(places(&disputes, text, &hunks)) {
        let what = dispute.what(Names { ours: &ours, theirs: &theirs });
        told.push((at, format!("{PLACE}{}{PLACE:#}: {}", terminal::line(&dispute.place()), terminal::line(&what))));
    }
    match merged.reason() {
        Some(reason) => {
            tell_reason(args, reason, hunks.first().map(|hunk| line_at(text, hunk.whole.start)), hunks.len())
        }
        // Whatever a person has to resolve is told with a line.
        None if disputes.len() == count => {
            let is_told = |hunk: &&Hunk| told.iter().any(|(at, _)| at.is_some_and(|at| hunk.whole.contains(&at)));
            let others: Vec<_> = hunks.iter().filter(|hunk| !is_told(hunk)).map(|hunk| hunk.whole.start).collect();
            told.extend(others.into_iter().map(|at| (Some(at), "both sides changed neighbouring lines".to_owned())));
            told.sort_by_key(|(at, _)| *at);
        }
        None => {}
    }
    for (at, message) in told.iter().take(most) {
        conflict(args, at.map(|at| line_at(text, at)), message);
    }
    let more = count.max(told.len()).saturating_sub(most);
    if more > 0 {
        notice(args, format_args!("and {}", counted(more, "more conflict")));
    }
    if merged.reason().is_some() {
        return;
    }
    let solved = merged.conflicts_of_lines().saturating_sub(hunks.len());
    if solved > 0 {
        tell_of_solved(args, solved);
        tell_of_comments(args, texts, text);
    }
}

/// Says which comments of one side are gone: where the other side removed what they stood at, the removal wins. What they say is
/// not shown, as it may be a password.
fn tell_of_comments(args: &DriverArgs, texts: Texts<'_>, text: &[u8]) {
    let [was, kept] = [texts.base, text].map(after_hashes);
    let lost = |side: &[u8]| {
        let is_lost = |(words, times): (&[u8], usize)| {
            [&was, &kept].iter().all(|known| known.get(words).is_none_or(|known| *known < times))
        };
        after_hashes(side).into_iter().any(is_lost)
    };
    // Mostly none is, and no text has to be parsed.
    if !lost(texts.ours) && !lost(texts.theirs) {
        return;
    }
    let [Some(base), Some(result)] = [texts.base, text].map(comments) else { return };
    for (side, label) in [(texts.ours, &args.ours_label), (texts.theirs, &args.theirs_label)] {
        let count = |of: &BTreeMap<String, Vec<usize>>, comment: &str| of.get(comment).map_or(0, Vec::len);
        let mut gone = Vec::new();
        for (comment, lines) in comments(side).unwrap_or_default() {
            let left = count(&base, &comment).max(count(&result, &comment));
            let times = lines.len().saturating_sub(left);
            if times > 0 {
                gone.push((lines, times));
            }
        }
        gone.sort();
        if let Some((first, times)) = gone.first() {
            let label = terminal::line(&short(&label.to_string_lossy())).into_owned();
            // Nobody knows which of several that say the same.
            let lines: Vec<String> = first.iter().map(usize::to_string).collect();
            let line = if *times < lines.len() { lines.join(" or ") } else { lines[0].clone() };
            let others = gone.iter().map(|(_, times)| times).sum::<usize>() - 1;
            let more = if others > 0 { format!(" and {others} more") } else { String::new() };
            notice(
                args,
                format_args!("a comment of {label} is gone with what the other side removed: line {line}{more}"),
            );
        }
    }
}

/// What stands behind the first `#` of a line, comment or not, and how often.
fn after_hashes(text: &[u8]) -> BTreeMap<&[u8], usize> {
    let mut found = BTreeMap::new();
    let mut rest = text;
    while let Some(start) = memchr::memchr(b'#', rest) {
        let line = &rest[start..];
        let end = memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len());
        *found.entry(&line[..end]).or_default() += 1;
        rest = &line[end..];
    }
    found
}

/// The comments of a text without their blanks, and the lines that they stand on; `None` if it is no YAML.
fn comments(text: &[u8]) -> Option<BTreeMap<String, Vec<usize>>> {
    let stream = Stream::parse(std::str::from_utf8(text).ok()?).ok()?;
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut line = 1;
    let mut from = 0;
    for span in stream.comment_spans_in(Span::new(0, stream.source().len() as u32)) {
        line += memchr::memchr_iter(b'\n', &text[from..span.start as usize]).count();
        from = span.start as usize;
        let words = span.of(stream.source()).split_ascii_whitespace().collect();
        found.entry(words).or_default().push(line);
    }
    Some(found)
}

/// Says what the structure did that lines could not.
fn tell_of_solved(args: &DriverArgs, solved: usize) {
    let path = args.path.as_ref().unwrap_or(&args.ours);
    let path = path.to_string_lossy();
    let quoted =
        if path.chars().all(is_plain) { path.into_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) };
    let review = match action().as_deref() {
        Some("merge" | "pull") => format!("; review with: git diff ORIG_HEAD -- {quoted}"),
        Some("rebase" | "cherry-pick" | "revert") => format!("; review with: git show -- {quoted}"),
        _ => String::new(),
    };
    notice(args, format_args!("solved {} of git's line merge{review}", counted(solved, "conflict")));
}

/// Whether a shell takes a character for nothing but itself.
const fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '/' | '.' | '_' | '-' | '+' | ',' | ':' | '@')
}

/// What git is about, as it says in its own journal: `merge topic`.
fn action() -> Option<String> {
    let action = std::env::var("GIT_REFLOG_ACTION").ok()?;
    Some(action.split([' ', ':']).next().unwrap_or_default().to_owned())
}

/// A label of markers, which may hold the subject of a commit.
fn short(label: &str) -> String {
    const LONGEST: usize = 30;
    match label.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &label[..at]),
        None => label.to_owned(),
    }
}

/// Says why a file was merged line by line, and where its conflicts start.
fn tell_reason(args: &DriverArgs, reason: &Reason, first: Option<usize>, conflicts: usize) {
    let more = if conflicts > 1 { format!(": {conflicts} conflicts") } else { String::new() };
    conflict(args, first, &format!("{}{more}", dispute::reason(reason)));
}

/// Where each conflict stands in a text: at a line of it in a hunk. Both come in order. So if there are as many hunks as conflicts, or
/// only one hunk, each conflict has its hunk, even if none of its lines is there.
fn places(disputes: &[Dispute], text: &[u8], hunks: &[Hunk]) -> Vec<Option<usize>> {
    let in_hunk = |hunk: &Hunk, wanted: &[u8]| {
        [&hunk.ours, &hunk.theirs].into_iter().find_map(|side| line_in(text, side, wanted))
    };
    let mut next = 0;
    let place = |(number, dispute): (usize, &Dispute)| {
        let wanted = dispute.line.as_ref().map_or(&[][..], |line| line.as_bytes());
        let own =
            if hunks.len() == 1 { hunks.first() } else { hunks.get(number).filter(|_| hunks.len() == disputes.len()) };
        match own {
            Some(hunk) => Some(in_hunk(hunk, wanted).unwrap_or(hunk.whole.start)),
            None => (next..hunks.len()).chain(0..next).find_map(|index| {
                let at = in_hunk(&hunks[index], wanted)?;
                next = index;
                Some(at)
            }),
        }
    };
    disputes.iter().enumerate().map(place).collect()
}

/// Where a line stands in a part of a text, whatever its indentation.
fn line_in(text: &[u8], part: &Range<usize>, wanted: &[u8]) -> Option<usize> {
    let mut at = part.start;
    for line in text[part.clone()].split_inclusive(|byte| *byte == b'\n') {
        if !wanted.is_empty() && line.trim_ascii() == wanted {
            return Some(at);
        }
        at += line.len();
    }
    None
}

fn line_at(text: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text[..at]).count() + 1
}

/// `kmerge: web.yaml:7: ` and what it is about, with colours.
fn conflict(args: &DriverArgs, line: Option<usize>, message: &str) {
    let path = args.path.as_ref().unwrap_or(&args.ours).display().to_string();
    let line = line.map_or_else(String::new, |line| format!(":{line}"));
    let path = terminal::line(&path);
    // With stderr closed nobody listens; the exit code still says it.
    let _ = writeln!(terminal::coloured_stderr(), "kmerge: {BOLD}{path}{line}:{BOLD:#} {message}");
}
