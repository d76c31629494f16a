//! The binary as a plugin of kubectl: its name in the help, completions, and live objects by `kubectl get`.
//!
//! A script stands in for kubectl: it runs plugins as the real one does, and answers `get` with a file.

#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A file of the repository, not one that a test writes: while another test starts a process, a file that was just written may
/// still be open there, and cannot be run.
const KUBECTL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plugin/kubectl");

const CONFIG: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 3}
";

const LIVE: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"annotations\":{},\"name\":\"web\",\"namespace\":\"shop\"},\"spec\":{\"paused\":true,\"replicas\":1}}
spec:
  paused: true
  replicas: 1
  strategy: {type: Recreate}
";

fn room() -> tempfile::TempDir {
    let room = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(room.path().join(name), text).expect("written");
    write("web.yaml", CONFIG);
    write("live.yaml", LIVE);
    symlink(KUBECTL, room.path().join("kubectl")).expect("linked");
    for name in ["kubectl-kmerge", "kubectl_complete-kmerge"] {
        symlink(env!("CARGO_BIN_EXE_kmerge"), room.path().join(name)).expect("linked");
    }
    room
}

fn run(room: &Path, program: &str, args: &[&str]) -> Output {
    let path = format!("{}:{}", room.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new(room.join(program));
    command.args(args).current_dir(room).env("PATH", path).env_remove("CLICOLOR_FORCE");
    command.stdin(Stdio::null()).output().expect("it runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn help_names_the_plugin() {
    let room = room();
    let help = run(room.path(), "kubectl", &["kmerge", "--help"]);
    assert!(text(&help.stdout).contains("Usage: kubectl kmerge "), "{}", text(&help.stdout));
    for subcommand in ["build", "merge2", "last-applied"] {
        let help = run(room.path(), "kubectl", &["kmerge", subcommand, "--help"]);
        let help = text(&help.stdout);
        assert!(help.contains(&format!("Usage: kubectl kmerge {subcommand}")), "{help}");
        assert!(help.contains(&format!("\n  kubectl kmerge {subcommand}")), "{help}");
        assert!(!help.contains("\n  kmerge "), "{help}");
    }
    let wrong = run(room.path(), "kubectl", &["kmerge", "bogus"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("Usage: kubectl kmerge"), "{}", text(&wrong.stderr));
}

#[test]
fn kubectl_is_told_how_a_command_line_goes_on() {
    let room = room();
    let complete = |words: &[&str]| text(&run(room.path(), "kubectl_complete-kmerge", words).stdout).to_owned();
    assert!(complete(&["bu"]).starts_with("build\t") && complete(&["bu"]).ends_with(":4\n"));
    assert!(complete(&["build", "--str"]).starts_with("--strict\t"));
    assert!(complete(&["build", "--compat", ""]).starts_with("kustomize\t"));
    assert!(complete(&["last-applied", "vi"]).starts_with("view\t"));
    assert_eq!(complete(&["build", ""]), ":0\n", "a directory");
    assert_eq!(complete(&[]).lines().last(), Some(":4"));
}

#[test]
fn apply_asks_kubectl_for_the_live_objects() {
    let room = room();
    let applied = run(room.path(), "kubectl", &["kmerge", "apply", "--config", "web.yaml", "-n", "shop", "--quiet"]);
    assert_eq!(applied.status.code(), Some(0), "{}", text(&applied.stderr));
    let asked = std::fs::read_to_string(room.path().join("asked")).expect("kubectl was asked");
    assert_eq!(asked, "get --ignore-not-found --output yaml --namespace shop --filename web.yaml\n");
    let offline =
        run(room.path(), "kubectl-kmerge", &["apply", "--live", "live.yaml", "--config", "web.yaml", "--quiet"]);
    assert_eq!(text(&applied.stdout), text(&offline.stdout));
    let result = text(&applied.stdout);
    assert!(
        result.contains("  replicas: 3\n  strategy: {type: Recreate}\n") && !result.contains("paused: true"),
        "{result}"
    );
}

#[test]
fn nothing_is_applied_without_live_objects() {
    let room = room();
    std::fs::write(room.path().join("refuse"), "").expect("written");
    let refused = run(room.path(), "kubectl", &["kmerge", "apply", "--config", "web.yaml"]);
    assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(2), ""));
    assert!(text(&refused.stderr).contains("no such cluster"), "{}", text(&refused.stderr));
    let mut offline = Command::new(env!("CARGO_BIN_EXE_kmerge"));
    let offline = offline.args(["apply", "--config", "web.yaml"]).current_dir(room.path()).output().expect("it runs");
    assert_eq!(offline.status.code(), Some(2));
    assert!(text(&offline.stderr).contains("--live"), "{}", text(&offline.stderr));
}
