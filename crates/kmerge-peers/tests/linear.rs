//! What merges allocate grows with their size, whatever their shape: counted, so that no busy machine changes the answer.
//!
//! Whoever copies or collects a whole file for each of its places is found here. Ignores work that allocates nothing:
//! `cargo xtask linear` counts every instruction, where valgrind is installed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use kmerge_core::git::{Disagreement, merge};
use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::{ConflictStyle, Policy, Schema, Slots};
use kmerge_testgen::{SHAPES, Sides};
use kyaml_ast::Stream;

/// What twice the size may take, as a multiple. Counted is four times the size, as tables that grow by doubling make steps.
const MOST: f64 = 2.3;
/// The part of a bench's size that is counted here.
const PART: usize = 40;
const LABELS: Labels<'static> = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

/// Counts the bytes that a thread asks for.
struct Counting;

// SAFETY: every call is passed on as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends has nothing to count with any more.
        let _ = ALLOCATED.try_with(|allocated| allocated.set(allocated.get() + layout.size()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocated(work: impl FnOnce()) -> f64 {
    let before = ALLOCATED.get();
    work();
    (ALLOCATED.get() - before) as f64
}

fn driver([base, ours, theirs]: &Sides, schema: &Schema) {
    let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    _ = merge(texts, schema).write(&Disagreement::Markers { style: Style::Merge, labels: LABELS });
}

fn merge3([base, ours, theirs]: &Sides, schema: &Schema) {
    let [base, dest, incoming] = [base, ours, theirs].map(|text| Stream::parse(text).unwrap());
    let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
    let plan = kmerge_core::merge(sides, schema, &Policy::GIT).unwrap();
    kmerge_core::render(&plan, sides, &ConflictStyle::Markers { style: Style::Diff3, labels: LABELS }).unwrap();
}

type Merge = fn(&Sides, &Schema);

#[test]
fn merges_allocate_in_proportion_to_their_size() {
    let schema = Schema::new();
    let mut worse = Vec::new();
    for shape in SHAPES {
        let sides = [1, 4].map(|times| (shape.sides)(times * shape.size / PART));
        for (name, merge) in [("driver", driver as Merge), ("merge3", merge3)] {
            let [small, large] = sides.each_ref().map(|sides| allocated(|| merge(sides, &schema)));
            if large / small > MOST * MOST {
                worse.push(format!("{name} of {}: {small} bytes, then {large}", shape.name));
            }
        }
    }
    assert!(worse.is_empty(), "more than {MOST} times as much for twice the size:\n{}", worse.join("\n"));
}
