//! Where a package came from: what its `Kptfile` says, or else its `kmerge.yaml`.
//!
//! Invariant: whatever stands there was written by whoever made the package. It is data: nobody fetches from a repository
//! only because it is recorded.

use anyhow::{Context as _, anyhow};
use kmerge_core::apply::Documents;
use kmerge_core::value::{Data, Map, Source as Values, Value};
use kyaml_ast::{Document, Stream};

use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;

/// The file that kpt keeps.
pub(super) const KPTFILE: &str = "Kptfile";
/// The file of those who do without kpt.
pub(super) const CONFIG: &str = "kmerge.yaml";

/// Where a package came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) repo: String,
    /// The directory or file of the repository.
    pub(super) path: String,
    pub(super) name: String,
    pub(super) commit: String,
}

/// The ways to the fields of a record: repository, path, name and commit.
type Ways = [&'static [&'static str]; 4];

const IN_CONFIG: Ways = [&["upstream", "repo"], &["upstream", "path"], &["upstream", "ref"], &["upstream", "commit"]];
/// What was asked for last.
const WANTED: Ways = [
    &["upstream", "git", "repo"],
    &["upstream", "git", "directory"],
    &["upstream", "git", "ref"],
    // Not there: a version that is asked for is a name.
    &["upstream", "git", "commit"],
];
/// What was taken last.
const TAKEN: Ways = [
    &["upstreamLock", "git", "repo"],
    &["upstreamLock", "git", "directory"],
    &["upstreamLock", "git", "ref"],
    &["upstreamLock", "git", "commit"],
];

/// What says that both are about a git repository.
const TYPES: [&[&str]; 2] = [&["upstream", "type"], &["upstreamLock", "type"]];

impl Record {
    /// What a file says; `None` where it says nothing.
    pub(super) fn read(file: &str, source: &Source) -> anyhow::Result<Option<Self>> {
        let stream = source.parse()?;
        let Some((_, value)) = root(source, &stream)? else { return Ok(None) };
        let ways = if file == KPTFILE { TAKEN } else { IN_CONFIG };
        let text = |way: &[&str]| value.at(way).and_then(Value::as_text).unwrap_or_default().to_owned();
        let [repo, path, name, commit] = ways.map(text);
        Ok((!commit.is_empty()).then_some(Self { repo, path, name, commit }))
    }

    /// The file with this record; an empty text where there is none yet.
    pub(super) fn written(&self, file: &str, source: &Source) -> anyhow::Result<String> {
        let stream = source.parse()?;
        let Some((document, _)) = root(source, &stream)? else { return Ok(self.fresh(file, source)) };
        let values = Values::new(&stream);
        let mut documents = Documents::new(&values);
        let wanted = documents.document_mut(document)?.context("it has a root")?;
        for (way, text) in self.fields(file) {
            put(wanted, way, &text).with_context(|| format!("{}: {} is no mapping", source.name, way[0]))?;
        }
        let text = documents.write();
        let text =
            text.map_err(|error| anyhow!(Diagnostic::error(Code::BrokenResult, format!("{}: {error}", source.name))))?;
        Ok(text.unwrap_or_else(|| source.text.clone()))
    }

    fn fields(&self, file: &str) -> Vec<(&'static [&'static str], String)> {
        let own = [&self.repo, &self.path, &self.name, &self.commit].map(Clone::clone);
        let with = |ways: Ways| ways.into_iter().zip(own.clone());
        if file != KPTFILE {
            return with(IN_CONFIG).collect();
        }
        let types = TYPES.into_iter().map(|way| (way, "git".to_owned()));
        let mut fields: Vec<_> = with(WANTED).take(3).chain(with(TAKEN)).collect();
        fields.extend(types);
        for (way, text) in &mut fields {
            // kpt writes the directory with a slash before it.
            if way.last() == Some(&"directory") && !text.starts_with('/') {
                text.insert(0, '/');
            }
        }
        fields
    }

    /// The record as a file of its own, below the comments that stand there.
    fn fresh(&self, file: &str, source: &Source) -> String {
        let mut value = Value::null();
        for (way, text) in self.fields(file) {
            put(&mut value, way, &text).expect("nothing is in the way in an empty file");
        }
        let gap = if source.text.is_empty() || source.text.ends_with('\n') { "" } else { "\n" };
        format!("{}{gap}{}", source.text, value.to_yaml())
    }
}

/// The first document with content, and what it means.
fn root<'t>(source: &Source, stream: &'t Stream<'t>) -> anyhow::Result<Option<(Document<'t>, Value)>> {
    let values = Values::new(stream);
    for document in stream.documents() {
        let value = values.value(document);
        let value =
            value.map_err(|error| Diagnostic::error(Code::Config, error.to_string()).at(source, error.span, ""))?;
        if let Some(value) = value.filter(|value| !value.is_null()) {
            return Ok(Some((document, value)));
        }
    }
    Ok(None)
}

/// Sets a text, and makes the mappings on the way; `None` where something else is in the way.
fn put(value: &mut Value, way: &[&str], text: &str) -> Option<()> {
    let mut at = value;
    for step in way {
        if at.is_null() {
            at.data = Data::Map(Map::new());
        }
        at = at.as_map_mut()?.entry((*step).to_owned()).or_insert_with(Value::null);
    }
    if at.as_text() != Some(text) {
        at.data = Data::Text(text.to_owned());
    }
    Some(())
}
