//! Edits of a list's items: which stay, move, are removed or added.
//!
//! Items are paired by origin first, then by equal values, then by a key, then by place. As many pairs as possible stay
//! where they are; the others move. Ignores what changes inside of an item.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use kyaml_ast::{Edit, Entry, EntryId, Graft, Node, NodeId, Piece, Position};

use super::ReconcileError;
use super::edits::Editor;
use crate::order::longest_increasing;
use crate::schema::CANDIDATES;
use crate::value::{Data, Value};

impl Editor<'_, '_, '_> {
    /// The edits that give the list `node` the value `wanted` instead of `own`.
    pub(super) fn items(
        &mut self,
        node: Node<'_>,
        own: &[Value],
        wanted: &[Value],
        edits: &mut Vec<Edit>,
    ) -> Result<(), ReconcileError> {
        let items = Items::of(node, own, wanted);
        edits.extend(items.gone().map(|entry| Edit::Remove { entry }));
        let mut position = items.start();
        for (index, value) in wanted.iter().enumerate() {
            match (items.replaced, items.pairs[index]) {
                (Some(entry), _) if index == 0 => {
                    self.another(entry, node, value, edits)?;
                    position = Position::After(entry);
                }
                (_, Some(at)) if items.stays.contains(&index) => {
                    self.value(&own[at], value, edits)?;
                    position = Position::After(items.entries[at]);
                }
                (_, moved) => {
                    let piece = match moved {
                        Some(at) => self.moved(items.entries[at], &own[at], value)?,
                        None => self.piece(node, None, value)?,
                    };
                    edits.push(Edit::Insert { collection: node.id(), position, pieces: vec![piece] });
                }
            }
        }
        Ok(())
    }

    /// Adds an item at the end of a list of the target.
    pub(super) fn last_item(&mut self, list: NodeId, wanted: &Value) -> Result<Edit, ReconcileError> {
        let node = self.target_node(list);
        let position = node.entries().last().map_or(Position::First, |last| Position::After(last.id()));
        Ok(Edit::Insert { collection: list, position, pieces: vec![self.piece(node, None, wanted)?] })
    }

    /// An item that moves to another place in its list.
    fn moved(&mut self, part: EntryId, own: &Value, wanted: &Value) -> Result<Piece, ReconcileError> {
        let Some(home) = own.origin else {
            return Ok(Piece::New { key: None, value: self.content(wanted)? });
        };
        let mut edits = Vec::new();
        self.value(own, wanted, &mut edits)?;
        Ok(Piece::Entry(Graft { stream: home.stream, part, edits }))
    }
}

/// What becomes of the items of a list.
struct Items {
    entries: Vec<EntryId>,
    /// For each wanted item, the own item that becomes it.
    pairs: Vec<Option<usize>>,
    /// The wanted items whose own items need not move.
    stays: HashSet<usize>,
    /// If no item stays, the first one is replaced and keeps its place, so that the text around the list stays.
    replaced: Option<EntryId>,
}

impl Items {
    fn of(node: Node<'_>, own: &[Value], wanted: &[Value]) -> Self {
        let entries: Vec<EntryId> = node.entries().map(Entry::id).collect();
        let pairs = Pairing::of(own, wanted);
        let stays = stays(&pairs);
        let is_replaced = node.is_block_collection() && stays.is_empty() && !wanted.is_empty();
        let replaced = if is_replaced { entries.first().copied() } else { None };
        Self { entries, pairs, stays, replaced }
    }

    /// The items that leave their places.
    fn gone(&self) -> impl Iterator<Item = EntryId> {
        let staying: HashSet<usize> = self.stays.iter().filter_map(|index| self.pairs[*index]).collect();
        let left = self.entries.iter().enumerate().filter(move |(index, _)| !staying.contains(index));
        left.map(|(_, entry)| *entry).filter(|entry| Some(*entry) != self.replaced)
    }

    /// The position before the first item that stays; the end if none does.
    fn start(&self) -> Position {
        let first = self.stays.iter().min().and_then(|index| self.pairs[*index]);
        let before = first.unwrap_or(self.entries.len()).checked_sub(1);
        before.map_or(Position::First, |before| Position::After(self.entries[before]))
    }
}

/// The wanted items whose own items need not move.
fn stays(pairs: &[Option<usize>]) -> HashSet<usize> {
    let paired: Vec<(usize, usize)> =
        pairs.iter().enumerate().filter_map(|(index, own)| Some((index, (*own)?))).collect();
    let order: Vec<usize> = paired.iter().map(|(_, own)| *own).collect();
    let stays = paired.iter().zip(longest_increasing(&order)).filter(|(_, stays)| *stays);
    stays.map(|((index, _), _)| *index).collect()
}

/// Finds the own item that becomes each wanted item.
struct Pairing {
    pairs: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Pairing {
    fn of(own: &[Value], wanted: &[Value]) -> Vec<Option<usize>> {
        let mut pairing = Self { pairs: vec![None; wanted.len()], taken: vec![false; own.len()] };
        pairing.by_origin(own, wanted);
        pairing.by_value(own, wanted);
        pairing.by_key(own, wanted);
        pairing.by_place(own, wanted);
        pairing.pairs
    }

    fn pair(&mut self, wanted: usize, own: usize) {
        if !self.taken[own] {
            self.taken[own] = true;
            self.pairs[wanted] = Some(own);
        }
    }

    fn unpaired(&self) -> Vec<usize> {
        (0..self.pairs.len()).filter(|index| self.pairs[*index].is_none()).collect()
    }

    fn untaken(&self) -> Vec<usize> {
        (0..self.taken.len()).filter(|index| !self.taken[*index]).collect()
    }

    /// Pairs items by origin: an item that came from the list is the same item, whatever value it has now.
    fn by_origin(&mut self, own: &[Value], wanted: &[Value]) {
        let places: HashMap<_, usize> =
            own.iter().enumerate().filter_map(|(index, item)| Some((item.origin?, index))).collect();
        for (index, item) in wanted.iter().enumerate() {
            if let Some(own) = item.origin.and_then(|origin| places.get(&origin)) {
                self.pair(index, *own);
            }
        }
    }

    fn by_value(&mut self, own: &[Value], wanted: &[Value]) {
        let mut places: BTreeMap<&Value, VecDeque<usize>> = BTreeMap::new();
        for index in self.untaken() {
            places.entry(&own[index]).or_default().push_back(index);
        }
        for index in self.unpaired() {
            if let Some(own) = places.get_mut(&wanted[index]).and_then(VecDeque::pop_front) {
                self.pair(index, own);
            }
        }
    }

    /// Pairs items by the first of the usual keys that all remaining items have.
    fn by_key(&mut self, own: &[Value], wanted: &[Value]) {
        let (untaken, unpaired) = (self.untaken(), self.unpaired());
        let has_key = |key: &str, item: &Value| item.get(key).is_some_and(|value| !value.is_collection());
        let key = CANDIDATES.into_iter().find(|key| {
            untaken.iter().all(|index| has_key(key, &own[*index]))
                && unpaired.iter().all(|index| has_key(key, &wanted[*index]))
        });
        let Some(key) = key else { return };
        let mut places: BTreeMap<Option<&Value>, usize> = BTreeMap::new();
        for index in untaken {
            places.entry(own[index].get(key)).or_insert(index);
        }
        for index in unpaired {
            if let Some(own) = places.get(&wanted[index].get(key)) {
                self.pair(index, *own);
            }
        }
    }

    /// Pairs items one after the other, if equally many collections of the same type remain on both sides and no key
    /// distinguishes them.
    fn by_place(&mut self, own: &[Value], wanted: &[Value]) {
        let (untaken, unpaired) = (self.untaken(), self.unpaired());
        let alike = |(index, other): (&usize, &usize)| {
            let (own, wanted) = (&own[*index], &wanted[*other]);
            own.is_collection() && own.shape() == wanted.shape() && !is_named(own)
        };
        if untaken.len() == unpaired.len() && untaken.iter().zip(&unpaired).all(alike) {
            for (own, wanted) in untaken.into_iter().zip(unpaired) {
                self.pair(wanted, own);
            }
        }
    }
}

/// Whether an item has a field that usually identifies items.
fn is_named(item: &Value) -> bool {
    matches!(&item.data, Data::Map(map) if CANDIDATES.iter().any(|key| map.contains_key(*key)))
}
