//! Custom resource definitions: those that a user names, and those that stand in what is merged.

use std::borrow::Cow;
use std::io::Write as _;
use std::path::Path;

use kmerge_core::Schema;
use kmerge_core::package::{PackageError, Trees};
use kmerge_core::schema::SchemaError;
use kyaml_ast::Stream;
use memchr::memmem::find;

use crate::diagnostic::{Code, Diagnostic};
use crate::input::{Source, yaml_files};
use crate::merge_dirs::Names;

/// What a file says that holds a definition.
const KIND: &[u8] = b"CustomResourceDefinition";

/// Adds the definitions of a file, or of all files of a directory.
pub(crate) fn add(schema: &mut Schema, path: &Path) -> anyhow::Result<()> {
    let mut found = 0;
    for file in yaml_files(path)? {
        let source = Source::read(&file)?;
        if find(source.text.as_bytes(), KIND).is_none() {
            continue;
        }
        for document in source.parse()?.documents() {
            found += schema.add_crds(document).map_err(|error| unusable(&error, &source))?;
        }
    }
    if found > 0 {
        return Ok(());
    }
    let message = format!("there is no custom resource definition in {}", path.display());
    Err(Diagnostic::error(Code::Crd, message).into())
}

fn unusable(error: &SchemaError, source: &Source) -> Diagnostic {
    Diagnostic::error(Code::Crd, error.to_string()).at(source, error.span, "")
}

/// A schema that knows what the texts define, and what a file of the first one's name holds; says on stderr which
/// definitions cannot be understood.
pub(crate) fn known<'s>(schema: &'s Schema, texts: &[(&Source, &Stream<'_>)]) -> std::io::Result<Cow<'s, Schema>> {
    let mut schema = schema.for_file(texts.first().map_or("", |(source, _)| &source.name));
    for (source, stream) in texts.iter().filter(|(source, _)| find(source.text.as_bytes(), KIND).is_some()) {
        for document in stream.documents() {
            if let Err(error) = schema.to_mut().add_crds(document) {
                left_out(source, &error)?;
            }
        }
    }
    Ok(schema)
}

/// A schema that knows what the trees define; says on stderr which definitions cannot be understood.
pub(crate) fn of_trees(schema: &Schema, trees: &Trees<'_>, names: &Names) -> std::io::Result<Schema> {
    let mut schema = schema.clone();
    for found in trees.add_crds(&mut schema) {
        let PackageError::Definition { side, file, error } = found else { continue };
        let file = trees.side(side)[file as usize];
        let text = trees.content(file.content).text().unwrap_or_default();
        left_out(&Source::new(names.file(side, file.path), text), &error)?;
    }
    Ok(schema)
}

fn left_out(source: &Source, error: &SchemaError) -> std::io::Result<()> {
    let line = source.place(error.span.start).line;
    writeln!(crate::terminal::stderr(), "{}:{line}: this definition is left out: {error}", source.name)
}
