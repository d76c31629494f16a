//! `cargo xtask package-bench [--kpt] [FILES...]`: whole-process times of merges of generated packages.
//!
//! Every package has five resources a file, of which each side changes one in a hundred. Timed in turn, on the same
//! trees: the merge, the merge of three equal trees, reading the trees (`cat`), and with `--kpt` the same update by
//! `kpt pkg update --strategy resource-merge` (once: it takes long). Prints medians of five; memory is the largest resident set that GNU time saw.
//! Needs `target/dist/kmerge`, and GNU time as `/usr/bin/time`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use kmerge_testgen::{PackageSize, package};

use crate::fixtures::kpt::{Room, Tree};

const ROUNDS: usize = 5;
/// From this number of files on, fewer rounds tell as much.
const LARGE: usize = 5000;
const SIDES: [&str; 3] = ["base", "dest", "incoming"];

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let with_kpt = arguments.contains(&"--kpt");
    let sizes = arguments.iter().filter(|argument| **argument != "--kpt");
    let sizes = sizes.map(|size| size.parse().with_context(|| format!("not a number of files: {size:?}")));
    let mut sizes = sizes.collect::<anyhow::Result<Vec<usize>>>()?;
    if sizes.is_empty() {
        sizes.push(1000);
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "  files       MB   merge s  us/file  no change s  reading s  memory/trees    kpt s  kpt/merge")?;
    for files in sizes {
        writeln!(out, "{}", measure(files, with_kpt)?)?;
    }
    Ok(())
}

/// What a run of a command took.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    seconds: f64,
    kilobytes: f64,
}

fn measure(files: usize, with_kpt: bool) -> anyhow::Result<String> {
    let room = tempfile::tempdir()?;
    let trees = trees(files);
    for (side, tree) in SIDES.iter().zip(&trees) {
        tree.replace(&room.path().join(side))?;
    }
    let bytes: usize = trees.iter().map(Tree::bytes).sum();
    let [base, dest, incoming] = &trees;
    let kpt = with_kpt.then(|| Room::prepare(base, dest, incoming)).transpose()?;
    let (mut merge, mut same, mut reading, mut update) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..if files < LARGE { ROUNDS } else { 2 } {
        dest.replace(&room.path().join("dest"))?;
        reading.push(timed(
            Command::new("sh").args(["-c", "find base dest incoming -type f -exec cat {} +"]),
            room.path(),
        )?);
        merge.push(timed(&mut kmerge("incoming")?, room.path())?);
        same.push(timed(kmerge("dest")?.args(["--original", "dest"]), room.path())?);
        // One round of kpt takes longer than all others together.
        if let Some(kpt) = kpt.as_ref().filter(|_| update.is_empty()) {
            update.push(timed(&mut kpt.update(), &kpt.local())?);
        }
    }
    let (merge, same, reading) = (median(merge), median(same), median(reading));
    let memory = merge.kilobytes * 1024.0 / bytes as f64;
    let update = kpt.map_or_else(String::new, |_| {
        let update = median(update).seconds;
        format!(" {update:8.2} {:10.1}", update / merge.seconds)
    });
    Ok(format!(
        "{files:7} {:8.1} {:9.3} {:8.1} {:12.3} {:10.3} {memory:13.2}{update}",
        bytes as f64 / 1e6,
        merge.seconds,
        merge.seconds * 1e6 / files as f64,
        same.seconds,
        reading.seconds,
    ))
}

/// Base, destination and incoming.
fn trees(files: usize) -> [Tree; 3] {
    let package = package(1, PackageSize { files, resources: 5, changed: 10 });
    let kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\n";
    [package.base, package.dest, package.incoming].map(|mut side| {
        side.insert("Kptfile".to_owned(), kptfile.to_owned());
        Tree::of(side)
    })
}

fn kmerge(updated: &str) -> anyhow::Result<Command> {
    let binary = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/dist/kmerge");
    let binary = binary.canonicalize().context("there is no target/dist/kmerge: build it first")?;
    let mut command = Command::new(binary);
    command.args(["merge3", "--quiet", "--dest", "dest", "--updated", updated]);
    if updated != "dest" {
        command.args(["--original", "base"]);
    }
    Ok(command)
}

/// Runs a command under GNU time; its output is thrown away.
fn timed(command: &mut Command, directory: &Path) -> anyhow::Result<Cost> {
    let report = tempfile::NamedTempFile::new()?;
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["--format", "%e %M", "--output"]).arg(report.path());
    timed.arg(command.get_program()).args(command.get_args()).current_dir(directory);
    timed.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let start = std::time::Instant::now();
    let status = timed.stdout(Stdio::null()).stderr(Stdio::null()).status().context("/usr/bin/time cannot be run")?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(status.success(), "{command:?} failed");
    let report = std::fs::read_to_string(report.path())?;
    let kilobytes = report.split_whitespace().last().and_then(|word| word.parse().ok());
    Ok(Cost { seconds, kilobytes: kilobytes.context("GNU time said nothing")? })
}

fn median(mut costs: Vec<Cost>) -> Cost {
    costs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    costs.get(costs.len() / 2).copied().unwrap_or_default()
}
