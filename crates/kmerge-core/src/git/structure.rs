//! The merge by structure as git needs it: the layout of the side that changed the layout, and hunks in git's order.

use std::cell::OnceCell;

use kyaml_ast::{Span, Stream};

use super::apart::changed_by_both;
use super::contested::{WrongPlace, ways_to};
use super::moved::Moved;
use super::{View, contested, end, join, layout, moved, replaced};
use crate::MergeError;
use crate::conflict::{ConflictStyle, render};
use crate::documents;
use crate::lines::{Division, Labels, Style, Texts};
use crate::markers::{SMALLEST, hunks, with_side};
use crate::plan::{Decision, Plan};
use crate::policy::Policy;
use crate::proof::{Flaws, Inputs, Row, SoundnessCheck, Unsound};
use crate::resolve::{Outcome, Rule};
use crate::schema::Schema;
use crate::slots::{Side, Slots};
use crate::walk::Contested;

/// So often a plan is made anew with more of it in conflict.
const MOST_ROUNDS: usize = 3;

/// What markers are written with where nobody reads them.
pub(super) const PLAIN: Labels<'static> = Labels { size: SMALLEST, ours: "", base: "", theirs: "" };
/// The sides of hunks are the same in every style.
pub(super) const MERGE: ConflictStyle<'static> = ConflictStyle::Markers { style: Style::Merge, labels: PLAIN };

/// One merge, planned for each side as the one that is edited: what the two plans do not agree on is not clean, so that the
/// direction of a merge never decides whether there is a conflict.
#[derive(Debug)]
pub(super) struct Structured<'t> {
    /// In them, ours is `dest`, whoever is edited.
    inputs: Inputs<'t>,
    /// The better plan comes first. There is but one where that has conflicts and proves sound: the other could not be taken.
    plans: Vec<Planned>,
    /// Whom the plan edits that is not made yet.
    other: Option<Side>,
    /// What was lost by name or place, once that is known.
    lost: OnceCell<Option<Unsound>>,
    /// What one side moved and the other changed, once that is known.
    moved: OnceCell<Vec<Moved>>,
}

/// A plan, and which side it edits.
#[derive(Debug)]
struct Planned {
    plan: Plan,
    /// Whose bytes are edited: what is not edited keeps this side's layout.
    host: Side,
    /// What was wrong with a plan that merged in parts what is in conflict as a whole here; `None` if the sides contest all conflicts.
    contests_more: Option<Unsound>,
    /// Its text without labels if each side of it proves sound, else what is wrong, once that was asked.
    proof: OnceCell<Result<String, Unproven>>,
}

/// What is wrong with a plan, and where, whichever side is chosen.
#[derive(Debug)]
pub(super) struct Unproven {
    /// The first, for people.
    pub(super) first: Unsound,
    places: Vec<WrongPlace>,
}

impl Unproven {
    const UNWRITTEN: Self = Self { first: Unsound::Unwritten, places: Vec::new() };

    fn of(Flaws { first, places, tree }: Flaws<'_>) -> Self {
        let ways = tree.map(|tree| ways_to(&tree, places.iter().map(|place| place[3])));
        let mut ways = ways.into_iter().flatten();
        let place = |[base, dest, incoming, _]: Row<u32>| WrongPlace {
            at: Slots { dest, base, incoming },
            way: ways.next().unwrap_or_default(),
        };
        Self { first, places: places.into_iter().map(place).collect() }
    }
}

impl Planned {
    /// Where its conflicts are, in ours, base and theirs.
    fn conflicts(&self) -> impl Iterator<Item = Slots<Span>> {
        self.plan.conflicts.iter().map(|conflict| seats(conflict.spans, self.host))
    }
}

impl<'t> Structured<'t> {
    /// Merges by structure, given what lines changed; gives the sides back where that is impossible.
    pub(super) fn merge(division: &Division<'_>, inputs: Inputs<'t>, schema: &Schema) -> Result<Self, Box<Inputs<'t>>> {
        let [host, other] = match layout::only_theirs_changed(division.texts(), &division.changes(), inputs.sides()) {
            true => [Side::Incoming, Side::Dest],
            false => [Side::Dest, Side::Incoming],
        };
        let mut merged =
            Self { inputs, plans: Vec::new(), other: Some(host), lost: OnceCell::new(), moved: OnceCell::new() };
        let mut planned = merged.plan_other(schema);
        if planned.is_ok() {
            merged.other = Some(other);
            if merged.plans[0].plan.conflicts.is_empty() {
                planned = merged.plan_other(schema);
            }
        }
        if planned.is_ok() { Ok(merged) } else { Err(Box::new(merged.inputs)) }
    }

    /// Makes the plan that is not made yet, if any.
    fn plan_other(&mut self, schema: &Schema) -> Result<(), MergeError> {
        if let Some(host) = self.other.take() {
            let plan = documents::merge(seats(self.sides().as_ref(), host), schema, &Policy::GIT)?;
            self.plans.push(Planned { plan, host, contests_more: None, proof: OnceCell::new() });
        }
        Ok(())
    }

    /// The result, if it has no conflict and proves sound.
    pub(super) fn clean(&self, texts: Texts<'_>, check: SoundnessCheck<'_>) -> Option<String> {
        if self.has_conflict() {
            return None;
        }
        self.plans.iter().find_map(|planned| self.clean_text(planned, texts, check))
    }

    /// The text of a plan without conflicts, if it proves sound.
    fn clean_text(&self, planned: &Planned, texts: Texts<'_>, check: SoundnessCheck<'_>) -> Option<String> {
        let text = self.write_plan(planned, &MERGE)?;
        let is_sound = |text: &str| check.is_sound(&self.inputs, text);
        let ended = end::resolved(texts, &text).filter(|ended| is_sound(ended));
        ended.or_else(|| is_sound(&text).then_some(text))
    }

    /// Why more is in conflict than the sides contest, if it is so.
    pub(super) fn contests_more(&self) -> Option<&Unsound> {
        self.plans[0].contests_more.as_ref()
    }

    /// The same without the plan in which more is in conflict. What has something to tell comes first.
    pub(super) fn contesting_no_more(mut self) -> Self {
        self.plans.retain(|planned| planned.contests_more.is_none());
        self.plans.sort_by_key(|planned| planned.plan.conflicts.is_empty());
        self
    }

    /// Whether somebody has to decide something.
    pub(super) fn has_conflict(&self) -> bool {
        self.plans.iter().any(|planned| !planned.plan.conflicts.is_empty()) || self.lost().is_some()
    }

    /// The merge with the plan of which each side proves sound; `Err` where none does.
    pub(super) fn sound(mut self, check: SoundnessCheck<'_>) -> Result<Self, Box<Self>> {
        // What no plan sees makes none of them sound.
        let mut sound = None;
        if self.lost().is_none() {
            sound = self.sound_plan(check);
            if sound.is_none() && self.plan_other(check.schema()).is_ok() {
                sound = self.sound_plan(check);
            }
        }
        match sound {
            Some(which) => {
                self.plans.swap(0, which);
                Ok(self)
            }
            None => {
                let Some(planned) = self.contesting(check) else { return Err(Box::new(self.contesting_no_more())) };
                self.plans.insert(0, planned);
                Ok(self)
            }
        }
    }

    /// A plan in which what is wrong with the first one is in conflict as a whole, if each side of it proves sound. What one side
    /// moved and the other changed is in conflict at both places.
    fn contesting(&self, check: SoundnessCheck<'_>) -> Option<Planned> {
        let mut contested = Contested::default();
        match self.lost() {
            None => {
                let unproven = self.prove(&self.plans[0], check).as_ref().err()?;
                contested::add(&mut contested, self.sides(), &unproven.places);
            }
            Some(Unsound::Moved(_)) => contested::add_moved(&mut contested, self.sides(), self.moved()),
            Some(_) => return None,
        }
        for _ in 0..MOST_ROUNDS {
            let planned = self.plan_contesting(&contested, check.schema()).ok()?;
            let conflicts: Vec<_> = planned.conflicts().collect();
            if self.lost().is_some() && !contested::have_moved(&conflicts, self.moved()) {
                return None;
            }
            match self.prove(&planned, check) {
                Ok(text) => {
                    let is_sound = !conflicts.is_empty() && self.keeps_counts(text);
                    return is_sound.then(|| Planned { contests_more: Some(self.unsound(check)), ..planned });
                }
                Err(unproven) if !contested::add(&mut contested, self.sides(), &unproven.places) => return None,
                Err(_) => {}
            }
        }
        None
    }

    /// The first plan anew, with these entries in conflict as a whole.
    fn plan_contesting(&self, contested: &Contested, schema: &Schema) -> Result<Planned, MergeError> {
        let host = self.plans[0].host;
        let contested = contested.clone().seated(|sets| seats(sets, host));
        let plan = documents::merge_contesting(seats(self.sides().as_ref(), host), schema, &Policy::GIT, contested)?;
        Ok(Planned { plan, host, contests_more: None, proof: OnceCell::new() })
    }

    /// Whether no choice in a text has something more or less often than the sides.
    fn keeps_counts(&self, text: &str) -> bool {
        let hunks = hunks(text.as_bytes());
        Side::MERGED.into_iter().all(|side| {
            with_side(text, &hunks, side).is_some_and(|chosen| contested::keeps_counts(self.sides(), &chosen))
        })
    }

    /// The first plan with conflicts of which each side proves sound.
    fn sound_plan(&self, check: SoundnessCheck<'_>) -> Option<usize> {
        let is_sound = |planned: &Planned| !planned.plan.conflicts.is_empty() && self.prove(planned, check).is_ok();
        self.plans.iter().position(is_sound)
    }

    /// The text of a plan, if each side of it proves sound.
    fn prove<'p>(&self, planned: &'p Planned, check: SoundnessCheck<'_>) -> &'p Result<String, Unproven> {
        planned.proof.get_or_init(|| {
            let text = self.write_plan(planned, &MERGE).ok_or(Unproven::UNWRITTEN)?;
            unproven(&self.inputs, &text, check).map_or(Ok(text), Err)
        })
    }

    /// What is wrong with a merge that did not prove sound.
    pub(super) fn unsound(&self, check: SoundnessCheck<'_>) -> Unsound {
        let of_plan = || self.prove(&self.plans[0], check).as_ref().err().map(|unproven| unproven.first.clone());
        self.lost().cloned().or_else(of_plan).unwrap_or(Unsound::Unwritten)
    }

    /// What no plan sees: a side replaced a document or moved something, and the other changed it.
    pub(super) fn lost(&self) -> Option<&Unsound> {
        let lost = || replaced::both_changed(self.sides()).or_else(|| moved::both_changed(self.moved(), self.sides()));
        self.lost.get_or_init(lost).as_ref()
    }

    /// What one side moved, while the other changed some of it.
    pub(super) fn moved(&self) -> &[Moved] {
        self.moved.get_or_init(|| moved::all_moved(&changed_by_both(self.sides())))
    }

    /// Where its conflicts are, in ours, base and theirs.
    pub(super) fn conflicts(&self) -> impl Iterator<Item = Slots<Span>> {
        self.plans[0].conflicts()
    }

    /// The same as decisions.
    pub(super) fn conflict_decisions(&self) -> Vec<Decision> {
        let Planned { plan, host, .. } = &self.plans[0];
        let conflicts = plan.decisions.iter().filter(|decision| decision.outcome == Outcome::Conflict);
        let rule = |rule: Rule| if *host == Side::Incoming { rule.turned() } else { rule };
        let seated = |decision: &Decision| Decision {
            spans: seats(decision.spans, *host),
            rule: rule(decision.rule),
            ..decision.clone()
        };
        conflicts.map(seated).collect()
    }

    pub(super) const fn inputs(&self) -> &Inputs<'t> {
        &self.inputs
    }

    pub(super) const fn sides(&self) -> &Slots<Stream<'t>> {
        self.inputs.sides()
    }

    /// The text with all disagreements in it.
    pub(super) fn write(&self, conflicts: &ConflictStyle<'_>) -> Option<String> {
        match (self.plans[0].proof.get(), conflicts) {
            (Some(Ok(text)), ConflictStyle::Markers { style: Style::Merge, labels }) if labels.size == PLAIN.size => {
                Some(join::labelled(text, labels))
            }
            _ => self.write_plan(&self.plans[0], conflicts),
        }
    }

    /// The same in the plain style, with markers that nobody reads.
    pub(super) fn write_plain(&self) -> Option<String> {
        match self.plans[0].proof.get() {
            Some(Ok(text)) => Some(text.clone()),
            _ => self.write_plan(&self.plans[0], &MERGE),
        }
    }

    fn write_plan(&self, planned: &Planned, conflicts: &ConflictStyle<'_>) -> Option<String> {
        let text = render(&planned.plan, seats(self.sides().as_ref(), planned.host), conflicts).ok()?;
        Some(if planned.host == Side::Incoming { join::turned(&text) } else { text })
    }

    /// Drops conflicts, given by their spans in ours, base and theirs, from what is reported.
    pub(super) fn report_only(&mut self, is_told: impl Fn(&Slots<Span>) -> bool) {
        let Planned { plan, host, .. } = &mut self.plans[0];
        let is_told = |spans: &Slots<Span>| is_told(&seats(*spans, *host));
        plan.conflicts.retain(|conflict| is_told(&conflict.spans));
        plan.decisions.retain(|decision| decision.outcome != Outcome::Conflict || is_told(&decision.spans));
    }

    /// The merge for reports.
    pub(super) fn view(&self) -> View<'_, 't> {
        let Planned { plan, host, .. } = &self.plans[0];
        View { plan, seats: seats(self.sides().as_ref(), *host), host: *host, starts: Slots::three(0, 0, 0) }
    }
}

/// What is wrong with a text, and if it has hunks, whichever side a person chooses everywhere.
pub(super) fn unproven(inputs: &Inputs<'_>, text: &str, check: SoundnessCheck<'_>) -> Option<Unproven> {
    let hunks = hunks(text.as_bytes());
    if hunks.is_empty() {
        return check.flaws(inputs, None, text).map(Unproven::of);
    }
    let with = |side| match with_side(text, &hunks, side) {
        Some(chosen) => check.flaws(inputs, Some(side), &chosen).map(Unproven::of),
        None => Some(Unproven::UNWRITTEN),
    };
    Side::MERGED.into_iter().filter_map(with).reduce(|mut unproven, other| {
        unproven.places.extend(other.places);
        unproven
    })
}

/// The sides in the seats of a merge, where the host is the destination; or those in the seats as the sides that they are.
fn seats<T>(Slots { dest, base, incoming }: Slots<T>, host: Side) -> Slots<T> {
    if host == Side::Incoming { Slots { dest: incoming, base, incoming: dest } } else { Slots { dest, base, incoming } }
}
