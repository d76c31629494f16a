//! Clashes that elements were moved into, or out of.
//!
//! A clash shows each side as it was. If an element moved into it, one version of the clash would lack the element, or have it twice.
//! So the clash takes in everything from the old place to the new one. Some elements are a clash by themselves, with their two
//! places: what one side replaced and the other moved. What a side removed beside a clash, and put something new into it, may be what
//! that replaced: the clash takes it in, too.

use std::ops::Range;

use super::chunk::chunk_at;
use super::{Chunk, Lists, Matching, Pairs, Torn, is_clash};
use crate::slots::Side;
use hashbrown::HashMap;

/// The chunks, those joined that a clash needs. Linear in the lists.
pub(super) fn widened(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, mut chunks: Vec<Chunk>) -> Vec<Chunk> {
    let crossing = crossing(pairs, &chunks);
    let mut clashing: Vec<bool> = chunks.iter().map(|chunk| is_clash(lists, pairs, chunk)).collect();
    crossing.iter().for_each(|[from, _]| clashing[*from] = true);
    if !clashing.contains(&true) {
        return chunks;
    }
    for crossed in crossing.iter().flatten() {
        chunks[*crossed] = chunks[*crossed].clone().both_changed();
    }
    let mut reach = Reach::of(&chunks, pairs, &crossing);
    for clash in (0..chunks.len()).filter(|index| clashing[*index]) {
        reach.replaced(pairs, clash);
    }
    let joined = |group: Range<usize>| {
        if group.clone().any(|index| clashing[index] && reach.is_far(index)) {
            return vec![chunks[group.start].to(&chunks[group.end - 1]).both_changed()];
        }
        chunks[group].to_vec()
    };
    reach.groups().into_iter().flat_map(joined).collect()
}

/// For each element that one side replaced and the other moved, the chunks that hold its two places.
fn crossing(pairs: &Pairs<'_, '_>, chunks: &[Chunk]) -> Vec<[usize; 2]> {
    let places = |torn: &Torn| [chunk_at(chunks, Side::Base, torn.base), chunk_at(chunks, torn.side, torn.new)];
    pairs.torn.iter().map(places).collect()
}

/// From where to where each chunk reaches: a clash in one is one of all that it reaches.
struct Reach<'c> {
    chunks: &'c [Chunk],
    ranges: Vec<Range<usize>>,
}

impl<'c> Reach<'c> {
    fn of(chunks: &'c [Chunk], pairs: &Pairs<'_, '_>, crossing: &[[usize; 2]]) -> Self {
        let mut reach = Self { chunks, ranges: (0..chunks.len()).map(|index| index..index + 1).collect() };
        for (side, matching) in pairs.both() {
            reach.across(matching, side);
            reach.moved(matching, side);
        }
        crossing.iter().for_each(|places| reach.join(places));
        reach
    }

    fn is_far(&self, index: usize) -> bool {
        self.ranges[index].len() > 1
    }

    /// The chunks that reach each other, in order.
    fn groups(&self) -> Vec<Range<usize>> {
        let mut groups = Vec::new();
        let mut start = 0;
        while start < self.chunks.len() {
            let (mut index, mut end) = (start, start + 1);
            while index < end {
                end = end.max(self.ranges[index].end);
                index += 1;
            }
            groups.push(start..end);
            start = end;
        }
        groups
    }

    /// Lets chunks reach each other of which one holds an element of the base, and the other what a side made of it.
    fn across(&mut self, matching: &Matching<'_, '_>, side: Side) {
        let mut chunk_of = vec![None; matching.newer.len()];
        for (index, chunk) in self.chunks.iter().enumerate() {
            chunk.range(Side::Base).for_each(|base| chunk_of[base] = Some(index));
        }
        for (index, chunk) in self.chunks.iter().enumerate() {
            let olds = chunk.range(side).filter_map(|new| chunk_of[matching.older[new]?]);
            for old in olds.filter(|old| *old != index) {
                self.join(&[old, index]);
            }
        }
    }

    /// Lets chunks that hold the two places of an element reach each other.
    fn moved(&mut self, matching: &Matching<'_, '_>, side: Side) {
        // Where the elements of each value are that the side lacks, or has anew.
        let mut places: HashMap<u32, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (index, chunk) in self.chunks.iter().enumerate() {
            for base in chunk.range(Side::Base).filter(|base| matching.newer[*base].is_none()) {
                places.entry(matching.from.tokens[base]).or_default().0.push(index);
            }
            for new in chunk.range(side).filter(|new| matching.older[*new].is_none()) {
                places.entry(matching.to.tokens[new]).or_default().1.push(index);
            }
        }
        for (lost, new) in places.into_values().filter(|(lost, new)| !lost.is_empty() && !new.is_empty()) {
            self.join(&[lost, new].concat());
        }
    }

    /// Lets a clash reach what a side removed directly beside it that put something new into it.
    fn replaced(&mut self, pairs: &Pairs<'_, '_>, clash: usize) {
        for beside in [clash.checked_sub(1), Some(clash + 1)].into_iter().flatten() {
            let Some(removed) = self.chunks.get(beside).filter(|it| it.is_beside(&self.chunks[clash])) else {
                continue;
            };
            let is_replaced = |(side, matching): &(Side, &Matching<'_, '_>)| {
                removed.range(Side::Base).any(|old| matching.newer[old].is_none())
                    && pairs.new_in(*side, self.chunks[clash].range(*side)).next().is_some()
            };
            if pairs.both().iter().any(is_replaced) {
                self.join(&[beside, clash]);
            }
        }
    }

    /// Lets these chunks reach each other.
    fn join(&mut self, chunks: &[usize]) {
        let (Some(&first), Some(&last)) = (chunks.iter().min(), chunks.iter().max()) else { return };
        for &index in chunks {
            let known = &self.ranges[index];
            self.ranges[index] = known.start.min(first)..known.end.max(last + 1);
        }
    }
}
