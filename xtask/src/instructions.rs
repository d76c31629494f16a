//! `cargo xtask instructions [--check]`: how many instructions ten fixed pieces of work take.
//!
//! The counts stand in `xtask/instructions.txt`. With `--check`, one that has grown by more than 5 % fails the task; a change
//! that is worth its instructions, or saves some, writes the table anew. Needs valgrind and a release build.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use kmerge_testgen::{SHAPES, Sides, crds, manifests};

use crate::callgrind::Counter;

/// How much a count may grow.
const MOST: f64 = 1.05;

/// A run of kmerge, and the files that it reads.
struct Work {
    name: &'static str,
    files: Vec<(&'static str, String)>,
    arguments: &'static [&'static str],
}

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let check = match arguments {
        [] => false,
        ["--check"] => true,
        _ => bail!("usage: cargo xtask instructions [--check]"),
    };
    let room = tempfile::tempdir()?;
    let counter = Counter::new(room.path())?;
    let mut counts = Vec::new();
    for work in works()? {
        for (name, text) in &work.files {
            std::fs::write(room.path().join(name), text)?;
        }
        let arguments: Vec<String> = work.arguments.iter().map(|&word| word.to_owned()).collect();
        counts.push((work.name, counter.count(&arguments)?));
    }
    if check { compare(&counts) } else { write(&counts) }
}

fn write(counts: &[(&str, f64)]) -> anyhow::Result<()> {
    let mut table =
        "# Instructions of target/release/kmerge on x86-64, written by `cargo xtask instructions`.\n".to_owned();
    for (name, count) in counts {
        writeln!(table, "{count:>12}  {name}")?;
    }
    Ok(std::fs::write(place(), table)?)
}

fn compare(counts: &[(&str, f64)]) -> anyhow::Result<()> {
    let table = std::fs::read_to_string(place()).context("there is no table: cargo xtask instructions")?;
    let known = |name: &str| {
        let line = table.lines().find_map(|line| line.trim().strip_suffix(name)?.strip_suffix("  "))?;
        line.parse::<f64>().ok()
    };
    let mut out = std::io::stdout().lock();
    let mut grown = 0;
    for (name, now) in counts {
        let then = known(name).with_context(|| format!("the table lacks: {name}"))?;
        let verdict = if now / then > MOST { "  too much" } else { "" };
        writeln!(out, "{:9.3} M  x {:5.3}  {name}{verdict}", now / 1e6, now / then)?;
        grown += usize::from(!verdict.is_empty());
    }
    ensure!(
        grown == 0,
        "{grown} counts have grown by more than 5 %: make it cheaper, or write the table anew and say why"
    );
    Ok(())
}

fn place() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.txt")
}

/// The work; the names are those of the table.
fn works() -> anyhow::Result<Vec<Work>> {
    const DRIVER: &[&str] = &["driver", "-q", "--marker-style", "merge", "base.yaml", "ours.yaml", "theirs.yaml"];
    const MERGE3: &[&str] =
        &["merge3", "-q", "--original", "base.yaml", "--dest", "ours.yaml", "--updated", "theirs.yaml"];
    let work = |name, files, arguments| Work { name, files, arguments };
    let file = |text| vec![("file.yaml", text)];
    let (many, definitions) = (manifests(1, 100_000), crds(1, 100_000));
    let edited = |text: &str, at| edit(text, at);
    let two = vec![("a.yaml", many.clone()), ("b.yaml", edited(&many, 2))];
    let crd = [definitions.clone(), edited(&definitions, 3), edited(&definitions, 2)];
    Ok(vec![
        work("start: --version", Vec::new(), &["--version"]),
        work("driver: ten lines", sides(ten_lines()), DRIVER),
        work("driver: 200 documents", sides(shape("documents, changed", 200)?), DRIVER),
        work("driver: 100 kB of definitions, one edit a side", sides(crd), DRIVER),
        work("driver: 200 conflicts", sides(shape("keys, in conflict", 200)?), DRIVER),
        work("merge3: 200 documents", sides(shape("documents, changed", 200)?), MERGE3),
        work("get: from 100 kB", file(many.clone()), &["get", "file.yaml", ".metadata.name", "--select", "#9"]),
        work("check: 100 kB", file(many), &["check", "-q", "file.yaml"]),
        work("diff: 100 kB, one edit", two, &["diff", "a.yaml", "b.yaml"]),
        work("set: in ten lines", file(ten_lines()[0].clone()), &["set", "file.yaml", ".data.a", "2"]),
    ])
}

fn sides([base, ours, theirs]: Sides) -> Vec<(&'static str, String)> {
    vec![("base.yaml", base), ("ours.yaml", ours), ("theirs.yaml", theirs)]
}

fn shape(name: &str, size: usize) -> anyhow::Result<Sides> {
    let shape = SHAPES.iter().find(|shape| shape.name == name).with_context(|| format!("no shape {name}"))?;
    Ok((shape.sides)(size))
}

pub(crate) fn ten_lines() -> Sides {
    let base = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  labels:\n    app: web\ndata:\n  a: \"1\"\n  b: \"1\"\n  c: \"1\"\n";
    [base.to_owned(), base.replacen("a: \"1\"", "a: \"2\"", 1), base.replacen("c: \"1\"", "c: \"3\"", 1)]
}

/// A text with a comment behind one of its lines: the one after this part of them.
fn edit(text: &str, part: usize) -> String {
    let at = text.len() / part;
    let end = at + text[at..].find('\n').unwrap_or(0);
    format!("{} # edited{}", &text[..end], &text[end..])
}
