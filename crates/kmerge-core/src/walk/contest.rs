//! Turns stretches of a list into one conflict each. Such a stretch has an order that both sides changed differently,
//! or insertions of both sides at one place of a list whose order counts, or a name that one side gave to an old
//! element and the other to a new one.
//!
//! Invariant: the elements of such a stretch have no matches any more, as in every [`Clash`]. The elements of incoming
//! are in no row. So nothing is decided about them twice.

use std::ops::Range;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{EntryId, Node};

use crate::correspond::{Aligned, Identity, elements};
use crate::order::{Merged, Stretch};
use crate::plan::Role;
use crate::schema::Cursor;
use crate::sequence::Clash;
use crate::slots::{Side, Slots};

/// Takes elements whose order is in conflict out of the rows, and returns them as clashes.
pub(super) fn contest(
    aligned: &mut Aligned,
    order: &mut Merged,
    nodes: &Slots<Node<'_>>,
    (identity, cursor): (Identity<'_>, Cursor<'_>),
) -> Vec<Clash> {
    if !matches!(identity, Identity::Keyed(_) | Identity::Resource) {
        return Vec::new();
    }
    let Some(dest) = aligned.orders(None).dest else { return Vec::new() };
    let mut incoming = std::mem::take(&mut order.incoming);
    let mut stretches = stretches(order, cursor.takes_turns());
    if let Identity::Keyed(keys) = identity {
        let names = elements::names_taken(aligned, nodes, keys);
        // The merged order lacks elements that both sides put at different places. An element whose name is taken may
        // be one of them.
        let all = aligned.orders(None).incoming.unwrap_or_default();
        if !names.is_empty() {
            stretches = with_names(&stretches, &names, &incoming, [&dest, &all]).into_iter().collect();
            incoming = all;
        }
    }
    if stretches.is_empty() {
        return Vec::new();
    }
    let base = base_entries(aligned, nodes);
    let clash = |(stretch, role): &(Stretch, Role)| {
        let (ours, theirs) = (&dest[stretch.dest.clone()], &incoming[stretch.incoming.clone()]);
        let entries = |side: Side, rows: &[usize]| {
            rows.iter().filter_map(|row| aligned.rows[*row].get(side).copied()).collect::<Vec<_>>()
        };
        let before = stretch.dest.start.saturating_sub(1)..stretch.dest.start;
        let rows: HashSet<usize> = ours.iter().chain(theirs).copied().collect();
        let after = entries(Side::Dest, &dest[before]).pop();
        Clash {
            dest: entries(Side::Dest, ours),
            after,
            base: cover(&base, &rows),
            incoming: entries(Side::Incoming, theirs),
            role: *role,
        }
    };
    let clashes = stretches.iter().map(clash).collect();
    let ours = stretches.iter().flat_map(|(stretch, _)| &dest[stretch.dest.clone()]);
    let theirs: HashSet<usize> =
        stretches.iter().flat_map(|(stretch, _)| &incoming[stretch.incoming.clone()]).copied().collect();
    for row in ours.chain(&theirs) {
        aligned.rows[*row].base = None;
        aligned.rows[*row].incoming = None;
    }
    aligned.incoming_order.retain(|row| !theirs.contains(row));
    drop_empty(aligned, order);
    clashes
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

/// One stretch around the elements whose names are taken and around all other stretches.
fn with_names(
    stretches: &[(Stretch, Role)],
    names: &[[usize; 2]],
    incoming: &[usize],
    orders: [&[usize]; 2],
) -> Option<(Stretch, Role)> {
    let places = orders.map(|order| order.iter().enumerate().map(|(place, row)| (*row, place)).collect());
    let ours = stretches.iter().flat_map(|(stretch, _)| &orders[0][stretch.dest.clone()]);
    let theirs = stretches.iter().flat_map(|(stretch, _)| &incoming[stretch.incoming.clone()]);
    let rows = names.iter().flatten().chain(ours).chain(theirs).copied().collect();
    Some((Sides { orders, places }.around(rows)?, Role::Value))
}

/// The orders of both sides, and the place of each row in them.
struct Sides<'o> {
    orders: [&'o [usize]; 2],
    places: [HashMap<usize, usize>; 2],
}

impl Sides<'_> {
    /// The smallest stretch that holds `rows`. If it holds a row on one side, it holds that row on the other side, too.
    /// `None` if a side has none of these rows.
    fn around(&self, rows: Vec<usize>) -> Option<Stretch> {
        let mut open = rows;
        let mut covered: [Option<Range<usize>>; 2] = [None, None];
        while let Some(row) = open.pop() {
            for (side, covered) in covered.iter_mut().enumerate() {
                let Some(&place) = self.places[side].get(&row) else { continue };
                let old = covered.clone().unwrap_or(place..place);
                let new = union(&old, &(place..place + 1));
                open.extend_from_slice(&self.orders[side][new.start..old.start]);
                open.extend_from_slice(&self.orders[side][old.end..new.end]);
                *covered = Some(new);
            }
        }
        let [dest, incoming] = covered;
        Some(Stretch { dest: dest?, incoming: incoming? })
    }
}

fn union(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.min(b.start)..a.end.max(b.end)
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
