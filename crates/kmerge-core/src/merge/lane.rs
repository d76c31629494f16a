//! Merges lanes. A lane is the inside of a container as one sequence of tokens: comment lines and entries.
//!
//! Owns every decision about lines above, below and between entries. Each side is matched to the base, entries and
//! lines together. What a side did to the base is then a list of hunks. Hunks of both sides form one group if they
//! share a removed token or insert at one point. Every other hunk is applied alone. The rules in a group:
//!
//! - A token that one side removed is gone. A token that both sides brought stands once, at our place.
//! - One side replaced an entry by lines, or emptied it and put lines directly below it, while the other side changed
//!   the entry: the lines are a conflict.
//! - Both sides replaced one comment by lines, or one replaced and the other removed it: a conflict, unless one side's
//!   lines contain the other's.
//! - Both sides inserted at one point: ours comes first, then theirs, then the lines directly above the next entry. Two
//!   blocks of comments are a conflict if they are similar but not equal, or if there is no base and both stand directly
//!   above the next entry.
//! - A comment directly above an entry that goes, goes with it, unless a side has it elsewhere, or put it in the place of an
//!   entry. A list item that was commented out stays.
//!
//! Invariants: each entry of the wanted order comes out once, in that order. Swapping the sides gives the same lines
//! and the same conflicts. A line that one side removed and the other left alone does not come back.
//!
//! Blank lines are no tokens: their number belongs to a pair of neighbours. Ignores indentation and other spacing:
//! lines that differ only in spacing are equal.

mod combine;
mod names;
mod order;
mod script;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use crate::lines::Differ;
use crate::slots::{Side, Slots};
use names::Lane;
use order::Fixed;
use script::{Change, Group, Part, Script};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum What<'t> {
    /// A comment, without the spaces around it.
    Line(&'t str),
    /// The entry of a row.
    Entry(usize),
}

/// One element of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) what: What<'t>,
    /// The number of blank lines directly above.
    pub(crate) above: usize,
    /// Whether a line is about the entry directly below it. A list item that was commented out is not.
    pub(crate) is_about: bool,
}

/// The place of a token in the lane of each side that has it.
pub(crate) type Places = Slots<usize>;

/// The next part of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A token, and the number of blank lines above it.
    Token { at: Places, above: usize },
    /// Lines that both sides changed. `lines`: all lines of each side at this place. `new`: those among them that stay if
    /// the side wins.
    BothChanged { lines: Slots<Vec<usize>>, new: Slots<Vec<usize>>, above: usize },
}

/// Rows whose entry one side removed or emptied while the other changed it, each with the side that removed or emptied
/// it. These entries are in conflict.
pub(crate) type Disputed = HashMap<usize, Side>;

/// Merges the lanes of up to three sides into one lane with the entries of `order`. Without a base, the tokens that
/// both sides have are the base.
pub(crate) fn merge(lanes: &Slots<&[Token<'_>]>, order: &[usize], disputed: &Disputed) -> Vec<Item> {
    let mut differ = Differ::default();
    let lanes = Lanes::of(lanes, order, disputed, &mut differ);
    let fixed = Fixed::of(&lanes, order, &mut differ);
    let mut found = Vec::new();
    for segment in fixed.segments(&lanes, order) {
        // Mostly, entries stand next to each other.
        if let [row] = segment.rows
            && segment.parts.iter().all(Vec::is_empty)
        {
            found.push(lanes.entry(*row));
            continue;
        }
        let items = lanes.segment(&segment.parts, &mut differ);
        found.extend(fixed.in_order(&lanes, items, &segment, &mut differ));
    }
    lanes.with_blanks(found)
}

/// A part of the result, before blank lines are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Token(Places),
    BothChanged { lines: Slots<Vec<usize>>, new: Slots<Vec<usize>> },
}

impl Found {
    /// The first token.
    fn first(&self) -> Places {
        match self {
            Self::Token(at) => *at,
            Self::BothChanged { lines, .. } => lines.as_ref().filter_map(|lines| lines.first().copied()),
        }
    }
}

/// Tokens of each side, by their places in the lane.
type Parts = [Vec<usize>; 3];

/// The lanes of all sides.
struct Lanes<'t> {
    dest: Lane<'t>,
    base: Lane<'t>,
    incoming: Lane<'t>,
    is_two_way: bool,
    disputed: &'t Disputed,
}

impl<'t> Lanes<'t> {
    fn of(lanes: &Slots<&'t [Token<'t>]>, order: &[usize], disputed: &'t Disputed, differ: &mut Differ) -> Self {
        let tokens = |side: Side| lanes.get(side).copied().unwrap_or_default();
        let mut names = names::Names::new(order);
        let [dest, base, incoming] = Side::ALL.map(|side| names.lane(tokens(side)));
        let is_two_way = lanes.base.is_none();
        let base = if is_two_way { dest.common(&incoming, differ) } else { base };
        Self { dest, base, incoming, is_two_way, disputed }
    }

    const fn side(&self, side: Side) -> &Lane<'t> {
        match side {
            Side::Dest => &self.dest,
            Side::Base => &self.base,
            Side::Incoming => &self.incoming,
        }
    }

    /// Merges the tokens between two entries that all sides have.
    fn segment(&self, parts: &Parts, differ: &mut Differ) -> Vec<Found> {
        let [our, was, their] = [0, 1, 2].map(|index| Part::of(self, Side::ALL[index], &parts[index]));
        let (ours, theirs) = (Script::of(was, our, their, differ), Script::of(was, their, our, differ));
        let mut groups = script::groups([&ours, &theirs], [&self.dest, &self.incoming]).into_iter().peekable();
        let base = was.tokens;
        let stays = Slots::two(self.stays(&ours, &theirs, base), self.stays(&theirs, &ours, base));
        let mut found = Vec::new();
        for place in 0..=base.len() {
            while let Some(group) = groups.next_if(|group| group.base.start <= place) {
                found.extend(self.group(base, &group, differ));
            }
            if place < base.len() && ours.keeps[place] && theirs.keeps[place] {
                found.push(Found::Token(Slots {
                    dest: ours.at[place],
                    base: Some(base[place]),
                    incoming: theirs.at[place],
                }));
            }
        }
        found.retain(|found| !self.is_gone(found, &stays));
        found
    }

    /// Lines that a side put in the place of an entry, with those directly above them, or in the place of comments above an entry
    /// that goes if the other side still has these comments. They stay.
    fn stays(&self, own: &Script, other: &Script, base: &[usize]) -> HashSet<usize> {
        let lane = self.side(own.side);
        let (mut stays, mut blocks) = (HashSet::new(), HashSet::new());
        for (removed, new) in own.replaced() {
            let lines = new.into_iter().filter(|new| lane.is_line(*new));
            let is_entry = removed.clone().next_back().is_some_and(|last| !self.base.is_line(base[last]));
            if is_entry {
                for line in lines {
                    // Those above a known one are in already.
                    let new: Vec<usize> = lane.up_from(line).take_while(|above| !blocks.contains(above)).collect();
                    blocks.extend(new);
                }
            } else {
                let rows = self.rows_with_comments(removed, other, base);
                stays.extend(lines.filter(|line| rows.contains(&lane.leads[*line])));
            }
        }
        stays.extend(blocks);
        stays
    }

    /// The rows with comments above them that one side removed, and the other still has.
    fn rows_with_comments(&self, removed: Range<usize>, other: &Script, base: &[usize]) -> HashSet<Option<usize>> {
        let is_kept = |place: &usize| other.at[*place].is_some_and(|at| self.side(other.side).is_free(at));
        let kept = removed.filter(|place| self.base.is_line(base[*place])).filter(is_kept);
        kept.map(|place| self.base.leads[base[place]]).collect()
    }

    /// Whether a line is removed with the entry below it, and is not one of those that stay.
    fn is_gone(&self, found: &Found, stays: &Slots<HashSet<usize>>) -> bool {
        let Found::Token(at) = found else { return false };
        let mut sides = at.present().filter(|(side, _)| *side != Side::Base).peekable();
        let is_line = |(side, place): &(Side, &usize)| self.side(*side).is_line(**place);
        sides.peek().is_some_and(is_line)
            && sides.all(|(side, place)| {
                self.side(side).goes[*place] && !stays.get(side).is_some_and(|stays| stays.contains(place))
            })
    }

    /// Merges one group of hunks.
    fn group(&self, base: &[usize], group: &Group, differ: &mut Differ) -> Vec<Found> {
        let both_changed = self.both_changed(&base[group.base.clone()], group).or_else(|| self.instead(group));
        let (mut ours, mut theirs) = (group.ours.new.clone(), group.theirs.new.clone());
        if let Some(Found::BothChanged { new: Slots { dest: Some(our), incoming: Some(their), .. }, .. }) =
            &both_changed
        {
            ours.retain(|place| !our.contains(place));
            theirs.retain(|place| !their.contains(place));
        }
        let mut reused = self.reused(&base[group.base.clone()], group).into_iter().peekable();
        let mut found = Vec::new();
        for new in self.combined(&ours, &theirs, group.turn(), differ) {
            while let Some(lines) = reused.next_if(|lines| !is_above(&new, lines)) {
                found.push(lines);
            }
            found.push(new);
        }
        found.extend(reused);
        if let Some(lines) = both_changed {
            found.insert(found.iter().take_while(|it| is_above(it, &lines)).count(), lines);
        }
        found
    }

    /// Lines that one side removed, and below which the other put new entries: the lines of each are a conflict.
    fn reused(&self, base: &[usize], group: &Group) -> Vec<Found> {
        let mut found = Vec::new();
        for side in Side::MERGED {
            let (lane, own, other) = (self.side(side), group.by(side), group.by(side.other()));
            if !other.removes || !other.new.is_empty() {
                continue;
            }
            let mut kept = self.kept(base, side, own);
            kept.retain(|(place, _)| lane.is_free(*place) && lane.leads_new(*place, &self.base));
            for lines in kept.chunk_by(|above, below| lane.leads[above.0] == lane.leads[below.0]) {
                let mut new = Slots::two(Vec::new(), Vec::new());
                new.set(side, lines.iter().map(|(place, _)| *place).collect());
                let was = lines.iter().filter_map(|(_, was)| *was).collect();
                found.push(Found::BothChanged { lines: Slots { base: Some(was), ..new.clone() }, new });
            }
        }
        found
    }

    /// What a side has in a group and is not new, each with its place in the base.
    fn kept(&self, base: &[usize], side: Side, own: &Change) -> Vec<(usize, Option<usize>)> {
        let mut was: HashMap<u32, VecDeque<usize>> = HashMap::new();
        for place in base {
            was.entry(self.base.names[*place]).or_default().push_back(*place);
        }
        let new: HashSet<usize> = own.new.iter().copied().collect();
        let names = &self.side(side).names;
        let kept = own.all.iter().copied().filter(|place| !new.contains(place));
        kept.map(|place| (place, was.get_mut(&names[place]).and_then(VecDeque::pop_front))).collect()
    }

    /// A conflict, if both sides changed the same lines of the group in different ways.
    fn both_changed(&self, base: &[usize], group: &Group) -> Option<Found> {
        let is_free = |place: &usize| self.base.is_free(*place);
        if !group.shared.iter().any(|range| base[range.clone()].iter().any(is_free)) {
            return None;
        }
        let [ours, theirs] = Side::MERGED.map(|side| self.free(side, &group.by(side).new));
        if self.is_agreed(&ours, &theirs, base, group) {
            return None;
        }
        let [our_lines, their_lines] = Side::MERGED.map(|side| self.free(side, &group.by(side).all));
        let was = base.iter().copied().filter(is_free).collect();
        Some(Found::BothChanged { lines: Slots::three(our_lines, was, their_lines), new: Slots::two(ours, theirs) })
    }

    /// Whether the new lines of one side contain those of the other, or nothing stands in the place of what both sides removed.
    fn is_agreed(&self, ours: &[usize], theirs: &[usize], base: &[usize], group: &Group) -> bool {
        let holds = |side: Side, lines: &[usize]| {
            let other = self.side(side.other()).names_of(&group.by(side.other()).new);
            !lines.is_empty() && is_part(&self.side(side).names_of(lines), &other)
        };
        let is_other_line = |side: Side, lines: &[usize]| lines.len() <= self.alone(base, group, group.by(side));
        ours.is_empty() && is_other_line(Side::Incoming, theirs)
            || theirs.is_empty() && is_other_line(Side::Dest, ours)
            || holds(Side::Dest, ours)
            || holds(Side::Incoming, theirs)
    }

    /// A conflict of the lines that a side put in the place of an entry in conflict.
    fn instead(&self, group: &Group) -> Option<Found> {
        let [ours, theirs] = Side::MERGED.map(|side| self.free(side, &group.by(side).instead));
        let is_any = !ours.is_empty() || !theirs.is_empty();
        let lines = Slots::three(ours, Vec::new(), theirs);
        is_any.then(|| Found::BothChanged { new: lines.clone(), lines })
    }

    /// The lines among some places of a side that go with no entry, and stand above none that is new.
    fn free(&self, side: Side, places: &[usize]) -> Vec<usize> {
        let lane = self.side(side);
        let is_free = |place: &usize| lane.is_free(*place) && !lane.leads_new(*place, &self.base);
        places.iter().copied().filter(is_free).collect()
    }

    /// The number of lines that this side removed and the other still has. Lines that both sides removed do not count:
    /// new lines of one side say nothing about them. Zero if the base has equal lines, because nobody knows which of
    /// them was removed.
    fn alone(&self, base: &[usize], group: &Group, change: &Change) -> usize {
        let names: HashSet<u32> = base.iter().map(|token| self.base.names[*token]).collect();
        if names.len() < base.len() {
            return 0;
        }
        let is_shared = |place: usize| group.shared.iter().any(|range| range.contains(&place));
        change.removed.iter().filter(|place| self.base.is_free(base[**place]) && !is_shared(**place)).count()
    }

    /// Counts the blank lines above each token.
    fn with_blanks(&self, found: Vec<Found>) -> Vec<Item> {
        let mut before = Slots { dest: Some(0), base: Some(0), incoming: Some(0) };
        let mut items = Vec::with_capacity(found.len());
        for found in found {
            let above = self.blanks(before, found.first());
            let behind = |place: usize| place + 1;
            items.push(match found {
                Found::Token(at) => {
                    before = at.map(behind);
                    Item::Token { at, above }
                }
                Found::BothChanged { lines, new } => {
                    before = lines.as_ref().filter_map(|lines| lines.last().copied().map(behind));
                    Item::BothChanged { lines, new, above }
                }
            });
        }
        items
    }

    /// The number of blank lines above a token; `before` is the place after the previous token. If a side has the two
    /// tokens as neighbours, its number is taken. Otherwise it is the larger of two numbers: of blank lines below the
    /// previous token, and above this one. Two comment lines with no blank line above the second one stay together, and so do two
    /// that are about one entry. Two entries, one of each side, have the number between them that both have above them. If no side has
    /// a comment directly above an entry, a blank line stays below the comment. At the top of a lane, blank lines above this token
    /// belonged to a token that is gone.
    fn blanks(&self, before: Places, at: Places) -> usize {
        let pair = Slots::of(|side| at.get(side).filter(|place| before.get(side) == Some(place)).copied());
        self.above(pair).unwrap_or_else(|| {
            if before.present().all(|(_, place)| *place == 0) {
                return self.above(before).unwrap_or_default();
            }
            let least = self.blanks_between(before, at).unwrap_or_default();
            least.max(usize::from(self.is_set_off(before) && !self.is_line(at) && !self.is_end(at)))
        })
    }

    /// The number of blank lines above tokens that are one.
    fn above(&self, places: Places) -> Option<usize> {
        let above = |side: Side| Some(self.side(side).tokens.get(*places.get(side)?)?.above);
        resolved(Slots::of(|side| if self.is_two_way && side == Side::Base { None } else { above(side) }))
    }

    /// The number of blank lines between two tokens that are neighbours on no side.
    fn blanks_between(&self, before: Places, at: Places) -> Option<usize> {
        let last = before.map(|place| place.saturating_sub(1));
        let above = self.above(at);
        if self.is_line(last) && self.is_line(at) {
            let is_below = above == Some(0) && at.present().any(|(_, place)| *place > 0);
            let are_together = is_below || self.lead_together(last, at);
            return if are_together { Some(0) } else { self.above(before).max(above) };
        }
        let are_new = !self.is_line(last) && !self.is_line(at) && [last, at].iter().all(|at| at.present().count() == 1);
        if are_new && self.above(last) == above { above } else { self.above(before).max(above) }
    }

    /// Whether two lines stand directly above one entry, each on a side of its own.
    fn lead_together(&self, one: Places, other: Places) -> bool {
        let led = |at: Places| at.present().find_map(|(side, place)| *self.side(side).leads.get(*place)?);
        led(one).is_some_and(|row| led(other) == Some(row))
    }

    /// Whether there is a line before these places, and no side has it directly above the next token.
    fn is_set_off(&self, before: Places) -> bool {
        let is_next = |(side, place): (Side, &usize)| {
            let tokens = &self.side(side).tokens;
            tokens.get(*place).is_some_and(|next| next.above == 0) && place + 1 < tokens.len()
        };
        self.is_line(before.map(|place| place.saturating_sub(1))) && !before.present().any(is_next)
    }

    /// Whether a token is the end of the lane.
    fn is_end(&self, at: Places) -> bool {
        at.present().any(|(side, place)| place + 1 == self.side(side).tokens.len())
    }

    /// Whether a token is a comment line.
    fn is_line(&self, at: Places) -> bool {
        let mut places = at.present().map(|(side, place)| (self.side(side), *place));
        places.any(|(lane, place)| place < lane.tokens.len() && lane.is_line(place))
    }
}

/// Whether a part of the result stands above the new lines of a conflict, on all sides that have both.
fn is_above(found: &Found, lines: &Found) -> bool {
    let Found::BothChanged { new, .. } = lines else { return false };
    let is_above =
        |(side, place): (Side, &usize)| new.get(side).and_then(|new| new.first()).is_none_or(|first| place < first);
    found.first().present().all(is_above)
}

/// The three-way result of a number. A change wins; if both sides changed it, the destination's wins.
fn resolved(numbers: Slots<usize>) -> Option<usize> {
    match numbers {
        Slots { dest: Some(ours), base: Some(was), incoming: Some(theirs) } if ours == was => Some(theirs),
        Slots { dest, incoming, .. } => dest.or(incoming),
    }
}

/// Whether all names of `part` are in `whole`, in the same order.
fn is_part(part: &[u32], whole: &[u32]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|name| whole.any(|other| other == name))
}
