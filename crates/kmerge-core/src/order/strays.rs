//! Strays: new tokens whose neighbours on their side are no neighbours in the merged order, so that nothing tells their place.
//!
//! One side put something between two tokens, the other moved these apart. Then the reordered blocks from one of the tokens to the
//! other are in conflict, with the new tokens. New tokens between two blocks, at the start or at the end have a place in any case.

use std::ops::Range;

use super::{Block, Changed, blocks};
use hashbrown::HashMap;

/// The blocks of three orders in which each token takes its turn.
pub(crate) fn blocks_of_turns(dest: &[usize], base: &[usize], incoming: &[usize]) -> Vec<Block> {
    let mut blocks = blocks(dest, base, incoming);
    let merged = MergedPlaces::of(&blocks, base);
    let strays = [merged.strays(dest), merged.strays(incoming)];
    if strays.iter().all(Vec::is_empty) {
        return blocks;
    }
    let mut joined = vec![false; blocks.len()];
    for (side, strays) in strays.into_iter().enumerate() {
        for Stray { first, last, run } in strays {
            for block in &mut blocks[first..=last] {
                let range = if side == 0 { &mut block.dest } else { &mut block.incoming };
                *range = range.start.min(run.start)..range.end.max(run.end);
                (block.order, block.changed) = (None, Changed::default());
            }
            joined[first + 1..=last].fill(true);
        }
    }
    let mut out: Vec<Block> = Vec::with_capacity(blocks.len());
    for (block, is_joined) in blocks.into_iter().zip(joined) {
        match out.last_mut() {
            Some(before) if is_joined => before.extend(&block),
            _ => out.push(block),
        }
    }
    out
}

impl Block {
    fn extend(&mut self, next: &Self) {
        self.dest.end = next.dest.end;
        self.base.end = next.base.end.max(self.base.end);
        self.incoming.end = next.incoming.end;
        self.len += next.len;
    }
}

/// A run of new tokens, and the blocks that it makes in conflict.
struct Stray {
    first: usize,
    last: usize,
    run: Range<usize>,
}

/// Where a token stands in the merged order.
#[derive(Clone, Copy)]
struct At {
    block: usize,
    place: usize,
}

/// The merged order of what is not in conflict.
struct MergedPlaces {
    in_base: HashMap<usize, usize>,
    /// Where each token stands whose order is not in conflict.
    places: HashMap<usize, At>,
    /// How many tokens the blocks have.
    lens: Vec<usize>,
}

impl MergedPlaces {
    fn of(blocks: &[Block], base: &[usize]) -> Self {
        let mut places = HashMap::new();
        let mut place = 0;
        for (index, block) in blocks.iter().enumerate() {
            for token in block.order.iter().flatten() {
                places.insert(*token, At { block: index, place });
                place += 1;
            }
            // What is in conflict stands between.
            place += usize::from(block.order.is_none());
        }
        Self { in_base: super::places(base), places, lens: blocks.iter().map(|block| block.len).collect() }
    }

    fn strays(&self, side: &[usize]) -> Vec<Stray> {
        let mut strays = Vec::new();
        let (mut before, mut start) = (None, 0);
        for (index, token) in side.iter().enumerate() {
            let Some(&behind) = self.places.get(token) else { continue };
            let has_new = side[start..index].iter().any(|token| !self.in_base.contains_key(token));
            if let Some(before) = before
                && has_new
            {
                strays.extend(self.stray(before, behind, start..index));
            }
            (before, start) = (Some(behind), index + 1);
        }
        strays
    }

    /// Whether a run of new tokens between two others is a stray one.
    fn stray(&self, before: At, behind: At, run: Range<usize>) -> Option<Stray> {
        if before.place + 1 == behind.place || before.block + 1 == behind.block {
            return None;
        }
        let is_reordered = |block: &usize| self.lens[*block] > 1;
        let between = before.block.min(behind.block)..=before.block.max(behind.block);
        let (first, last) = (between.clone().find(is_reordered)?, between.clone().rfind(is_reordered)?);
        Some(Stray { first, last, run })
    }
}
