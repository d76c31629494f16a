//! Carries a plan out for one file: the fields of its units are merged, and its documents put together.
//!
//! Each unit is merged on its own, as the text of its document, so that the cost grows with what changed, and a unit may
//! come from another file than its partners.

use kyaml_ast::{Document, Stream, StreamId, line_start, splice};

use super::assemble::{Model, Part, assemble};
use super::fate::Fate;
use super::lists;
use super::place::Piece;
use super::plan::{FilePlan, PackagePlan};
use super::trees::{Trees, UnitRef};
use super::unit::Subject;
use crate::MergeError;
use crate::conflict::{ConflictStyle, render};
use crate::documents::merge_one;
use crate::plan::Plan;
use crate::policy::{Directives, Policy};
use crate::resolve::{Outcome, resolve};
use crate::schema::Schema;
use crate::slots::{Side, Slots};
use crate::walk::Walker;

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
    /// Decisions and conflicts; their spans are those of the unit's text, which starts at `origin` in its file.
    pub plan: Plan,
    /// Where each side's text starts.
    pub origin: Slots<u32>,
}

/// A file that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// What stands in it; `None`: the file goes.
    pub text: Option<String>,
    /// What was found out about its units.
    pub reports: Vec<Report>,
}

/// Carries out the plan of one file.
///
/// # Errors
///
/// See [`MergeError`].
pub fn write(
    trees: &Trees<'_>,
    plan: &PackagePlan<'_>,
    file: &FilePlan<'_>,
    terms: Terms<'_>,
) -> Result<Written, MergeError> {
    let mut units = Units { trees, plan, terms, reports: Vec::new() };
    let mut parts = Vec::with_capacity(file.pieces.len());
    for &piece in &file.pieces {
        let unit = plan.unit(piece);
        let text = lists::document(&mut units, piece)?;
        if !text.trim().is_empty() || trees.unit(unit).subject == Subject::Comment {
            parts.push(Part { unit, document: trees.unit(unit).document, text });
        }
    }
    Ok(Written { text: file_text(trees, file, &parts), reports: units.reports })
}

/// The text of a file; `None` where nothing is left to stand in it.
fn file_text(trees: &Trees<'_>, file: &FilePlan<'_>, parts: &[Part]) -> Option<String> {
    let is_blank = |part: &Part| trees.unit(part.unit).subject == Subject::Comment && !part.text.contains('#');
    let own = file.dest.and_then(|dest| Some(((Side::Dest, dest), trees.manifest(Side::Dest, dest)?)));
    if let Some((file, manifest)) = own {
        let had_nothing = manifest.units.iter().all(|unit| unit.subject == Subject::Comment);
        let keeps = !parts.iter().all(is_blank) || (had_nothing && parts.len() == manifest.units.len());
        return keeps.then(|| assemble(parts, Model { file, text: manifest.text }));
    }
    let first = parts.first().filter(|_| !parts.iter().all(is_blank))?;
    let file = (first.unit.side, first.unit.file);
    Some(assemble(parts, Model { file, text: trees.source(first.unit) }))
}

/// Merges units one by one.
pub(super) struct Units<'a, 's> {
    pub(super) trees: &'a Trees<'s>,
    pub(super) plan: &'a PackagePlan<'s>,
    terms: Terms<'a>,
    reports: Vec<Report>,
}

impl<'a> Units<'a, '_> {
    /// The text of a unit of the result: a document with its markers, or an item as it stands in its list.
    pub(super) fn text(&mut self, piece: Piece) -> Result<String, MergeError> {
        let row = &self.plan.rows[piece.row];
        match self.plan.verdicts[piece.row].fate {
            Fate::Merge | Fate::Conflict => self.merged(piece.row, &row.units.map(|unit| alone(self.trees, unit))),
            Fate::Add => self.added(alone(self.trees, self.plan.unit(piece))),
            Fate::Keep | Fate::Remove => Ok(self.extent(self.plan.unit(piece)).to_owned()),
        }
    }

    pub(super) fn extent(&self, unit: UnitRef) -> &str {
        self.trees.unit(unit).extent.of(self.trees.source(unit))
    }

    /// Merges the versions of a row, each a text of its own; the result stands where the destination's stood.
    pub(super) fn merged(&mut self, row: usize, texts: &Slots<Alone>) -> Result<String, MergeError> {
        let is_comment = |unit: &UnitRef| self.trees.unit(*unit).subject == Subject::Comment;
        if self.plan.rows[row].units.dest.as_ref().is_some_and(is_comment) {
            return Ok(self.comment(row));
        }
        let streams = Slots { dest: parse(&texts.dest)?, base: parse(&texts.base)?, incoming: parse(&texts.incoming)? };
        let sides =
            Slots { dest: streams.dest.as_ref(), base: streams.base.as_ref(), incoming: streams.incoming.as_ref() };
        let plan = merge_one(sides, self.terms.schema, self.terms.policy)?;
        let text = render(&plan, sides, self.terms.conflicts)?;
        let indent = texts.dest.as_ref().map_or(0, |dest| dest.indent);
        let origin = self.plan.rows[row].units.map(|unit| self.trees.unit(unit).extent.start);
        if self.plan.verdicts[row].fate == Fate::Merge {
            self.reports.push(Report { row, plan, origin });
        }
        Ok(text.get(indent..).unwrap_or_default().to_owned())
    }

    /// A comment-only document is one value: the incoming text is taken where the destination did not change its own.
    fn comment(&self, row: usize) -> String {
        let units = self.plan.rows[row].units;
        let bodies = units.map(|unit| self.trees.body(unit));
        let (outcome, _) = resolve(bodies, self.terms.policy.comments, |a, b| a == b);
        let text = units.dest.map_or("", |dest| self.extent(dest));
        match (outcome, bodies.dest, bodies.incoming) {
            (Outcome::Take, Some(dest), Some(incoming)) if !dest.is_empty() => text.replacen(dest, incoming, 1),
            _ => text.to_owned(),
        }
    }

    /// An incoming unit on its way into the destination, without the orders in it.
    pub(super) fn added(&self, mut text: Alone) -> Result<String, MergeError> {
        if self.terms.policy.directives == Directives::Execute {
            let alone = Some(text.clone());
            let Some(stream) = parse(&alone)? else { return Ok(String::new()) };
            if let Some(root) = stream.documents().next().and_then(Document::root) {
                let orders = self.walker(&stream)?.pruned(root);
                text.text = splice(&[&stream], StreamId(0), &orders)?;
            }
        }
        Ok(text.text.split_off(text.indent))
    }

    /// A walker that knows the orders in an incoming stream.
    pub(super) fn walker<'t>(&self, incoming: &'t Stream<'t>) -> Result<Walker<'t>, MergeError>
    where
        'a: 't,
    {
        Walker::new(Slots { dest: None, base: None, incoming: Some(incoming) }, self.terms.policy)
    }
}

/// The text of a unit, as a stream of its own.
#[derive(Clone, Debug)]
pub(super) struct Alone {
    /// An item is preceded by blanks up to its column, so that its lines mean the same.
    pub(super) text: String,
    /// Number of those blanks.
    pub(super) indent: usize,
}

pub(super) fn alone(trees: &Trees<'_>, unit: UnitRef) -> Alone {
    let (source, extent) = (trees.source(unit), trees.unit(unit).extent);
    let is_item = trees.unit(unit).item.is_some();
    let indent = if is_item { (extent.start - line_start(source, extent.start)) as usize } else { 0 };
    Alone { text: " ".repeat(indent) + extent.of(source), indent }
}

pub(super) fn parse(text: &Option<Alone>) -> Result<Option<Stream<'_>>, MergeError> {
    let stream = text.as_ref().map(|alone| Stream::parse(&alone.text)).transpose();
    Ok(stream.map_err(kyaml_ast::SpliceError::from)?)
}
