//! `kmerge check --merge`: what finished merges lack of their parents.

use pretty_assertions::assert_eq;

use crate::repo::{Done, Repo, Versions, criss_cross};

const VERSIONS: Versions<'static> =
    Versions { base: "a: 1\nb: 1\nc: 1\n", ours: "a: 2\nb: 1\nc: 2\n", theirs: "a: 1\nb: 2 # why\nc: 3\nd: 1\n" };

/// A repository in which `main` is a merge of both sides that holds `result`.
fn merged(versions: &Versions<'_>, result: &str) -> Repo {
    let repo = Repo::plain();
    repo.diverge("a.yaml", versions);
    repo.git(&["merge", "--no-commit", "topic"]);
    repo.commit("a.yaml", result);
    repo
}

fn check(repo: &Repo, code: i32) -> Done {
    repo.kmerge(&["check", "--merge", "HEAD", "--format", "github"]).expect(code)
}

/// The findings without the ids of commits.
fn findings(done: &Done) -> Vec<String> {
    let line = |line: &str| {
        let line = line.replace(",title=KM0025", "").replace("the merge does not have what ", "lacks ");
        let mut parts = line.split(" (");
        let first = parts.next().unwrap_or_default().to_owned();
        let is_id = |part: &&str| part.find(')') == Some(7) && part[..7].bytes().all(|byte| byte.is_ascii_hexdigit());
        parts.fold(first, |line, part| line + &if is_id(&part) { part[8..].to_owned() } else { format!(" ({part}") })
    };
    done.stdout.lines().map(line).collect()
}

#[test]
fn a_merge_with_everything_is_fine_and_a_choice_is_a_warning() {
    let repo = merged(&VERSIONS, "a: 2\nb: 2 # why\nc: 3\nd: 1\n");
    let expected = "::warning file=a.yaml,line=3,col=1::.c: both parents changed it, and lacks parent 1 changed: base 1, parent 1 2, merge 3";
    assert_eq!(findings(&check(&repo, 0)), [expected]);
    repo.kmerge(&["check", "--merge", "HEAD", "--strict", "--quiet"]).expect(1);
}

#[test]
fn what_is_missing_is_told_with_its_values() {
    let repo = merged(&VERSIONS, "a: 1\nb: 2\nc: 2\n");
    let expected = [
        "::error file=a.yaml,line=1,col=1::.a: lacks parent 1 changed: base 1, parent 1 2, merge 1",
        "::error file=a.yaml,line=2,col=4::.b (comment beside): lacks parent 2 changed: base nothing, parent 2 # why, merge nothing",
        "::warning file=a.yaml,line=3,col=1::.c: both parents changed it, and lacks parent 2 changed: base 1, parent 2 3, merge 2",
        "::error file=a.yaml,line=1,col=1::.d: lacks parent 2 changed: base nothing, parent 2 1, merge nothing",
    ];
    assert_eq!(findings(&check(&repo, 1)), expected);
    let json = repo.kmerge(&["check", "--merge", "HEAD", "--format", "json"]).expect(1).stdout;
    assert!(json.contains("\"parent\": \"2\"") && json.contains("\"path\": \".a\""), "{json}");
}

#[test]
fn a_removal_where_the_other_parent_moved_the_item_is_there() {
    let versions = Versions { base: "u:\n- a\n- b\n- c\n", ours: "u:\n- a\no:\n- b\n- c\n", theirs: "u:\n- a\n- b\n" };
    assert_eq!(findings(&check(&merged(&versions, "u:\n- a\no:\n- b\n"), 0)), [""; 0]);
    let lost = check(&merged(&versions, versions.theirs), 1);
    assert_eq!(findings(&lost).len(), 2, "{lost:?}");
}

#[test]
fn what_a_merge_of_lines_breaks_is_found() {
    let lines = "a: 1\n# 1\n# 2\n# 3\n# 4\nb: 1\n";
    let versions = Versions { base: lines, ours: &format!("new: 1\n{lines}"), theirs: &format!("{lines}new: 1\n") };
    let repo = Repo::plain();
    repo.diverge("a.yaml", &versions);
    repo.git(&["merge", "-m", "by lines", "topic"]).expect(0);
    let expected = "::error file=a.yaml,line=8,col=1,title=KM0017::the mapping has the key `new` twice";
    assert_eq!(findings(&check(&repo, 1)), [expected]);
}

#[test]
fn markers_and_templates() {
    let marked = "a: 2\n<<<<<<< x\n=======\n>>>>>>> y\n";
    let done = check(&merged(&VERSIONS, marked), 1);
    assert!(done.stdout.starts_with("::error file=a.yaml,line=2,col=1,title=KM0016"), "{done:?}");
    let versions = Versions {
        base: "{{ if x }}\na: 1\n# 1\n# 2\n# 3\n# 4\nb: 1\n",
        ours: "{{ if x }}\na: 2\n# 1\n# 2\n# 3\n# 4\nb: 1\n",
        theirs: "{{ if x }}\na: 1\n# 1\n# 2\n# 3\n# 4\nb: 2\n",
    };
    check(&merged(&versions, "{{ if x }}\na: 2\n# 1\n# 2\n# 3\n# 4\nb: 2\n"), 0);
    let expected = "::error file=a.yaml,line=1,col=1::the merge does not have 2 lines as parent 2 changed them";
    assert_eq!(findings(&check(&merged(&versions, versions.ours), 1)), [expected]);
}

#[test]
fn secrets_are_not_told() {
    let secret = |value: &str| {
        format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\n# 1\n# 2\n# 3\nstringData:\n  k: {value}\n")
    };
    let versions = Versions { base: &secret("g1"), ours: &format!("# c\n{}", secret("g1")), theirs: &secret("g2") };
    let repo = merged(&versions, versions.ours);
    for format in ["text", "github", "json"] {
        let shown = repo.kmerge(&["check", "--merge", "HEAD", "--format", format]).expect(1).stdout;
        assert!(shown.contains(".stringData.k") && !shown.contains("g1") && !shown.contains("g2"), "{shown}");
    }
}

#[test]
fn a_renamed_key_is_followed() {
    let fields = |key: &str, x: u32| format!("a: 1\n{key}:\n  x: {x}\n  y: 1\nz: 1\n");
    let (base, ours, theirs) = (fields("env", 1), fields("environ", 1), fields("env", 2));
    let versions = Versions { base: &base, ours: &ours, theirs: &theirs };
    let repo = merged(&versions, &fields("environ", 2));
    assert_eq!(findings(&check(&repo, 0)), [""; 0]);
    let found = findings(&check(&merged(&versions, &fields("environ", 1)), 1));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains(".environ.x: lacks parent 2 "), "{found:?}");
    // A scalar is known by its place as well.
    let versions = Versions { base: "a: 1\nb: 1\n", ours: "a: 1\nbee: 1\n", theirs: "a: 1\nb: 2\n" };
    assert_eq!(findings(&check(&merged(&versions, "a: 1\nbee: 2\n"), 0)), [""; 0]);
}

#[test]
fn a_scalar_that_one_parent_moved_and_the_other_changed_is_followed() {
    let text = |a: &str, b: &str| format!("a:\n{a}  l: 1\nb:\n  m: 1\n{b}");
    let (base, ours, theirs) = (text("  k: 1\n", ""), text("", "  k: 1\n"), text("  k: 2\n", ""));
    let versions = Versions { base: &base, ours: &ours, theirs: &theirs };
    assert_eq!(findings(&check(&merged(&versions, &text("", "  k: 2\n")), 0)), [""; 0]);
    // A merge that keeps the old value lacks the change, and one that has a third value, both.
    let found = findings(&check(&merged(&versions, &ours), 0));
    assert!(found.len() == 1 && found[0].contains(".a.k: both parents changed it"), "{found:?}");
    assert_eq!(findings(&check(&merged(&versions, &text("", "  k: 3\n")), 1)).len(), 2);
    // What was copied did not move.
    let copied = text("  k: 1\n", "  k: 1\n");
    let versions = Versions { ours: &copied, ..versions };
    assert_eq!(findings(&check(&merged(&versions, &text("", "  k: 2\n")), 1)).len(), 2);
}

#[test]
fn files_that_came_went_or_moved() {
    let text = "a: 1\nb: 1\nc: 1\nd: 1\ne: 1\n";
    let repo = Repo::plain();
    for file in ["moved.yaml", "removed.yaml", "edited.yaml"] {
        repo.commit(file, &format!("# {file}\n{text}"));
    }
    repo.git(&["checkout", "--quiet", "-b", "topic"]).expect(0);
    repo.git(&["mv", "moved.yaml", "elsewhere.yaml"]).expect(0);
    repo.git(&["rm", "--quiet", "removed.yaml"]).expect(0);
    repo.commit("new.yaml", "new: 1\n");
    repo.git(&["checkout", "--quiet", "main"]).expect(0);
    repo.commit("moved.yaml", &format!("# moved.yaml\n{text}f: 1\n"));
    repo.git(&["rm", "--quiet", "edited.yaml"]).expect(0);
    repo.git(&["commit", "--quiet", "-m", "edited is gone"]).expect(0);
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    repo.commit("edited.yaml", &format!("# edited.yaml\n{text}f: 1\n"));
    repo.git(&["checkout", "--quiet", "main"]).expect(0);

    repo.git(&["merge", "topic"]).expect(1);
    repo.git(&["rm", "--quiet", "edited.yaml"]).expect(0);
    repo.git(&["commit", "--quiet", "-m", "as it should be"]).expect(0);
    let expected = "::warning file=edited.yaml,line=1,col=1::parent 2 changed the file, the other parent removed it, and so does the merge";
    assert_eq!(findings(&check(&repo, 0)), [expected]);

    repo.git(&["reset", "--quiet", "--hard", "HEAD~1"]).expect(0);
    repo.git(&["merge", "--quiet", "-s", "ours", "-m", "all lost", "topic"]).expect(0);
    let lost =
        |file: &str, what: &str| format!("::error file={file},line=1,col=1::parent 2 {what}, and the merge did not");
    assert_eq!(
        findings(&check(&repo, 1)),
        [
            expected.to_owned(),
            lost("moved.yaml", "renamed the file to elsewhere.yaml"),
            lost("new.yaml", "added the file"),
            lost("removed.yaml", "removed the file"),
        ]
    );
}

#[test]
fn several_bases_are_merged_first_and_nothing_is_written() {
    let repo = Repo::plain();
    criss_cross(&repo);
    repo.git(&["merge", "topic"]).expect(1);
    repo.commit("a.yaml", "a: 3\n");
    let objects = repo.git(&["count-objects"]).expect(0).stdout;
    let expected = "::warning file=a.yaml,line=1,col=1::.a: both parents changed it, and lacks parent 1 changed: base 0, parent 1 4, merge 3";
    assert_eq!(findings(&check(&repo, 0)), [expected]);
    assert_eq!(repo.git(&["count-objects"]).expect(0).stdout, objects);
    assert_eq!(repo.git(&["status", "--porcelain"]).stdout, "");
}

#[test]
fn what_is_no_merge_of_two_exits_2() {
    let repo = merged(&VERSIONS, VERSIONS.ours);
    for branch in ["one", "two"] {
        repo.git(&["checkout", "--quiet", "-b", branch, "main~1"]).expect(0);
        repo.commit(branch, branch);
    }
    repo.git(&["checkout", "--quiet", "main"]).expect(0);
    repo.git(&["merge", "--quiet", "-m", "octopus", "one", "two"]).expect(0);
    for (commit, why) in [
        ("HEAD", "HEAD is an octopus merge of 3 parents; only merges of two can be checked"),
        ("one", "one is not a merge: it has 1 parent"),
        ("nothing", "nothing is not a commit of this repository"),
    ] {
        let done = repo.kmerge(&["check", "--merge", commit]).expect(2);
        assert_eq!((done.stdout.as_str(), done.stderr), ("", format!("error: {why}\n")));
    }
    repo.kmerge(&["check", "--merge", "HEAD", "a.yaml"]).expect(2);
}
