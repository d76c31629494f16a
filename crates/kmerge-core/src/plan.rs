//! The result of a merge as data: edits of the destination, decisions and conflicts.
//!
//! Invariant: `edits` refer to the destination's stream and never change a place in `conflicts`. Which side a conflict
//! gets is chosen when the plan is rendered.

use kyaml_ast::{Edit, EntryId, Graft, NodeId, Path, Position, Span};

use crate::resolve::{Outcome, Rule};
use crate::schema::OneValue;
use crate::slots::Slots;

/// The part of an entry that a decision is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The value, or whether the entry exists at all.
    Value,
    /// The comment lines above.
    Lead,
    /// The comment on the entry's line.
    Trail,
    /// The name of a field that both sides renamed or replaced, or one renamed and the other removed.
    Name,
    /// Quoting, anchors, flow or block: how the value is written.
    Layout,
    /// The order of a collection's entries.
    Order,
    /// Comments and blank lines between entries.
    Gap,
}

impl Role {
    /// Whether it is data, and not a comment or layout.
    pub(crate) const fn is_data(self) -> bool {
        matches!(self, Self::Value | Self::Name)
    }
}

/// The decision about a place where the sides differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The path of the place.
    pub path: Path,
    /// The part of the place.
    pub role: Role,
    /// What happens to the destination.
    pub outcome: Outcome,
    /// Which rule decided.
    pub rule: Rule,
    /// The places of the three versions in their sources.
    pub spans: Slots<Span>,
    /// For a list: why it was compared as a whole.
    pub list: Option<OneValue>,
    /// For the order of a list: whether it is a part of the value, as nothing but the place tells its elements apart, or these take turns.
    pub counts: bool,
}

/// The content of a place if one side is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// The entry is not there.
    Absent,
    /// The destination's entry with these edits.
    Edited(Vec<Edit>),
    /// Entries of another side.
    Entries(Vec<Graft<EntryId>>),
    /// A document of another side.
    Document(Graft<NodeId>),
    /// Other text.
    Text(String),
}

/// The place of a conflict in the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConflictPlace {
    /// An entry that the destination has.
    Entry(EntryId),
    /// Between entries of a collection. Only other sides have an entry there.
    Gap(NodeId, Position),
    /// The root of a document.
    Root(NodeId),
    /// A document that the destination has.
    Document(NodeId),
    /// Between documents.
    DocumentGap(Option<NodeId>),
    /// Whole lines: of a block scalar, or of comments.
    Lines(Span),
}

/// A place that both sides changed in different ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The path of the place.
    pub path: Path,
    /// The part of the place.
    pub role: Role,
    /// The place in the destination.
    pub(crate) place: ConflictPlace,
    /// The content if the destination is chosen. `None` if the place stays as it is.
    pub(crate) dest: Option<Variant>,
    /// The content if the base is chosen.
    pub(crate) base: Variant,
    /// The content if the incoming side is chosen.
    pub(crate) incoming: Variant,
    /// The places of the three versions in their sources.
    pub spans: Slots<Span>,
    /// Blank lines that are part of the versions that have the entry.
    pub(crate) blanks: Blanks,
}

/// How many blank lines directly above and below an entry come and go with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Blanks {
    pub(crate) above: usize,
    pub(crate) below: usize,
}

impl Blanks {
    /// Those that go with the entry, so that `left` lines stay between its neighbours: first those below it, or those above.
    pub(crate) fn without(self, left: usize, starts_below: bool) -> Self {
        let gone = (self.above + self.below).saturating_sub(left);
        let first = gone.min(if starts_below { self.below } else { self.above });
        if starts_below {
            Self { above: gone - first, below: first }
        } else {
            Self { above: first, below: gone - first }
        }
    }
}

impl Conflict {
    /// The destination's entry that the conflict is about, if it is about one.
    pub(crate) const fn entry(&self) -> Option<EntryId> {
        if let ConflictPlace::Entry(entry) = self.place { Some(entry) } else { None }
    }

    /// Lets every version of lines that the destination does not have end with the text of this edit, if that is made at the same
    /// place: what one place gets is written in the order of the edits, and conflicts are written after them. The destination's version
    /// has its own blank lines in place of those of the text.
    pub(crate) fn take_text(&mut self, edits: &mut Vec<Edit>, edit: usize, source: &str) {
        let (ConflictPlace::Lines(place), Some(Edit::Text { span, text })) = (&mut self.place, edits.get(edit)) else {
            return;
        };
        if span.start != place.start {
            return;
        }
        *place = *span;
        let own = span.of(source);
        let of_dest = match own.is_empty() || !own.trim().is_empty() {
            true => text.clone(),
            false => own.to_owned() + text.trim_start_matches(['\r', '\n']),
        };
        let versions = [(self.dest.as_mut(), &of_dest), (Some(&mut self.base), text), (Some(&mut self.incoming), text)];
        for (version, text) in versions {
            if let Some(Variant::Text(lines)) = version {
                lines.push_str(text);
            }
        }
        edits.remove(edit);
    }
}

/// The result of a merge before it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Changes to the destination.
    pub edits: Vec<Edit>,
    /// Every place where the sides differ.
    pub decisions: Vec<Decision>,
    /// Every place that is in conflict.
    pub conflicts: Vec<Conflict>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_go_with_an_entry_until_enough_are_left() {
        let around = |above, below| Blanks { above, below };
        for ([above, below], left, with_below, with_above) in [
            ([1, 1], 1, around(0, 1), around(1, 0)),
            ([1, 1], 0, around(1, 1), around(1, 1)),
            ([1, 0], 0, around(1, 0), around(1, 0)),
            ([0, 2], 1, around(0, 1), around(0, 1)),
            ([1, 1], 3, around(0, 0), around(0, 0)),
        ] {
            assert_eq!(around(above, below).without(left, true), with_below);
            assert_eq!(around(above, below).without(left, false), with_above);
        }
    }

    #[test]
    fn a_conflict_takes_the_text_of_its_place() {
        let text = |text: &str| Variant::Text(text.to_owned());
        let source = "# h\n\na: 1\n";
        for (at, span, edit, [dest, incoming], left) in [
            (4, Span::new(4, 5), "\n\n", ["\n", "# x\n\n\n"], 0),
            (4, Span::new(4, 5), "\n# y\n", ["\n# y\n", "# x\n\n# y\n"], 0),
            (4, Span::at(4), "# y\n", ["# y\n", "# x\n# y\n"], 0),
            (5, Span::new(4, 5), "# y\n", ["", "# x\n"], 1),
        ] {
            let mut conflict = Conflict {
                path: Path::default(),
                role: Role::Gap,
                place: ConflictPlace::Lines(Span::at(at)),
                dest: Some(text("")),
                base: text("# x\n"),
                incoming: text("# x\n"),
                spans: Slots::default(),
                blanks: Blanks::default(),
            };
            let mut edits = vec![Edit::Text { span, text: edit.to_owned() }];
            conflict.take_text(&mut edits, 0, source);
            assert_eq!((conflict.dest, conflict.incoming, edits.len()), (Some(text(dest)), text(incoming), left));
        }
    }
}
