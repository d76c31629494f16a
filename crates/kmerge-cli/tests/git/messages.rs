//! What the driver says: on stderr only, each conflict with its three values and why.

use std::collections::BTreeSet;

use crate::repo::{Done, Repo, Versions};

fn drive(base: &str, ours: &str, theirs: &str) -> (Done, String) {
    let repo = Repo::plain();
    for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
        repo.write(name, text);
    }
    let done = repo.kmerge(&["driver", "base", "ours", "theirs", "-p", "app/web.yaml"]);
    assert_eq!(done.stdout, "");
    (done, repo.read("ours"))
}

#[test]
fn a_clean_merge_says_what_lines_could_not() {
    let (done, result) = drive("a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 2\n");
    let solved = "kmerge: app/web.yaml: solved 1 conflict of git's line merge\n";
    assert_eq!((done.code, done.stderr.as_str(), result.as_str()), (Some(0), solved, "a: 2\nb: 2\n"));
    let (done, _) = drive("a: 1\n#\n#\nb: 1\n", "a: 2\n#\n#\nb: 1\n", "a: 1\n#\n#\nb: 2\n");
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
}

#[test]
fn comments_that_go_with_a_removal_are_named_by_their_line() {
    let (base, removed, commented) = ("a: 1\nb: 2\nc: 3\n", "a: 1\nc: 3\n", "a: 1\n# why\nb: 2 #  because\nc: 3\n");
    let solved = "kmerge: app/web.yaml: solved 1 conflict of git's line merge\n";
    let gone = |side: &str| {
        format!(
            "{solved}kmerge: app/web.yaml: a comment of {side} is gone with what the other side removed: line 2 and 1 more\n"
        )
    };
    for (ours, theirs, side) in [(removed, commented, "theirs"), (commented, removed, "ours")] {
        let (done, result) = drive(base, ours, theirs);
        assert_eq!((done.code, done.stderr, result.as_str()), (Some(0), gone(side), removed));
    }
    // Of two that say the same, one is left.
    let (done, _) = drive("a: 1\nb: 2\n", "# why\na: 1\n# why\nb: 2\n", "b: 2\n");
    assert!(
        done.stderr.ends_with("a comment of ours is gone with what the other side removed: line 1 or 3\n"),
        "{}",
        done.stderr
    );
    // Also where lines alone have no conflict.
    let secret = |kind: &str, name: &str| format!("apiVersion: v1\n\nkind: {kind}\nmetadata:\n  name: {name}\n");
    let [base, replaced] = [secret("Secret", "a"), secret("ConfigMap", "b")];
    let (done, result) = drive(&base, &base.replace("v1\n", "v1 # stable\n"), &replaced);
    assert_eq!((done.code, result), (Some(0), replaced));
    assert!(done.stderr.ends_with("a comment of ours is gone with what the other side removed: line 1\n"), "{done:?}");
    // Another column loses nothing.
    let (done, _) = drive("a: 1 # x\nb: 1\n", "a: 1   # x\nb: 2\n", "a: 2 # x\nb: 1\n");
    assert!(!done.stderr.contains("comment"), "{}", done.stderr);
}

#[test]
fn every_run_gives_the_same_reason() {
    // Hash tables have another order in each process.
    let told = |base: &str, ours: &str, theirs: &str| {
        let told: BTreeSet<String> = (0..8).map(|_| drive(base, ours, theirs).0.stderr).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        told.first().cloned().unwrap_or_default()
    };
    let (base, theirs) = ("- template:\n  - old\n  - older\n", "- template:\n    check:\n");
    let half = told(base, "- template:\n    check:\n      jobs:\n    gate:\n    - lint\n    - syntax\n", theirs);
    assert!(half.contains(".gate[0] (ours, line 5) would come from ours"), "{half}");
    let comment = told(
        "# e\n\n# about a\n- a\n# c\n\n# b\n- b\n# old\n- d\n",
        "# e\n- c\n# about a\n- a\n- x\n# b\n- b\n- d\n",
        "# b\n- b\n# c\n# old\n\n# about a\n- a\n",
    );
    assert!(comment.contains("would have a value that no side has"), "{comment}");
}

#[test]
fn a_merge_of_branches_names_them_and_says_how_to_review_what_was_solved() {
    let versions = |image: &str| Versions {
        base: "x: 1\ny: 1\nz: 1\n",
        ours: if image.is_empty() { "x: 2\ny: 1\nz: 1\n" } else { "x: 2\ny: 1\nz: 2\n" },
        theirs: if image.is_empty() { "x: 1\ny: 2\nz: 1\n" } else { "x: 1\ny: 2\nz: 3\n" },
    };
    let repo = Repo::diverged("it's a.yaml", &versions(""));
    let merged = repo.run("git", &["merge", "-m", "both", "topic"], &[]).expect(0);
    assert_eq!(
        merged.stderr,
        "kmerge: it's a.yaml: solved 1 conflict of git's line merge; review with: git diff ORIG_HEAD -- 'it'\\''s a.yaml'\n"
    );
    assert!(repo.git(&["diff", "ORIG_HEAD", "--", "it's a.yaml"]).expect(0).stdout.contains("+y: 2"));
    let repo = Repo::diverged("a.yaml", &versions("both"));
    let merged = repo.run("git", &["merge", "topic"], &[]).expect(1);
    assert_eq!(merged.stderr, "kmerge: a.yaml:4: .z: HEAD 2, topic 3, base 1\n");
    let at = repo.read("a.yaml");
    assert_eq!(at.lines().nth(3), Some("z: 2"), "{at}");
}

#[test]
fn the_environment_silences_the_driver_or_turns_it_off() {
    let repo = Repo::plain();
    let drive = |name: &str, value: &str| {
        for (name, text) in [("base", "a: 1\nb: 1\n"), ("ours", "a: 2\nb: 1\n"), ("theirs", "a: 1\nb: 2\n")] {
            repo.write(name, text);
        }
        let binary = env!("CARGO_BIN_EXE_kmerge");
        let done = repo.run(binary, &["driver", "base", "ours", "theirs"], &[(name, value)]);
        (done.code, done.stderr, repo.read("ours"))
    };
    assert_eq!(drive("KMERGE_QUIET", "1"), (Some(0), String::new(), "a: 2\nb: 2\n".into()));
    let by_git = "<<<<<<< ours\na: 2\nb: 1\n=======\na: 1\nb: 2\n>>>>>>> theirs\n";
    assert_eq!(drive("KMERGE", "0"), (Some(1), String::new(), by_git.into()));
}

#[test]
fn a_conflict_is_told_with_its_values() {
    let deployment = |image: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  template:\n    spec:\n      containers:\n      - name: app\n        image: {image}\n"
        )
    };
    let (done, _) = drive(&deployment("nginx:1.25"), &deployment("nginx:1.27"), &deployment("nginx:1.26"));
    let expected = "kmerge: app/web.yaml:10: apps/Deployment web .spec.template.spec.containers[name=\"app\"].image: \
        ours nginx:1.27, theirs nginx:1.26, base nginx:1.25\n";
    assert_eq!((done.code, done.stderr.as_str()), (Some(1), expected));
}

#[test]
fn what_is_not_there_is_told_as_well() {
    let (done, _) = drive("a: 1\nb: 1\n", "b: 1\n", "a: 2\nb: 1\n");
    assert_eq!(
        done.stderr,
        "kmerge: app/web.yaml:3: .a: ours nothing, theirs 2, base 1: deleted by ours, changed by theirs\n"
    );
    let (done, _) = drive("b: 1\n", "a: 1\nb: 1\n", "a: 2\nb: 1\n");
    assert_eq!(done.stderr, "kmerge: app/web.yaml:2: .a: ours 1, theirs 2, base nothing: added on both sides\n");
}

#[test]
fn a_document_is_told_by_its_name() {
    let map = |name: &str, x: u32| {
        format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{x: '{x}'}}\n")
    };
    let (base, theirs) = (map("a", 1) + &map("b", 1), map("a", 1) + &map("b", 2));
    let (done, _) = drive(&base, &map("a", 1), &theirs);
    assert_eq!(
        done.stderr,
        "kmerge: app/web.yaml:8: ConfigMap b: ours nothing, theirs …{x: '2'}, base …{x: '1'}: deleted by ours, changed by theirs\n"
    );
}

#[test]
fn why_no_merge_was_sound_is_told() {
    let base = "x: &a\n  k: 1\nu: *a\n#\n#\n#\nz: 1\n";
    let (ours, theirs) = (base.replace("&a", "&b").replace("*a", "*b"), base.replace("z: 1", "z: *a"));
    let (done, _) = drive(base, &ours, &theirs);
    let why = "`*a` at .z (theirs, line 7) would stand for nothing: ours has no `&a`; merged line by line";
    assert_eq!((done.code, done.stderr), (Some(1), format!("kmerge: app/web.yaml:1: {why}\n")));
    let renamed = |name: &str, value: u32| format!("a: 1\n{name}:\n  x: {value}\n  y: 1\nz: 1\n");
    let (done, _) = drive(&renamed("env", 1), "a: 1\nz: 1\n", &renamed("environ", 1));
    let why = ".env: theirs renamed it to .environ, ours deleted it, moved it elsewhere or changed what was there; in conflict as a whole";
    let more = "ours nothing, theirs x: 1 y: 1, base nothing: added by theirs, in conflict with another change of ours";
    assert_eq!(done.stderr, format!("kmerge: app/web.yaml:2: {why}\nkmerge: app/web.yaml:4: .environ: {more}\n"));
}

#[test]
fn a_field_renamed_by_both_is_told_with_its_names() {
    let text = |name: &str| format!("a: 1\nb:\n  {name}: x\n  z: 1\n");
    let (done, _) = drive(&text("image"), &text("picture"), &text("photo"));
    let why = ".b (name of a field): ours picture, theirs photo, base image: renamed or replaced on both sides";
    assert_eq!(done.stderr, format!("kmerge: app/web.yaml:4: {why}\n"));
}

#[test]
fn a_quiet_driver_says_nothing_of_conflicts_and_a_size_of_zero_is_the_usual_one() {
    let repo = Repo::plain();
    for (name, text) in [("base", "a: 1\n"), ("ours", "a: 2\n"), ("theirs", "a: 3\n")] {
        repo.write(name, text);
    }
    let done = repo.kmerge(&["driver", "base", "ours", "theirs", "--quiet", "-l", "0"]).expect(1);
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("", ""));
    assert_eq!(repo.read("ours"), "<<<<<<< ours\na: 2\n=======\na: 3\n>>>>>>> theirs\n");
}

#[test]
fn rules_may_come_from_flags() {
    let repo = Repo::plain();
    repo.write("base", "gears:\n- {id: 1, v: 1}\n- {id: 2, v: 1}\n");
    repo.write("ours", "gears:\n- {id: 2, v: 5}\n- {id: 1, v: 1}\n");
    repo.write("theirs", "gears:\n- {id: 1, v: 1}\n- {id: 2, v: 1, w: 1}\n");
    repo.kmerge(&["driver", "base", "ours", "theirs", "--list-key", ".gears=id"]).expect(0);
    assert_eq!(repo.read("ours"), "gears:\n- {id: 2, v: 5, w: 1}\n- {id: 1, v: 1}\n");
}

#[test]
fn long_values_are_told_from_where_they_differ() {
    let text = |last: &str| format!("a: a sentence that goes on for longer than fits {last}\n");
    let (done, _) = drive(&text("six"), &text("seven"), &text("eight"));
    assert_eq!(done.stderr, "kmerge: app/web.yaml:2: .a: ours …fits seven, theirs …fits eight, base …fits six\n");
}

#[test]
fn secrets_are_not_told() {
    let secret =
        |value: &str| format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData:\n  k: {value}\n");
    let (done, _) = drive(&secret("geheim1"), &secret("geheim2"), &secret("geheim3"));
    let expected = "kmerge: app/web.yaml:6: Secret s .stringData.k: ours (secret), theirs (secret), base (secret)\n";
    assert_eq!(done.stderr, expected);
}

#[test]
fn what_is_merged_line_by_line_is_told_once() {
    for (base, why) in [
        ("a: {{ .Values.a }}\n", ":1: base is a template, merged line by line"),
        ("{% if x %}\na: 0\n{% endif %}\n", ":1: base is a template, merged line by line"),
        ("a: [\n", ":1: base is not YAML (expected `]` that closes this bracket), merged line by line"),
        ("<<<<<<< x\na: 1\n=======\na: 2\n>>>>>>> y\n", ":1: base has conflict markers, merged line by line"),
        ("a: \0\n", ": binary content is not merged"),
    ] {
        let (done, _) = drive(base, "a: 1\n", "a: 2\n");
        assert_eq!((done.code, done.stderr), (Some(1), format!("kmerge: app/web.yaml{why}\n")));
    }
}

#[test]
fn rules_of_the_repository_hold_and_broken_ones_do_not_stop_a_merge() {
    let repo = Repo::plain();
    let drive = |rules: &str| {
        repo.write("kmerge.yaml", rules);
        repo.write("base", "gears:\n- {id: 1, v: 1}\n- {id: 2, v: 1}\n");
        repo.write("ours", "gears:\n- {id: 2, v: 5}\n- {id: 1, v: 1}\n");
        repo.write("theirs", "gears:\n- {id: 1, v: 1}\n- {id: 2, v: 1, w: 1}\n");
        let done = repo.kmerge(&["driver", "base", "ours", "theirs"]);
        (done, repo.read("ours"))
    };
    let (done, result) = drive("lists:\n- {path: .gears, keys: [id]}\n");
    assert_eq!((done.code, result.as_str()), (Some(0), "gears:\n- {id: 2, v: 5, w: 1}\n- {id: 1, v: 1}\n"), "{done:?}");
    let (done, _) = drive("lists: 1\n");
    assert!(done.stderr.contains("merged without the rules of the configuration file"), "{done:?}");
    assert_eq!(done.code, Some(1));
}

#[test]
fn every_conflict_is_told_with_its_line() {
    let template = |a: u32, b: u32| format!("{{{{ x }}}}\na: {a}\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: {b}\n");
    let (done, result) = drive(&template(1, 1), &template(2, 2), &template(3, 3));
    assert_eq!(result.matches("<<<<<<<").count(), 2);
    assert_eq!(done.stderr, "kmerge: app/web.yaml:2: ours is a template, merged line by line: 2 conflicts\n");
    // The first line of the conflict is not in the hunk, which is cut to what differs.
    let list = |y: u32| format!("a: 1\nb:\n- x: 1\n  y: {y}\n");
    let (done, result) = drive("a: 1\n", &list(2), &list(3));
    assert!(result.starts_with("a: 1\nb:\n- x: 1\n<<<<<<<"), "{result}");
    let what = ".b: ours - x: 1 y: 2, theirs - x: 1 y: 3, base nothing: added on both sides";
    assert_eq!(done.stderr, format!("kmerge: app/web.yaml:4: {what}\n"));
}

#[test]
fn resolve_tells_which_comments_are_gone() {
    let repo = Repo::plain();
    let hunk =
        "<<<<<<< ours\nmap:\n  # turn on in production\n  a: 1\n||||||| base\nmap:\n  a: 1\n=======\n>>>>>>> theirs\n";
    repo.write("f.yaml", &format!("x: 1\n{hunk}z: 1\n"));
    let done = repo.kmerge(&["resolve", "f.yaml"]).expect(0);
    let told = "f.yaml: 1 conflict resolved\nf.yaml: a comment of ours is gone with what the other side removed\n";
    assert_eq!((repo.read("f.yaml").as_str(), done.stderr.as_str()), ("x: 1\nz: 1\n", told));
    // Also where something is left.
    let left = "<<<<<<< ours\ny: 2\n||||||| base\ny: 1\n=======\ny: 3\n>>>>>>> theirs\n";
    repo.write("f.yaml", &format!("x: 1\n{hunk}q: 1\nr: 1\ns: 1\nt: 1\n{left}"));
    let done = repo.kmerge(&["resolve", "f.yaml"]).expect(1);
    assert!(done.stderr.starts_with("f.yaml: 1 conflict left of 2\n"), "{done:?}");
    assert!(done.stderr.ends_with("f.yaml: a comment of ours is gone with what the other side removed\n"), "{done:?}");
}

#[test]
fn what_lines_merge_is_not_told() {
    let services = |first: &str, needs: &str, name: &str, port: &str, tag: &str| {
        format!(
            "web:\n  image: web:{first}\n  needs:\n{needs}  log: true\n{name}:\n  build: .\n  env:\n    HOST: db\n    \
             PORT: {port}\ndb:\n  image: db:{tag}\n"
        )
    };
    let base = services("1", "  - api\n", "api", "1", "1");
    let (done, _) = drive(
        &base,
        &services("1", "  - backend\n", "backend", "1", "1"),
        &services("1", "  - api\n  - db\n", "api", "2", "1"),
    );
    assert_eq!(done.stderr, "kmerge: app/web.yaml:4: both sides changed neighbouring lines\n");
    let (done, _) =
        drive(&base, &services("2", "  - api\n", "backend", "1", "1"), &services("3", "  - api\n", "api", "2", "1"));
    assert_eq!(done.stderr, "kmerge: app/web.yaml:3: .web.image: ours web:2, theirs web:3, base web:1\n");
}
