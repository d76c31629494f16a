//! The tests of strategic merge patches: both patches are applied, and the one of three objects is made.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use kmerge_core::Schema;
use kmerge_core::apply::{Algorithm, ListKeys, ListOrder, Sides};
use kmerge_core::value::{Map, Value};
use kyaml_ast::Stream;
use serde_json::Value as Json;

use super::{Suite, Tests, compare, yaml};
use crate::ours::plain;

/// What `$patch` and its kin are tried on has this kind.
const KIND: [&str; 3] = ["fake-group", "some-version", "mergeItem"];

pub(super) fn patches(directory: &Path) -> anyhow::Result<Suite> {
    let definitions = std::fs::read_to_string(directory.join("testdata/swagger-merge-item.json"))?;
    let stream = Stream::parse(&definitions)?;
    let mut schema = Schema::new();
    schema.add_openapi(stream.documents().next().context("the definitions are empty")?)?;
    let [group, version, kind] = KIND;
    let algorithm = Algorithm::strategic(schema.resource(group, version, kind), ListKeys::Smp);

    let tests = Tests::read(&directory.join("patch_test.go"))?;
    let mut all = yaml::cases(&tests)?;
    for (_, fields) in tests.tables(&["Original", "TwoWay"]) {
        all.push(from_texts(&fields)?);
    }
    let mut suite = Suite::default();
    for (number, case) in all.iter().enumerate().filter(|(_, case)| case.get("twoWay").is_some()) {
        check(case, &format!("strategicpatch {}", number + 1), algorithm, &mut suite);
    }
    Ok(suite)
}

/// `TwoWay` is called `twoWay` in the other cases.
fn from_texts(fields: &BTreeMap<String, String>) -> anyhow::Result<Json> {
    let mut case = serde_json::Map::new();
    for (name, text) in fields {
        let name = name[..1].to_lowercase() + &name[1..];
        let is_data = !matches!(name.as_str(), "description" | "expectedError");
        case.insert(name, if is_data { yaml::json(text)? } else { text.clone().into() });
    }
    Ok(Json::Object(case))
}

fn check(case: &Json, name: &str, algorithm: Algorithm<'_>, suite: &mut Suite) {
    let refused = case.get("expectedError").is_some();
    let expected = |names: [&str; 2]| if refused { None } else { names.into_iter().find_map(|name| case.get(name)) };
    let two_way = applied(yaml::map(case.get("original")), yaml::map(case.get("twoWay")), algorithm);
    suite.verdicts.push(compare(format!("{name} two-way"), two_way.as_ref(), expected(["twoWayResult", "modified"])));
    let (Some(current), Some(modified)) = (case.get("current"), case.get("modified")) else { return };
    let (last_applied, config, live) =
        (yaml::map(case.get("original")), yaml::map(Some(modified)), yaml::map(Some(current)));
    let sides = Sides { last_applied: Some(&last_applied), config: &config, live: &live };
    let made = algorithm.plan(&sides, true).ok();
    let patch = made.as_ref().map(|made| plain(&Value::map(made.patch.clone())));
    suite.verdicts.push(compare(format!("{name} three-way patch"), patch.as_ref(), case.get("threeWay")));
    let result = made.and_then(|made| applied(live.clone(), made.patch, algorithm));
    suite.verdicts.push(compare(format!("{name} three-way"), result.as_ref(), expected(["result", "result"])));
}

fn applied(mut object: Map, patch: Map, algorithm: Algorithm<'_>) -> Option<Json> {
    algorithm.apply(&mut object, patch, ListOrder::Kubectl).ok()?;
    Some(plain(&Value::map(object)))
}
