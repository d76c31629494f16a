//! A text that may become the result of a merge, read once however often it is asked about.

use std::cell::OnceCell;

use kyaml_ast::{ParseError, Stream};

use crate::check::Finding;
use crate::schema::Schema;
use crate::slots::Slots;

/// A possible result.
#[derive(Debug)]
pub(crate) struct Candidate<'c> {
    tree: Result<Stream<'c>, ParseError>,
    faults: OnceCell<Vec<Finding>>,
}

impl<'c> Candidate<'c> {
    /// Reads a text, which is mostly ours.
    pub(crate) fn new(sides: &Slots<Stream<'_>>, text: &'c str) -> Self {
        let tree = sides.dest.as_ref().map_or_else(|| Stream::parse(text), |ours| ours.parse_again(text));
        Self { tree, faults: OnceCell::new() }
    }

    pub(super) const fn tree(&self) -> Result<&Stream<'c>, &ParseError> {
        self.tree.as_ref()
    }

    /// What is wrong with it, and with no side.
    pub(super) fn new_faults(&self, sides: &Slots<Stream<'_>>, schema: &Schema) -> &[Finding] {
        let found = || self.tree.as_ref().map(|tree| schema.new_faults(tree, sides.as_ref())).unwrap_or_default();
        self.faults.get_or_init(found)
    }
}
