//! What is wrong with a source of the schema, and where.

use kyaml_ast::{Node, Span};

use super::crd::CrdErrorKind;
use super::rules::ConfigErrorKind;

/// What is wrong with a definition or a file of rules, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct SchemaError {
    /// What is wrong.
    pub(crate) kind: SchemaErrorKind,
    /// Where it is.
    pub span: Span,
}

/// What is wrong with a definition or a file of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SchemaErrorKind {
    #[error(transparent)]
    Crd(#[from] CrdErrorKind),
    #[error(transparent)]
    Config(#[from] ConfigErrorKind),
}

impl SchemaError {
    pub(super) fn at(kind: impl Into<SchemaErrorKind>, node: Node<'_>) -> Self {
        Self { kind: kind.into(), span: node.span() }
    }
}
