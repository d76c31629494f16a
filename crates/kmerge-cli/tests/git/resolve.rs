//! `kmerge resolve`: what it makes of the conflicts that git left, and of what people did to them meanwhile.

use pretty_assertions::assert_eq;

use crate::repo::{Repo, Versions};

const VERSIONS: Versions<'static> = Versions {
    base: "# web\nname: web\nreplicas: 1\npaused: false\nspec:\n  image: app:1\nend: 1\n",
    ours: "# web\nname: web\nreplicas: 2\npaused: false\nspec:\n  image: app:2\nend: 1\n",
    theirs: "# web\nname: web\nreplicas: 1\npaused: true\nspec:\n  image: app:3\nend: 1\n",
};
const IMAGE: &str = "<<<<<<< HEAD\n  image: app:2\n=======\n  image: app:3\n>>>>>>> topic\n";

/// A repository in the middle of a merge that git did without kmerge.
fn conflicted(style: &str, versions: &Versions<'_>) -> Repo {
    let repo = Repo::plain();
    repo.git(&["config", "merge.conflictStyle", style]).expect(0);
    repo.diverge("web.yaml", versions);
    repo.git(&["merge", "topic"]).expect(1);
    repo
}

#[test]
fn what_the_structure_tells_is_resolved_and_the_rest_stays() {
    let repo = conflicted("merge", &VERSIONS);
    assert_eq!(repo.read("web.yaml").matches("<<<<<<<").count(), 1, "git cannot tell the places apart");
    let done = repo.kmerge(&["resolve", "web.yaml"]).expect(1);
    assert_eq!(
        (done.stdout.as_str(), done.stderr.as_str()),
        ("", "web.yaml: 1 conflict left of 1\n  .spec.image: ours app:2, theirs app:3, base app:1\n")
    );
    let expected = format!("# web\nname: web\nreplicas: 2\npaused: true\nspec:\n{IMAGE}end: 1\n");
    assert_eq!(repo.read("web.yaml"), expected);
    repo.kmerge(&["resolve", "web.yaml"]).expect(1);
    assert_eq!(repo.read("web.yaml"), expected, "doing it again changes nothing");
    assert_eq!(repo.git(&["status", "--porcelain"]).stdout, "UU web.yaml\n");
}

#[test]
fn edits_outside_and_inside_of_conflicts_stay() {
    for style in ["merge", "diff3", "zdiff3"] {
        let repo = conflicted(style, &VERSIONS);
        let edited =
            repo.read("web.yaml").replace("# web", "# mine").replace("end: 1", "end: 2").replace("app:2", "app:9");
        repo.write("web.yaml", &edited);
        repo.kmerge(&["resolve", "web.yaml"]).expect(1);
        let result = repo.read("web.yaml");
        assert!(result.starts_with("# mine\nname: web\nreplicas: 2\npaused: true\nspec:\n<<<<<<< HEAD\n"), "{result}");
        assert!(result.contains("  image: app:9\n") && result.ends_with(">>>>>>> topic\nend: 2\n"), "{result}");
    }
}

#[test]
fn what_was_decided_by_hand_stays_decided() {
    let repo = conflicted("diff3", &VERSIONS);
    let marked = repo.read("web.yaml");
    let first = marked.find(">>>>>>> topic\n").expect("a conflict") + ">>>>>>> topic\n".len();
    let rest = &marked[first..];
    repo.write("web.yaml", &format!("name: web\nreplicas: 7\n{rest}"));
    repo.kmerge(&["resolve", "web.yaml"]).expect(i32::from(rest.contains("<<<")));
    assert!(repo.read("web.yaml").starts_with("name: web\nreplicas: 7\n"));
}

#[test]
fn a_file_without_conflicts_is_left_alone() {
    let repo = conflicted("merge", &VERSIONS);
    repo.write("web.yaml", "name: by hand\n");
    let done = repo.kmerge(&["resolve", "web.yaml"]).expect(0);
    assert_eq!(done.stderr, "web.yaml: no conflict is left; `git add` says so to git\n");
    assert_eq!(repo.read("web.yaml"), "name: by hand\n");
    repo.git(&["add", "web.yaml"]).expect(0);
    assert_eq!(repo.kmerge(&["resolve", "web.yaml"]).expect(0).stderr, "web.yaml: no conflict\n");
}

#[test]
fn ours_as_it_was_may_be_a_merge_that_was_never_done() {
    let repo = conflicted("merge", &VERSIONS);
    repo.git(&["checkout", "--ours", "web.yaml"]).expect(0);
    let done = repo.kmerge(&["resolve", "web.yaml"]).expect(1);
    assert!(done.stderr.contains("this is ours, without what theirs changed"), "{done:?}");
    assert_eq!(repo.read("web.yaml"), VERSIONS.ours);
}

#[test]
fn lines_that_git_merged_wrongly_are_merged_anew() {
    // Both add the same key far apart: git takes both, and a conflict elsewhere stops the merge.
    let versions = Versions {
        base: "a: 1\n# 1\n# 2\n# 3\nb: 1\n# 4\n# 5\n# 6\nc: 1\n",
        ours: "new: 1\na: 1\n# 1\n# 2\n# 3\nb: 2\n# 4\n# 5\n# 6\nc: 1\n",
        theirs: "a: 1\n# 1\n# 2\n# 3\nb: 3\n# 4\n# 5\n# 6\nc: 1\nnew: 1\n",
    };
    let repo = conflicted("merge", &versions);
    assert_eq!(repo.read("web.yaml").matches("new: 1").count(), 2);
    repo.kmerge(&["resolve", "web.yaml"]).expect(1);
    assert_eq!(repo.read("web.yaml").matches("new: 1").count(), 1);
}

#[test]
fn a_base_that_holds_conflicts_itself_is_understood() {
    let repo = Repo::plain();
    repo.git(&["config", "merge.conflictStyle", "diff3"]).expect(0);
    repo.commit("a.yaml", "a: 0\nb: 0\n");
    repo.git(&["branch", "topic"]).expect(0);
    repo.commit("a.yaml", "a: 1\nb: 0\n");
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    repo.commit("a.yaml", "a: 2\nb: 0\n");
    repo.git(&["branch", "topic1"]).expect(0);
    repo.git(&["merge", "main"]).expect(1);
    repo.commit("a.yaml", "a: 3\nb: 0\n");
    repo.git(&["checkout", "--quiet", "main"]).expect(0);
    repo.git(&["merge", "topic1"]).expect(1);
    repo.commit("a.yaml", "a: 3\nb: 1\n");
    repo.git(&["merge", "topic"]).expect(1);
    assert!(repo.read("a.yaml").contains("<<<<<<<<< Temporary"), "{}", repo.read("a.yaml"));
    repo.kmerge(&["resolve", "a.yaml"]).expect(0);
    assert_eq!(repo.read("a.yaml"), "a: 3\nb: 1\n");
}

#[test]
fn line_endings_and_sizes_of_markers_stay() {
    let repo = Repo::plain();
    repo.commit(".gitattributes", "*.yaml text eol=crlf conflict-marker-size=12\n");
    repo.diverge("a.yaml", &Versions { base: "a: 1\nb: 1\n", ours: "a: 2\nb: 2\n", theirs: "a: 3\nb: 1\n" });
    repo.git(&["merge", "topic"]).expect(1);
    repo.kmerge(&["resolve", "a.yaml"]).expect(1);
    let m = |sign: &str| sign.repeat(12);
    let expected = format!("{} HEAD\r\na: 2\r\n{}\r\na: 3\r\n{} topic\r\nb: 2\r\n", m("<"), m("="), m(">"));
    assert_eq!(repo.read("a.yaml"), expected);
}

#[test]
fn one_side_removed_the_file() {
    let repo = Repo::plain();
    repo.commit("a.yaml", "a: 1\n");
    repo.git(&["branch", "topic"]).expect(0);
    repo.commit("a.yaml", "a: 2\n");
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    repo.git(&["rm", "--quiet", "a.yaml"]).expect(0);
    repo.git(&["commit", "--quiet", "-m", "gone"]).expect(0);
    repo.git(&["merge", "main"]).expect(1);
    let done = repo.kmerge(&["resolve", "a.yaml"]).expect(1);
    assert!(done.stderr.contains("one side removed it, the other changed it"), "{done:?}");
    std::fs::remove_file(repo.home().join("repo/a.yaml")).expect("it is there");
    repo.kmerge(&["resolve", "a.yaml"]).expect(1);
}

#[test]
fn half_a_conflict_is_not_touched() {
    let repo = conflicted("merge", &VERSIONS);
    let torn = repo.read("web.yaml").replace("=======\n", "");
    repo.write("web.yaml", &torn);
    let done = repo.kmerge(&["resolve", "web.yaml"]).expect(1);
    assert!(done.stderr.contains("a conflict marker without its conflict on line 3"), "{done:?}");
    assert_eq!(repo.read("web.yaml"), torn);
}

#[test]
fn without_names_the_unmerged_files_are_meant() {
    let repo = Repo::plain();
    repo.write("notes.txt", "a\n");
    std::fs::create_dir(repo.home().join("repo/deep")).expect("a directory");
    let both = |value: u32| {
        for file in ["a b.yaml", "deep/c.yaml"] {
            repo.write(
                file,
                &format!("x: {}\ny: {}\n", if value == 2 { 2 } else { 1 }, if value == 3 { 2 } else { 1 }),
            );
        }
        repo.write("notes.txt", &format!("{value}\n"));
        repo.git(&["add", "."]).expect(0);
        repo.git(&["commit", "--quiet", "-m", "versions"]).expect(0);
    };
    both(1);
    repo.git(&["branch", "topic"]).expect(0);
    both(2);
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    both(3);
    repo.git(&["merge", "main"]).expect(1);
    let repo = repo.at("deep");
    let done = repo.kmerge(&["resolve"]).expect(1);
    let expected = "../a b.yaml: 1 conflict resolved; `git add` says so to git\n\
        ../deep/c.yaml: 1 conflict resolved; `git add` says so to git\n\
        ../notes.txt: not merged, and no YAML: it is left to you\n";
    assert_eq!(done.stderr, expected);
    assert_eq!(repo.read("c.yaml"), "x: 2\ny: 2\n");
    repo.git(&["add", ".."]).expect(0);
    assert_eq!(repo.kmerge(&["resolve"]).expect(0).stderr, "git has no unmerged files\n");
    let outside = repo.at("../..").kmerge(&["resolve"]).expect(2);
    assert!(outside.stderr.contains("name the files"), "{outside:?}");
}

#[test]
fn names_of_every_kind_from_any_directory() {
    let repo = Repo::plain();
    std::fs::create_dir(repo.home().join("repo/d ir")).expect("a directory");
    let file = "d ir/-ü[a]\nb.yaml";
    repo.diverge(file, &Versions { base: "a: 1\nb: 1\n", ours: "a: 2\nb: 1\n", theirs: "a: 1\nb: 2\n" });
    repo.git(&["merge", "topic"]).expect(1);
    let repo = repo.at("d ir");
    repo.kmerge(&["resolve", "--", "-ü[a]\nb.yaml"]).expect(0);
    assert_eq!(repo.read("-ü[a]\nb.yaml"), "a: 2\nb: 2\n");
}

#[test]
fn markers_too_small_to_be_told_from_text_are_left_to_people() {
    let repo = Repo::plain();
    repo.commit(".gitattributes", "*.yaml conflict-marker-size=4\n");
    repo.diverge("a.yaml", &Versions { base: "a: 1\n", ours: "a: 2\n", theirs: "a: 3\n" });
    repo.git(&["merge", "topic"]).expect(1);
    let marked = repo.read("a.yaml");
    let done = repo.kmerge(&["resolve", "a.yaml"]).expect(1);
    assert!(done.stderr.contains("a conflict marker without its conflict on line 1"), "{done:?}");
    assert_eq!(repo.read("a.yaml"), marked);
}

#[test]
fn what_markers_alone_cannot_tell_stays() {
    let repo = Repo::plain();
    // By the index both reordered the list, differently. Outside of the conflict stands one end of what ours moved.
    let moved = "<<<<<<< a\n- a\n||||||| b\n- a\n- b\n=======\n- b\n- a\n>>>>>>> c\n";
    let apart = "<<<<<<< a\nx: 2\ny: 1\n||||||| b\nx: 1\ny: 1\n=======\nx: 1\ny: 2\n>>>>>>> c\n";
    repo.write("a.yaml", &format!("{apart}args:\n{moved}- c\n- b\n"));
    repo.kmerge(&["resolve", "a.yaml"]).expect(1);
    assert_eq!(repo.read("a.yaml"), format!("x: 2\ny: 2\nargs:\n{moved}- c\n- b\n"));
}

#[test]
fn sides_that_are_alike_need_no_base() {
    let repo = Repo::plain();
    let open = "<<<<<<< a\nb: 1\n=======\nb: 2\n>>>>>>> c\n";
    repo.write("a.yaml", &format!("<<<<<<< a\na: 1\n=======\na: 1\n>>>>>>> c\n{open}"));
    let done = repo.kmerge(&["resolve", "a.yaml"]).expect(1);
    assert_eq!(done.stderr, "a.yaml: 1 conflict left of 2\n  on line 2\n");
    assert_eq!(repo.read("a.yaml"), format!("a: 1\n{open}"));
    repo.write("a.yaml", "<<<<<<< a\na: 1\n=======\na: 1\n>>>>>>> c\n");
    repo.kmerge(&["resolve", "a.yaml"]).expect(0);
    assert_eq!(repo.read("a.yaml"), "a: 1\n");
}
