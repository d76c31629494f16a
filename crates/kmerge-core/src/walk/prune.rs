//! Executes orders: explicit nulls and patch directives. Removes them from new subtrees, because they are no data.

use kyaml_ast::{Document, Edit, Entry, Node, Stream};

use super::foot::is_bare;
use super::leaf::is_commented_out;
use super::unkeyed::Whole;
use super::{Change, Walker};
use crate::equal::{is_null, same_value};
use crate::overlay::{Directive, Overlay};
use crate::plan::Role;
use crate::policy::Nulls;
use crate::resolve::{Outcome, Rule};
use crate::slots::{Side, Slots};

/// The offsets of the orders in a stream, ascending.
pub(super) fn all_orders(stream: &Stream<'_>, overlay: &Overlay, nulls: Nulls) -> Vec<u32> {
    let roots = stream.documents().filter_map(Document::root).collect();
    let mut starts: Vec<u32> = orders(roots, overlay, nulls).iter().map(|entry| entry.span().start).collect();
    starts.sort_unstable();
    starts
}

fn is_order(entry: Entry<'_>, overlay: &Overlay, nulls: Nulls) -> bool {
    let value = entry.value();
    overlay.is_hidden(entry.id())
        || overlay.directive(value.id()) == Some(Directive::Delete)
        || (entry.key().is_some() && nulls == Nulls::Clear && is_null(value))
}

fn has_changed(entry: Entry<'_>, base: Option<Entry<'_>>) -> bool {
    !is_null(entry.value()) && base.is_some_and(|base| !same_value(entry.value(), base.value()))
}

/// Whether a side has a comment in an entry that the base lacks.
fn have_new_comments(entries: Slots<Entry<'_>>) -> bool {
    let Some(base) = entries.base else { return false };
    let known: Vec<_> = base.stream().comments_in(base.extent()).collect();
    let has_new = |side: Entry<'_>| side.stream().comments_in(side.extent()).any(|comment| !known.contains(&comment));
    [entries.dest, entries.incoming].into_iter().flatten().any(has_new)
}

/// Edits that remove nulls and directives from `node`, which is copied to a place that has no value yet.
pub(super) fn prune(node: Node<'_>, overlay: &Overlay, nulls: Nulls) -> Vec<Edit> {
    orders(vec![node], overlay, nulls).iter().map(|entry| Edit::Remove { entry: entry.id() }).collect()
}

/// The orders below some nodes. What an order holds is not looked at.
fn orders<'t>(nodes: Vec<Node<'t>>, overlay: &Overlay, nulls: Nulls) -> Vec<Entry<'t>> {
    let (mut open, mut orders) = (nodes, Vec::new());
    while let Some(node) = open.pop() {
        for entry in node.entries() {
            if is_order(entry, overlay, nulls) {
                orders.push(entry);
            } else if entry.value().kind().is_collection() {
                open.push(entry.value());
            }
        }
    }
    orders
}

impl<'a> Walker<'a> {
    /// Executes explicit nulls.
    pub(super) fn clear(&mut self, entries: Slots<Entry<'a>>, within: Whole) -> Option<Change> {
        let by = self.cleared_by(entries, within)?;
        if entries.dest.is_none() && entries.base.is_none() {
            return Some(Change::Remove);
        }
        let other = if by == Side::Incoming { entries.dest } else { entries.incoming };
        if within == Whole::No && other.is_some_and(|entry| has_changed(entry, entries.base)) {
            return self.clear_changed(entries, by);
        }
        if within == Whole::No && have_new_comments(entries) {
            // The comments are removed with the field.
            self.decide(Role::Gap, Outcome::Take, Rule::BothChanged, entries);
        }
        self.decide(Role::Value, Outcome::Take, Rule::Cleared, entries);
        Some(Change::Remove)
    }

    /// The side whose null is an order. In a three-way merge, a null removes a field that the base has; any other null
    /// is data. Inside a list that counts as one value, the destination's nulls are data. A field whose value is only
    /// commented out is no order to remove it.
    fn cleared_by(&self, entries: Slots<Entry<'a>>, within: Whole) -> Option<Side> {
        let is_pair = entries.present().any(|(_, entry)| entry.key().is_some());
        let is_two_way = self.streams.base.is_none();
        if self.policy.nulls == Nulls::Data || !is_pair || (entries.base.is_none() && !is_two_way) {
            return None;
        }
        // An incoming value that is taken loses its nulls, except those that the destination has, too.
        let known = if within == Whole::Taken && !is_two_way { entries.dest } else { entries.base };
        if known.is_some_and(|entry| is_null(entry.value())) {
            return None;
        }
        let is_order =
            |entry: Entry<'_>| is_null(entry.value()) && (is_two_way || !is_bare(entry) || !is_commented_out(entry));
        let is_by_dest = || entries.dest.is_some_and(is_order) && !is_two_way && within == Whole::No;
        match entries.incoming {
            Some(incoming) if is_order(incoming) => Some(Side::Incoming),
            _ => is_by_dest().then_some(Side::Dest),
        }
    }

    /// A null against a change is a removal against a change: the null is executed if its side wins.
    fn clear_changed(&mut self, entries: Slots<Entry<'a>>, by: Side) -> Option<Change> {
        let outcome = self.policy.both_changed.outcome();
        let winner = if by == Side::Incoming { Outcome::Take } else { Outcome::Keep };
        if outcome != winner {
            return None;
        }
        self.decide(Role::Value, outcome, Rule::BothChanged, entries);
        Some(Change::Remove)
    }

    /// Executes patch directives.
    pub(super) fn direct(&mut self, entries: Slots<Entry<'a>>) -> Option<Change> {
        let incoming = entries.incoming?;
        let directive = self.overlay.directive(incoming.value().id())?;
        if directive == Directive::Merge {
            return None;
        }
        self.decide(Role::Value, Outcome::Take, Rule::Directive, entries);
        Some(if directive == Directive::Delete { Change::Remove } else { self.taken(entries) })
    }
}
