//! `cargo xtask bench-apply [COUNT]`: whole processes of `target/dist/kmerge` and kubectl on the same objects.
//!
//! Deployments as a cluster has them, with what was applied last, get a new configuration each. The best of some runs is
//! told, for COUNT objects (5000) and for a tenth of them; kubectl, which applies to clusters only, patches them in files.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};

use crate::differential::applies::annotation;
use crate::kubectl;

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
    let kmerge = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/dist/kmerge");
    ensure!(kmerge.is_file(), "first: cargo build --profile dist -p kmerge-cli");
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
    writeln!(out, "{:22} {:>9} {:>9}", "", "elapsed", "processor")?;
    let (apply_few, apply_many) = (apply(&few)?, apply(&many)?);
    let (patch_many, theirs) = (patch(&many)?, theirs(&many)?);
    for (name, cost) in [
        ("kmerge apply, a tenth", apply_few),
        ("kmerge apply", apply_many),
        ("kmerge patch", patch_many),
        ("kubectl patch --local", theirs),
    ] {
        writeln!(out, "{name:22} {:>6} ms {:>6} ms", cost.elapsed.as_millis(), cost.processor.as_millis())?;
    }
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    writeln!(out, "ten times the objects take {:.1} x the time", ratio(apply_many.processor, apply_few.processor))?;
    writeln!(
        out,
        "kubectl patch takes {:.1} x the processor time of kmerge patch, {:.1} x that of kmerge apply",
        ratio(theirs.processor, patch_many.processor),
        ratio(theirs.processor, apply_many.processor)
    )?;
    Ok(())
}

/// What a process takes.
#[derive(Clone, Copy)]
struct Cost {
    elapsed: Duration,
    /// On all processors; tells more than the elapsed time on a machine that does other things, too.
    processor: Duration,
}

/// The cheapest runs of a command.
fn best(command: &mut Command) -> anyhow::Result<Cost> {
    command.stdout(Stdio::null());
    let mut best = Cost { elapsed: Duration::MAX, processor: Duration::MAX };
    for _ in 0..RUNS {
        let (start, before) = (Instant::now(), processor_time()?);
        let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
        ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        best.elapsed = best.elapsed.min(start.elapsed());
        best.processor = best.processor.min(processor_time()? - before);
    }
    Ok(best)
}

/// What all ended children of this process have taken (proc_pid_stat(5): cutime and cstime, in hundredths of a second).
pub(crate) fn processor_time() -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").context("only Linux tells the time of processes")?;
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |field: usize| Ok::<u64, anyhow::Error>(fields.get(field).context("a short line")?.parse()?);
    Ok(Duration::from_millis(10 * (ticks(13)? + ticks(14)?)))
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
        let (mut live, mut config) = (String::new(), String::new());
        for index in 0..count {
            let [own, new] = deployment(index);
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
    Ok(format!("---\n{}", kmerge_core::value::Value::from_json(&object.to_string())?.to_yaml()))
}

/// A live object and its new configuration: another image and another variable; somebody scaled it.
fn deployment(index: usize) -> [Value; 2] {
    let app = json!({"app": kubectl::name(index)});
    let resources = json!({"limits": {"cpu": "500m", "memory": "512Mi"}, "requests": {"cpu": "50m", "memory": "64Mi"}});
    let last = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": kubectl::name(index), "namespace": "default", "labels": app},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": app},
            "template": {"metadata": {"labels": app}, "spec": {
                "containers": [
                    {
                        "name": "app", "image": "app:1", "ports": [{"containerPort": 80}], "resources": resources,
                        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                    },
                    {"name": "log", "image": "log:1", "args": ["--follow"]},
                ],
                "volumes": [{"name": "data", "emptyDir": {}}],
            }},
        },
    });
    let (mut live, mut config) = (last.clone(), last.clone());
    let app = &mut config["spec"]["template"]["spec"]["containers"][0];
    app["image"] = "app:2".into();
    app["env"] = json!([{"name": "A", "value": "1"}, {"name": "C", "value": "3"}]);
    live["spec"]["replicas"] = 7.into();
    live["spec"]["template"]["spec"]["restartPolicy"] = "Always".into();
    live["status"] = json!({"readyReplicas": 7, "conditions": [{"type": "Available", "status": "True"}]});
    live["metadata"]["annotations"] = json!({ANNOTATION: annotation(&last, index)});
    [live, config]
}
