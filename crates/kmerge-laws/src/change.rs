//! Edits applied to values: what a spliced text has to mean.

use kyaml_ast::{
    Content, Document, DocumentPiece, Edit, EntryId, Graft, Node, NodeId, Piece, Position, Stream, StreamId,
};

use crate::model::{Data, Value};

/// The streams that edits refer to, and the edits of the first.
#[derive(Clone, Copy)]
pub(crate) struct Streams<'a>(pub(crate) &'a [&'a Stream<'a>], pub(crate) &'a [Edit]);

impl Streams<'_> {
    /// The documents of the first stream after its edits, those without a root left out.
    pub(crate) fn documents(self) -> Vec<Value> {
        let (id, edits) = (StreamId(0), self.1);
        let mut out = Vec::new();
        self.inserted_documents(edits, None, &mut out);
        for document in self.0[id.0 as usize].documents() {
            let is_removed =
                |edit: &Edit| matches!(edit, Edit::RemoveDocument { document: it } if *it == document.id());
            if !edits.iter().any(is_removed) {
                out.extend(self.document(id, document.id(), edits));
            }
            self.inserted_documents(edits, Some(document.id()), &mut out);
        }
        out
    }

    fn inserted_documents(self, edits: &[Edit], place: Option<NodeId>, out: &mut Vec<Value>) {
        for edit in edits {
            let Edit::InsertDocuments { after, documents } = edit else { continue };
            if *after != place {
                continue;
            }
            for piece in documents {
                let DocumentPiece::Document(graft) = piece else { continue };
                out.extend(self.document(graft.stream, graft.part, &graft.edits));
            }
        }
    }

    fn document(self, id: StreamId, document: NodeId, edits: &[Edit]) -> Option<Value> {
        let found: Option<Document<'_>> = self.0[id.0 as usize].documents().find(|it| it.id() == document);
        Some(self.node(id, found?.root()?, edits))
    }

    /// A node after `edits`, which may replace the node itself.
    fn node(self, id: StreamId, node: Node<'_>, edits: &[Edit]) -> Value {
        let replaced = edits.iter().find_map(|edit| match edit {
            Edit::ReplaceValue { entry, content } if entry.value == node.id() => Some(content),
            Edit::ReplaceRoot { root, content } if *root == node.id() => Some(content),
            _ => None,
        });
        match replaced {
            Some(content) => self.content(content),
            None => {
                let in_place = std::ptr::eq(edits, self.1);
                Value { from: Some((id, node.id(), in_place)), ..self.inside(id, node, edits) }
            }
        }
    }

    fn inside(self, id: StreamId, node: Node<'_>, edits: &[Edit]) -> Value {
        let mut value = Value::shallow(node);
        self.inserted(edits, node.id(), Position::First, &mut value.data);
        for entry in node.entries() {
            let change = edits.iter().find_map(|edit| match edit {
                Edit::Remove { entry: it } if *it == entry.id() => Some(&[] as &[Piece]),
                Edit::Rewrite { entry: it, pieces } if *it == entry.id() => Some(pieces),
                _ => None,
            });
            match change {
                Some(pieces) => pieces.iter().for_each(|piece| self.piece(piece, &mut value.data)),
                None => self.entry(id, entry.id(), edits, &mut value.data),
            }
            self.inserted(edits, node.id(), Position::After(entry.id()), &mut value.data);
        }
        value
    }

    fn inserted(self, edits: &[Edit], node: NodeId, place: Position, out: &mut Data) {
        for edit in edits {
            if let Edit::Insert { collection, position, pieces } = edit
                && *collection == node
                && *position == place
            {
                pieces.iter().for_each(|piece| self.piece(piece, out));
            }
        }
    }

    fn entry(self, id: StreamId, entry: EntryId, edits: &[Edit], out: &mut Data) {
        let stream = self.0[id.0 as usize];
        let value = self.node(id, stream.node(entry.value), edits);
        let key = entry.key.map(|key| {
            let text = edits.iter().find_map(|edit| match edit {
                Edit::ReplaceKey { entry: it, text } if *it == entry => Some(text),
                _ => None,
            });
            match text {
                Some(text) => Value::parse(text).unwrap_or_else(Value::null),
                None => self.node(id, stream.node(key), edits),
            }
        });
        push(out, key, value);
    }

    fn piece(self, piece: &Piece, out: &mut Data) {
        match piece {
            Piece::Entry(graft) => self.entry(graft.stream, graft.part, &graft.edits, out),
            Piece::New { key, value } => {
                let key = key.as_ref().map(|key| Value::parse(key).unwrap_or_else(Value::null));
                push(out, key, self.content(value));
            }
            Piece::Lines(_) => {}
        }
    }

    fn content(self, content: &Content) -> Value {
        match content {
            Content::Value(Graft { stream, part, edits }) | Content::Layout(Graft { stream, part, edits }) => {
                self.node(*stream, self.0[stream.0 as usize].node(part.value), edits)
            }
            Content::Root(Graft { stream, part, edits }) => {
                self.node(*stream, self.0[stream.0 as usize].node(*part), edits)
            }
            Content::Inline(text) => Value::parse(text).unwrap_or_else(Value::null),
            Content::Block { header, body } => Value::block(header, body),
        }
    }
}

fn push(out: &mut Data, key: Option<Value>, value: Value) {
    match (out, key) {
        (Data::Mapping(pairs), Some(key)) => pairs.push((key, value)),
        (Data::Sequence(items), None) => items.push(value),
        _ => {}
    }
}
