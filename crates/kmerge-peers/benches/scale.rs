//! Merges for git of shapes that invite quadratic work, at one size and at twice that size:
//! `cargo bench -p kmerge-peers --bench scale`.
//!
//! Twice the size may take three times as long (sorting, caches); what takes more is told, and the bench fails.
#![allow(missing_docs)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use kmerge_core::Schema;
use kmerge_core::lines::Texts;
use kmerge_testgen::Rng;

/// Rounds of each measurement; the shortest counts.
const ROUNDS: usize = 3;
/// What twice the size may take, as a multiple.
const MOST: f64 = 3.0;

/// Base, ours and theirs.
type Sides = [String; 3];

/// What is made, its smaller size, and how.
type Shape = (&'static str, usize, fn(usize) -> Sides);

const SHAPES: [Shape; 8] = [
    ("documents, changed", 10_000, |count| documents(count, |_, name| name)),
    ("documents, half of them renamed", 10_000, |count| {
        documents(count, |number, name| if number.is_multiple_of(2) { name } else { format!("new-{name}") })
    }),
    ("documents, all renamed", 10_000, |count| documents(count, |_, name| format!("new-{name}"))),
    ("scalars, reordered and changed", 50_000, scalars),
    ("mappings without identity, all changed", 10_000, mappings),
    ("lines of a block scalar", 100_000, lines),
    ("keys, renamed", 10_000, |count| entries(count, "")),
    ("elements, renamed", 10_000, |count| entries(count, "- name: ")),
];

fn main() -> ExitCode {
    let schema = Schema::new();
    let mut code = ExitCode::SUCCESS;
    for (name, size, sides) in SHAPES {
        let [small, large] = [size, 2 * size].map(|size| least(&sides(size), &schema));
        let growth = large.as_secs_f64() / small.as_secs_f64();
        println!("{:8.3} s  × {growth:4.2} for twice as many  {size} {name}", small.as_secs_f64());
        if growth > MOST {
            println!("          that is more than linear");
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn least([base, ours, theirs]: &Sides, schema: &Schema) -> Duration {
    let round = |_| {
        let start = Instant::now();
        let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        black_box(kmerge_core::git::merge(texts, schema).is_clean());
        start.elapsed()
    };
    (0..ROUNDS).map(round).min().unwrap_or_default()
}

/// Deployments, some of them changed by each side, with the names that ours gives them.
fn documents(count: usize, named: fn(usize, String) -> String) -> Sides {
    let text = |name: fn(usize, String) -> String, changed: Option<usize>| -> String {
        let document = |number: usize| {
            let tag = number * 7919 + usize::from(changed == Some(number % 10));
            let name = name(number, format!("web-{number}"));
            format!(
                "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n  replicas: {}\n  template:\n    \
                 spec:\n      containers:\n      - name: app\n        image: registry/app:{tag}\n        args: [--id, '{number}']\n",
                number % 7
            )
        };
        (0..count).map(document).collect()
    };
    let same = |_, name| name;
    [text(same, None), text(named, Some(0)), text(same, Some(5))]
}

/// A list that ours has shuffled and both have changed.
fn scalars(count: usize) -> Sides {
    let list = |items: &[String]| format!("list:\n- {}\n", items.join("\n- "));
    let base: Vec<String> = (0..count).map(|number| format!("item-{number}")).collect();
    let (mut ours, mut theirs) = (base.clone(), base.clone());
    ours.iter_mut().step_by(5).for_each(|item| item.push_str("-ours"));
    theirs.iter_mut().skip(2).step_by(7).for_each(|item| item.push_str("-theirs"));
    let mut random = Rng::new(1);
    (1..count).for_each(|at| ours.swap(at, random.below(at + 1)));
    [list(&base), list(&ours), list(&theirs)]
}

/// A list of mappings in each of which each side has changed a field.
fn mappings(count: usize) -> Sides {
    let list = |ours: &str, theirs: &str| -> String {
        let item = |number: usize| format!("- a: {}{ours}\n  b: {number}\n  c: x{theirs}\n", number * 7919);
        "list:\n".to_owned() + &(0..count).map(item).collect::<String>()
    };
    [list("", ""), list("1", ""), list("", "y")]
}

/// A text of which each side has changed a quarter of the lines.
fn lines(count: usize) -> Sides {
    let text = |changed: Option<usize>| -> String {
        let line = |number: usize| {
            let end = if changed == Some(number % 4) { " changed" } else { "" };
            format!("    line {number}{end}\n")
        };
        "data:\n  text: |\n".to_owned() + &(0..count).map(line).collect::<String>()
    };
    [text(None), text(Some(0)), text(Some(2))]
}

/// Entries that ours has renamed and of which theirs has changed a third.
fn entries(count: usize, item: &str) -> Sides {
    let text = |prefix: &str, more: usize| -> String {
        let entry = |number: usize| {
            let value = number + if number.is_multiple_of(3) { more } else { 0 };
            match item {
                "" => format!("  {prefix}key-{number}: value {value}\n"),
                _ => format!("  {item}{prefix}key-{number}\n    image: value{value}\n    number: {number}\n"),
            }
        };
        "containers:\n".to_owned() + &(0..count).map(entry).collect::<String>()
    };
    [text("", 0), text("new-", 0), text("", 1)]
}
