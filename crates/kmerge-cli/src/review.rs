//! The review page: what a merge did, line by line, and what is left to decide.
//!
//! Owns: the page, and the server that writes what was chosen on it. A page is one file that needs no network. What a
//! Secret holds is on no page.

mod file;
pub(crate) mod gather;
mod page;
mod rows;
mod serve;

pub(crate) use file::Merge;
pub(crate) use page::{Labels, write};
pub(crate) use serve::{Written, open, serve};
