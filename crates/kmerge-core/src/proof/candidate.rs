//! A text that may become the result of a merge, read once however often it is asked about.

use std::cell::OnceCell;

use kyaml_ast::{ParseError, Stream};

use crate::check::Finding;
use crate::schema::Schema;
use crate::slots::{Side, Slots};

use super::facts::Facts;
use super::faults::Checked;
use super::inputs::Inputs;

/// A possible result.
#[derive(Debug)]
pub(crate) struct Candidate<'c> {
    tree: Result<Stream<'c>, ParseError>,
    faults: OnceCell<Vec<Finding>>,
}

impl<'c> Candidate<'c> {
    /// Reads a text, which is mostly ours.
    pub(crate) fn new(inputs: &Inputs<'_>, text: &'c str) -> Self {
        Self::near(inputs.sides().dest.as_ref(), text)
    }

    /// Reads a text, which is mostly that of a side.
    pub(super) fn near(side: Option<&Stream<'_>>, text: &'c str) -> Self {
        let tree = side.map_or_else(|| Stream::parse(text), |side| side.parse_again(text));
        Self { tree, faults: OnceCell::new() }
    }

    pub(super) const fn tree(&self) -> Result<&Stream<'c>, &ParseError> {
        self.tree.as_ref()
    }

    pub(super) fn into_tree(self) -> Option<Stream<'c>> {
        self.tree.ok()
    }

    /// What is wrong with it, and with no side; it is mostly the side that is nearest.
    pub(super) fn new_faults(&self, inputs: &Inputs<'_>, schema: &Schema, nearest: Side) -> &[Finding] {
        let of = Checked { sides: inputs.sides().as_ref(), schema };
        let found = || self.tree.as_ref().map(|tree| inputs.faults.new_in(of, tree, nearest)).unwrap_or_default();
        self.faults.get_or_init(found)
    }

    /// The facts of three sides and it.
    pub(super) fn facts<'f>(&'f self, inputs: &'f Inputs<'_>, schema: &'f Schema) -> Option<Facts<'f>> {
        let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = inputs.sides() else {
            return None;
        };
        Some(Facts::of([base, ours, theirs, self.tree.as_ref().ok()?], schema, &inputs.held))
    }
}
