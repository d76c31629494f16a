//! Merges for git of shapes that invite quadratic work, at one size and at twice that size:
//! `cargo bench -p kmerge-peers --bench scale`.
//!
//! Twice the size may take 2.3 times as long (sorting, caches); what takes more is reported, and the bench fails. A word on the
//! command line chooses shapes. Time says little on a busy machine: `cargo xtask linear` counts instead.
#![allow(missing_docs)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use kmerge_core::lines::Texts;
use kmerge_core::lines::{Labels, Style};
use kmerge_core::{ConflictStyle, MergeError, Policy, Schema, Slots};
use kmerge_testgen::{SHAPES, Sides};
use kyaml_ast::Stream;

/// Rounds of each measurement; the shortest counts.
const ROUNDS: usize = 5;
/// What twice the size may take, as a multiple.
const MOST: f64 = 2.3;
/// A merge, its result with markers included.
type Merge = fn(&Sides, &Schema) -> usize;
const MERGES: [(&str, Merge); 2] = [("driver", driver), ("merge3", merge3)];
const LABELS: Labels<'static> = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };

fn main() -> ExitCode {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let schema = Schema::new();
    let mut code = ExitCode::SUCCESS;
    for shape in SHAPES.iter().filter(|shape| shape.name.contains(&wanted)) {
        let sides = [shape.size, 2 * shape.size].map(shape.sides);
        for (name, merge) in MERGES {
            let [small, large] = sides.each_ref().map(|sides| least(merge, sides, &schema).as_secs_f64());
            let growth = large / small;
            println!("{small:8.3} s  × {growth:4.2} for twice as many  {name} of {} {}", shape.size, shape.name);
            if growth > MOST {
                println!("          that is more than linear");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

fn least(merge: Merge, sides: &Sides, schema: &Schema) -> Duration {
    let round = |_| {
        let start = Instant::now();
        black_box(merge(sides, schema));
        start.elapsed()
    };
    (0..ROUNDS).map(round).min().unwrap_or_default()
}

fn driver([base, ours, theirs]: &Sides, schema: &Schema) -> usize {
    let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    let merged = kmerge_core::git::merge(texts, schema);
    merged.write(&ConflictStyle::Markers { style: Style::Merge, labels: LABELS }).text.len()
}

fn merge3([base, ours, theirs]: &Sides, schema: &Schema) -> usize {
    let merged = || -> Result<usize, MergeError> {
        let parse = |text| Stream::parse(text).map_err(kyaml_ast::SpliceError::from);
        let (dest, base, incoming) = (parse(ours)?, parse(base)?, parse(theirs)?);
        let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
        let plan = kmerge_core::merge(sides, schema, &Policy::GIT)?;
        Ok(kmerge_core::render(&plan, sides, &ConflictStyle::Markers { style: Style::Diff3, labels: LABELS })?.len())
    };
    merged().unwrap_or(0)
}
