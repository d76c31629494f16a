//! The comments above and beside the items of a list: decided apart from the items, by the same rules.
//!
//! The comment beside the last line of an item in block layout is its last field's, and merged with that.

use kyaml_ast::{CommentSlot, Edit, Entry, Path, Segment, Span};

use super::items::Draft;
use super::trees::{Trees, UnitRef};
use super::write::{Report, Units};
use crate::correspond::resource_pairs;
use crate::plan::{Decision, Role};
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

impl<'t> Draft<'t> {
    /// What the comments of an item become that stands in the same list on both sides, and stays.
    pub(super) fn comments(&mut self, units: &mut Units<'_, '_>, row: usize) {
        let item = units.plan.rows[row].units;
        let Some(index) = item.dest.and_then(|dest| units.trees.unit(dest).item) else { return };
        let entries = Slots::of(|side| self.entry(units.trees, item, side));
        let slots = [CommentSlot::Lead, CommentSlot::Trail].into_iter();
        let decisions: Vec<Decision> = slots.filter_map(|slot| self.comment(units, index, entries, slot)).collect();
        if !decisions.is_empty() {
            units.reports.push(Report { row, decisions });
        }
    }

    /// Decides on one comment of an item; `None` if there is nothing to say.
    fn comment(
        &mut self,
        units: &Units<'_, '_>,
        index: u32,
        entries: Slots<Entry<'_>>,
        slot: CommentSlot,
    ) -> Option<Decision> {
        let (entry, dest, incoming) = (self.kept(index)?, entries.dest?, entries.incoming?);
        let role = if slot == CommentSlot::Lead { Role::Lead } else { Role::Trail };
        let is_of_last_field = role == Role::Trail && dest.value().is_block_collection();
        let texts = entries.filter_map(|entry| text(entry, slot));
        let (outcome, rule) = resolve(texts, units.terms.policy.comments, same);
        if is_of_last_field || rule == Rule::Agreed {
            return None;
        }
        if outcome == Outcome::Take {
            let from = span(incoming, slot).map(|_| (Side::Incoming.stream(), incoming.id()));
            self.plan.edits.push(Edit::SetComment { entry, slot, from });
        }
        let spans = Slots::of(|side| self.place(units.trees, *entries.get(side)?, side, slot));
        Some(Decision { path: path(dest, index), role, outcome, rule, spans, list: None })
    }

    /// The item of one side, if it stands in this list there.
    pub(super) fn entry(&self, trees: &Trees<'_>, item: Slots<UnitRef>, side: Side) -> Option<Entry<'t>> {
        let (unit, items) = (*item.get(side)?, self.items.get(side)?);
        let is_here = trees.list_of(unit) == self.lists.get(side).copied();
        if is_here { items.get(trees.unit(unit).item? as usize).copied() } else { None }
    }

    /// Where a comment stands in its file; nowhere if there is none.
    fn place(&self, trees: &Trees<'_>, entry: Entry<'_>, side: Side, slot: CommentSlot) -> Option<Span> {
        let start = trees.unit(*self.lists.get(side)?).extent.start;
        Some(span(entry, slot).map_or_else(Span::default, |span| Span::new(span.start + start, span.end + start)))
    }
}

/// The text of an item that stands alone, at the left, with the comments that it has in its list.
pub(super) fn with_comments(text: &str, item: Entry<'_>) -> String {
    let source = item.stream().source();
    let lead = item.lead().map_or("", |lead| lead.of(source));
    let mut out: String = lead.lines().flat_map(|line| [line.trim(), "\n"]).collect();
    match item.trail() {
        Some(trail) if !item.value().is_block_collection() => {
            out.extend([text.trim_end(), " ", trail.of(source).trim_end(), "\n"])
        }
        _ => out.push_str(text),
    }
    out
}

/// The path of an item: by what tells its resource apart, or else by its place.
fn path(item: Entry<'_>, index: u32) -> Path {
    let pairs = resource_pairs(item.value());
    let step = if pairs.is_empty() { Segment::Index(index.into()) } else { Segment::Key(pairs) };
    [Segment::Field("items".to_owned()), step].into_iter().collect()
}

fn span(entry: Entry<'_>, slot: CommentSlot) -> Option<Span> {
    match slot {
        CommentSlot::Lead => entry.lead(),
        CommentSlot::Trail => entry.trail(),
    }
}

fn text(entry: Entry<'_>, slot: CommentSlot) -> Option<&str> {
    Some(span(entry, slot)?.of(entry.stream().source()))
}

/// Whether two comments are the same but for their indentation.
fn same(a: &str, b: &str) -> bool {
    a.lines().map(str::trim).eq(b.lines().map(str::trim))
}
