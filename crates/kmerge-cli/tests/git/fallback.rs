//! A missing, broken or failing binary must not cost anyone a side of a merge.

use crate::repo::{Repo, Versions};

const BOTH: Versions<'static> = Versions { base: "a: 1\n", ours: "a: 2\n", theirs: "a: 3\n" };
const MARKED: &str = "<<<<<<< HEAD\na: 2\n=======\na: 3\n>>>>>>> topic\n";

#[test]
fn without_the_binary_git_merges_lines() {
    let repo = Repo::diverged("a.yaml", &BOTH).without_kmerge(None);
    repo.git(&["merge", "topic"]).expect(1);
    assert_eq!(repo.read("a.yaml"), MARKED);
}

#[test]
fn without_the_binary_the_style_of_markers_holds() {
    let repo = Repo::diverged("a.yaml", &BOTH).without_kmerge(None);
    repo.git(&["config", "merge.conflictStyle", "diff3"]).expect(0);
    repo.write(
        ".git/info/attributes",
        &format!("{}*.yaml conflict-marker-size=9\n", repo.read(".git/info/attributes")),
    );
    repo.git(&["merge", "topic"]).expect(1);
    let marked = repo.read("a.yaml");
    assert!(marked.starts_with("<<<<<<<<< HEAD\na: 2\n||||||||| "), "{marked}");
}

#[test]
fn without_the_binary_a_clean_merge_is_clean() {
    let versions = Versions { base: "a: 1\n# -\nb: 1\n", ours: "a: 2\n# -\nb: 1\n", theirs: "a: 1\n# -\nb: 2\n" };
    let repo = Repo::diverged("a.yaml", &versions).without_kmerge(None);
    repo.git(&["merge", "topic"]).expect(0);
    assert_eq!(repo.read("a.yaml"), "a: 2\n# -\nb: 2\n");
}

#[test]
fn a_binary_that_cannot_run_counts_as_missing() {
    for broken in ["#!/no/such/interpreter\n", "#!/bin/sh\nexit 126\n", "#!/bin/sh\nexit 127\n"] {
        let repo = Repo::diverged("a.yaml", &BOTH).without_kmerge(Some(broken));
        repo.git(&["merge", "topic"]).expect(1).expect_driver();
        assert_eq!(repo.read("a.yaml"), MARKED, "{broken:?}");
    }
}

#[test]
fn a_driver_that_fails_aborts_the_merge_and_leaves_the_tree() {
    let repo = Repo::diverged("a.yaml", &BOTH).without_kmerge(Some("#!/bin/sh\nexit 129\n"));
    let done = repo.git(&["merge", "topic"]);
    assert!(done.code.is_some_and(|code| code > 1), "{done:?}");
    assert_eq!(repo.read("a.yaml"), BOTH.ours);
    assert_eq!(repo.git(&["status", "--porcelain"]).stdout, "");
}

#[test]
fn what_cannot_be_read_and_bad_usage_exit_129() {
    let repo = Repo::plain();
    repo.write("ours", "a: 1\n");
    let unreadable = repo.kmerge(&["driver", "missing", "ours", "ours"]).expect(129);
    assert!(unreadable.stderr.contains("missing"), "{unreadable:?}");
    repo.kmerge(&["driver", "ours"]).expect(129);
    repo.kmerge(&["driver", "ours", "ours", "ours", "--frobnicate"]).expect(129);
    repo.kmerge(&["driver", "ours", "ours", "ours", "-l", "many"]).expect(129);
    repo.kmerge(&["driver", "--help"]).expect(0);
    assert_eq!(repo.read("ours"), "a: 1\n");
}
