//! What becomes of a unit as a whole: the four rules, applied to whether it is there and whether it changed.

use kyaml_ast::{Edit, Entry, Node, Stream, StreamId, splice};

use super::excerpt::{excerpt, head_goes_along};
use super::trees::{Trees, UnitRef};
use super::unit::Unit;
use crate::equal::same_value;
use crate::policy::BothChanged;
use crate::resolve::{Outcome, Rule, resolve};
use crate::resource::{content, field, field_entry};
use crate::slots::Slots;

/// What happens to a row of units, or to a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// The destination's stays as it is, or stays away.
    Keep,
    /// Both sides have it, and what they say is merged: the fields of a unit, or the lines of a file that both changed.
    Merge,
    /// The incoming one is taken: a unit or file comes, or a file gets other content.
    Take,
    /// The destination's goes.
    Remove,
    /// Both sides changed it so that it cannot be merged, and nobody decides; the destination stays as it is.
    Conflict,
}

impl Fate {
    /// What becomes of something that is decided on as a whole.
    pub(super) const fn of(outcome: Outcome, is_incoming: bool) -> Self {
        match outcome {
            Outcome::Keep => Self::Keep,
            Outcome::Take if is_incoming => Self::Take,
            Outcome::Take => Self::Remove,
            Outcome::Conflict => Self::Conflict,
        }
    }
}

/// Decides on a row, and says by which rule.
pub(super) fn fate(trees: &Trees<'_>, units: Slots<UnitRef>, both_changed: BothChanged) -> (Fate, Rule) {
    if let (Some(dest), Some(incoming)) = (units.dest, units.incoming) {
        if head_goes_along(trees, units) {
            return (Fate::Merge, Rule::Agreed);
        }
        let is_same = |unit: UnitRef| trees.body(unit) == trees.body(incoming);
        if units.base.is_some_and(is_same) {
            return (Fate::Keep, Rule::OnlyDest);
        }
        let fate = if is_same(dest) { Fate::Keep } else { Fate::Merge };
        return (fate, Rule::Agreed);
    }
    let (outcome, rule) = resolve(units, both_changed, |a, b| are_same(trees, [a, b], same_root));
    (Fate::of(outcome, units.incoming.is_some()), rule)
}

/// Whether a side changed nothing but comments of a unit that the other side removed: they go with it.
pub(super) fn drops_comments(trees: &Trees<'_>, units: Slots<UnitRef>, rule: Rule) -> bool {
    let (Some(base), Some(kept), Rule::OnlyDest | Rule::OnlyIncoming) =
        (units.base, units.dest.or(units.incoming), rule)
    else {
        return false;
    };
    let is_removed = units.dest.is_none() != units.incoming.is_none();
    let same_comments = |a: &Stream<'_>, b: &Stream<'_>| comments(a).eq(comments(b));
    is_removed && (!are_same(trees, [base, kept], same_comments) || around(trees, base) != around(trees, kept))
}

/// The comments around an item, line by line.
fn around<'s>(trees: &Trees<'s>, unit: UnitRef) -> Vec<&'s str> {
    let (source, Unit { owned, extent, .. }) = (trees.source(unit), trees.unit(unit));
    let ranges = [owned.start..extent.start, extent.end..owned.end];
    let texts = ranges.into_iter().filter_map(|range| source.get(range.start as usize..range.end as usize));
    let lines = texts.flat_map(str::lines);
    lines.filter_map(|line| Some(line[line.find('#')?..].trim_end())).collect()
}

/// Whether two versions of a unit are the same, to the byte or as `same` says. What kpt notes in its copies does not count.
fn are_same(trees: &Trees<'_>, units: [UnitRef; 2], same: fn(&Stream<'_>, &Stream<'_>) -> bool) -> bool {
    let [a, b] = units.map(|unit| trees.body(unit));
    if a == b {
        return true;
    }
    let [a, b] = units.map(|unit| without_note(excerpt(trees, unit).text));
    Stream::parse(&a).is_ok_and(|a| Stream::parse(&b).is_ok_and(|b| same(&a, &b)))
}

const NOTE: &str = "internal.kpt.dev/upstream-identifier";

/// Takes out the annotation with which kpt remembers where a resource came from.
fn without_note(text: String) -> String {
    if !text.contains(NOTE) {
        return text;
    }
    let edited = Stream::parse(&text).ok().and_then(|stream| {
        let note = note(stream.root()?)?;
        splice(&[&stream], StreamId(0), &[Edit::Remove { entry: note.id() }]).ok()
    });
    edited.unwrap_or(text)
}

/// The annotation's entry, or that of all annotations where it is the only one.
fn note(root: Node<'_>) -> Option<Entry<'_>> {
    let annotations = field_entry(field(root, "metadata")?, "annotations")?;
    let note = field_entry(annotations.value(), NOTE)?;
    Some(if annotations.value().entries().count() == 1 { annotations } else { note })
}

fn comments<'s>(stream: &Stream<'s>) -> impl Iterator<Item = &'s str> {
    let texts = stream.comments().map(|comment| comment.trim_start_matches('#').trim());
    texts.filter(|text| !text.starts_with("kpt-merge:"))
}

/// Whether two values are the same, or the comments of what holds nothing else.
fn same_root(a: &Stream<'_>, b: &Stream<'_>) -> bool {
    let roots = [a, b].map(|stream| stream.documents().next().and_then(content));
    match roots {
        [Some(a), Some(b)] => same_value(a, b),
        [None, None] => comments(a).eq(comments(b)),
        _ => false,
    }
}
