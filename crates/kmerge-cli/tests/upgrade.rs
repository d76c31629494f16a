//! `kmerge upgrade` from git repositories: packages as kpt updated them, records, and what is refused.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Path to content.
type Tree = BTreeMap<String, Vec<u8>>;

/// Packages of `fixtures/packages` in which kpt does what kmerge does, recorded from `kpt pkg update`.
const PACKAGES: [&str; 4] = ["add-file", "delete-upstream", "move-upstream", "add-document"];

fn read(root: &Path) -> Tree {
    let (mut tree, mut open) = (Tree::new(), vec![root.to_owned()]);
    while let Some(directory) = open.pop() {
        for entry in directory.read_dir().expect("a directory") {
            let path = entry.expect("readable").path();
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let name = path.strip_prefix(root).expect("below the root").to_str().expect("UTF-8").to_owned();
                    tree.insert(name, std::fs::read(&path).expect("readable"));
                }
            }
        }
    }
    tree
}

fn write(root: &Path, tree: &Tree) {
    for (name, bytes) in tree {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        std::fs::write(path, bytes).expect("written");
    }
}

/// A directory with a repository `up`, and a copy `copy`.
struct Room(tempfile::TempDir);

impl Room {
    /// The versions are tagged `v1`, `v2` and so on; the package is the directory `pkg`.
    fn new(versions: &[&Tree], copy: &Tree) -> Self {
        let room = Self(tempfile::tempdir().expect("a directory"));
        room.git(&["init", "--quiet", "."]);
        for (number, version) in versions.iter().enumerate() {
            let package = room.path("up/pkg");
            if package.exists() {
                std::fs::remove_dir_all(&package).expect("removed");
            }
            write(&package, version);
            write(&package, &Tree::from([(".keep".to_owned(), Vec::new())]));
            room.git(&["add", "--all"]);
            room.git(&["commit", "--quiet", "--allow-empty", "-m", "version"]);
            room.git(&["tag", &format!("v{}", number + 1)]);
        }
        std::fs::create_dir_all(room.path("copy")).expect("created");
        write(&room.path("copy"), copy);
        room
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn git(&self, arguments: &[&str]) -> String {
        std::fs::create_dir_all(self.path("up")).expect("created");
        let who = ["-c", "user.name=up", "-c", "user.email=up@example.com", "-c", "init.defaultBranch=main"];
        let output = Command::new("git").current_dir(self.path("up")).args(who).args(arguments).output().expect("git");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
    }

    fn upgrade(&self, arguments: &[&str]) -> (Output, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kmerge"));
        command.env("XDG_STATE_HOME", self.path("state")).current_dir(self.0.path());
        let output = command.args(["upgrade", "copy"]).args(arguments).output().expect("the binary runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output, said)
    }
}

fn files(files: &[(&str, &str)]) -> Tree {
    files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

const V1: &str = "kind: A\nmetadata: {name: a}\nx: 1\ny: 1\n";

#[test]
fn packages_become_what_merge3_and_kpt_make_of_them() {
    for name in PACKAGES {
        let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/packages").join(name);
        let [base, dest, incoming] = ["base", "dest", "incoming"].map(|side| read(&case.join(side)));
        let room = Room::new(&[&base, &incoming], &dest);
        let (output, said) = room.upgrade(&["--repo", "up", "--path", "pkg", "--from", "v1", "--to", "v2"]);
        assert_eq!(output.status.code(), Some(0), "{name}: {said}");
        let mut result = read(&room.path("copy"));
        let recorded = result.remove("kmerge.yaml").or_else(|| result.get("Kptfile").cloned()).expect("a record");
        assert!(String::from_utf8_lossy(&recorded).contains(&room.git(&["rev-parse", "v2"])), "{name}");
        result.remove(".keep");
        let expected = read(&case.join("expected"));
        let kpt = read(&case.join("kpt"));
        let manifests = |tree: &Tree| tree.keys().filter(|path| *path != "Kptfile").cloned().collect::<Vec<_>>();
        assert_eq!(manifests(&result), manifests(&kpt), "{name}");
        result.remove("Kptfile");
        let expected: Tree = expected.into_iter().filter(|(path, _)| path != "Kptfile").collect();
        assert_eq!(result, expected, "{name}");
    }
}

#[test]
fn the_record_is_where_the_next_upgrade_starts() {
    let version = |x: &str, y: &str| files(&[("a.yaml", &V1.replace("x: 1", x).replace("y: 1", y))]);
    let room = Room::new(
        &[&version("x: 1", "y: 1"), &version("x: 2", "y: 1"), &version("x: 2", "y: 3")],
        &version("x: 1", "y: 1"),
    );
    let kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: copy} # ours\n";
    write(&room.path("copy"), &files(&[("Kptfile", kptfile)]));
    let (output, said) = room.upgrade(&["--repo", "up", "--path", "/pkg/", "--from", "v1", "--to", "v2"]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let text = std::fs::read_to_string(room.path("copy/Kptfile")).expect("readable");
    assert!(text.starts_with(kptfile), "{text}");
    let repo = room.path("up").canonicalize().expect("it is there").display().to_string();
    for part in [
        "upstream:",
        "upstreamLock:",
        "type: git",
        "ref: v2",
        "directory: /pkg",
        &repo,
        &room.git(&["rev-parse", "v2"]),
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let before = read(&room.path("copy"));
    let (output, said) = room.upgrade(&["--to", "v3"]);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("is not fetched unless you say so"), "{said}");
    assert_eq!(read(&room.path("copy")), before);
    let (output, said) = room.upgrade(&["--recorded-repo", "--to", "v3", "--check"]);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(read(&room.path("copy")), before);
    let (output, said) = room.upgrade(&["--recorded-repo", "--to", "v3"]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(read(&room.path("copy"))["a.yaml"], V1.replace("x: 1", "x: 2").replace("y: 1", "y: 3").into_bytes());
    assert!(String::from_utf8_lossy(&read(&room.path("copy"))["Kptfile"]).contains("ref: v3"));
}

#[test]
fn conflicts_that_fail_leave_the_copy_and_its_record() {
    let version = |x: &str| files(&[("a.yaml", &V1.replace("x: 1", x))]);
    let room = Room::new(&[&version("x: 1"), &version("x: 2")], &version("x: 5"));
    let base = ["--repo", "up", "--path", "pkg", "--from", "v1", "--to", "v2"];
    let (output, said) = room.upgrade(&[&base[..], &["--on-conflict", "fail"]].concat());
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("conflict     A a\n"), "{said}");
    assert_eq!(read(&room.path("copy")), version("x: 5"));
    let (output, said) = room.upgrade(&base);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("overwritten  A a\n") && said.contains("your 5 → 2"), "{said}");
}

#[test]
fn nothing_but_what_was_named_is_fetched() {
    let room = Room::new(&[&files(&[("a.yaml", V1)])], &files(&[("a.yaml", V1)]));
    let trace = room.path("trace");
    let helper = format!("ext::touch {}", trace.display());
    let copy = read(&room.path("copy"));
    for repo in [helper.as_str(), "http://example.com/a", "git://example.com/a", "--upload-pack=touch trace", "nowhere"]
    {
        let (output, said) = room.upgrade(&[&format!("--repo={repo}"), "--from", "v1", "--to", "v2"]);
        assert_eq!(output.status.code(), Some(2), "{repo}: {said}");
        assert!(said.contains("is not a repository"), "{repo}: {said}");
    }
    let record = format!("upstream:\n  repo: \"{helper}\"\n  path: pkg\n  ref: v1\n  commit: {}\n", "0".repeat(40));
    write(&room.path("copy"), &files(&[("kmerge.yaml", &record)]));
    for flags in [&["--to", "v2"][..], &["--to", "v2", "--recorded-repo"]] {
        let (output, said) = room.upgrade(flags);
        assert_eq!(output.status.code(), Some(2), "{said}");
    }
    for name in ["--upload-pack=x", "a:b", "+v1", "v1^{tree}"] {
        let (output, said) = room.upgrade(&["--repo", "up", "--from", "v1", &format!("--to={name}")]);
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
    }
    assert!(!trace.exists());
    assert!(copy.iter().all(|(path, bytes)| read(&room.path("copy"))[path] == *bytes));
}

#[test]
fn a_repository_runs_nothing_and_writes_nowhere_else() {
    let room = Room::new(
        &[&files(&[("a.yaml", V1)]), &files(&[("a.yaml", &V1.replace('1', "2"))])],
        &files(&[("a.yaml", V1)]),
    );
    let trace = room.path("trace");
    let script = format!("#!/bin/sh\ntouch {}\ncat\n", trace.display());
    std::fs::write(room.path("tool"), script).expect("written");
    std::fs::set_permissions(room.path("tool"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("set");
    let tool = room.path("tool").display().to_string();
    for key in [
        "filter.x.smudge",
        "filter.x.clean",
        "core.fsmonitor",
        "core.pager",
        "uploadpack.packObjectsHook",
        "diff.external",
    ] {
        room.git(&["config", key, &tool]);
    }
    for hook in ["post-checkout", "reference-transaction", "pre-auto-gc"] {
        std::fs::copy(room.path("tool"), room.path("up/.git/hooks").join(hook)).expect("copied");
    }
    std::fs::write(room.path("up/.git/info/attributes"), "* filter=x\n").expect("written");
    let (output, said) = room.upgrade(&["--repo", "up", "--path", "pkg", "--from", "v1", "--to", "v2"]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!trace.exists());
    assert_eq!(read(&room.path("copy"))["a.yaml"], V1.replace('1', "2").into_bytes());
}

fn deployment(replicas: u32) -> String {
    format!("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: {replicas}\n")
}

/// A room in which upstream changes the replicas with each version, from 1 on.
fn versions(count: u32) -> Room {
    let trees: Vec<Tree> = (1..=count).map(|number| files(&[("web.yaml", &deployment(number))])).collect();
    Room::new(&trees.iter().collect::<Vec<_>>(), &trees[0])
}

#[test]
fn versions_may_be_named_as_git_names_them() {
    for name in ["main", "refs/tags/v3", "HEAD", "v3:pkg", "the start of an id", "a whole id"] {
        let room = versions(3);
        let to = match name {
            "the start of an id" => room.git(&["rev-parse", "--short=7", "v3"]),
            "a whole id" => room.git(&["rev-parse", "v3"]),
            name => name.to_owned(),
        };
        let (output, said) = room.upgrade(&["--repo", "up", "--path", "pkg", "--from", "HEAD~2", "--to", &to]);
        assert_eq!(output.status.code(), Some(0), "{name}: {said}");
        let copy = read(&room.path("copy"));
        assert_eq!(String::from_utf8_lossy(&copy["web.yaml"]), deployment(3), "{name}");
        let record = String::from_utf8_lossy(&copy["kmerge.yaml"]).into_owned();
        let id = room.git(&["rev-parse", "v3"]);
        assert!(record.contains(&format!("commit: {id}")) && record.contains("path: pkg\n"), "{name}: {record}");
        assert_eq!(record.contains(&format!("ref: {id}")), to.bytes().all(|byte| byte.is_ascii_hexdigit()), "{record}");
    }
}

#[test]
fn what_is_no_version_is_said() {
    let room = versions(2);
    for (to, message) in [
        ("nope", "couldn't find remote ref nope"),
        ("v2~9", "there is no commit ~9 before it"),
        ("abcdef0", "has no tag, branch or commit abcdef0"),
        ("v2:other", "there is no other in this version"),
    ] {
        let (output, said) = room.upgrade(&["--repo", "up", "--path", "pkg", "--from", "v1", "--to", to]);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(message), "{said}");
        assert!(!room.path("copy/kmerge.yaml").exists());
    }
}

#[test]
fn a_package_may_move_upstream() {
    let room = versions(2);
    std::fs::create_dir(room.path("up/deploy")).expect("created");
    room.git(&["mv", "pkg", "deploy/pkg"]);
    room.git(&["commit", "--quiet", "-m", "move"]);
    let (output, said) = room.upgrade(&["--repo", "up", "--path", "pkg", "--from", "v1", "--to", "v2"]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    std::fs::write(room.path("up/deploy/pkg/web.yaml"), deployment(7)).expect("written");
    room.git(&["commit", "--quiet", "-am", "seven"]);
    let (output, said) = room.upgrade(&["--repo", "up", "--to", "main"]);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("it may have moved, try --path deploy/pkg"), "{said}");
    let (output, said) = room.upgrade(&["--repo", "up", "--to", "main", "--path", "deploy/pkg"]);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let copy = read(&room.path("copy"));
    assert_eq!(String::from_utf8_lossy(&copy["web.yaml"]), deployment(7));
    assert!(String::from_utf8_lossy(&copy["kmerge.yaml"]).contains("path: deploy/pkg\n"));
}
