//! kmerge under real git, in temporary repositories.

mod ci;
mod fallback;
mod finished;
mod histories;
mod hostile;
#[cfg(unix)]
mod interactive;
mod markers;
mod messages;
mod neighbours;
mod places;
mod repo;
mod resolve;
mod setup;
mod tools;
