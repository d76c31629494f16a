//! Decides places as a whole: scalars, aliases, lists without identity, and values of different kinds.

use kyaml_ast::{
    BlockLayout, CommentSlot, Content, Edit, Entry, EntryId, Graft, Kind, Newline, Node, Position, Resolved, Scalar,
    ScalarPlace, ScalarSchema, Segment, Span, line_end, render_string_like, resolve_scalar,
};

use super::comments::{comment, set_comment};
use super::foot::{foot_text, is_bare, is_filled, same_lines};
use super::loose::any_in;
use super::prune::{all_orders, prune};
use super::unkeyed::Whole;
use super::{Change, Frame, Root, Walker, rewrite};
use crate::correspond::field_name;
use crate::equal::{same_comments, same_value};
use crate::plan::{ConflictPlace, Role, Variant};
use crate::policy::{BothChanged, Directives, Nulls, Unkeyed};
use crate::resolve::{Outcome, Rule, resolve};
use crate::schema::Cursor;
use crate::slots::{Side, Slots};

impl<'a> Walker<'a> {
    /// Decides an entry as a whole.
    pub(super) fn leaf(&mut self, frame: &Frame<'a>, row: Slots<EntryId>, cursor: Cursor<'a>) -> Change {
        let (entries, decisions) = (self.entries(row), self.plan.decisions.len());
        let change = self.leaf_change(frame, entries);
        self.explain_list(decisions, entries.map(Entry::value), cursor);
        change
    }

    fn leaf_change(&mut self, frame: &Frame<'a>, entries: Slots<Entry<'a>>) -> Change {
        let is_contested = self.is_contested(entries.map(Entry::id));
        let (outcome, rule) = self.decision_of(frame, entries, is_contested);
        if matches!(rule, Rule::OnlyDest | Rule::OnlyIncoming) && self.drops_comments(entries) {
            self.decide(Role::Gap, outcome, Rule::BothChanged, entries);
        }
        if frame.whole != Whole::Taken {
            if rule == Rule::BothChanged
                && let Some(edits) = self.merged_lines(frame, entries)
            {
                return Change::Keep(edits);
            }
            let role = if is_renamed_against_removal(&entries) { Role::Name } else { Role::Value };
            self.decide(role, outcome, rule, entries);
        }
        match (outcome, entries.dest, entries.incoming) {
            (Outcome::Conflict, ..) => self.conflict(frame, entries),
            (_, Some(_), Some(_)) => Change::Keep(self.leaf_of_both(frame, entries, outcome, rule)),
            (Outcome::Keep, ..) => Change::Keep(Vec::new()),
            (Outcome::Take, ..) => self.taken(entries),
        }
    }

    /// The change that gives the destination what the incoming side has.
    pub(super) fn taken(&self, entries: Slots<Entry<'a>>) -> Change {
        match (entries.dest, entries.incoming) {
            (_, None) => Change::Remove,
            (None, Some(incoming)) => Change::Add(self.graft(incoming)),
            (Some(dest), Some(incoming)) => Change::Keep(self.replace(dest, incoming, None)),
        }
    }

    /// The comments of an entry, and the quotes of its key.
    fn around_leaf(&mut self, frame: &Frame<'a>, entries: Slots<Entry<'a>>) -> Vec<Edit> {
        let mut edits: Vec<Edit> = self.comments(entries, frame.has_lane()).into_iter().collect();
        edits.extend(self.key_quotes(entries));
        edits
    }

    /// The edits of an entry that both sides have. Its value is decided.
    fn leaf_of_both(
        &mut self,
        frame: &Frame<'a>,
        entries: Slots<Entry<'a>>,
        outcome: Outcome,
        rule: Rule,
    ) -> Vec<Edit> {
        let (Some(dest), Some(incoming)) = (entries.dest, entries.incoming) else { return Vec::new() };
        let known = self.plan.conflicts.len();
        let takes_key = self.takes_key_layout(entries);
        if takes_key {
            self.decide(Role::Layout, Outcome::Take, Rule::OnlyIncoming, entries);
        }
        if takes_key || outcome == Outcome::Take && self.takes_comments_only(entries) {
            // The comments are decided together with the entry that they come with.
            self.comments(entries, frame.has_lane());
            return vec![rewrite(dest.id(), self.graft(incoming))];
        }
        let mut edits = match (outcome, rule) {
            (Outcome::Take, _) => self.replace(dest, incoming, entries.base),
            (_, Rule::Agreed) => self.layout(entries).map_or_else(|| self.item_comments(entries), |edit| vec![edit]),
            _ => self.incoming_style(entries, rule).into_iter().collect(),
        };
        edits.extend(self.around_leaf(frame, entries));
        if outcome == Outcome::Take
            && let Some(edit) = self.filling(frame, entries, &edits)
        {
            return vec![edit];
        }
        self.kept(entries, edits, known)
    }

    /// Applies the four rules to a value, with two exceptions. If both sides added a list, and one list starts with all
    /// elements of the other, the longer one is taken (only if lists are merged by element). If the name of an element
    /// is taken, the winning side's version is taken. What has to be in conflict as a whole is, whoever changed it.
    fn decision_of(&mut self, frame: &Frame<'a>, entries: Slots<Entry<'a>>, is_contested: bool) -> (Outcome, Rule) {
        let both_changed = self.policy.both_changed;
        if frame.is_name_taken() || is_renamed_against_removal(&entries) {
            return (both_changed.outcome(), Rule::BothChanged);
        }
        let values = self.meant(entries);
        let decided = frame.whole.decide(values, both_changed);
        if is_contested {
            let rule = if decided.1 == Rule::Agreed { Rule::BothChanged } else { decided.1 };
            return (both_changed.outcome(), rule);
        }
        let Slots { dest: Some(dest), base: None, incoming: Some(incoming) } = values else { return decided };
        let are_lists = dest.kind() == Kind::Sequence && incoming.kind() == Kind::Sequence;
        match are_lists && decided.1 == Rule::BothChanged && self.policy.unkeyed == Unkeyed::Elementwise {
            true if goes_on(dest, incoming) => (Outcome::Keep, Rule::Merged),
            true if goes_on(incoming, dest) => (Outcome::Take, Rule::Merged),
            _ => decided,
        }
    }

    /// Whether one side removed or replaced a value of which the other changed the comments only. These comments are
    /// lost, which is reported.
    fn drops_comments(&self, entries: Slots<Entry<'a>>) -> bool {
        let Some(base) = entries.base else { return false };
        let dropped = match (entries.dest, entries.incoming) {
            (Some(kept), None) | (None, Some(kept)) => {
                return !same_comments((kept.stream(), kept.extent()), (base.stream(), base.extent()));
            }
            (Some(dest), Some(incoming)) if same_value(dest.value(), base.value()) => [dest, incoming],
            (Some(dest), Some(incoming)) => [incoming, dest],
            (None, None) => return false,
        };
        let [kept, new] = dropped;
        let is_replaced = kept.value().kind() != new.value().kind() && kept.value().kind().is_collection();
        is_replaced && !same_comments((kept.stream(), inside(kept)), (base.stream(), inside(base)))
    }

    /// Whether the incoming side left only comments of a value, and the destination left the entry alone.
    fn takes_comments_only(&self, entries: Slots<Entry<'a>>) -> bool {
        entries.incoming.is_some_and(is_commented_out)
            && entries.dest.is_some_and(|dest| !dest.collection().is_flow())
            && self.is_wholesale(entries, None)
    }

    /// Whether the key is a collection, the incoming side wrote it in another way, and the destination left the entry
    /// alone. Comments inside a key come with the whole entry, because no part of a key is a place of its own.
    fn takes_key_layout(&self, entries: Slots<Entry<'a>>) -> bool {
        let Some([dest, base, incoming]) = entries.all() else { return false };
        let has_collection = |entry: Entry<'_>| entry.key().is_some_and(|key| key.kind().is_collection());
        let is_block = |entry: Entry<'_>| !entry.collection().is_flow();
        has_collection(incoming)
            && is_block(incoming)
            && is_block(dest)
            && !same_words(key_lines(base), key_lines(incoming))
            && self.is_wholesale(entries, None)
    }

    /// Merges line by line a block scalar that both sides changed. Only overlapping lines are in conflict.
    fn merged_lines(&mut self, frame: &Frame<'a>, entries: Slots<Entry<'a>>) -> Option<Vec<Edit>> {
        let (mut edits, overlap) = self.block_lines(entries)?;
        let (outcome, rule) = match overlap {
            Some(outcome) => (outcome, Rule::BothChanged),
            // The destination may already have the lines of both sides.
            None if edits.is_empty() => (Outcome::Keep, Rule::Merged),
            None => (Outcome::Take, Rule::Merged),
        };
        self.decide(Role::Value, outcome, rule, entries);
        edits.extend(self.comments(entries, frame.has_lane()));
        Some(edits)
    }

    /// Decides roots that are no collections of one kind, or of which the incoming one `replaces` the destination's by
    /// a directive.
    pub(super) fn leaf_root(&mut self, nodes: Slots<Node<'a>>, replaces: bool) -> Root {
        let resolved = resolve(nodes, self.policy.both_changed, same_value);
        let (outcome, rule) = if replaces { (Outcome::Take, Rule::Directive) } else { resolved };
        self.tell(Role::Value, outcome, rule, nodes.map(Node::span));
        let mut done = Root::of(outcome);
        let Some(dest) = nodes.dest else { return done };
        match outcome {
            Outcome::Keep => {}
            Outcome::Take => done.edits.extend(self.root_of(nodes, Side::Incoming)),
            Outcome::Conflict => {
                let root = |side: Side| self.root_of(nodes, side);
                let version = |side: Side| root(side).map_or(Variant::Absent, |root| Variant::Edited(vec![root]));
                let place = ConflictPlace::Root(dest.id());
                let conflict = self.new_conflict(Role::Value, place, nodes.map(Node::span), version);
                self.conflict_at(conflict);
            }
        }
        done
    }

    /// The edit that gives the destination the root of another side.
    fn root_of(&self, nodes: Slots<Node<'a>>, side: Side) -> Option<Edit> {
        let (dest, node) = (nodes.dest?, *nodes.get(side)?);
        let edits = if side == Side::Incoming { self.pruned(node) } else { Vec::new() };
        let content = Content::Root(Graft { stream: side.stream(), part: node.id(), edits });
        Some(Edit::ReplaceRoot { root: dest.id(), content })
    }

    /// Copies an incoming entry into the destination, without nulls and directives that are orders, not data.
    pub(super) fn graft(&self, entry: Entry<'a>) -> Graft<EntryId> {
        Graft { stream: Side::Incoming.stream(), part: entry.id(), edits: self.pruned(entry.value()) }
    }

    /// Edits that remove orders from an incoming value. In a three-way merge, a new null clears nothing: it is data.
    pub(crate) fn pruned(&self, value: Node<'a>) -> Vec<Edit> {
        let nulls = if self.streams.base.is_some() { Nulls::Data } else { self.policy.nulls };
        if self.executes() { prune(value, &self.overlay, nulls) } else { Vec::new() }
    }

    /// Whether an incoming value contains orders. This is asked on every level, so it must not search the whole value.
    pub(super) fn brings_orders(&self, value: Node<'a>) -> bool {
        let orders = || all_orders(value.stream(), &self.overlay, self.policy.nulls);
        self.executes() && any_in(self.orders.get_or_init(orders), value.full_span())
    }

    fn executes(&self) -> bool {
        self.policy.nulls == Nulls::Clear || self.policy.directives == Directives::Execute
    }

    /// Replaces the value of the destination's entry by the incoming value.
    pub(super) fn replace(&self, dest: Entry<'a>, incoming: Entry<'a>, base: Option<Entry<'a>>) -> Vec<Edit> {
        let content = restyled(dest, incoming, base, dest).unwrap_or_else(|| Content::Value(self.graft(incoming)));
        vec![Edit::ReplaceValue { entry: dest.id(), content }]
    }

    /// Writes the destination's string in the incoming style, if only the destination changed the value and only the
    /// incoming side changed its style.
    fn incoming_style(&mut self, entries: Slots<Entry<'a>>, rule: Rule) -> Option<Edit> {
        let [dest, base, incoming] = entries.all()?;
        if rule != Rule::OnlyDest {
            return None;
        }
        let content = restyled(incoming, dest, Some(base), dest)?;
        self.decide(Role::Layout, Outcome::Take, Rule::OnlyIncoming, entries);
        Some(Edit::ReplaceValue { entry: dest.id(), content })
    }

    /// Takes the incoming layout of an unchanged value, if only the incoming side changed the layout.
    fn layout(&mut self, entries: Slots<Entry<'a>>) -> Option<Edit> {
        let [dest, base, incoming] = entries.all()?;
        let (outcome, rule) = resolve(entries, self.policy.comments, |a, b| text_of(a) == text_of(b));
        if rule != Rule::OnlyIncoming || same_words(text_of(base), text_of(incoming)) {
            return None;
        }
        self.decide(Role::Layout, outcome, rule, entries);
        let content = Content::Layout(Graft::new(Side::Incoming.stream(), incoming.id()));
        Some(Edit::ReplaceValue { entry: dest.id(), content })
    }

    /// Merges the comments on the items of a list that is compared as a whole and has the same items on both sides.
    fn item_comments(&mut self, entries: Slots<Entry<'a>>) -> Vec<Edit> {
        let mut edits = Vec::new();
        let (Some(dest), Some(incoming)) = (entries.dest, entries.incoming) else { return edits };
        if dest.value().kind() != Kind::Sequence {
            return edits;
        }
        let base = entries.base.map(Entry::value).filter(|base| same_value(*base, dest.value()));
        let mut base = base.map(Node::entries);
        for (index, (dest, incoming)) in dest.value().entries().zip(incoming.value().entries()).enumerate() {
            let base = base.as_mut().and_then(Iterator::next);
            self.path.push(Segment::Index(index as i64));
            edits.extend(self.comments(Slots { dest: Some(dest), base, incoming: Some(incoming) }, false));
            self.path.pop();
        }
        edits
    }

    fn conflict(&mut self, frame: &Frame<'a>, entries: Slots<Entry<'a>>) -> Change {
        let scope = self.conflict_scope(entries);
        let place = match (entries.dest, frame.nodes.dest.or(frame.nodes.incoming)) {
            (Some(dest), _) => ConflictPlace::Entry(dest.id()),
            (None, Some(collection)) => ConflictPlace::Gap(collection.id(), Position::First),
            (None, None) => return Change::Keep(Vec::new()),
        };
        self.report(Role::Value, place, entries.map(Entry::span), |side| scope.version(entries, side));
        if entries.dest.is_none() {
            return Change::BothChanged(self.plan.conflicts.len() - 1);
        }
        Change::Keep(match scope {
            Scope::Entry => Vec::new(),
            Scope::ValueAndTrail => self.lead(entries, frame.has_lane()).into_iter().collect(),
            Scope::Value => self.comments(entries, frame.has_lane()),
        })
    }

    /// How much of an entry a conflict about its value covers.
    fn conflict_scope(&self, entries: Slots<Entry<'a>>) -> Scope {
        let trail = |side: Option<Entry<'a>>| side.and_then(|entry| comment(entry, CommentSlot::Trail));
        if self.comments_are_all(entries) || have_other_feet(entries) {
            Scope::Entry
        } else if self.policy.comments == BothChanged::Conflict && trail(entries.dest) != trail(entries.incoming) {
            // A trail beside a value in conflict is about that version of the value.
            Scope::ValueAndTrail
        } else {
            Scope::Value
        }
    }

    /// Whether a side left only comments of an entry. Then its version in the conflict is these comments.
    fn comments_are_all(&self, entries: Slots<Entry<'a>>) -> bool {
        let Some([dest, base, incoming]) = entries.all() else { return false };
        let is_emptied = |entry: Entry<'_>| is_bare(entry) && !is_bare(base) && comments_below(entry).next().is_some();
        self.policy.comments == BothChanged::Conflict
            && [dest, incoming].iter().all(|entry| !entry.collection().is_flow())
            && (is_emptied(dest) || is_emptied(incoming))
    }
}

/// How much of an entry a conflict about its value covers.
#[derive(Clone, Copy)]
pub(super) enum Scope {
    /// The entry with its comments.
    Entry,
    /// The value, and the comment on its line.
    ValueAndTrail,
    Value,
}

impl Scope {
    /// The content of the place if a side is chosen.
    pub(super) fn version(self, entries: Slots<Entry<'_>>, side: Side) -> Variant {
        let Some(entry) = entries.get(side).copied() else { return Variant::Absent };
        let graft = Graft::new(side.stream(), entry.id());
        let Some(dest) = entries.dest else { return Variant::Entries(vec![graft]) };
        if matches!(self, Self::Entry) {
            return Variant::Edited(vec![rewrite(dest.id(), graft)]);
        }
        let mut edits = vec![Edit::ReplaceValue { entry: dest.id(), content: Content::Value(graft) }];
        if matches!(self, Self::ValueAndTrail) {
            edits.push(set_comment(dest, CommentSlot::Trail, side, Some(entry)));
        }
        Variant::Edited(edits)
    }
}

/// Whether a list starts with all elements of another. An empty list says that there are no elements: no list continues
/// it.
fn goes_on(longer: Node<'_>, shorter: Node<'_>) -> bool {
    let (mut rest, mut items) = (longer.children(), shorter.children().peekable());
    items.peek().is_some() && items.all(|item| rest.next().is_some_and(|other| same_value(other, item)))
}

/// Whether only comments below the key are left of an entry's value.
pub(super) fn is_commented_out(entry: Entry<'_>) -> bool {
    entry.value().kind() == Kind::Null
        && !entry.collection().is_flow()
        && comments_below(entry).count() > usize::from(entry.trail().is_some())
}

/// Whether both sides have collections, with different lines below the last entry. These lines belong to their own
/// version.
fn have_other_feet(entries: Slots<Entry<'_>>) -> bool {
    let Some([dest, incoming]) = entries.both() else { return false };
    [dest, incoming].into_iter().all(is_filled) && !same_lines(foot_text(dest), foot_text(incoming))
}

/// The span of an entry's value. If the value starts on a later line than the key, the lines between are included.
fn inside(entry: Entry<'_>) -> Span {
    let value = entry.value().span();
    Span::new(value.start.min(line_end(entry.stream().source(), entry.indicator().end)), value.end)
}

/// The comments beside and below an entry's value.
fn comments_below(entry: Entry<'_>) -> impl Iterator<Item = &str> {
    entry.stream().comments_in(Span::new(entry.span().end, entry.extent().end))
}

/// The text of an entry's value.
pub(super) fn text_of(entry: Entry<'_>) -> &str {
    entry.value().full_span().of(entry.stream().source())
}

/// The text of a key and of everything before its indicator. If there is no indicator, to the end of the key's last
/// line.
fn key_lines(entry: Entry<'_>) -> &str {
    let (source, indicator) = (entry.stream().source(), entry.indicator());
    let end = if indicator.is_empty() { line_end(source, indicator.start) } else { indicator.start };
    Span::new(entry.start(), end).of(source)
}

fn same_words(a: &str, b: &str) -> bool {
    a.split_ascii_whitespace().eq(b.split_ascii_whitespace())
}

/// The string `new`, written in the style of `style` (plain, quoted or block), for the place of `dest`. `None` if that
/// side did not choose its style: it did if there is no base, or if the base has another style.
fn restyled(style: Entry<'_>, new: Entry<'_>, base: Option<Entry<'_>>, dest: Entry<'_>) -> Option<Content> {
    let [kind, old_kind] = [style, new].map(|entry| entry.value().kind());
    let is_chosen = base.is_none_or(|base| base.value().kind() != kind && base.value().kind() == old_kind);
    if kind == old_kind || !is_chosen || !is_bare_string(style.value()) || !is_bare_string(new.value()) {
        return None;
    }
    let (text, layout) = (new.value().value(), BlockLayout { parent: Some(0), step: 2, newline: Newline::Lf });
    let is_flow = dest.collection().is_flow();
    match kind {
        Kind::Literal if is_flow => None,
        Kind::Literal => literal(&render_string_like(kind, &text, ScalarPlace::Block(layout))),
        _ => {
            let place = if is_flow { ScalarPlace::Flow } else { ScalarPlace::Block(layout) };
            let text = render_string_like(kind, &text, place);
            (!text.contains('\n')).then_some(Content::Inline(text))
        }
    }
}

/// Whether every reader takes a node for a string, and it has no tag and no anchor and folds no lines.
fn is_bare_string(node: Node<'_>) -> bool {
    let text = node.value();
    let scalar = Scalar { kind: node.kind(), tag: None, text: &text };
    let is_string = |schema: &ScalarSchema| matches!(resolve_scalar(scalar, *schema), Resolved::String(_));
    matches!(node.kind(), Kind::Plain | Kind::SingleQuoted | Kind::DoubleQuoted | Kind::Literal)
        && node.tag().is_none()
        && node.anchor().is_none()
        && (node.kind() == Kind::Literal || !node.text().contains('\n'))
        && [ScalarSchema::Core12, ScalarSchema::Kube11].iter().all(is_string)
}

/// The content of a block scalar as [`render_string_like`] writes it, with its indentation of two removed. `None` if
/// the header has an indentation number.
fn literal(rendered: &str) -> Option<Content> {
    let (header, lines) = rendered.split_once('\n')?;
    let is_plain = header.starts_with('|') && !header.contains(|char: char| char.is_ascii_digit());
    let body = lines.split('\n').map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line))).collect();
    is_plain.then(|| Content::Block { header: header.to_owned(), body })
}

/// Whether one side gave a field another name, and the other removed it.
fn is_renamed_against_removal(entries: &Slots<Entry<'_>>) -> bool {
    match (entries.dest, entries.base, entries.incoming) {
        (Some(side), Some(base), None) | (None, Some(base), Some(side)) => {
            base.key().is_some() && field_name(base) != field_name(side)
        }
        _ => false,
    }
}
