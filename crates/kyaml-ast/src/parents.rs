//! Finds what contains a node. Made in one pass, for the few callers that must look upwards.
//!
//! Owns the way from a node to its collection and to its entry. The tape itself only leads downwards.

use crate::entry::EntryId;
use crate::tree::{Kind, NodeId, Stream};

const NONE: u32 = u32::MAX;

/// Parents of all nodes of one stream.
///
/// For the value of a pair, this is the key. For any other node, it is what contains the node.
#[derive(Clone, Debug)]
pub struct Parents(Vec<u32>);

/// The place of a node in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seat {
    /// It is the root of a document.
    Root,
    /// It is the key of an entry.
    Key(EntryId),
    /// It is the value or item of an entry.
    Value(EntryId),
}

struct Open {
    index: u32,
    end: u32,
    is_mapping: bool,
    /// The key whose value has not come yet.
    key: u32,
}

impl Parents {
    /// Reads the parents of a stream.
    #[must_use]
    pub fn of(stream: &Stream<'_>) -> Self {
        let mut ups = vec![NONE; stream.tape.len()];
        let mut open: Vec<Open> = Vec::new();
        for (index, record) in stream.tape.iter().enumerate() {
            let index = index as u32;
            while open.last().is_some_and(|open| open.end <= index) {
                open.pop();
            }
            if let Some(open) = open.last_mut().filter(|_| record.kind.is_node()) {
                ups[index as usize] = open.key_of(index).unwrap_or(open.index);
            }
            if record.skip() > 1 {
                let is_mapping = record.kind == Kind::Mapping;
                open.push(Open { index, end: index + record.skip() as u32, is_mapping, key: NONE });
            }
        }
        Self(ups)
    }

    /// The entry of `stream` whose value is `node`. `None` for a root and for a key.
    #[must_use]
    pub fn holder(&self, stream: &Stream<'_>, node: NodeId) -> Option<EntryId> {
        match self.seat(stream, node) {
            Seat::Value(entry) => Some(entry),
            Seat::Root | Seat::Key(_) => None,
        }
    }

    /// The collection of which `node` is a key, value or item.
    pub(crate) fn collection(&self, stream: &Stream<'_>, node: NodeId) -> Option<NodeId> {
        let up = match self.key(stream, node) {
            Some(key) => *self.0.get(key.index())?,
            None => *self.0.get(node.index())?,
        };
        stream.tape.get(up as usize)?.kind.is_collection().then_some(NodeId(up))
    }

    /// The key of the pair whose value is `node`.
    fn key(&self, stream: &Stream<'_>, node: NodeId) -> Option<NodeId> {
        let up = *self.0.get(node.index())?;
        let record = stream.tape.get(up as usize)?;
        (up as usize + record.skip() <= node.index()).then_some(NodeId(up))
    }

    /// The place of `node` in its parent.
    pub(crate) fn seat(&self, stream: &Stream<'_>, node: NodeId) -> Seat {
        let Some(collection) = self.collection(stream, node) else { return Seat::Root };
        if let key @ Some(_) = self.key(stream, node) {
            return Seat::Value(EntryId { collection, key, value: node });
        }
        if stream.tape[collection.index()].kind != Kind::Mapping {
            return Seat::Value(EntryId { collection, key: None, value: node });
        }
        let after = stream.node(node).after();
        let value = (after..stream.tape.len()).find(|&index| stream.tape[index].kind.is_node());
        let value = value.map_or(node, |index| NodeId(index as u32));
        Seat::Key(EntryId { collection, key: Some(node), value })
    }
}

impl Open {
    /// The key of the pair whose value is the child node `index`.
    fn key_of(&mut self, index: u32) -> Option<u32> {
        if !self.is_mapping {
            return None;
        }
        if self.key == NONE {
            self.key = index;
            return None;
        }
        Some(std::mem::replace(&mut self.key, NONE))
    }
}
