//! Finds members of a set that both sides replaced: `base?ref=1` became `base?ref=2` on one side and `base?ref=3` on
//! the other.
//!
//! A union of sets would keep both new members. So if both sides removed a member, and each has new ones in its place,
//! these are matched in order, or by likeness if there are more or fewer of them, and become one row. Its value is
//! decided like any other value. A new member that both sides have may be the replacement, too: in order it is that of
//! the first removed ones. Members that all sides have mark the places.

use hashbrown::HashMap;
use kyaml_ast::{EntryId, Node};

use crate::correspond::{Aligned, pair, share_of_ends};
use crate::slots::{Side, Slots};

/// Joins the rows of members that replaced the same member.
pub(super) fn join(aligned: &mut Aligned, nodes: &Slots<Node<'_>>) {
    if nodes.base.is_none_or(|base| aligned.has_all_of(base)) {
        return;
    }
    let [ours, theirs] = [Side::Dest, Side::Incoming].map(|side| aligned.new_by_place(side, nodes));
    let mut merged = HashMap::new();
    for gap in aligned.gaps(Side::Base, nodes) {
        let (Some(ours), Some(theirs)) = (ours.get(&gap.before), theirs.get(&gap.before)) else { continue };
        let new = Replacements { gone: gap.gone().collect(), aligned, nodes };
        let pairs = new.on(Side::Dest, ours).into_iter().zip(new.on(Side::Incoming, theirs));
        for (base, pair) in new.gone.into_iter().zip(pairs) {
            let (Some(our), Some(their)) = pair else { continue };
            aligned.rows[our].base = Some(base);
            aligned.rows[our].incoming = aligned.rows[their].incoming;
            merged.insert(their, our);
        }
    }
    aligned.drop_rows(&merged);
}

/// What sides put in the place of members that are gone.
struct Replacements<'r, 't> {
    gone: Vec<EntryId>,
    aligned: &'r Aligned,
    nodes: &'r Slots<Node<'t>>,
}

impl Replacements<'_, '_> {
    /// The new row of a side in the place of each member that is gone; `None` where there is none, or one of both sides.
    fn on(&self, side: Side, new: &[usize]) -> Vec<Option<usize>> {
        let is_own = |row: &usize| self.aligned.rows[*row].present().count() == 1;
        let alike = if self.gone.len() == new.len() { Vec::new() } else { self.alike(side, new) };
        if alike.is_empty() {
            // As many, or too many to compare.
            let own = new.iter().filter(|row| is_own(row)).copied().map(Some);
            let of_both = new.len() - own.clone().count();
            let in_order = std::iter::repeat_n(None, of_both).chain(own).chain(std::iter::repeat(None));
            return in_order.take(self.gone.len()).collect();
        }
        let mut found = vec![None; self.gone.len()];
        alike.into_iter().for_each(|[gone, row]| found[gone] = Some(row).filter(is_own));
        found
    }

    /// The places of members that are gone, each with the row that is most like it.
    fn alike(&self, side: Side, new: &[usize]) -> Vec<[usize; 2]> {
        let all: Vec<usize> = (0..self.gone.len().max(new.len())).collect();
        let likeness = |gone: &usize, at: &usize| {
            let own = self.aligned.rows[new[*at]].get(side).copied();
            Some(share_of_ends(self.text(Side::Base, Some(self.gone[*gone])), self.text(side, own)))
        };
        let pairs = pair(&all[..self.gone.len()], &all[..new.len()], likeness);
        pairs.into_iter().map(|pair| [*pair.left, new[*pair.right]]).collect()
    }

    fn text(&self, side: Side, entry: Option<EntryId>) -> &str {
        let list = self.nodes.get(side).zip(entry);
        list.map_or("", |(list, entry)| list.stream().entry(entry).value().text())
    }
}
