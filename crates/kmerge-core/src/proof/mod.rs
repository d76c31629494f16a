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

/// What keeps a text from leaving.
#[derive(Debug)]
pub(crate) struct Flaws<'c> {
    /// The first, for people.
    pub(crate) first: Unsound,
    /// Where all of them are: in base, ours, theirs and the result. Empty if nobody can say where.
    pub(crate) places: Vec<Row<u32>>,
    /// The text's tree, if it has one.
    pub(crate) tree: Option<Stream<'c>>,
}

impl<'e> SoundnessCheck<'e> {
    pub(crate) const fn new(schema: &'e Schema) -> Self {
        Self { schema }
    }

    /// What is known about kinds.
    pub(crate) const fn schema(&self) -> &'e Schema {
        self.schema
    }

    /// Whether a text has the changes of both sides.
    pub(crate) fn is_sound(&self, inputs: &Inputs<'_>, text: &str) -> bool {
        self.guesses_order(inputs, text).is_some()
    }

    /// Of a text that has the changes of both sides: whether a side reordered a list, and what the other put into it stands
    /// elsewhere than between its neighbours. A line merge does not know what comes first. To it, an element belongs behind the line
    /// above it, wherever that went. `None` if the text is not sound.
    pub(crate) fn guesses_order(&self, inputs: &Inputs<'_>, text: &str) -> Option<bool> {
        let candidate = Candidate::new(inputs, text);
        if !self.is_well_formed(inputs, &candidate) {
            return None;
        }
        let Some(mut facts) = candidate.facts(inputs, self.schema) else { return Some(false) };
        compare::first_wrong(&mut facts, Wanted::Both).is_none().then_some(facts.orders.is_contested)
    }

    /// What keeps a text from leaving in which one side was chosen wherever the two disagree: nothing, where it is that side's file.
    /// Without a chosen side, the changes of both are wanted.
    pub(crate) fn flaws<'c>(&self, inputs: &Inputs<'_>, chosen: Option<Side>, text: &'c str) -> Option<Flaws<'c>> {
        let near = inputs.sides().get(chosen.unwrap_or(Side::Dest));
        if chosen.is_some() && near.is_some_and(|near| near.source() == text) {
            return None;
        }
        let candidate = Candidate::near(near, text);
        let (first, places) = match self.ill_formed(inputs, &candidate, chosen) {
            Some(first) => (first, self.ill_formed_places(inputs, &candidate, chosen.unwrap_or(Side::Dest))),
            None => self.wrong_facts(inputs, &candidate, chosen.map_or(Wanted::Both, Wanted::Chosen))?,
        };
        Some(Flaws { first, places, tree: candidate.into_tree() })
    }

    /// The facts of a result that are not as they should be: the first in words, and where all of them stand.
    fn wrong_facts(
        &self,
        inputs: &Inputs<'_>,
        candidate: &Candidate<'_>,
        wanted: Wanted,
    ) -> Option<(Unsound, Vec<Row<u32>>)> {
        let mut facts = candidate.facts(inputs, self.schema)?;
        let first = compare::first_wrong(&mut facts, wanted)?;
        let first = unsound::in_words(first, inputs.sides(), candidate.tree().ok()?).unwrap_or(Unsound::Unwritten);
        Some((first, compare::wrong_places(&mut facts, wanted)))
    }

    /// Where a result is wrong whatever its facts are.
    fn ill_formed_places(&self, inputs: &Inputs<'_>, candidate: &Candidate<'_>, chosen: Side) -> Vec<Row<u32>> {
        let result = match candidate.tree() {
            Ok(result) => result,
            Err(error) => return vec![in_result(error.span.start)],
        };
        let unanchored = aliases::unanchored_places(inputs, result, chosen);
        if !unanchored.is_empty() {
            return unanchored;
        }
        let faults = candidate.new_faults(inputs, self.schema, chosen);
        if !faults.is_empty() {
            let spans = faults.iter().flat_map(|finding| [Some(finding.span), finding.first]).flatten();
            return spans.map(|span| in_result(span.start)).collect();
        }
        aliases::wrong_places(inputs, result, chosen).unwrap_or_default()
    }

    /// Whether a result can be read, and has no fault and no misled alias that its sides have not.
    pub(crate) fn is_well_formed(&self, inputs: &Inputs<'_>, candidate: &Candidate<'_>) -> bool {
        self.ill_formed(inputs, candidate, None).is_none()
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
