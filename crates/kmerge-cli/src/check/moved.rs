//! Scalars that one parent moved to another mapping and the other changed.
//!
//! A merge that has the new value at the new place has both changes, though neither parent's value is where that parent has it.
//! Invariant: the name stays, and no other field could be meant. Ignores collections, and what moved to another resource.

use std::collections::HashMap;

use kmerge_core::Role;
use kyaml_ast::Segment;

use crate::report::{Record, Version};

/// Resource, name, the value in the base and the one in the merge.
type Move = (String, Segment, String, String);

/// The places where each parent's change is missing, without those of moves that are complete; `stays` tells whether a parent still has
/// the place of a record of the other's.
pub(super) fn settled(mut lost: [Vec<Record>; 2], stays: impl Fn(usize, &Record) -> bool) -> [Vec<Record>; 2] {
    for mover in [0, 1] {
        let other = 1 - mover;
        let come = by_move(&lost[mover], come);
        let gone = by_move(&lost[other], |record| gone(record).filter(|_| !stays(mover, record)));
        let both: Vec<[usize; 2]> = come.into_iter().filter_map(|(key, at)| Some([at?, (*gone.get(&key)?)?])).collect();
        let at = |of: usize| both.iter().map(|pair| pair[of]).collect::<Vec<_>>();
        drop_all(&mut lost[mover], at(0));
        drop_all(&mut lost[other], at(1));
    }
    lost
}

/// Places of records by what moved there or from there; `None` where there are several.
fn by_move(records: &[Record], of: impl Fn(&Record) -> Option<Move>) -> HashMap<Move, Option<usize>> {
    let mut found = HashMap::new();
    for (index, record) in records.iter().enumerate() {
        if let Some(key) = of(record) {
            found.entry(key).and_modify(|place| *place = None).or_insert(Some(index));
        }
    }
    found
}

/// A parent has it anew, with the base's value, and the merge with another.
fn come(record: &Record) -> Option<Move> {
    record.sides.base.is_none().then_some(())?;
    named(record, record.sides.incoming.as_ref()?, record.sides.dest.as_ref()?)
}

/// A parent changed it, and the merge does not have it.
fn gone(record: &Record) -> Option<Move> {
    record.sides.dest.is_none().then_some(())?;
    named(record, record.sides.base.as_ref()?, record.sides.incoming.as_ref()?)
}

fn named(record: &Record, old: &Version, new: &Version) -> Option<Move> {
    let name = record.path.last().filter(|_| record.role == Role::Value)?;
    Some((record.resource.clone(), name.clone(), old.text.clone()?, new.text.clone()?))
}

fn drop_all(records: &mut Vec<Record>, mut places: Vec<usize>) {
    places.sort_unstable();
    let mut index = 0;
    records.retain(|_| {
        index += 1;
        places.binary_search(&(index - 1)).is_err()
    });
}
