//! Numbers tokens, so that equal ones have one number on all sides. Finds out which lines stand directly above which
//! entry.

use hashbrown::{HashMap, HashSet};

use super::{Token, What};
use crate::lines::Differ;

/// Gives one number to lines that differ only in spacing, and to entries of one row.
pub(super) struct Names<'o> {
    numbers: HashMap<Name, u32>,
    /// The rows of the result.
    rows: HashSet<&'o usize>,
}

#[derive(PartialEq, Eq, Hash)]
enum Name {
    Line(String),
    Entry(usize),
}

impl<'o> Names<'o> {
    pub(super) fn new(order: &'o [usize]) -> Self {
        Self { numbers: HashMap::new(), rows: order.iter().collect() }
    }

    /// One side's tokens with their numbers.
    pub(super) fn lane<'t>(&mut self, tokens: &'t [Token<'t>]) -> Lane<'t> {
        let names = tokens.iter().map(|token| self.number(token.what)).collect();
        let places = tokens.iter().enumerate().filter_map(|(place, token)| Some((row(token)?, place))).collect();
        let leads = leads(tokens);
        let goes = leads.iter().map(|row| row.is_some_and(|row| !self.rows.contains(&row))).collect();
        Lane { tokens: tokens.to_vec(), names, places, entries: entries(tokens), leads, hangs: hangs(tokens), goes }
    }

    fn number(&mut self, what: What<'_>) -> u32 {
        let name = match what {
            What::Line(line) => Name::Line(line.split_whitespace().collect()),
            What::Entry(row) => Name::Entry(row),
        };
        let next = self.numbers.len() as u32;
        *self.numbers.entry(name).or_insert(next)
    }
}

/// One side's tokens. Other code refers to a token by its place here.
pub(super) struct Lane<'t> {
    pub(super) tokens: Vec<Token<'t>>,
    pub(super) names: Vec<u32>,
    /// The place of each row.
    pub(super) places: HashMap<usize, usize>,
    /// The places of entries, in order.
    entries: Vec<usize>,
    /// For an entry its row. For a line the row of the entry directly below, if there is one.
    pub(super) leads: Vec<Option<usize>>,
    /// Whether the block that a line is in stands directly below an entry.
    pub(super) hangs: Vec<bool>,
    /// Whether the token is an entry that the result lacks, or a line directly above such an entry.
    pub(super) goes: Vec<bool>,
}

impl<'t> Lane<'t> {
    /// The tokens that both sides have. They serve as the base of a merge that has none.
    pub(super) fn common(&self, other: &Self, differ: &mut Differ) -> Self {
        let places: Vec<usize> =
            unchanged(&self.names, &other.names, differ).into_iter().map(|(place, _)| place).collect();
        let tokens: Vec<Token<'t>> = places.iter().map(|place| self.tokens[*place]).collect();
        let at = tokens.iter().enumerate().filter_map(|(place, token)| Some((row(token)?, place))).collect();
        let goes = places.iter().map(|place| self.goes[*place]).collect();
        let (entries, leads, hangs) = (entries(&tokens), leads(&tokens), hangs(&tokens));
        Self { names: self.names_of(&places), places: at, entries, leads, hangs, goes, tokens }
    }

    /// The rows of the next entries above and below a line.
    pub(super) fn neighbours(&self, line: usize) -> [Option<usize>; 2] {
        let below = self.entries.partition_point(|place| *place < line);
        let row = |index: usize| self.entries.get(index).and_then(|place| row(&self.tokens[*place]));
        [below.checked_sub(1).and_then(row), row(below)]
    }

    /// Whether a row is the last one, the end of the lane.
    pub(super) fn is_last(&self, of: usize) -> bool {
        self.tokens.last().is_some_and(|last| row(last) == Some(of))
    }

    pub(super) fn names_of(&self, places: &[usize]) -> Vec<u32> {
        places.iter().map(|place| self.names[*place]).collect()
    }

    pub(super) fn is_line(&self, place: usize) -> bool {
        matches!(self.tokens[place].what, What::Line(_))
    }

    /// Whether a token is a line that does not go away with an entry.
    pub(super) fn is_free(&self, place: usize) -> bool {
        self.is_line(place) && !self.goes[place]
    }

    /// Whether a line stands directly above an entry that the base lacks.
    pub(super) fn leads_new(&self, place: usize, base: &Self) -> bool {
        self.leads[place].is_some_and(|row| !base.places.contains_key(&row))
    }

    /// Whether a line stands below a blank line, directly below an entry, or first.
    pub(super) fn starts_block(&self, line: usize) -> bool {
        self.tokens[line].above > 0 || line == 0 || !self.is_line(line - 1)
    }

    /// The place of a line, and those of the lines above it that lead the same entry, from below.
    pub(super) fn up_from(&self, line: usize) -> impl Iterator<Item = usize> {
        (0..=line).rev().take_while(move |above| self.is_line(*above) && self.leads[*above] == self.leads[line])
    }

    /// The places of the lines directly above the entry at `place`.
    pub(super) fn lead(&self, place: usize) -> std::ops::Range<usize> {
        let above = self.leads[..place].iter().rev();
        place - above.take_while(|row| **row == self.leads[place]).count()..place
    }

    /// The places of the lines above these, up to the entry before.
    pub(super) fn above_lead(&self, place: usize) -> std::ops::Range<usize> {
        let lead = self.lead(place).start;
        lead - (0..lead).rev().take_while(|above| self.is_line(*above)).count()..lead
    }
}

fn row(token: &Token<'_>) -> Option<usize> {
    if let What::Entry(row) = token.what { Some(row) } else { None }
}

fn entries(tokens: &[Token<'_>]) -> Vec<usize> {
    tokens.iter().enumerate().filter_map(|(place, token)| row(token).map(|_| place)).collect()
}

fn leads(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut below: Option<Token<'_>> = None;
    let mut lead = None;
    let mut leads: Vec<Option<usize>> = Vec::with_capacity(tokens.len());
    for token in tokens.iter().rev() {
        let is_apart = below.is_none_or(|below| below.above > 0) || !token.is_about;
        lead = row(token).or(if is_apart { None } else { lead });
        leads.push(lead);
        below = Some(*token);
    }
    leads.reverse();
    leads
}

fn hangs(tokens: &[Token<'_>]) -> Vec<bool> {
    let mut hangs = false;
    let hang = |token: &Token<'_>| {
        let is_entry = row(token).is_some();
        let own = !is_entry && token.above == 0 && hangs;
        hangs = is_entry || own;
        own
    };
    tokens.iter().map(hang).collect()
}

/// The pairs of places that two sequences have in common, in order. Of several equal
/// lines, the one nearest to the following tokens is matched, because a comment is about what follows.
pub(super) fn unchanged(before: &[u32], after: &[u32], differ: &mut Differ) -> Vec<(usize, usize)> {
    let reversed = |names: &[u32]| names.iter().rev().copied().collect::<Vec<u32>>();
    let mut hunks = differ.diff(&reversed(before), &reversed(after)).into_iter();
    let (mut pairs, mut next) = (Vec::new(), (0, 0));
    let end = (before.len(), after.len());
    loop {
        let hunk = hunks.next();
        let (until, from) =
            hunk.map_or((end, end), |hunk| ((hunk.before.start, hunk.after.start), (hunk.before.end, hunk.after.end)));
        pairs.extend((next.0..until.0).zip(next.1..until.1).map(|(a, b)| (end.0 - 1 - a, end.1 - 1 - b)));
        if until == end {
            pairs.reverse();
            return pairs;
        }
        next = from;
    }
}
