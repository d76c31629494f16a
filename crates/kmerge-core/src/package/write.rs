//! Carries a plan out for one file: the fields of its units are merged, and its documents put together.
//!
//! Each unit is merged on its own, as the text of its document, so that the cost grows with what changed, and a unit may
//! come from another file than its partners.

use kyaml_ast::{Node, Span, Stream};

use super::assemble::{Model, Part, assemble};
use super::excerpt::{Excerpt, column, excerpts, in_file, parse_all, placed};
use super::extract::extract_item;
use super::fate::Fate;
use super::lists;
use super::plan::{FilePlan, PackageError, PackagePlan};
use super::rows::Row;
use super::trees::{Trees, UnitRef};
use super::unit::Subject;
use crate::MergeError;
use crate::conflict::{ConflictStyle, render};
use crate::documents::merge_one;
use crate::plan::Decision;
use crate::policy::{Directives, Policy};
use crate::schema::Schema;
use crate::slots::{Side, Slots};

/// How units are merged.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// What lists are known by.
    pub schema: &'a Schema,
    /// Who wins.
    pub policy: &'a Policy,
    /// What becomes of conflicts.
    pub conflicts: &'a ConflictStyle<'a>,
}

/// What was found out about the fields of one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Index of its row.
    pub row: usize,
    /// Every place that is not agreed; spans are places in the files of the row's units.
    pub decisions: Vec<Decision>,
}

/// A file that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// What stands in it; `None`: the file goes.
    pub text: Option<String>,
    /// What was found out about its units.
    pub reports: Vec<Report>,
}

impl PackagePlan<'_> {
    /// Carries out the plan of one file.
    ///
    /// # Errors
    ///
    /// [`PackageError::Unit`].
    pub fn write(&self, trees: &Trees<'_>, file: &FilePlan<'_>, terms: Terms<'_>) -> Result<Written, PackageError> {
        let mut units = Units { trees, plan: self, terms, reports: Vec::new(), current: None };
        let mut parts = Vec::with_capacity(file.rows.len());
        for &row in &file.rows {
            let unit = self.unit(row);
            units.enter(row);
            let part = lists::document(&mut units, row)
                .map_err(|error| PackageError::Unit { unit: units.current.unwrap_or(unit), error })?;
            if !part.text.trim_ascii().is_empty() || is_blank(trees, unit) {
                parts.push(part);
            }
        }
        if !says_nothing(trees, &parts) {
            // Blanks of the other side are worth a file, but no document.
            parts.retain(|part| part.unit.side != Side::Incoming || !is_nothing(trees, part));
        }
        Ok(Written { text: file_text(trees, file.dest, &parts, *terms.conflicts), reports: units.reports })
    }
}

/// Whether a unit says nothing to begin with.
fn is_blank(trees: &Trees<'_>, unit: UnitRef) -> bool {
    let of = trees.unit(unit);
    of.subject == Subject::Comment || trees.extent(unit).trim_ascii().is_empty()
}

/// Whether a part of the result has neither content nor comments.
fn is_nothing(trees: &Trees<'_>, part: &Part) -> bool {
    part.text.trim_ascii().is_empty() || trees.unit(part.unit).subject == Subject::Comment && !part.text.contains('#')
}

fn says_nothing(trees: &Trees<'_>, parts: &[Part]) -> bool {
    parts.iter().all(|part| is_nothing(trees, part))
}

/// The text of a file, which may be one of the destination's; `None` if nothing is left to stand in it. What the other side emptied,
/// but kept, is there.
pub(super) fn file_text(
    trees: &Trees<'_>,
    dest: Option<u32>,
    parts: &[Part],
    style: ConflictStyle<'_>,
) -> Option<String> {
    let says_nothing = says_nothing(trees, parts);
    let mut own = dest.map(|dest| trees.units(Side::Dest, dest));
    let had_nothing =
        own.as_mut().is_some_and(|units| parts.len() == units.len() && units.all(|unit| is_blank(trees, unit)));
    if says_nothing && !had_nothing {
        let emptied = parts.iter().find(|part| own.is_some() && part.unit.side == Side::Incoming);
        return emptied.map(|part| part.text.clone());
    }
    let model = match dest {
        Some(dest) => Model::of(trees, Side::Dest, dest),
        None => Model::of(trees, parts.first()?.unit.side, parts.first()?.unit.file),
    };
    let text = assemble(parts, model, style);
    (had_nothing || !text.trim_ascii().is_empty()).then_some(text)
}

/// Merges units one by one.
pub(super) struct Units<'a, 's> {
    pub(super) trees: &'a Trees<'s>,
    pub(super) plan: &'a PackagePlan<'s>,
    pub(super) terms: Terms<'a>,
    pub(super) reports: Vec<Report>,
    /// The unit that is being merged: the incoming one, or the destination's if there is none.
    pub(super) current: Option<UnitRef>,
}

impl<'a> Units<'a, '_> {
    /// Begins with the units of a row, or goes on with them.
    pub(super) fn enter(&mut self, row: usize) {
        let Slots { dest, incoming, .. } = self.plan.rows[row].units;
        self.current = incoming.or(dest);
    }

    /// What something comes to with each version of what is in conflict: ours, the base's and theirs. What is found out about it is
    /// reported once; `known` are the reports before.
    pub(super) fn versions(
        &mut self,
        known: usize,
        of: impl Fn(&mut Self) -> Result<String, MergeError>,
    ) -> Result<[String; 3], MergeError> {
        let asked = self.terms.conflicts;
        let [theirs, base, ours] =
            [&ConflictStyle::Incoming, &ConflictStyle::Base, &ConflictStyle::Dest].map(|style| {
                self.reports.truncate(known);
                self.terms.conflicts = style;
                of(self)
            });
        self.terms.conflicts = asked;
        Ok([ours?, base?, theirs?])
    }

    /// The text of a unit of the result: a document with its markers, or an item as it stands in its list.
    pub(super) fn text(&mut self, row: usize) -> Result<String, MergeError> {
        let Row { units, fate, .. } = self.plan.rows[row];
        self.enter(row);
        match (fate, units.dest) {
            (Fate::Merge, _) if units.present().any(|(_, unit)| self.trees.is_item(*unit)) => self.merged_nodes(row),
            (Fate::Merge, _) => self.merged(row, &excerpts(self.trees, units)),
            (_, Some(dest)) => Ok(self.trees.extent(dest).to_owned()),
            (_, None) => self.added(lists::alone(self, self.plan.unit(row))?),
        }
    }

    /// Merges the nodes of a row some of which are items: what stands around a document means nothing to an item.
    fn merged_nodes(&mut self, row: usize) -> Result<String, MergeError> {
        let units = self.plan.rows[row].units;
        let Some(dest) = units.dest else { return Ok(String::new()) };
        let text = |side| units.get(side).map(|&unit| extract_item(self.trees, unit, units.dest)).transpose();
        let texts = Slots { dest: text(Side::Dest)?, base: text(Side::Base)?, incoming: text(Side::Incoming)? };
        let merged = self.merged(row, &texts)?;
        let merged = merged.strip_suffix("\r\n").or(merged.strip_suffix('\n')).unwrap_or(&merged);
        if merged.trim_ascii().is_empty() { Ok(String::new()) } else { self.in_place_of(dest, merged) }
    }

    /// A node at the column of the destination's in the place of that, with what stands around it.
    fn in_place_of(&self, dest: UnitRef, merged: &str) -> Result<String, MergeError> {
        let (unit, source, column) = (self.trees.unit(dest), self.trees.source(dest), column(self.trees, dest));
        let before = Span::new(unit.extent.start, unit.span.start).of(source);
        let after = Span::new(unit.span.end, unit.extent.end).of(source);
        let node = placed(merged, column);
        let marker = before.trim_end_matches([' ', '\t']);
        // What became a block, or a hunk, on the line of a `---` starts below it.
        if unit.item.is_none() && marker.ends_with("---") {
            let is_hunk = starts_with_marker(merged, self.terms.conflicts);
            let moved = if is_hunk { merged.to_owned() } else { [&" ".repeat(column), &*node].concat() };
            if is_hunk || is_block(&moved)? {
                return Ok([marker, "\n", &moved, after].concat());
            }
        }
        Ok([before, &node, after].concat())
    }

    /// Merges the versions of a row, each a text of its own.
    pub(super) fn merged(&mut self, row: usize, texts: &Slots<Excerpt>) -> Result<String, MergeError> {
        let mut streams = parse_all(texts)?;
        if self.terms.policy.directives == Directives::Data && streams.base.is_none() {
            // What both sides of a three-way merge added had nothing before.
            streams.base = Some(Stream::parse("")?);
        }
        let sides = streams.as_ref();
        let Row { units, fate, .. } = self.plan.rows[row];
        // It tells what a document without a kind is.
        let path = units.present().next().map_or("", |(_, unit)| self.trees.path(*unit));
        let plan = merge_one(sides, path, self.terms.schema, self.terms.policy)
            .map_err(|error| in_file(error, texts.incoming.as_ref()))?;
        let text = render(&plan, sides, self.terms.conflicts)?;
        if fate == Fate::Merge && !plan.decisions.is_empty() {
            let decisions = plan.decisions.into_iter().map(|decision| in_files(decision, texts)).collect();
            self.reports.push(Report { row, decisions });
        }
        Ok(text)
    }

    /// An incoming unit on its way into the destination, without the orders in it; nothing where it is but an order.
    pub(super) fn added(&self, text: Excerpt) -> Result<String, MergeError> {
        if self.terms.policy.directives == Directives::Data {
            return Ok(text.text);
        }
        let stream = Stream::parse(&text.text)?;
        let sides = Slots { dest: None, base: None, incoming: Some(&stream) };
        let plan =
            merge_one(sides, "", self.terms.schema, self.terms.policy).map_err(|error| in_file(error, Some(&text)))?;
        render(&plan, sides, self.terms.conflicts)
    }
}

/// Whether all of a text is in conflict: it begins with a marker, which has a place only at the start of a line.
pub(super) fn starts_with_marker(text: &str, style: &ConflictStyle<'_>) -> bool {
    matches!(style, ConflictStyle::Markers { labels, .. } if text.starts_with(&"<".repeat(labels.size)))
}

fn is_block(text: &str) -> Result<bool, MergeError> {
    Ok(Stream::parse(text)?.root().is_some_and(Node::is_block_collection))
}

/// A decision about texts that were cut out of files, in terms of the files.
fn in_files(mut decision: Decision, texts: &Slots<Excerpt>) -> Decision {
    let moved = |side: Side, span: Option<Span>| {
        let (span, text) = (span?, texts.get(side)?);
        // A comment that is not there has no place.
        let is_absent = span == Span::default();
        Some(if is_absent { span } else { Span::new(text.in_file(span.start), text.in_file(span.end)) })
    };
    let spans = decision.spans;
    decision.spans = Slots::of(|side| moved(side, spans.get(side).copied()));
    if let Some((side, why)) = decision.list.as_mut().and_then(|list| list.why.as_mut()) {
        *why = why.at(|span| moved(*side, Some(span)).unwrap_or(span));
    }
    decision
}
