//! `cargo xtask browser [--screenshots DIR] [BINARY]`: tests of the review page in Chromium, through Playwright.
//!
//! Makes merges in progress in temporary repositories, writes their pages with a built `kmerge`, and runs
//! `xtask/browser/review.mjs` on them. Without Chromium nothing is tested, and that is said.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};

/// The names under which distributions install it.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let (screenshots, binary) = match arguments {
        ["--screenshots", directory, rest @ ..] => (Some(Path::new(directory).canonicalize()?), rest),
        rest => (None, rest),
    };
    let [binary] = if binary.is_empty() { ["target/release/kmerge"] } else { binary.try_into()? };
    let Some(browser) = browser() else {
        writeln!(std::io::stdout(), "the review page was NOT tested: no Chromium; `apt-get install chromium`")?;
        return Ok(());
    };
    let kmerge = Path::new(binary)
        .canonicalize()
        .with_context(|| format!("no binary at {binary}: first `cargo build --release -p kmerge-cli`"))?;
    let scripts = install()?;
    let room = tempfile::tempdir()?;
    prepare(&kmerge, room.path())?;
    let mut node = Command::new("node");
    node.arg(scripts.join("review.mjs")).arg(&kmerge).arg(room.path()).args(screenshots).env("CHROMIUM", browser);
    ensure!(node.status().context("cannot run node")?.success(), "the review page does not do what it should");
    Ok(())
}

fn browser() -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let found = std::env::split_paths(&directories).flat_map(|directory| BROWSERS.map(|name| directory.join(name)));
    named.into_iter().chain(found).find(|path| path.is_file())
}

/// The scripts with what they need, apart from the sources.
fn install() -> anyhow::Result<PathBuf> {
    let (from, to) = (Path::new("xtask/browser"), Path::new("target/browser"));
    std::fs::create_dir_all(to)?;
    for name in ["package.json", "package-lock.json", "review.mjs"] {
        std::fs::copy(from.join(name), to.join(name))?;
    }
    let done = Command::new("npm").args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(to).output();
    let done = done.context("cannot run npm")?;
    ensure!(done.status.success(), "npm: {}", String::from_utf8_lossy(&done.stderr));
    Ok(to.canonicalize()?)
}

/// Three repositories with the same merge in progress, and the pages.
fn prepare(kmerge: &Path, room: &Path) -> anyhow::Result<()> {
    for name in ["shown", "served", "resolved"] {
        let directory = room.join(name);
        std::fs::create_dir(&directory)?;
        conflict(&directory)?;
    }
    run_in(&room.join("resolved"), kmerge, &["resolve", "d.yaml"], 1)?;
    let page = room.join("review.html");
    let output = page.to_str().context("the temporary directory is not UTF-8")?;
    run_in(&room.join("shown"), kmerge, &["review", "-o", output], 1)?;
    // Ours in the first conflict, theirs in the second; all else has been merged.
    std::fs::write(room.join("chosen.yaml"), deployment("3", "app:7", "log:2", "TWO"))?;
    let sides = [("base.yaml", 1), ("ours.yaml", 2), ("theirs.yaml", 3)];
    for (name, version) in sides {
        std::fs::write(room.join(name), many(version))?;
    }
    let large = ["review", "--base", "base.yaml", "--ours", "ours.yaml", "--theirs", "theirs.yaml", "-o", "large.html"];
    run_in(room, kmerge, &large, 0)
}

fn deployment(replicas: &str, app: &str, log: &str, value: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: {replicas}\n  template:\n    \
         spec:\n      containers:\n        - name: app\n          image: {app}\n          env:\n            - name: A\n              \
         value: {value}\n            - name: B\n              value: b\n        - name: log\n          image: {log}\n"
    )
}

fn secret(value: &str) -> String {
    format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  a: {value}\n")
}

/// A repository in which a merge has stopped: two conflicts in a manifest, one in a Secret.
fn conflict(directory: &Path) -> anyhow::Result<()> {
    let git = |arguments: &[&str], code: i32| run_in(directory, Path::new("git"), arguments, code);
    let commit = |deployment: String, secret: String| {
        std::fs::write(directory.join("d.yaml"), deployment)?;
        std::fs::write(directory.join("s.yaml"), secret)?;
        git(&["add", "."], 0)?;
        git(&["commit", "-qm", "x"], 0)
    };
    git(&["init", "-q", "-b", "main"], 0)?;
    commit(deployment("2", "app:1", "log:1", "one"), secret("geheim1"))?;
    git(&["checkout", "-qb", "topic"], 0)?;
    commit(deployment("5", "app:1", "log:2", "TWO"), secret("geheim3"))?;
    git(&["checkout", "-q", "main"], 0)?;
    commit(deployment("3", "app:7", "log:1", "three"), secret("geheim2"))?;
    git(&["merge", "-q", "topic"], 1)
}

/// 5,000 resources, of which each side changed every one.
fn many(version: usize) -> String {
    let mut text = String::new();
    for number in 0..5_000 {
        let (ours, theirs) = if version == 2 { (2, 1) } else { (1, version) };
        let _ = writeln!(
            text,
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: resource-{number}\ndata:\n  ours: v{ours}\n  k: one\n  \
             l: two\n  theirs: v{theirs}"
        );
    }
    text
}

fn run_in(directory: &Path, program: &Path, arguments: &[&str], code: i32) -> anyhow::Result<()> {
    let mut command = Command::new(program);
    command.current_dir(directory).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        command.env(name, "test");
    }
    let done = command.output().with_context(|| format!("cannot run {}", program.display()))?;
    if done.status.code() != Some(code) {
        bail!("{} {arguments:?}: {}", program.display(), String::from_utf8_lossy(&done.stderr));
    }
    Ok(())
}
