//! Trees that somebody else wrote, to do harm or without a thought for who reads them.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

fn kmerge(room: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kmerge"));
    command
        .current_dir(room)
        .args(arguments)
        .env("XDG_STATE_HOME", room.join("state"))
        .output()
        .expect("the binary runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
    std::fs::write(path, text).expect("written");
}

/// Each level names the one below twice, so that reading all of them would take longer than the universe is old.
#[test]
fn a_base_that_is_named_twice_per_level_is_read_once() {
    let room = tempfile::tempdir().expect("a directory");
    let level = |level: usize| room.path().join(level.to_string());
    write(&level(0).join("kustomization.yaml"), "resources: []\n");
    for above in 1..=100 {
        let text = format!("resources: [../{below}, ../{below}/.]\n", below = above - 1);
        write(&level(above).join("kustomization.yaml"), &text);
    }
    let output = kmerge(room.path(), &["build", "100"]);
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""));
    write(&level(0).join("a.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    write(&level(0).join("kustomization.yaml"), "resources: [a.yaml]\n");
    let output = kmerge(room.path(), &["build", "100"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("v1 ConfigMap a is there twice"), "{}", said(&output));
}
