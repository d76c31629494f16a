//! What git by itself leaves in conflict, in every command that merges: neighbouring fields.

use pretty_assertions::assert_eq;

use crate::repo::{Repo, Versions};

fn fields(first: u32, second: u32) -> String {
    format!("first: {first}\nsecond: {second}\n")
}

/// `main` has changed the first field of `a.yaml`, `topic` the second one; ends on `main`.
fn diverged() -> Repo {
    let (base, ours, theirs) = (fields(0, 0), fields(1, 0), fields(0, 1));
    Repo::diverged("a.yaml", &Versions { base: &base, ours: &ours, theirs: &theirs })
}

#[test]
fn merge() {
    let repo = diverged();
    repo.git(&["-c", "merge.kmerge.driver=git merge-file %A %O %B", "merge", "topic"]).expect(1);
    repo.git(&["merge", "--abort"]).expect(0);
    repo.git(&["merge", "topic"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), fields(1, 1));
    assert_eq!(repo.git(&["log", "--oneline", "--merges"]).stdout.lines().count(), 1);
}

#[test]
fn options_about_blanks() {
    for option in ["ignore-space-change", "ignore-all-space", "renormalize", "patience"] {
        let repo = diverged();
        repo.git(&["merge", "-X", option, "topic"]).expect(0).expect_driver();
        assert_eq!(repo.read("a.yaml"), fields(1, 1), "{option}");
    }
}

#[test]
fn rebase_of_several_commits() {
    let repo = diverged();
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    repo.commit("a.yaml", &fields(0, 2));
    repo.commit("a.yaml", &fields(0, 3));
    repo.git(&["rebase", "main"]).expect(0).expect_driver();
    for (commit, second) in [("HEAD~2", 1), ("HEAD~1", 2), ("HEAD", 3)] {
        assert_eq!(repo.git(&["show", &format!("{commit}:a.yaml")]).stdout, fields(1, second));
    }
}

#[test]
fn cherry_pick_and_revert() {
    let repo = diverged();
    repo.git(&["cherry-pick", "topic"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), fields(1, 1));
    repo.git(&["revert", "--no-edit", "HEAD~1"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), fields(0, 1));
}

#[test]
fn stash_and_checkout() {
    let repo = diverged();
    repo.write("a.yaml", &fields(1, 7));
    repo.git(&["stash"]).expect(0);
    repo.commit("a.yaml", &fields(2, 0));
    repo.git(&["stash", "pop"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), fields(2, 7));
    repo.git(&["checkout", "--quiet", "a.yaml"]).expect(0);
    repo.write("a.yaml", "first: 2\n");
    repo.git(&["checkout", "--merge", "topic"]).expect(0).expect_driver();
    let both = "<<<<<<< topic\nsecond: 1\n=======\n>>>>>>> local\n";
    assert_eq!(repo.read("a.yaml"), format!("first: 0\n{both}"));
}

#[test]
fn mailed_patches() {
    let repo = diverged();
    repo.git(&["format-patch", "-1", "topic", "--output=../a.patch"]).expect(0);
    repo.git(&["apply", "--3way", "../a.patch"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), fields(1, 1));
    repo.git(&["reset", "--quiet", "--hard"]).expect(0);
    repo.git(&["am", "--3way", "../a.patch"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), fields(1, 1));
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]).stdout, "first: 0\n");
}

#[test]
fn files_renamed_on_one_side() {
    let head = "# a comment that says more than one line of fields does\n".repeat(3);
    let long = |first, second| head.clone() + &fields(first, second);
    let (base, ours, theirs) = (long(0, 0), long(1, 0), long(2, 1));
    let repo = Repo::diverged("b.yaml", &Versions { base: &base, ours: &ours, theirs: &theirs });
    repo.git(&["mv", "b.yaml", "c.yaml"]).expect(0);
    repo.git(&["commit", "--quiet", "-m", "renamed"]).expect(0);
    repo.git(&["merge", "topic"]).expect(1).expect_driver();
    let hunk = "<<<<<<< HEAD:c.yaml\nfirst: 1\n=======\nfirst: 2\n>>>>>>> topic:b.yaml\nsecond: 1\n";
    assert_eq!(repo.read("c.yaml"), head + hunk);
}

#[test]
fn files_added_by_both() {
    let repo = Repo::new();
    repo.commit("README", "a file so that there is a first commit\n");
    repo.git(&["branch", "topic"]).expect(0);
    repo.commit("a.yaml", "a: 1\nb: 1\n");
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    repo.commit("a.yaml", "a: 1\nc: 1\n");
    repo.git(&["checkout", "--quiet", "main"]).expect(0);
    // Each has a field that the other lacks.
    repo.git(&["merge", "topic"]).expect(1).expect_driver();
    assert_eq!(repo.read("a.yaml"), "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nc: 1\n>>>>>>> topic\n");
}

#[test]
fn histories_that_cross() {
    let repo = diverged();
    repo.git(&["branch", "topic1", "topic"]).expect(0);
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    repo.git(&["merge", "main"]).expect(0).expect_driver();
    repo.commit("a.yaml", &fields(5, 1));
    repo.git(&["checkout", "--quiet", "main"]).expect(0);
    repo.git(&["merge", "topic1"]).expect(0).expect_driver();
    repo.commit("a.yaml", &fields(1, 6));
    repo.git(&["merge", "topic"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), fields(5, 6));
}
