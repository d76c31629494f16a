//! Writes a plan out: its edits, and for each conflict one side or a hunk with markers.
//!
//! Hunks stand on whole lines around the smallest entry that starts its line, so that each side alone is valid YAML: the
//! entry is rendered once per side, and lines that all shown sides share stay outside the markers.

mod gaps;
mod hunk;
mod markers;
mod nest;

use gaps::{Gap, Gaps, without_kept};
use hashbrown::HashMap;
use hunk::{HunkStyle, with_marks_inside};
use kyaml_ast::{DocumentPiece, Edit, EntryId, Graft, Newline, NodeId, Piece, Span, Stream, splice};

use crate::MergeError;
use crate::between::neighbours;
use markers::with_markers;
use nest::Nest;

use crate::lines::{Labels, Style};
use crate::plan::{Blanks, Conflict, ConflictPlace, Plan, Variant};
use crate::slots::{Side, Slots};

/// What becomes of conflicts when a plan is written.
#[derive(Clone, Copy, Debug)]
pub enum ConflictStyle<'a> {
    /// The destination's version stays.
    Dest,
    /// The base's version comes back.
    Base,
    /// The incoming version is taken.
    Incoming,
    /// Both versions, between markers.
    Markers {
        /// Whether the base is shown, too.
        style: Style,
        /// The texts beside the markers.
        labels: Labels<'a>,
    },
}

/// Applies a plan to its destination.
///
/// # Errors
///
/// Edits that claim the same bytes: a defect of the plan.
pub fn render(plan: &Plan, sides: Slots<&Stream<'_>>, style: &ConflictStyle<'_>) -> Result<String, MergeError> {
    let empty = Stream::parse("")?;
    let streams = [sides.dest, sides.base, sides.incoming].map(|stream| stream.unwrap_or(&empty));
    let (edits, conflicts) = (plan.edits.clone(), &plan.conflicts);
    let edits = match style {
        ConflictStyle::Dest => with_taken(edits, conflicts.iter().filter_map(changed_dest), &streams),
        ConflictStyle::Base => with_all_taken(edits, conflicts, |conflict| &conflict.base, &streams),
        ConflictStyle::Incoming => with_all_taken(edits, conflicts, |conflict| &conflict.incoming, &streams),
        ConflictStyle::Markers { style, labels } => {
            let hunks = HunkStyle { style: *style, labels: *labels, newline: Newline::of(streams[0].source()) };
            let edits = without_kept(with_markers(&streams, hunks, edits, conflicts)?);
            return Ok(with_marks_inside(splice(&streams, Side::Dest.stream(), &edits)?, labels.size));
        }
    };
    Ok(splice(&streams, Side::Dest.stream(), &without_kept(edits))?)
}

/// Three versions of a text in one: markers stand where those that are shown differ.
pub(crate) fn hunks([ours, base, theirs]: [&str; 3], style: Style, labels: Labels<'_>) -> String {
    let hunks = HunkStyle { style, labels, newline: Newline::of(ours) };
    with_marks_inside(hunks.hunk(ours, base, theirs), labels.size)
}

/// The destination's version, where the conflict changes it.
fn changed_dest(conflict: &Conflict) -> Option<(&Conflict, &Variant)> {
    Some((conflict, conflict.dest.as_ref()?))
}

/// Turns one version of each conflict into edits; removals last, as nothing else may then be said about what goes.
fn with_all_taken(
    edits: Vec<Edit>,
    conflicts: &[Conflict],
    side: fn(&Conflict) -> &Variant,
    streams: &[&Stream<'_>; 3],
) -> Vec<Edit> {
    let is_removal = |it: &&Conflict| matches!((side(it), it.place), (Variant::Absent, ConflictPlace::Entry(_)));
    let (removals, others): (Vec<_>, Vec<_>) = conflicts.iter().partition(is_removal);
    with_taken(edits, others.into_iter().chain(removals).map(|conflict| (conflict, side(conflict))), streams)
}

/// Turns one version of each conflict into edits. An entry that goes takes the edits along that were made of it before.
fn with_taken<'c>(
    mut edits: Vec<Edit>,
    taken: impl IntoIterator<Item = (&'c Conflict, &'c Variant)>,
    streams: &[&Stream<'_>; 3],
) -> Vec<Edit> {
    let (mut gone, mut gaps) = (HashMap::new(), Gaps::of(&edits));
    for (conflict, variant) in taken {
        if let (Variant::Absent, ConflictPlace::Entry(entry)) = (variant, conflict.place) {
            gone.insert(entry, edits.len());
        }
        if let ConflictPlace::Gap(collection, position) = conflict.place {
            let brought = brought(variant, conflict.blanks, collection, streams);
            gaps.put(&mut edits, Gap { collection, position }, brought);
        } else {
            take(&mut edits, conflict, variant, streams);
        }
    }
    if gone.is_empty() {
        return edits;
    }
    let nest = Nest::new(streams[0], gone.keys().copied());
    let edits_before: Vec<usize> = nest.ids().map(|entry| gone[&entry]).collect();
    let stays =
        |(index, edit): &(usize, Edit)| nest.way_out(nest.around_edit(edit)).all(|entry| edits_before[entry] <= *index);
    edits.into_iter().enumerate().filter(stays).map(|(_, edit)| edit).collect()
}

/// Turns one version of a conflict into edits.
fn take(edits: &mut Vec<Edit>, conflict: &Conflict, variant: &Variant, streams: &[&Stream<'_>; 3]) {
    match (variant, conflict.place) {
        (Variant::Edited(inner), _) => edits.extend(inner.iter().cloned()),
        (Variant::Text(text), ConflictPlace::Lines(span)) => edits.push(Edit::Text { span, text: text.clone() }),
        (Variant::Absent, ConflictPlace::Entry(entry)) => {
            edits.push(Edit::Remove { entry });
            edits.extend(without(blanks_around(streams[0], entry, conflict.blanks)));
        }
        (Variant::Absent, ConflictPlace::Document(document)) => edits.push(Edit::RemoveDocument { document }),
        (Variant::Document(graft), ConflictPlace::DocumentGap(after)) => edits.push(insertion(after, graft)),
        (Variant::Document(graft), ConflictPlace::Document(document)) => {
            edits.extend([Edit::RemoveDocument { document }, insertion(Some(document), graft)]);
        }
        _ => {}
    }
}

/// What a version of a conflict brings to a collection.
fn brought(variant: &Variant, blanks: Blanks, collection: NodeId, streams: &[&Stream<'_>; 3]) -> Vec<Piece> {
    if let Variant::Entries(grafts) = variant { pieces(streams, grafts, collection, blanks) } else { Vec::new() }
}

fn insertion(after: Option<NodeId>, graft: &Graft<NodeId>) -> Edit {
    Edit::InsertDocuments { after, documents: vec![DocumentPiece::Document(graft.clone())] }
}

/// Entries of one side for a collection of the destination, with the lines between them and the blank lines around them.
fn pieces(
    streams: &[&Stream<'_>; 3],
    grafts: &[Graft<EntryId>],
    collection: NodeId,
    Blanks { above, below }: Blanks,
) -> Vec<Piece> {
    let Some(stream) = grafts.first().and_then(|graft| streams.get(graft.stream.0 as usize)) else { return Vec::new() };
    let newline = Newline::of(streams[0].source());
    let lines = |count: usize| (count > 0).then(|| Piece::Lines(newline.as_str().repeat(count)));
    let entries = neighbours(stream, grafts, streams[0].node(collection));
    lines(above).into_iter().chain(entries).chain(lines(below)).collect()
}

/// The edits that remove lines.
fn without(lines: [Span; 2]) -> impl Iterator<Item = Edit> {
    let lines = lines.into_iter().filter(|span| !span.is_empty());
    lines.map(|span| Edit::Text { span, text: String::new() })
}

/// The blank lines above and below an entry that go with it.
fn blanks_around(stream: &Stream<'_>, entry: EntryId, Blanks { above, below }: Blanks) -> [Span; 2] {
    let (source, extent) = (stream.source(), stream.entry(entry).extent());
    let is_blank = |line: &&str| line.trim_ascii().is_empty() && line.ends_with('\n');
    let (before, after) = (&source[..extent.start as usize], &source[extent.end as usize..]);
    let length = |lines: &mut dyn Iterator<Item = &str>| lines.map(|line| line.len() as u32).sum::<u32>();
    let over = length(&mut before.split_inclusive('\n').rev().take_while(is_blank).take(above));
    let under = length(&mut after.split_inclusive('\n').take_while(is_blank).take(below));
    [Span::new(extent.start - over, extent.start), Span::new(extent.end, extent.end + under)]
}
