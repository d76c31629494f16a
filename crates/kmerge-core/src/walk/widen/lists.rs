//! Three versions of a list as tokens. Each element has one token, the same on all sides, even if a side changed it.
//!
//! Owns the test of a choice: elements that the side added are present once, those that it removed are absent, those
//! that all sides have are present once, and all are in that side's order. If an element stands twice on a side, only
//! the number of its copies is compared.

use hashbrown::HashMap;
use kyaml_ast::{Entry, EntryId, Node, NodeId};

use super::Frame;
use crate::correspond::{Aligned, Identity};
use crate::order::keeps_swaps;
use crate::plan::Role;
use crate::schema::ElementId;
use crate::sequence::Clash;
use crate::slots::{Side, Slots};

/// An element, the same on all sides.
pub(super) type Token = usize;

/// Which part of an order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ordered {
    /// No order counts.
    Free,
    /// The order of the elements that the base has.
    Known,
    /// The order of new elements, too.
    All,
}

/// The elements of the three versions, in order.
pub(super) struct Lists {
    /// The destination's list.
    pub(super) id: NodeId,
    entries: Slots<Vec<(EntryId, Token)>>,
    tokens: Slots<HashMap<EntryId, Token>>,
}

impl Lists {
    pub(super) fn of(frame: &Frame<'_>) -> Option<Self> {
        let tokens = tokens(frame);
        let in_order = |side: Side| {
            let (list, tokens) = (frame.nodes.get(side)?, tokens.get(side)?);
            Some(list.entries().map(|entry| (entry.id(), tokens[&entry.id()])).collect())
        };
        Some(Self { id: frame.nodes.dest?.id(), entries: Slots::of(in_order), tokens })
    }

    /// The elements of a side.
    pub(super) fn in_order(&self, side: Side) -> &[(EntryId, Token)] {
        self.entries.get(side).map_or(&[], Vec::as_slice)
    }

    pub(super) fn of_entry(&self, side: Side, entry: EntryId) -> Option<Token> {
        self.tokens.get(side)?.get(&entry).copied()
    }

    pub(super) fn of_row(&self, row: &Slots<EntryId>) -> Option<Token> {
        row.present().find_map(|(side, entry)| self.of_entry(side, *entry))
    }

    /// Whether the list `found`, which results from choosing `side`, has all changes of that side.
    pub(super) fn is_side(&self, side: Side, found: &[Token], ordered: Ordered) -> bool {
        let other = if side == Side::Dest { Side::Incoming } else { Side::Dest };
        let tokens = |side: Side| self.in_order(side).iter().map(|(_, token)| *token).collect::<Vec<_>>();
        let [was, own, other] = [Side::Base, side, other].map(tokens);
        let counts = Counts::of([&was, &own, &other, found]);
        if !counts.0.values().all(|times| is_there(*times)) {
            return false;
        }
        match ordered {
            Ordered::Free => true,
            Ordered::All if counts.among(&was, is_others) == counts.among(&other, is_others) => {
                counts.among(&own, is_own) == counts.among(found, is_own)
            }
            Ordered::Known | Ordered::All => {
                let [known, kept, chosen] = [&was, &own, found].map(|order| counts.among(order, is_kept));
                keeps_swaps(&chosen, &known, &kept)
            }
        }
    }

    /// The rows of the list if all differences are one clash.
    pub(super) fn widened(&self) -> (Aligned, Clash) {
        let (before, behind) = self.shared();
        let middle = |side: Side| {
            let entries = self.in_order(side);
            &entries[before.min(entries.len())..entries.len().saturating_sub(behind)]
        };
        let ids = |side: Side| middle(side).iter().map(|(entry, _)| *entry).collect::<Vec<_>>();
        let sorted = |side: Side| {
            let mut tokens: Vec<Token> = middle(side).iter().map(|(_, token)| *token).collect();
            tokens.sort_unstable();
            tokens
        };
        let has_same = |side: Side| sorted(side) == sorted(Side::Base);
        let clash = Clash {
            dest: ids(Side::Dest),
            after: before.checked_sub(1).map(|at| self.in_order(Side::Dest)[at].0),
            base: ids(Side::Base),
            incoming: ids(Side::Incoming),
            role: if has_same(Side::Dest) && has_same(Side::Incoming) { Role::Order } else { Role::Value },
        };
        (self.rows_beside(before, behind), clash)
    }

    /// The destination's elements as rows. Only the first `before` and the last `behind` have a match.
    fn rows_beside(&self, before: usize, behind: usize) -> Aligned {
        let dest = self.in_order(Side::Dest);
        let mut aligned = Aligned::default();
        for (at, (entry, _)) in dest.iter().enumerate() {
            let place = |side: Side| match self.entries.get(side)?.len() {
                _ if at < before => Some(at),
                length if at >= dest.len() - behind => (length + at).checked_sub(dest.len()),
                _ => None,
            };
            let id = |side: Side| place(side).map(|place| self.in_order(side)[place].0);
            aligned.incoming_order.extend(place(Side::Incoming).map(|_| at));
            aligned.places.push(place(Side::Base).unwrap_or(at));
            aligned.rows.push(Slots { dest: Some(*entry), base: id(Side::Base), incoming: id(Side::Incoming) });
        }
        aligned
    }

    /// The number of equal elements at the start, and at the end, of all sides.
    fn shared(&self) -> (usize, usize) {
        let sides = || self.entries.present().map(|(_, entries)| entries.as_slice());
        let shortest = sides().map(<[_]>::len).min().unwrap_or_default();
        let dest = self.in_order(Side::Dest);
        let is_shared = |at: usize| sides().all(|side| side[at].1 == dest[at].1);
        let before = (0..shortest).take_while(|at| is_shared(*at)).count();
        let token = |side: &[(EntryId, Token)], at: usize| side[side.len() - 1 - at].1;
        let is_shared = |at: usize| sides().all(|side| token(side, at) == token(dest, at));
        (before, (0..shortest - before).take_while(|at| is_shared(*at)).count())
    }
}

/// Whether an element has the right count in the result. `times` counts it in the base, on the chosen side, on the
/// other side and in the result.
fn is_there(times: [usize; 4]) -> bool {
    match times {
        [1, 1, 1, found] | [0, 1, _, found] => found == 1,
        [1, 0, _, found] => found == 0,
        [was, own, other, found] => (was.min(own).min(other)..=was.max(own).max(other)).contains(&found),
    }
}

/// Whether the base and the chosen side have an element.
const fn is_kept(times: [usize; 4]) -> bool {
    matches!(times, [1, 1, 0 | 1, 1])
}

/// Whether the chosen side alone has an element, or [`is_kept`].
const fn is_own(times: [usize; 4]) -> bool {
    is_kept(times) || matches!(times, [0, 1, 0, 1])
}

/// Whether the base and the other side have an element.
const fn is_others(times: [usize; 4]) -> bool {
    matches!(times, [1, _, 1, _])
}

/// How often each element stands in each of four orders.
struct Counts(HashMap<Token, [usize; 4]>);

impl Counts {
    fn of(orders: [&[Token]; 4]) -> Self {
        let mut counts: HashMap<Token, [usize; 4]> = HashMap::new();
        for (at, order) in orders.into_iter().enumerate() {
            order.iter().for_each(|token| counts.entry(*token).or_default()[at] += 1);
        }
        Self(counts)
    }

    /// The elements of an order whose counts pass a test.
    fn among(&self, order: &[Token], is_one: fn([usize; 4]) -> bool) -> Vec<Token> {
        let stays = |token: &&Token| self.0.get(*token).is_some_and(|times| is_one(*times));
        order.iter().filter(stays).copied().collect()
    }
}

/// The tokens of the elements. Elements of one row have the token of the base's element.
fn tokens<'a>(frame: &Frame<'a>) -> Slots<HashMap<EntryId, Token>> {
    let mut known: HashMap<(u64, Option<ElementId<'_>>), Token> = HashMap::new();
    let mut token = |entry: Entry<'a>| {
        let name = match frame.identity {
            Identity::Position => (entry.value().digest(), None),
            identity => (0, Some(identity.id(entry))),
        };
        let next = known.len();
        *known.entry(name).or_insert(next)
    };
    let mut tokens: Slots<HashMap<EntryId, Token>> =
        frame.nodes.map(|list: Node<'a>| list.entries().map(|entry| (entry.id(), token(entry))).collect());
    for row in &frame.aligned.rows {
        let Some(base) = row.base.and_then(|base| tokens.base.as_ref()?.get(&base).copied()) else { continue };
        for side in [Side::Dest, Side::Incoming] {
            if let (Some(entry), Some(tokens)) = (row.get(side), tokens.get_mut(side)) {
                tokens.insert(*entry, base);
            }
        }
    }
    tokens
}
