//! `cargo xtask generate manifests|crds|small|merge|conflicts|renames --bytes N --seed S --out PATH`: generated data as files.
//!
//! `small` makes PATH a directory of small files, N bytes together; `merge` makes it one of `base.yaml`, `ours.yaml` and
//! `theirs.yaml`, with twenty scattered changes; under `conflicts` these are conflicts of lines, under `renames` ours has
//! renamed every resource. The others write one file.

pub(crate) mod merge;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

const KINDS: &str = "manifests, crds, small, merge, conflicts or renames";

/// What the arguments ask for.
struct Request<'a> {
    bytes: usize,
    seed: u64,
    out: &'a Path,
}

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let [what, options @ ..] = arguments else { bail!("expected {KINDS}") };
    let request = Request::parse(options)?;
    match *what {
        "manifests" => write(request.out, &kmerge_testgen::manifests(request.seed, request.bytes)),
        "crds" => write(request.out, &kmerge_testgen::crds(request.seed, request.bytes)),
        "small" => small(&request),
        "merge" => versions(&request, |base, seed| merge::versions(base, seed, false)),
        "conflicts" => versions(&request, |base, seed| merge::versions(base, seed, true)),
        "renames" => versions(&request, merge::renames),
        other => bail!("unknown kind of data {other:?}; expected {KINDS}"),
    }
}

impl<'a> Request<'a> {
    fn parse(options: &[&'a str]) -> anyhow::Result<Self> {
        let (mut bytes, mut seed, mut out) = (1_000_000, 1, None);
        for option in options.chunks(2) {
            match *option {
                ["--bytes", value] => bytes = value.parse().with_context(|| format!("not a size: {value:?}"))?,
                ["--seed", value] => seed = value.parse().with_context(|| format!("not a seed: {value:?}"))?,
                ["--out", value] => out = Some(Path::new(value)),
                _ => bail!("unknown option {option:?}"),
            }
        }
        Ok(Self { bytes, seed, out: out.context("--out PATH is missing")? })
    }
}

fn versions(request: &Request<'_>, make: fn(String, u64) -> [String; 3]) -> anyhow::Result<()> {
    let versions = make(kmerge_testgen::manifests(request.seed, request.bytes), request.seed);
    let names = ["base.yaml", "ours.yaml", "theirs.yaml"];
    names.iter().zip(versions).try_for_each(|(name, text)| write(&request.out.join(name), &text))
}

fn small(request: &Request<'_>) -> anyhow::Result<()> {
    let mut left = request.bytes;
    // Every file holds at least one byte, so that there are never more files than bytes.
    for (name, text) in kmerge_testgen::small_files(request.seed, request.bytes) {
        write(&request.out.join(name), &text)?;
        match left.checked_sub(text.len()) {
            Some(rest) if rest > 0 => left = rest,
            _ => return Ok(()),
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let directory = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    std::fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
    std::fs::write(path, text).with_context(|| path.display().to_string())
}
