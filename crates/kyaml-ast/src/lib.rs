//! A lossless YAML tree over its own bytes, and edits as splices.
//!
//! The crate knows YAML; it knows nothing of Kubernetes, of merging, or of input and output.

mod anchors;
mod block_scalar;
mod change;
mod decode;
mod digest;
mod edit;
mod emit;
mod entry;
mod event;
mod indent;
mod intent;
mod invariant;
mod parents;
mod parse;
mod path;
mod quote;
mod scalar;
mod scan;
mod span;
mod splice;
mod tree;
mod trivia;
mod verify;

pub use block_scalar::BlockScalar;
pub use change::{ChangeError, Changes, DocumentEdits, NewValue};
pub use edit::{CommentSlot, Content, DocumentPiece, Edit, Graft, Piece, Position, StreamId};
pub use entry::{Entry, EntryId};
pub use event::{Event, EventKind};
pub use invariant::{BrokenTape, TapeRule};
pub use parents::Parents;
pub use parse::{Acceptance, ParseError, ParseErrorKind};
pub use path::{
    Condition, End, Fit, Found, LookupError, LookupErrorKind, Path, PathError, PathErrorKind, Pattern, Seat, Segment,
    Step, Test, similar_names,
};
pub use quote::{BlockLayout, ScalarPlace, fits_implicit_key, plain_is_safe, render_string, render_string_like};
pub use scalar::{Resolved, Scalar, Schema, hash_scalar, is_merge_key, key_text, resolve, same_scalar};
pub use span::{Newline, Place, Span, line_end, line_start, place};
pub use splice::{Renderer, SpliceError, splice, splice_unchecked, with_renderer};
pub use tree::{Document, Kind, Node, NodeId, Stream};

/// The examples of the crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
