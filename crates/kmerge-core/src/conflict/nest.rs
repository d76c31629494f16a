//! Which of many entries of one stream holds a node, a span, or what an edit changes.
//!
//! Entries lie side by side or inside of each other. A binary search finds the innermost one, and a step each those around it, so
//! that asking for each of many edits stays linear.

use kyaml_ast::{Edit, EntryId, Kind, NodeId, Span, Stream};

/// Some entries of a stream, in its order.
pub(super) struct Nest<'s> {
    stream: &'s Stream<'s>,
    entries: Vec<Nested>,
}

struct Nested {
    id: EntryId,
    /// Every byte that it owns: asked for once, as a comment may be long.
    extent: Span,
    /// The next entry around it.
    outer: Option<usize>,
}

/// An entry of a [`Nest`], by its place in the order of the stream.
pub(super) type Nth = usize;

impl<'s> Nest<'s> {
    pub(super) fn new(stream: &'s Stream<'s>, entries: impl IntoIterator<Item = EntryId>) -> Self {
        let mut sorted: Vec<EntryId> = entries.into_iter().collect();
        sorted.sort_by_key(|id| first(*id));
        sorted.dedup();
        let mut nest = Self { stream, entries: Vec::with_capacity(sorted.len()) };
        for id in sorted {
            let last = nest.entries.len().checked_sub(1);
            let outer = nest.innermost(last, |nested| stream.entry(nested.id).holds(id.value));
            nest.entries.push(Nested { id, extent: stream.entry(id).extent(), outer });
        }
        nest
    }

    /// The entries, in the order of the stream.
    pub(super) fn ids(&self) -> impl Iterator<Item = EntryId> {
        self.entries.iter().map(|entry| entry.id)
    }

    /// The innermost entry that holds a node.
    pub(super) fn around_node(&self, node: NodeId) -> Option<Nth> {
        let last = self.entries.partition_point(|entry| first(entry.id) <= node).checked_sub(1);
        self.innermost(last, |nested| self.stream.entry(nested.id).holds(node))
    }

    /// The innermost entry that lines belong to which are to stand at a span. Lines right above an entry and its comment do not
    /// belong to it. Lines right below it do if they are indented further, or are an item of its list.
    pub(super) fn around_lines(&self, span: Span, lines: &str) -> Option<Nth> {
        let last = self.entries.partition_point(|nested| nested.extent.start <= span.start).checked_sub(1);
        let is_below = |nested: &Nested| span == Span::at(nested.extent.end) && !self.may_end_with(nested.id, lines);
        self.innermost(last, |nested| {
            nested.extent.contains(span) && span != Span::at(nested.extent.start) && !is_below(nested)
        })
    }

    /// Whether lines right below an entry belong to it.
    fn may_end_with(&self, id: EntryId, lines: &str) -> bool {
        let entry = self.stream.entry(id);
        let first = lines.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let column = first.len() - first.trim_start().len();
        let is_item = first.trim_start_matches([' ', '#']).starts_with('-');
        let has_items_there = entry.value().kind() == Kind::Sequence && entry.value().column() == entry.column();
        first.is_empty() || column > entry.column() || column == entry.column() && has_items_there && is_item
    }

    /// The innermost entry of which an edit changes nothing but (the inside of) it.
    pub(super) fn around_edit(&self, edit: &Edit) -> Option<Nth> {
        match edit {
            Edit::Text { span, text } | Edit::Lines { span, text } => self.around_lines(*span, text),
            _ => anchor(edit).and_then(|node| self.around_node(node)),
        }
    }

    /// An entry and those around it.
    pub(super) fn way_out(&self, from: Option<Nth>) -> impl Iterator<Item = Nth> {
        std::iter::successors(from, |nth| self.entries[*nth].outer)
    }

    fn innermost(&self, last: Option<Nth>, holds: impl Fn(&Nested) -> bool) -> Option<Nth> {
        self.way_out(last).find(|nth| holds(&self.entries[*nth]))
    }
}

fn first(id: EntryId) -> NodeId {
    id.key.unwrap_or(id.value)
}

/// The node of the destination that an edit changes.
pub(super) fn anchor(edit: &Edit) -> Option<NodeId> {
    match edit {
        Edit::ReplaceValue { entry, .. }
        | Edit::ReplaceKey { entry, .. }
        | Edit::Remove { entry }
        | Edit::Rewrite { entry, .. }
        | Edit::SetComment { entry, .. } => Some(entry.value),
        Edit::Insert { collection, .. } => Some(*collection),
        Edit::ReplaceRoot { root, .. } => Some(*root),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_entry_is_found() {
        let stream = Stream::parse("a:\n  b: 1\n  c: [2, 3]\nd: 4\n").unwrap();
        let root = stream.documents().next().unwrap().root().unwrap();
        let [a, d] = root.entries().map(kyaml_ast::Entry::id).collect::<Vec<_>>().try_into().unwrap();
        let [b, c] =
            stream.entry(a).value().entries().map(kyaml_ast::Entry::id).collect::<Vec<_>>().try_into().unwrap();
        let nest = Nest::new(&stream, [c, d, a]);
        assert_eq!(nest.ids().collect::<Vec<_>>(), [a, c, d]);
        let around = |node| nest.around_node(node).map(|nth| nest.ids().nth(nth).unwrap());
        let two = stream.entry(c).value().entries().next().unwrap().value().id();
        assert_eq!([b.value, two, d.value, root.id()].map(around), [Some(a), Some(c), Some(d), None]);
        assert_eq!(nest.way_out(nest.around_node(two)).collect::<Vec<_>>(), [1, 0]);
        let behind_b = stream.entry(b).extent().end;
        assert_eq!(nest.around_lines(Span::at(behind_b), "  # x"), Some(0), "between two of its entries");
        assert_eq!(nest.around_lines(Span::at(0), "# x"), None, "before what an entry starts with");
        let (behind_a, nest) = (stream.entry(a).extent().end, Nest::new(&stream, [c, a]));
        assert_eq!(nest.around_lines(Span::at(behind_a), "# x"), None, "between it and the next");
        assert_eq!(nest.around_lines(Span::at(behind_a), "  # x"), Some(0), "at its foot");
    }

    #[test]
    fn only_items_stand_below_a_list_in_the_column_of_its_key() {
        let stream = Stream::parse("l:\n- a\nz: 1\n").unwrap();
        let list = stream.root().unwrap().entries().next().unwrap();
        let nest = Nest::new(&stream, [list.id()]);
        let around = |lines| nest.around_lines(Span::at(list.extent().end), lines);
        assert_eq!(["# - b\n", "- b\n", "# about z\n"].map(around), [Some(0), Some(0), None]);
    }
}
