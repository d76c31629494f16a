//! What the driver says: on stderr only, each conflict with its three values and why.

use crate::repo::{Done, Repo};

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
fn a_clean_merge_says_nothing() {
    let (done, result) = drive("a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 2\n");
    assert_eq!((done.code, done.stderr.as_str(), result.as_str()), (Some(0), "", "a: 2\nb: 2\n"));
}

#[test]
fn a_conflict_is_told_with_its_values() {
    let deployment = |image: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  template:\n    spec:\n      containers:\n      - name: app\n        image: {image}\n"
        )
    };
    let (done, _) = drive(&deployment("nginx:1.25"), &deployment("nginx:1.27"), &deployment("nginx:1.26"));
    let expected = "kmerge: app/web.yaml: apps/Deployment web .spec.template.spec.containers[name=\"app\"].image: \
        ours nginx:1.27, theirs nginx:1.26, base nginx:1.25: changed on both sides\n";
    assert_eq!((done.code, done.stderr.as_str()), (Some(1), expected));
}

#[test]
fn what_is_not_there_is_told_as_well() {
    let (done, _) = drive("a: 1\nb: 1\n", "b: 1\n", "a: 2\nb: 1\n");
    assert_eq!(
        done.stderr,
        "kmerge: app/web.yaml: .a: ours nothing, theirs 2, base 1: deleted by ours, changed by theirs\n"
    );
    let (done, _) = drive("b: 1\n", "a: 1\nb: 1\n", "a: 2\nb: 1\n");
    assert_eq!(done.stderr, "kmerge: app/web.yaml: .a: ours 1, theirs 2, base nothing: added on both sides\n");
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
        "kmerge: app/web.yaml: ConfigMap b: ours nothing, theirs …{x: '2'}, base …{x: '1'}: deleted by ours, changed by theirs\n"
    );
}

#[test]
fn why_no_merge_was_sound_is_told() {
    let base = "x: &a\n  k: 1\nu: *a\n#\n#\n#\nz: 1\n";
    let (ours, theirs) = (base.replace("&a", "&b").replace("*a", "*b"), base.replace("z: 1", "z: *a"));
    let (done, _) = drive(base, &ours, &theirs);
    let why = "`*a` at .z (theirs, line 7) would stand for nothing: ours has no `&a`; merged line by line";
    assert_eq!((done.code, done.stderr), (Some(1), format!("kmerge: app/web.yaml: {why}\n")));
    let renamed = |name: &str, value: u32| format!("a: 1\n{name}:\n  x: {value}\n  y: 1\nz: 1\n");
    let (done, _) = drive(&renamed("env", 1), "a: 1\nz: 1\n", &renamed("environ", 1));
    let why = "`env`: ours deleted it, theirs renamed it to `environ`; merged line by line";
    assert_eq!(done.stderr, format!("kmerge: app/web.yaml: {why}\n"));
}

#[test]
fn a_field_renamed_by_both_is_told_with_its_names() {
    let text = |name: &str| format!("a: 1\nb:\n  {name}: x\n  z: 1\n");
    let (done, _) = drive(&text("image"), &text("picture"), &text("photo"));
    let why = ".b (name of a field): ours picture, theirs photo, base image: renamed or replaced on both sides";
    assert_eq!(done.stderr, format!("kmerge: app/web.yaml: {why}\n"));
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
    assert_eq!(
        done.stderr,
        "kmerge: app/web.yaml: .a: ours …fits seven, theirs …fits eight, base …fits six: changed on both sides\n"
    );
}

#[test]
fn secrets_are_not_told() {
    let secret =
        |value: &str| format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData:\n  k: {value}\n");
    let (done, _) = drive(&secret("geheim1"), &secret("geheim2"), &secret("geheim3"));
    let expected = "kmerge: app/web.yaml: Secret s .stringData.k: ours (secret), theirs (secret), base (secret): \
        changed on both sides\n";
    assert_eq!(done.stderr, expected);
}

#[test]
fn what_is_merged_line_by_line_is_told_once() {
    for (base, why) in [
        ("a: {{ .Values.a }}\n", "base is a template, merged line by line"),
        ("{% if x %}\na: 0\n{% endif %}\n", "base is a template, merged line by line"),
        ("a: [\n", "base is not YAML (expected `]` that closes this bracket), merged line by line"),
        ("<<<<<<< x\na: 1\n=======\na: 2\n>>>>>>> y\n", "base holds conflict markers, merged line by line"),
        ("a: \0\n", "binary content is not merged"),
    ] {
        let (done, _) = drive(base, "a: 1\n", "a: 2\n");
        assert_eq!((done.code, done.stderr), (Some(1), format!("kmerge: app/web.yaml: {why}\n")));
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
    assert_eq!(done.stderr, "kmerge: app/web.yaml: both sides changed lines beside each other\n");
    let (done, _) =
        drive(&base, &services("2", "  - api\n", "backend", "1", "1"), &services("3", "  - api\n", "api", "2", "1"));
    assert_eq!(
        done.stderr,
        "kmerge: app/web.yaml: .web.image: ours web:2, theirs web:3, base web:1: changed on both sides\n"
    );
}
