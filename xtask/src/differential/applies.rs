//! Random configurations applied to random live objects.

use serde_json::{Value, json};

use super::Findings;
use crate::kubectl::{self, Applied, Case, KINDS, Refusals};
use crate::ours::{Ours, own};
use crate::parallel;
use crate::random::{Random, mutate, object, shape_of};

/// Cases that are made, answered and compared together.
const BATCH: usize = 480;

/// Compares at most `most` cases; tells how many.
pub(super) fn compare(ours: &Ours, random: &mut Random, most: usize, findings: &mut Findings) -> anyhow::Result<usize> {
    let cases: Vec<Case> = (0..BATCH.min(most)).map(|index| case(random, index)).collect();
    let answers = kubectl::apply(&cases, Refusals::Counted)?;
    let mut sent = Vec::new();
    for (case, theirs) in cases.iter().zip(answers) {
        findings.count(kind_of(&theirs));
        let (answer, result) = own_answer(ours, case);
        if answer != theirs {
            findings.differences.push(told(case, &show(&theirs), &show(&answer)));
        } else if let Applied::Configured(..) = theirs {
            sent.push((case, theirs, result));
        }
    }
    let results = parallel::map(&sent, |(case, sent, _)| kubectl::result(case, sent))?;
    for ((case, _, own), theirs) in sent.into_iter().zip(results) {
        findings.count(if theirs.is_some() { "patch of an apply: applied" } else { "patch of an apply: refused" });
        if own != theirs {
            findings.differences.push(told(case, &super::patches::show(theirs), &super::patches::show(own)));
        }
    }
    Ok(cases.len())
}

/// A random configuration with what was applied last and what is there; every fifth was applied before.
pub(crate) fn case(random: &mut Random, index: usize) -> Case {
    let kind = random.pick(&KINDS);
    let shape = shape_of(kind.kind);
    let base = object(random, kind.api_version, kind.kind);
    let variant = |random: &mut Random, base: &Value| {
        let mut variant = base.clone();
        if !random.one_in(5) {
            mutate(random, &mut variant, &shape);
        }
        if !variant["metadata"].is_object() {
            variant["metadata"] = json!({});
        }
        variant
    };
    let (live, config) = (variant(random, &base), variant(random, &base));
    let (last, live) = match random.below(10) {
        0 => (config.clone(), config.clone()),
        1 => (config.clone(), live),
        _ => (variant(random, &base), live),
    };
    let last_applied = (!random.one_in(8)).then(|| annotation(&last, index));
    let live = (!random.one_in(20)).then_some(live);
    kubectl::named(&Case { config, live, last_applied, overwrite: !random.one_in(4) }, index)
}

/// What kubectl notes of an object without special characters.
pub(crate) fn annotation(object: &Value, index: usize) -> String {
    let mut object = object.clone();
    object["metadata"]["name"] = kubectl::name(index).into();
    object["metadata"]["namespace"] = "default".into();
    if object["metadata"]["annotations"].is_null() {
        object["metadata"]["annotations"] = json!({});
    }
    object.sort_all_objects();
    format!("{object}\n")
}

/// kmerge's answer, with the namespace that kubectl gives the configuration.
fn own_answer(ours: &Ours, case: &Case) -> (Applied, Option<Value>) {
    let mut config = case.config.clone();
    config["metadata"]["namespace"] = "default".into();
    ours.apply(case.live.as_ref(), &own(&config), case.overwrite)
}

const fn kind_of(answer: &Applied) -> &'static str {
    match answer {
        Applied::Created(_) => "apply: created",
        Applied::Configured(..) => "apply: configured",
        Applied::Unchanged => "apply: unchanged",
        Applied::Refused(_) => "apply: refused",
    }
}

fn told(case: &Case, theirs: &str, own: &str) -> String {
    format!(
        "apply {}\n  live    {}\n  config  {}\n  kubectl {theirs}\n  kmerge  {own}",
        case.last_applied.as_deref().unwrap_or("-").trim_end(),
        case.live.as_ref().map_or_else(|| "-".to_owned(), Value::to_string),
        case.config,
    )
}

fn show(answer: &Applied) -> String {
    match answer {
        Applied::Created(object) => format!("created {object}"),
        Applied::Configured(kind, patch) => format!("{kind} {patch}"),
        Applied::Unchanged => "unchanged".to_owned(),
        Applied::Refused(words) => format!("refused {words}"),
    }
}
