//! The laws that trees, edits and merges obey, as checks with oracles of their own: for tests and fuzzers.
//!
//! Owns: what has to hold, said a second time and in the simplest way. Ignores speed and deep nesting, which are the
//! business of the crates that are checked.

mod aliases;
mod change;
mod comments;
mod driver;
mod inputs;
#[cfg(unix)]
mod journal;
mod merge;
mod model;
mod orders;
mod outside;
mod packages;
mod packed;
mod parse;
mod paths;
mod random;
mod round;
mod scripts;
mod set;
mod tiling;
mod trees;

use std::fmt;

pub use driver::driver;
pub use inputs::{driver_input, edit_input, merge_input, parse_input};
#[cfg(unix)]
pub use journal::journal_input;
pub use merge::merges;
pub use orders::{Item, OrderCase, Shape};
pub use packages::{Tree, meanings, merged, packages, show, values};
pub use packed::{pack, unpack};
pub use parse::parse;
pub use paths::paths;
pub use round::{Outcome, carriage_round, edit_round};
pub use scripts::{scripts, there_and_back};
pub use set::set_input;
pub use tiling::tiling;
pub use trees::package_input;

/// A law that does not hold, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(String);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

/// Fails with `message` unless `holds`.
fn law(holds: bool, message: impl FnOnce() -> String) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken(message())) }
}
