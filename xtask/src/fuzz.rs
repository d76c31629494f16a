//! `cargo xtask fuzz seed|unpack|pack TARGET`: corpora of the fuzz targets.
//!
//! A corpus is kept as one text file, `fuzz/corpus/TARGET.txt`; the fuzzer works on a directory of files beside it.
//! `seed` writes the fixtures and yaml-test-suite into that directory, `unpack` what is kept; `pack` keeps the
//! directory, which should be minimised first.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::conformance::suite;

/// How much of a corpus is kept: files, and bytes together.
const KEPT: (usize, usize) = (300, 200_000);

/// No input is longer.
const LONGEST: usize = 4096;

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let [task, target] = arguments else { anyhow::bail!("expected seed, unpack or pack, and a target") };
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    ensure!(corpus.join("../fuzz_targets").join(format!("{target}.rs")).exists(), "no target {target:?}");
    let (directory, kept) = (corpus.join(target), corpus.join(format!("{target}.txt")));
    match *task {
        "seed" => write(&directory, &seeds(target)?),
        "unpack" => write(&directory, &kmerge_laws::unpack(&fs::read_to_string(kept)?)),
        "pack" => pack(&directory, &kept),
        other => anyhow::bail!("unknown task {other:?}"),
    }
}

fn write(directory: &Path, inputs: &[Vec<u8>]) -> anyhow::Result<()> {
    fs::create_dir_all(directory)?;
    for (number, input) in inputs.iter().enumerate().filter(|(_, input)| input.len() <= LONGEST) {
        fs::write(directory.join(format!("seed-{number:04}")), input)?;
    }
    Ok(())
}

/// Keeps as many of the smallest inputs as may be.
fn pack(directory: &Path, kept: &Path) -> anyhow::Result<()> {
    let mut inputs = files(directory)?.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
    inputs.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    inputs.dedup();
    // Every n-th of them, so that long ones are among them.
    let step = inputs.len().div_ceil(KEPT.0).max(1);
    let mut bytes = 0;
    let chosen: Vec<&[u8]> = inputs.iter().rev().step_by(step).map(Vec::as_slice).collect();
    let is_kept = |input: &&[u8]| {
        bytes += input.len();
        bytes <= KEPT.1
    };
    let chosen: Vec<&[u8]> = chosen.into_iter().rev().take_while(is_kept).collect();
    fs::write(kept, kmerge_laws::pack(chosen)).with_context(|| kept.display().to_string())
}

fn seeds(target: &str) -> anyhow::Result<Vec<Vec<u8>>> {
    let triples = triples()?;
    match target {
        "parse" => texts(),
        "edit" => {
            let texts = texts()?;
            let others = texts.iter().skip(1).chain(&texts);
            let pair = |(number, (source, other)): (usize, (&Vec<u8>, &Vec<u8>))| {
                [&(number as u16).to_le_bytes(), source.as_slice(), &[0], other.as_slice()].concat()
            };
            Ok(texts.iter().zip(others).enumerate().map(pair).collect())
        }
        "package" => packages(&triples),
        "set" => Ok(places(&triples)),
        _ => Ok(triples.iter().map(|sides| sides.join(&0)).chain(scripted(&triples)).collect()),
    }
}

/// All kinds of sources: yaml-test-suite, and what fixtures hold.
fn texts() -> anyhow::Result<Vec<Vec<u8>>> {
    let mut texts: Vec<Vec<u8>> = suite::load()?.into_iter().map(|case| case.yaml.into_bytes()).collect();
    let accepted: Value = serde_json::from_str(&fs::read_to_string(fixtures().join("acceptance/cases.json"))?)?;
    let inputs = accepted.as_array().into_iter().flatten().filter_map(|case| case["input"].as_str());
    texts.extend(inputs.map(|input| input.as_bytes().to_vec()));
    texts.extend(triples()?.into_iter().flatten());
    texts.sort();
    texts.dedup();
    Ok(texts)
}

/// The merges among the fixtures: base, destination, incoming side.
fn triples() -> anyhow::Result<Vec<[Vec<u8>; 3]>> {
    let mut triples = Vec::new();
    for (suite, names) in [
        ("merge3", ["base.yaml", "dest.yaml", "incoming.yaml"]),
        ("merge2", ["dest.yaml", "dest.yaml", "incoming.yaml"]),
        ("driver", ["base.yaml", "ours.yaml", "theirs.yaml"]),
    ] {
        for case in files(&fixtures().join(suite))? {
            let [base, dest, incoming] = names.map(|name| fs::read(case.join(name)));
            triples.push([base?, dest?, incoming?]);
        }
    }
    Ok(triples)
}

/// Bases with a path that leads into them, or beyond, and a value.
fn places(triples: &[[Vec<u8>; 3]]) -> Vec<Vec<u8>> {
    const PATHS: [&str; 6] =
        [".metadata.name", ".spec.replicas", ".spec.template.spec.containers[name=app].image", ".a[0]", "[-1]", ".x.y"];
    const VALUES: [&str; 6] = ["x", "5", "one\ntwo\n", "[a, {b: 1}]", "a:\n- b # c\n", "it's: \"so\""];
    let input = |(number, [base, ..]): (usize, &[Vec<u8>; 3])| {
        let (path, value) = (PATHS[number % PATHS.len()], VALUES[number / PATHS.len() % VALUES.len()]);
        [path.as_bytes(), value.as_bytes(), base.as_slice()].join(&0)
    };
    triples.iter().enumerate().map(input).collect()
}

/// The packages among the fixtures, and trees whose sides are scripts.
fn packages(triples: &[[Vec<u8>; 3]]) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut inputs = Vec::new();
    for case in files(&fixtures().join("packages"))? {
        let sides = ["base", "dest", "incoming"].map(|side| tree(&case.join(side)));
        let [base, dest, incoming] = sides;
        inputs.push([base?, dest?, incoming?].join(&0));
    }
    for (number, pair) in triples.chunks_exact(2).enumerate() {
        let base = [b"==> a.yaml\n", pair[0][0].as_slice(), b"\n==> d/b.yaml\n", &pair[1][0]].concat();
        let steps = |seed: usize| (0..3).flat_map(move |step| [7, 2, 5, 11].map(|by| (seed * by + step * 3) as u8));
        let script = |seed: usize| std::iter::once(1).chain(steps(seed)).collect::<Vec<u8>>();
        inputs.push([base.as_slice(), &[0], &script(number), &[0], &script(number * 3 + 1)].concat());
    }
    Ok(inputs)
}

/// The text of a tree: each file after a line with its path.
fn tree(root: &Path) -> anyhow::Result<Vec<u8>> {
    let (mut text, mut open) = (Vec::new(), vec![root.to_owned()]);
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(files(&path)?);
        } else if !path.is_symlink() && path != root {
            let name = path.strip_prefix(root)?;
            text.extend([format!("==> {}\n", name.display()).as_bytes(), &fs::read(&path)?].concat());
        }
    }
    Ok(text)
}

/// Bases with scripts that change some of their lines.
fn scripted(triples: &[[Vec<u8>; 3]]) -> impl Iterator<Item = Vec<u8>> {
    let script = |number: usize| [1, (number % 6) as u8, (number * 7 % 50) as u8, (number % 9) as u8 + 2];
    triples.iter().enumerate().map(move |(number, [base, ..])| {
        [base.as_slice(), &[0], &script(number), &[0], &script(number * 5 + 3)].concat()
    })
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

fn files(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}
