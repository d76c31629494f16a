//! Deterministic test data: manifests, long resource definitions, arbitrary YAML, and random edits of all of them.
//!
//! Everything follows from a seed, on every platform. Owns: the generators and the printer of their models. Ignores:
//! what the data is used for, and YAML that is not valid.

mod build;
mod crd;
mod events;
mod flavor;
mod long;
mod manifest;
mod model;
mod package;
mod print;
mod random;
mod rng;
mod shapes;
mod vary;
mod words;

pub use crd::crds;
pub use long::{By, changed, definition, long_list};
pub use manifest::{manifest_stream, manifests, small_files};
pub use model::Stream;
pub use package::{Package, PackageSize, package};
pub use random::random_stream;
pub use rng::Rng;
pub use shapes::{SHAPES, Shape, Sides};
pub use vary::{Change, Triple, manifest_triple, random_triple};
