//! Repositories that name programs: git runs them, kmerge never lets it.

use pretty_assertions::assert_eq;

use crate::repo::{Done, Repo};

const ATTRIBUTES: &str = "* merge=evil diff=evil filter=evil\n";
/// Where a program that was run leaves its trace, beside the repository.
const WITNESS: &str = "../witness";

/// A repository in which `topic` is merged into `main` with several bases, and another merge has stopped at a conflict.
fn victim() -> Repo {
    let repo = Repo::plain();
    repo.write(".gitattributes", ATTRIBUTES);
    repo.git(&["add", "."]).expect(0);
    crate::repo::criss_cross(&repo);
    repo.git(&["branch", "before"]).expect(0);
    repo.git(&["merge", "topic"]).expect(1);
    repo.commit("a.yaml", "a: 5\n");
    repo.git(&["checkout", "--quiet", "-b", "other", "before"]).expect(0);
    repo.commit("a.yaml", "a: 6\n");
    repo.git(&["merge", "main"]).expect(1);
    repo.write("b.yaml", "a: 1\n");
    repo
}

/// Adds to the repository's own configuration; `RUN` is a command that leaves the trace.
fn plant(repo: &Repo, config: &str) {
    let old = repo.read(".git/config");
    repo.write(".git/config", &format!("{old}{}\n", config.replace("RUN", &run(repo))));
}

fn run(repo: &Repo) -> String {
    let script = repo.home().join("run");
    if !script.exists() {
        let text = format!("#!/bin/sh\ntouch {}\n", repo.home().join("witness").display());
        crate::repo::write_script(&script, &text);
    }
    script.display().to_string()
}

/// Runs every subcommand that reads files of a repository.
fn run_all(repo: &Repo) -> Vec<Done> {
    let commands: &[&[&str]] = &[
        &["check", "a.yaml"],
        &["check", "--merge", "main"],
        &["ci", "--base", "main", "--head", "topic"],
        &["ci", "--base", "before", "--head", "topic", "--diff"],
        &["diff", "a.yaml", "b.yaml"],
        &["explain", "keys", "b.yaml"],
        &["explain", "driver", "b.yaml", "a.yaml", "b.yaml"],
        &["driver", "b.yaml", "a.yaml", "b.yaml", "-o", "-"],
        &["get", "b.yaml", ".a"],
        &["set", "b.yaml", ".a", "2", "--diff"],
        &["delete", "b.yaml", ".a", "--diff"],
        &["merge2", "b.yaml", "b.yaml"],
        &["merge3", "--original", "b.yaml", "--updated", "b.yaml", "--dest", "b.yaml"],
        &["patch", "-p", "{}", "b.yaml"],
        &["apply", "--live", "b.yaml", "--config", "b.yaml"],
        &["last-applied", "view", "b.yaml"],
        &["resolve", "a.yaml", "--diff"],
        &["setup", "--check"],
        &["setup"],
        &["setup", "--undo"],
        &["recover", "."],
    ];
    commands.iter().map(|command| repo.kmerge(command)).collect()
}

/// The configuration, and a plain git command that runs what it names, where there is one that does so without a network.
const NAMED: [(&str, &[&str]); 14] = [
    ("[core]\n\tfsmonitor = RUN", &["status"]),
    ("[include]\n\tpath = ../../included", &["status"]),
    ("[diff]\n\texternal = RUN", &["diff", "main", "topic"]),
    ("[diff \"evil\"]\n\tcommand = RUN", &["diff", "main", "topic"]),
    ("[diff \"evil\"]\n\ttextconv = RUN", &["diff", "main", "topic"]),
    ("[filter \"evil\"]\n\tsmudge = RUN\n\tclean = RUN\n\trequired", &["cat-file", "--filters", "main:a.yaml"]),
    ("[filter \"evil\"]\n\tprocess = RUN", &["cat-file", "--filters", "main:a.yaml"]),
    ("[merge]\n\trenormalize\n[filter \"evil\"]\n\tsmudge = RUN", &["merge-tree", "before", "topic"]),
    ("[merge \"evil\"]\n\tdriver = RUN", &["merge-tree", "before", "topic"]),
    ("[merge \"evil\"]\n\tdriver = RUN\n[core]\n\tattributesFile = .gitattributes", &["merge-tree", "before", "topic"]),
    ("[merge \"evil\"]\n\trecursive = evil2\n[merge \"evil2\"]\n\tdriver = RUN", &[]),
    ("[alias]\n\tconfig = !RUN\n\tmerge-tree = !RUN\n\trev-parse = !RUN\n\tx = !RUN", &["x"]),
    (
        "[core]\n\teditor = RUN\n\tpager = RUN\n\tsshCommand = RUN\n\taskPass = RUN\n[pager]\n\tdiff = RUN\n\tconfig = RUN",
        &[],
    ),
    (
        "[gpg]\n\tprogram = RUN\n[commit]\n\tgpgSign\n[log]\n\tshowSignature",
        &["commit-tree", "-S", "main^{tree}", "-m", "x"],
    ),
];

#[test]
fn nothing_that_a_configuration_names_is_run() {
    for (config, proof) in NAMED {
        let repo = victim();
        repo.write("../included", &format!("[core]\n\tfsmonitor = {}\n", run(&repo)));
        plant(&repo, config);
        run_all(&repo);
        assert!(!repo.exists(WITNESS), "{config}");
        if let Some(first) = proof.first() {
            repo.git(proof);
            assert!(repo.exists(WITNESS), "git {first} should have run it: {config}");
        }
    }
}

#[test]
fn no_hook_is_run() {
    for planted in ["", "[core]\n\thooksPath = ../hooks"] {
        let repo = victim();
        let hooks = if planted.is_empty() { ".git/hooks" } else { "../hooks" };
        std::fs::create_dir_all(repo.home().join("repo").join(hooks)).unwrap();
        for hook in ["post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc", "fsmonitor-watchman"]
        {
            let script = repo.home().join("repo").join(hooks).join(hook);
            crate::repo::write_script(&script, &format!("#!/bin/sh\n{}\n", run(&repo)));
        }
        plant(&repo, planted);
        run_all(&repo);
        assert!(!repo.exists(WITNESS), "{planted}");
        repo.git(&["update-ref", "refs/heads/new", "main"]).expect(0);
        assert!(repo.exists(WITNESS));
    }
}

/// A missing object, and a remote that has promised it.
fn promise(repo: &Repo, git_dir: &str, object: &str) {
    let config = format!("{git_dir}/config");
    let old = repo.read(&config);
    let promisor = format!(
        "[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\turl = ext::{} %S\n\tpromisor = true\n\
         [protocol \"ext\"]\n\tallow = always\n",
        run(repo)
    );
    repo.write(
        &config,
        &format!("{}{promisor}", old.replace("repositoryformatversion = 0", "repositoryformatversion = 1")),
    );
    let (directory, file) = object.split_at(2);
    std::fs::remove_file(repo.home().join("repo").join(git_dir).join("objects").join(directory).join(file))
        .expect("an object of its own");
}

#[test]
fn what_a_remote_has_promised_is_not_fetched() {
    for object in ["main:a.yaml", "before:a.yaml", "topic^{tree}", "main~1"] {
        let repo = victim();
        let id = repo.git(&["rev-parse", object]).expect(0).stdout;
        promise(&repo, ".git", id.trim());
        let done = run_all(&repo);
        assert!(!repo.exists(WITNESS), "{object}");
        assert!(done.iter().all(|done| done.code != Some(101)), "{done:#?}");
        repo.git(&["cat-file", "-p", id.trim()]);
        assert!(repo.exists(WITNESS), "git itself should have fetched {object}");
    }
}

#[test]
fn what_looks_like_a_bare_repository_is_none() {
    let repo = Repo::plain();
    repo.commit("kmerge.yaml", "listKeys: []\n");
    let id = repo.git(&["rev-parse", "main:kmerge.yaml"]).expect(0).stdout;
    std::fs::create_dir(repo.home().join("tree")).unwrap();
    std::fs::rename(repo.home().join("repo/.git"), repo.home().join("repo/x")).unwrap();
    repo.write("x/config", &repo.read("x/config").replace("bare = false", "bare = true"));
    promise(&repo, "x", id.trim());
    let repo = repo.at("x");
    repo.write("a.yaml", "a: 1\n");
    repo.write("b.yaml", "a: 1\n");
    let witness = repo.home().join("witness");
    run_all(&repo);
    assert!(!witness.exists());
    let refused = repo.kmerge(&["ci", "--base", "main", "--head", "main"]).expect(2);
    assert!(refused.stderr.contains("a bare repository has to be named, as in GIT_DIR=. kmerge"), "{refused:?}");
    assert_eq!(repo.kmerge(&["get", "a.yaml", ".a"]).expect(0).stdout, "1\n");
    // Named, it is read, and still fetches nothing.
    let named = repo.run(env!("CARGO_BIN_EXE_kmerge"), &["check", "a.yaml"], &[("GIT_DIR", ".")]);
    assert!(!witness.exists(), "{named:?}");
    repo.git(&["cat-file", "-p", id.trim()]);
    assert!(witness.exists(), "git itself should have fetched it");
}

#[test]
fn a_driver_of_the_user_still_runs_and_one_of_the_repository_is_a_merge_of_lines() {
    let repo = Repo::plain();
    repo.write(".gitattributes", "*.lock merge=mine\n");
    repo.git(&["add", "."]).expect(0);
    repo.diverge("a.lock", &crate::repo::Versions { base: "1\n", ours: "2\n", theirs: "3\n" });
    let ci = ["ci", "--base", "main", "--head", "topic"];
    repo.git(&["config", "--global", "merge.mine.driver", "true"]).expect(0);
    let tree = repo.kmerge(&ci).expect(0).stdout;
    assert_eq!(repo.git(&["show", &format!("{}:a.lock", tree.trim())]).stdout, "2\n");
    repo.git(&["config", "merge.mine.driver", "true"]).expect(0);
    let tree = repo.kmerge(&ci).expect(1).stdout;
    let shown = repo.git(&["show", &format!("{}:a.lock", tree.trim())]).stdout;
    assert_eq!(shown, "<<<<<<< main\n2\n=======\n3\n>>>>>>> topic\n");
}

#[test]
fn one_function_builds_every_git_command() {
    let mut open = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let programs = text.match_indices("Command::new(").map(|(at, call)| {
            let name = text[at + call.len()..].split(')').next().unwrap_or_default();
            format!("{} {name}", path.file_name().unwrap().display())
        });
        found.extend(programs);
    }
    found.sort();
    // kubectl, the editor, the shell that finds it and what opens a page are the user's own; tests start themselves.
    let others = ["editor.rs \"sh\"", "kubectl.rs \"kubectl\"", "serve.rs opener", "tests.rs std::env::current_exe("];
    found.retain(|program| !others.contains(&program.as_str()));
    assert_eq!(found, ["command.rs \"git\""]);
}

#[cfg(unix)]
#[test]
fn rules_that_a_tree_brings_are_read_from_a_plain_file_only() {
    let plant = |how: &dyn Fn(&std::path::Path)| {
        let repo = Repo::plain();
        repo.write("a.yaml", "a: 1\n");
        repo.write("../secret", "password: geheim\n");
        how(&repo.home().join("repo/kmerge.yaml"));
        let done = repo.kmerge(&["merge2", "a.yaml", "a.yaml"]).expect(2);
        assert!(done.stderr.contains("KM0006") && done.stderr.contains("--rules"), "{done:?}");
        assert!(!done.stderr.contains("geheim"), "{done:?}");
        // A merge for git goes on without them.
        let driven = repo.kmerge(&["driver", "a.yaml", "a.yaml", "a.yaml"]).expect(0);
        assert!(driven.stderr.contains("merged without the rules"), "{driven:?}");
        assert!(!driven.stderr.contains("geheim"), "{driven:?}");
        done.stderr
    };
    let link = |target: &'static str| plant(&move |path| std::os::unix::fs::symlink(target, path).unwrap());
    for target in ["../secret", "/dev/zero", "missing", ".git/config"] {
        assert!(link(target).contains("kmerge.yaml is a symbolic link"), "{target}");
    }
    let fifo = plant(&|path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success()));
    assert!(fifo.contains("kmerge.yaml is not a plain file"), "{fifo}");
    let large = plant(&|path| std::fs::write(path, "#".repeat(2 << 20)).unwrap());
    assert!(large.contains("kmerge.yaml has more than 1048576 bytes"), "{large}");
}

#[test]
fn names_of_files_reach_no_terminal_as_they_are() {
    const NAME: &str = "a\u{1b}[45m\u{9b}\u{202e}\n.yaml";
    let repo = Repo::plain();
    repo.diverge(NAME, &crate::repo::Versions { base: "a: 1\n", ours: "a: 2\n", theirs: "a: 3\n" });
    let check = |args: &[&str]| {
        let done = repo.kmerge(&[args, &["--color", "always"]].concat());
        let shown = done.stdout + &done.stderr;
        assert!(!shown.contains(['\u{9b}', '\u{202e}']) && !shown.contains("\u{1b}[45m"), "{args:?} {shown:?}");
        assert!(!shown.lines().any(|line| line.starts_with(".yaml")), "{args:?} {shown:?}");
        assert!(shown.contains(".yaml"), "{args:?} {shown:?}");
    };
    check(&["ci", "--base", "main", "--head", "topic"]);
    check(&["ci", "--base", "main", "--head", "topic", "--diff"]);
    check(&["ci", "--base", "main", "--head", "topic", "--format", "json"]);
    repo.git(&["merge", "topic"]).expect(1);
    check(&["resolve", NAME]);
    check(&["resolve", NAME, "--diff"]);
    repo.commit(NAME, "a: 1\n");
    check(&["check", "--merge", "HEAD"]);
    check(&["check", "--merge", "HEAD", "--format", "github"]);
    check(&["driver", NAME, NAME, "none.yaml"]);
}
