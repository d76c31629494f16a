//! Finds members of a set that both sides replaced: `base?ref=1` became `base?ref=2` on one side and `base?ref=3` on
//! the other.
//!
//! A union of sets would keep both new members. So if both sides removed a member, and each has new ones in its place,
//! these are matched in order, or by likeness if there are more or fewer of them, and become one row. Its value is
//! decided like any other value. New members that both sides share count as the replacement of the first removed ones.
//! Members that all sides have mark the places.

use hashbrown::HashMap;
use kyaml_ast::{EntryId, Node};

use crate::correspond::{Aligned, Gap, pair, share_of_ends};
use crate::slots::{Side, Slots};

/// Joins the rows of members that replaced the same member.
pub(super) fn join(aligned: &mut Aligned, nodes: &Slots<Node<'_>>) {
    if nodes.base.is_none_or(|base| aligned.has_all_of(base)) {
        return;
    }
    let [ours, theirs] = [Side::Dest, Side::Incoming].map(|side| aligned.new_by_place(side, nodes));
    let shared = shared_by_place(aligned, nodes);
    let mut merged = HashMap::new();
    for gap in aligned.gaps(Side::Base, nodes) {
        let (Some(ours), Some(theirs)) = (ours.get(&gap.before), theirs.get(&gap.before)) else { continue };
        let gone = gap.things.iter().filter(|thing| thing.1.is_none()).map(|thing| thing.0);
        let gone: Vec<EntryId> = gone.skip(shared.get(&gap.before).copied().unwrap_or_default()).collect();
        let text =
            |side: Side, entry: EntryId| nodes.get(side).map_or("", |list| list.stream().entry(entry).value().text());
        let new = |side: Side, new: &[usize]| {
            let text_of = |row: usize| aligned.rows[row].get(side).map_or("", |entry| text(side, *entry));
            replacements(&gone, new, |gone, row| share_of_ends(text(Side::Base, gone), text_of(row)))
        };
        let (ours, theirs) = (new(Side::Dest, ours), new(Side::Incoming, theirs));
        for ((base, our), their) in gone.iter().zip(ours).zip(theirs) {
            let (Some(our), Some(their)) = (our, their) else { continue };
            aligned.rows[our].base = Some(*base);
            aligned.rows[our].incoming = aligned.rows[their].incoming;
            merged.insert(their, our);
        }
    }
    aligned.drop_rows(&merged);
}

/// The new row in the place of each member that is gone: in order, or the most alike if one side has more of them.
fn replacements(gone: &[EntryId], new: &[usize], likeness: impl Fn(EntryId, usize) -> u32) -> Vec<Option<usize>> {
    let all: Vec<usize> = (0..gone.len().max(new.len())).collect();
    let are_alike = |gone_at: &usize, new_at: &usize| Some(likeness(gone[*gone_at], new[*new_at]));
    let pairs =
        if gone.len() == new.len() { Vec::new() } else { pair(&all[..gone.len()], &all[..new.len()], are_alike) };
    if pairs.is_empty() {
        // As many, or too many to compare.
        return (0..gone.len()).map(|at| new.get(at).copied()).collect();
    }
    let mut found = vec![None; gone.len()];
    pairs.iter().for_each(|pair| found[*pair.left] = Some(new[*pair.right]));
    found
}

/// The number of new members that both sides have, by the row before their gap.
fn shared_by_place(aligned: &Aligned, nodes: &Slots<Node<'_>>) -> HashMap<Option<usize>, usize> {
    let is_of_both = |row: &usize| aligned.rows[*row].base.is_none() && aligned.rows[*row].present().count() == 2;
    let count = |gap: &Gap<EntryId>| gap.things.iter().filter_map(|thing| thing.1).filter(is_of_both).count();
    aligned.gaps(Side::Dest, nodes).iter().map(|gap| (gap.before, count(gap))).collect()
}
