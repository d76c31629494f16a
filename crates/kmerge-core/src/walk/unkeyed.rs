//! Lists whose elements have no identity, where each of them is one value ([`Unkeyed::Atomic`]).
//!
//! Where at most one side changed such a list, item by item gives the same value as the list as a whole, and comments,
//! quotes and layout of the items that stay. What both changed is in conflict as one value. Where the incoming side wins, its
//! value comes item by item, too, for the same reason; only if no item stays, the list is replaced.

use kyaml_ast::Node;

use super::{Frame, Mode, Walker};
use crate::correspond::Identity;
use crate::equal::same_value;
use crate::policy::{BothChanged, ListOrder, Policy, Unkeyed};
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::Slots;

/// What is known of a list that is one value, and of everything in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// There is none, or it is unknown.
    No,
    /// Not both sides changed it, differently.
    Settled,
    /// Both did, and the incoming value is taken.
    Taken,
}

impl Whole {
    /// The four rules; inside of what is taken, whatever differs is.
    pub(super) fn decide(self, values: Slots<Node<'_>>, both_changed: BothChanged) -> (Outcome, Rule) {
        let known = if self == Self::Taken { Slots { base: None, ..values } } else { values };
        match resolve(known, both_changed, same_value) {
            (_, Rule::OnlyDest) if self == Self::Taken => (Outcome::Take, Rule::BothChanged),
            decided => decided,
        }
    }
}

impl Frame<'_> {
    /// Whether the frame is a list that gets the incoming value.
    pub(super) fn is_taken_list(&self) -> bool {
        self.whole == Whole::Taken && self.identity == Identity::Position
    }

    /// Where new entries go: in what is one value, where the incoming side has them.
    pub(super) fn list_order(&self, policy: &Policy) -> ListOrder {
        if self.whole == Whole::No { policy.order } else { ListOrder::Neighbour }
    }
}

impl<'a> Walker<'a> {
    /// What is known of a list without identity inside of another; `None` where it has to be compared as a whole.
    pub(super) fn unkeyed(&self, mode: Mode, nodes: &Slots<Node<'a>>, within: Whole) -> Option<Whole> {
        let Slots { dest: Some(dest), base, incoming: Some(incoming) } = *nodes else { return None };
        let is_elementwise = self.policy.unkeyed == Unkeyed::Elementwise;
        match (within, base) {
            _ if mode != Mode::Merge => None,
            (Whole::Taken, _) => Some(Whole::Taken),
            (Whole::No, Some(_)) if is_elementwise => Some(Whole::No),
            (Whole::Settled, Some(_)) => Some(Whole::Settled),
            (Whole::No, Some(base)) if same_value(incoming, base) || same_value(dest, base) => Some(Whole::Settled),
            _ if same_value(dest, incoming) => base.map(|_| Whole::Settled),
            _ if is_elementwise || self.policy.both_changed != BothChanged::Take => None,
            _ => Some(Whole::Taken),
        }
    }
}
