//! Turns stretches of a list into one conflict each. Such a stretch has an order that both sides changed differently,
//! or insertions of both sides at one place of a list whose order counts, or a name that one side gave to an old
//! element and the other to a new one.
//!
//! Invariant: the elements of such a stretch have no matches any more, as in every [`Clash`]. The elements of incoming
//! are in no row. So nothing is decided about them twice.

use std::ops::Range;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{EntryId, Node};

use super::Frame;
use crate::correspond::{Aligned, Identity, elements};
use crate::order::{Merged, Stretch};
use crate::plan::Role;
use crate::sequence::Clash;
use crate::slots::{Side, Slots};

impl Frame<'_> {
    /// Takes elements whose order is in conflict out of the rows. They become clashes.
    pub(super) fn contest(&mut self, order: &mut Merged) {
        if !matches!(self.identity, Identity::Keyed(_) | Identity::Resource) {
            return;
        }
        let contested = self.contested(order);
        if contested.is_empty() {
            return;
        }
        let base = base_entries(&self.aligned, &self.nodes);
        for ContestedRows { dest, before, incoming, role } in &contested {
            let rows: HashSet<usize> = dest.iter().chain(incoming).copied().collect();
            self.clashes.push(Clash {
                dest: self.entries_of(Side::Dest, dest),
                after: before.and_then(|before| self.aligned.rows[before].dest),
                base: cover(&base, &rows),
                incoming: self.entries_of(Side::Incoming, incoming),
                role: *role,
            });
        }
        let theirs: HashSet<usize> = contested.iter().flat_map(|it| &it.incoming).copied().collect();
        for row in contested.iter().flat_map(|it| &it.dest).chain(&theirs) {
            self.aligned.rows[*row].base = None;
            self.aligned.rows[*row].incoming = None;
        }
        self.aligned.incoming_order.retain(|row| !theirs.contains(row));
        drop_empty(&mut self.aligned, order);
    }

    /// What is in conflict: stretches, and names that one side gave to an old element and the other to a new one.
    fn contested(&self, order: &mut Merged) -> Vec<ContestedRows> {
        let (orders, incoming) = (self.aligned.orders(None), std::mem::take(&mut order.incoming));
        let (dest, all) = (orders.dest.unwrap_or_default(), orders.incoming.unwrap_or_default());
        let stretches = stretches(order, self.cursor.takes_turns()).into_iter();
        let contested: Vec<ContestedRows> =
            stretches.map(|(stretch, role)| ContestedRows::of(stretch, role, [&dest, &incoming])).collect();
        let names = match self.identity {
            Identity::Keyed(keys) => elements::names_taken(&self.aligned, &self.nodes, keys),
            _ => Vec::new(),
        };
        if names.is_empty() {
            return contested;
        }
        // The merged order lacks elements that both sides put at different places. An element whose name is taken may
        // be one of them. One stretch holds all of them.
        let known = contested.iter().flat_map(|it| it.dest.iter().chain(&it.incoming));
        let rows = names.iter().flatten().chain(known).copied().collect();
        let stretch = around(rows, [&dest, &all]);
        stretch.map(|stretch| ContestedRows::of(stretch, Role::Value, [&dest, &all])).into_iter().collect()
    }
}

/// The rows of a stretch in conflict.
struct ContestedRows {
    dest: Vec<usize>,
    /// The destination's row before them.
    before: Option<usize>,
    incoming: Vec<usize>,
    role: Role,
}

impl ContestedRows {
    fn of(Stretch { dest, incoming }: Stretch, role: Role, orders: [&[usize]; 2]) -> Self {
        let before = dest.start.checked_sub(1).map(|before| orders[0][before]);
        Self { before, dest: orders[0][dest].to_vec(), incoming: orders[1][incoming].to_vec(), role }
    }
}

/// The stretches with a conflict. Where the order counts, also the places at which both sides inserted something.
fn stretches(order: &mut Merged, takes_turns: bool) -> Vec<(Stretch, Role)> {
    let both_changed = std::mem::take(&mut order.both_changed);
    let mut met = std::mem::take(&mut order.met);
    if takes_turns {
        let [ours, theirs] = [|it: &Stretch| it.dest.clone(), |it: &Stretch| it.incoming.clone()]
            .map(|places| both_changed.iter().flat_map(places).collect::<HashSet<usize>>());
        let is_apart = |it: &Stretch| !ours.contains(&it.dest.start) && !theirs.contains(&it.incoming.start);
        met.retain(is_apart);
    } else {
        met.clear();
    }
    let both_changed = both_changed.into_iter().map(|stretch| (stretch, Role::Order));
    let mut stretches: Vec<(Stretch, Role)> =
        both_changed.chain(met.into_iter().map(|stretch| (stretch, Role::Value))).collect();
    stretches.sort_by_key(|(stretch, _)| stretch.dest.start);
    stretches
}

/// The smallest stretch of two orders that holds `rows`. If it holds a row on one side, it holds that row on the other
/// side, too. `None` if a side has none of these rows.
fn around(rows: Vec<usize>, orders: [&[usize]; 2]) -> Option<Stretch> {
    let places: [HashMap<usize, usize>; 2] =
        orders.map(|order| order.iter().enumerate().map(|(place, row)| (*row, place)).collect());
    let mut open = rows;
    let mut covered: [Option<Range<usize>>; 2] = [None, None];
    while let Some(row) = open.pop() {
        for (side, covered) in covered.iter_mut().enumerate() {
            let Some(&place) = places[side].get(&row) else { continue };
            let old = covered.clone().unwrap_or(place..place);
            let new = old.start.min(place)..old.end.max(place + 1);
            open.extend_from_slice(&orders[side][new.start..old.start]);
            open.extend_from_slice(&orders[side][old.end..new.end]);
            *covered = Some(new);
        }
    }
    let [dest, incoming] = covered;
    Some(Stretch { dest: dest?, incoming: incoming? })
}

/// The base's entries, each with its row if it has one.
fn base_entries(aligned: &Aligned, nodes: &Slots<Node<'_>>) -> Vec<(EntryId, Option<usize>)> {
    let rows = aligned.rows_of(Side::Base);
    let entries = nodes.base.into_iter().flat_map(Node::entries).map(kyaml_ast::Entry::id);
    entries.map(|entry| (entry, rows.get(&entry).copied())).collect()
}

/// The entries from the first to the last of `rows`, without entries of other rows.
fn cover(base: &[(EntryId, Option<usize>)], rows: &HashSet<usize>) -> Vec<EntryId> {
    let is_inside = |entry: &(EntryId, Option<usize>)| entry.1.is_some_and(|row| rows.contains(&row));
    let (Some(first), Some(last)) = (base.iter().position(is_inside), base.iter().rposition(is_inside)) else {
        return Vec::new();
    };
    let entries = base[first..=last].iter().filter(|entry| entry.1.is_none() || is_inside(entry));
    entries.map(|entry| entry.0).collect()
}

/// Drops rows that have no entry left on any side.
fn drop_empty(aligned: &mut Aligned, order: &mut Merged) {
    let numbers = aligned.retain(|_, slots| slots.present().next().is_some());
    for rows in [&mut aligned.incoming_order, &mut order.order] {
        *rows = rows.iter().filter_map(|row| numbers[*row]).collect();
    }
}
