//! What a scalar says, and line by line what a text says.
//!
//! Ignores how it is written, but for text that is folded: of that, the lines of the source count.

use std::borrow::Cow;

use kyaml_ast::{Kind, Node, same_scalar};

use super::names::hash;
use super::rows::Row;
use crate::equal::scalar;

/// Whether a scalar has lines.
pub(super) fn is_text(node: Node<'_>) -> bool {
    node.kind().is_scalar() && (node.kind().is_block_scalar() || node.text().contains('\n'))
}

/// A scalar with its decoded value.
pub(super) struct Text<'t> {
    pub(super) node: Node<'t>,
    value: Cow<'t, str>,
}

impl<'t> Text<'t> {
    pub(super) fn of(node: Node<'t>) -> Self {
        Self { node, value: node.value() }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        same_scalar(scalar(self.node, &self.value), scalar(other.node, &other.value))
    }

    /// Its lines, and how it ends; of text that is folded, the lines of the source.
    pub(super) fn lines(&self) -> Vec<u64> {
        if self.node.kind() == Kind::Literal || !self.node.text().contains('\n') {
            let end = self.value.len() - self.value.trim_end_matches('\n').len();
            return self.value.lines().map(hash).chain([end as u64]).collect();
        }
        self.node.text().lines().map(|line| hash(line.trim())).collect()
    }
}

/// Whether all texts that there are say the same.
pub(super) fn are_one(texts: &Row<Text<'_>>) -> bool {
    let mut known = texts.iter().flatten();
    known.next().is_none_or(|first| known.all(|text| first.is_same(text)))
}
