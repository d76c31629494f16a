//! What `kubectl kustomize` builds, against `kmerge build --compat kustomize`.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use anyhow::Context as _;
use kyaml_ast::{Entry, Kind, Node, Resolved, ScalarSchema, Stream};
use serde_json::Value;

use super::{Reasons, Verdict, cases, text};

/// Everything agrees.
pub(super) const fn reasons() -> Reasons {
    Reasons::new()
}

pub(super) fn verdicts(recorded: &Value) -> anyhow::Result<Vec<Verdict>> {
    let verdict = |case: &Value| {
        let mut files = BTreeMap::new();
        for (path, content) in case["files"].as_object().context("a case has files")? {
            files.insert(path.clone(), content.as_str().context("files are text")?.to_owned());
        }
        let (ours, theirs) = (built(&files, ".")?.ok(), case["output"].as_array());
        let difference =
            (ours.as_ref() != theirs).then(|| format!("{ours:?} instead of {theirs:?}, {}", case["error"]));
        Ok(Verdict { name: text(case, "title")?.to_owned(), difference })
    };
    cases(recorded)?.iter().map(verdict).collect()
}

/// Our objects of a place among these files, or why the build is refused.
pub(super) fn built(files: &BTreeMap<String, String>, place: &str) -> anyhow::Result<Result<Vec<Value>, String>> {
    let room = tempfile::tempdir()?;
    for (path, content) in files {
        let path = room.path().join(path.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().context("a file has a directory")?)?;
        std::fs::write(path, content)?;
    }
    let place = room.path().join(place.trim_start_matches('/'));
    let output = kmerge(&["build", "--compat", "kustomize", "--quiet", &place.to_string_lossy()])?;
    Ok(match output {
        Ok(text) => Ok(objects(&text)?),
        Err(message) => Err(message.replace(&*room.path().to_string_lossy(), "")),
    })
}

/// What a command of the binary beside this one writes, or its first message where it fails.
pub(super) fn kmerge(arguments: &[&str]) -> anyhow::Result<Result<String, String>> {
    let binary = std::env::current_exe()?.with_file_name(format!("kmerge{}", std::env::consts::EXE_SUFFIX));
    let output = Command::new(&binary).args(arguments).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot run {}: cargo build -p kmerge-cli", binary.display()))?;
    let message = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
    Ok(if output.status.success() { Ok(String::from_utf8(output.stdout)?) } else { Err(message) })
}

pub(super) fn objects(text: &str) -> anyhow::Result<Vec<Value>> {
    let stream = Stream::parse(text)?;
    stream.documents().filter_map(kyaml_ast::Document::root).map(value).collect()
}

/// What kustomize reads: words such as `y` are text to it, and what is written stays as it is written in kmerge.
fn value(node: Node<'_>) -> anyhow::Result<Value> {
    Ok(match node.kind() {
        Kind::Mapping => {
            let field = |entry: Entry<'_>| {
                let key = entry.key().and_then(Node::key_text).context("a key is text")?;
                Ok((key.into_owned(), value(entry.value())?))
            };
            Value::Object(node.entries().map(field).collect::<anyhow::Result<_>>()?)
        }
        Kind::Sequence => Value::Array(node.children().map(value).collect::<anyhow::Result<_>>()?),
        Kind::Alias => format!("*{}", node.alias().unwrap_or_default()).into(),
        _ => match node.resolve(ScalarSchema::Core12).context("only aliases mean nothing by themselves")? {
            Resolved::Null => Value::Null,
            Resolved::Bool(value) => value.into(),
            Resolved::Int(number) => i64::try_from(number)?.into(),
            Resolved::Float(number) => number.into(),
            Resolved::String(text) | Resolved::BigInt(text) | Resolved::Tagged { text, .. } => text.into_owned().into(),
        },
    })
}
