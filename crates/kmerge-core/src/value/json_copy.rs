//! Writes the JSON of a stream's content without making values. The values of a large object take ten times its memory.
//!
//! Invariant: the text equals that of [`write_json`] for the value that [`Reader::read`] returns. Only for streams
//! without anchors and merge keys.

use std::borrow::Cow;

use kyaml_ast::{Kind, Node};

use super::json_write::quote;
use super::read::Result;
use super::{MAX_DEPTH, Place, Reader, Value, write_json};

/// A field of a mapping.
struct Field<'t> {
    name: Cow<'t, str>,
    place: Place,
}

impl<'t> Reader<'_, 't> {
    /// Appends the JSON text of the object at a place. Its field `metadata` is replaced by the given value.
    ///
    /// # Errors
    ///
    /// As for [`Reader::document`].
    pub(crate) fn write_object(&mut self, place: Place, metadata: &Value, out: &mut String) -> Result<()> {
        let node = self.source().stream().node(place.node());
        self.write_fields(node, 0, out, |name| (name == "metadata").then_some(metadata))
    }

    fn write_fields<'v>(
        &mut self,
        node: Node<'t>,
        depth: usize,
        out: &mut String,
        instead: impl Fn(&str) -> Option<&'v Value>,
    ) -> Result<()> {
        out.push('{');
        for (index, Field { name, place }) in self.sorted(node)?.into_iter().enumerate() {
            out.push_str(if index == 0 { "" } else { "," });
            quote(&name, out);
            out.push(':');
            match instead(&name) {
                Some(value) => write_json(value, out),
                None => self.write(place, depth + 1, out)?,
            }
        }
        out.push('}');
        Ok(())
    }

    fn write(&mut self, place: Place, depth: usize, out: &mut String) -> Result<()> {
        let node = self.source().stream().node(place.node());
        // If it is too deep, reading it returns the error.
        if depth == MAX_DEPTH || !node.kind().is_collection() {
            write_json(&self.at(place, depth)?, out);
            return Ok(());
        }
        if node.kind() == Kind::Mapping {
            return self.write_fields(node, depth, out, |_| None);
        }
        out.push('[');
        for (index, entry) in node.entries().enumerate() {
            out.push_str(if index == 0 { "" } else { "," });
            self.write(Place::Entry(entry.id()), depth + 1, out)?;
        }
        out.push(']');
        Ok(())
    }

    /// The fields of a mapping, sorted by name. Of several with one name, the last one counts.
    fn sorted(&self, node: Node<'t>) -> Result<Vec<Field<'t>>> {
        let mut fields = Vec::new();
        for entry in node.entries() {
            let Some(key) = entry.key() else { continue };
            fields.push(Field { name: self.name(key)?, place: Place::Entry(entry.id()) });
        }
        fields.sort_by(|one, other| one.name.cmp(&other.name));
        fields.reverse();
        fields.dedup_by(|one, other| one.name == other.name);
        fields.reverse();
        Ok(fields)
    }
}
