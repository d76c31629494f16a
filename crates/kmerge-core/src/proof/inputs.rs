//! The sides of a merge, of which many results are proven.

use std::cell::OnceCell;

use hashbrown::HashSet;
use kyaml_ast::Stream;

use crate::schema::Schema;
use crate::slots::{Side, Slots};

use super::aliases::{self, Referents};
use super::faults::SideFaults;

/// What the proof has read of the sides: each thing once, when it is first asked for.
#[derive(Debug)]
pub(crate) struct Inputs<'s> {
    pub(super) sides: &'s Slots<Stream<'s>>,
    pub(super) faults: SideFaults<'s>,
    referents: [OnceCell<Referents<'s>>; Side::ALL.len()],
    /// What the aliases without an anchor are called that any side has.
    undefined: OnceCell<HashSet<&'s str>>,
}

impl<'s> Inputs<'s> {
    pub(super) const fn new(sides: &'s Slots<Stream<'s>>, schema: &'s Schema) -> Self {
        let referents = [const { OnceCell::new() }; Side::ALL.len()];
        Self { sides, faults: SideFaults::new(sides.as_ref(), schema), referents, undefined: OnceCell::new() }
    }

    /// Whether a side has an alias of this name without an anchor.
    pub(super) fn has_undefined(&self, name: &str) -> bool {
        let streams = || self.sides.present().map(|(_, stream)| stream);
        let names = || streams().flat_map(|stream| aliases::undefined(stream)).map(aliases::name).collect();
        self.undefined.get_or_init(names).contains(name)
    }

    /// To what the aliases of a side refer.
    pub(super) fn referents(&self, side: Side) -> Option<&Referents<'s>> {
        let own = self.sides.get(side)?;
        Some(self.referents[side as usize].get_or_init(|| Referents::of(own)))
    }
}
