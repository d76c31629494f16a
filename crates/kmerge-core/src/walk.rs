//! Walks three trees at once, from their roots to where they differ, and turns what it finds into edits.
//!
//! Owns the recursion (an explicit stack: no input depth overflows anything) and the path. What is decided at one place is
//! in [`resolve`]; what a collection's finished entries amount to, in [`finish`].

mod around;
mod block_lines;
mod conflicted;
mod contest;
mod element;
mod ends;
mod finish;
mod foot;
mod inner;
mod instead;
mod key;
mod lanes;
mod leaf;
mod order;
mod prune;
mod reference;
mod rekeyed;
mod replaced;
mod sorted;
mod step;
mod unkeyed;
mod untouched;
mod widen;

use std::cell::OnceCell;

use hashbrown::HashSet;
use kyaml_ast::{Edit, Entry, EntryId, Graft, Kind, Node, Path, Segment, Span, Stream};

use crate::correspond::{Aligned, Identity, align, elements, may_be_renamed};
use crate::equal::{is_null, same_value};
use crate::order::Merged;
use crate::overlay::{Directive, Overlay};
use crate::plan::{Decision, Plan, Role};
use crate::policy::{Directives, Nulls, Policy, Removal, Unkeyed};
use crate::resolve::{Outcome, Rule};
use crate::resource::field;
use crate::schema::{Cursor, RuleSource};
use crate::sequence::{Clash, align_over, align_sequences};
use crate::slots::{Side, Slots};
pub(crate) use around::above_start;
use ends::Margin;
use inner::is_filled_in;
use prune::Orders;
use step::step;
use unkeyed::Whole;
use untouched::lead_lines;

/// What became of one entry.
#[derive(Debug)]
enum Change {
    /// The destination's entry stays, with these edits inside it.
    Keep(Vec<Edit>),
    /// The destination's entry goes.
    Remove,
    /// The incoming entry comes.
    Add(Graft<EntryId>),
    /// There was none and there is none.
    Absent,
    /// The destination has no entry, and whether it gets one is in conflict: an index into the plan's conflicts.
    BothChanged(usize),
}

/// Which sides a collection's entries come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Destination and incoming both have the collection.
    Merge,
    /// The incoming side dropped it: what the base had goes.
    Dropped,
    /// The destination dropped it: what changed from base to incoming comes back.
    Delta,
}

/// A collection whose entries are being visited.
struct Frame<'a> {
    mode: Mode,
    nodes: Slots<Node<'a>>,
    holder: Slots<EntryId>,
    cursor: Cursor<'a>,
    identity: Identity<'a>,
    aligned: Aligned,
    /// The order of the rows; nothing where nobody changed anything about it.
    order: Option<Merged>,
    next: usize,
    changes: Vec<(usize, Change)>,
    /// Edits of the holder itself: its comments.
    own: Vec<Edit>,
    /// Fields that identify this element in its list.
    keys: Vec<String>,
    /// The rows of elements whose name the other side gave to another one: as the side has them that wins.
    taken_names: HashSet<usize>,
    /// Elements at one place that both sides changed.
    clashes: Vec<Clash>,
    /// Whether they are one, around all that differs.
    is_widened: bool,
    /// The destination is as the base is: the incoming text is taken as it stands.
    is_wholesale: bool,
    /// What is known of the list that the collection is or is in, where that is one value.
    whole: Whole,
    /// Whether all is said about the lines between the entries, above and below.
    has_settled_lines: bool,
    /// The rows below whose values all is said.
    feet: HashSet<usize>,
    /// How many decisions there were before.
    decisions: usize,
    /// How many conflicts there were before.
    conflicts: usize,
    /// What lines there are besides those between the entries.
    margins: Slots<Margin>,
}

/// What became of the root of a document.
struct Root {
    /// What became of it as a whole.
    outcome: Outcome,
    edits: Vec<Edit>,
    /// Whether the lines around it are merged, too.
    has_settled_lines: bool,
}

impl Root {
    const fn of(outcome: Outcome) -> Self {
        Self { outcome, edits: Vec::new(), has_settled_lines: false }
    }
}

/// What visiting one entry led to.
enum Visit<'a> {
    Done(Change),
    Descend(Box<Frame<'a>>),
}

/// Walks the aligned roots of one document.
pub(crate) struct Walker<'a> {
    streams: Slots<&'a Stream<'a>>,
    policy: &'a Policy,
    overlay: Overlay,
    /// Made when first asked for.
    orders: OnceCell<Orders>,
    /// Where lines are that may stand between entries, by sides; read when first asked for.
    loose: Slots<OnceCell<Vec<u32>>>,
    path: Path,
    plan: Plan,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(streams: Slots<&'a Stream<'a>>, policy: &'a Policy) -> Result<Self, crate::MergeError> {
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
            path: Path::default(),
            plan: Plan::default(),
        })
    }

    /// What is merged.
    pub(crate) const fn streams(&self) -> Slots<&'a Stream<'a>> {
        self.streams
    }

    /// What was found so far.
    pub(crate) fn into_plan(self) -> Plan {
        self.plan
    }

    /// How many conflicts there are.
    pub(crate) fn conflicts(&self) -> usize {
        self.plan.conflicts.len()
    }

    /// Adds a decision about the place at hand.
    pub(crate) fn tell(&mut self, role: Role, outcome: Outcome, rule: Rule, spans: Slots<Span>) {
        self.plan.decisions.push(Decision { path: self.path.clone(), role, outcome, rule, spans, list: None });
    }

    /// Adds a conflict above the roots.
    pub(crate) fn conflict_at(&mut self, conflict: crate::plan::Conflict) {
        self.plan.conflicts.push(conflict);
    }

    /// A document of the incoming side on its way into the destination.
    pub(crate) fn document_graft(&self, document: kyaml_ast::Document<'a>) -> Graft<kyaml_ast::NodeId> {
        let edits = document.root().map(|root| self.pruned(root)).unwrap_or_default();
        Graft { stream: Side::Incoming.stream(), part: document.id(), edits }
    }

    /// Whether the incoming root orders that its document goes; the decision is recorded.
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

    /// Merges the roots of aligned documents, of which at least destination and incoming are present. `margins` is what is
    /// around them.
    fn roots(&mut self, nodes: Slots<Node<'a>>, cursor: Cursor<'a>, margins: Slots<Margin>) -> Root {
        let replaces = nodes.incoming.is_some_and(|root| self.overlay.directive(root.id()) == Some(Directive::Replace));
        if replaces {
            return self.leaf_root(nodes, replaces);
        }
        let Some(frame) = self.descend(nodes, Slots::default(), cursor, Whole::No) else {
            return self.leaf_root(nodes, replaces);
        };
        if frame.whole == Whole::Taken {
            self.decide_root(nodes, Outcome::Take, Rule::BothChanged);
        }
        self.run(Box::new(Frame { margins, ..*frame }))
    }

    /// Visits a root and everything below it.
    fn run(&mut self, root: Box<Frame<'a>>) -> Root {
        let mut stack = vec![root];
        let mut done = Root::of(Outcome::Keep);
        loop {
            let Some(frame) = stack.last_mut() else { return done };
            if let Some(row) = frame.aligned.rows.get(frame.next).copied() {
                frame.next += 1;
                let index = frame.next - 1;
                if self.is_untouched(frame, row) {
                    continue;
                }
                let (segment, cursor) = step(frame, index, &self.streams);
                self.path.push(segment);
                match self.visit(frame, row, cursor) {
                    Visit::Done(change) => {
                        self.path.pop();
                        frame.changes.push((index, change));
                    }
                    Visit::Descend(child) => stack.push(child),
                }
                continue;
            }
            let Some(mut frame) = stack.pop() else { return done };
            let Some(change) = self.finish(&mut frame) else {
                stack.push(frame);
                continue;
            };
            let Some(parent) = stack.last_mut() else {
                done.edits = if let Change::Keep(edits) = change { edits } else { Vec::new() };
                return Root { has_settled_lines: frame.has_settled_lines, ..done };
            };
            self.path.pop();
            parent.feet.extend(frame.has_settled_lines.then_some(parent.next - 1));
            parent.changes.push((parent.next - 1, change));
        }
    }

    fn visit(&mut self, frame: &Frame<'a>, row: Slots<EntryId>, cursor: Cursor<'a>) -> Visit<'a> {
        let entries = self.entries(row);
        let values = entries.map(Entry::value);
        if frame.mode == Mode::Dropped && self.is_own_key(&frame.keys, row.dest) {
            return Visit::Done(Change::Remove);
        }
        if let Some(change) = self.clear(entries, frame.whole) {
            return Visit::Done(change);
        }
        if let Some(change) = self.direct(entries) {
            return Visit::Done(change);
        }
        if !self.is_whole(frame, row)
            && !is_filled_in(frame, &entries)
            && let Some(mut child) = self.descend(values, row, cursor, frame.whole)
        {
            if child.whole == Whole::Taken && frame.whole != Whole::Taken {
                let from = self.plan.decisions.len();
                self.decide(Role::Value, Outcome::Take, Rule::BothChanged, entries);
                self.explain_list(from, values, cursor);
            }
            child.keys = frame.identity.key_names();
            child.is_wholesale = self.is_wholesale(entries, frame.is_wholesale.then(|| self.entries(frame.holder)));
            if child.mode == Mode::Merge {
                child.own = self.comments(entries, frame.has_lane());
                child.own.extend(self.key_quotes(entries));
            }
            return Visit::Descend(child);
        }
        let decisions = self.plan.decisions.len();
        let change = self.leaf(frame, entries);
        self.explain_list(decisions, values, cursor);
        Visit::Done(change)
    }

    /// Says in what was decided about a list as a whole why it is one value.
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

    /// Whether an entry is as the base has it, and what comes in holds data only. `within` is an entry around it of which
    /// that is known: then nothing has to be compared again on every level.
    fn is_wholesale(&self, entries: Slots<Entry<'a>>, within: Option<Slots<Entry<'a>>>) -> bool {
        let Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) } = entries else { return false };
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

    /// Whether one of two collections that both sides added has entries and the other says that there are none.
    fn is_denied(&self, dest: Node<'a>, base: Option<Node<'a>>, incoming: Node<'a>) -> bool {
        let is_new = self.streams.base.is_some() && base.is_none_or(|base| base.kind() != dest.kind());
        let is_empty = |node: Node<'a>| node.entries().next().is_none();
        self.policy.unkeyed == Unkeyed::Elementwise
            && is_new
            && dest.kind() == incoming.kind()
            && dest.kind().is_collection()
            && is_empty(dest) != is_empty(incoming)
    }

    /// A frame for values that are merged entry by entry; `None` where they are compared as wholes.
    fn descend(
        &self,
        values: Slots<Node<'a>>,
        holder: Slots<EntryId>,
        cursor: Cursor<'a>,
        within: Whole,
    ) -> Option<Box<Frame<'a>>> {
        // What one side dropped and the other left alone is one decision.
        let is_parts = |kept: Node<'a>, base: Node<'a>| {
            let is_alike = kept.kind() == base.kind() && kept.kind().is_collection();
            self.policy.removal == Removal::Parts
                && is_alike
                && (kept.digest() != base.digest() || !same_value(kept, base))
        };
        let (mode, model) = match (values.dest, values.base, values.incoming) {
            (Some(dest), base, Some(incoming)) if self.is_denied(dest, base, incoming) => return None,
            (Some(dest), _, Some(incoming)) if dest.kind() == incoming.kind() => (Mode::Merge, dest),
            (Some(dest), Some(base), None) if is_parts(dest, base) => (Mode::Dropped, dest),
            (None, Some(base), Some(incoming)) if is_parts(incoming, base) => (Mode::Delta, incoming),
            _ => return None,
        };
        if within == Whole::Taken && mode != Mode::Merge {
            return None;
        }
        let nodes = values.filter_map(|node| (node.kind() == model.kind()).then_some(node));
        let (identity, whole) = match model.kind() {
            _ if nodes.present().any(|(_, node)| node.tag() != model.tag()) => return None,
            Kind::Mapping => (Identity::Field, within),
            Kind::Sequence => match self.list_identity(&nodes, holder, cursor) {
                Some(identity) if within != Whole::Taken => (identity, within),
                _ => (Identity::Position, self.unkeyed(mode, &nodes, within)?),
            },
            _ => return None,
        };
        let cursor = cursor.by_structure(nodes.present().map(|(_, node)| *node));
        let (mut aligned, mut clashes) = match identity {
            Identity::Position if whole == Whole::Taken => (align_over(&nodes)?, Vec::new()),
            Identity::Position => align_sequences(&nodes, cursor.places()),
            _ => (align(&nodes, identity), Vec::new()),
        };
        self.join_renamed(&mut aligned, &nodes, identity);
        aligned.hide(&self.overlay);
        let (order, both_changed) = match mode {
            Mode::Merge => self.ordered(&mut aligned, &nodes, (identity, cursor), whole),
            Mode::Dropped | Mode::Delta => (None, Vec::new()),
        };
        clashes.extend(both_changed);
        let taken_names = match identity {
            Identity::Keyed(keys) => elements::names_taken(&aligned, &nodes, keys).into_iter().flatten().collect(),
            _ => HashSet::new(),
        };
        let frame = self.frame(nodes, holder, cursor, aligned);
        Some(Box::new(Frame { mode, identity, clashes, whole, order, taken_names, ..frame }))
    }

    /// A mapping that is merged, or a list of elements known by their places, in the destination's order.
    fn frame(&self, nodes: Slots<Node<'a>>, holder: Slots<EntryId>, cursor: Cursor<'a>, aligned: Aligned) -> Frame<'a> {
        let is_list = nodes.dest.is_some_and(|node| node.kind() == Kind::Sequence);
        Frame {
            mode: Mode::Merge,
            nodes,
            holder,
            cursor,
            identity: if is_list { Identity::Position } else { Identity::Field },
            aligned,
            order: None,
            next: 0,
            changes: Vec::new(),
            own: Vec::new(),
            keys: Vec::new(),
            taken_names: HashSet::new(),
            clashes: Vec::new(),
            is_widened: false,
            is_wholesale: false,
            whole: Whole::No,
            has_settled_lines: false,
            feet: HashSet::new(),
            decisions: self.plan.decisions.len(),
            conflicts: self.plan.conflicts.len(),
            margins: Slots::default(),
        }
    }

    /// Finds the elements that went by another name in the base.
    fn join_renamed(&self, aligned: &mut Aligned, nodes: &Slots<Node<'a>>, identity: Identity<'a>) {
        let Slots { dest: Some(_), base: Some(base), incoming: Some(_) } = nodes else { return };
        if identity == Identity::Set {
            replaced::join(aligned, nodes);
        }
        let Identity::Keyed(keys) = identity else { return };
        let is_kept = |row: &&Slots<EntryId>| row.present().count() == Side::ALL.len();
        if aligned.rows.iter().filter(is_kept).count() < base.entries().count() {
            elements::join(aligned, nodes, keys, self.policy.removal);
        }
    }

    fn list_identity(
        &self,
        nodes: &Slots<Node<'a>>,
        holder: Slots<EntryId>,
        cursor: Cursor<'a>,
    ) -> Option<Identity<'a>> {
        let is_at_root =
            self.path.depth() == 1 && matches!(self.path.last(), Some(Segment::Field(name)) if name == "items");
        let is_list = |entry: Entry<'a>| {
            field(entry.collection(), "kind")
                .is_some_and(|kind| kind.kind().is_scalar() && kind.value().ends_with("List"))
        };
        if is_at_root
            && cursor.list().source != RuleSource::User
            && self.entries(holder).present().all(|(_, entry)| is_list(*entry))
            && let Some(identity) = Identity::of_items(nodes)
            && (self.policy.unkeyed == Unkeyed::Atomic || !may_be_renamed(nodes))
        {
            return Some(identity);
        }
        Identity::of_list(nodes, cursor, &self.overlay)
    }

    fn entries(&self, row: Slots<EntryId>) -> Slots<Entry<'a>> {
        Slots::of(|side| Some((*self.streams.get(side)?).entry(*row.get(side)?)))
    }

    fn decide(&mut self, role: Role, outcome: Outcome, rule: Rule, entries: Slots<Entry<'a>>) {
        if rule == Rule::Agreed {
            return;
        }
        let spans = entries.map(|entry| match role {
            Role::Lead => entry.lead().unwrap_or_default(),
            Role::Trail => entry.trail().unwrap_or_default(),
            Role::Name => entry.key().map_or_else(|| entry.span(), Node::full_span),
            _ => entry.span(),
        });
        self.tell(role, outcome, rule, spans);
    }
}
