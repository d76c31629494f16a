//! Edits of a mapping's entries.
//!
//! A new field goes after the nearest field before it in its own mapping that the result has. If there is none, before
//! the nearest one after it; else to the end. If a field has no such siblings, and the mapping is sorted, the field
//! goes to its sorted place. If `name` is the first field, that is a habit and no sorted order: `labels` does not go
//! before it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use kyaml_ast::{Edit, EntryId, Node, Position};

use super::ReconcileError;
use super::edits::Editor;
use crate::value::{Map, Origin, Place, Value, field_name, key_to_yaml};

impl Editor<'_, '_, '_> {
    /// The edits that give the mapping `node` the value `wanted` instead of `own`.
    pub(super) fn fields(
        &mut self,
        node: Node<'_>,
        own: &Value,
        wanted: &Value,
        edits: &mut Vec<Edit>,
    ) -> Result<(), ReconcileError> {
        let Some(fields) = Fields::of(node, own, wanted) else { return Ok(()) };
        let replaced = fields.replaced();
        let gone = fields.entries().filter(|(entry, name)| !fields.is_kept(name) && Some(*entry) != replaced);
        edits.extend(gone.map(|(entry, _)| Edit::Remove { entry }));
        for (name, value) in fields.own {
            if let Some(wanted) = fields.wanted.get(name) {
                self.value(value, wanted, edits)?;
            }
        }
        self.added_fields(&fields, replaced, edits)
    }

    /// The edits that add the new fields; the first one may replace another.
    fn added_fields(
        &mut self,
        fields: &Fields<'_, '_>,
        replaced: Option<EntryId>,
        edits: &mut Vec<Edit>,
    ) -> Result<(), ReconcileError> {
        let Fields { node, added, .. } = fields;
        let mut positions = self.positions(fields).into_iter();
        if let Some(entry) = replaced
            && let Some((name, _)) = positions.next()
        {
            edits.push(Edit::ReplaceKey { entry, text: key_to_yaml(name) });
            self.another(entry, *node, added[name], edits)?;
        }
        for (name, position) in positions {
            let position = replaced.map_or(position, Position::After);
            let pieces = vec![self.piece(*node, Some(name), added[name])?];
            edits.push(Edit::Insert { collection: node.id(), position, pieces });
        }
        Ok(())
    }

    /// The positions of the added fields, in the order of insertion.
    fn positions<'v>(&self, fields: &Fields<'v, '_>) -> Vec<(&'v str, Position)> {
        if fields.added.is_empty() {
            return Vec::new();
        }
        let mut families: BTreeMap<Origin, Family<'_, 'v>> = BTreeMap::new();
        let mut loose = Vec::new();
        for (name, value) in &fields.added {
            match self.family(name, value) {
                Some(origin) => {
                    families.entry(origin).or_insert_with(|| Family::of(self.node(origin))).added.push(name)
                }
                None => loose.push(*name),
            }
        }
        let known = families.values().flat_map(|family| &family.siblings).map(|name| &**name).collect();
        let place = Placer::new(fields, &known, &loose);
        if place.is_habit {
            // A namespace stands beside the name.
            loose.sort_by_key(|name| *name != "namespace");
        }
        let mut positions: Vec<_> = loose.iter().map(|name| (*name, place.sorted(name))).collect();
        families.values().for_each(|family| place.among(family, &mut positions));
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

/// A mapping that gets other fields.
struct Fields<'v, 'n> {
    node: Node<'n>,
    own: &'v Map,
    wanted: &'v Map,
    /// The wanted fields that it has not.
    added: BTreeMap<&'v str, &'v Value>,
    /// Whether another mapping replaces it. Then no field was left unread.
    is_another: bool,
}

impl<'v, 'n> Fields<'v, 'n> {
    /// The fields of `node`, if both values are mappings.
    fn of(node: Node<'n>, own: &'v Value, wanted: &'v Value) -> Option<Self> {
        let is_another = own.origin != wanted.origin;
        let (own, wanted) = (own.as_map()?, wanted.as_map()?);
        let added = wanted.iter().filter(|(name, _)| !own.contains_key(*name));
        let added = added.map(|(name, value)| (name.as_str(), value)).collect();
        Some(Self { node, own, wanted, added, is_another })
    }

    /// Whether a field stays. One that was not read does.
    fn is_kept(&self, name: &str) -> bool {
        self.wanted.contains_key(name) || !(self.is_another || self.own.contains_key(name))
    }

    /// The entries that have a name.
    fn entries(&self) -> impl Iterator<Item = (EntryId, Cow<'n, str>)> {
        self.node.entries().filter_map(|entry| Some((entry.id(), field_name(entry.key()?)?)))
    }

    /// If no entry stays, the first one is replaced and keeps its place, so that the text around the mapping stays.
    fn replaced(&self) -> Option<EntryId> {
        let keeps_any = || self.entries().any(|(_, name)| self.is_kept(&name));
        if self.added.is_empty() || !self.node.is_block_collection() || keeps_any() {
            return None;
        }
        self.entries().next().map(|(entry, _)| entry)
    }
}

/// Added fields that stand beside each other in another mapping, and all fields of that.
struct Family<'t, 'v> {
    siblings: Vec<Cow<'t, str>>,
    added: Vec<&'v str>,
}

impl<'t> Family<'t, '_> {
    fn of(mapping: Node<'t>) -> Self {
        let siblings = mapping.entries().filter_map(|entry| field_name(entry.key()?)).collect();
        Self { siblings, added: Vec::new() }
    }
}

/// Finds positions among the fields of a mapping.
struct Placer<'k, 'v> {
    /// Fields that stay in the result, if a new field may refer to them.
    kept: HashMap<&'k str, Spot>,
    /// Positions of new fields by name, if the mapping is sorted.
    sorted: HashMap<&'v str, Position>,
    /// Whether `name` is first and there are too few other fields to show an order.
    is_habit: bool,
    last: Position,
}

/// The position of a field.
struct Spot {
    before: Position,
    after: Position,
}

impl<'k, 'v> Placer<'k, 'v> {
    /// Goes once through the mapping, which may be large. Finds the fields in `known`, and places for the new fields in
    /// `loose`, which have no siblings and are sorted.
    fn new(fields: &Fields<'v, '_>, known: &HashSet<&'k str>, loose: &[&'v str]) -> Self {
        let (mut kept, mut sorted) = (HashMap::new(), HashMap::new());
        let mut last = Position::First;
        let mut order = Sortedness::default();
        let mut loose = loose.iter().peekable();
        for (at, entry) in fields.node.entries().enumerate() {
            let Some(name) = entry.key().and_then(field_name) else { continue };
            while let Some(new) = loose.next_if(|new| **new <= &*name) {
                sorted.insert(*new, last);
            }
            let after = Position::After(entry.id());
            if let Some(known) = known.get(&*name)
                && fields.is_kept(known)
            {
                kept.insert(*known, Spot { before: last, after });
            }
            last = after;
            order.add(at, name);
        }
        if !order.is_shown() {
            sorted.clear();
        }
        Self { kept, sorted, is_habit: order.is_habit, last }
    }

    fn sorted(&self, name: &str) -> Position {
        self.sorted.get(name).copied().unwrap_or(self.last)
    }

    /// Positions of a family's added fields, by their order among their siblings.
    fn among(&self, family: &Family<'_, 'v>, positions: &mut Vec<(&'v str, Position)>) {
        let added: HashMap<&str, &'v str> = family.added.iter().map(|name| (*name, *name)).collect();
        let (mut anchor, mut waiting) = (None, Vec::new());
        for sibling in &family.siblings {
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

/// Whether the fields of a mapping show that they are sorted by name.
struct Sortedness<'n> {
    is_sorted: bool,
    /// The first fields of every object are sorted. That shows nothing.
    is_object: bool,
    /// Whether `name` is first, and few others are there. That shows nothing either.
    is_habit: bool,
    previous: Option<Cow<'n, str>>,
}

impl Default for Sortedness<'_> {
    fn default() -> Self {
        Self { is_sorted: true, is_object: false, is_habit: false, previous: None }
    }
}

impl<'n> Sortedness<'n> {
    /// With only this many fields, and `name` first, the order shows nothing: two may be sorted by chance.
    const FEW: usize = 2;

    /// Adds the next field, which is the entry at this place.
    fn add(&mut self, at: usize, name: Cow<'n, str>) {
        self.is_object |= name == "kind";
        self.is_habit = if at == 0 { name == "name" } else { self.is_habit && at < Self::FEW };
        self.is_sorted &= self.previous.as_ref().is_none_or(|previous| *previous <= name);
        self.previous = Some(name);
    }

    const fn is_shown(&self) -> bool {
        self.is_sorted && !self.is_object && !self.is_habit
    }
}
