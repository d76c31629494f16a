//! Which snippets kubectl and kpt accept, and what kubectl reads.

use anyhow::Context as _;
use kmerge_core::value::Source;
use kyaml_ast::Stream;
use serde_json::Value;

use super::{Reasons, Verdict, cases, text};

/// The recorded cases of our own say why we answer differently.
pub(super) fn reasons() -> anyhow::Result<Reasons> {
    let path = crate::fixtures::root().join("acceptance/cases.json");
    let own: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let reason = |case: &Value| Some((case["name"].as_str()?.to_owned(), case["reason"].as_str()?.to_owned()));
    Ok(own.iter().filter_map(reason).collect())
}

pub(super) fn verdicts(recorded: &Value) -> anyhow::Result<Vec<Verdict>> {
    cases(recorded)?.iter().map(verdict).collect()
}

fn verdict(case: &Value) -> anyhow::Result<Verdict> {
    let accepts = |tool: &str| case["accepts"][tool] == true;
    let is_accepted = accepts("kubectl") || accepts("kpt");
    let input = input(case)?;
    let difference = match (Stream::parse_bytes(&input), is_accepted) {
        (Ok(_), false) => Some("accepted by us only".to_owned()),
        (Err(error), true) => Some(format!("refused by us only: {error}")),
        (Err(_), false) => None,
        (Ok(stream), true) => misread(&stream, case),
    };
    Ok(Verdict { name: text(case, "name")?.to_owned(), difference })
}

fn input(case: &Value) -> anyhow::Result<Vec<u8>> {
    if let Some(text) = case["input"].as_str() {
        return Ok(text.as_bytes().to_vec());
    }
    let bytes = text(case, "inputLatin1")?.chars().map(u8::try_from);
    bytes.collect::<Result<_, _>>().context("not Latin-1")
}

/// What differs from what kubectl read, which was recorded with an annotation that marked it.
fn misread(stream: &Stream<'_>, case: &Value) -> Option<String> {
    let mut recorded = case.get("kubectlReads").filter(|reading| reading.is_object())?.clone();
    let metadata = recorded["metadata"].as_object_mut()?;
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.shift_remove("zz");
        if annotations.is_empty() {
            metadata.shift_remove("annotations");
        }
    }
    let source = Source::new(stream);
    let ours = match stream.documents().find_map(|document| source.value(document).transpose()) {
        Some(Ok(value)) => value.to_json(),
        Some(Err(error)) => return Some(format!("not read: {error}")),
        None => "nothing".to_owned(),
    };
    let is_same = serde_json::from_str::<Value>(&ours).is_ok_and(|ours| ours == recorded);
    (!is_same).then(|| format!("{ours} instead of {recorded}"))
}
