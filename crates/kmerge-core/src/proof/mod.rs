//! Whether a text may leave as the merge of two sides: whether it says what both of them want said.
//!
//! A result is sound when it has every fact that is wanted, none that is not, and no fault that no side has. Owns: reading texts into
//! facts, comparing them, and naming the first that is wrong. Invariant: shares nothing with the merge but the parser, likeness and
//! the identities of the schema. Ignores how a result came about, and layout.

mod aliases;
mod candidate;
mod comments;
mod compare;
mod converted;
mod facts;
mod faults;
mod inputs;
mod leftovers;
mod margin;
mod moved;
mod names;
mod orders;
mod path_hash;
mod replaced;
mod rows;
mod runs;
mod tally;
#[cfg(test)]
mod tests;
mod text;
mod unsound;

use kyaml_ast::Stream;

pub(crate) use candidate::Candidate;
pub(crate) use inputs::Inputs;
pub(crate) use moved::holds_several;
pub(crate) use path_hash::{PathHash, element_name, longer};
pub(crate) use rows::Row;
pub(crate) use runs::alike_ends;
pub(crate) use unsound::{CommentFault, Moving, Place, Remark, Unsound, path_of};

use crate::markers::{hunks, with_side};
use crate::schema::Schema;
use crate::slots::Side;
use compare::Wanted;
use facts::Facts;
use moved::HeldBySides;
use rows::in_result;

/// Proves results of the inputs they were made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoundnessCheck<'e> {
    schema: &'e Schema,
}

impl<'e> SoundnessCheck<'e> {
    pub(crate) const fn new(schema: &'e Schema) -> Self {
        Self { schema }
    }

    /// What is known about kinds.
    pub(crate) const fn schema(&self) -> &'e Schema {
        self.schema
    }

    /// What is wrong with a result that should have the changes of both sides.
    pub(crate) fn unsound(&self, inputs: &Inputs<'_>, candidate: &Candidate<'_>) -> Option<Unsound> {
        self.unsound_as(inputs, candidate, Wanted::Both)
    }

    /// Whether a text has the changes of both sides.
    pub(crate) fn is_sound(&self, inputs: &Inputs<'_>, text: &str) -> bool {
        self.unsound(inputs, &Candidate::new(inputs, text)).is_none()
    }

    /// Of a line merge that has the changes of both sides: whether a side reordered a list, and what the other put into it stands
    /// elsewhere than between its neighbours. Lines do not say what comes first. To them, an element belongs behind the line above
    /// it, wherever that went. `None` if the text is not sound.
    pub(crate) fn guesses_order(&self, inputs: &Inputs<'_>, by_lines: &str) -> Option<bool> {
        let candidate = Candidate::new(inputs, by_lines);
        if !self.is_well_formed(inputs, &candidate) {
            return None;
        }
        let Some(mut facts) = candidate.facts(inputs, self.schema) else { return Some(false) };
        compare::first_wrong(&mut facts, Wanted::Both).is_none().then_some(facts.orders.is_contested)
    }

    /// What is wrong with a result in which one side was chosen wherever the two disagree: nothing, where it is that side's file.
    pub(crate) fn unsound_with(&self, inputs: &Inputs<'_>, chosen: Side, text: &str) -> Option<Unsound> {
        let own = inputs.sides().get(chosen);
        if own.is_some_and(|own| own.source() == text) {
            return None;
        }
        self.unsound_as(inputs, &Candidate::near(own, text), Wanted::Chosen(chosen))
    }

    /// What is wrong with a text that holds hunks: whichever side a person chooses everywhere has to be sound.
    pub(crate) fn unsound_on_each_side(&self, inputs: &Inputs<'_>, text: &str) -> Option<Unsound> {
        let hunks = hunks(text.as_bytes());
        [Side::Dest, Side::Incoming].into_iter().find_map(|side| match with_side(text, &hunks, side) {
            Some(chosen) => self.unsound_with(inputs, side, &chosen),
            None => Some(Unsound::Unwritten),
        })
    }

    /// Where something is wrong in a result in which one side was chosen wherever the two disagree: in base, ours, theirs and the
    /// result. `None` if nothing is wrong; empty if nobody can say where. Without a chosen side, the changes of both are wanted.
    pub(crate) fn wrong_places(&self, inputs: &Inputs<'_>, chosen: Option<Side>, text: &str) -> Option<Vec<Row<u32>>> {
        let own = chosen.and_then(|chosen| inputs.sides().get(chosen));
        if own.is_some_and(|own| own.source() == text) {
            return None;
        }
        let candidate = Candidate::near(own, text);
        let ill_formed = self.ill_formed_places(inputs, &candidate, chosen.unwrap_or(Side::Dest));
        if ill_formed.is_some() {
            return ill_formed;
        }
        let wanted = chosen.map_or(Wanted::Both, Wanted::Chosen);
        let places = compare::wrong_places(&mut candidate.facts(inputs, self.schema)?, wanted);
        (!places.is_empty()).then_some(places)
    }

    /// Where a result with one side chosen is wrong whatever its facts are.
    fn ill_formed_places(&self, inputs: &Inputs<'_>, candidate: &Candidate<'_>, chosen: Side) -> Option<Vec<Row<u32>>> {
        let result = match candidate.tree() {
            Ok(result) => result,
            Err(error) => return Some(vec![in_result(error.span.start)]),
        };
        // These are found without a look at the rest.
        let unanchored = aliases::unanchored_places(inputs, result, chosen);
        if !unanchored.is_empty() {
            return Some(unanchored);
        }
        let faults = candidate.new_faults(inputs, self.schema, chosen);
        if !faults.is_empty() {
            let spans = faults.iter().flat_map(|finding| [Some(finding.span), finding.first]).flatten();
            return Some(spans.map(|span| in_result(span.start)).collect());
        }
        aliases::wrong_places(inputs, result, chosen)
    }

    /// Whether a result can be read, and has no fault and no misled alias that its sides have not.
    pub(crate) fn is_well_formed(&self, inputs: &Inputs<'_>, candidate: &Candidate<'_>) -> bool {
        self.ill_formed(inputs, candidate, None).is_none()
    }

    fn unsound_as(&self, inputs: &Inputs<'_>, candidate: &Candidate<'_>, wanted: Wanted) -> Option<Unsound> {
        self.ill_formed(inputs, candidate, wanted.chosen()).or_else(|| {
            let wrong = compare::first_wrong(&mut candidate.facts(inputs, self.schema)?, wanted)?;
            let said = unsound::in_words(wrong, inputs.sides(), candidate.tree().ok()?);
            Some(said.unwrap_or(Unsound::Unwritten))
        })
    }

    /// What is wrong with a result whatever its facts are.
    fn ill_formed(&self, inputs: &Inputs<'_>, candidate: &Candidate<'_>, chosen: Option<Side>) -> Option<Unsound> {
        let result = match candidate.tree() {
            Ok(result) => result,
            Err(error) => return Some(Unsound::Broken(*error)),
        };
        let faults = candidate.new_faults(inputs, self.schema, chosen.unwrap_or(Side::Dest));
        let unanchored = aliases::unanchored(inputs.sides(), faults);
        let faults = unanchored.or_else(|| (!faults.is_empty()).then(|| Unsound::Faults(faults.to_vec())));
        faults.or_else(|| aliases::unsound(inputs, result, chosen))
    }
}

/// Whether every value that a side changed is in a result, whatever else is.
pub(crate) fn carries(base: &Stream<'_>, side: &Stream<'_>, result: &Stream<'_>, schema: &Schema) -> bool {
    let held = HeldBySides::default();
    let facts = Facts::of([base, side, result, result], schema, &held);
    compare::first_wrong_value(&facts, Wanted::Chosen(Side::Dest)).is_none()
}
