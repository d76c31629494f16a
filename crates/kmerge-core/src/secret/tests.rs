use super::*;

/// The text with each hidden byte replaced by a star, except line breaks.
fn masked(text: &str) -> String {
    let secrets = Secrets::in_text(text);
    let mark = |(at, char): (usize, char)| match char {
        '\n' => '\n',
        _ if secrets.touch(Span::new(at as u32, at as u32 + 1)) => '*',
        other => other,
    };
    text.char_indices().map(mark).collect()
}

#[track_caller]
fn hidden(texts: &[&str]) {
    for text in texts {
        let masked = masked(text);
        assert!(!masked.contains("geheim") && text.contains("geheim"), "{text}\n{masked}");
    }
}

#[track_caller]
fn shown(texts: &[&str]) {
    for text in texts {
        assert_eq!(masked(text), *text);
    }
}

#[test]
fn values_are_hidden_and_names_are_not() {
    let text = "apiVersion: v1 # c\nkind: Secret\nmetadata:\n  name: s\n  labels: {a: b}\n  annotations:\n    x/y: geheim\ntype: Opaque\ndata:\n  # geheim\n  a: &x !!binary geheim # c\nstringData: {b: \"ge\", ? c}\n";
    let expected = "apiVersion: v1 ***\nkind: Secret\nmetadata:\n  name: s\n  labels: {a: b}\n  annotations:\n    x/y: ******\ntype: Opaque\ndata:\n  ********\n  a: ****************** ***\nstringData: {b: ****, ? c}\n";
    assert_eq!(masked(text), expected);
}

#[test]
fn kinds_are_read_however_they_are_written() {
    const KINDS: [&str; 16] = [
        "kind: Secret",
        "kind: secret",
        "'kind': 'Secret'",
        "\"kind\": \"Secret\"",
        "\"k\\x69nd\": \"\\u0053ecret\"",
        "kind: \"Sec\\\n  ret\"",
        "kind: !!str Secret",
        "kind: &k Secret",
        "? kind\n: Secret",
        "kind: >-\n  Secret",
        "kind: |\n  Secret",
        "x: &k Secret\nkind: *k",
        "x: &k kind\n*k : Secret",
        "kind: ConfigMap\nkind: Secret",
        "<<: {kind: Secret}",
        "x: &x {kind: Secret}\ny: &y {<<: [*x]}\n<<: *y",
    ];
    for kind in KINDS {
        hidden(&[
            &format!("{kind}\nstringData: {{a: geheim}}\n"),
            &format!("stringData:\n  a: |\n    b\n    geheim\n{kind}\n"),
            &format!("{kind}\nmetadata: {{annotations: {{a: geheim}}}}\n"),
            &format!("{kind}\nbroken: [\nstringData:\n  a: geheim\n"),
        ]);
    }
    hidden(&[r#"{"kind":"Secret","data":{"a":"geheim"}}"#, r#"{"data":{"a":"geheim"},"kind":"\u0053\u0065cret""#]);
}

#[test]
fn lists_are_looked_into_at_any_depth() {
    hidden(&[
        "kind: List\nitems:\n- kind: List\n  items:\n  - kind: Secret\n    data: {a: geheim}\n",
        "kind: SecretList\nitems:\n- data: {a: geheim}\n- kind: Other\n  data: {a: geheim}\n",
        "x: &i [{data: {a: geheim}}]\nkind: SecretList\nitems: *i\n",
        "x: &m {items: [{stringData: {a: geheim}}]}\nkind: SecretList\n<<: *m\n",
        "kind: List\nitems:\n# geheim\n\n# geheim\n- kind: Secret # geheim\n  data: {a: b}\n# geheim\n- kind: A\n",
        "a:\n  b:\n  # geheim\n  - kind: Secret\n    data: {a: geheim} # geheim\n",
    ]);
}

#[test]
fn what_aliases_in_a_secret_stand_for_is_hidden_where_it_stands() {
    hidden(&[
        "kind: List\nitems:\n- kind: ConfigMap\n  data: &d {a: geheim}\n- kind: Secret\n  data: *d\n",
        "x: &x geheim\nkind: Secret\nstringData: {a: *x}\n",
        "x: &x {data: {a: geheim}}\nkind: Secret\n<<: *x\n",
        "x: &x {a: geheim}\nkind: Secret\ndata: {<<: *x}\n",
        "x: &x {annotations: {a: geheim}}\nkind: Secret\nmetadata: *x\n",
        "kind: Secret\ndata: [geheim]\n",
        "kind: Secret\ndata: geheim\nmetadata: geheim\n",
        "kind: Secret\ndata: {? [geheim] : a}\n",
        "kind: Secret\nstringdata: {a: geheim}\n",
    ]);
}

#[test]
fn objects_without_a_kind_may_be_secrets() {
    hidden(&[
        "stringData: {a: geheim}\n",
        "kind: List\nstringData: {a: geheim}\n",
        "patch:\n  stringData: {a: geheim}\n",
        "kind: Secret\n---\nmetadata: {name: a}\ndata: {a: geheim}\n",
        "kind: SecretList\n---\nkind: List\nitems: [{metadata: {name: a}, data: {a: geheim}}]\n",
    ]);
    shown(&["metadata: {name: a}\ndata: {a: b}\n", "kind: ConfigMap\nmetadata: {name: Secret}\ndata: {a: b}\n"]);
}

#[test]
fn texts_with_a_secret_in_them_are_hidden() {
    hidden(&[
        "patches:\n- patch: |-\n    kind: Secret\n    stringData:\n      a: geheim\n",
        "patch: \"kind: Secret\\nstringData: {a: geheim}\"\n",
        "metadata: {annotations: {a: '{\"kind\":\"Secret\",\"data\":{\"a\":\"geheim\"}}'}}\n",
    ]);
}

#[test]
fn what_is_no_secret_is_shown() {
    shown(&[
        "kind: ConfigMap\ndata: {a: b} # c\n",
        "kind: Deployment\nspec: {volumes: [{name: a, secret: {secretName: b}}]} # c\n",
        "kind: HelmRelease\nspec:\n  valuesFrom:\n  # c\n  - kind: Secret\n    name: a # c\n",
        "kind: ExternalSecret\nspec: {data: [{secretKey: a}]} # c\n",
        "kind: SealedSecret\nspec: {encryptedData: {a: b}}\n",
        "imagePullSecrets: [\na: secretKeyRef\n",
        "a: [\n---\nkind: A\n",
        "a: the kind of Secret\nb: |\n  a Secret\n",
    ]);
    let mixed = "kind: A # shown\n---\nkind: Secret\ndata: {a: b} # c\n---\nkind: [ # shown\n";
    assert_eq!(masked(mixed), "kind: A # shown\n---\nkind: Secret\ndata: {a: *} ***\n---\nkind: [ # shown\n");
}

#[test]
fn of_a_text_without_a_tree_fields_of_the_document_are_shown() {
    let text = "kind: Secret\n<<<<<<< ours\ndata:\n  a: geheim\n=======\ndata: {a: geheim}\n>>>>>>> theirs\n";
    let expected = "kind:*******\n<<<<<<< ours\ndata:\n  *********\n=======\ndata:************\n>>>>>>> theirs\n";
    assert_eq!(masked(text), expected);
}

#[test]
fn paths_of_a_secret_are_hidden_from_both_ends() {
    let hides = |path: &str| Secrets::hides("Secret", &path.parse().unwrap());
    assert!([".data.a", ".stringData", ".metadata.annotations.x", ".metadata", "."].into_iter().all(hides));
    assert!(![".kind", ".metadata.name", ".type"].into_iter().any(hides));
    assert!(!Secrets::hides("ConfigMap", &".data".parse().unwrap()));
}

#[test]
fn many_secrets_take_no_longer_than_their_text() {
    let item = "- kind: Secret # c\n  data: {a: b}\n";
    let list = format!("kind: List\nitems:\n{}", item.repeat(20_000));
    let documents = "kind: Secret # c\ndata: {a: b}\n---\n".repeat(20_000);
    let merges = (1..20_000).map(|at| format!("a{at}: &a{at}\n  <<: *a{}\n", at - 1)).collect::<String>();
    let chain = format!("a0: &a0 {{kind: Secret, data: {{a: b}}}}\n{merges}");
    let embedded = format!("# c\n{{x: [{}]}} # c\n", "{kind: Secret, data: {a: b}}, ".repeat(20_000));
    let nested = format!("{}{}", "x: {kind: Secret, data: {\n# c\n".repeat(2_000), "}}\n".repeat(2_000));
    for text in [list, documents, chain, embedded, nested] {
        let start = std::time::Instant::now();
        assert!(!Secrets::in_text(&text).is_empty());
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
