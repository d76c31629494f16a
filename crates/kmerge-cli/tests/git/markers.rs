//! What stands in a file after a merge with conflicts.

use crate::repo::{Done, Repo, Versions, criss_cross};

const BOTH: Versions<'static> = Versions { base: "a: 1\n", ours: "a: 2\n", theirs: "a: 3\n" };

#[test]
fn markers_carry_the_labels_of_git() {
    let repo = Repo::diverged("a.yaml", &BOTH);
    repo.git(&["merge", "topic"]).expect(1).expect_driver();
    assert_eq!(repo.read("a.yaml"), "<<<<<<< HEAD\na: 2\n=======\na: 3\n>>>>>>> topic\n");
}

#[test]
fn markers_have_the_style_of_git() {
    for style in ["diff3", "zdiff3"] {
        let repo = Repo::diverged("a.yaml", &BOTH);
        repo.git(&["config", "merge.conflictStyle", style]).expect(0);
        repo.git(&["merge", "topic"]).expect(1).expect_driver();
        let marked = repo.read("a.yaml");
        assert!(marked.starts_with("<<<<<<< HEAD\na: 2\n||||||| "), "{marked}");
        assert!(marked.ends_with("\na: 1\n=======\na: 3\n>>>>>>> topic\n"), "{marked}");
    }
}

#[test]
fn the_style_is_found_wherever_git_finds_it() {
    const STYLE: &str = "[merge]\n\tconflictstyle = diff3\n";
    let merge = ["merge", "topic"];
    let is_asked = |done: &Done| done.stderr.contains("git --no-pager");
    let is_in_style = |repo: &Repo| repo.read("a.yaml").contains("\n||||||| ");
    let diverged = || Repo::diverged("a.yaml", &BOTH);

    let repo = diverged();
    let done = repo.git(&merge).expect(1).expect_driver();
    // There is none, which kmerge knows without asking git; on other systems, git may have files anywhere.
    assert_eq!(is_asked(&done), !cfg!(target_os = "linux"), "{done:?}");
    assert!(!is_in_style(&repo));

    let repo = diverged();
    repo.git(&["-c", "merge.conflictStyle=diff3", "merge", "topic"]).expect(1).expect_driver();
    assert!(is_in_style(&repo), "an option");

    for file in [".gitconfig", ".config/git/config"] {
        let repo = diverged();
        let path = repo.home().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, STYLE).unwrap();
        repo.git(&merge).expect(1).expect_driver();
        assert!(is_in_style(&repo), "{file}");
    }

    let repo = diverged();
    repo.git(&["config", "include.path", "../../own"]).expect(0);
    std::fs::write(repo.home().join("own"), STYLE).unwrap();
    repo.git(&merge).expect(1).expect_driver();
    assert!(is_in_style(&repo), "an included file");

    let repo = diverged();
    repo.git(&["config", "merge.conflictStyle", "diff3"]).expect(0);
    repo.git(&["worktree", "add", "--quiet", "../other", "-b", "other"]).expect(0);
    let repo = repo.at("../other");
    repo.git(&merge).expect(1).expect_driver();
    assert!(is_in_style(&repo), "another working tree");
}

#[test]
fn markers_have_the_size_of_git() {
    let repo = Repo::diverged("a.yaml", &BOTH);
    let attributes = repo.read(".git/info/attributes");
    repo.write(".git/info/attributes", &format!("{attributes}*.yaml conflict-marker-size=12\n"));
    repo.git(&["merge", "topic"]).expect(1).expect_driver();
    assert!(repo.read("a.yaml").starts_with("<<<<<<<<<<<< HEAD\na: 2\n============\n"));
}

#[test]
fn both_added_the_file() {
    let repo = Repo::new();
    repo.commit("README", "a file so that there is a first commit\n");
    repo.git(&["branch", "topic"]).expect(0);
    repo.commit("a.yaml", "a: 1\nb: 1\n");
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    repo.commit("a.yaml", "a: 1\nb: 2\n");
    repo.git(&["checkout", "--quiet", "main"]).expect(0);
    repo.git(&["merge", "topic"]).expect(1).expect_driver();
    assert_eq!(repo.read("a.yaml"), "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> topic\n");
}

#[test]
fn strategy_options_do_not_reach_a_driver() {
    for option in ["ours", "theirs"] {
        let repo = Repo::diverged("a.yaml", &BOTH);
        repo.git(&["merge", "-X", option, "topic"]).expect(1).expect_driver();
        assert_eq!(repo.read("a.yaml"), "<<<<<<< HEAD\na: 2\n=======\na: 3\n>>>>>>> topic\n");
    }
}

#[test]
fn a_resolution_is_remembered() {
    let repo = Repo::diverged("a.yaml", &BOTH);
    repo.git(&["config", "rerere.enabled", "true"]).expect(0);
    repo.git(&["merge", "topic"]).expect(1).expect_driver();
    repo.commit("a.yaml", "a: 4\n");
    repo.git(&["reset", "--quiet", "--hard", "HEAD~1"]).expect(0);
    let again = repo.git(&["merge", "topic"]).expect(1);
    assert!(again.stderr.contains("Resolved 'a.yaml' using previous resolution."), "{again:?}");
    assert_eq!(repo.read("a.yaml"), "a: 4\n");
}

#[test]
fn binary_content_is_left_to_people() {
    let repo = Repo::diverged("a.yaml", &Versions { base: "1\n\0", ours: "2\n\0", theirs: "1\n\0\n" });
    let done = repo.git(&["merge", "topic"]).expect(1).expect_driver();
    assert!(done.stderr.contains("kmerge: a.yaml: binary"), "{done:?}");
    assert_eq!(repo.read("a.yaml"), "2\n\0");
}

#[test]
fn a_virtual_ancestor_holds_no_markers() {
    let repo = Repo::new();
    criss_cross(&repo);
    repo.git(&["config", "merge.conflictStyle", "diff3"]).expect(0);
    let done = repo.git(&["merge", "topic"]).expect(1).expect_driver();
    assert!(done.stderr.contains("driver --on-conflict base"), "{done:?}");
    let label = "merged common ancestors";
    let expected = format!("<<<<<<< HEAD\na: 4\n||||||| {label}\na: 0\n=======\na: 3\n>>>>>>> topic\n");
    assert_eq!(repo.read("a.yaml"), expected);
}
