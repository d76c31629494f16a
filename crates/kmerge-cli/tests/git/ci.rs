//! `kmerge ci`: merges of commits in repositories that are not set up, with and without a working tree.

use pretty_assertions::assert_eq;

use crate::repo::{Repo, Versions};

const APART: Versions<'static> = Versions { base: "a: 1\nb: 1\n", ours: "a: 2\nb: 1\n", theirs: "a: 1\nb: 2\n" };
const BOTH: Versions<'static> = Versions { base: "a: 1\n", ours: "a: 2\n", theirs: "a: 3\n" };

fn diverged(versions: &Versions<'_>) -> Repo {
    let repo = Repo::plain();
    repo.diverge("a.yaml", versions);
    repo
}

fn show(repo: &Repo, tree: &str, file: &str) -> String {
    repo.git(&["show", &format!("{}:{file}", tree.trim())]).expect(0).stdout
}

#[test]
fn a_clean_merge_is_a_tree() {
    let repo = diverged(&APART);
    repo.write("untracked", "stays\n");
    let done = repo.kmerge(&["ci", "--base", "main", "--head", "topic"]).expect(0);
    assert_eq!(done.stderr, "");
    assert_eq!(show(&repo, &done.stdout, "a.yaml"), "a: 2\nb: 2\n");
    assert_eq!(repo.read("a.yaml"), APART.ours);
    assert_eq!(repo.git(&["status", "--porcelain"]).stdout, "?? untracked\n");
    assert!(!repo.read(".git/config").contains("kmerge"));
    let diff = repo.kmerge(&["ci", "--base", "main", "--head", "topic", "--diff"]).expect(0).stdout;
    assert!(diff.ends_with("@@ -1,2 +1,2 @@\n a: 2\n-b: 1\n+b: 2\n"), "{diff}");
}

#[test]
fn conflicts_are_listed_with_their_values() {
    let repo = diverged(&BOTH);
    let done = repo.kmerge(&["ci", "--base", "main", "--head", "topic"]).expect(1);
    assert_eq!(done.stderr, "a.yaml: .a: ours 2, theirs 3, base 1\n");
    assert_eq!(show(&repo, &done.stdout, "a.yaml"), "<<<<<<< main\na: 2\n=======\na: 3\n>>>>>>> topic\n");
    let json = repo.kmerge(&["ci", "--base", "main", "--head", "topic", "--format", "json"]).expect(1).stdout;
    for expected in ["\"clean\": false", "\"path\": \".a\"", "\"text\": \"3\"", "\"kind\": \"CONFLICT (contents)\""] {
        assert!(json.contains(expected), "{expected} in {json}");
    }
}

#[test]
fn conflicts_are_annotations_and_comments() {
    let repo = diverged(&BOTH);
    let ci = |format: &str, head: &str| repo.kmerge(&["ci", "--base", "main", "--head", head, "--format", format]);
    let annotations = ci("github", "topic").expect(1).stdout;
    let message = ".a: ours 2, theirs 3, base 1";
    assert_eq!(annotations, format!("::error file=a.yaml,line=1,col=1,title=conflict::{message}\n"));
    let comment = ci("markdown", "topic").expect(1).stdout;
    let row = "| <code>a.yaml</code> | <code>.a</code> | <code>2</code> | <code>1</code> | <code>3</code> | changed on both sides |\n";
    assert!(comment.ends_with(row), "{comment}");
    assert_eq!(ci("github", "main~1").expect(0).stdout, "");
    let clean = "kmerge merges <code>main&#126;1</code> into <code>main</code> without a conflict.\n";
    assert_eq!(ci("markdown", "main~1").expect(0).stdout, clean);
}

/// Long files are merged document by document: places count from the start of the file all the same.
#[test]
fn a_place_is_one_in_the_whole_file() {
    let file = |y: &str| format!("a: 1\nb: 1\n---\nx: 1\ny: {y}\n");
    let repo = diverged(&Versions { base: &file("1"), ours: &file("2"), theirs: &format!("# new\n{}", file("3")) });
    let ci =
        |format: &str| repo.kmerge(&["ci", "--base", "main", "--head", "topic", "--format", format]).expect(1).stdout;
    assert!(ci("github").starts_with("::error file=a.yaml,line=5,col=1,"), "{}", ci("github"));
    let json: serde_json::Value = serde_json::from_str(&ci("json")).unwrap();
    let place = &json["conflicts"][0]["places"][0];
    let lines = ["ours", "base", "theirs"].map(|side| place[side]["from"]["line"].as_u64().unwrap());
    assert_eq!((lines, place["ours"]["bytes"][0].as_u64()), ([5, 5, 6], Some(19)));
}

#[test]
fn bare_repositories_and_their_working_trees_merge_alike() {
    let repo = diverged(&APART);
    let tree = repo.kmerge(&["ci", "--base", "main", "--head", "topic"]).expect(0).stdout;
    repo.git(&["clone", "--quiet", "--bare", ".", "../bare"]).expect(0);
    let repo = repo.at_bare("../bare");
    assert_eq!(repo.kmerge(&["ci", "--base", "main", "--head", "topic"]).expect(0).stdout, tree);
    repo.git(&["worktree", "add", "--quiet", "../tree", "topic"]).expect(0);
    let repo = repo.at("../tree");
    assert_eq!(repo.kmerge(&["ci", "--base", "main", "--head", "HEAD"]).expect(0).stdout, tree);
}

#[test]
fn what_is_no_content_is_told_in_the_words_of_git() {
    let repo = diverged(&BOTH);
    repo.git(&["checkout", "--quiet", "-b", "gone", "main~1"]).expect(0);
    repo.git(&["rm", "--quiet", "a.yaml"]).expect(0);
    repo.git(&["commit", "--quiet", "-m", "gone"]).expect(0);
    let done = repo.kmerge(&["ci", "--base", "main", "--head", "gone"]).expect(1);
    assert!(done.stderr.starts_with("CONFLICT (modify/delete): a.yaml deleted in gone"), "{done:?}");
}

#[test]
fn a_renamed_file_is_followed() {
    let repo = diverged(&APART);
    repo.git(&["checkout", "--quiet", "-b", "moved", "main~1"]).expect(0);
    repo.git(&["mv", "a.yaml", "b.yaml"]).expect(0);
    repo.commit("b.yaml", APART.ours);
    repo.git(&["config", "merge.renames", "true"]).expect(0);
    let done = repo.kmerge(&["ci", "--base", "moved", "--head", "topic"]);
    // Half of such a small file is enough for git to see the rename.
    assert_eq!(show(&repo, &done.expect(0).stdout, "b.yaml"), "a: 2\nb: 2\n");
}

#[test]
fn several_bases_are_merged_first() {
    let repo = Repo::plain();
    crate::repo::criss_cross(&repo);
    let done = repo.kmerge(&["ci", "--base", "main", "--head", "topic"]).expect(1);
    assert_eq!(done.stderr, "a.yaml: .a: ours 4, theirs 3, base 0\n");
}

#[test]
fn what_cannot_be_merged_exits_2() {
    let repo = diverged(&BOTH);
    let refused = |repo: &Repo, base: &str, head: &str, why: &str| {
        let done = repo.kmerge(&["ci", "--base", base, "--head", head]).expect(2);
        assert!(done.stderr.contains(why) && done.stdout.is_empty(), "{why}: {done:?}");
    };
    refused(&repo, "main", "no-such-branch", "no-such-branch is not a commit");
    refused(&repo, "main:a.yaml", "topic", "is not a commit");
    repo.git(&["checkout", "--quiet", "--orphan", "alone"]).expect(0);
    repo.git(&["commit", "--quiet", "-m", "alone"]).expect(0);
    refused(&repo, "main", "alone", "no common ancestor");
    let top = format!("file://{}", repo.home().join("repo").display());
    repo.git(&["clone", "--quiet", "--depth=1", "--no-single-branch", &top, "../shallow"]).expect(0);
    refused(&repo.at("../shallow"), "origin/main", "origin/topic", "git fetch --unshallow");
    refused(&Repo::plain().at(".."), "main", "topic", "not a git repository");
}

#[test]
fn secrets_are_in_no_output() {
    let secret = |a: &str, b: &str| {
        let between = "  f: 1\n".repeat(9);
        format!("apiVersion: v1\n'kind': \"Secret\"\nmetadata: {{name: s}}\nstringData:\n  a: {a}\n{between}  b: {b}\n")
    };
    let (base, ours, theirs) = (secret("geheim1", "g"), secret("geheim1", "geheim2"), secret("geheim3", "g"));
    let repo = diverged(&Versions { base: &base, ours: &ours, theirs: &theirs });
    let diff = repo.kmerge(&["ci", "--base", "main", "--head", "topic", "--diff"]).expect(0).stdout;
    assert!(diff.contains("-  a: *** (before)\n+  a: *** (after)\n"), "{diff}");
    assert!(diff.starts_with("diff --git a/a.yaml b/a.yaml\nindex "), "{diff}");
    let (base, ours, theirs) = (secret("geheim1", "g"), secret("geheim2", "g"), secret("geheim3", "g"));
    let repo = diverged(&Versions { base: &base, ours: &ours, theirs: &theirs });
    for more in [&[][..], &["--diff"], &["--format", "json"]] {
        let done = repo.kmerge(&[&["ci", "--base", "main", "--head", "topic"], more].concat()).expect(1);
        assert!(!done.stdout.contains("geheim") && !done.stderr.contains("geheim"), "{done:?}");
        assert!(done.stdout.len() > 40, "{done:?}");
    }
}
