//! Walks over what a result will contain, and finds names that would lose or change their meaning.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Fix, Fixes, Known, expand, tags};
use crate::edit::{Edit, Owner, StreamId};
use crate::intent::{LevelId, Step, Walk};
use crate::parents::Seat;
use crate::span::Span;
use crate::splice::{Context, SpliceError};
use crate::tree::{Kind, Node, NodeId, Record, Stream};

/// A node with an anchor in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Named {
    owner: Owner,
    /// `None` for text that an edit brings.
    stream: Option<StreamId>,
    node: NodeId,
    anchor: Span,
}

/// An alias in the result.
#[derive(Clone, Copy)]
struct Alias {
    owner: Owner,
    stream: StreamId,
    node: NodeId,
    span: Span,
}

pub(super) struct Survey<'c, 'a> {
    context: &'c Context<'a>,
    known: &'c mut Known<'a>,
    pub(super) fixes: Fixes,
    /// The number of records that replace aliases.
    pub(super) records: usize,
    /// The last alias that was looked at.
    pub(super) alias: Span,
    document: Option<(StreamId, NodeId)>,
    names: HashMap<String, Named>,
    /// The nodes with an anchor before this place, by whether they stay in place (`true`) or are copied.
    seen: HashSet<(bool, StreamId, NodeId)>,
    /// Aliases that stay, with the nodes that they refer to.
    uses: Vec<(Alias, Named)>,
    renamed: BTreeMap<Named, String>,
    /// The collections around this place. Those with a name are also in the set `around`.
    open: Vec<Option<Named>>,
    around: HashSet<Named>,
}

impl<'c, 'a> Survey<'c, 'a> {
    pub(super) fn new(context: &'c Context<'a>, known: &'c mut Known<'a>) -> Self {
        Self {
            context,
            known,
            fixes: Fixes::new(),
            records: 0,
            alias: Span::default(),
            document: None,
            names: HashMap::new(),
            seen: HashSet::new(),
            uses: Vec::new(),
            renamed: BTreeMap::new(),
            open: Vec::new(),
            around: HashSet::new(),
        }
    }

    pub(super) fn walk(&mut self, target: StreamId, edits: &[Edit]) -> Result<(), SpliceError> {
        let mut walk = Walk::new(self.context.streams, target, edits);
        while let Some(step) = walk.next() {
            match step {
                Step::Document { level, document } => {
                    self.rename();
                    self.document = Some((walk.levels[level].stream, document));
                }
                Step::Node { level, node, whole } => self.node(&walk, level, (node, whole))?,
                Step::Text(text) => self.text(text),
                Step::End => self.close(),
                Step::Documents(_) | Step::Block { .. } => {}
            }
        }
        self.rename();
        Ok(())
    }

    fn node(&mut self, walk: &Walk<'_>, level: LevelId, (node, whole): (NodeId, bool)) -> Result<(), SpliceError> {
        let tree = walk.stream(level).node(node);
        let end = if whole { tree.after() } else { node.index() + 1 };
        let mut named = None;
        for index in tree.first_record()..end {
            named = self.record(walk, level, index)?.filter(|named| named.node == node).or(named);
        }
        if !whole && tree.kind().is_collection() {
            self.open.push(named);
            self.around.extend(named);
        }
        Ok(())
    }

    fn close(&mut self) {
        if let Some(named) = self.open.pop().flatten() {
            self.around.remove(&named);
        }
    }

    /// Handles one record. Returns the name that it gives to a node.
    fn record(&mut self, walk: &Walk<'_>, level: LevelId, index: usize) -> Result<Option<Named>, SpliceError> {
        let stream = walk.stream(level);
        let record = stream.tape[index];
        if !matches!(record.kind, Kind::Anchor | Kind::Alias | Kind::Tag) {
            return Ok(None);
        }
        let (id, owner) = (walk.levels[level].stream, walk.levels[level].owner);
        let changed = walk.levels[level].text_at(record.start);
        let text = changed.unwrap_or_else(|| record.leaf_span().of(stream.source));
        let name = text.strip_prefix(['&', '*']);
        match (record.kind, name) {
            (Kind::Anchor, Some(name)) => {
                let node = (index..stream.tape.len()).find(|&index| stream.tape[index].kind.is_node());
                let node = NodeId(node.unwrap_or(index) as u32);
                return Ok(Some(self.name(name, Named { owner, stream: Some(id), node, anchor: record.leaf_span() })));
            }
            (Kind::Alias, Some(name)) => {
                let alias = Alias { owner, stream: id, node: NodeId(index as u32), span: record.leaf_span() };
                self.alias(name, alias)?;
            }
            (Kind::Tag, _) if self.known.has_handles && owner != Owner::Target && changed.is_none() => {
                self.tag((id, owner), stream, (index, record));
            }
            _ => {}
        }
        Ok(None)
    }

    fn name(&mut self, name: &str, named: Named) -> Named {
        self.names.insert(name.to_owned(), named);
        if let Some(stream) = named.stream {
            self.seen.insert((named.owner == Owner::Target, stream, named.node));
        }
        named
    }

    /// Handles the names in a text.
    fn text(&mut self, text: &str) {
        if !text.contains('&') {
            return;
        }
        let Ok(stream) = Stream::parse_fragment(text) else { return };
        for record in stream.tape.iter().filter(|record| record.kind == Kind::Anchor) {
            let name = &record.leaf_span().of(text)[1..];
            self.known.names.insert(name.to_owned());
            self.name(name, Named { owner: Owner::Text, stream: None, node: NodeId(0), anchor: record.leaf_span() });
        }
    }

    fn alias(&mut self, name: &str, alias: Alias) -> Result<(), SpliceError> {
        self.alias = alias.span;
        if self.is_lost(name, alias) {
            let (fix, records) = expand::expansion(self.context, self.known, (alias.stream, alias.node))?;
            self.records += records;
            self.fixes.entry(alias.owner).or_default().push(fix);
        }
        Ok(())
    }

    /// Whether an alias would lose its meaning. Also records what must be renamed so that it does not.
    fn is_lost(&mut self, name: &str, alias: Alias) -> bool {
        let Some(origin) = self.known.target(alias.stream, alias.node) else { return false };
        let Some(named) = self.names.get(name).copied() else { return true };
        let is_it = named.stream == Some(alias.stream) && named.node == origin;
        let stays = alias.owner == Owner::Target;
        let is_there = is_it && stays == (named.owner == Owner::Target);
        let is_in_the_way = !is_there && self.seen.contains(&(stays, alias.stream, origin));
        if stays && is_in_the_way && matches!(named.owner, Owner::Graft(_)) {
            if !self.renamed.contains_key(&named) {
                self.renamed.insert(named, self.known.free_name(name));
            }
            return false;
        }
        let is_other = is_in_the_way
            || if stays {
                named.owner == Owner::Target && !is_it || named.owner == Owner::Text
            } else {
                named.stream == Some(alias.stream) && !is_it
                    || self.would_hold_itself(named, alias, origin)
                    || self.is_something_else(named, alias.stream, origin)
            };
        if !is_other {
            self.uses.push((alias, named));
        }
        is_other
    }

    /// Whether a node of the target that has the name of another stream's node is another field with another value.
    fn is_something_else(&self, named: Named, stream: StreamId, origin: NodeId) -> bool {
        let (Some(target), Owner::Target) = (named.stream, named.owner) else { return false };
        let key = |stream: StreamId, node: NodeId| match self.context.seat(stream, node) {
            Seat::Value(entry) => self.context.streams[stream.index()].entry(entry).key().and_then(Node::key_text),
            Seat::Root | Seat::Key(_) => None,
        };
        let digest = |stream: StreamId, node: NodeId| self.context.streams[stream.index()].node(node).digest();
        key(target, named.node) != key(stream, origin) && digest(target, named.node) != digest(stream, origin)
    }

    /// Whether an alias has come to stand inside the node that it refers to.
    fn would_hold_itself(&self, named: Named, alias: Alias, origin: NodeId) -> bool {
        let after = self.context.streams[alias.stream.index()].node(origin).after();
        let did = (origin.index()..after).contains(&alias.node.index());
        !did && self.around.contains(&named)
    }

    /// At the end of a document: renames anchors that are in the way, and the aliases that refer to them.
    fn rename(&mut self) {
        for (named, name) in &self.renamed {
            let fix = Fix::Text { span: named.anchor, text: format!("&{name}") };
            self.fixes.entry(named.owner).or_default().push(fix);
        }
        for (alias, named) in &self.uses {
            let Some(name) = self.renamed.get(named) else { continue };
            let fix = Fix::Text { span: alias.span, text: format!("*{name}") };
            self.fixes.entry(alias.owner).or_default().push(fix);
        }
        self.renamed.clear();
        self.uses.clear();
        self.names.clear();
        self.seen.clear();
    }

    fn tag(&mut self, (id, owner): (StreamId, Owner), stream: &Stream<'_>, (index, record): (usize, Record)) {
        let anchors = self.known.anchors.get(&id);
        let home = anchors.and_then(|anchors| anchors.document(stream, NodeId(index as u32)));
        let tag = record.leaf_span().of(stream.source);
        if let Some(text) = tags::in_full(self.context, (home, tag), self.document) {
            self.fixes.entry(owner).or_default().push(Fix::Text { span: record.leaf_span(), text });
        }
    }
}
