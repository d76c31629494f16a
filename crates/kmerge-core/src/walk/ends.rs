//! What stands above a document's root, beside it and below it: comments and blank lines that nothing inside the root owns.
//!
//! Each place follows the four rules apart from all else; blank lines alone are no change. Where not all sides have a marker, `---`
//! or `...`, what stands on both sides of it is one place: a marker that comes or goes takes no comment away. Ignores the
//! markers themselves, which stay as the destination has them.

use kyaml_ast::{CommentSlot, Document, Edit, Entry, Newline, Node, Piece, Span, line_end, line_start};

use super::Walker;
use super::around::{Around, block_entries, root};
use super::foot::{first_column, has_room, has_room_below_new};
use crate::between::shifted;
use crate::merge::page::merged_lines;
use crate::plan::Role;
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

/// One place around a root.
type Place = fn(&Around) -> Option<Span>;

impl<'a> Walker<'a> {
    /// Resolves what stands around the roots of a document, of which `outcome` tells what became, beside `edits` inside them.
    ///
    /// A file's `headers` are left out.
    pub(crate) fn ends(
        &mut self,
        row: Slots<Document<'a>>,
        headers: Slots<Span>,
        outcome: Outcome,
        edits: &mut Vec<Edit>,
    ) {
        let room = std::mem::take(&mut self.room);
        let around = around_of(row, headers);
        if around.present().count() < Side::ALL.len() || outcome == Outcome::Conflict {
            return;
        }
        let roots = row.filter_map(root);
        let is_alike = |is: fn(Node<'a>) -> bool| roots.dest.map(is) == roots.incoming.map(is);
        let is_taken = outcome == Outcome::Take && roots.dest.is_some() && roots.incoming.is_some();
        // A comment above a scalar is a first entry's own above a collection.
        let has_head = is_alike(Node::is_block_collection) || is_taken;
        let first = roots.dest.and_then(|root| root.entries().next());
        let is_settled = !first.is_some_and(|first| self.conflicted(self.known_conflicts).any_in(first));
        if has_head && is_settled && self.is_split(around, roots) {
            self.mixed_head(around, roots, edits);
        } else {
            edits.extend(self.lines(around, |side| side.above_start));
            edits.extend(self.rest(around, |side| side.beside_start));
            edits.extend((has_head && !room.has_head).then(|| self.head(around)).into_iter().flatten());
        }
        edits.extend(self.rest(around, |side| side.behind_directives));
        edits.extend(self.beside_root(around, roots, is_taken));
        let has_room = |text: &str| match (roots.dest, roots.incoming) {
            (Some(dest), Some(_)) if outcome == Outcome::Keep => has_room(dest, text),
            (Some(_), Some(incoming)) => {
                let is_left = || first_column(text).is_none_or(|column| column == 0);
                has_room_below_new(incoming, (0, 0), text) && (!incoming.kind().is_block_scalar() || is_left())
            }
            _ => true,
        };
        if self.is_mixed(around, |side| side.behind_end) {
            edits.extend(self.mixed_foot(around, has_room));
        } else if room.has_foot {
            edits.extend(self.rest(around, |side| side.behind_end));
        } else {
            let foot = self.place(around, |side| side.foot, has_room);
            edits.extend(foot.map(|(old, text)| self.put(old, &moved(&text, roots, is_taken))));
            edits.extend(self.rest(around, |side| side.behind_end));
        }
    }

    /// Says what the roots of a document own that is about to be merged: what stands around block collections is merged with
    /// what stands between their entries.
    pub(crate) fn enter(&mut self, row: Slots<Document<'a>>, headers: Slots<Span>) {
        let around = around_of(row, headers);
        let roots = row.filter_map(root);
        let is_block =
            roots.present().count() == Side::ALL.len() && roots.present().all(|(_, root)| root.is_block_collection());
        if !is_block {
            self.room = super::Room::default();
            return;
        }
        let is_split = self.is_split(around, roots);
        let has_head = !is_split && !self.is_mixed(around, |side| side.below_properties);
        let has_foot = !self.is_mixed(around, |side| side.behind_end);
        let span = |side: Side| {
            let (around, root) = (around.get(side)?, roots.get(side)?);
            let (first, last) = (root.entries().next()?, root.entries().last()?);
            let source = root.stream().source();
            let head = if has_head { around.below_properties.or(around.head) } else { None };
            let head = head.map(|head| without_blanks(source, head).start);
            let own = if is_split { line_start(source, first.start()) } else { first.extent().start };
            let foot = if has_foot { around.foot } else { None };
            let foot = foot.map(|foot| without_blanks(source, foot).end);
            Some(Span::new(head.unwrap_or(own), foot.unwrap_or(last.extent().end)))
        };
        self.room = super::Room { spans: Slots::of(span), has_head, has_foot };
    }

    /// Whether what stands above a root is on both sides of a marker that not all sides have at that place.
    fn is_split(&self, around: Slots<Around>, roots: Slots<Node<'a>>) -> bool {
        self.is_mixed(around, |side| side.above_start) || self.is_across(around, roots)
    }

    /// Resolves what stands above the first `---` of all sides' files; the text that comes in its place.
    pub(crate) fn header(&mut self, spans: Slots<Span>) -> Option<String> {
        self.resolved(&spans.map(|span| vec![span]), |_| true)
    }

    /// Resolves whole lines.
    fn lines(&mut self, around: Slots<Around>, place: Place) -> Option<Edit> {
        let (old, text) = self.place(around, place, |_| true)?;
        Some(self.put(old, &text))
    }

    /// Resolves the rest of a line, and what stands below it.
    fn rest(&mut self, around: Slots<Around>, place: Place) -> Option<Edit> {
        let (span, text) = self.place(around, place, |_| true)?;
        // Right behind a header it is a comment, behind other text it is none.
        let space = if text.starts_with('#') { " " } else { "" };
        Some(Edit::Text { span, text: format!("{space}{}", text.trim_end()) })
    }

    /// Resolves the comment beside a root, which gives way to the incoming one or stays.
    fn beside_root(&mut self, around: Slots<Around>, roots: Slots<Node<'a>>, is_taken: bool) -> Option<Edit> {
        let Slots { dest: Some(old), incoming: Some(new), .. } = roots else { return None };
        let (comment, source) = (around.dest?.beside_root?, old.stream().source());
        let has_place = !old.is_block_collection() && around.incoming?.beside_root.is_some();
        if has_place && self.is_in_foot(around) {
            return None;
        }
        if !is_taken || has_place {
            let is_alike = old.is_block_collection() == new.is_block_collection();
            let around =
                around.map(|side| Around { beside_root: side.beside_root.or(is_taken.then(Span::default)), ..side });
            return (is_taken || is_alike).then(|| self.rest(around, |side| side.beside_root)).flatten();
        }
        // What comes has its own with it, or none.
        let places = around.map(|side| vec![side.beside_root.unwrap_or_default()]);
        self.resolved(&Slots { incoming: Some(vec![Span::default()]), ..places }, |_| true)?;
        let is_alone = line_start(source, comment.end) == old.full_span().start;
        let end = if is_alone { line_end(source, comment.end) } else { comment.end };
        Some(Edit::Text { span: Span::new(comment.start, end), text: String::new() })
    }

    /// Whether both sides put a comment beside a root that had none, and the destination has the incoming one below the root:
    /// an earlier merge put it there.
    fn is_in_foot(&self, around: Slots<Around>) -> bool {
        let text = |side: Side, place: Place| self.joined(side, &present([around.get(side).and_then(place)]));
        let [dest, base, incoming] = Side::ALL.map(|side| text(side, |around| around.beside_root));
        let foot = text(Side::Dest, |around| around.foot);
        let Some(new) = comments(&incoming).next() else { return false };
        comments(&dest).next().is_some() && comments(&base).next().is_none() && comments(&foot).any(|line| line == new)
    }

    /// What becomes of one place, as whole lines; `None` where it stays.
    fn place(&mut self, around: Slots<Around>, place: Place, fits: impl Fn(&str) -> bool) -> Option<(Span, String)> {
        let spans = around.filter_map(|side| place(&side));
        Some((spans.dest?, self.resolved(&spans.map(|span| vec![span]), fits)?))
    }

    /// Resolves what stands above a root, and below its properties where they have lines of their own.
    fn head(&mut self, around: Slots<Around>) -> Vec<Edit> {
        let [head, below]: [Place; 2] = [|side| side.head, |side| side.below_properties];
        if !self.is_mixed(around, below) {
            return [head, below].into_iter().filter_map(|place| self.lines(around, place)).collect();
        }
        let places = around.map(|side| present([head(&side), below(&side)]));
        let text = self.resolved(&places, |_| true);
        let (Some(text), Some(old)) = (text, places.dest) else { return Vec::new() };
        old.first().map_or_else(Vec::new, |into| self.put_all(*into, &old, &text))
    }

    /// Resolves what stands above a root where some side has no `---`. What the first entry owns is part of that.
    fn mixed_head(&mut self, around: Slots<Around>, roots: Slots<Node<'a>>, edits: &mut Vec<Edit>) {
        let beside: Place = |side| side.beside_start;
        let is_apart = !self.is_mixed(around, beside);
        edits.extend(is_apart.then(|| self.rest(around, beside)).flatten());
        let places = around.map(|side| {
            let beside = if is_apart { None } else { beside(&side) };
            present([side.above_start, beside, side.head, side.below_properties])
        });
        let first = roots.filter_map(|root| block_entries(root).next());
        let leads = first.filter_map(Entry::lead);
        let mut whole = places.clone();
        for (side, lead) in leads.present() {
            whole.set(side, places.get(side).into_iter().flatten().copied().chain([*lead]).collect());
        }
        let text = self.across(&whole, |_| true);
        if let Some(first) = first.dest {
            set_lead(first, leads.dest.is_some() && text.is_none(), edits);
        }
        let (Some(text), Some(dest), Some(old)) = (text, around.dest, places.dest) else { return };
        let above = dest.above_start.filter(|above| leads.dest.is_none() && self.has_comments(*above));
        let into = above.or(dest.head).or(dest.above_start);
        edits.extend(into.map(|into| self.put_all(into, &old, &text)).into_iter().flatten());
    }

    /// Resolves what stands below a root where some side has no `...`.
    fn mixed_foot(&mut self, around: Slots<Around>, has_room: impl Fn(&str) -> bool) -> Vec<Edit> {
        let Some(dest) = around.dest else { return Vec::new() };
        let places = around.map(|side| present([side.foot, side.behind_end]));
        let is_free =
            |behind: &Span| dest.foot.is_none_or(|foot| !self.has_comments(foot) && self.has_comments(*behind));
        let behind = dest.behind_end.filter(is_free);
        let Some(text) = self.across(&places, |text| behind.is_some() || has_room(text)) else { return Vec::new() };
        // The line of the marker goes with it.
        let has_foot = around.incoming.and_then(|side| side.foot).is_some_and(|foot| !foot.is_empty());
        let text = if has_foot { &text } else { text.strip_prefix(self.newline()).unwrap_or(&text) };
        match (behind, dest.foot, places.dest) {
            (Some(span), ..) => vec![Edit::Text { span, text: format!("{}{}", self.newline(), text.trim_end()) }],
            (None, Some(foot), Some(old)) => self.put_all(foot, &old, text),
            _ => Vec::new(),
        }
    }

    /// What becomes of places that are one, as whole lines; `None` where they stay, or what comes does not fit.
    fn resolved(&mut self, places: &Slots<Vec<Span>>, fits: impl Fn(&str) -> bool) -> Option<String> {
        let texts = Slots::of(|side| Some(self.joined(side, places.get(side)?)));
        self.of_places(places, &texts, fits)
    }

    /// The same of places around a marker: what stands on its line is a line of its own, which starts at the left.
    fn across(&mut self, places: &Slots<Vec<Span>>, fits: impl Fn(&str) -> bool) -> Option<String> {
        let texts = Slots::of(|side| Some(self.flush(side, places.get(side)?)));
        self.of_places(places, &texts, fits)
    }

    fn of_places(
        &mut self,
        places: &Slots<Vec<Span>>,
        texts: &Slots<String>,
        fits: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let spans = places.as_ref().filter_map(|places| Some(places.first()?.cover(*places.last()?)));
        if spans.present().count() < Side::ALL.len() { None } else { self.decided(texts, spans, same_comments, fits) }
    }

    /// What becomes of the destination's lines of one place, under the four rules; `None` where they stay.
    pub(super) fn decided(
        &mut self,
        texts: &Slots<String>,
        spans: Slots<Span>,
        same: fn(&str, &str) -> bool,
        fits: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let texts = texts.as_ref().map(String::as_str);
        let (outcome, rule) = resolve(texts, self.policy.comments, same);
        if matches!(rule, Rule::Agreed | Rule::OnlyDest) {
            return None;
        }
        let new = texts.incoming?.to_owned();
        let versions = if rule == Rule::BothChanged { texts.dest.zip(texts.base) } else { None };
        let (outcome, rule, text) = match versions.and_then(|(dest, base)| merged_lines(dest, Some(base), &new)) {
            Some(text) => (Outcome::Take, Rule::Merged, text),
            None => (outcome, rule, new),
        };
        let outcome = if outcome == Outcome::Take && fits(&text) { Outcome::Take } else { Outcome::Keep };
        self.tell(Role::Gap, outcome, rule, spans);
        (outcome == Outcome::Take).then_some(text)
    }

    /// The lines of places of a side.
    fn joined(&self, side: Side, places: &[Span]) -> String {
        let source = self.streams.get(side).map_or("", |stream| stream.source());
        let lines = places.iter().flat_map(|place| place.of(source).lines());
        lines.flat_map(|line| [line, self.newline()]).collect()
    }

    /// The lines of places of a side, the rest of a line without blanks before it.
    fn flush(&self, side: Side, places: &[Span]) -> String {
        let source = self.streams.get(side).map_or("", |stream| stream.source());
        let text = |place: &Span| {
            let lines = self.joined(side, &[*place]);
            let before = Span::new(line_start(source, place.start), place.start).of(source);
            let is_rest = !before.trim_start_matches('\u{feff}').is_empty();
            if is_rest { lines.trim_start_matches([' ', '\t']).to_owned() } else { lines }
        };
        places.iter().map(text).collect()
    }

    /// Puts lines into one of the destination's places, and nothing into the others.
    fn put_all(&self, into: Span, places: &[Span], text: &str) -> Vec<Edit> {
        let others = places.iter().filter(|place| **place != into && !place.is_empty());
        let empty = others.map(|place| Edit::Text { span: *place, text: String::new() });
        empty.chain([self.put(into, text)]).collect()
    }

    /// Puts lines into the destination's place.
    fn put(&self, span: Span, text: &str) -> Edit {
        let source = self.streams.dest.map_or("", |stream| stream.source());
        let is_below_text = span.start as usize == source.len() && !source.ends_with('\n');
        let first = if is_below_text { self.newline() } else { "" };
        Edit::Text { span, text: format!("{first}{text}") }
    }

    fn newline(&self) -> &'static str {
        self.streams.dest.map_or(Newline::Lf, |stream| Newline::of(stream.source())).as_str()
    }

    /// Whether a place of the destination has comments.
    fn has_comments(&self, place: Span) -> bool {
        comments(&self.joined(Side::Dest, &[place])).next().is_some()
    }

    /// Whether both sides have the same comments above a root, one above `---` and the other below it.
    fn is_across(&self, around: Slots<Around>, roots: Slots<Node<'a>>) -> bool {
        let text = |side: Side| {
            let own = around.get(side)?;
            let lead = roots.get(side).copied().and_then(|root| block_entries(root).next()).and_then(Entry::lead);
            let above = self.joined(side, &present([own.above_start]));
            Some((above, self.joined(side, &present([own.head, own.below_properties, lead]))))
        };
        let (Some(dest), Some(incoming)) = (text(Side::Dest), text(Side::Incoming)) else { return false };
        let is_bare = |text: &str| comments(text).next().is_none();
        is_bare(&dest.0) == is_bare(&incoming.1)
            && is_bare(&dest.1) == is_bare(&incoming.0)
            && is_bare(&dest.0) != is_bare(&dest.1)
            && same_comments(&(dest.0 + &dest.1), &(incoming.0 + &incoming.1))
    }

    /// Whether some side has comments at a place that another does not have.
    fn is_mixed(&self, around: Slots<Around>, place: Place) -> bool {
        let places = around.filter_map(|side| place(&side));
        let mut texts = places.present().map(|(side, place)| self.joined(side, &[*place]));
        places.present().count() < Side::ALL.len() && texts.any(|text| comments(&text).next().is_some())
    }
}

/// The places around a document on each side, without the `headers` of files.
fn around_of(row: Slots<Document<'_>>, headers: Slots<Span>) -> Slots<Around> {
    let mut around = row.map(Around::of);
    for (side, header) in headers.present() {
        if let Some(own) = around.get(side).filter(|own| own.above_start == Some(*header)) {
            around.set(side, Around { above_start: None, ..*own });
        }
    }
    around
}

/// Lines without the blank ones at both ends, which belong to the document.
fn without_blanks(source: &str, lines: Span) -> Span {
    let text = lines.of(source);
    let blank = |line: &&str| line.trim().is_empty();
    let above: usize = text.split_inclusive('\n').take_while(blank).map(str::len).sum();
    let below: usize = text[above..].split_inclusive('\n').rev().take_while(blank).map(str::len).sum();
    Span::new(lines.start + above as u32, lines.end - below as u32)
}

fn present<const N: usize>(places: [Option<Span>; N]) -> Vec<Span> {
    places.into_iter().flatten().collect()
}

/// Lines below the incoming root as they stand below what becomes of the destination's: deeper, they would be its last entry's.
fn moved(lines: &str, roots: Slots<Node<'_>>, is_taken: bool) -> String {
    let blocks = roots.filter_map(|root| root.is_block_collection().then_some(root));
    let (Some(dest), Some(incoming)) = (roots.dest, blocks.incoming) else { return lines.to_owned() };
    let column = if is_taken || blocks.dest.is_none() { 0 } else { dest.column() };
    shifted(lines, incoming.column(), column, Newline::of(dest.stream().source()))
}

/// Lets the destination's first entry have its own lead comment, or none, whatever else becomes of it.
fn set_lead(first: Entry<'_>, is_kept: bool, edits: &mut Vec<Edit>) {
    let slot = CommentSlot::Lead;
    let from = is_kept.then(|| (Side::Dest.stream(), first.id()));
    edits.retain(
        |edit| !matches!(edit, Edit::SetComment { entry, slot: CommentSlot::Lead, .. } if *entry == first.id()),
    );
    let mut is_there = true;
    for edit in edits.iter_mut() {
        match edit {
            Edit::Rewrite { entry, pieces } if *entry == first.id() => {
                for piece in pieces {
                    let Piece::Entry(graft) = piece else { continue };
                    let entry = graft.part;
                    graft.edits.push(Edit::SetComment { entry, slot, from });
                }
                is_there = false;
            }
            Edit::Remove { entry } if *entry == first.id() => is_there = false,
            _ => {}
        }
    }
    if is_there && !is_kept && first.lead().is_some() {
        edits.push(Edit::SetComment { entry: first.id(), slot, from });
    }
}

/// Whether two texts hold the same comments, blank lines aside.
fn same_comments(a: &str, b: &str) -> bool {
    comments(a).eq(comments(b))
}

fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}
