//! The table that ships with the library: Kubernetes' own kinds, and the few that are declared by hand.

use std::sync::OnceLock;

use super::table::Table;
use super::text;

/// The OpenAPI definitions of Kubernetes v1.25 to v1.37, condensed by `cargo xtask schema`, and what stands by hand.
pub(super) const TEXT: &str = concat!(include_str!("builtin.txt"), include_str!("declared.txt"));

/// The table, read when it is first asked for.
pub(super) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| text::read(TEXT).expect("the text is part of the source and a test reads it"))
}
