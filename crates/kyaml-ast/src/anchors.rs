//! The names in one stream: which node each alias refers to, and which document's directives apply to a node.
//!
//! An alias refers to the last node before it in its document that has its name. Inside a collection with that name,
//! this is the collection itself. Aliases are never followed here, so a file full of nested aliases costs no more than
//! any other text.

use std::collections::HashMap;

use crate::tree::{Document, Kind, Node, NodeId, Stream};

impl Stream<'_> {
    /// The aliases in source order, each with the node that it refers to: the last node before it in its document that
    /// has its name. `None` if there is no such node.
    ///
    /// ```
    /// let stream = kyaml_ast::Stream::parse("a: &x 1\nb: *x\nc: *y\n")?;
    /// let targets: Vec<_> = stream.references().map(|(_, target)| target.map(|node| node.text())).collect();
    /// assert_eq!(targets, [Some("1"), None]);
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    pub fn references(&self) -> impl Iterator<Item = (Node<'_>, Option<Node<'_>>)> {
        let references = if self.has_aliases() { &*self.anchors().references } else { &[] };
        references.iter().map(|(alias, target)| (self.node(*alias), target.map(|target| self.node(target))))
    }
}

impl<'t> Node<'t> {
    /// The node that an alias refers to. `None` if there is no such node, or if this is no alias.
    ///
    /// ```
    /// let stream = kyaml_ast::Stream::parse("- &x 1\n- *x\n")?;
    /// let list = stream.documents().next().and_then(|document| document.root()).expect("a list");
    /// let targets: Vec<_> = list.children().map(|item| item.target().map(|node| node.text())).collect();
    /// assert_eq!(targets, [None, Some("1")]);
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    #[must_use]
    pub fn target(self) -> Option<Self> {
        let is_alias = self.kind() == Kind::Alias;
        let target = is_alias.then(|| self.stream().anchors().target(self.id())).flatten()?;
        Some(self.stream().node(target))
    }
}

/// The references of one stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anchors {
    /// The aliases in source order, each with the node that it refers to.
    references: Vec<(NodeId, Option<NodeId>)>,
    documents: Vec<NodeId>,
}

impl Anchors {
    /// Reads the references of a stream in one pass.
    pub(crate) fn of(stream: &Stream<'_>) -> Self {
        let mut anchors = Self::default();
        let mut names: HashMap<&str, NodeId> = HashMap::new();
        // Names whose node has not come yet.
        let mut waiting: Vec<&str> = Vec::new();
        for (index, record) in stream.tape.iter().enumerate() {
            let node = NodeId(index as u32);
            let name = || &record.leaf_span().of(stream.source)[1..];
            match record.kind {
                Kind::Document => {
                    names.clear();
                    anchors.documents.push(node);
                }
                Kind::Anchor => waiting.push(name()),
                Kind::Alias => anchors.references.push((node, names.get(name()).copied())),
                kind if !waiting.is_empty() && kind.is_node() => {
                    names.extend(waiting.drain(..).map(|name| (name, node)));
                }
                _ => {}
            }
        }
        anchors
    }

    /// The node that an alias refers to.
    pub(crate) fn target(&self, alias: NodeId) -> Option<NodeId> {
        let place = self.references.binary_search_by_key(&alias, |(alias, _)| *alias).ok()?;
        self.references[place].1
    }

    /// The document that contains a record of the stream.
    pub(crate) fn document<'t>(&self, stream: &'t Stream<'t>, node: NodeId) -> Option<Document<'t>> {
        let count = self.documents.partition_point(|document| *document <= node);
        let id = *self.documents.get(count.checked_sub(1)?)?;
        Some(Document { stream, id })
    }
}
