//! Live objects, read by the kubectl that runs this plugin.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use crate::files::Files;
use crate::input::{STDIO, Source};

/// The live objects of configurations; nothing for those that are not there.
pub(crate) fn get(config: &Path, given: &Files, namespace: Option<&str>) -> anyhow::Result<Source> {
    let is_stdin = config.as_os_str() == STDIO;
    let mut command = Command::new("kubectl");
    command.args(["get", "--ignore-not-found", "--output", "yaml"]);
    if config.is_dir() {
        command.arg("--recursive");
    }
    if let Some(namespace) = namespace {
        command.args(["--namespace", namespace]);
    }
    command.arg("--filename").arg(config);
    command
        .stdin(if is_stdin { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let mut child = command.spawn().context("cannot run kubectl to read the live objects; --live names a file")?;
    if let Some(mut stdin) = child.stdin.take() {
        for source in &given.sources {
            stdin.write_all(source.text.as_bytes()).context("kubectl does not read the configurations")?;
        }
    }
    let output = child.wait_with_output().context("cannot run kubectl")?;
    ensure!(output.status.success(), "kubectl get does not give the live objects; nothing was applied");
    let text = String::from_utf8(output.stdout).context("kubectl prints something else than text")?;
    Ok(Source::new("<cluster>", text))
}
