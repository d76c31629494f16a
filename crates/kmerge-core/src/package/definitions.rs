//! The custom resource definitions that stand in the trees: they tell how the lists of their resources are paired.

use std::collections::HashSet;

use kyaml_ast::Stream;
use memchr::memmem::Finder;

use super::plan::PackageError;
use super::trees::{Content, ContentKind, File, Trees};
use crate::schema::{Schema, SchemaError};
use crate::slots::Side;

impl Trees<'_> {
    /// Adds the custom resource definitions of all trees to a schema, the incoming ones first: of two for one kind the first one
    /// counts. Says which ones cannot be understood; what they define is merged without them.
    ///
    /// Costs nothing where no resource of a kind that is not built in has changed.
    pub fn add_crds(&self, schema: &mut Schema) -> Vec<PackageError> {
        let mut unusable = Vec::new();
        if !needs_definitions(self, schema) {
            return unusable;
        }
        let finder = Finder::new("CustomResourceDefinition");
        let mut seen = HashSet::new();
        for side in [Side::Incoming, Side::Dest, Side::Base] {
            for (file, File { content, .. }) in self.side(side).iter().enumerate() {
                let Some(text) = yaml(self.content(*content)) else { continue };
                if !seen.insert(*content) || finder.find(text.as_bytes()).is_none() {
                    continue;
                }
                let found = |error| PackageError::Definition { side, file: file as u32, error };
                unusable.extend(add_file(text, schema).map(found));
            }
        }
        unusable
    }
}

/// Adds the definitions of one file and says what is wrong with the first that is not understood; what does not parse has
/// none.
fn add_file(text: &str, schema: &mut Schema) -> Option<SchemaError> {
    let stream = Stream::parse(text).ok()?;
    stream.documents().filter_map(|document| schema.add_crds(document).err()).next()
}

/// Whether a resource that is to be merged is of a kind that is not built in.
fn needs_definitions(trees: &Trees<'_>, schema: &Schema) -> bool {
    let mut units = trees.contents.iter().flat_map(Content::units);
    units.any(|unit| unit.subject.identity().is_some_and(|own| !schema.knows(&own.group, &own.kind)))
}

/// The text of what may be YAML, changed or not.
const fn yaml<'s>(content: &Content<'s>) -> Option<&'s str> {
    if let ContentKind::Text(_) = content.0 { None } else { content.text() }
}
