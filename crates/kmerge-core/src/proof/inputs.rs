//! The sides of a merge, of which many results are proven.

use std::cell::OnceCell;

use hashbrown::HashSet;
use kyaml_ast::Stream;

use crate::slots::{Side, Slots};

use super::aliases::{self, Referents};
use super::faults::FaultsOfSides;
use super::moved::HeldBySides;

/// The sides, with what the proof has read of them: each thing once, when it is first asked for.
#[derive(Debug)]
pub(crate) struct Inputs<'t> {
    sides: Slots<Stream<'t>>,
    pub(super) faults: FaultsOfSides,
    pub(super) held: HeldBySides,
    referents: [OnceCell<Referents>; Side::ALL.len()],
    /// What the aliases without an anchor are called that any side has.
    undefined: OnceCell<HashSet<String>>,
}

impl<'t> Inputs<'t> {
    pub(crate) fn new(sides: Slots<Stream<'t>>) -> Self {
        let referents = [const { OnceCell::new() }; Side::ALL.len()];
        Self {
            sides,
            faults: FaultsOfSides::default(),
            held: HeldBySides::default(),
            referents,
            undefined: OnceCell::new(),
        }
    }

    /// In them, ours is `dest`.
    pub(crate) const fn sides(&self) -> &Slots<Stream<'t>> {
        &self.sides
    }

    /// Whether a side has an alias of this name without an anchor.
    pub(super) fn has_undefined(&self, name: &str) -> bool {
        let streams = || self.sides.present().map(|(_, stream)| stream);
        let names = || streams().flat_map(aliases::undefined).map(|alias| aliases::name(alias).to_owned()).collect();
        self.undefined.get_or_init(names).contains(name)
    }

    /// To what the aliases of a side refer, and the side.
    pub(super) fn referents(&self, side: Side) -> Option<(&Stream<'t>, &Referents)> {
        let own = self.sides.get(side)?;
        Some((own, self.referents[side as usize].get_or_init(|| Referents::of(own))))
    }
}
