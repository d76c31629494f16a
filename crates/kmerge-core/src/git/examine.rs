//! Whether a text may leave as the clean merge of three others.

use std::ops::Range;

use hashbrown::HashMap;
use kyaml_ast::{ParseError, Path, Segment, Stream};

use super::carries::carries;
use super::doubled::has_doubled;
use super::{Doubt, Place, back, comments, header, headings, new_faults, referents, shared_lines};
use crate::check::{Fault, Finding};
use crate::documents;
use crate::error::MergeError;
use crate::markers::{Hunk, hunks};
use crate::plan::{Decision, Plan, Role};
use crate::resolve::Outcome;
use crate::schema::Schema;
use crate::slots::{Side, Slots};

/// Both sides.
const SIDES: [Side; 2] = [Side::Dest, Side::Incoming];

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
        self.doubt(sides, text).is_none()
    }

    /// Why a text is not sound, or does not contain what each side changed.
    pub(super) fn doubt(&self, sides: &Slots<Stream<'_>>, text: &str) -> Option<Doubt> {
        let result = match parsed(sides, text) {
            Ok(result) => result,
            Err(error) => return Some(Doubt::Broken(error)),
        };
        self.fault(sides, &result)
            .or_else(|| referents::doubt(sides, &result, None))
            .or_else(|| (!header::is_kept(sides, &result)).then_some(Doubt::Header))
            .or_else(|| headings::doubt(sides, &result))
            .or_else(|| SIDES.into_iter().find_map(|side| self.missing(sides, &result, side)))
    }

    /// The faults of a result that no side has.
    fn fault(&self, sides: &Slots<Stream<'_>>, result: &Stream<'_>) -> Option<Doubt> {
        let faults = new_faults(result, sides.as_ref(), self.schema);
        let unanchored = faults.iter().find_map(|finding| referents::unanchored(sides, finding));
        unanchored.or_else(|| (!faults.is_empty()).then_some(Doubt::Faults(faults)))
    }

    /// Whether a clean line merge that does not pass may leave all the same: it is sound, aliases included, and what a side removed is gone. (A
    /// renamed element has no counterpart on the other side, but its lines have. What was removed here and moved there,
    /// though, is back in a merge of lines.)
    pub(super) fn passes_by_lines(&self, sides: &Slots<Stream<'_>>, text: &str) -> bool {
        parsed(sides, text).is_ok_and(|result| {
            self.has_no_new_fault(sides, &result)
                && referents::doubt(sides, &result, None).is_none()
                && [&sides.dest, &sides.incoming].into_iter().flatten().all(|side| {
                    let plan = self.plan_of(sides, &result, side);
                    plan.is_ok_and(|plan| {
                        !removes_something(&plan) && !lacks_order(&plan) && !is_back(&plan, sides, side)
                    })
                })
        })
    }

    /// The same for a line merge with conflicts in which one side was chosen everywhere.
    pub(super) fn passes_with(&self, sides: &Slots<Stream<'_>>, chosen: Side, text: &str) -> bool {
        parsed(sides, text).is_ok_and(|result| {
            self.has_no_new_fault(sides, &result)
                && sides.get(chosen).is_none_or(|side| {
                    let plan = self.plan_of(sides, &result, side);
                    plan.is_ok_and(|plan| !removes_something(&plan) && !lacks_order(&plan))
                })
                && shared_lines::are_kept(sides, chosen, text)
        }) && !has_doubled(sides, text)
    }

    /// What a side would still change in a result.
    fn plan_of(&self, sides: &Slots<Stream<'_>>, result: &Stream<'_>, side: &Stream<'_>) -> Result<Plan, MergeError> {
        let seats = Slots { dest: Some(result), base: sides.base.as_ref(), incoming: Some(side) };
        documents::changes(seats, self.schema)
    }

    /// Why a text with conflicts may not leave: whichever side a person chooses everywhere, what stands there has to be sound,
    /// and to contain what that side changed.
    pub(super) fn doubt_on_each_side(&self, sides: &Slots<Stream<'_>>, text: &str) -> Option<Doubt> {
        let hunks = hunks(text.as_bytes());
        SIDES.into_iter().find_map(|side| {
            let lines = if side == Side::Dest { ours } else { theirs };
            let chosen = chosen(text, &hunks, lines);
            let result = match parsed(sides, &chosen) {
                Ok(result) => result,
                Err(error) => return Some(Doubt::Broken(error)),
            };
            self.fault(sides, &result)
                .or_else(|| referents::doubt(sides, &result, Some(side)))
                .or_else(|| headings::doubt(sides, &result))
                .or_else(|| self.missing(sides, &result, side))
        })
    }

    /// What a side changed and a result has not, comments included.
    fn missing(&self, sides: &Slots<Stream<'_>>, result: &Stream<'_>, side: Side) -> Option<Doubt> {
        comments::doubt(sides, result, side).or_else(|| self.missing_value(sides, result, side))
    }

    /// A value that a side changed, and that a result has not: merging the side into it would change a value, and (among elements
    /// without identity a merge cannot see that) a comparison does not find every change there either.
    fn missing_value(&self, sides: &Slots<Stream<'_>>, result: &Stream<'_>, by: Side) -> Option<Doubt> {
        let side = sides.get(by)?;
        let plan = self.plan_of(sides, result, side);
        let missing = plan.as_ref().map(to_add);
        let is_back = plan.as_ref().is_ok_and(|plan| is_back(plan, sides, side));
        let carries = || sides.base.as_ref().is_some_and(|base| carries(base, side, result));
        let lacks_order = plan.as_ref().is_ok_and(lacks_order);
        if matches!(missing, Ok(None)) || !is_back && !lacks_order && carries() {
            return None;
        }
        let spans = missing.ok().flatten().map(|decision| decision.spans).unwrap_or_default();
        if let Some(doubt) = spans.incoming.and_then(|span| referents::of_alias_in(sides, by, span)) {
            return Some(doubt);
        }
        let place = match (spans.incoming, spans.base.zip(sides.base.as_ref())) {
            (None, Some((span, base))) => Place::of(Side::Base, base, span.start),
            (span, _) => Place::of(by, side, span.unwrap_or_default().start),
        };
        Some(Doubt::Lost { place, by })
    }

    fn has_no_new_fault(&self, sides: &Slots<Stream<'_>>, result: &Stream<'_>) -> bool {
        new_faults(result, sides.as_ref(), self.schema).is_empty()
    }
}

/// A result, which is mostly ours.
fn parsed<'r>(sides: &Slots<Stream<'_>>, text: &'r str) -> Result<Stream<'r>, ParseError> {
    sides.dest.as_ref().map_or_else(|| Stream::parse(text), |ours| ours.parse_again(text))
}

/// A value or an order that a plan changes.
fn to_add(plan: &Plan) -> Option<&Decision> {
    let counts = |role: Role| role.is_data() || role == Role::Order;
    plan.decisions.iter().find(|decision| counts(decision.role) && decision.outcome != Outcome::Keep)
}

/// Whether the incoming side has a list in an order that the destination lacks.
fn lacks_order(plan: &Plan) -> bool {
    plan.decisions.iter().any(|decision| decision.role == Role::Order && decision.outcome != Outcome::Keep)
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

fn is_back(plan: &Plan, sides: &Slots<Stream<'_>>, side: &Stream<'_>) -> bool {
    sides.base.as_ref().is_some_and(|base| back::is_back(plan, base, side))
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
