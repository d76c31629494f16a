//! Where a group of changed lines goes that could as well stand a few lines higher or lower.
//!
//! With `a b` inserted in `… a b a b …` there are several diffs of one size. As git does (without its indent heuristic):
//! groups that meet become one; a group stands beside changes of the other text if it can; else as low as possible.

use std::ops::Range;

use super::diff::changed_run;
use super::intern::Token;

/// Moves the groups in `changed`, the marks of `lines`; `other` holds the marks of the other text.
pub(super) fn slide(lines: &[Token], changed: &mut [bool], other: &[bool]) {
    let mut group = changed_run(changed, 0);
    let mut beside = Beside { marks: other, group: changed_run(other, 0) };
    loop {
        if !group.is_empty() {
            place(lines, changed, &mut group, &mut beside);
        }
        if group.end == changed.len() {
            return;
        }
        // Most lines are in no group of either text.
        let is_unchanged = |(line, other): &(&bool, &bool)| !**line && !**other;
        let lines = changed[group.end + 1..].iter().zip(&other[beside.group.end + 1..]);
        let unchanged = 1 + lines.take_while(is_unchanged).count();
        group = changed_run(changed, group.end + unchanged);
        beside.group = changed_run(other, beside.group.end + unchanged);
    }
}

/// The group of the other text, possibly empty, that stands beside the group that moves.
struct Beside<'a> {
    marks: &'a [bool],
    group: Range<usize>,
}

impl Beside<'_> {
    fn up(&mut self) {
        self.group = run_before(self.marks, self.group.start - 1);
    }

    fn down(&mut self) {
        self.group = changed_run(self.marks, self.group.end + 1);
    }

    const fn is_change(&self) -> bool {
        self.group.start < self.group.end
    }
}

fn place(lines: &[Token], changed: &mut [bool], group: &mut Range<usize>, beside: &mut Beside<'_>) {
    let mut highest;
    let mut meets_other;
    loop {
        let size = group.len();
        while up(lines, changed, group) {
            beside.up();
        }
        highest = group.end;
        meets_other = beside.is_change();
        while down(lines, changed, group) {
            beside.down();
            meets_other |= beside.is_change();
        }
        // Having met another group it may reach further up than before.
        if group.len() == size {
            break;
        }
    }
    if meets_other && group.end != highest {
        while !beside.is_change() && up(lines, changed, group) {
            beside.up();
        }
    }
}

fn up(lines: &[Token], changed: &mut [bool], group: &mut Range<usize>) -> bool {
    if group.start == 0 || lines[group.start - 1] != lines[group.end - 1] {
        return false;
    }
    changed[group.start - 1] = true;
    changed[group.end - 1] = false;
    *group = run_before(changed, group.start).start..group.end - 1;
    true
}

fn down(lines: &[Token], changed: &mut [bool], group: &mut Range<usize>) -> bool {
    if group.end == lines.len() || lines[group.start] != lines[group.end] {
        return false;
    }
    changed[group.start] = false;
    changed[group.end] = true;
    *group = group.start + 1..changed_run(changed, group.end).end;
    true
}

/// The changed lines before `end`.
fn run_before(changed: &[bool], end: usize) -> Range<usize> {
    let run = changed[..end].iter().rev().take_while(|changed| **changed).count();
    end - run..end
}
