//! What the changes so far leave as it was found.

use super::{Changes, NewElements, field};
use crate::entry::Entry;
use crate::path::{End, Found, Seat, Segment, Step};
use crate::tree::NodeId;

impl Changes<'_> {
    /// Whether an end is still right in the text after the changes so far.
    #[must_use]
    pub fn holds(&self, end: &End<'_, '_>) -> bool {
        if self.edits.is_empty() {
            return true;
        }
        let node = end.found.node.id();
        if self.replaces(node) {
            return false;
        }
        if end.rest.is_some() && self.rewritten.contains(&node) {
            return false;
        }
        let is_list_alike = |id: NodeId| !self.lists.contains_key(&id);
        let above = || self.way(node).skip(1);
        match end.rest.as_ref().map(|(rest, _)| rest.first()) {
            None => !self.above.contains(&node) && above().all(is_list_alike),
            Some(Some(Step::New(Seat::Last))) => {
                self.lists.get(&node).is_none_or(NewElements::are_last) && above().all(is_list_alike)
            }
            Some(Some(Step::One(Segment::Key(fields)))) => {
                self.lists.get(&node).is_none_or(|new| new.are_others_than(fields)) && above().all(is_list_alike)
            }
            Some(Some(Step::One(Segment::Field(name)) | Step::Token(name))) => {
                let is_new = self.names.get(&node).is_none_or(|names| !names.contains(name));
                is_new && self.way(node).all(is_list_alike)
            }
            Some(_) => self.way(node).all(is_list_alike),
        }
    }

    /// Whether the changes so far leave alone which field of this name there is beside a found one, if any.
    #[must_use]
    pub fn holds_name(&self, found: Found<'_>, name: &str) -> bool {
        let Some(mapping) = found.entry.map(Entry::collection) else { return true };
        let is_new = self.names.get(&mapping.id()).is_some_and(|names| names.contains(name));
        !is_new && field(mapping, name).is_none_or(|known| !self.whole.contains(&known.value().id()))
    }

    /// Whether a node, or anything inside it, changes.
    #[must_use]
    pub fn touches(&self, node: NodeId) -> bool {
        self.is_filled || self.above.contains(&node) || self.whole.contains(&node)
    }

    /// Whether a node is replaced or removed, be it with what is around it.
    #[must_use]
    pub fn replaces(&self, node: NodeId) -> bool {
        self.is_filled || self.way(node).any(|id| self.whole.contains(&id))
    }
}
