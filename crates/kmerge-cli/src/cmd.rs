//! One module for each subcommand; each turns its arguments into library calls and an [`Exit`](crate::exit::Exit).

pub(crate) mod apply;
pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod ci;
pub(crate) mod completions;
pub(crate) mod delete;
pub(crate) mod diff;
pub(crate) mod driver;
pub(crate) mod edit;
pub(crate) mod explain;
pub(crate) mod function;
pub(crate) mod get;
pub(crate) mod last_applied;
pub(crate) mod man;
pub(crate) mod merge2;
pub(crate) mod merge3;
pub(crate) mod patch;
pub(crate) mod recover;
pub(crate) mod resolve;
pub(crate) mod review;
pub(crate) mod set;
pub(crate) mod set_image;
pub(crate) mod setup;
pub(crate) mod upgrade;
