use super::super::error::SchemaErrorKind;
use super::super::rules::{ConfigErrorKind, RuleErrorKind, RulePathError, RulePathErrorKind};
use super::*;
use kyaml_ast::Stream;
use proptest::prelude::*;

fn with(rules: &[&str]) -> Schema {
    let mut schema = Schema::new();
    schema.set_rules(rules.iter().map(|rule| rule.parse().unwrap()).collect()).unwrap();
    schema
}

#[test]
fn rules_of_the_command_line() {
    let schema = with(&[
        ".spec.template.spec.containers[].args=set",
        ".spec.template.spec.containers=image, name",
        "spec.gears[].teeth=atomic",
        r#".["a.b/c"]."x=y"=id"#,
        ".values.*.ports=port",
        ".values.web.ports=set",
        ".=name",
    ]);
    let root = schema.resource("apps", "v1", "Deployment");
    let list = |path| at(root, path).list();
    assert_eq!(show(list("spec.template.spec.containers").kind), "image,name");
    assert_eq!(list("spec.template.spec.containers").source, RuleSource::User);
    assert_eq!(list("spec.template.spec.containers[].args").kind, ListKind::Set);
    assert_eq!(show(list("spec.template.spec.containers[].env").kind), "name");
    assert_eq!(list("spec.template.spec.containers[].env").source, RuleSource::Builtin);
    assert_eq!(list("spec.gears[].teeth").kind, ListKind::Atomic);
    assert_eq!(list("spec.gears.teeth").kind, ListKind::Infer);
    assert_eq!(show(root.field("a.b/c").field("x=y").list().kind), "id");
    assert_eq!(show(list("values.db.ports").kind), "port");
    assert_eq!(show(list("values.web.ports").kind), "set");
    assert_eq!(show(root.list().kind), "name");
    assert_eq!(show(schema.untyped().field("values").field("x").field("ports").list().kind), "port");
}

#[test]
fn what_is_no_rule() {
    let path = |kind, at| RuleErrorKind::Path(RulePathError { kind, at });
    let unexpected = |char| RulePathErrorKind::Path(kyaml_ast::PathErrorKind::Unexpected(char));
    let cases = [
        (".spec.a", RuleErrorKind::NoKeys),
        (".spec.a=", RuleErrorKind::Keys),
        (".spec.a=x,,y", RuleErrorKind::Keys),
        (".spec.a=x,x", RuleErrorKind::Keys),
        (".spec.a[]=x", path(RulePathErrorKind::ItemsOfList, 7)),
        (".spec.a[0].b=x", path(RulePathErrorKind::OneElement, 0)),
        (".spec.a[]b=x", path(unexpected('b'), 9)),
        (".spec.*b=x", path(unexpected('*'), 6)),
        ("=x", path(RulePathErrorKind::Path(kyaml_ast::PathErrorKind::NoName), 0)),
    ];
    for (text, expected) in cases {
        assert_eq!(text.parse::<Rule>().unwrap_err(), expected.into(), "{text}");
    }
}

const CONFIG: &str = "\
# rules of this repository
lists:
- kind: Deployment
  path: .spec.template.spec.containers
  keys: [image]
- {group: example.com, path: .spec.gears, keys: 'id, side'}
- group: ''
  path: .data.hosts
  keys: set
";

#[test]
fn rules_of_a_configuration_file() {
    let mut schema = Schema::new();
    schema.set_rules(Rule::from_config(&Stream::parse(CONFIG).unwrap()).unwrap()).unwrap();
    assert_eq!(rule(&schema, "apps/v1", "Deployment", "spec.template.spec.containers"), "image");
    assert_eq!(rule(&schema, "apps/v1", "StatefulSet", "spec.template.spec.containers"), "name");
    assert_eq!(rule(&schema, "example.com/v1", "Anything", "spec.gears"), "id,side");
    assert_eq!(rule(&schema, "example.org/v1", "Anything", "spec.gears"), "infer");
    assert_eq!(rule(&schema, "v1", "ConfigMap", "data.hosts"), "set");
    assert_eq!(rule(&schema, "apps/v1", "ConfigMap", "data.hosts"), "infer");
    for empty in ["", "# nothing\n", "---\n", "lists: []\n", "{}"] {
        assert_eq!(Rule::from_config(&Stream::parse(empty).unwrap()), Ok(Vec::new()), "{empty}");
    }
}

#[test]
fn what_a_configuration_file_gets_wrong_is_pointed_at() {
    let cases = [
        ("list: []", ConfigErrorKind::UnknownSection, "list"),
        ("lists: 5", ConfigErrorKind::NotAList, "5"),
        ("lists: [5]", ConfigErrorKind::NotAMapping, "5"),
        ("[]", ConfigErrorKind::NotAMapping, "[]"),
        ("lists: [{path: .a}]", ConfigErrorKind::NoKeys, "{path: .a}"),
        ("lists: [{keys: a}]", ConfigErrorKind::NoPath, "{keys: a}"),
        ("lists: [{path: .a, keys: a, kinds: K}]", ConfigErrorKind::UnknownField, "kinds"),
        ("lists: [{path: .a, path: .b, keys: a}]", ConfigErrorKind::DuplicateField, "path"),
        ("lists: [{path: [a], keys: a}]", ConfigErrorKind::NotAText, "[a]"),
        ("lists: [{path: .a, keys: [a, a]}]", ConfigErrorKind::Keys, "[a, a]"),
        ("lists: [{path: .a, keys: []}]", ConfigErrorKind::Keys, "[]"),
        ("lists: []\n---\na: 1", ConfigErrorKind::SecondDocument, "a: 1"),
    ];
    for (text, kind, place) in cases {
        let error = Rule::from_config(&Stream::parse(text).unwrap()).unwrap_err();
        assert_eq!((error.kind, error.span.of(text)), (kind.into(), place), "{text}");
    }
    let error = Rule::from_config(&Stream::parse("lists: [{path: '.a[0]', keys: a}]").unwrap()).unwrap_err();
    assert!(matches!(error.kind, SchemaErrorKind::Config(ConfigErrorKind::Path(_))));
}

#[test]
fn too_many_overlapping_rules_are_an_error() {
    let mut rules: Vec<Rule> = Vec::new();
    for place in 0..20 {
        let path: String = (0..20).map(|at| if at == place { ".a" } else { ".*" }).collect();
        rules.push(format!("{path}=k{place}").parse().unwrap());
    }
    assert_eq!(Schema::new().set_rules(rules), Err(RuleErrorKind::TooMany.into()));
}

/// The steps of a path: a field `a` to `c`, or an item.
fn path() -> impl Strategy<Value = Vec<Option<&'static str>>> {
    let step = prop_oneof![Just(None), Just(Some("a")), Just(Some("b")), Just(Some("c"))];
    prop::collection::vec(step, 0..5)
}

/// The same for a rule, `*` included; none ends with an item.
fn pattern() -> impl Strategy<Value = Vec<Option<&'static str>>> {
    let step = prop_oneof![Just(None), Just(Some("a")), Just(Some("b")), Just(Some("*"))];
    prop::collection::vec(step, 0..5).prop_filter("ends with a field", |steps| steps.last() != Some(&None))
}

fn fits(pattern: &[Option<&str>], path: &[Option<&str>]) -> bool {
    let step = |(wanted, found): (&Option<&str>, &Option<&str>)| match (wanted, found) {
        (Some("*"), Some(_)) => true,
        _ => wanted == found,
    };
    pattern.len() == path.len() && pattern.iter().zip(path).all(step)
}

proptest! {
    #[test]
    fn the_last_rule_that_fits_counts(patterns in prop::collection::vec(pattern(), 0..8), path in path()) {
        let rules = patterns.iter().enumerate().map(|(index, steps)| {
            let text: String = steps.iter().map(|step| step.map_or("[]".to_owned(), |name| format!(".{name}"))).collect();
            format!("{}=k{index}", if text.is_empty() { "." } else { &text }).parse().unwrap()
        });
        let mut schema = Schema::without_builtin();
        schema.set_rules(rules.collect()).unwrap();
        let cursor = path.iter().fold(schema.untyped(), |cursor, step| match step {
            Some(name) => cursor.field(name),
            None => cursor.item(),
        });
        let expected = patterns.iter().rposition(|pattern| fits(pattern, &path));
        prop_assert_eq!(show(cursor.list().kind), expected.map_or("infer".to_owned(), |index| format!("k{index}")));
    }
}
