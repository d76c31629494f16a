//! `cargo xtask lines [COUNT [SEED]]`: merges random texts with git and with kmerge's line merge, and compares.
//!
//! Prints every style's number of differences, and the first few of them as files under `target/lines/`.

pub(crate) mod generate;
pub(crate) mod git;

use std::path::Path;

use anyhow::{Context as _, bail};
use kmerge_core::lines::{Labels, Style, Texts};

use self::generate::{Random, Triple};

/// Every style, with the option that asks git for it.
pub(crate) const STYLES: [(Style, &str); 3] =
    [(Style::Merge, "merge"), (Style::Diff3, "diff3"), (Style::Zdiff3, "zdiff3")];

/// So many disagreements are written down.
const SHOWN: usize = 5;

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let number = |at: usize, default: u64| match arguments.get(at) {
        Some(text) => text.parse::<u64>().with_context(|| format!("not a number: {text:?}")),
        None => Ok(default),
    };
    let (count, seed) = (number(0, 1000)?, number(1, 1)?);
    let git = git::MergeFile::new()?;
    let mut differing = 0;
    for case in 0..count {
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(case));
        let triple = Triple::random(&mut random);
        git.write(&triple)?;
        for (style, name) in STYLES {
            let theirs = git.merge(name)?;
            let ours = merged(&triple, style);
            if ours != theirs {
                differing += 1;
                if differing <= SHOWN {
                    show(&triple, &format!("{case}-{name}"), &ours, &theirs)?;
                }
            }
        }
    }
    let total = count * STYLES.len() as u64;
    writeln_out(&format!("{differing} of {total} merges differ from {}", git.version()))?;
    if differing > 0 {
        bail!("see target/lines/");
    }
    Ok(())
}

/// What kmerge makes of a triple.
pub(crate) fn merged(triple: &Triple, style: Style) -> Vec<u8> {
    let texts = Texts { base: &triple.base, ours: &triple.ours, theirs: &triple.theirs };
    let labels = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
    texts.merge(style).text(&labels)
}

fn show(triple: &Triple, name: &str, ours: &[u8], theirs: &[u8]) -> anyhow::Result<()> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/lines").join(name);
    std::fs::create_dir_all(&directory)?;
    let files = [
        ("base", &*triple.base),
        ("ours", &triple.ours),
        ("theirs", &triple.theirs),
        ("kmerge", ours),
        ("git", theirs),
    ];
    for (file, content) in files {
        std::fs::write(directory.join(file), content)?;
    }
    writeln_out(&format!("differs: {}", directory.display()))
}

fn writeln_out(line: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
