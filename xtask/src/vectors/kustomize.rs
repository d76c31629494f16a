//! What `kubectl kustomize` builds, against `kmerge build --compat kustomize`.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context as _;
use kyaml_ast::{Entry, Kind, Node, Resolved, Schema, Stream};
use serde_json::Value;

use super::{Reasons, Verdict, cases, text};

/// Everything agrees.
pub(super) const fn reasons() -> Reasons {
    Reasons::new()
}

pub(super) fn verdicts(recorded: &Value) -> anyhow::Result<Vec<Verdict>> {
    let verdict = |case: &Value| {
        let (ours, theirs) = (built(case)?, case["output"].as_array());
        let difference =
            (ours.as_ref() != theirs).then(|| format!("{ours:?} instead of {theirs:?}, {}", case["error"]));
        Ok(Verdict { name: text(case, "title")?.to_owned(), difference })
    };
    cases(recorded)?.iter().map(verdict).collect()
}

/// Our objects; `None` where the build is refused.
fn built(case: &Value) -> anyhow::Result<Option<Vec<Value>>> {
    let room = tempfile::tempdir()?;
    for (path, content) in case["files"].as_object().context("a case has files")? {
        let path = room.path().join(path);
        std::fs::create_dir_all(path.parent().context("a file has a directory")?)?;
        std::fs::write(path, content.as_str().context("files are text")?)?;
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--package", "kmerge-cli", "--manifest-path"]).arg(manifest);
    command.args(["--", "build", "--compat", "kustomize", "--quiet"]).arg(room.path()).stdin(Stdio::null());
    let output = command.output()?;
    if !output.status.success() {
        return Ok(None);
    }
    objects(std::str::from_utf8(&output.stdout)?).map(Some)
}

fn objects(text: &str) -> anyhow::Result<Vec<Value>> {
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
        _ => match node.resolve(Schema::Core12).context("no aliases are expected")? {
            Resolved::Null => Value::Null,
            Resolved::Bool(value) => value.into(),
            Resolved::Int(number) => i64::try_from(number)?.into(),
            Resolved::Float(number) => number.into(),
            Resolved::String(text) | Resolved::BigInt(text) | Resolved::Tagged { text, .. } => text.into_owned().into(),
        },
    })
}
