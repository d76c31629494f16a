//! `cargo xtask bench-apply [COUNT]`: whole processes of `target/release/kmerge` and kubectl on the same objects.
//!
//! Deployments as a cluster has them, with what was applied last, get a new configuration each. The best of some runs is
//! told, for COUNT objects (5000) and for a tenth of them; kubectl, which applies to clusters only, patches them in files.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use kmerge_core::value::{from_json, to_yaml};
use serde_json::{Value, json};

use crate::differential::applies::annotation;
use crate::kubectl;
use crate::random::{Random, mutate, object, shape_of};

/// What is done to every object by the patches.
const PATCH: &str = r#"{"metadata":{"labels":{"patched":"yes"}},"spec":{"replicas":9,"paused":null}}"#;

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

const RUNS: usize = 3;

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let count = match arguments {
        [] => 5000,
        [count] => count.parse().context("COUNT is a number")?,
        _ => bail!("usage: cargo xtask bench-apply [COUNT]"),
    };
    let kmerge = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/kmerge");
    ensure!(kmerge.is_file(), "first: cargo build --release -p kmerge-cli");
    let room = tempfile::tempdir()?;
    let (few, many) =
        (Files::write(&room.path().join("few"), count / 10)?, Files::write(&room.path().join("many"), count)?);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{count} objects, {} KB of live objects; best of {RUNS} whole processes", many.bytes / 1000)?;
    let apply = |files: &Files| {
        best(Command::new(&kmerge).args(["apply", "-q", "--live"]).arg(&files.live).arg("--config").arg(&files.config))
    };
    let patch = |files: &Files| best(Command::new(&kmerge).args(["patch", "-p", PATCH]).arg(&files.live));
    let theirs = |files: &Files| {
        let local = ["patch", "--local", "--output=yaml", "--patch", PATCH, "--filename"];
        best(Command::new("kubectl").args(local).arg(&files.live).env("HOME", room.path()))
    };
    let (apply_few, apply_many) = (apply(&few)?, apply(&many)?);
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    let ten = ratio(apply_many, apply_few);
    writeln!(out, "kmerge apply          {:>8.1} ms, {ten:.1} x the time of a tenth", millis(apply_many))?;
    let (patch_many, theirs) = (patch(&many)?, theirs(&many)?);
    writeln!(out, "kmerge patch          {:>8.1} ms", millis(patch_many))?;
    writeln!(
        out,
        "kubectl patch --local {:>8.1} ms, {:.1} x kmerge patch, {:.1} x kmerge apply",
        millis(theirs),
        ratio(theirs, patch_many),
        ratio(theirs, apply_many)
    )?;
    Ok(())
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// The shortest run of a command.
fn best(command: &mut Command) -> anyhow::Result<Duration> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
        best = best.min(start.elapsed());
        ensure!(status.success(), "{command:?} failed");
    }
    Ok(best)
}

/// Live objects and their configurations.
struct Files {
    live: PathBuf,
    config: PathBuf,
    bytes: usize,
}

impl Files {
    fn write(directory: &Path, count: usize) -> anyhow::Result<Self> {
        std::fs::create_dir(directory)?;
        let mut random = Random::new(1);
        let (mut live, mut config) = (String::new(), String::new());
        for index in 0..count {
            let [own, new] = deployment(&mut random, index);
            live.push_str(&document(&own)?);
            config.push_str(&document(&new)?);
        }
        let files =
            Self { live: directory.join("live.yaml"), config: directory.join("config.yaml"), bytes: live.len() };
        std::fs::write(&files.live, live)?;
        std::fs::write(&files.config, config)?;
        Ok(files)
    }
}

fn document(object: &Value) -> anyhow::Result<String> {
    Ok(format!("---\n{}", to_yaml(&from_json(&object.to_string())?)))
}

/// A live object and its new configuration.
fn deployment(random: &mut Random, index: usize) -> [Value; 2] {
    let shape = shape_of("Deployment");
    let mut last = object(random, "apps/v1", "Deployment");
    last["metadata"] = json!({"labels": {"app": kubectl::name(index)}});
    last["spec"]["template"]["spec"]["containers"] = json!([
        {"name": "app", "image": "app:1", "ports": [{"containerPort": 80}], "env": [{"name": "A", "value": "1"}]},
        {"name": "log", "image": "log:1", "args": ["--follow"]}
    ]);
    if let Some(spec) = last["spec"].as_object_mut() {
        spec.shift_remove("bogus");
    }
    let (mut live, mut config) = (last.clone(), last.clone());
    mutate(random, &mut config["spec"], &shape_in(&shape));
    config["spec"]["replicas"] = 3.into();
    config["spec"]["template"]["spec"]["containers"] = last["spec"]["template"]["spec"]["containers"].clone();
    config["spec"]["template"]["spec"]["containers"][0]["image"] = "app:2".into();
    if let Some(spec) = config["spec"].as_object_mut() {
        spec.shift_remove("bogus");
    }
    live["spec"]["replicas"] = 7.into();
    live["status"] = json!({"readyReplicas": 7, "conditions": [{"type": "Available", "status": "True"}]});
    for object in [&mut live, &mut config] {
        object["metadata"]["name"] = kubectl::name(index).into();
        object["metadata"]["namespace"] = "default".into();
    }
    live["metadata"]["annotations"] = json!({ANNOTATION: annotation(&last, index)});
    [live, config]
}

/// The shape of `spec`.
fn shape_in(shape: &crate::random::Shape) -> crate::random::Shape {
    match shape {
        crate::random::Shape::Object(fields) => {
            let spec = fields.iter().find(|(name, _)| *name == "spec").map(|(_, shape)| shape.clone());
            spec.unwrap_or(crate::random::Shape::Object(Vec::new()))
        }
        other => other.clone(),
    }
}
