//! kmerge under real git, in temporary repositories.

mod fallback;
mod histories;
mod markers;
mod messages;
mod places;
mod repo;
mod resolve;
mod setup;
