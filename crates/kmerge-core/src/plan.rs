//! What a merge found out: edits of the destination, decisions and conflicts, all of them data.
//!
//! Invariant: `edits` are in terms of the destination's stream and never touch a place of `conflicts`; which side a
//! conflict gets is a separate choice, made when the plan is rendered.

use kyaml_ast::{Edit, EntryId, Graft, NodeId, Path, Position, Span};

use crate::resolve::{Outcome, Rule};
use crate::schema::{NoIdentity, RuleSource};
use crate::slots::{Side, Slots};

/// What about a place was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The value, or whether the entry exists at all.
    Value,
    /// The comment lines above.
    Lead,
    /// The comment on the entry's line.
    Trail,
    /// The name of a field that both sides renamed or replaced.
    Name,
    /// Quoting, anchors, flow or block: how the value is written.
    Layout,
    /// The order of a collection's entries.
    Order,
    /// Comments and blank lines between entries.
    Gap,
}

impl Role {
    /// Whether it is data, not a comment or the way that data is written.
    pub(crate) const fn is_data(self) -> bool {
        matches!(self, Self::Value | Self::Name)
    }
}

/// One place that is not agreed, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Where.
    pub path: Path,
    /// What about it.
    pub role: Role,
    /// What happens to the destination.
    pub outcome: Outcome,
    /// Why.
    pub rule: Rule,
    /// The three versions in their sources.
    pub spans: Slots<Span>,
    /// Where the value is a list that was compared as a whole: why.
    pub list: Option<OneValue>,
}

/// Why a list is one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneValue {
    /// Who says how the list is paired.
    pub source: RuleSource,
    /// What it was to be paired by: names with commas between them, or `set`.
    pub declared: Option<String>,
    /// What stands against that, and the side in which it was found; nothing where the list is declared as one value.
    pub why: Option<(Side, NoIdentity)>,
}

/// What a place would become under one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The entry is not there.
    Absent,
    /// The destination's entry with these edits.
    Edited(Vec<Edit>),
    /// Entries of another stream.
    Entries(Vec<Graft<EntryId>>),
    /// A document of another stream.
    Document(Graft<NodeId>),
    /// Other lines.
    Text(String),
}

/// Where in the destination a conflict lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictPlace {
    /// An entry that the destination has.
    Entry(EntryId),
    /// Between entries of a collection, where only other sides have one.
    Gap(NodeId, Position),
    /// The root of a document.
    Root(NodeId),
    /// A document that the destination has.
    Document(NodeId),
    /// Between documents.
    DocumentGap(Option<NodeId>),
    /// Whole lines inside a block scalar.
    Lines(Span),
}

/// A place that both sides changed, differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Where.
    pub path: Path,
    /// What about it.
    pub role: Role,
    /// The place in the destination.
    pub place: ConflictPlace,
    /// What the place is in the destination, where it is not simply left as it stands.
    pub dest: Option<Variant>,
    /// What the place was.
    pub base: Variant,
    /// What the incoming side makes of it.
    pub incoming: Variant,
    /// The three versions in their sources.
    pub spans: Slots<Span>,
}

/// The result of a merge, before it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Changes to the destination.
    pub edits: Vec<Edit>,
    /// Every place that is not agreed.
    pub decisions: Vec<Decision>,
    /// Every place that nobody decided.
    pub conflicts: Vec<Conflict>,
}
