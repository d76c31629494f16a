//! Edits of a mapping's entries.
//!
//! A new field goes after the nearest field before it in its own mapping that the result has. If there is none, before
//! the nearest one after it; else to the end. If a field has no such siblings, and the mapping is sorted, the field
//! goes to its sorted place. If `name` is the first field, that is a habit and no sorted order: `labels` does not go
//! before it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use kyaml_ast::{Edit, Node, Position};

use super::ReconcileError;
use super::edits::Editor;
use crate::value::{Origin, Place, Value, field_name, key_to_yaml};

impl Editor<'_, '_, '_> {
    /// The edits that give the mapping `node` the value `wanted` instead of `own`. Fields that were not read stay.
    pub(super) fn fields(
        &mut self,
        node: Node<'_>,
        (own, wanted): (&Value, &Value),
        edits: &mut Vec<Edit>,
    ) -> Result<(), ReconcileError> {
        // If another mapping replaces this one, no field was left unread.
        let is_another = own.origin != wanted.origin;
        let (Some(own), Some(wanted)) = (own.as_map(), wanted.as_map()) else { return Ok(()) };
        let is_kept = |name: &str| wanted.contains_key(name) || !(is_another || own.contains_key(name));
        let (mut first, mut keeps_any) = (None, false);
        for entry in node.entries() {
            let Some(name) = entry.key().and_then(field_name) else { continue };
            first = first.or(Some(entry.id()));
            match is_kept(&name) {
                true => keeps_any = true,
                false => edits.push(Edit::Remove { entry: entry.id() }),
            }
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
        let mut positions = self.positions(node, &added, is_kept).into_iter();
        // If no entry stays, the first one is replaced and keeps its place, so that the text around the mapping stays.
        let mut replaced = None;
        if node.is_block_collection()
            && !keeps_any
            && let Some(first) = first
            && let Some((name, _)) = positions.next()
        {
            edits.retain(|edit| *edit != Edit::Remove { entry: first });
            edits.push(Edit::ReplaceKey { entry: first, text: key_to_yaml(name) });
            self.another(first, node, added[name], edits)?;
            replaced = Some(Position::After(first));
        }
        for (name, position) in positions {
            let (position, pieces) = (replaced.unwrap_or(position), vec![self.piece(node, Some(name), added[name])?]);
            edits.push(Edit::Insert { collection: node.id(), position, pieces });
        }
        Ok(())
    }

    /// The positions of the added fields in the mapping `node`, in the order of insertion.
    fn positions<'n>(
        &self,
        node: Node<'_>,
        added: &BTreeMap<&'n str, &'n Value>,
        is_kept: impl Fn(&str) -> bool,
    ) -> Vec<(&'n str, Position)> {
        if added.is_empty() {
            return Vec::new();
        }
        let mut families: BTreeMap<Origin, Vec<&'n str>> = BTreeMap::new();
        let mut loose = Vec::new();
        for (name, value) in added {
            match self.family(name, value) {
                Some(family) => families.entry(family).or_default().push(name),
                None => loose.push(*name),
            }
        }
        let siblings = families.into_iter().map(|(family, names)| {
            let siblings = self.node(family).entries().filter_map(|entry| field_name(entry.key()?)).collect();
            (siblings, names)
        });
        let siblings: Vec<(Vec<Cow<'_, str>>, Vec<&str>)> = siblings.collect();
        let known = siblings.iter().flat_map(|(siblings, _)| siblings).map(|name| &**name).collect();
        let place = Placer::new(node, &known, &loose, is_kept);
        if place.is_habit {
            // A namespace stands beside the name.
            loose.sort_by_key(|name| *name != "namespace");
        }
        let mut positions: Vec<_> = loose.iter().map(|name| (*name, place.sorted(name))).collect();
        for (siblings, names) in &siblings {
            place.among(siblings, names, &mut positions);
        }
        positions
    }

    /// The origin of the mapping that has this value in its field `name`. `None` if there is no such mapping, or if it
    /// has no other fields.
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
struct Placer<'k, 'n> {
    /// Fields that stay in the result, if a new field may refer to them.
    kept: HashMap<&'k str, Spot>,
    /// Positions of new fields by name, if the mapping is sorted.
    sorted: HashMap<&'n str, Position>,
    /// Whether `name` is first and there are too few other fields to show an order.
    is_habit: bool,
    last: Position,
}

/// The position of a field.
struct Spot {
    before: Position,
    after: Position,
}

impl<'k, 'n> Placer<'k, 'n> {
    /// Goes once through the mapping `node`, which may be large. Finds the fields in `known`, and places for the new
    /// fields in `loose`, which have no siblings and are sorted.
    fn new(node: Node<'_>, known: &HashSet<&'k str>, loose: &[&'n str], is_kept: impl Fn(&str) -> bool) -> Self {
        /// With only this many fields, and `name` first, the order shows nothing.
        const FEW: usize = 2;
        let (mut kept, mut sorted) = (HashMap::new(), HashMap::new());
        let (mut last, mut previous) = (Position::First, None);
        // The first fields of every object are sorted by name. That shows nothing.
        let (mut is_sorted, mut is_object) = (true, false);
        let mut is_habit = false;
        let mut loose = loose.iter().peekable();
        for (at, entry) in node.entries().enumerate() {
            let Some(name) = entry.key().and_then(field_name) else { continue };
            is_object |= name == "kind";
            // Two fields may be sorted by chance.
            is_habit = if at == 0 { name == "name" } else { is_habit && at < FEW };
            is_sorted &= previous.is_none_or(|previous| previous <= name);
            while let Some(new) = loose.next_if(|new| **new <= &*name) {
                sorted.insert(*new, last);
            }
            let after = Position::After(entry.id());
            if let Some(known) = known.get(&*name)
                && is_kept(known)
            {
                kept.insert(*known, Spot { before: last, after });
            }
            (last, previous) = (after, Some(name));
        }
        if is_object || is_habit || !is_sorted {
            sorted.clear();
        }
        Self { kept, sorted, is_habit, last }
    }

    fn sorted(&self, name: &str) -> Position {
        self.sorted.get(name).copied().unwrap_or(self.last)
    }

    /// Positions of `names`, by their order among their siblings.
    fn among(&self, siblings: &[Cow<'_, str>], names: &[&'n str], positions: &mut Vec<(&'n str, Position)>) {
        let added: HashMap<&str, &'n str> = names.iter().map(|name| (*name, *name)).collect();
        let (mut anchor, mut waiting) = (None, Vec::new());
        for sibling in siblings {
            if let Some(spot) = self.kept.get(&**sibling) {
                positions.extend(waiting.drain(..).map(|name| (name, spot.before)));
                anchor = Some(spot.after);
            } else if let Some(name) = added.get(&**sibling) {
                match anchor {
                    Some(anchor) => positions.push((*name, anchor)),
                    None => waiting.push(*name),
                }
            }
        }
        positions.extend(waiting.into_iter().map(|name| (name, self.last)));
    }
}
