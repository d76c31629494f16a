//! Walks three trees at once, from their roots to the places where they differ, and turns the differences into edits.
//!
//! Owns the current path and the recursion. The recursion has a stack of its own, so that deep input cannot overflow
//! the call stack. [`resolve`] decides a single place. [`finish`] decides what follows from all entries of a
//! collection.

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
mod loose;
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

/// What happens to one entry.
#[derive(Debug)]
enum Change {
    /// The destination's entry stays, with these edits inside it.
    Keep(Vec<Edit>),
    /// The destination's entry is removed.
    Remove,
    /// The incoming entry is added.
    Add(Graft<EntryId>),
    /// The destination has no entry and gets none.
    Absent,
    /// The destination has no entry, and whether it gets one is a conflict: its index in the plan.
    BothChanged(usize),
}

/// How a collection is merged, by which sides have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Destination and incoming both have the collection: its entries are merged.
    Merge,
    /// The incoming side removed the collection: the base's entries go.
    Dropped,
    /// The destination removed the collection: entries that changed from base to incoming come back.
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
    /// The merged order of the rows. `None` if all sides have the same entries in the same order.
    order: Option<Merged>,
    next: usize,
    changes: Vec<(usize, Change)>,
    /// Edits of the holder itself: of its comments, and of the quotes around its key.
    own: Vec<Edit>,
    /// If this is an element of a list: the fields that identify it.
    keys: Vec<String>,
    /// Rows of elements whose name the other side gave to another element. The winning side's version is taken as a
    /// whole.
    taken_names: HashSet<usize>,
    /// Neighbouring elements that both sides changed. Each clash becomes one conflict.
    clashes: Vec<Clash>,
    /// Whether the only clash covers everything that differs (see [`widen`]).
    is_widened: bool,
    /// Whether destination and base are equal here, so that the incoming text can be copied as it is.
    is_wholesale: bool,
    /// Whether the collection is, or is inside, a list that counts as one value; and how that list is decided.
    whole: Whole,
    /// Whether the lines above, between and below the entries are merged already.
    has_settled_lines: bool,
    /// Rows whose foot (the lines below the value) is merged already.
    feet: HashSet<usize>,
    /// The number of decisions when the frame was made.
    decisions: usize,
    /// The number of conflicts when the frame was made.
    conflicts: usize,
    /// The lines and marks around the entries of a root. Empty for any other collection.
    margins: Slots<Margin>,
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

/// The result of visiting one entry.
enum Visit<'a> {
    Done(Change),
    Descend(Box<Frame<'a>>),
}

/// Walks the aligned documents of three streams, one after the other.
pub(crate) struct Walker<'a> {
    streams: Slots<&'a Stream<'a>>,
    policy: &'a Policy,
    overlay: Overlay,
    /// Where the incoming stream has nulls and directives that are orders. Read on first use.
    orders: OnceCell<Orders>,
    /// By side: offsets of comment lines and blank lines, which may stand between entries. Read on first use.
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

    /// The streams that are merged.
    pub(crate) const fn streams(&self) -> Slots<&'a Stream<'a>> {
        self.streams
    }

    /// The finished plan.
    pub(crate) fn into_plan(self) -> Plan {
        self.plan
    }

    /// The number of conflicts so far.
    pub(crate) fn conflicts(&self) -> usize {
        self.plan.conflicts.len()
    }

    /// Records a decision about the current path.
    pub(crate) fn tell(&mut self, role: Role, outcome: Outcome, rule: Rule, spans: Slots<Span>) {
        self.plan.decisions.push(Decision { path: self.path.clone(), role, outcome, rule, spans, list: None });
    }

    /// Records a conflict about a whole document.
    pub(crate) fn conflict_at(&mut self, conflict: crate::plan::Conflict) {
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

    /// Whether both sides added a collection, and exactly one of the two is empty.
    fn is_denied(&self, dest: Node<'a>, base: Option<Node<'a>>, incoming: Node<'a>) -> bool {
        let is_new = self.streams.base.is_some() && base.is_none_or(|base| base.kind() != dest.kind());
        let is_empty = |node: Node<'a>| node.entries().next().is_none();
        self.policy.unkeyed == Unkeyed::Elementwise
            && is_new
            && dest.kind() == incoming.kind()
            && dest.kind().is_collection()
            && is_empty(dest) != is_empty(incoming)
    }

    /// A frame for values that are merged entry by entry. `None` if they are compared as a whole.
    fn descend(
        &self,
        values: Slots<Node<'a>>,
        holder: Slots<EntryId>,
        cursor: Cursor<'a>,
        within: Whole,
    ) -> Option<Box<Frame<'a>>> {
        // A collection that one side removed and the other left alone is one decision.
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

    /// A frame for a mapping, or for a list whose elements are known by position. Its rows are in the destination's
    /// order.
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

    /// Pairs renamed elements with the element of the base that had the old name.
    fn join_renamed(&self, aligned: &mut Aligned, nodes: &Slots<Node<'a>>, identity: Identity<'a>) {
        let Slots { dest: Some(_), base: Some(base), incoming: Some(_) } = nodes else { return };
        if identity == Identity::Set {
            replaced::join(aligned, nodes);
        }
        let Identity::Keyed(keys) = identity else { return };
        let is_kept = |row: &&Slots<EntryId>| row.present().count() == Side::ALL.len();
        if aligned.rows.iter().filter(is_kept).count() < base.entries().count() {
            elements::join(aligned, nodes, keys, self.policy);
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
