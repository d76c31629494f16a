//! What the screen shows, and what keys do about it.
//!
//! Ignores the terminal: tests press keys without one.

use std::collections::BTreeMap;

use kmerge_core::Schema;
use kmerge_core::markers::hunks;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::super::choices::{Checker, Choice, Choices, Written};
use super::super::file::{Decision, File, Merge, Sides};
use crate::report::Words;
use crate::terminal::counted;

/// Everything about the conflicts, and where somebody is in them.
pub(super) struct Screen<'m> {
    pub(super) files: Vec<Open<'m>>,
    /// All conflicts; there is one at least.
    pub(super) stops: Vec<Stop>,
    /// The lines of the list: files with their conflicts.
    pub(super) list: Vec<Item>,
    /// Index of the stop that is looked at.
    pub(super) at: usize,
    /// Lines of the sides that are above the screen.
    pub(super) scroll: u16,
    /// What the last key has brought.
    pub(super) says: Vec<String>,
    pub(super) shows_help: bool,
    /// Whether the next `q` throws choices away.
    is_warned: bool,
    /// What came back from the editor and cannot stand in a file.
    refused: BTreeMap<usize, String>,
}

/// A file, and what was chosen in it.
pub(super) struct Open<'m> {
    pub(super) shown: File,
    result: &'m str,
    checker: Checker<'m>,
    written: &'m mut Written,
    pub(super) choices: Choices,
}

/// A conflict.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) file: usize,
    /// Its number in the file.
    pub(super) hunk: usize,
    /// Its row.
    pub(super) row: usize,
}

/// A line of the list, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    File(usize),
    Stop(usize),
}

/// What comes after a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Stay,
    /// The conflict is to be edited.
    Edit,
    End(Ended),
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// What was chosen is written.
    Written,
    /// Nothing more is written.
    Quit,
}

impl<'m> Screen<'m> {
    pub(super) fn new(merges: &'m [Merge], written: &'m mut [Written], schema: &'m Schema) -> Self {
        let open = |(merge, written): (&'m Merge, &'m mut Written)| Open {
            shown: File::new(merge, Words::GIT),
            result: &merge.result,
            checker: Checker::new(merge, schema),
            written,
            choices: Choices::new(),
        };
        let files: Vec<Open<'m>> = merges.iter().zip(written).map(open).collect();
        let (mut stops, mut list) = (Vec::new(), Vec::new());
        for (at, file) in files.iter().enumerate() {
            let rows = file.shown.rows.iter().enumerate();
            let rows = rows.filter_map(|(row, shown)| shown.hunk().map(|_| row));
            list.push(Item::File(at));
            for (hunk, row) in rows.enumerate() {
                list.push(Item::Stop(stops.len()));
                stops.push(Stop { file: at, hunk, row });
            }
        }
        let (says, refused) = (Vec::new(), BTreeMap::new());
        Self { files, stops, list, at: 0, scroll: 0, says, shows_help: false, is_warned: false, refused }
    }

    pub(super) fn press(&mut self, key: KeyEvent) -> Next {
        let is_warned = std::mem::take(&mut self.is_warned);
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Next::End(Ended::Quit);
        }
        if std::mem::take(&mut self.shows_help) {
            return Next::Stay;
        }
        self.says.clear();
        match key.code {
            KeyCode::Char('j') | KeyCode::Down => self.go(self.at + 1),
            KeyCode::Char('k') | KeyCode::Up => self.go(self.at.saturating_sub(1)),
            KeyCode::Char('n') => self.go_to_open((self.at + 1..self.stops.len()).chain(0..self.at)),
            KeyCode::Char('p') => {
                self.go_to_open((0..self.at).rev().chain((self.at + 1..self.stops.len()).rev()));
            }
            KeyCode::Char(' ') | KeyCode::PageDown => self.scroll = self.scroll.saturating_add(PAGE),
            KeyCode::Char('b') | KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(PAGE),
            KeyCode::Char('1') => self.choose(Some(Choice::Ours)),
            KeyCode::Char('2') => self.choose(Some(Choice::Theirs)),
            KeyCode::Char('3') => self.choose(Some(Choice::Base)),
            KeyCode::Char('u') => self.choose(None),
            KeyCode::Char('e') => return self.ask_to_edit(),
            KeyCode::Char('w') => return self.write(false),
            KeyCode::Char('W') => return self.write(true),
            KeyCode::Char('q') => return self.quit(is_warned),
            KeyCode::Char('?') => self.shows_help = true,
            _ => {}
        }
        Next::Stay
    }

    pub(super) fn stop(&self) -> Stop {
        self.stops[self.at]
    }

    pub(super) fn sides(&self, stop: Stop) -> &Sides {
        self.files[stop.file].shown.rows[stop.row].hunk().expect("a stop is a hunk")
    }

    pub(super) fn choice(&self, stop: Stop) -> Option<&Choice> {
        self.files[stop.file].choices.get(&stop.hunk)
    }

    pub(super) fn decisions(&self, stop: Stop) -> &[Decision] {
        let all = &self.files[stop.file].shown.decisions;
        let first = all.partition_point(|decision| decision.row < stop.row);
        let count = all[first..].partition_point(|decision| decision.row == stop.row);
        &all[first..first + count]
    }

    /// How many conflicts nobody has decided.
    pub(super) fn left(&self) -> usize {
        self.stops.len() - self.files.iter().map(|file| file.choices.len()).sum::<usize>()
    }

    fn go(&mut self, at: usize) {
        self.at = at.min(self.stops.len() - 1);
        self.scroll = 0;
    }

    /// Goes to the first of these stops that nobody has decided.
    fn go_to_open(&mut self, mut stops: impl Iterator<Item = usize>) {
        match stops.find(|at| self.choice(self.stops[*at]).is_none()) {
            Some(at) => self.go(at),
            None if self.left() == 0 => self.says.push("no conflict is left: w writes".to_owned()),
            None => self.says.push("this is the last conflict that is left".to_owned()),
        }
    }

    fn choose(&mut self, choice: Option<Choice>) {
        let stop = self.stop();
        if choice == Some(Choice::Base) && self.sides(stop).hunk[1].is_none() {
            self.says.push("the base is not known here".to_owned());
            return;
        }
        let file = &mut self.files[stop.file];
        match choice {
            Some(choice) => drop(file.choices.insert(stop.hunk, choice)),
            None => {
                file.choices.remove(&stop.hunk);
                return;
            }
        }
        let faults = file.checker.faults(&file.choices);
        self.says.extend(faults.into_iter().map(|fault| format!("with this choice: {fault}")));
    }

    fn ask_to_edit(&mut self) -> Next {
        if self.files[self.stop().file].shown.secret {
            self.says.push(
                "this file holds a Secret, so its values are hidden: choose a side here, or quit and edit the file"
                    .to_owned(),
            );
            return Next::Stay;
        }
        Next::Edit
    }

    /// The text that an editor is given: what was chosen, or the conflict with its markers.
    pub(super) fn draft(&self) -> String {
        let stop = self.stop();
        let Open { result, choices, .. } = &self.files[stop.file];
        let hunk = &hunks(result.as_bytes())[stop.hunk];
        let range = match choices.get(&stop.hunk) {
            Some(Choice::Text(text)) => return text.clone(),
            Some(Choice::Ours) => hunk.ours.clone(),
            Some(Choice::Base) => hunk.base.clone().unwrap_or_default(),
            Some(Choice::Theirs) => hunk.theirs.clone(),
            None => hunk.whole.clone(),
        };
        self.refused.get(&self.at).cloned().unwrap_or_else(|| result[range].to_owned())
    }

    /// Takes what an editor made of the draft.
    pub(super) fn edited(&mut self, text: anyhow::Result<String>) {
        match text {
            Err(error) => self.says.push(format!("{error:#}")),
            Ok(text) if text == self.draft() => self.says.push("nothing was changed".to_owned()),
            Ok(text) if kmerge_core::markers::stray(text.as_bytes()).next().is_some() => {
                self.says.push("conflict markers are left in what you wrote: e goes on with it".to_owned());
                self.choose(None);
                self.refused.insert(self.at, text);
            }
            Ok(mut text) => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                self.refused.remove(&self.at);
                self.choose(Some(Choice::Text(text)));
            }
        }
    }

    /// Writes all files; with faults only if `anyway` says so.
    fn write(&mut self, anyway: bool) -> Next {
        for file in &mut self.files {
            let path = &file.shown.path;
            match file.checker.write(file.written, &file.choices, anyway) {
                Ok(answer) if answer.written => {}
                Ok(answer) => {
                    self.says.push(format!("{path} is not written (W writes it all the same):"));
                    self.says.extend(answer.faults);
                }
                Err(error) => self.says.push(format!("{path} is not written: {error:#}")),
            }
        }
        if self.says.is_empty() { Next::End(Ended::Written) } else { Next::Stay }
    }

    fn quit(&mut self, is_warned: bool) -> Next {
        let chosen = self.stops.len() - self.left();
        if chosen == 0 || is_warned {
            return Next::End(Ended::Quit);
        }
        self.is_warned = true;
        let choices = counted(chosen, "choice");
        self.says.push(format!("{choices} would be lost: q again quits without writing, w writes"));
        Next::Stay
    }
}

/// Lines that are scrolled at once.
const PAGE: u16 = 5;
