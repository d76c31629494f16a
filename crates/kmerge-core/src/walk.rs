//! Walks three trees at once, from their roots to the places where they differ, and turns the differences into edits.
//!
//! Owns the current path and the recursion. The recursion has a stack of its own, so that deep input cannot overflow
//! the call stack. [`resolve`] decides a single place. [`finish`] decides what follows from all entries of a
//! collection.

mod alias;
mod around;
mod block_lines;
mod choice;
mod comments;
mod conflicted;
mod contest;
mod element;
mod ends;
mod fates;
mod finish;
mod foot;
mod frame;
mod inner;
mod instead;
mod key;
mod lanes;
mod leaf;
mod loose;
mod order;
mod prune;
mod rekeyed;
mod repeated;
mod replaced;
mod sorted;
mod unkeyed;
mod untouched;
mod widen;

use std::cell::OnceCell;

use hashbrown::HashSet;
use kyaml_ast::{Edit, Entry, EntryId, Graft, Kind, Node, Path, Piece, Span, Stream};

use crate::MergeError;
use crate::correspond::Identity;
use crate::equal::{is_null, same_value};
use crate::overlay::{Directive, Overlay};
use crate::plan::{Blanks, Conflict, ConflictPlace, Decision, Plan, Role, Variant};
use crate::policy::{Directives, Nulls, Policy};
use crate::resolve::{Outcome, Rule};
use crate::schema::Cursor;
use crate::slots::{Side, Slots};
use alias::Copies;
pub(crate) use around::above_start;
pub(crate) use element::holds;
use ends::Margin;
use frame::{Frame, Mode};
use inner::is_filled_in;
use unkeyed::Whole;
use untouched::lead_lines;

/// What happens to one entry.
#[derive(Debug)]
enum Change {
    /// What the destination has stays, with these edits inside it. If it has no entry, it gets none.
    Keep(Vec<Edit>),
    /// The destination's entry is removed, if it has one.
    Remove,
    /// The incoming entry is added.
    Add(Graft<EntryId>),
    /// The destination has no entry, and whether it gets one is a conflict: its index in the plan.
    BothChanged(usize),
}

/// The merged root of a document.
struct Root {
    /// What happens to the destination's root as a whole.
    outcome: Outcome,
    edits: Vec<Edit>,
    /// Whether the lines around the root are merged already.
    has_settled_lines: bool,
}

impl Root {
    const fn of(outcome: Outcome) -> Self {
        Self { outcome, edits: Vec::new(), has_settled_lines: false }
    }
}

/// Walks the aligned documents of three streams, one after the other.
pub(crate) struct Walker<'a> {
    streams: Slots<&'a Stream<'a>>,
    policy: &'a Policy,
    overlay: Overlay,
    /// The offsets of nulls and directives of the incoming stream that are orders. Read on first use.
    orders: OnceCell<Vec<u32>>,
    /// By side: offsets of comment lines and blank lines, which may stand between entries. Read on first use.
    loose: Slots<OnceCell<Vec<u32>>>,
    /// Entries that are in conflict as a whole, if the sides have not the same there: merged in parts, they proved unsound.
    contested: Contested,
    /// What is written in the place of aliases.
    copies: Copies,
    /// Why there is no plan.
    refusal: OnceCell<MergeError>,
    path: Path,
    plan: Plan,
}

/// Entries of each side that are in conflict as a whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contested {
    entries: Slots<HashSet<EntryId>>,
    /// The entries that hold one of them.
    around: Slots<HashSet<EntryId>>,
}

impl Contested {
    /// Adds the last of these entries, each of which holds the next one. Returns whether it is new.
    pub(crate) fn add(&mut self, side: Side, entries: &[EntryId]) -> bool {
        let Some((last, around)) = entries.split_last() else { return false };
        of_side(&mut self.around, side).extend(around);
        of_side(&mut self.entries, side).insert(*last)
    }

    /// Whether an entry is in conflict as a whole.
    pub(crate) fn has(&self, side: Side, entry: EntryId) -> bool {
        self.entries.get(side).is_some_and(|entries| entries.contains(&entry))
    }

    /// The same with the sides in other seats.
    pub(crate) fn seated(self, seats: impl Fn(Slots<HashSet<EntryId>>) -> Slots<HashSet<EntryId>>) -> Self {
        Self { entries: seats(self.entries), around: seats(self.around) }
    }

    /// Whether an entry is in conflict, or holds one that is.
    fn reaches(&self, side: Side, entry: EntryId) -> bool {
        self.has(side, entry) || self.around.get(side).is_some_and(|around| around.contains(&entry))
    }
}

fn of_side(sets: &mut Slots<HashSet<EntryId>>, side: Side) -> &mut HashSet<EntryId> {
    match side {
        Side::Dest => &mut sets.dest,
        Side::Base => &mut sets.base,
        Side::Incoming => &mut sets.incoming,
    }
    .get_or_insert_default()
}

impl<'a> Walker<'a> {
    pub(crate) fn new(streams: Slots<&'a Stream<'a>>, policy: &'a Policy) -> Result<Self, MergeError> {
        let overlay = match (policy.directives, streams.incoming) {
            (Directives::Execute, Some(stream)) => Overlay::of(stream)?,
            _ => Overlay::default(),
        };
        Ok(Self {
            streams,
            policy,
            overlay,
            orders: OnceCell::new(),
            loose: Slots::of(|_| Some(OnceCell::new())),
            contested: Contested::default(),
            copies: Copies::default(),
            refusal: OnceCell::new(),
            path: Path::default(),
            plan: Plan::default(),
        })
    }

    /// The same, with these entries in conflict as a whole.
    pub(crate) fn contesting(self, contested: Contested) -> Self {
        Self { contested, ..self }
    }

    /// The streams that are merged.
    pub(crate) const fn streams(&self) -> Slots<&'a Stream<'a>> {
        self.streams
    }

    /// The finished plan.
    ///
    /// # Errors
    ///
    /// If the walk found something that must not be merged.
    pub(crate) fn into_plan(self) -> Result<Plan, MergeError> {
        self.refusal.into_inner().map_or(Ok(self.plan), Err)
    }

    /// Records that the sides must not be merged. The first reason counts.
    fn refuse(&self, error: MergeError) {
        self.refusal.get_or_init(|| error);
    }

    /// The number of conflicts so far.
    pub(crate) fn conflicts(&self) -> usize {
        self.plan.conflicts.len()
    }

    /// Records a decision about the current path, if the sides differ.
    pub(crate) fn tell(&mut self, role: Role, outcome: Outcome, rule: Rule, spans: Slots<Span>) {
        if rule != Rule::Agreed {
            let path = self.path.clone();
            self.plan.decisions.push(Decision { path, role, outcome, rule, spans, list: None, counts: false });
        }
    }

    /// The text of a side. Empty if the side is absent.
    fn source(&self, side: Side) -> &'a str {
        self.streams.get(side).map_or("", |stream| stream.source())
    }

    /// A conflict at the current path. `version` is the content if the base or the incoming side is chosen.
    fn new_conflict(
        &self,
        role: Role,
        place: ConflictPlace,
        spans: Slots<Span>,
        version: impl Fn(Side) -> Variant,
    ) -> Conflict {
        let (base, incoming) = (version(Side::Base), version(Side::Incoming));
        Conflict { path: self.path.clone(), role, place, dest: None, base, incoming, spans, blanks: Blanks::default() }
    }

    /// Records a conflict at the current path.
    fn report(&mut self, role: Role, place: ConflictPlace, spans: Slots<Span>, version: impl Fn(Side) -> Variant) {
        let conflict = self.new_conflict(role, place, spans, version);
        self.conflict_at(conflict);
    }

    /// Records a conflict.
    pub(crate) fn conflict_at(&mut self, conflict: Conflict) {
        self.plan.conflicts.push(conflict);
    }

    /// Copies an incoming document into the destination, without its directives and clearing nulls.
    pub(crate) fn document_graft(&self, document: kyaml_ast::Document<'a>) -> Graft<kyaml_ast::NodeId> {
        let edits = document.root().map(|root| self.pruned(root)).unwrap_or_default();
        Graft { stream: Side::Incoming.stream(), part: document.id(), edits }
    }

    /// Whether the incoming root is an order to remove the document (`$patch: delete`, or a null that clears). Records
    /// the decision.
    pub(crate) fn clears(&mut self, nodes: Slots<Node<'a>>) -> bool {
        let Some(incoming) = nodes.incoming else { return false };
        let is_news = ![nodes.base, nodes.dest].into_iter().flatten().any(is_null);
        let rule = match self.overlay.directive(incoming.id()) {
            Some(Directive::Delete) => Rule::Directive,
            _ if self.policy.nulls == Nulls::Clear && is_null(incoming) && is_news => Rule::Cleared,
            _ => return false,
        };
        self.tell(Role::Value, Outcome::Take, rule, nodes.map(Node::span));
        true
    }

    /// Merges the roots of aligned documents. Destination and incoming must be present. `margins` are the lines and marks around
    /// them.
    fn roots(&mut self, nodes: Slots<Node<'a>>, cursor: Cursor<'a>, margins: Slots<Margin>) -> Root {
        let replaces = nodes.incoming.is_some_and(|root| self.overlay.directive(root.id()) == Some(Directive::Replace));
        let frame = if replaces { None } else { self.descend(nodes, Slots::default(), cursor, Whole::No) };
        let Some(frame) = frame else { return self.leaf_root(nodes, replaces) };
        if frame.whole == Whole::Taken {
            self.tell(Role::Value, Outcome::Take, Rule::BothChanged, nodes.map(Node::span));
        }
        self.run(Box::new(Frame { margins, ..*frame }))
    }

    /// Visits a root and everything below it.
    fn run(&mut self, root: Box<Frame<'a>>) -> Root {
        let mut stack = vec![root];
        loop {
            let Some(frame) = stack.last_mut() else { return Root::of(Outcome::Keep) };
            if frame.next < frame.aligned.rows.len() {
                let child = self.next_row(frame);
                stack.extend(child);
                continue;
            }
            let Some(change) = self.finish(frame) else { continue };
            let (has_settled_lines, holder) = (frame.has_settled_lines, frame.holder);
            stack.pop();
            let Some(parent) = stack.last_mut() else {
                let edits = if let Change::Keep(edits) = change { edits } else { Vec::new() };
                return Root { outcome: Outcome::Keep, edits, has_settled_lines };
            };
            self.path.pop();
            parent.feet.extend(has_settled_lines.then_some(parent.next - 1));
            let row = parent.next - 1;
            parent.changes.insert(row, self.own(parent.aligned.rows[row], holder, change));
        }
    }

    /// Decides the next row of a collection, or returns the frame of its value, which must be visited first.
    fn next_row(&mut self, frame: &mut Frame<'a>) -> Option<Box<Frame<'a>>> {
        let index = frame.next;
        let row = frame.aligned.rows[index];
        frame.next += 1;
        if self.is_untouched(frame, row) && !self.leads_to_contested(row) {
            return None;
        }
        let (segment, cursor) = self.step(frame, index);
        self.path.push(segment);
        let entries = self.entries(row);
        let merged = self.with_inherited(frame, row);
        let change = match self.clear(entries, frame.whole).or_else(|| self.direct(entries)) {
            Some(order) => {
                if matches!(order, Change::Remove) {
                    self.refuse_inherited(frame, row);
                }
                order
            }
            None => match self.child(frame, merged, cursor) {
                Some(child) => return Some(child),
                None if merged != row && self.mean_the_same(merged) => Change::Keep(Vec::new()),
                None => self.leaf(frame, row, cursor),
            },
        };
        self.path.pop();
        frame.changes.insert(index, change);
        None
    }

    /// A frame for the values of a row. `None` if they are compared as a whole.
    fn child(&mut self, frame: &Frame<'a>, row: Slots<EntryId>, cursor: Cursor<'a>) -> Option<Box<Frame<'a>>> {
        let entries = self.entries(row);
        if self.is_contested(row) || self.is_whole(frame, row) || is_filled_in(frame, &entries) {
            return None;
        }
        let values = self.meant(entries);
        let mut child = self.descend(values, row, cursor, frame.whole)?;
        if child.whole == Whole::Taken && frame.whole != Whole::Taken {
            let from = self.plan.decisions.len();
            self.decide(Role::Value, Outcome::Take, Rule::BothChanged, entries);
            self.explain_list(from, values, cursor);
        }
        child.is_wholesale = self.is_wholesale(entries, frame.is_wholesale.then(|| self.entries(frame.holder)));
        if child.mode == Mode::Merge {
            child.own = self.comments(entries, frame.has_lane());
            child.own.extend(self.key_quotes(entries));
        }
        Some(child)
    }

    /// Adds to the decisions about a list as a whole why the list counts as one value.
    fn explain_list(&mut self, from: usize, values: Slots<Node<'a>>, cursor: Cursor<'a>) {
        let is_list = values.present().all(|(_, value)| value.kind() == Kind::Sequence);
        if !is_list || values.present().count() < 2 || self.plan.decisions.len() == from {
            return;
        }
        let list = Identity::one_value(&values, cursor, &self.overlay);
        for decision in self.plan.decisions[from..].iter_mut().filter(|decision| decision.role == Role::Value) {
            decision.list.clone_from(&list);
        }
    }

    /// Whether destination and base have the same text, and the incoming entry holds data only, no orders. `within` is
    /// an entry around it that is known to have the same text in both: then no text is compared again on every level.
    fn is_wholesale(&self, entries: Slots<Entry<'a>>, within: Option<Slots<Entry<'a>>>) -> bool {
        let Some([dest, base, incoming]) = entries.all() else { return false };
        let is_same_text = match within {
            Some(Slots { dest: Some(outer_dest), base: Some(outer_base), .. }) => {
                let place = |outer: Entry<'a>, inner: Entry<'a>| {
                    (inner.extent().start.wrapping_sub(outer.extent().start), inner.extent().len())
                };
                place(outer_dest, dest) == place(outer_base, base)
            }
            _ => dest.extent().of(dest.stream().source()) == base.extent().of(base.stream().source()),
        };
        let is_flow = || dest.collection().is_flow() && base.collection().is_flow();
        is_same_text && (is_flow() || dest.column() == base.column()) && !self.brings_orders(incoming.value())
    }

    /// Drops decisions inside a collection that are part of a larger one now.
    fn forget(&mut self, frame: &Frame<'a>, is_part: impl Fn(&Decision) -> bool) {
        let told = self.plan.decisions.split_off(frame.decisions);
        self.plan.decisions.extend(told.into_iter().filter(|decision| !is_part(decision)));
    }

    /// Whether the entry of a row is in conflict as a whole.
    fn is_contested(&self, row: Slots<EntryId>) -> bool {
        row.present().any(|(side, entry)| self.contested.has(side, *entry))
            && self.entries(row).both().is_none_or(|[dest, incoming]| !same_value(dest.value(), incoming.value()))
    }

    /// Whether an entry of a row is in conflict as a whole, or holds one that is.
    fn leads_to_contested(&self, row: Slots<EntryId>) -> bool {
        row.present().any(|(side, entry)| self.contested.reaches(side, *entry))
    }

    fn entries(&self, row: Slots<EntryId>) -> Slots<Entry<'a>> {
        Slots::of(|side| Some((*self.streams.get(side)?).entry(*row.get(side)?)))
    }

    fn decide(&mut self, role: Role, outcome: Outcome, rule: Rule, entries: Slots<Entry<'a>>) {
        let spans = entries.map(|entry| match role {
            Role::Lead => entry.lead().unwrap_or_default(),
            Role::Trail => entry.trail().unwrap_or_default(),
            Role::Name => entry.key().map_or_else(|| entry.span(), Node::full_span),
            _ => entry.span(),
        });
        self.tell(role, outcome, rule, spans);
    }
}

/// The edit that puts a graft in the place of an entry.
fn rewrite(entry: EntryId, graft: Graft<EntryId>) -> Edit {
    Edit::Rewrite { entry, pieces: vec![Piece::Entry(graft)] }
}
