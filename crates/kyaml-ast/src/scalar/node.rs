//! The value of a scalar node.

use std::borrow::Cow;
use std::hash::Hasher;

use super::{Resolved, Scalar, ScalarSchema, hash_scalar, is_merge_key, key_text, resolve_scalar, same_scalar};
use crate::tree::{Kind, Node};

impl<'t> Node<'t> {
    /// Reads a scalar under `schema`; `None` for collections and aliases.
    ///
    /// ```
    /// use kyaml_ast::{Resolved, ScalarSchema, Stream};
    ///
    /// let stream = Stream::parse("on: 1_000\n")?;
    /// let root = stream.documents().next().and_then(|document| document.root()).expect("a mapping");
    /// let values: Vec<_> = root.children().filter_map(|node| node.resolve(ScalarSchema::Kube11)).collect();
    /// assert_eq!(values, [Resolved::Bool(true), Resolved::Int(1000)]);
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    #[must_use]
    pub fn resolve(self, schema: ScalarSchema) -> Option<Resolved<'t>> {
        Some(match self.scalar_text()? {
            Cow::Borrowed(text) => resolve_scalar(self.scalar(text), schema),
            Cow::Owned(text) => resolve_scalar(self.scalar(&text), schema).into_owned(),
        })
    }

    /// Whether the node is a string under both schemas, in any style. A value that is not written is none.
    ///
    /// ```
    /// let stream = kyaml_ast::Stream::parse("[a, '5', 5, y, !!str 5]")?;
    /// let root = stream.documents().next().and_then(|document| document.root()).expect("a sequence");
    /// assert!(root.children().map(|item| item.is_string()).eq([true, true, false, false, true]));
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    #[must_use]
    pub fn is_string(self) -> bool {
        let is_text = |schema| matches!(self.resolve(schema), Some(Resolved::String(_)));
        self.kind() != Kind::Null && is_text(ScalarSchema::Core12) && is_text(ScalarSchema::Kube11)
    }

    /// Whether both nodes are scalars of the same value; see [`same_scalar`].
    #[must_use]
    pub fn is_same_scalar(self, other: Node<'_>) -> bool {
        let (Some(text), Some(other_text)) = (self.scalar_text(), other.scalar_text()) else { return false };
        same_scalar(self.scalar(&text), other.scalar(&other_text))
    }

    /// Feeds a hash of a scalar's value to `state`, and nothing for other nodes; see [`hash_scalar`].
    pub fn hash_scalar(self, state: &mut impl Hasher) {
        if let Some(text) = self.scalar_text() {
            hash_scalar(self.scalar(&text), state);
        }
    }

    /// The text by which a scalar identifies a list element; see [`key_text`]. `None` for other nodes.
    #[must_use]
    pub fn key_text(self) -> Option<Cow<'t, str>> {
        Some(match self.scalar_text()? {
            Cow::Borrowed(text) => key_text(self.scalar(text)),
            Cow::Owned(text) => Cow::Owned(key_text(self.scalar(&text)).into_owned()),
        })
    }

    /// Whether the node, as a key, is the YAML merge key `<<`.
    #[must_use]
    pub fn is_merge_key(self) -> bool {
        self.scalar_text().is_some_and(|text| is_merge_key(self.scalar(&text)))
    }

    fn scalar_text(self) -> Option<Cow<'t, str>> {
        self.kind().is_scalar().then(|| self.value())
    }

    fn scalar<'a>(self, text: &'a str) -> Scalar<'a>
    where
        't: 'a,
    {
        Scalar { kind: self.kind(), tag: self.tag(), text }
    }
}
