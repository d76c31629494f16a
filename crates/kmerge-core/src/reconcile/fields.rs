//! Edits of a mapping's entries.
//!
//! A new field stands after the nearest field before it in its own mapping that the result has, else before the nearest
//! one after it, else last. A field that has no such siblings goes where it sorts, if the mapping is sorted.

use std::collections::{BTreeMap, HashMap};

use kyaml_ast::{Edit, EntryId, Node, Position};

use super::ReconcileError;
use super::edits::Editor;
use crate::value::{Map, Origin, Place, Value, field_name, key_to_yaml};

/// A field that the mapping has, and whether the result has it too.
struct Field {
    name: String,
    entry: EntryId,
    is_kept: bool,
}

impl Editor<'_, '_, '_> {
    /// Edits after which the mapping `node`, which means `own`, means `wanted`.
    pub(super) fn fields(
        &mut self,
        node: Node<'_>,
        (own, wanted): (&Map, &Map),
        edits: &mut Vec<Edit>,
    ) -> Result<(), ReconcileError> {
        let mut fields = Vec::new();
        for entry in node.entries() {
            let Some(name) = entry.key().and_then(field_name) else { continue };
            let is_kept = wanted.contains_key(&name);
            if !is_kept {
                edits.push(Edit::Remove { entry: entry.id() });
            }
            fields.push(Field { name, entry: entry.id(), is_kept });
        }
        for (name, value) in own {
            if let Some(wanted) = wanted.get(name) {
                self.value(value, wanted, edits)?;
            }
        }
        let added: BTreeMap<&str, &Value> = wanted
            .iter()
            .filter(|(name, _)| !own.contains_key(*name))
            .map(|(name, value)| (name.as_str(), value))
            .collect();
        let mut positions = self.positions(&fields, &added).into_iter();
        // A mapping that keeps nothing keeps at least the place of its first entry: what holds the mapping stays as it is.
        let mut replaced = None;
        if node.is_block_collection()
            && !fields.iter().any(|field| field.is_kept)
            && let Some(first) = fields.first()
            && let Some((name, _)) = positions.next()
        {
            edits.retain(|edit| *edit != Edit::Remove { entry: first.entry });
            edits.push(Edit::ReplaceKey { entry: first.entry, text: key_to_yaml(name) });
            self.another(first.entry, node, added[name], edits)?;
            replaced = Some(Position::After(first.entry));
        }
        for (name, position) in positions {
            let (position, pieces) = (replaced.unwrap_or(position), vec![self.piece(node, Some(name), added[name])?]);
            edits.push(Edit::Insert { collection: node.id(), position, pieces });
        }
        Ok(())
    }

    /// Where the added fields go, in the order in which they are to be inserted.
    fn positions<'n>(&self, fields: &[Field], added: &BTreeMap<&'n str, &'n Value>) -> Vec<(&'n str, Position)> {
        let place = Placer::new(fields);
        let mut positions = Vec::with_capacity(added.len());
        let mut families: BTreeMap<Origin, Vec<&'n str>> = BTreeMap::new();
        for (name, value) in added {
            match self.family(name, value) {
                Some(family) => families.entry(family).or_default().push(name),
                None => positions.push((*name, place.sorted(name))),
            }
        }
        for (family, names) in families {
            let siblings: Vec<String> =
                self.node(family).entries().filter_map(|entry| field_name(entry.key()?)).collect();
            place.among(&siblings, &names, &mut positions);
        }
        positions
    }

    /// The mapping that a value is the field `name` of in the text that it comes from; `None` where it is none, or alone.
    fn family(&self, name: &str, value: &Value) -> Option<Origin> {
        let origin = value.origin?;
        let Place::Entry(entry) = origin.place else { return None };
        let family = Origin { stream: origin.stream, place: Place::Root(entry.collection) };
        let node = self.node(family);
        let is_named = entry.key.is_some_and(|key| field_name(node.stream().node(key)).as_deref() == Some(name));
        (is_named && node.entries().nth(1).is_some()).then_some(family)
    }
}

/// Finds positions among the fields of a mapping.
struct Placer<'f> {
    fields: &'f [Field],
    /// Positions of the fields that the result keeps.
    kept: HashMap<&'f str, usize>,
    is_sorted: bool,
}

impl<'f> Placer<'f> {
    fn new(fields: &'f [Field]) -> Self {
        let kept = fields.iter().enumerate().filter(|(_, field)| field.is_kept);
        let kept = kept.map(|(index, field)| (field.name.as_str(), index)).collect();
        // The fields of every object begin in the order of their names: that says nothing.
        let is_object = fields.iter().any(|field| field.name == "kind");
        let is_sorted = !is_object && fields.is_sorted_by(|a, b| a.name <= b.name);
        Self { fields, kept, is_sorted }
    }

    fn before(&self, index: usize) -> Position {
        index.checked_sub(1).map_or(Position::First, |index| Position::After(self.fields[index].entry))
    }

    fn sorted(&self, name: &str) -> Position {
        let later = || self.fields.partition_point(|field| field.name.as_str() < name);
        self.before(if self.is_sorted { later() } else { self.fields.len() })
    }

    /// Positions of `names` by their order among their siblings.
    fn among<'n>(&self, siblings: &[String], names: &[&'n str], positions: &mut Vec<(&'n str, Position)>) {
        let added: HashMap<&str, &'n str> = names.iter().map(|name| (*name, *name)).collect();
        let (mut anchor, mut waiting) = (None, Vec::new());
        for sibling in siblings {
            if let Some(index) = self.kept.get(sibling.as_str()) {
                let before = self.before(*index);
                positions.extend(waiting.drain(..).map(|name| (name, before)));
                anchor = Some(Position::After(self.fields[*index].entry));
            } else if let Some(name) = added.get(sibling.as_str()) {
                match anchor {
                    Some(anchor) => positions.push((*name, anchor)),
                    None => waiting.push(*name),
                }
            }
        }
        let last = self.before(self.fields.len());
        positions.extend(waiting.into_iter().map(|name| (name, last)));
    }
}
