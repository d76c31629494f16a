//! Merges streams of documents: pairs resources by identity, and adds, removes, moves or keeps documents.
//!
//! Owns which documents the result has, their order, and the comments around them. Ignores what is inside a document:
//! the walk merges that.
//!
//! Invariant: if destination and base are equal byte for byte, and the policy clears no nulls, the result is the
//! incoming text.

mod header;
mod pairing;
mod placeholder;
mod renamed;

use std::collections::BTreeMap;

use hashbrown::HashSet;
use kyaml_ast::{Document, DocumentPiece, Edit, Graft, Newline, Node, NodeId, Path, Span, Stream};

use crate::MergeError;
use crate::correspond::Aligned;
use crate::equal::{same_comments, same_value};
use crate::order::{self, Merged, Rules, Weight, anchors, moved, with_new};
use crate::plan::{Conflict, ConflictPlace, Plan, Role, Variant};
use crate::policy::{BothChanged, Nulls, Policy, Unkeyed};
use crate::resolve::{Outcome, Rule, resolve};
use crate::resource::{Resource, content};
use crate::schema::{Cursor, Schema};
use crate::slots::{Side, Slots};
use crate::walk::{Walker, holds};
use header::Header;
pub(crate) use header::set_off;
pub(crate) use pairing::pair_documents;
use placeholder::{Filling, is_empty};

/// Merges three streams into a plan for the destination.
///
/// # Errors
///
/// If a patch directive is unknown.
pub fn merge(streams: Slots<&Stream<'_>>, schema: &Schema, policy: &Policy) -> Result<Plan, MergeError> {
    let paired = pair_documents(&streams);
    let header = Header::of(&streams, &paired.aligned.rows);
    let walker = Walker::new(streams, policy)?;
    let mut documents = Documents { walker, schema, untyped: schema.untyped(), policy, header };
    let filling = placeholder::filled(streams).and_then(|row| documents.filling(row));
    let (fates, edits) = match filling {
        Some(edits) => (paired.aligned.rows.iter().map(Fate::filled).collect(), edits),
        None => documents.fates(&paired.aligned.rows),
    };
    let mut plan = documents.write(&paired.aligned, &paired.base_order, fates);
    plan.edits.extend(edits);
    if let Some(edit) = fast_forward(&streams, policy) {
        plan.edits = vec![edit];
    }
    Ok(plan)
}

/// Merges streams of one document each, in the file at `path`. They are the same document, whatever their identities
/// are.
pub(crate) fn merge_one(
    streams: Slots<&Stream<'_>>,
    path: &str,
    schema: &Schema,
    policy: &Policy,
) -> Result<Plan, MergeError> {
    let untyped = schema.untyped_in(path);
    let header = Header::default();
    let walker = Walker::new(streams, policy)?;
    let mut documents = Documents { walker, schema, untyped, policy, header };
    let row = streams.filter_map(|stream| stream.documents().next());
    let fate = documents.fate(row);
    let aligned = Aligned { rows: vec![row], incoming_order: vec![0], places: Vec::new() };
    Ok(documents.write(&aligned, &[0], vec![fate]))
}

/// If destination and base are equal byte for byte, the incoming text is the result, with its layout.
fn fast_forward(streams: &Slots<&Stream<'_>>, policy: &Policy) -> Option<Edit> {
    let (dest, base, incoming) = (streams.dest?, streams.base?, streams.incoming?);
    if policy.nulls == Nulls::Clear || dest.source() != base.source() {
        return None;
    }
    let span = Span::new(0, dest.source().len() as u32);
    Some(Edit::Text { span, text: incoming.source().to_owned() })
}

/// What happens to a row of documents.
enum Fate {
    /// The destination's document stays, with these edits inside it.
    Keep(Vec<Edit>),
    /// As [`Fate::Keep`], but with conflicts inside the document.
    Unsettled(Vec<Edit>),
    /// The destination's document is removed.
    Remove,
    /// The incoming document is added.
    Add,
    /// The destination has no document and gets none.
    Absent,
    /// The destination has no document, and whether it gets one is a conflict: its index in the plan.
    BothChanged(usize),
}

impl Fate {
    /// The fate of a row if edits of the destination's only document bring everything.
    const fn filled(row: &Slots<Document<'_>>) -> Self {
        if row.dest.is_some() { Self::Keep(Vec::new()) } else { Self::Absent }
    }
}

/// Decides about rows of documents.
struct Documents<'a> {
    walker: Walker<'a>,
    schema: &'a Schema,
    /// The schema cursor for a document without a kind.
    untyped: Cursor<'a>,
    policy: &'a Policy,
    header: Header,
}

/// The result for the documents, before added ones have a place.
#[derive(Default)]
struct Draft {
    edits: Vec<Edit>,
    /// Added documents by row.
    coming: BTreeMap<usize, Coming>,
    /// Rows whose document leaves its place.
    gone: HashSet<usize>,
}

/// A row of documents.
struct Row<'a> {
    number: usize,
    sides: Slots<Document<'a>>,
    /// Whether the document moves to follow a new order.
    is_moved: bool,
}

/// An added row, and the destination's document that it follows.
type Placed<'a> = (usize, Option<Document<'a>>);

impl Draft {
    fn remove(&mut self, row: usize, document: Document<'_>) {
        self.edits.push(Edit::RemoveDocument { document: document.id() });
        self.gone.insert(row);
    }

    /// The added rows in this order, with their places.
    fn places<'a>(&self, rows: &[Slots<Document<'a>>], order: &[usize]) -> Vec<Placed<'a>> {
        let stays = |row: usize| rows[row].dest.is_some() && !self.gone.contains(&row);
        let places = anchors(order, stays, |row| self.coming.contains_key(&row));
        places.into_iter().map(|(row, after)| (row, after.and_then(|after| rows[after].dest))).collect()
    }

    /// Puts the added documents into their places. Returns these places.
    fn insert(
        &mut self,
        places: &[Placed<'_>],
        rows: &[Slots<Document<'_>>],
        streams: Slots<&Stream<'_>>,
        plan: &mut Plan,
    ) -> HashSet<Option<NodeId>> {
        let header = streams.dest.and_then(comments_only);
        let known = header.map(|header| streams.base.and_then(comments_only).unwrap_or(header));
        let mut places_of_new = HashSet::new();
        for (row, after) in places {
            let is_first = places_of_new.insert(after.map(Document::id)) && after.is_none();
            let after = after.or(header).map(Document::id);
            match self.coming.remove(row) {
                Some(Coming::Document(graft)) => {
                    let known = if is_first { known.zip(rows[*row].incoming) } else { None };
                    let graft = placeholder::without_known(known, graft);
                    self.edits.push(Edit::InsertDocuments { after, documents: vec![DocumentPiece::Document(graft)] });
                }
                Some(Coming::Conflict(conflict)) => plan.conflicts[conflict].place = ConflictPlace::DocumentGap(after),
                None => {}
            }
        }
        places_of_new
    }
}

impl<'a> Documents<'a> {
    /// The fates of rows, and edits of the comments of files without content.
    fn fates(&mut self, rows: &[Slots<Document<'a>>]) -> (Vec<Fate>, Vec<Edit>) {
        let streams = self.walker.streams();
        let mut fates: Vec<Fate> = rows.iter().map(|row| self.fate(*row)).collect();
        self.comment_out(rows, &mut fates);
        if !fates.iter().any(|fate| matches!(fate, Fate::Unsettled(_))) {
            return (fates, self.ends_of_file(streams.filter_map(comments_only)));
        }
        // Comments can be a side of the conflict.
        if have_one_document(streams) {
            let is_new = |row: &Slots<Document<'_>>| row.dest.is_none() && row.incoming.is_some_and(is_empty);
            rows.iter().zip(&mut fates).filter(|(row, _)| is_new(row)).for_each(|(_, fate)| *fate = Fate::Absent);
        }
        (fates, Vec::new())
    }

    /// If no document is left, and the incoming side has comments instead, these replace the first one.
    fn comment_out(&mut self, rows: &[Slots<Document<'a>>], fates: &mut [Fate]) {
        let is_left = |fate: &Fate| !matches!(fate, Fate::Remove | Fate::Absent);
        let first = fates.iter().position(|fate| matches!(fate, Fate::Remove));
        let (Some(first), None) = (first, fates.iter().find(|fate| is_left(fate))) else { return };
        let Some(stream) = self.walker.streams().incoming.filter(|stream| stream.documents().all(is_empty)) else {
            return;
        };
        let row = Slots { incoming: stream.documents().next(), ..rows[first] };
        let (Some(edits), Slots { dest: Some(dest), incoming: Some(incoming), .. }) = (self.filling(row), row) else {
            return;
        };
        let below = &stream.source()[incoming.span().end as usize..];
        let end = Span::new(dest.span().end, dest.span().end);
        let rest = (!below.is_empty()).then(|| Edit::Text { span: end, text: below.to_owned() });
        fates[first] = Fate::Keep(edits.into_iter().chain(rest).collect());
    }

    fn fate(&mut self, row: Slots<Document<'a>>) -> Fate {
        let (Some(_), Some(_)) = (row.dest, row.incoming) else { return self.presence(row) };
        let roots = row.filter_map(Document::root);
        if is_untouched(row) {
            return Fate::Keep(Vec::new());
        }
        if roots.dest.is_none() || roots.incoming.is_none() {
            return Fate::Keep(self.edits(row));
        }
        if self.walker.clears(roots) {
            return Fate::Remove;
        }
        let conflicts = self.walker.conflicts();
        let edits = self.edits(row);
        match self.forwarded(row) {
            Some(edit) => Fate::Keep(vec![edit]),
            None if self.walker.conflicts() > conflicts => Fate::Unsettled(edits),
            None if self.are_two(roots) => {
                self.walker.tell(Role::Value, Outcome::Conflict, Rule::BothChanged, row.map(Document::span));
                self.both_changed(row)
            }
            None => Fate::Keep(edits),
        }
    }

    /// Whether each side added the document with something that the other's has not.
    fn are_two(&self, roots: Slots<Node<'_>>) -> bool {
        let Slots { dest: Some(dest), base: None, incoming: Some(incoming) } = roots else { return false };
        let is_git = self.policy.both_changed == BothChanged::Conflict && self.policy.unkeyed == Unkeyed::Elementwise;
        is_git && self.walker.streams().base.is_some() && !holds(dest, incoming) && !holds(incoming, dest)
    }

    /// Fills a document without content with the incoming content, or merges the comments if only the destination has
    /// content. `None` if the incoming document has orders.
    fn filling(&mut self, row: Slots<Document<'a>>) -> Option<Vec<Edit>> {
        let (dest, incoming) = (row.dest?, row.incoming?);
        if incoming.root().is_some_and(|root| !self.walker.pruned(root).is_empty()) {
            return None;
        }
        self.walker.tell(Role::Value, Outcome::Take, Rule::Merged, row.map(Document::span));
        let Filling { edit, is_contested } = placeholder::filling(dest, row.base, incoming);
        if is_contested {
            self.walker.tell(Role::Gap, Outcome::Keep, Rule::BothChanged, row.map(Document::span));
        }
        Some(edit.into_iter().collect())
    }

    /// If destination and base have the same document byte for byte, the incoming text is the result.
    fn forwarded(&self, row: Slots<Document<'a>>) -> Option<Edit> {
        let (dest, base, incoming) = (row.dest?, row.base?, row.incoming?);
        let is_alike = dest.start_marker().is_some() == incoming.start_marker().is_some()
            && dest.end_marker().is_some() == incoming.end_marker().is_some()
            && Newline::of(dest.stream().source()) == Newline::of(incoming.stream().source());
        let ends_line = incoming.text().ends_with('\n') || dest.span().end as usize == dest.stream().source().len();
        let was = self.body(Side::Base, base);
        if self.policy.nulls == Nulls::Clear || !is_alike || !ends_line || self.body(Side::Dest, dest) != was {
            return None;
        }
        let mut span = self.header.body(Side::Dest, dest);
        if span != dest.span() {
            // A document without the file's header cannot be copied as a whole.
            return None;
        }
        if span.of(dest.stream().source()).starts_with('\u{feff}') {
            span.start += 3;
        }
        let text = self.body(Side::Incoming, incoming).trim_start_matches('\u{feff}');
        (text != was.trim_start_matches('\u{feff}')).then(|| Edit::Text { span, text: text.to_owned() })
    }

    /// The text of a document without the file's header.
    fn body<'t>(&self, side: Side, document: Document<'t>) -> &'t str {
        self.header.body(side, document).of(document.stream().source())
    }

    /// The edits of a document that destination and incoming have.
    fn edits(&mut self, row: Slots<Document<'a>>) -> Vec<Edit> {
        self.walker.document(row, self.header.spans(), self.cursor(row))
    }

    /// Merges the comments of a file that has only comments.
    fn ends_of_file(&mut self, row: Slots<Document<'a>>) -> Vec<Edit> {
        let edits = self.edits(row);
        if let Slots { dest: None, base: Some(base), incoming: Some(incoming) } = row
            && !have_same_comments(base, incoming)
        {
            // Comments that the incoming side changed have no place beside the destination's content.
            self.walker.tell(Role::Gap, Outcome::Keep, Rule::BothChanged, row.map(Document::span));
        }
        edits
    }

    fn cursor(&self, row: Slots<Document<'a>>) -> Cursor<'a> {
        let resource = row.present().find_map(|(_, document)| Resource::of(*document));
        resource.map_or(self.untyped, |resource| {
            self.schema.resource(&resource.id.group, &resource.version, &resource.id.kind)
        })
    }

    /// Decides whether a document that a side lacks is in the result.
    fn presence(&mut self, row: Slots<Document<'a>>) -> Fate {
        let (outcome, rule) = resolve(row, self.policy.both_changed, same);
        let spans = row.map(Document::span);
        self.walker.tell(Role::Value, outcome, rule, spans);
        if let (Some(base), Some(kept)) = (row.base, row.dest.or(row.incoming))
            && outcome != Outcome::Conflict
            && content(kept).is_some()
            && changed_removed_comments(base, kept, row.dest.is_some())
        {
            // The comments go with the document.
            self.walker.tell(Role::Gap, outcome, Rule::BothChanged, spans);
        }
        match (outcome, row.dest, row.incoming) {
            (Outcome::Take, None, Some(_)) if self.walker.clears(row.filter_map(Document::root)) => Fate::Absent,
            (Outcome::Take, None, Some(_)) => Fate::Add,
            (Outcome::Take, Some(_), _) => Fate::Remove,
            (Outcome::Keep, Some(_), _) => Fate::Keep(Vec::new()),
            (Outcome::Keep | Outcome::Take, None, _) => Fate::Absent,
            (Outcome::Conflict, ..) => self.both_changed(row),
        }
    }

    fn both_changed(&mut self, row: Slots<Document<'a>>) -> Fate {
        let row = self.comments_instead(row).unwrap_or(row);
        let spans = row.map(Document::span);
        let graft = |side: Side, document: Option<Document<'_>>| {
            document.map_or(Variant::Absent, |document| Variant::Document(Graft::new(side.stream(), document.id())))
        };
        let (path, role) = (Path::default(), Role::Value);
        let (base, incoming) = (graft(Side::Base, row.base), graft(Side::Incoming, row.incoming));
        let place = row.dest.map_or(ConflictPlace::DocumentGap(None), |dest| ConflictPlace::Document(dest.id()));
        self.walker.conflict_at(Conflict { path, role, place, dest: None, base, incoming, spans });
        match row.dest {
            Some(_) => Fate::Unsettled(Vec::new()),
            None => Fate::BothChanged(self.walker.conflicts() - 1),
        }
    }

    /// A row with the comments that one side has instead of the only document: all of it may be commented out.
    fn comments_instead(&self, row: Slots<Document<'a>>) -> Option<Slots<Document<'a>>> {
        let streams = self.walker.streams();
        let comments = |side: Side| streams.get(side)?.documents().next().filter(|document| is_empty(*document));
        let version = |side: Side| row.get(side).copied().or_else(|| comments(side));
        let whole = Slots { dest: version(Side::Dest), base: row.base, incoming: version(Side::Incoming) };
        (have_one_document(streams) && whole.is_full()).then_some(whole)
    }

    /// Turns the fates of all rows into a plan.
    fn write(mut self, aligned: &Aligned<Document<'a>>, base_order: &[usize], fates: Vec<Fate>) -> Plan {
        let merged = self.order(aligned, base_order);
        let moves = self.moves(aligned, &merged, &fates);
        let mut draft = self.carry_out(aligned, fates, &moves);
        let order = with_new(&merged.order, self.policy.order, |row| aligned.rows[row].dest.is_none());
        let places = draft.places(&aligned.rows, &order);
        let streams = self.walker.streams();
        let changed = self.walker.resolved(self.header.spans());
        let mut plan = self.walker.into_plan();
        let places_of_new = draft.insert(&places, &aligned.rows, streams, &mut plan);
        if let Some(dest) = streams.dest
            && plan.conflicts.is_empty()
            && (moves.is_empty() || !dest.documents().any(is_empty))
        {
            header::start_bare(dest, &places_of_new, &mut draft.edits);
        }
        if let Some(dest) = streams.dest.filter(|dest| !is_in_conflict(dest, &plan.conflicts)) {
            self.header.keep(dest, changed, &mut draft.edits);
        }
        plan.edits = draft.edits;
        plan
    }

    /// Executes the fates of all rows.
    fn carry_out(&mut self, aligned: &Aligned<Document<'a>>, fates: Vec<Fate>, moves: &HashSet<usize>) -> Draft {
        let mut draft = Draft::default();
        for (number, fate) in fates.into_iter().enumerate() {
            let row = Row { number, sides: aligned.rows[number], is_moved: moves.contains(&number) };
            self.carry_out_row(fate, &row, &mut draft);
        }
        draft
    }

    /// Executes the fate of a row. An added document gets its place later.
    fn carry_out_row(&mut self, fate: Fate, &Row { number: row, sides, is_moved }: &Row<'a>, draft: &mut Draft) {
        match (fate, sides.dest) {
            (Fate::Keep(inner), Some(document)) if is_moved => {
                let graft = Graft { stream: Side::Dest.stream(), part: document.id(), edits: inner };
                draft.remove(row, document);
                draft.coming.insert(row, Coming::Document(self.header.leave(Side::Dest, graft)));
            }
            (Fate::Keep(inner) | Fate::Unsettled(inner), _) => draft.edits.extend(inner),
            (Fate::Remove, Some(document)) => draft.remove(row, document),
            (Fate::Add, _) => {
                let graft = sides.incoming.map(|document| self.walker.document_graft(document));
                let graft = graft.map(|graft| self.header.leave(Side::Incoming, graft));
                draft.coming.extend(graft.map(|graft| (row, Coming::Document(graft))));
            }
            (Fate::BothChanged(conflict), _) => _ = draft.coming.insert(row, Coming::Conflict(conflict)),
            (Fate::Remove | Fate::Absent, _) => {}
        }
    }

    fn order(&self, aligned: &Aligned<Document<'a>>, base_order: &[usize]) -> Merged {
        let base = self.walker.streams().base.map(|_| base_order.to_vec());
        let rules = Rules { weight: Weight::Free, both_changed: BothChanged::Keep, first: self.policy.first() };
        order::merge(&aligned.orders(base), rules)
    }

    /// The documents that move to follow a new order. Order counts only if the policy treats both sides alike.
    fn moves(&mut self, aligned: &Aligned<Document<'a>>, merged: &Merged, fates: &[Fate]) -> HashSet<usize> {
        if self.policy.first() != Side::Dest {
            return HashSet::new();
        }
        let stays = |row: &usize| {
            aligned.rows[*row].dest.is_some() && matches!(fates[*row], Fate::Keep(_) | Fate::Unsettled(_))
        };
        let kept: Vec<usize> = (0..fates.len()).filter(stays).collect();
        // A document with a conflict must not move.
        let fixed = kept.iter().copied().filter(|row| matches!(fates[*row], Fate::Unsettled(_))).collect();
        let rows: HashSet<usize> = moved(&kept, &merged.order, &fixed).into_iter().flatten().collect();
        if !rows.is_empty() {
            let rule = if merged.changed.by_dest { Rule::Merged } else { Rule::OnlyIncoming };
            self.walker.tell(Role::Order, Outcome::Take, rule, Slots::default());
        }
        if !merged.both_changed.is_empty() {
            self.walker.tell(Role::Order, Outcome::Keep, Rule::BothChanged, Slots::default());
        }
        rows
    }
}

/// Something that is added between the destination's documents.
enum Coming {
    Document(Graft<kyaml_ast::NodeId>),
    Conflict(usize),
}

/// The only document of a stream, if it has only comments. These stay above added documents.
fn comments_only<'t>(stream: &'t Stream<'_>) -> Option<Document<'t>> {
    let mut documents = stream.documents();
    let first = documents.next().filter(|first| first.root().is_none() && documents.next().is_none())?;
    let is_bare = first.start_marker().is_none() && first.end_marker().is_none() && first.directives().next().is_none();
    is_bare.then_some(first)
}

/// Whether no stream has several documents.
fn have_one_document(streams: Slots<&Stream<'_>>) -> bool {
    streams.present().all(|(_, stream)| stream.documents().nth(1).is_none())
}

/// Whether the first document as a whole is in a conflict.
fn is_in_conflict(stream: &Stream<'_>, conflicts: &[Conflict]) -> bool {
    let first = stream.documents().next().map(|first| ConflictPlace::Document(first.id()));
    conflicts.iter().any(|conflict| Some(conflict.place) == first)
}

/// Whether all sides have a document with the same bytes.
fn is_untouched(row: Slots<Document<'_>>) -> bool {
    let (Some(dest), Some(base), Some(incoming)) = (row.dest, row.base, row.incoming) else { return false };
    dest.text() == base.text() && dest.text() == incoming.text()
}

/// Whether two versions of a document are equal. If they have content, comments do not count.
fn same(a: Document<'_>, b: Document<'_>) -> bool {
    match (content(a), content(b)) {
        (Some(a), Some(b)) => same_value(a, b),
        (None, None) => have_same_comments(a, b),
        _ => false,
    }
}

/// Whether two versions of a document have the same comments.
fn have_same_comments(a: Document<'_>, b: Document<'_>) -> bool {
    same_comments((a.stream(), a.span()), (b.stream(), b.span()))
}

/// Whether a side changed comments that are removed with a document. The header of the destination's file is not
/// removed.
fn changed_removed_comments(base: Document<'_>, kept: Document<'_>, is_dest: bool) -> bool {
    let span = |document: Document<'_>| if is_dest { header::below_header(document) } else { document.span() };
    !same_comments((base.stream(), span(base)), (kept.stream(), span(kept)))
}
