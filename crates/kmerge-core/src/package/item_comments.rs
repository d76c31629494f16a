//! The comments above and beside the items of a list: decided apart from the items, by the same rules.
//!
//! The comment beside the last line of an item in block layout is its last field's, and merged with that.

use kyaml_ast::{CommentSlot, Edit, Entry, EntryId, Path, Segment, Span};

use super::trees::{Trees, UnitRef};
use super::write::{Report, Units};
use crate::correspond::resource_pairs;
use crate::plan::{Decision, Role};
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

/// The versions of one list, with their items.
pub(super) struct ListVersions<'t> {
    pub(super) lists: Slots<UnitRef>,
    pub(super) items: Slots<Vec<Entry<'t>>>,
}

impl<'t> ListVersions<'t> {
    /// What the comments of items become that stand in the same lists on all sides; `left` are the items that the text of
    /// the destination's list still has.
    pub(super) fn comments(&self, units: &mut Units<'_, '_>, rows: &[usize], left: &[Option<EntryId>]) -> Vec<Edit> {
        let mut edits = Vec::new();
        for &row in rows {
            let item = units.plan.rows[row].units;
            let index = item.dest.and_then(|dest| units.trees.unit(dest).item);
            let Some(entry) = index.and_then(|index| *left.get(index as usize)?) else { continue };
            let decisions: Vec<Decision> =
                [Role::Lead, Role::Trail].into_iter().filter_map(|role| self.decide(units, item, role)).collect();
            for decision in decisions.iter().filter(|decision| decision.outcome == Outcome::Take) {
                let is_there = decision.spans.incoming.is_some_and(|span| span != Span::default());
                let from = if is_there { self.entry(units.trees, item, Side::Incoming) } else { None };
                let from = from.map(|from| (Side::Incoming.stream(), from.id()));
                edits.push(Edit::SetComment { entry, slot: slot(decision.role), from });
            }
            if !decisions.is_empty() {
                units.reports.push(Report { row, decisions });
            }
        }
        edits
    }

    /// Decides on one comment of an item; `None` if there is nothing to say.
    fn decide(&self, units: &Units<'_, '_>, item: Slots<UnitRef>, role: Role) -> Option<Decision> {
        let slot = slot(role);
        let entries = Slots::of(|side| self.entry(units.trees, item, side));
        let (dest, _) = (entries.dest?, entries.incoming?);
        if slot == CommentSlot::Trail && dest.value().is_block_collection() {
            return None;
        }
        let texts = entries.filter_map(|entry| text(entry, slot));
        let (outcome, rule) = resolve(texts, units.terms.policy.comments, same);
        if rule == Rule::Agreed {
            return None;
        }
        let spans = Slots::of(|side| self.place(units.trees, entries, side, slot));
        let path = path(dest, units.trees.unit(item.dest?).item?);
        Some(Decision { path, role, outcome, rule, spans, list: None })
    }

    /// The item of one side, if it stands in this list there.
    fn entry(&self, trees: &Trees<'_>, item: Slots<UnitRef>, side: Side) -> Option<Entry<'t>> {
        let unit = *item.get(side)?;
        if trees.list_of(unit) != self.lists.get(side).copied() {
            return None;
        }
        let index = trees.unit(unit).item?;
        self.items.get(side)?.get(index as usize).copied()
    }

    /// Where a comment stands in its file; nowhere if there is none.
    fn place(&self, trees: &Trees<'_>, entries: Slots<Entry<'_>>, side: Side, slot: CommentSlot) -> Option<Span> {
        let (entry, list) = (*entries.get(side)?, *self.lists.get(side)?);
        let start = trees.unit(list).extent.start;
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

/// Where the comment is that has this role.
const fn slot(role: Role) -> CommentSlot {
    if matches!(role, Role::Lead) { CommentSlot::Lead } else { CommentSlot::Trail }
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
