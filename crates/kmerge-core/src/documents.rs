//! Merges streams of documents: pairs resources by identity, and adds, removes, moves or keeps documents.
//!
//! Owns which documents the result has, their order, and the comments around them. Ignores what is inside a document:
//! the walk merges that.
//!
//! Invariant: if destination and base are equal byte for byte, and the policy clears no nulls, the result is the
//! incoming text.

mod fate;
mod header;
mod pairing;
mod placeholder;
mod renamed;

use kyaml_ast::{Document, DocumentPiece, Edit, Graft, Newline, Node, NodeId, Path, Span, Stream};

use crate::MergeError;
use crate::correspond::Aligned;
use crate::equal::{same_comments, same_value};
use crate::order::{self, Merged, Rules, Weight, anchors, moved, with_new};
use crate::plan::{Blanks, Conflict, ConflictPlace, Plan, Role, Variant};
use crate::policy::{BothChanged, Nulls, Policy, Unkeyed};
use crate::resolve::{Outcome, Rule, resolve};
use crate::resource::{Resource, content};
use crate::schema::{Cursor, Schema};
use crate::slots::{Side, Slots};
use crate::walk::{Contested, Walker, holds};
use fate::{Fate, all_in_place};
use header::Header;
pub(crate) use header::{are_most_of, set_off};
pub(crate) use pairing::pair_documents;
use placeholder::{Filling, is_empty};

/// Merges three streams into a plan for the destination.
///
/// # Errors
///
/// If a patch directive is unknown, or aliases stand for too much.
pub fn merge(streams: Slots<&Stream<'_>>, schema: &Schema, policy: &Policy) -> Result<Plan, MergeError> {
    merge_contesting(streams, schema, policy, Contested::default())
}

/// The same, with these entries in conflict as a whole.
pub(crate) fn merge_contesting(
    streams: Slots<&Stream<'_>>,
    schema: &Schema,
    policy: &Policy,
    contested: Contested,
) -> Result<Plan, MergeError> {
    let paired = pair_documents(&streams);
    let header = Header::of(&streams, &paired.aligned.rows);
    let walker = Walker::new(streams, policy)?.contesting(contested);
    let mut documents = Documents { walker, schema, untyped: schema.untyped(), policy, header };
    let filling = placeholder::filled(streams).and_then(|row| documents.filling(row));
    let (fates, edits) = match filling {
        Some(edits) => (paired.aligned.rows.iter().map(Fate::filled).collect(), edits),
        None => documents.fates(&paired.aligned.rows),
    };
    let mut plan = documents.write(&paired.aligned, &paired.base_order, fates)?;
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
    documents.write(&aligned, &[0], vec![fate])
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

/// Decides about rows of documents.
struct Documents<'a> {
    walker: Walker<'a>,
    schema: &'a Schema,
    /// The schema cursor for a document without a kind.
    untyped: Cursor<'a>,
    policy: &'a Policy,
    header: Header,
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
        let is_left = |fate: &Fate| fate.stays() || fate.comes();
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
        if self.is_cleared(row) {
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

    /// Whether the incoming document is an order to remove it. One that holds comments alone is none.
    fn is_cleared(&mut self, row: Slots<Document<'a>>) -> bool {
        let has_comments = |document: Document<'_>| document.stream().comments_in(document.span()).next().is_some();
        let is_commented_out = |document| content(document).is_none() && has_comments(document);
        !row.incoming.is_some_and(is_commented_out) && self.walker.clears(row.filter_map(Document::root))
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
        row.filter_map(Resource::of).for_all().map_or(self.untyped, |resource| {
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
            (Outcome::Take, None, Some(_)) if self.is_cleared(row) => Fate::Absent,
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
        self.walker.conflict_at(Conflict {
            path,
            role,
            place,
            dest: None,
            base,
            incoming,
            spans,
            blanks: Blanks::default(),
        });
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
    fn write(
        mut self,
        aligned: &Aligned<Document<'a>>,
        base_order: &[usize],
        mut fates: Vec<Fate>,
    ) -> Result<Plan, MergeError> {
        let (rows, streams) = (&aligned.rows, self.walker.streams());
        let merged = self.order(aligned, base_order);
        let has_moved = self.move_documents(rows, &merged, &mut fates);
        let mut edits = all_in_place(rows, &mut fates);
        let order = with_new(&merged.order, self.policy.order, |row| rows[row].dest.is_none());
        let places = places(streams, rows, &fates, &order);
        edits.extend(self.insertions(rows, &mut fates, &places));
        let changed = self.walker.resolved(self.header.spans());
        let mut plan = Plan { edits, ..self.walker.into_plan()? };
        place_conflicts(&mut plan, &fates, &places);
        if let Some(dest) = streams.dest {
            if plan.conflicts.is_empty() && !(has_moved && dest.documents().any(is_empty)) {
                header::start_bare(dest, &places, &mut plan.edits);
            }
            if !is_in_conflict(dest, &plan.conflicts) {
                self.header.keep(dest, changed, &mut plan.edits);
            }
        }
        Ok(plan)
    }

    /// The edits that put documents into their places.
    fn insertions(&self, rows: &[Slots<Document<'a>>], fates: &mut [Fate], places: &[Place]) -> Vec<Edit> {
        let Slots { dest, base, .. } = self.walker.streams();
        let header = dest.and_then(comments_only);
        let mut known = header.map(|header| base.and_then(comments_only).unwrap_or(header));
        let mut edits = Vec::new();
        for &(row, after) in places {
            // Only the first one stands below the comments.
            let known = known.take().zip(rows[row].incoming);
            if let Some(graft) = self.graft(rows[row], &mut fates[row]) {
                let graft = placeholder::without_known(known, graft);
                edits.push(Edit::InsertDocuments { after, documents: vec![DocumentPiece::Document(graft)] });
            }
        }
        edits
    }

    /// The document that comes to another place.
    fn graft(&self, row: Slots<Document<'a>>, fate: &mut Fate) -> Option<Graft<NodeId>> {
        let (side, graft) = match fate {
            Fate::Add => (Side::Incoming, self.walker.document_graft(row.incoming?)),
            Fate::Move(inner) => {
                let edits = std::mem::take(inner);
                (Side::Dest, Graft { stream: Side::Dest.stream(), part: row.dest?.id(), edits })
            }
            _ => return None,
        };
        Some(self.header.leave(side, graft))
    }

    fn order(&self, aligned: &Aligned<Document<'a>>, base_order: &[usize]) -> Merged {
        let base = self.walker.streams().base.map(|_| base_order.to_vec());
        let rules = Rules { weight: Weight::Free, both_changed: BothChanged::Keep, first: self.policy.first() };
        order::merge(&aligned.orders(base), rules)
    }

    /// Moves documents to follow a new order, and says whether any moved. Order counts only if the policy treats both sides alike.
    fn move_documents(&mut self, rows: &[Slots<Document<'a>>], merged: &Merged, fates: &mut [Fate]) -> bool {
        if self.policy.first() != Side::Dest {
            return false;
        }
        let stays = |row: &usize| rows[*row].dest.is_some() && fates[*row].stays();
        let kept: Vec<usize> = (0..fates.len()).filter(stays).collect();
        // A document with a conflict must not move.
        let fixed = kept.iter().copied().filter(|row| matches!(fates[*row], Fate::Unsettled(_))).collect();
        let moving: Vec<usize> = moved(&kept, &merged.order, &fixed).into_iter().flatten().collect();
        moving.iter().for_each(|row| fates[*row].go());
        let rule = if merged.changed.by_dest { Rule::Merged } else { Rule::OnlyIncoming };
        if !moving.is_empty() {
            self.walker.tell(Role::Order, Outcome::Take, rule, Slots::default());
        }
        if !merged.both_changed.is_empty() {
            self.walker.tell(Role::Order, Outcome::Keep, Rule::BothChanged, Slots::default());
        }
        !moving.is_empty()
    }
}

/// A row of which something comes to a place, and the destination's document behind which that is.
type Place = (usize, Option<NodeId>);

/// The places of what comes, in order. The comments of a file that has nothing else stay above.
fn places(streams: Slots<&Stream<'_>>, rows: &[Slots<Document<'_>>], fates: &[Fate], order: &[usize]) -> Vec<Place> {
    let header = streams.dest.and_then(comments_only);
    let stays = |row: usize| rows[row].dest.is_some() && fates[row].stays();
    let places = anchors(order, stays, |row| fates[row].comes()).into_iter();
    places.map(|(row, after)| (row, after.and_then(|after| rows[after].dest).or(header).map(Document::id))).collect()
}

/// Says where conflicts are about documents that the destination has not.
fn place_conflicts(plan: &mut Plan, fates: &[Fate], places: &[Place]) {
    for &(row, after) in places {
        if let Fate::BothChanged(conflict) = fates[row] {
            plan.conflicts[conflict].place = ConflictPlace::DocumentGap(after);
        }
    }
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
