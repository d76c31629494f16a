//! A lossless YAML tree over its own bytes, and edits as splices.
//!
//! A [`Stream`] is a tree over the bytes of a file. Every byte, also of a comment, belongs to one [`Entry`] or to the
//! gap between two entries. A change replaces, inserts or removes bytes of the file. All other bytes stay as they are.
//! There is no printer.
//!
//! The crate knows YAML. It knows nothing of Kubernetes, of merging, or of files.
//!
//! # Read
//!
//! A [`Path`] leads to one place, a [`Pattern`] to any number of places. [`Node::value`] decodes a scalar.
//!
//! ```
//! use kyaml_ast::{Path, Stream};
//!
//! let stream = Stream::parse("spec:\n  ports:\n  - name: web\n    port: 0x50 # hexadecimal\n")?;
//! let root = stream.documents().next().and_then(|document| document.root()).expect("a mapping");
//! let path: Path = ".spec.ports[name=web].port".parse()?;
//! assert_eq!(path.find(root)?.node.text(), "0x50");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A text that is not YAML is an error with its place:
//!
//! ```
//! use kyaml_ast::{Stream, place};
//!
//! let source = "a: 1\nb: [x\n";
//! let error = Stream::parse(source).expect_err("the bracket is open");
//! assert_eq!(place(source, error.span.start).line, 2);
//! ```
//!
//! # Edit one place
//!
//! [`Document::set`] and [`Document::delete`] return the new text. The value keeps its comments and its style of quotes.
//!
//! ```
//! use kyaml_ast::{NewValue, Path, Stream};
//!
//! let stream = Stream::parse("image: 'app:1' # tested\nports: [80]\n")?;
//! let document = stream.documents().next().expect("one document");
//! let image: Path = ".image".parse()?;
//! assert_eq!(document.set(&image, NewValue::Text("app:2"))?, "image: 'app:2' # tested\nports: [80]\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Edit many places
//!
//! [`Changes`] collects changes of one stream and writes them at once. The file is parsed once.
//!
//! ```
//! use kyaml_ast::{Changes, NewValue, Pattern, Stream};
//!
//! let stream = Stream::parse("containers:\n- name: app # the shop\n  image: app:1\n- name: proxy\n  image: proxy:1\n")?;
//! let document = stream.documents().next().expect("one document");
//! let root = document.root().expect("a mapping");
//! let pattern: Pattern = "..image".parse()?;
//! let mut changes = Changes::new(&stream);
//! for end in pattern.follow(root) {
//!     let image = end.found.node.value().replace(":1", ":2");
//!     changes.set(document, &end, NewValue::Text(&image))?;
//! }
//! let text = changes.finish()?;
//! assert_eq!(text, "containers:\n- name: app # the shop\n  image: app:2\n- name: proxy\n  image: proxy:2\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Move parts between files
//!
//! An [`Edit`] names a place by its id. What it writes may be a [`Graft`]: a part of another stream, which keeps its comments,
//! its quotes and its layout. [`splice`] writes the edits, parses the result again, and compares it with what the edits mean.
//!
//! ```
//! use kyaml_ast::{Edit, Graft, Piece, Position, Stream, StreamId, splice};
//!
//! let mine = Stream::parse("spec:\n    replicas: 3\n")?;
//! let theirs = Stream::parse("# at most one\nmaxSurge: 1 # of two\n")?;
//! let root = |stream: &Stream<'_>| stream.documents().next().and_then(|it| it.root()).expect("a mapping").id();
//! let spec = mine.node(root(&mine)).entries().next().expect("one field").value();
//! let replicas = spec.entries().next().expect("one field").id();
//! let surge = theirs.node(root(&theirs)).entries().next().expect("one field").id();
//! let graft = Graft::new(StreamId(1), surge);
//! let pieces = vec![Piece::Entry(graft)];
//! let edit = Edit::Insert { collection: spec.id(), position: Position::After(replicas), pieces };
//! let text = splice(&[&mine, &theirs], StreamId(0), &[edit])?;
//! assert_eq!(text, "spec:\n    replicas: 3\n    # at most one\n    maxSurge: 1 # of two\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to read on
//!
//! - [`Entry`]: who owns which comment, blank line and newline.
//! - [`Path`] and [`Pattern`]: how places are written.
//! - [`Kind`]: the nodes of a tree, and what holds for each.
//! - [`Resolved`] and [`same_scalar`]: what a scalar means in YAML 1.2 and to Kubernetes tools.
//! - [`render_string`]: how to write a string so that every reader takes it for the same string.
//! - [`Acceptance`]: strict YAML 1.2, or what kubectl accepts as well.
//! - `examples/` in the repository: complete programs.

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
    Condition, End, Fit, FitError, Found, LookupError, LookupErrorKind, Path, PathError, PathErrorKind, Pattern, Seat,
    Segment, Step, Test, similar_names,
};
pub use quote::{BlockLayout, ScalarPlace, fits_implicit_key, plain_is_safe, render_string, render_string_like};
pub use scalar::{Resolved, Scalar, ScalarSchema, hash_scalar, is_merge_key, key_text, resolve_scalar, same_scalar};
pub use span::{Newline, Place, Span, line_end, line_start, place};
pub use splice::{Renderer, SpliceError, splice, splice_unchecked, with_renderer};
pub use tree::{Document, Kind, Node, NodeId, Stream};

/// The examples of the crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
