//! `cargo xtask orders [COUNT [SEED [DIRECTORY]]]`: merges lists whose items were moved, added, removed and changed.
//!
//! Puts each case to the laws of lists: nothing is lost, back, doubled or folded, the order of both sides counts, the direction
//! does not matter, each chosen side is whole, and a plan that nothing proves agrees with the driver. Prints how often each law does
//! not hold, by the kind of list; the first cases are written to `target/orders/`, or to the directory.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kmerge_core::Schema;
use kmerge_laws::{OrderCase, Shape};
use kmerge_testgen::Rng;

/// So many cases of each kind are written down.
const SHOWN: usize = 3;

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let number = |at: usize, default: u64| match arguments.get(at) {
        Some(text) => text.parse::<u64>().with_context(|| format!("not a number: {text:?}")),
        None => Ok(default),
    };
    let (count, seed) = (number(0, 2000)? as usize, number(1, 1)?);
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/orders");
    let directory = arguments.get(2).map_or_else(default, PathBuf::from);
    let schema = Schema::new();
    let mut tally: BTreeMap<(Shape, String), usize> = BTreeMap::new();
    for make in [OrderCase::random, OrderCase::tangled] {
        let mut random = Rng::new(seed);
        for shape in Shape::ALL.into_iter().cycle().take(count) {
            let case = make(shape, &mut random);
            let faults = std::panic::catch_unwind(|| case.faults(&schema)).unwrap_or_else(|_| vec!["panic".to_owned()]);
            for fault in faults {
                let seen = tally.entry((shape, fault.clone())).or_default();
                *seen += 1;
                if *seen <= SHOWN {
                    let name = fault.replace([' ', ':', '-'], "_").replace("__", "_").replace(',', "");
                    write_down(&case, &directory.join(format!("{shape:?}-{name}-{seen}")))?;
                }
            }
        }
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} cases, {} faults", 2 * count, tally.values().sum::<usize>())?;
    for ((shape, fault), times) in tally {
        writeln!(out, "{times:7} {shape:?}: {fault}")?;
    }
    Ok(())
}

fn write_down(case: &OrderCase, directory: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(directory)?;
    let files = ["base.yaml", "ours.yaml", "theirs.yaml"];
    files.into_iter().zip(case.texts()).try_for_each(|(file, text)| fs::write(directory.join(file), text))?;
    Ok(())
}
