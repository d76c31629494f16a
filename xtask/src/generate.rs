//! `cargo xtask generate manifests|crds|small --bytes N --seed S --out PATH`: generated data as files.
//!
//! `small` makes PATH a directory of small files, N bytes together; the others write one file.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// What the arguments ask for.
struct Request<'a> {
    bytes: usize,
    seed: u64,
    out: &'a Path,
}

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let [what, options @ ..] = arguments else { bail!("expected manifests, crds or small") };
    let request = Request::parse(options)?;
    match *what {
        "manifests" => write(request.out, &kmerge_testgen::manifests(request.seed, request.bytes)),
        "crds" => write(request.out, &kmerge_testgen::crds(request.seed, request.bytes)),
        "small" => small(&request),
        other => bail!("unknown kind of data {other:?}; expected manifests, crds or small"),
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
