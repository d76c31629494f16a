//! Laws of applies and of patches from differences, on generated manifests in all layouts.
#![allow(clippy::unwrap_used, clippy::panic)]

use kmerge_core::Schema;
use kmerge_core::apply::{
    Algorithm, Documents, ListKeys, ListOrder, Object, Options, Outcome, PatchError, PatchKind, PatchOptions, Sides,
    Verb, apply,
};
use kmerge_core::value::{Data, Source, Value};
use kmerge_testgen::manifest_triple;
use kyaml_ast::Stream;

const SEEDS: u64 = 160;

fn applied(live: &str, config: &str, order: ListOrder) -> Result<Outcome, String> {
    let schema = Schema::new();
    let options = Options { order, ..Options::new(&schema) };
    apply(Sides { live: &[live][..], config: &[config], last_applied: None }, options)
        .map_err(|error| error.to_string())
}

fn text(outcome: &Outcome, live: &str) -> String {
    outcome.texts[0].clone().unwrap_or_else(|| live.to_owned())
}

/// The objects of a text, as values.
fn values(text: &str) -> Vec<Value> {
    let stream = Stream::parse(text).unwrap();
    let source = [Source::new(&stream)];
    // Not everything that YAML can say can be read as JSON.
    Object::all(&source).iter().filter_map(|object| object.value(&source[0]).ok()).collect()
}

/// Every object without its annotation.
fn stripped(text: &str) -> String {
    let stream = Stream::parse(text).unwrap();
    let source = [Source::new(&stream)];
    let mut documents = Documents::new(&source[0]);
    for object in Object::all(&source) {
        documents.value_mut(&object).unwrap().unwrap().strip_last_applied();
    }
    documents.write().unwrap().unwrap_or_else(|| text.to_owned())
}

/// Live objects and two configurations, with some order of lists; without kustomizations, which nobody applies.
fn cases() -> impl Iterator<Item = (u64, [String; 3], ListOrder)> {
    let new = kmerge_core::ListOrder::Neighbour;
    let orders = [ListOrder::Stable(new), ListOrder::Kubectl, ListOrder::Stable(kmerge_core::ListOrder::Append)];
    let cases = (0..SEEDS).map(move |seed| {
        let triple = manifest_triple(seed, 1 + (seed % 3) as usize, 1 + (seed % 6) as usize);
        let texts = [triple.dest.text(), triple.base.text(), triple.incoming.text()];
        (seed, texts, orders[seed as usize % orders.len()])
    });
    cases.filter(|(_, texts, _)| texts.iter().all(|text| !text.contains("Kustomization")))
}

#[test]
fn what_was_applied_stays_applied() {
    let mut refused = 0;
    for (seed, [live, first, second], order) in cases() {
        let both = applied(&live, &first, order).and_then(|once| {
            applied(&text(&once, &live), &second, order).map(|twice| text(&twice, &text(&once, &live)))
        });
        let Ok(result) = both else {
            refused += 1;
            continue;
        };
        let again = applied(&result, &second, order).unwrap();
        assert_eq!(again.texts, [None], "seed {seed}: {:?}\n{result}", again.reports);
        for report in &again.reports {
            assert!(report.verb == Verb::Unchanged && report.findings.is_empty(), "seed {seed}: {report:?}");
        }
    }
    assert!(refused < SEEDS / 4, "{refused} refused");
}

#[test]
fn the_annotation_holds_the_configuration() {
    for (seed, [live, first, _], order) in cases() {
        let Ok(outcome) = applied(&live, &first, order) else { continue };
        let result = values(&text(&outcome, &live));
        for config in values(&first) {
            let is_noted = result.iter().any(|object| noted(object) == Some(as_noted(&config, object)));
            assert!(is_noted, "seed {seed}: {}", config.to_json());
        }
    }
}

fn noted(object: &Value) -> Option<Value> {
    object.last_applied().unwrap().map(Value::map)
}

/// What kubectl notes of a configuration of an object.
fn as_noted(config: &Value, object: &Value) -> Value {
    let mut config = config.clone();
    if let Some(Data::Text(namespace)) = object.get("metadata").and_then(|it| it.get("namespace")).map(|it| &it.data) {
        config.default_namespace(namespace);
    }
    let metadata = config.as_map_mut().unwrap().get_mut("metadata").unwrap().as_map_mut().unwrap();
    metadata.entry("annotations".to_owned()).or_insert_with(|| Value::from_json("{}").unwrap());
    config
}

#[test]
fn stripping_leaves_what_was_there() {
    let mut annotated = 0;
    for (seed, [live, ..], order) in cases() {
        let Ok(outcome) = applied(&live, &live, order) else { continue };
        let result = text(&outcome, &live);
        annotated += usize::from(result != live);
        assert_eq!(stripped(&result), live, "seed {seed}:\n{result}");
    }
    assert!(annotated > 60, "{annotated}");
}

#[test]
fn a_difference_leads_to_the_other_object() {
    let schema = Schema::new();
    let (mut made, mut inexpressible) = (0, 0);
    for (seed, [old, new, _], order) in cases() {
        let options = PatchOptions { schema: &schema, keys: ListKeys::Smp, order };
        for (old, new) in values(&old).iter().zip(&values(&new)) {
            for kind in [PatchKind::Strategic, PatchKind::Merge, PatchKind::Json] {
                let is_known = [old, new].into_iter().all(|object| {
                    Algorithm::of(&schema, object.as_map().unwrap(), ListKeys::Smp).kind() == PatchKind::Strategic
                });
                let patched = match old.diff(new, kind, options) {
                    Ok(found) => {
                        let mut object = old.clone();
                        object.patch(&found, kind, options).unwrap();
                        object
                    }
                    Err(PatchError::UnknownKind) => {
                        assert!(!is_known);
                        continue;
                    }
                    Err(_) if kind != PatchKind::Json => {
                        inexpressible += 1;
                        continue;
                    }
                    Err(error) => panic!("seed {seed}: {error}"),
                };
                assert_eq!(patched, *new, "seed {seed}");
                made += 1;
            }
        }
    }
    assert!(made > 5 * inexpressible, "{made} made, {inexpressible} inexpressible");
}

/// What a patch makes of a text's objects, read as wholes or as far as the patch needs.
fn patched(
    text: &str,
    given: &Value,
    kind: PatchKind,
    options: PatchOptions<'_>,
    whole: bool,
) -> Result<String, String> {
    let stream = Stream::parse(text).unwrap();
    let source = [Source::new(&stream)];
    let one = Stream::parse("one: patch\n").unwrap();
    let patches = [Source::new(&one)];
    let mut documents = Documents::for_patches(&source[0], &patches);
    for object in Object::all(&source) {
        if whole {
            let value = documents.value_mut(&object).map_err(|error| error.to_string())?.unwrap();
            value.patch(given, kind, options).map_err(|error| error.to_string())?;
        } else {
            documents.patch(&object, given, kind, options).map_err(|error| error.to_string())?;
        }
    }
    let result = documents.write().map_err(|error| error.to_string())?;
    Ok(result.unwrap_or_else(|| text.to_owned()))
}

/// A text without anything that its parts depend on.
fn is_free(text: &str) -> bool {
    !text.contains(['&', '*']) && !text.contains("<<")
}

#[test]
fn a_patch_needs_no_more_than_it_says() {
    let schema = Schema::new();
    let mut changed = 0;
    for (seed, [old, new, _], order) in cases().filter(|(_, texts, _)| is_free(&texts[0])) {
        let options = PatchOptions { schema: &schema, keys: ListKeys::Smp, order };
        for (from, to) in values(&old).iter().zip(&values(&new)) {
            for kind in [PatchKind::Strategic, PatchKind::Merge, PatchKind::Json] {
                let Ok(given) = from.diff(to, kind, options) else { continue };
                // It comes from nowhere.
                let given = Value::from_json(&given.to_json()).unwrap();
                let [whole, part] = [true, false].map(|whole| patched(&old, &given, kind, options, whole));
                assert_eq!(part, whole, "seed {seed}: {}\n{old}", given.to_json());
                changed += usize::from(whole.is_ok_and(|text| text != old));
            }
        }
    }
    assert!(changed > 100, "{changed}");
}

#[test]
fn an_apply_needs_no_more_than_what_differs() {
    // With an anchor in the file, all objects are read as wholes.
    let other = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: &x {name: of-an-anchor}\n";
    let mut changed = 0;
    for (seed, [live, config, last], order) in cases().filter(|(_, texts, _)| is_free(&texts.concat())) {
        let live = applied(&live, &last, order).map_or(live.clone(), |outcome| text(&outcome, &live));
        let with_other = other.to_owned() + &live;
        let whole = applied(&with_other, &config, order).map(|outcome| text(&outcome, &with_other));
        let part = applied(&live, &config, order).map(|outcome| other.to_owned() + &text(&outcome, &live));
        assert_eq!(part, whole, "seed {seed}: {config}");
        changed += usize::from(part.is_ok_and(|text| !text.ends_with(&live)));
    }
    assert!(changed > 30, "{changed}");
}

#[test]
fn what_is_applied_twice_at_once_is_applied() {
    let mut compared = 0;
    for (seed, [live, config, last], order) in cases().filter(|(_, texts, _)| is_free(&texts.concat())) {
        let live = applied(&live, &last, order).map_or(live.clone(), |outcome| text(&outcome, &live));
        let twice = format!("{}\n---\n{config}", config.trim_end());
        let (Ok(once), Ok(twice)) = (applied(&live, &config, order), applied(&live, &twice, order)) else { continue };
        // What is not there is created twice.
        if once.reports.iter().any(|report| report.verb == Verb::Created) {
            continue;
        }
        assert_eq!(stripped(&text(&twice, &live)), stripped(&text(&once, &live)), "seed {seed}");
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
}
