//! Orders that both sides changed, differently, and insertions of both at one place where turns count: stretches of a list that
//! become one conflict each.
//!
//! Invariant: the elements of such a stretch are paired with nothing any more, as those of any [`Clash`]; the incoming ones are in
//! no row. So nothing is decided about them twice.

use std::collections::HashSet;

use kyaml_ast::{EntryId, Node};

use crate::correspond::{Aligned, Identity};
use crate::order::{Merged, Stretch};
use crate::plan::Role;
use crate::schema::Cursor;
use crate::sequence::Clash;
use crate::slots::{Side, Slots};

/// Takes what is in conflict about the order out of the rows.
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
    let incoming = std::mem::take(&mut order.incoming);
    let stretches = stretches(order, cursor.takes_turns());
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

/// The in conflict stretches, and where turns count, what both sides put at one place beside them.
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

/// The base's entries with their rows.
fn base_entries(aligned: &Aligned, nodes: &Slots<Node<'_>>) -> Vec<(EntryId, Option<usize>)> {
    let rows = aligned.rows_of(Side::Base);
    let entries = nodes.base.into_iter().flat_map(Node::entries).map(kyaml_ast::Entry::id);
    entries.map(|entry| (entry, rows.get(&entry).copied())).collect()
}

/// From the first to the last entry of some rows, those of other rows left out.
fn cover(base: &[(EntryId, Option<usize>)], rows: &HashSet<usize>) -> Vec<EntryId> {
    let is_inside = |entry: &(EntryId, Option<usize>)| entry.1.is_some_and(|row| rows.contains(&row));
    let (Some(first), Some(last)) = (base.iter().position(is_inside), base.iter().rposition(is_inside)) else {
        return Vec::new();
    };
    let entries = base[first..=last].iter().filter(|entry| entry.1.is_none() || is_inside(entry));
    entries.map(|entry| entry.0).collect()
}

/// Drops rows that hold nothing any more.
fn drop_empty(aligned: &mut Aligned, order: &mut Merged) {
    let numbers = aligned.retain(|_, slots| slots.present().next().is_some());
    for rows in [&mut aligned.incoming_order, &mut order.order] {
        *rows = rows.iter().filter_map(|row| numbers[*row]).collect();
    }
}
