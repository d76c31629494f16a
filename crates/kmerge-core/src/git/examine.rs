//! Whether a text may leave as the clean merge of three others.

use std::ops::Range;

use hashbrown::HashMap;
use kyaml_ast::{ParseError, Path, Segment, Stream};

use super::carries::carries;
use super::comments::has_comments;
use super::doubled::has_doubled;
use super::{header, headings, new_faults, referents};
use crate::check::{Fault, Finding};
use crate::documents;
use crate::markers::{Hunk, hunks};
use crate::plan::{Plan, Role};
use crate::policy::Policy;
use crate::resolve::Outcome;
use crate::schema::Schema;
use crate::slots::{Side, Slots};

/// Examines results against the inputs they were made of. In `sides`, ours is `dest`.
pub(super) struct Examiner<'e> {
    schema: &'e Schema,
}

impl<'e> Examiner<'e> {
    pub(super) const fn new(schema: &'e Schema) -> Self {
        Self { schema }
    }

    /// Whether a text is sound, and contains what each side changed.
    pub(super) fn passes(&self, sides: &Slots<Stream<'_>>, text: &str) -> bool {
        parsed(sides, text).is_ok_and(|result| self.proves(sides, &result))
    }

    fn proves(&self, sides: &Slots<Stream<'_>>, result: &Stream<'_>) -> bool {
        self.has_no_new_fault(sides, result)
            && referents::are_kept(sides, result)
            && header::is_kept(sides, result)
            && headings::are_kept(sides, result)
            && [&sides.dest, &sides.incoming].into_iter().flatten().all(|side| self.contains(sides, result, side))
    }

    /// Whether a clean line merge that does not pass may leave all the same: it is sound, and what a side removed is gone. (A
    /// renamed element has no counterpart on the other side, but its lines have. What was removed here and moved there,
    /// though, is back in a merge of lines.)
    pub(super) fn passes_by_lines(&self, sides: &Slots<Stream<'_>>, text: &str) -> bool {
        parsed(sides, text).is_ok_and(|result| {
            self.has_no_new_fault(sides, &result)
                && [&sides.dest, &sides.incoming].into_iter().flatten().all(|side| self.lacks(sides, &result, side))
        })
    }

    /// The same for a line merge with conflicts in which one side was chosen everywhere.
    pub(super) fn passes_with(&self, sides: &Slots<Stream<'_>>, chosen: Side, text: &str) -> bool {
        parsed(sides, text).is_ok_and(|result| {
            self.has_no_new_fault(sides, &result)
                && sides.get(chosen).is_none_or(|side| self.lacks(sides, &result, side))
        }) && !has_doubled(sides, text)
    }

    /// Whether what a side removed is gone from a result.
    fn lacks(&self, sides: &Slots<Stream<'_>>, result: &Stream<'_>, side: &Stream<'_>) -> bool {
        let seats = Slots { dest: Some(result), base: sides.base.as_ref(), incoming: Some(side) };
        documents::merge(seats, self.schema, &Policy::GIT).is_ok_and(|plan| !removes_something(&plan))
    }

    /// Whether a text with conflicts may leave: whichever side a person chooses everywhere, what stands there is sound, and
    /// contains what that side changed.
    pub(super) fn passes_on_each_side(&self, sides: &Slots<Stream<'_>>, text: &str) -> bool {
        on_each_side(sides, text, |result, side| {
            self.has_no_new_fault(sides, result)
                && referents::are_kept(sides, result)
                && self.contains(sides, result, side)
        })
    }

    /// Whether a result has what a side changed, comments included.
    fn contains(&self, sides: &Slots<Stream<'_>>, result: &Stream<'_>, side: &Stream<'_>) -> bool {
        has_comments(sides, result, side) && self.contains_values(sides, result, side)
    }

    /// Whether a result has the values that a side changed: merging the side into it would not change any value, or (among elements
    /// without identity a merge cannot see that) a comparison finds every change there.
    fn contains_values(&self, sides: &Slots<Stream<'_>>, result: &Stream<'_>, side: &Stream<'_>) -> bool {
        let seats = Slots { dest: Some(result), base: sides.base.as_ref(), incoming: Some(side) };
        documents::merge(seats, self.schema, &Policy::GIT).is_ok_and(|plan| has_nothing_to_add(&plan))
            || sides.base.as_ref().is_some_and(|base| carries(base, side, result))
    }

    fn has_no_new_fault(&self, sides: &Slots<Stream<'_>>, result: &Stream<'_>) -> bool {
        self.new_faults(sides, result).is_empty()
    }

    /// The faults of a result that no side has.
    pub(super) fn new_faults(&self, sides: &Slots<Stream<'_>>, result: &Stream<'_>) -> Vec<Finding> {
        new_faults(result, sides.as_ref(), self.schema)
    }
}

/// A result, which is mostly ours.
fn parsed<'r>(sides: &Slots<Stream<'_>>, text: &'r str) -> Result<Stream<'r>, ParseError> {
    sides.dest.as_ref().map_or_else(|| Stream::parse(text), |ours| ours.parse_again(text))
}

fn has_nothing_to_add(plan: &Plan) -> bool {
    let changes = |role, outcome| role == Role::Value && outcome != Outcome::Keep;
    !plan.decisions.iter().any(|decision| changes(decision.role, decision.outcome))
}

/// Whether the incoming side lacks what the base and the destination have: a field, an element of a list with identity, a
/// document.
fn removes_something(plan: &Plan) -> bool {
    plan.decisions.iter().any(|decision| {
        let Slots { dest, base, incoming } = decision.spans;
        let is_removal = dest.is_some() && base.is_some() && incoming.is_none();
        // Without identity, one element is easily taken for another.
        let is_known = || !decision.path.segments().iter().any(|segment| matches!(segment, Segment::Index(_)));
        is_removal && decision.role == Role::Value && decision.outcome != Outcome::Keep && is_known()
    })
}

/// What makes a fault the same in another text: everything but positions.
pub(super) type Kind = (Fault, Path, String);

pub(super) fn kind(finding: &Finding) -> Kind {
    let fields = finding.path.segments().into_iter().filter(|segment| !matches!(segment, Segment::Index(_)));
    (finding.fault, fields.cloned().collect(), finding.name.clone())
}

/// How often there is each kind of fault.
pub(super) fn count(findings: &[Finding]) -> HashMap<Kind, usize> {
    let mut counts = HashMap::new();
    for finding in findings {
        *counts.entry(kind(finding)).or_default() += 1;
    }
    counts
}

/// Whether something holds for ours and the text with ours chosen everywhere, and for theirs.
fn on_each_side(sides: &Slots<Stream<'_>>, text: &str, holds: impl Fn(&Stream<'_>, &Stream<'_>) -> bool) -> bool {
    let hunks = hunks(text.as_bytes());
    [(&sides.dest, ours as fn(&Hunk) -> Range<usize>), (&sides.incoming, theirs)].into_iter().all(|(side, lines)| {
        let chosen = chosen(text, &hunks, lines);
        parsed(sides, &chosen).is_ok_and(|result| side.as_ref().is_none_or(|side| holds(&result, side)))
    })
}

/// A text with one side of every hunk.
fn chosen(text: &str, hunks: &[Hunk], side: fn(&Hunk) -> Range<usize>) -> String {
    let mut chosen = String::with_capacity(text.len());
    let mut done = 0;
    for hunk in hunks {
        chosen.push_str(&text[done..hunk.whole.start]);
        chosen.push_str(&text[side(hunk)]);
        done = hunk.whole.end;
    }
    chosen + &text[done..]
}

fn ours(hunk: &Hunk) -> Range<usize> {
    hunk.ours.clone()
}

fn theirs(hunk: &Hunk) -> Range<usize> {
    hunk.theirs.clone()
}
