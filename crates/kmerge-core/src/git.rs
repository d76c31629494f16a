//! One file merged for git: by structure where that is safe, line by line as git does where it is not.
//!
//! The line merge is the floor. What has no structure to merge (templates, broken YAML, other encodings, files that hold
//! conflict markers) gets it. A clean line merge that proves sound is taken as it is: no merge by structure could keep
//! more of what both sides wrote. All else is merged by structure, and that result has to prove itself as well: it must
//! parse, hold no fault that none of its inputs held, and contain every change of each side. What does not becomes a
//! conflict, never a clean result: the smallest entries around what is wrong are in conflict as a whole, and if that is
//! not enough, lines are. Where its conflicts would be far longer than those of lines, these are shown.

mod apart;
mod carried;
mod contested;
mod defect;
mod end;
mod extra_conflicts;
mod floor;
mod further;
mod hunk_choice;
mod join;
mod layout;
mod lost;
mod moved;
mod parts;
mod placed;
mod replaced;
mod structure;

use std::ops::Range;

use kyaml_ast::{ParseError, Stream};

pub use self::defect::Defect;
pub use self::lost::lost;

use self::apart::changed_by_both;
use self::carried::carried;
use self::extra_conflicts::{LineMergeWithExtraConflicts, alone_at};
use self::floor::Floor;
use self::further::further;
use self::hunk_choice::{OfGit, Reading};
use self::parts::Part;
use self::structure::Structured;

use crate::conflict::ConflictStyle;
use crate::lines::{self, Change, Division, Style, Texts};
use crate::markers::Hunk;
use crate::plan::{Decision, Plan};
use crate::proof::{Inputs, SoundnessCheck};
use crate::schema::Schema;
use crate::slots::{Side, Slots};
use crate::{is_of_template, is_template, markers};

/// Why a file was not merged by structure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A side holds zero bytes, so that it has no lines either; ours is kept.
    Binary,
    /// A side cannot be read as YAML.
    Unparseable {
        /// Which.
        side: Side,
        /// Why not.
        error: ParseError,
    },
    /// A side holds template expressions.
    Template(Side),
    /// A side holds conflict markers.
    Markers(Side),
    /// A side is larger than what is to be read as YAML.
    TooLarge(Side),
    /// Neither merge was sound.
    Unproven(Defect),
    /// Somebody wants git's merge.
    Asked,
}

/// A merged file, before it is known how disagreements are to be written.
#[derive(Debug)]
pub struct Merged<'t> {
    texts: Texts<'t>,
    body: Body<'t>,
}

#[derive(Debug)]
enum Body<'t> {
    /// Nobody disagrees.
    Clean {
        text: Vec<u8>,
        /// How many conflicts lines would have.
        solved: usize,
    },
    /// Disagreements on places of the structure, and how lines have them.
    Structure(Box<Structured<'t>>, Box<OfGit<'t>>),
    /// Merged document by document.
    Parts(Vec<Part<'t>>),
    /// Not merged at all.
    Binary,
    /// Merged line by line.
    Lines(Reason),
    /// The same with more conflicts, as nothing better proved sound, or that is less to read.
    Floor(Box<Floor<'t>>),
}

/// A merge by structure, for reports.
#[derive(Clone, Copy, Debug)]
pub struct View<'m, 't> {
    /// What was decided.
    pub plan: &'m Plan,
    /// The sides in the seats of the plan.
    pub seats: Slots<&'m Stream<'t>>,
    /// The side in the destination's seat: [`Side::Incoming`] where only theirs has changed the layout of the file.
    pub host: Side,
    /// With which byte of ours (as `dest`), base and theirs the merge starts: where a file was merged document by document, with that
    /// of the document.
    pub starts: Slots<u32>,
}

/// The text of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The whole file.
    pub text: Vec<u8>,
    /// Whether the sides disagree somewhere.
    pub conflict: bool,
}

impl Written {
    fn conflicting(text: String) -> Self {
        Self { text: text.into_bytes(), conflict: true }
    }
}

/// Merges one file.
#[must_use]
pub fn merge<'t>(texts: Texts<'t>, schema: &Schema) -> Merged<'t> {
    Merged { texts, body: body(texts, schema) }
}

impl<'t> Merged<'t> {
    /// Merges one file line by line as git does it, whatever structure it has; `reason` says why.
    #[must_use]
    pub fn by_lines(texts: Texts<'t>, reason: Reason) -> Self {
        Self { texts, body: undisputed(texts).unwrap_or(Body::Lines(reason)) }
    }

    /// Why the file was not merged by structure, if it was not although the line merge would not do.
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        match &self.body {
            Body::Parts(parts) => merged(parts).find_map(Merged::reason),
            Body::Binary => Some(&Reason::Binary),
            Body::Lines(reason) => Some(reason),
            Body::Floor(floor) => floor.reason(),
            Body::Clean { .. } | Body::Structure(..) => None,
        }
    }

    /// What would be wrong if only that was in conflict which both sides changed; `None` if nothing else is.
    #[must_use]
    pub fn contests_more(&self) -> Option<Defect> {
        match &self.body {
            Body::Parts(parts) => merged(parts).find_map(Merged::contests_more),
            Body::Structure(structured, _) => structured.contests_more().cloned().map(Defect::from),
            _ => None,
        }
    }

    /// What was decided, given the plan of a merge of the same sides by structure: what is in conflict as a whole here comes in
    /// place of what was decided about its parts there.
    #[must_use]
    pub fn decisions(&self, plan: &Plan) -> Vec<Decision> {
        contested::with_conflicts(&plan.decisions, self.conflicts_as_a_whole())
    }

    /// The conflicts of a merge by structure in which more is in conflict than the sides contest.
    fn conflicts_as_a_whole(&self) -> Vec<Decision> {
        match &self.body {
            Body::Parts(parts) => parts::conflicts_as_a_whole(self.texts, parts),
            Body::Structure(structured, _) if structured.contests_more().is_some() => structured.conflict_decisions(),
            _ => Vec::new(),
        }
    }

    /// The merges by structure that left conflicts, whether or not they were taken.
    #[must_use]
    pub fn views(&self) -> Vec<View<'_, 't>> {
        match &self.body {
            Body::Parts(parts) => {
                let merged = parts::with_starts(self.texts, parts);
                let views =
                    merged.flat_map(|(merged, starts)| merged.views().into_iter().map(move |it| View { starts, ..it }));
                views.collect()
            }
            Body::Structure(structured, _) => vec![structured.view()],
            Body::Floor(floor) => floor.view().into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Whether nobody disagrees, however it would be written.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        match &self.body {
            Body::Clean { .. } => true,
            Body::Parts(parts) => merged(parts).all(Merged::is_clean),
            _ => false,
        }
    }

    /// How many conflicts a merge of lines has of what was merged here.
    #[must_use]
    pub fn conflicts_of_lines(&self) -> usize {
        match &self.body {
            Body::Parts(parts) => merged(parts).map(Merged::conflicts_of_lines).sum(),
            Body::Clean { solved, .. } => *solved,
            Body::Structure(_, of_git) => of_git.conflicts(),
            Body::Floor(floor) => floor.by_lines().conflicts_of_git(),
            Body::Binary => 0,
            Body::Lines(_) => Division::new(self.texts).conflicts(),
        }
    }

    /// The text of the merge, and whether the sides disagree somewhere.
    #[must_use]
    pub fn write(&self, style: &ConflictStyle<'_>) -> Written {
        match style {
            ConflictStyle::Dest => self.with_side(self.texts.ours, |hunk| hunk.ours.clone()),
            ConflictStyle::Incoming => self.with_side(self.texts.theirs, |hunk| hunk.theirs.clone()),
            ConflictStyle::Base | ConflictStyle::Markers { .. } => self.written(style),
        }
    }

    /// The merge with the version of one side in every conflict.
    fn with_side(&self, whole: &[u8], side: impl Fn(&Hunk) -> Range<usize>) -> Written {
        let shown = self.written(&structure::MERGE);
        let text = match &self.body {
            Body::Binary => whole.to_vec(),
            _ if shown.conflict => markers::chosen(&shown.text, &markers::hunks(&shown.text), |hunk| Some(side(hunk))),
            _ => shown.text,
        };
        Written { text, conflict: shown.conflict }
    }

    fn written(&self, conflicts: &ConflictStyle<'_>) -> Written {
        match &self.body {
            Body::Clean { text, .. } => Written { text: text.clone(), conflict: false },
            Body::Parts(parts) => write_parts(self.texts, parts, conflicts),
            Body::Binary => {
                let kept = if matches!(conflicts, ConflictStyle::Base) { self.texts.base } else { self.texts.ours };
                Written { text: kept.to_vec(), conflict: true }
            }
            Body::Structure(structured, of_git) => structured.write(&legible(*conflicts)).map_or_else(
                || write_lines(self.texts, conflicts),
                |text| Written::conflicting(closed(text, conflicts, |style| of_git.reading(self.texts, style))),
            ),
            Body::Lines(_) => write_lines(self.texts, conflicts),
            Body::Floor(floor) => write_widened(self.texts, floor.by_lines(), conflicts),
        }
    }
}

/// The parts that both sides changed.
fn merged<'p, 't>(parts: &'p [Part<'t>]) -> impl Iterator<Item = &'p Merged<'t>> {
    parts.iter().filter_map(|part| if let Part::Merged(merged) = part { Some(&**merged) } else { None })
}

fn write_parts(texts: Texts<'_>, parts: &[Part<'_>], conflicts: &ConflictStyle<'_>) -> Written {
    let mut written = Written { text: Vec::new(), conflict: false };
    for part in parts {
        match part {
            Part::Taken(text) => written.text.extend_from_slice(text),
            Part::Merged(merged) => {
                let part = merged.written(conflicts);
                written.text.extend(part.text);
                written.conflict |= part.conflict;
            }
        }
    }
    match String::from_utf8(written.text) {
        // Each part has no more hunks than git would show of it.
        Ok(text) if written.conflict && join::has_close_hunks(&text) => {
            let of_git = |style| join::of_git(texts, &Division::new(texts), style);
            Written::conflicting(closed(text, conflicts, of_git))
        }
        Ok(text) => Written { text: text.into_bytes(), ..written },
        Err(error) => Written { text: error.into_bytes(), ..written },
    }
}

/// The same with markers that can be told from content.
fn legible(mut conflicts: ConflictStyle<'_>) -> ConflictStyle<'_> {
    if let ConflictStyle::Markers { labels, .. } = &mut conflicts {
        labels.size = labels.size.max(markers::SMALLEST);
    }
    conflicts
}

/// A text with conflicts, of which it has no more than git would show unless that means more to read, with markers of the
/// wanted size.
fn closed(text: String, conflicts: &ConflictStyle<'_>, of_git: impl Fn(Style) -> Reading) -> String {
    match conflicts {
        ConflictStyle::Markers { style, .. } => resized(join::close_hunks(text, of_git(*style)).0, conflicts),
        _ => text,
    }
}

fn resized(text: String, conflicts: &ConflictStyle<'_>) -> String {
    match conflicts {
        ConflictStyle::Markers { labels, .. } => join::resized(text, labels.size),
        _ => text,
    }
}

fn body<'t>(texts: Texts<'t>, schema: &Schema) -> Body<'t> {
    if let Some(body) = undisputed(texts) {
        return body;
    }
    if let Some(body) = parts::merge(texts, schema) {
        return body;
    }
    match streams(texts) {
        Ok(streams) => sound(texts, streams, schema),
        Err(reason) => Body::Lines(reason),
    }
}

/// What needs no merge, or can have none.
fn undisputed(texts: Texts<'_>) -> Option<Body<'_>> {
    if texts.theirs == texts.base || texts.theirs == texts.ours {
        return Some(Body::Clean { text: texts.ours.to_vec(), solved: 0 });
    }
    if texts.ours == texts.base {
        return Some(Body::Clean { text: texts.theirs.to_vec(), solved: 0 });
    }
    is_binary(texts).then_some(Body::Binary)
}

/// Whether git would take a side for binary: a zero byte stands near its start.
fn is_binary(texts: Texts<'_>) -> bool {
    const NEAR: usize = 8000;
    [texts.base, texts.ours, texts.theirs].into_iter().any(|text| text[..text.len().min(NEAR)].contains(&0))
}

/// The trees of all sides, if all of them have a structure to merge by.
fn streams(texts: Texts<'_>) -> Result<Slots<Stream<'_>>, Reason> {
    let base = tree(Side::Base, texts.base, None);
    let ours = tree(Side::Dest, texts.ours, base.as_ref().ok())?;
    let base = base?;
    let theirs = tree(Side::Incoming, texts.theirs, Some(&base))?;
    Ok(Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) })
}

/// The tree of one side, most of which may be that of a `known` one.
fn tree<'t>(side: Side, text: &'t [u8], known: Option<&Stream<'_>>) -> Result<Stream<'t>, Reason> {
    if markers::stray(text).next().is_some() {
        return Err(Reason::Markers(side));
    }
    let stream = known.map_or_else(|| Stream::parse_bytes(text), |known| known.parse_bytes_again(text));
    let stream = stream.map_err(|error| {
        let is_of_template = std::str::from_utf8(text).is_ok_and(|text| is_of_template(text, &error));
        if is_of_template { Reason::Template(side) } else { Reason::Unparseable { side, error } }
    })?;
    if is_template(&stream) { Err(Reason::Template(side)) } else { Ok(stream) }
}

/// The lines of a side in a change.
const fn lines_of(change: &Change, side: Side) -> &Range<usize> {
    match side {
        Side::Dest => &change.ours,
        Side::Base => &change.base,
        Side::Incoming => &change.theirs,
    }
}

/// What a side has in a change.
fn text_of<'t>(texts: Texts<'t>, change: &Change, side: Side) -> &'t [u8] {
    let whole = match side {
        Side::Dest => texts.ours,
        Side::Base => texts.base,
        Side::Incoming => texts.theirs,
    };
    &whole[lines_of(change, side).clone()]
}

/// The best of all merges that prove sound.
fn sound<'t>(texts: Texts<'t>, sides: Slots<Stream<'t>>, schema: &Schema) -> Body<'t> {
    let check = SoundnessCheck::new(schema);
    let division = Division::new(texts);
    let solved = division.conflicts();
    let inputs = Inputs::new(sides);
    let by_lines = clean_lines(&division, inputs.sides())
        .and_then(|text| Some(ByLines { guesses_order: check.guesses_order(&inputs, &text)?, text }));
    let by_lines = match by_lines {
        Some(ByLines { text, guesses_order: false }) => return Body::Clean { text: text.into_bytes(), solved },
        guess => guess.map(|guess| guess.text),
    };
    let structured = match Structured::merge(&division, inputs, schema) {
        Ok(structured) => structured,
        Err(inputs) => return Body::Floor(Box::new(Floor::new(division, Err(inputs), check))),
    };
    match clean(&division, &structured, by_lines, check) {
        Some(text) => Body::Clean { text, solved },
        None => in_conflict(division, structured, check),
    }
}

/// A clean line merge that proves sound.
struct ByLines {
    text: String,
    guesses_order: bool,
}

/// The first merge without a conflict that proves sound; `by_lines` is one that may be wrong about an order.
fn clean(
    division: &Division<'_>,
    structured: &Structured<'_>,
    by_lines: Option<String>,
    check: SoundnessCheck<'_>,
) -> Option<Vec<u8>> {
    // Where structure has nothing to decide about an order, lines may write what it cannot.
    let by_lines = if structured.has_conflict() { None } else { by_lines };
    let merged = structured.clean(division.texts(), check).or(by_lines);
    let merged = merged.or_else(|| carried(division, structured, check));
    merged.map(String::into_bytes).or_else(|| further(division, structured, check).map(<[u8]>::to_vec))
}

/// A merge with conflicts, written so that there is least to read.
fn in_conflict<'t>(division: Division<'t>, structured: Structured<'t>, check: SoundnessCheck<'_>) -> Body<'t> {
    let structured = match structured.sound(check) {
        Ok(structured) => structured,
        Err(structured) => return Body::Floor(Box::new(Floor::new(division, Ok(structured), check))),
    };
    let texts = division.texts();
    match Box::new(OfGit::new(texts, division)).shorter(texts, &structured, check) {
        Ok(by_lines) => Body::Floor(Box::new(Floor::shorter(by_lines, structured))),
        Err(of_git) => Body::Structure(Box::new(structured), of_git),
    }
}

/// The line merge, if it has no conflict, and nothing in it was moved by one side and deleted by the other.
fn clean_lines(division: &Division<'_>, sides: &Slots<Stream<'_>>) -> Option<String> {
    if division.conflicts() > 0 {
        return None;
    }
    let changes = division.changes();
    let is_against_removal = || {
        let is_gone = changes.iter().any(|change| change.by.is_none());
        is_gone && !alone_at(&changes, &moved::all_moved(&changed_by_both(sides))).is_empty()
    };
    if is_against_removal() {
        return None;
    }
    String::from_utf8(lines::assemble(division.texts(), &division.regions(Style::Diff3))).ok()
}

/// The text of a line merge.
fn write_lines(texts: Texts<'_>, conflicts: &ConflictStyle<'_>) -> Written {
    let style = if let ConflictStyle::Markers { style, .. } = conflicts { *style } else { Style::Diff3 };
    let merged = texts.merge(style);
    let text = match conflicts {
        ConflictStyle::Markers { labels, .. } => merged.text(labels),
        _ => merged.text_with_base(),
    };
    Written { text, conflict: merged.has_conflict() }
}

/// The text of a line merge with more conflicts.
fn write_widened(
    texts: Texts<'_>,
    by_lines: &LineMergeWithExtraConflicts<'_>,
    conflicts: &ConflictStyle<'_>,
) -> Written {
    let text = match legible(*conflicts) {
        ConflictStyle::Markers { style, labels } => {
            by_lines.with_markers(texts, style, &labels).map(|text| resized(text, conflicts).into_bytes())
        }
        _ => Some(by_lines.with_base(texts)),
    };
    text.map_or_else(|| write_lines(texts, conflicts), |text| Written { text, conflict: true })
}
