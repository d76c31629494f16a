//! Clashes that elements were moved into, or out of.
//!
//! A clash shows each side as it was. Of an element that came from elsewhere only the new place would be inside, so that the
//! other version of the clash would lack it, or have it twice. So such a clash takes in everything between both places. What went
//! from both sides and came back changed at another place of one of them is one such element, and a clash by itself; so is what
//! both sides added at different places.

use std::ops::Range;

use super::dropped::dropped;
use super::twins::added_twice;
use super::{Chunk, Lists, Matching, Pairs, Torn, is_clash};
use hashbrown::{HashMap, HashSet};

/// The chunks, those joined that a clash needs. Linear in the lists.
pub(super) fn widened(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, chunks: Vec<Chunk>) -> Vec<Chunk> {
    let mut clashing: Vec<bool> = chunks.iter().map(|chunk| is_clash(lists, pairs, chunk)).collect();
    let mut dropped = dropped(lists, pairs, &chunks);
    dropped.extend(added_twice(lists, pairs, &chunks));
    dropped.extend(pairs.torn.iter().map(|torn| torn_chunks(&chunks, *torn)));
    dropped.iter().for_each(|[old, _]| clashing[*old] = true);
    if !clashing.contains(&true) {
        return chunks;
    }
    let mut reach = Reach::of(&chunks);
    reach.across(&pairs.dest, |chunk| chunk.dest.clone());
    reach.across(&pairs.incoming, |chunk| chunk.incoming.clone());
    reach.moved(&pairs.dest, |chunk| chunk.dest.clone());
    reach.moved(&pairs.incoming, |chunk| chunk.incoming.clone());
    dropped.iter().for_each(|places| reach.join(places));
    let torn: HashSet<usize> = dropped.into_iter().flatten().collect();
    let mut out = Vec::with_capacity(chunks.len());
    for group in reach.groups() {
        if group.clone().any(|index| clashing[index] && reach.is_far(index)) {
            out.push(chunks[group.start].to(&chunks[group.end - 1]).both_changed());
        } else {
            let chunk = |index: usize| {
                if torn.contains(&index) { chunks[index].clone().both_changed() } else { chunks[index].clone() }
            };
            out.extend(group.map(chunk));
        }
    }
    out
}

/// The chunks that hold the two places of a scalar that one side replaced and the other moved.
fn torn_chunks(chunks: &[Chunk], torn: Torn) -> [usize; 2] {
    let to = match torn.is_dest {
        true => chunks.partition_point(|chunk| chunk.dest.end <= torn.new),
        false => chunks.partition_point(|chunk| chunk.incoming.end <= torn.new),
    };
    [chunks.partition_point(|chunk| chunk.base.end <= torn.base), to]
}

/// From where to where each chunk reaches: a clash in one is one of all that it reaches.
struct Reach<'c> {
    chunks: &'c [Chunk],
    ranges: Vec<Range<usize>>,
}

impl<'c> Reach<'c> {
    fn of(chunks: &'c [Chunk]) -> Self {
        Self { chunks, ranges: (0..chunks.len()).map(|index| index..index + 1).collect() }
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
    fn across(&mut self, matching: &Matching<'_, '_>, range: impl Fn(&Chunk) -> Range<usize>) {
        let mut chunk_of = vec![None; matching.newer.len()];
        for (index, chunk) in self.chunks.iter().enumerate() {
            chunk.base.clone().for_each(|base| chunk_of[base] = Some(index));
        }
        for (index, chunk) in self.chunks.iter().enumerate() {
            let olds = range(chunk).filter_map(|new| chunk_of[matching.older[new]?]);
            for old in olds.filter(|old| *old != index) {
                self.join(&[old, index]);
            }
        }
    }

    /// Lets chunks that hold the two places of an element reach each other.
    fn moved(&mut self, matching: &Matching<'_, '_>, range: impl Fn(&Chunk) -> Range<usize>) {
        // Where the elements of each value are that the side lacks, or has anew.
        let mut places: HashMap<u32, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (index, chunk) in self.chunks.iter().enumerate() {
            for base in chunk.base.clone().filter(|base| matching.newer[*base].is_none()) {
                places.entry(matching.from.tokens[base]).or_default().0.push(index);
            }
            for new in range(chunk).filter(|new| matching.older[*new].is_none()) {
                places.entry(matching.to.tokens[new]).or_default().1.push(index);
            }
        }
        for (lost, new) in places.into_values().filter(|(lost, new)| !lost.is_empty() && !new.is_empty()) {
            self.join(&[lost, new].concat());
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
