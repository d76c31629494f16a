//! Every command of git that merges: merge, rebase, cherry-pick, revert, stash and more.

use crate::repo::{Repo, Versions};

/// A file in which three places can be changed apart from each other.
fn places(first: u32, second: u32, third: u32) -> String {
    format!("first: {first}\n#\n#\n#\nsecond: {second}\n#\n#\n#\nthird: {third}\n")
}

fn conflict(ours: &str, line: [&str; 2], theirs: &str) -> String {
    let [our_line, their_line] = line;
    format!("<<<<<<< {ours}\n{our_line}\n=======\n{their_line}\n>>>>>>> {theirs}\n")
}

#[test]
fn a_merge_takes_both_sides() {
    let (base, ours, theirs) = (places(0, 0, 0), places(1, 0, 0), places(0, 0, 1));
    let repo = Repo::diverged("a.yaml", &Versions { base: &base, ours: &ours, theirs: &theirs });
    repo.git(&["merge", "topic"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), places(1, 0, 1));
    assert_eq!(repo.git(&["status", "--porcelain"]).stdout, "");
}

#[test]
fn a_rebase_stops_at_each_of_three_conflicts() {
    let repo = Repo::new();
    repo.commit("a.yaml", &places(0, 0, 0));
    repo.git(&["branch", "topic"]).expect(0);
    repo.commit("a.yaml", &places(9, 9, 9));
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    for (first, second, third) in [(1, 0, 0), (1, 1, 0), (1, 1, 1)] {
        repo.commit("a.yaml", &places(first, second, third));
    }
    repo.git(&["rebase", "main"]).expect(1).expect_driver();
    for (step, line) in ["first", "second", "third"].into_iter().enumerate() {
        let marked = repo.read("a.yaml");
        let ours = format!("<<<<<<< HEAD\n{line}: 9\n=======\n{line}: 1\n>>>>>>> ");
        assert!(marked.contains(&ours), "{marked}");
        assert_eq!(marked.matches("<<<<<<<").count(), 1, "{marked}");
        let done = |place| if step >= place { 1 } else { 9 };
        repo.write("a.yaml", &places(done(0), done(1), done(2)));
        repo.git(&["add", "a.yaml"]).expect(0);
        repo.git(&["rebase", "--continue"]).expect(i32::from(step < 2));
    }
    assert_eq!(repo.read("a.yaml"), places(1, 1, 1));
    assert_eq!(repo.git(&["log", "--oneline", "main..topic"]).stdout.lines().count(), 3);
}

#[test]
fn a_cherry_pick_takes_one_commit() {
    let repo = Repo::new();
    repo.commit("a.yaml", &places(0, 0, 0));
    repo.git(&["branch", "topic"]).expect(0);
    repo.commit("a.yaml", &places(1, 0, 0));
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    repo.commit("a.yaml", &places(0, 5, 0));
    repo.commit("a.yaml", &places(0, 5, 6));
    repo.git(&["checkout", "--quiet", "main"]).expect(0);
    repo.git(&["cherry-pick", "topic"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), places(1, 0, 6));
}

#[test]
fn a_revert_takes_one_commit_back() {
    let repo = Repo::new();
    for (first, second) in [(0, 0), (1, 0), (1, 1)] {
        repo.commit("a.yaml", &places(first, second, 0));
    }
    repo.git(&["revert", "--no-edit", "HEAD~1"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), places(0, 1, 0));
    repo.commit("a.yaml", &places(7, 1, 0));
    repo.git(&["revert", "--no-edit", "HEAD~1"]).expect(1).expect_driver();
    let marked = repo.read("a.yaml");
    assert!(marked.starts_with("<<<<<<< HEAD\nfirst: 7\n=======\nfirst: 1\n>>>>>>> parent of "), "{marked}");
}

#[test]
fn a_stash_comes_back() {
    let repo = Repo::new();
    repo.commit("a.yaml", &places(0, 0, 0));
    repo.write("a.yaml", &places(0, 0, 1));
    repo.git(&["stash"]).expect(0);
    repo.commit("a.yaml", &places(1, 0, 0));
    repo.git(&["stash", "pop"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), places(1, 0, 1));

    repo.git(&["stash"]).expect(0);
    repo.commit("a.yaml", &places(1, 0, 2));
    repo.git(&["stash", "pop"]).expect(1).expect_driver();
    let expected = conflict("Updated upstream", ["third: 2", "third: 1"], "Stashed changes");
    assert!(repo.read("a.yaml").ends_with(&expected), "{}", repo.read("a.yaml"));
}

#[test]
fn a_checkout_carries_local_changes_over() {
    let (base, ours, theirs) = (places(0, 0, 0), places(1, 0, 0), places(0, 1, 0));
    let repo = Repo::diverged("a.yaml", &Versions { base: &base, ours: &ours, theirs: &theirs });
    repo.write("a.yaml", &places(1, 0, 5));
    repo.git(&["checkout", "-m", "topic"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), places(0, 1, 5));
}

#[test]
fn a_renamed_file_is_merged_under_its_new_name() {
    let repo = Repo::new();
    repo.commit("old.yaml", &places(0, 0, 0));
    repo.git(&["branch", "topic"]).expect(0);
    repo.git(&["mv", "old.yaml", "new.yaml"]).expect(0);
    repo.commit("new.yaml", &places(1, 0, 0));
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    repo.commit("old.yaml", &places(0, 0, 1));
    repo.git(&["checkout", "--quiet", "main"]).expect(0);
    let done = repo.git(&["merge", "topic"]).expect(0).expect_driver();
    assert!(done.stderr.contains("new.yaml"), "{done:?}");
    assert_eq!(repo.read("new.yaml"), places(1, 0, 1));
    assert!(!repo.exists("old.yaml"));
}

#[test]
fn a_merge_is_shown_again_without_leaving_anything_behind() {
    let repo = Repo::diverged("a.yaml", &Versions { base: "a: 1\n", ours: "a: 2\n", theirs: "a: 3\n" });
    repo.git(&["merge", "topic"]).expect(1);
    repo.commit("a.yaml", "a: 4\n");
    let shown = repo.git(&["show", "--remerge-diff"]).expect(0).expect_driver();
    assert!(shown.stdout.contains("-<<<<<<< "), "{shown:?}");
    assert_eq!(repo.git(&["status", "--porcelain", "--ignored"]).stdout, "");
}
