//! Decides lists whose elements have no identity, if the policy treats such a list as one value ([`Unkeyed::Atomic`]).
//!
//! If at most one side changed the list, it is merged item by item: the value is the same as that of the whole list,
//! but the items that stay keep their comments, quotes and layout. If both sides changed it, the whole list is in
//! conflict. If the incoming side wins, its value is also taken item by item, for the same reason. The list is replaced
//! as a whole only if no item stays.

use kyaml_ast::Node;

use super::{Frame, Mode, Walker};
use crate::correspond::Identity;
use crate::equal::same_value;
use crate::policy::{BothChanged, ListOrder, Policy, Unkeyed};
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::Slots;

/// How a list that counts as one value is decided. This holds for everything inside it, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    /// There is no such list, or its decision is not known.
    No,
    /// At most one side changed the list, or both made the same change.
    Settled,
    /// Both sides changed the list differently, and the incoming value is taken.
    Taken,
}

impl Whole {
    /// Applies the four rules. Inside a list whose incoming value is taken, every difference is taken.
    pub(super) fn decide(self, values: Slots<Node<'_>>, both_changed: BothChanged) -> (Outcome, Rule) {
        match resolve(values, both_changed, same_value) {
            (_, Rule::OnlyDest) if self == Self::Taken => (Outcome::Take, Rule::BothChanged),
            decided => decided,
        }
    }
}

impl Frame<'_> {
    /// Whether the frame is a list that takes the incoming value.
    pub(super) fn is_taken_list(&self) -> bool {
        self.whole == Whole::Taken && self.identity == Identity::Position
    }

    /// Where new entries go. Inside a list that counts as one value: where the incoming side has them.
    pub(super) fn list_order(&self, policy: &Policy) -> ListOrder {
        if self.whole == Whole::No { policy.order } else { ListOrder::Neighbour }
    }
}

impl<'a> Walker<'a> {
    /// How a list without identity is decided, inside a collection decided as `within`. `None` if the list must be
    /// compared as a whole.
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
