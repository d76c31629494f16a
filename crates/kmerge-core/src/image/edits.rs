//! The edits that set images, and the number of their places.

use std::collections::BTreeSet;

use kyaml_ast::{Content, Edit, Entry, Node, NodeId, Piece, Position, ScalarPlace, render_string, render_string_like};

use super::reference::split_domain;
use crate::resource::field_entry;

/// The edits so far.
#[derive(Debug, Default)]
pub(super) struct Edits {
    pub(super) list: Vec<Edit>,
    pub(super) matched: usize,
    pub(super) changed: usize,
    /// Nodes that were handled already. An anchor may be reached in several ways.
    seen: BTreeSet<NodeId>,
}

impl Edits {
    /// Whether a node is seen for the first time.
    pub(super) fn is_new(&mut self, node: NodeId) -> bool {
        self.seen.insert(node)
    }

    /// Counts a place and edits it, once.
    pub(super) fn matched(&mut self, place: NodeId, edit: impl FnOnce(&mut Self)) {
        if !self.is_new(place) {
            return;
        }
        let before = self.list.len();
        edit(self);
        self.matched += 1;
        self.changed += usize::from(self.list.len() > before);
    }

    /// Gives a scalar another text in its old quotes. Its anchor and tag stay.
    pub(super) fn scalar(&mut self, entry: Entry<'_>, new: &str) {
        let old = entry.value();
        if old.value() == new && !old.text().is_empty() {
            return;
        }
        let text = render_string_like(old.kind(), new, place(entry.collection()));
        self.list.push(if old.kind().is_block_scalar() || old.text().is_empty() {
            let anchor = old.anchor().map_or_else(String::new, |name| format!("&{name} "));
            Edit::ReplaceValue { entry: entry.id(), content: Content::Inline(format!("{anchor}{text}")) }
        } else {
            Edit::Text { span: old.span(), text }
        });
    }

    /// Sets a field of a mapping. A new field becomes the last one.
    pub(super) fn field(&mut self, mapping: Node<'_>, name: &str, new: &str) {
        if let Some(entry) = field_entry(mapping, name) {
            return self.scalar(entry, new);
        }
        let value = Content::Inline(render_string(new, place(mapping)));
        let pieces = vec![Piece::New { key: Some(name.to_owned()), value }];
        let position = mapping.entries().last().map_or(Position::First, |last| Position::After(last.id()));
        self.list.push(Edit::Insert { collection: mapping.id(), position, pieces });
    }

    /// Sets the repository of a chart's value, and its registry if it has one, from an image name.
    pub(super) fn chart_name(&mut self, [registry, repository]: [Option<Entry<'_>>; 2], name: &str) {
        let (domain, path) = split_domain(name);
        let path = if registry.is_some() { path } else { name };
        if let Some(registry) = registry {
            self.scalar(registry, domain.unwrap_or("docker.io"));
        }
        if let Some(repository) = repository {
            self.scalar(repository, path);
        }
    }

    pub(super) fn remove(&mut self, entry: Entry<'_>) {
        self.list.push(Edit::Remove { entry: entry.id() });
    }
}

/// The kind of place for a scalar that is a value in this collection.
fn place(collection: Node<'_>) -> ScalarPlace {
    if collection.is_flow() { ScalarPlace::Flow } else { ScalarPlace::BlockKey }
}
