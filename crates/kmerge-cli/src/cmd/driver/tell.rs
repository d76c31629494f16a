//! What the driver says about a merge: each conflict on one line, and what lines could not merge.
//!
//! Invariant: nothing is said under `--quiet`, `KMERGE_QUIET=1` and `KMERGE=0`, nor of virtual ancestors, which nobody sees.

use std::io::Write as _;
use std::ops::Range;

use clap::builder::styling::{AnsiColor, Effects, Style};
use kmerge_core::Side;
use kmerge_core::git::{Merged, Reason};
use kmerge_core::lines::Texts;
use kmerge_core::markers::{Hunk, hunks};

use super::notice;
use crate::cli::{DriverArgs, OnConflict};
use crate::dispute::{self, Dispute, Names};
use crate::gone::{Gone, gone};
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
        // Whatever a person has to resolve is told with a line. A conflict without one may be in any hunk.
        None if disputes.len() == count && told.iter().all(|(at, _)| at.is_some()) => {
            told.sort_by_key(|(at, _)| *at);
            let others = untold(&told, &hunks).into_iter().map(Some);
            told.extend(others.map(|at| (at, "both sides changed neighbouring lines".to_owned())));
            told.sort_by_key(|(at, _)| *at);
        }
        None => {}
    }
    if let (None, Some(note)) = (merged.reason(), dispute::note(merged)) {
        told.insert(0, (hunks.first().map(|hunk| hunk.whole.start), terminal::line(&note).into_owned()));
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
    }
    tell_of_comments(args, texts, text);
}

/// Says which comments of one side are gone: where the other side removed what they stood at, the removal wins. What they say is
/// not shown, as it may be a password.
fn tell_of_comments(args: &DriverArgs, texts: Texts<'_>, text: &[u8]) {
    for Gone { side, first, others } in gone(texts, text) {
        let label = if side == Side::Incoming { &args.theirs_label } else { &args.ours_label };
        let label = terminal::line(&short(&label.to_string_lossy())).into_owned();
        let more = if others > 0 { format!(" and {others} more") } else { String::new() };
        notice(args, format_args!("a comment of {label} is gone with what the other side removed: line {first}{more}"));
    }
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

/// Where the hunks start in which none of these conflicts stands. The conflicts are in order.
fn untold(told: &[(Option<usize>, String)], hunks: &[Hunk]) -> Vec<usize> {
    let is_told = |hunk: &Hunk| {
        let first = told.partition_point(|(at, _)| *at < Some(hunk.whole.start));
        told.get(first).is_some_and(|(at, _)| *at < Some(hunk.whole.end))
    };
    hunks.iter().filter(|hunk| !is_told(hunk)).map(|hunk| hunk.whole.start).collect()
}

/// Says why a file was merged line by line, and where its conflicts start.
fn tell_reason(args: &DriverArgs, reason: &Reason, first: Option<usize>, conflicts: usize) {
    let more = if conflicts > 1 { format!(": {conflicts} conflicts") } else { String::new() };
    conflict(args, first, &format!("{}{more}", dispute::reason(reason)));
}

/// Where each conflict stands in a text: at a line of it in a hunk. Conflicts and hunks come in the same order. So if there are as many
/// hunks as conflicts, or only one hunk, the hunk of each conflict is known, even if none of its lines is there.
fn places(disputes: &[Dispute], text: &[u8], hunks: &[Hunk]) -> Vec<Option<usize>> {
    let in_hunk = |hunk: &Hunk, dispute: &Dispute| {
        let wanted = dispute.line.as_ref().filter(|line| !line.is_empty())?.as_bytes();
        [&hunk.ours, &hunk.theirs].into_iter().find_map(|side| line_in(text, side, wanted))
    };
    let of_known = |(dispute, hunk): (&Dispute, &Hunk)| Some(in_hunk(hunk, dispute).unwrap_or(hunk.whole.start));
    if let [hunk] = hunks {
        return disputes.iter().map(|dispute| of_known((dispute, hunk))).collect();
    }
    if hunks.len() == disputes.len() {
        return disputes.iter().zip(hunks).map(of_known).collect();
    }
    let mut next = 0;
    let of_line = |dispute: &Dispute| {
        (next..hunks.len()).chain(0..next).find_map(|index| {
            let at = in_hunk(&hunks[index], dispute)?;
            next = index;
            Some(at)
        })
    };
    disputes.iter().map(of_line).collect()
}

/// Where a line stands in a part of a text, whatever its indentation.
fn line_in(text: &[u8], part: &Range<usize>, wanted: &[u8]) -> Option<usize> {
    let mut at = part.start;
    for line in text[part.clone()].split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii() == wanted {
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
