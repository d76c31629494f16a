use pretty_assertions::assert_eq;

use super::*;

const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef";

fn changed(text: &str, request: &str, filter: &Filter) -> (String, usize, usize) {
    let stream = Stream::parse(text).unwrap();
    let done = request.parse::<Request>().unwrap().set(&stream, filter).unwrap();
    (done.text.unwrap_or_else(|| text.to_owned()), done.matched, done.changed)
}

/// A line that starts with `~` is the new form of the line before; `!` marks a new line, `-` a removed one.
#[track_caller]
fn check(request: &str, script: &str) {
    check_with(request, script, &Filter::default());
}

#[track_caller]
fn check_with(request: &str, script: &str, filter: &Filter) {
    let (mut before, mut after) = (String::new(), String::new());
    for line in script.split_inclusive('\n') {
        match line.as_bytes().first() {
            Some(b'-') if line.starts_with("-- ") => before.push_str(&line[3..]),
            Some(b'+') if line.starts_with("++ ") => after.push_str(&line[3..]),
            _ => {
                before.push_str(line);
                after.push_str(line);
            }
        }
    }
    let (text, matched, changed) = changed(&before, request, filter);
    assert_eq!(text, after);
    assert_eq!(changed > 0, before != after);
    assert!(matched >= changed);
    let again = request.parse::<Request>().unwrap().set(&Stream::parse(&after).unwrap(), filter).unwrap();
    assert_eq!((again.text, again.changed), (None, 0), "what is done stays done");
}

#[test]
fn containers_of_all_kinds_and_depths() {
    check(
        "nginx:1.27",
        "\
kind: CronJob
spec:
  jobTemplate:
    spec:
      template:
        spec:
          initContainers:
          - name: init
--             image: \"nginx:1.25\"   # first
++             image: \"nginx:1.27\"   # first
          containers:
--           - {name: a, image: nginx:1.25, args: [nginx:1.25]}
++           - {name: a, image: nginx:1.27, args: [nginx:1.25]}
          - name: b
            image: nginx-extras:1
          - name: c
--             image: 'docker.io/library/nginx'
++             image: 'docker.io/library/nginx:1.27'
          ephemeralContainers:
--           - image: nginx@sha256:0123456789abcdef0123456789abcdef
++           - image: nginx:1.27
---
kind: Widget
spec:
  template: {spec: {containers: [
--     {image: nginx},
++     {image: nginx:1.27},
  ]}}
---
kind: List
items:
- kind: Pod
  spec:
    containers:
    - image: >-
        other:1
--     - image: >-
--         nginx:1.25
++     - image: nginx:1.27
    - image: {{not: one}: 1}
    - image:
    - 5
    - image: nginx:1.27
",
    );
}

#[test]
fn line_ends_stay() {
    let (text, ..) = changed("containers:\r\n- image: a:1\r\n- image: a:1", "a:2", &Filter::default());
    assert_eq!(text, "containers:\r\n- image: a:2\r\n- image: a:2");
}

#[test]
fn an_anchor_is_changed_where_it_stands() {
    check(
        "app:2",
        "\
-- x-image: &image app:1
++ x-image: &image app:2
spec:
  containers:
  - image: *image
  - image: *image
--   - image: &other app:1
++   - image: &other app:2
",
    );
}

#[test]
fn what_aliases_and_merge_keys_bring_is_found() {
    check(
        "app:2",
        "\
x-base: &base
--   image: app:1
++   image: app:2
x-list: &list
-- - {image: app:1}
++ - {image: app:2}
- &whole
--   image: !!str app:1
++   image: !!str app:2
spec:
  containers:
  - <<: *base
    name: a
  - *whole
  - *missing
  initContainers: *list
",
    );
}

#[test]
fn only_one_container() {
    let filter = Filter { container: Some("b".to_owned()), ..Filter::default() };
    let script = "\
containers:
- name: a
  image: app:1
- name: b
--   image: app:1
++   image: app:2
image:
  repository: app
  tag: '1'
";
    check_with("app:2", script, &filter);
}

#[test]
fn kustomizations() {
    let script = "\
kind: Kustomization
images:
- name: app
--   newTag: \"1\" # now
++   newTag: \"2\" # now
- name: app
--   digest: sha256:0123456789abcdef0123456789abcdef
++   newTag: \"2\"
- name: other
  newTag: v1
- name: other
  newName: app
--   newTag: v1
++   newTag: \"2\"
-- - {name: app}
++ - {name: app, newTag: \"2\"}
";
    check("app:2", script);
    check(
        &format!("app=ghcr.io/a/app@{DIGEST}"),
        "\
images:
- name: app
--   newTag: v1
++   newName: ghcr.io/a/app
++   digest: sha256:0123456789abcdef0123456789abcdef
resources: []
",
    );
    check("app:2", "images:\n- name: app\n  url: x\n");
    check("app:2", "kind: Album\nimages:\n- name: app\n  newTag: x\n");
}

#[test]
fn values_of_charts() {
    let script = "\
image:
  registry: ghcr.io
  repository: a/app
--   tag: 1.25
++   tag: \"1.26\"
  pullPolicy: Always
sidecar:
--   image: {repository: ghcr.io/a/app, tag: \"\"}
++   image: {repository: ghcr.io/a/app, tag: \"1.26\"}
  otherImage:
    repository: a/app
    tag: x
  initImage:
    repository: ghcr.io/a/app
--     digest: sha256:0123456789abcdef0123456789abcdef
++     digest: \"\"
++     tag: \"1.26\"
";
    check("ghcr.io/a/app:1.26", script);
    check(
        "ghcr.io/a/app=quay.io/b/c",
        "\
image:
--   registry: ghcr.io
--   repository: a/app
++   registry: quay.io
++   repository: b/c
  tag: v1
",
    );
    check("app:v2", "image:\n  repository: app\n-- \x20 tag:\n++ \x20 tag: v2\n");
    let pinned = format!("app@{DIGEST}");
    check(&pinned, &format!("image:\n  repository: app\n-- \x20 digest: \"\"\n++ \x20 digest: \"{DIGEST}\"\n"));
    let stream = Stream::parse("image:\n  repository: app\n  tag: v1\n").unwrap();
    let refused = pinned.parse::<Request>().unwrap().set(&stream, &Filter::default()).unwrap_err();
    assert!(matches!(refused, ImageError::NoDigest { span } if span.of(stream.source()) == "app"), "{refused}");
}

#[test]
fn values_that_a_policy_names() {
    let filter = |policy: &str| Filter { policy: Some(policy.parse().unwrap()), ..Filter::default() };
    let script = "\
containers:
-- - image: app:1 # {\"$imagepolicy\": \"ns:app\"}
++ - image: app:2 # {\"$imagepolicy\": \"ns:app\"}
- image: app:1 # {\"$imagepolicy\": \"ns:other\"}
- image: app:1
- image: other:1 # {\"$imagepolicy\": \"ns:app\"}
values:
--   tag: v1 # {\"$imagepolicy\": \"ns:app:tag\"}
++   tag: \"2\" # {\"$imagepolicy\": \"ns:app:tag\"}
  repository: app # {\"$imagepolicy\": \"ns:app:name\"}
  text: v1 # $imagepolicy is not JSON: {
";
    check_with("app:2", script, &filter("ns:app"));
    let script = "\
image: app:1 # {\"$imagepolicy\": \"ns:app\"}
-- tag: v1 # {\"$imagepolicy\": \"ns:app:tag\"}
++ tag: v2 # {\"$imagepolicy\": \"ns:app:tag\"}
";
    check_with("app:v2", script, &filter("ns:app:tag"));
    let script = "\
-- name: app # {\"$imagepolicy\": \"ns:app:name\"}
++ name: ghcr.io/app # {\"$imagepolicy\": \"ns:app:name\"}
";
    let (text, matched, changed) = changed(
        &script.lines().filter_map(|line| line.strip_prefix("-- ")).map(|line| format!("{line}\n")).collect::<String>(),
        "app=ghcr.io/app",
        &filter("ns:app:name"),
    );
    assert_eq!((text.as_str(), matched, changed), ("name: ghcr.io/app # {\"$imagepolicy\": \"ns:app:name\"}\n", 1, 1));
    for wrong in ["app", "ns:", ":app", "ns:app:digest", "a:b:tag:c"] {
        assert!(wrong.parse::<Policy>().is_err(), "{wrong}");
    }
}
