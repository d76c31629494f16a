//! YAML in the strings of tests.

use anyhow::Context as _;
use kmerge_core::value::{Map, Source};
use kyaml_ast::Stream;
use serde_json::Value as Json;

use super::Tests;
use crate::ours::{own, plain};

/// A document as JSON; nothing is null.
pub(super) fn json(text: &str) -> anyhow::Result<Json> {
    let stream = Stream::parse(text)?;
    let source = Source::new(&stream);
    let value = stream.documents().find_map(|document| source.value(document).transpose()).transpose();
    Ok(value.map_err(|error| anyhow::anyhow!("not read: {error}"))?.as_ref().map_or(Json::Null, plain))
}

/// The objects of all strings that begin with `testCases:`.
pub(super) fn cases(tests: &Tests) -> anyhow::Result<Vec<Json>> {
    let mut out = Vec::new();
    for text in tests.texts().filter(|text| text.trim_start().starts_with("testCases:")) {
        out.extend(json(text)?["testCases"].as_array().context("a list of cases")?.iter().cloned());
    }
    Ok(out)
}

/// An object as kmerge has it; nothing is an empty one.
pub(super) fn map(value: Option<&Json>) -> Map {
    value.and_then(|value| own(value).as_map().cloned()).unwrap_or_default()
}
