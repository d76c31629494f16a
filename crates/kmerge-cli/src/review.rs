//! Review: what a merge did, line by line, and what is left to decide; on a page, or on a terminal.
//!
//! Owns: the page, the server that writes what was chosen on it, and the screen for a terminal. A page is one file that needs no
//! network. What a Secret holds is on no page and on no screen.

mod choices;
mod file;
pub(crate) mod gather;
mod page;
mod rows;
pub(crate) mod screen;
mod serve;
mod unmask;

pub(crate) use choices::Written;
pub(crate) use file::Merge;
pub(crate) use page::{Labels, write};
pub(crate) use serve::{open, serve};
