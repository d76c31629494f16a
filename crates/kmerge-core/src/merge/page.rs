//! The lanes of one collection or document, and how the merged lines look in the destination.
//!
//! Owns which version of a line is written, and at which column. Ignores the place where it is written.

use hashbrown::HashMap;
use kyaml_ast::{CommentSlot, Edit, Entry, EntryId, Graft, Newline, Path, Span};

use super::lane::{self, Disputed, Item, Places, What};
use super::strip::Strip;
use crate::between::shifted;
use crate::plan::{Blanks, Conflict, ConflictPlace, Role, Variant};
use crate::resolve::Outcome;
use crate::slots::{Side, Slots};

/// The next lines of the result, and the number of blank lines above them.
pub(crate) struct Out {
    pub(crate) lines: Lines,
    pub(crate) above: usize,
}

pub(crate) enum Lines {
    /// A line of a side, by its place.
    Of(Side, usize),
    /// A line of the side that wins, after both sides changed it.
    Won(Side, usize),
    /// No line, after both sides changed it: the side that wins has none.
    Gone(Side),
    /// A conflict: both sides changed these lines.
    BothChanged(Slots<Vec<usize>>),
}

impl Out {
    /// Which side won, if both sides changed the line and the policy chose one.
    pub(crate) const fn won(&self) -> Option<Outcome> {
        match self.lines {
            Lines::Won(Side::Incoming, _) | Lines::Gone(Side::Incoming) => Some(Outcome::Take),
            Lines::Won(..) | Lines::Gone(_) => Some(Outcome::Keep),
            _ => None,
        }
    }

    /// Whether these are lines that both sides changed, and that no policy decided.
    pub(crate) const fn is_contested(&self) -> bool {
        matches!(self.lines, Lines::BothChanged(_))
    }
}
/// The lanes of one collection or document, and the layout of the destination's lines.
pub(crate) struct Page<'a> {
    pub(crate) strips: Slots<Strip<'a>>,
    pub(crate) columns: Slots<usize>,
    /// Whether lines may be indented deeper than these columns.
    pub(crate) is_deep: bool,
    pub(crate) newline: Newline,
}
/// An entry of the result, with lines above it.
pub(crate) struct Below {
    pub(crate) row: usize,
    pub(crate) at: Places,
    /// The number of blank lines above.
    pub(crate) above: usize,
}
/// The blank lines around an entry, and how many of them stay where a side has removed it.
pub(crate) struct Shared {
    pub(crate) around: Blanks,
    pub(crate) left: usize,
    /// Whether a neighbour is new. Lines above it are its own.
    pub(crate) is_beside_new: bool,
}

impl<'a> Page<'a> {
    pub(crate) fn conflict(&self, path: &Path, role: Role, place: Span, lines: &Slots<Vec<usize>>) -> Conflict {
        let text = |side: Side| Variant::Text(self.block(side, lines));
        Conflict {
            path: path.clone(),
            role,
            place: ConflictPlace::Lines(place),
            dest: Some(text(Side::Dest)),
            base: text(Side::Base),
            incoming: text(Side::Incoming),
            spans: Slots::of(|side| self.cover(side, lines)),
            blanks: Blanks::default(),
        }
    }

    /// Whether the incoming lines are equal to the base's or to the destination's, so that there is nothing to merge.
    pub(crate) fn is_settled(&self) -> bool {
        let Some(incoming) = &self.strips.incoming else { return true };
        [&self.strips.base, &self.strips.dest].into_iter().flatten().any(|known| known.has_lines_of(incoming))
    }

    /// The blank lines above and below the entry of a row and its lead, and those between its neighbours on the side without it.
    /// `None` if they are no neighbours there. `places` are the places of all tokens.
    pub(crate) fn blanks_with(
        &self,
        row: usize,
        without: Side,
        places: &Slots<HashMap<What<'_>, usize>>,
    ) -> Option<Shared> {
        let place = *places.get(without.other())?.get(&What::Entry(row))?;
        let places = places.get(without)?;
        let (with, without) = (self.strips.get(without.other())?, self.strips.get(without)?);
        let (first, next) = (place - with.lead(place), with.tokens.get(place + 1)?);
        let (before, above) = (with.before(first), with.tokens[first].above);
        let around = Blanks { above, below: next.above };
        let knows_before = before.is_some_and(|before| places.contains_key(&before));
        match places.get(&next.what) {
            None => {
                knows_before.then_some(Shared { around: Blanks { below: 0, ..around }, left: 0, is_beside_new: true })
            }
            Some(_) if !knows_before && before.is_some() => Some(Shared { around, left: above, is_beside_new: true }),
            Some(&there) => (before == without.before(there)).then(|| Shared {
                around,
                left: without.tokens[there].above,
                is_beside_new: false,
            }),
        }
    }

    pub(crate) fn row(&self, at: &Places) -> Option<usize> {
        let (side, place) = at.present().next()?;
        match self.strips.get(side)?.tokens[*place].what {
            What::Entry(row) => Some(row),
            What::Line(_) => None,
        }
    }

    /// The version of a line that is written. If only one side changed its spacing, that side's version.
    pub(crate) fn line(&self, at: &Places) -> (Side, usize) {
        let line = |side: Side| Some(self.strips.get(side)?.line(*at.get(side)?));
        let is_changed = line(Side::Dest) == line(Side::Base) && line(Side::Dest) != line(Side::Incoming);
        match *at {
            Slots { incoming: Some(place), dest, .. } if dest.is_none() || is_changed => (Side::Incoming, place),
            Slots { dest, base, .. } => {
                dest.map_or((Side::Base, base.unwrap_or_default()), |place| (Side::Dest, place))
            }
        }
    }

    /// A line as the destination has it, indented deeper than the entries only if the page allows it. If there are no entries,
    /// its indentation stays.
    pub(crate) fn text(&self, side: Side, place: usize) -> String {
        let text = self.strips.get(side).map_or("", |strip| strip.text(place));
        let Some(to) = self.columns.dest else { return shifted(text, 0, 0, self.newline) };
        let from = self.columns.get(side).copied().unwrap_or(to);
        let indent = text.len() - text.trim_start_matches(' ').len();
        let deeper = if self.is_deep { 0 } else { indent.saturating_sub(from) };
        shifted(&text[deeper..], from, to, self.newline)
    }

    fn blank(&self, lines: usize) -> String {
        self.newline.as_str().repeat(lines)
    }

    /// The lines of one side with the blank lines between them. If the other side has no lines there, also with the
    /// blank lines above the first.
    fn block(&self, side: Side, lines: &Slots<Vec<usize>>) -> String {
        let places = lines.get(side).into_iter().flatten();
        let line = |(index, place): (usize, &usize)| {
            let above = self.strips.get(side).map_or(0, |strip| strip.tokens[*place].above);
            let is_set_off = index > 0 || is_one_sided(lines);
            self.blank(if is_set_off { above } else { 0 }) + &self.text(side, *place)
        };
        let marker = self.marker_below(side, lines).zip(self.strips.get(side));
        places.enumerate().map(line).chain(marker.map(|(line, strip)| strip.bytes(line).to_owned())).collect()
    }

    /// The `---` line that goes with the lines of a side.
    pub(crate) fn marker_below(&self, side: Side, lines: &Slots<Vec<usize>>) -> Option<Span> {
        self.strips.get(side)?.marker_below(*lines.get(side)?.last()?)
    }

    pub(crate) fn cover(&self, side: Side, lines: &Slots<Vec<usize>>) -> Option<Span> {
        let (places, strip) = (lines.get(side)?, self.strips.get(side)?);
        Some(strip.spans[*places.first()?].cover(strip.spans[*places.last()?]))
    }

    /// Lines at the destination's column, followed by `above` blank lines. None is contested: a conflict is no text.
    pub(crate) fn lines(&self, outs: &[Out], above: usize) -> String {
        let line = |out: &Out| match out.lines {
            Lines::Of(side, place) | Lines::Won(side, place) => self.blank(out.above) + &self.text(side, place),
            Lines::BothChanged(_) | Lines::Gone(_) => String::new(),
        };
        outs.iter().map(line).collect::<String>() + &self.blank(above)
    }

    /// How many of the last lines of `outs` the graft brings along as its lead. If this is zero, the graft is changed
    /// to have no lead.
    pub(crate) fn brought(&self, graft: &mut Graft<EntryId>, below: &Below, outs: &[Out]) -> usize {
        let Some(side) = Side::ALL.into_iter().find(|side| side.stream() == graft.stream) else { return 0 };
        let Some(&place) = below.at.get(side) else { return 0 };
        let own = self.strips.get(side).map_or(0, |strip| strip.lead(place));
        let is_lead = |edit: &Edit| matches!(edit, Edit::SetComment { entry, slot: CommentSlot::Lead, .. } if *entry == graft.part);
        let is_brought =
            |(out, place): (&Out, usize)| matches!(out.lines, Lines::Of(of, at) if (of, at) == (side, place));
        let is_changed = graft.edits.iter().any(is_lead);
        if own <= outs.len() && !is_changed && outs[outs.len() - own..].iter().zip(place - own..place).all(is_brought) {
            return own;
        }
        graft.edits.retain(|edit| !is_lead(edit));
        if own > 0 {
            graft.edits.push(Edit::SetComment { entry: graft.part, slot: CommentSlot::Lead, from: None });
        }
        0
    }

    /// Whether a line belongs to the lead of an entry, on the side that the line comes from.
    pub(crate) fn is_own(&self, below: &Below, out: &Out) -> bool {
        let (Lines::Of(side, place) | Lines::Won(side, place)) = out.lines else { return true };
        let end = below.at.get(side).copied().unwrap_or_default();
        let lead = self.strips.get(side).map_or(0, |strip| strip.lead(end));
        (end - lead..end).contains(&place)
    }

    /// Removes the lines above a removed entry that are not its lead.
    pub(crate) fn without_gap(&self, entry: Entry<'a>, row: usize) -> Option<Edit> {
        let above = self.strips.dest.as_ref()?.above(row)?;
        let span = Span::new(above.start, entry.extent().start.clamp(above.start, above.end));
        (!span.is_empty()).then(|| Edit::Text { span, text: String::new() })
    }
}
/// Whether one of the two sides has no lines, and the other has some.
pub(crate) fn is_one_sided(lines: &Slots<Vec<usize>>) -> bool {
    [&lines.dest, &lines.incoming].into_iter().flatten().any(Vec::is_empty)
}

/// Whether these lines replace an entry that is in conflict. They are reported and decided with that entry.
pub(crate) fn is_instead(lines: &Slots<Vec<usize>>) -> bool {
    lines.base.as_ref().is_some_and(Vec::is_empty) && is_one_sided(lines)
}

/// The index of the first line of an entry's lead. The lead stands directly above the entry.
pub(crate) fn first_of_lead(outs: &[Out], below: &Below) -> usize {
    if below.above > 0 {
        return outs.len();
    }
    let glued = outs.iter().rev().take_while(|out| out.above == 0).count();
    outs.len() - (glued + 1).min(outs.len())
}
/// Merges versions of a text that has only comments and blank lines. `None` if they are in conflict.
pub(crate) fn merged_lines(dest: &str, base: Option<&str>, incoming: &str) -> Option<String> {
    const END: usize = 0;
    let strips = Slots { dest: Some(dest), base, incoming: Some(incoming) }.map(|text| Strip::of_lines(text, END));
    let page = Page { strips, columns: Slots::default(), is_deep: false, newline: Newline::of(dest) };
    let mut text = String::new();
    for item in lane::merge(&page.strips.as_ref().map(|strip| &strip.tokens[..]), &[END], &Disputed::new()) {
        let Item::Token { at, above } = item else { return None };
        text += &page.blank(above);
        if page.row(&at).is_none() {
            let (side, place) = page.line(&at);
            text += &page.text(side, place);
        }
    }
    Some(text)
}
