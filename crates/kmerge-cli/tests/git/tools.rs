//! kmerge as a tool of `git mergetool` and `git difftool`, as `kmerge setup` registers it.

use pretty_assertions::assert_eq;

use crate::repo::{Repo, Versions};

/// A merge that git did by lines, after which kmerge was set up.
fn conflicted(versions: &Versions<'_>) -> Repo {
    let repo = Repo::plain();
    repo.diverge("a.yaml", versions);
    repo.git(&["merge", "topic"]).expect(1);
    repo.kmerge(&["setup"]).expect(0);
    repo.git(&["config", "mergetool.keepBackup", "false"]).expect(0);
    repo
}

fn status(repo: &Repo) -> String {
    repo.git(&["status", "--porcelain"]).expect(0).stdout
}

#[test]
fn mergetool_adds_what_is_resolved() {
    let repo = conflicted(&Versions { base: "a: 1\nb: 1\n", ours: "a: 2\nb: 1\n", theirs: "a: 1\nb: 2\n" });
    repo.git(&["mergetool", "--tool=kmerge", "--no-prompt"]).expect(0);
    assert_eq!(repo.read("a.yaml"), "a: 2\nb: 2\n");
    assert_eq!(status(&repo), "M  a.yaml\n");
}

#[test]
fn mergetool_leaves_what_is_not() {
    let repo = conflicted(&Versions { base: "a: 1\nb: 1\n", ours: "a: 2\nb: 2\n", theirs: "a: 3\nb: 1\n" });
    let done = repo.git(&["mergetool", "--tool=kmerge", "--no-prompt"]).expect(1);
    assert!(done.stderr.contains("a.yaml: 1 conflict left of 1"), "{done:?}");
    assert!(repo.read("a.yaml").contains("<<<<<<< HEAD"));
    assert_eq!(status(&repo), "UU a.yaml\n");
}

#[test]
fn mergetool_keeps_what_is_solved_where_conflicts_are_left() {
    for backup in ["true", "false"] {
        let repo = conflicted(&Versions {
            base: "a: 1\nb: 1\n#\n#\n#\n#\nc: 1\n",
            ours: "a: 2\nb: 1\n#\n#\n#\n#\nc: 2\n",
            theirs: "a: 1\nb: 2\n#\n#\n#\n#\nc: 3\n",
        });
        repo.git(&["config", "mergetool.keepBackup", backup]).expect(0);
        repo.git(&["mergetool", "--tool=kmerge", "--no-prompt"]).expect(1);
        let left = "a: 2\nb: 2\n#\n#\n#\n#\n<<<<<<< HEAD\nc: 2\n=======\nc: 3\n>>>>>>> topic\n";
        assert_eq!(repo.read("a.yaml"), left);
    }
}

#[test]
fn difftool_shows_differences_by_structure() {
    let repo = Repo::new();
    repo.commit("a.yaml", "# about a\na: 1\nb: {c: 1, d: 2}\n");
    repo.write("a.yaml", "b:\n  d: 2\n  c: 5\na: 1\n");
    let shown = repo.git(&["difftool", "--tool=kmerge", "--no-prompt"]).expect(0).stdout;
    assert!(shown.contains(".b.c") && !shown.contains(".a") && !shown.contains(".d"), "{shown}");
    repo.write("a.yaml", "b: {d: 2, c: 1}\na: 1\n");
    assert_eq!(repo.git(&["difftool", "--tool=kmerge", "--no-prompt"]).expect(0).stdout, "");
}

/// What jj runs, with its variables filled in, as the documentation configures it.
fn jj(repo: &Repo, path: &str) -> crate::repo::Done {
    let document = include_str!("../../../../docs/guides/jj.md");
    let line = document.lines().find(|line| line.starts_with("merge-args = ")).expect("it is documented");
    let mut arguments: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
    for argument in &mut arguments {
        *argument = match *argument {
            "$base" => "base.tmp",
            "$left" => "left.tmp",
            "$right" => "right.tmp",
            "$output" => "output.tmp",
            "$marker_length" => "9",
            "$path" => path,
            other => other,
        };
    }
    repo.write("output.tmp", "");
    repo.kmerge(&arguments)
}

#[test]
fn jj_gets_merged_files_and_conflicts_that_it_can_read() {
    let repo = Repo::plain();
    let write = |left: &str| {
        for (file, text) in [("base.tmp", "a: 1\nb: 1\n"), ("left.tmp", left), ("right.tmp", "a: 1\nb: 2\n")] {
            repo.write(file, text);
        }
    };
    write("a: 2\nb: 1\n");
    jj(&repo, "a.yaml").expect(0);
    assert_eq!((repo.read("output.tmp"), repo.read("left.tmp")), ("a: 2\nb: 2\n".into(), "a: 2\nb: 1\n".into()));
    write("a: 2\nb: 3\n");
    let done = jj(&repo, "-dir/a.yaml").expect(1);
    assert!(done.stderr.starts_with("kmerge: -dir/a.yaml:3: .b: "), "{done:?}");
    let expected = "a: 2\n<<<<<<<<< ours\nb: 3\n||||||||| base\nb: 1\n=========\nb: 2\n>>>>>>>>> theirs\n";
    assert_eq!((repo.read("output.tmp").as_str(), repo.read("left.tmp").as_str()), (expected, "a: 2\nb: 3\n"));
}
