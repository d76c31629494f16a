//! Renders a graft: an entry as lines at a column, a value as an inline part and a body.

use super::block::{check_kind, is_completed, removes_all};
use super::comma::blanks_in;
use super::flow::{ends_in_indicator, in_braces, needs_braces};
use super::replacement::Tail;
use super::slot::{body_span, entries_span, has_inner_comments};
use super::{Context, SpliceError, restyle};
use crate::block_scalar::BlockScalar;
use crate::edit::{Content, Edit, Graft, Piece, StreamId};
use crate::emit;
use crate::entry::{Entry, EntryId};
use crate::indent::{Shift, indent_of, tail_indent};
use crate::parents::Seat;
use crate::quote::{double_quoted, fits_implicit_key, plain::is_like_marker};
use crate::span::Span;
use crate::tree::{Document, Kind, Node, NodeId, Stream};

/// The place where a value will hang.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'t> {
    /// Column of the entry that holds it; `None` for the root of a document.
    pub(super) column: Option<usize>,
    pub(super) is_item: bool,
    /// The column directly after the indicator, if a block collection may start there.
    pub(super) compact: Option<usize>,
    /// Whether a block collection keeps the distance from its key that it had in its own stream.
    pub(super) keeps_layout: bool,
    /// The value that it replaces.
    pub(super) replaces: Option<Node<'t>>,
}

/// A value as text: an inline part after the indicator, and whole lines below.
#[derive(Clone, Debug, Default)]
pub(super) struct Rendered {
    pub(super) inline: String,
    pub(super) body: Option<String>,
    pub(super) tail: Tail,
}

/// A node that is copied: its stream, its holder and its edits.
#[derive(Clone, Copy)]
struct Source<'g> {
    id: StreamId,
    node: Node<'g>,
    /// The entry that holds it. `None` for a root.
    holder: Option<Entry<'g>>,
    edits: &'g [&'g Edit],
}

impl Target<'_> {
    /// A place in a block collection at `column`.
    pub(super) fn entry(column: usize, is_item: bool) -> Self {
        Self {
            column: Some(column),
            is_item,
            compact: is_item.then_some(column + 2),
            keeps_layout: false,
            replaces: None,
        }
    }

    pub(super) fn base(self) -> usize {
        self.column.unwrap_or(0)
    }
}

impl Rendered {
    pub(super) fn inline(text: impl Into<String>) -> Self {
        Self { inline: text.into(), ..Self::default() }
    }

    /// The entries of a block collection as whole lines. They start directly after the indicator if they fit there.
    pub(super) fn collection(lines: String, properties: String, target: Target<'_>) -> Self {
        let tail = Tail::of(&lines);
        let starts_with_text = !lines.trim_start().starts_with('#') && !lines.starts_with(['\n', '\r']);
        if target.compact.is_some() && properties.is_empty() && starts_with_text && tail != Tail::Keep {
            let inline = lines.trim_end_matches(['\n', '\r']).trim_start_matches(' ').to_owned();
            return Self { inline, body: None, tail };
        }
        Self { inline: properties, body: Some(lines), tail }
    }
}

impl Context<'_> {
    pub(super) fn value(&self, content: &Content, target: Target<'_>) -> Result<Rendered, SpliceError> {
        match content {
            Content::Inline(text) => Ok(Rendered::inline(text.as_str())),
            Content::Block { header, body } => Ok(self.new_block_scalar(header, body, target)),
            Content::Root(Graft { stream, part, edits }) => {
                let node = self.stream(*stream)?.node(*part);
                self.node(Source { id: *stream, node, holder: None, edits: &refs(edits) }, target)
            }
            Content::Value(Graft { stream, part, edits }) | Content::Layout(Graft { stream, part, edits }) => {
                let target = Target { keeps_layout: matches!(content, Content::Layout(_)), ..target };
                let holder = self.stream(*stream)?.entry(*part);
                let (node, holder) = (holder.value(), Some(holder));
                self.node(Source { id: *stream, node, holder, edits: &refs(edits) }, target)
            }
        }
    }

    fn node(&self, from: Source<'_>, target: Target<'_>) -> Result<Rendered, SpliceError> {
        if from.node.is_block_collection() {
            return self.block_collection(from, target);
        }
        if let Some(scalar) = from.node.block_scalar() {
            return self.block_scalar(from, scalar, target);
        }
        if from.holder.is_some_and(|holder| holder.collection().is_flow()) && !restyle::is_plain_in_block(from.node) {
            return Ok(Rendered::inline(restyle::requoted(from.node)));
        }
        if self.becomes_block(from.id, from.node, from.edits) {
            let column = self.collection_column(from.node, None, target);
            let lines = self.filled(from.node, from.edits, column)?;
            return Ok(Rendered::collection(lines, properties(from.node, from.edits), target));
        }
        let mut text = self.text_of(from, target)?;
        if from.node.is_flow_pair() && !needs_braces(&own(from.node, from.edits)) {
            text = in_braces(from.node, &text);
        } else if from.edits.is_empty() {
            text = restyle::spaced(from.node, text);
        }
        let text = self.continuation(from, &text, target).tail(&text);
        // A root must not start like a document marker, or with a byte order mark.
        let is_mark = is_like_marker(&text) || text.starts_with('\u{feff}');
        let is_unsafe = target.column.is_none() && from.node.kind() == Kind::Plain && is_mark;
        Ok(Rendered::inline(if is_unsafe { restyle::requoted(from.node) } else { text }))
    }

    /// The text of a node that is copied in one piece. If the value that it replaces has comments between properties
    /// and text, these comments stay, and such comments of the new value are left out.
    fn text_of(&self, from: Source<'_>, target: Target<'_>) -> Result<String, SpliceError> {
        if !has_inner_comments(from.node) || !target.replaces.is_some_and(has_inner_comments) {
            return self.edited(from.id, from.node.full_span(), from.edits);
        }
        let text = self.edited(from.id, from.node.span(), &inside(from.node, from.edits))?;
        let properties = properties(from.node, from.edits);
        Ok([properties, text].iter().filter(|part| !part.is_empty()).map(|part| &**part).collect::<Vec<_>>().join(" "))
    }

    /// Whether edits fill empty brackets that do not stand in others: wherever they are brought, lines take their place.
    fn becomes_block(&self, id: StreamId, node: Node<'_>, edits: &[&Edit]) -> bool {
        let is_filled = node.is_flow() && node.entries().next().is_none() && !own(node, edits).is_empty();
        is_filled
            && match self.seat(id, node.id()) {
                Seat::Root => true,
                Seat::Value(holder) => node.stream().node(holder.collection).is_block_collection(),
                Seat::Key(_) => false,
            }
    }

    /// The lines, at `column`, of the block collection that empty brackets become: their comments, and what edits bring.
    pub(super) fn filled(&self, node: Node<'_>, edits: &[&Edit], column: usize) -> Result<String, SpliceError> {
        let mut lines = String::new();
        let parts = &node.stream().tape[node.id().index() + 1..node.after()];
        for record in parts.iter().filter(|record| record.kind != Kind::Close) {
            lines.extend([" ".repeat(column).as_str(), record.leaf_span().of(node.stream().source)]);
            lines.push_str(self.newline.as_str());
        }
        for edit in own(node, edits) {
            let Edit::Insert { pieces, .. } = edit else { continue };
            for piece in pieces {
                check_kind(node, piece)?;
                lines.push_str(&self.piece(piece, column)?);
            }
        }
        Ok(lines)
    }

    /// How far the lines after the first move, for a node copied in one piece.
    fn continuation(&self, from: Source<'_>, text: &str, target: Target<'_>) -> Shift {
        let is_in_flow = |holder: Entry<'_>| holder.collection().is_flow();
        match (from.holder, target.column) {
            (None, None) => self.shift(0, 0),
            (None, Some(to)) => self.shift(0, to + 2),
            (Some(holder), to) if is_in_flow(holder) => {
                self.shift(tail_indent(text).unwrap_or(0), to.map_or(1, |to| to + 2))
            }
            (Some(holder), to) => self.shift(holder.column(), to.unwrap_or(0)),
        }
    }

    fn block_scalar(&self, from: Source<'_>, scalar: BlockScalar, target: Target<'_>) -> Result<Rendered, SpliceError> {
        let node = from.node;
        let header = scalar.header.of(node.stream().source);
        let is_blank = scalar.body.of(node.stream().source).trim_matches([' ', '\r', '\n']).is_empty();
        let digit = header.bytes().find(u8::is_ascii_digit).map(|digit| usize::from(digit - b'0'));
        let to = match (digit, from.holder.map(Entry::column)) {
            (Some(digit), _) => target.base() + digit,
            (None, Some(column)) if scalar.indent > column => target.base() + scalar.indent - column,
            _ => target.base() + 2,
        };
        let mut body = self.edited(from.id, scalar.body, &inside(node, from.edits))?;
        self.end_line(&mut body);
        // A scalar without text has only line breaks. Blanks in them would be read as indentation.
        let (indent, to) = if is_blank && digit.is_none() { (usize::MAX, 0) } else { (scalar.indent, to) };
        let body = self.shift(indent, to).scalar(&body);
        let properties = properties(node, from.edits);
        let space = if properties.is_empty() { "" } else { " " };
        // A root's text may start at column 0. A comment below would then be its first line.
        let digit = if is_blank && digit.is_none() && target.column.is_none() { "2" } else { "" };
        let inline = format!("{properties}{space}{header}{digit}");
        let tail = Tail::of_scalar(node.kind(), header);
        Ok(Rendered { inline, body: (!body.is_empty()).then_some(body), tail })
    }

    fn new_block_scalar(&self, header: &str, body: &str, target: Target<'_>) -> Rendered {
        let step = target.replaces.filter(|old| old.kind().is_block_scalar()).and_then(|old| {
            let line = old.text().lines().skip(1).find(|line| !line.trim().is_empty())?;
            indent_of(line).checked_sub(target.base()).filter(|step| *step > 0)
        });
        let step = header[1..].bytes().find(u8::is_ascii_digit).map(|digit| usize::from(digit - b'0')).or(step);
        let indent = " ".repeat(target.base() + step.unwrap_or(2));
        let mut out = String::new();
        for line in body.split_inclusive('\n') {
            let content = line.strip_suffix('\n').unwrap_or(line);
            out.push_str(if content.is_empty() { "" } else { &indent });
            out.extend([content, self.newline.as_str()]);
        }
        let kind = if header.starts_with('>') { Kind::Folded } else { Kind::Literal };
        let tail = Tail::of_scalar(kind, header);
        Rendered { inline: header.to_owned(), body: (!out.is_empty()).then_some(out), tail }
    }

    fn block_collection(&self, from: Source<'_>, target: Target<'_>) -> Result<Rendered, SpliceError> {
        let properties = properties(from.node, from.edits);
        if removes_all(from.node, &own(from.node, from.edits)) {
            let brackets = if from.node.kind() == Kind::Mapping { "{}" } else { "[]" };
            let space = if properties.is_empty() { "" } else { " " };
            return Ok(Rendered::inline(format!("{properties}{space}{brackets}")));
        }
        let column = self.collection_column(from.node, from.holder.map(Entry::column), target);
        let is_changed = |id: EntryId| from.edits.iter().any(|edit| edit.entry() == Some(id));
        let unchanged = from.node.entries().filter(|entry| column == 0 && !is_changed(entry.id()));
        let quoted: Vec<Edit> = unchanged.filter_map(quoted_key).collect();
        let edits: Vec<&Edit> = from.edits.iter().copied().chain(&quoted).collect();
        let lines = self.shift(from.node.column(), column).lines(&self.lines_of(Source { edits: &edits, ..from })?);
        Ok(Rendered::collection(lines, properties, target))
    }

    /// The column for a grafted block collection: the column of the collection that it replaces. If it replaces none, a
    /// mapping keeps its distance from its holder, and a sequence below a key is indented like the other ones in the
    /// target, if there are some. With `keeps_layout`, both keep their distance even if they replace a collection.
    fn collection_column(&self, node: Node<'_>, from: Option<usize>, target: Target<'_>) -> usize {
        let Some(holder) = target.column else { return 0 };
        if let Some(column) = target.compact {
            return column;
        }
        if let Some(from) = from.filter(|_| target.keeps_layout && !target.is_item) {
            return holder + node.column().saturating_sub(from);
        }
        let is_alike = |old: &Node<'_>| old.is_block_collection() && old.kind() == node.kind();
        if let Some(old) = target.replaces.filter(is_alike) {
            return old.column();
        }
        self.new_column(node.kind(), holder, target.is_item, from.map(|from| node.column().saturating_sub(from)))
    }

    /// The column of a new block collection below an entry at `holder`. `copied` is its distance from the holder in
    /// the stream that it comes from.
    pub(super) fn new_column(&self, kind: Kind, holder: usize, is_item: bool, copied: Option<usize>) -> usize {
        let step = match kind {
            _ if is_item => 2,
            Kind::Sequence => self.style().sequence.or(copied).unwrap_or(0),
            _ => copied.filter(|copied| *copied > 0).unwrap_or_else(|| self.style().step),
        };
        holder + step
    }

    /// The lines of a block collection's entries, all complete. The first is indented like the others.
    fn lines_of(&self, from: Source<'_>) -> Result<String, SpliceError> {
        let node = from.node;
        let starts_line = node.entries().next().is_none_or(Entry::starts_line);
        let indicator = from.holder.filter(|_| starts_line).map(|holder| holder.indicator().end);
        let span = indicator.and_then(|after| body_span(node, after)).or_else(|| entries_span(node));
        let mut text = self.edited(from.id, span.unwrap_or(node.span()), &inside(node, from.edits))?;
        if !starts_line {
            text.insert_str(0, &" ".repeat(node.column()));
        }
        self.end_line(&mut text);
        Ok(text)
    }

    /// An entry as whole lines, with its `-` or key at `column`, and its lead and trail comments.
    pub(super) fn entry(&self, graft: &Graft<EntryId>, column: usize) -> Result<String, SpliceError> {
        let stream = self.stream(graft.stream)?;
        let entry = stream.entry(graft.part);
        if entry.collection().is_flow() {
            return self.flow_entry_as_lines(graft, column);
        }
        let quoted = quoted_key(entry).filter(|_| column == 0);
        let edits: Vec<&Edit> = graft.edits.iter().chain(&quoted).collect();
        let mut text = self.edited(graft.stream, entry.extent(), &edits)?;
        if !entry.starts_line() {
            text.insert_str(0, &" ".repeat(entry.column()));
        }
        self.end_line(&mut text);
        let lines = self.shift(entry.column(), column).lines(&text);
        Ok(if lines.trim_start().starts_with('#') { dedent_lead(&lines, column) } else { lines })
    }

    fn flow_entry_as_lines(&self, graft: &Graft<EntryId>, column: usize) -> Result<String, SpliceError> {
        let entry = self.stream(graft.stream)?.entry(graft.part);
        if graft.edits.is_empty() {
            return Ok(restyle::entry_lines(entry, column, self));
        }
        let text = self.edited(graft.stream, entry.span(), &refs(&graft.edits))?;
        let text = if graft.part.key.is_none() { format!("[{text}\n]") } else { format!("{{{text}\n}}") };
        let edited = Stream::parse_fragment(&text)?;
        let root = edited.documents().next().and_then(Document::root);
        let Some(new) = root.and_then(|root| root.entries().next()) else { return Ok(String::new()) };
        let source = entry.stream().source;
        let comment = |span: Option<Span>| span.map_or("", |span| span.of(source));
        let lines = restyle::entry_lines(new, column, self);
        Ok(restyle::with_comments(&lines, (comment(entry.lead()), comment(entry.trail())), column, self.newline))
    }

    /// Lines for a piece that is inserted at `column` of a block collection.
    pub(super) fn piece(&self, piece: &Piece, column: usize) -> Result<String, SpliceError> {
        let newline = self.newline.as_str();
        match piece {
            Piece::Entry(graft) => self.entry(graft, column),
            Piece::Lines(lines) => Ok(lines.clone()),
            Piece::New { key, value } => {
                let rendered = self.value(value, Target::entry(column, key.is_none()))?;
                let indent = " ".repeat(column);
                if let (None, Content::Root(_), "", Some(body)) = (key, value, &*rendered.inline, &rendered.body)
                    && let Some((lead, lines)) = head_comment(body)
                {
                    let lines = &lines[(column + 2).min(indent_of(lines))..];
                    return Ok(format!("{}{indent}- {lines}", dedent_lead(lead, column)));
                }
                let head = match key {
                    None => "-".to_owned(),
                    Some(key) if fits_implicit_key(key) => format!("{key}:"),
                    Some(key) => format!("? {}{newline}{indent}:", self.shift(0, column + 2).tail(key)),
                };
                let space = if rendered.inline.is_empty() { "" } else { " " };
                let body = rendered.body.unwrap_or_default();
                Ok(format!("{indent}{head}{space}{}{newline}{body}", rendered.inline))
            }
        }
    }

    /// A piece as text inside the flow collection `into`.
    pub(super) fn flow_piece(&self, piece: &Piece, into: Node<'_>, column: usize) -> Result<String, SpliceError> {
        let no_place = || SpliceError::NoPlace(into.span());
        match piece {
            Piece::Lines(_) => Err(no_place()),
            Piece::New { key, value } => {
                let value = self.flow_value(value, into, column)?;
                Ok(key.as_ref().map_or_else(|| value.clone(), |key| format!("{key}: {value}")))
            }
            Piece::Entry(graft) => {
                let entry = self.stream(graft.stream)?.entry(graft.part);
                if entry.collection().is_flow() {
                    if entry.lead().is_some() || entry.trail().is_some() {
                        return Err(no_place());
                    }
                    let text = self.edited(graft.stream, entry.span(), &refs(&graft.edits))?;
                    let is_pair = !entry.indicator().is_empty() || entry.key().is_some_and(Node::is_explicit_key);
                    if into.is_flow_pair() && !is_pair && !is_completed(piece) {
                        // Without braces, only a colon or a question mark makes a pair.
                        return Ok(self.flow_lines(&text, column) + " : ");
                    }
                    let space = if ends_in_indicator(entry) { " " } else { "" };
                    return Ok(self.flow_lines(&text, column) + space);
                }
                emit::flow_entry(&self.entry(graft, 0)?, blanks_in(into))?.ok_or_else(no_place)
            }
        }
    }

    /// A value as text inside the flow collection `into`, whose lines start at `column` or further right.
    pub(super) fn flow_value(&self, content: &Content, into: Node<'_>, column: usize) -> Result<String, SpliceError> {
        let is_flow = match content {
            Content::Inline(text) => return Ok(if text.is_empty() { "null".to_owned() } else { text.clone() }),
            Content::Block { .. } => false,
            Content::Root(Graft { stream, part, edits }) => self.stays_flow(*stream, *part, edits)?,
            Content::Value(Graft { stream, part, edits }) | Content::Layout(Graft { stream, part, edits }) => {
                self.stays_flow(*stream, part.value, edits)?
            }
        };
        let rendered = self.value(content, Target::entry(0, false))?;
        if is_flow {
            return Ok(self.flow_lines(&rendered.inline, column));
        }
        let newline = self.newline.as_str();
        let lines = format!("x: {}{newline}{}", rendered.inline, rendered.body.unwrap_or_default());
        emit::flow_value(&lines, blanks_in(into))?.ok_or(SpliceError::NoPlace(into.span()))
    }

    fn stays_flow(&self, id: StreamId, node: NodeId, edits: &[Edit]) -> Result<bool, SpliceError> {
        let node = self.stream(id)?.node(node);
        Ok(node.is_flow() && !self.becomes_block(id, node, &refs(edits)))
    }

    /// Text of a flow collection whose lines after the first start at `column` or further right.
    fn flow_lines(&self, text: &str, column: usize) -> String {
        let shift = |indent: usize| self.shift(indent, column).tail(text);
        tail_indent(text).map_or_else(|| text.to_owned(), shift)
    }

    pub(super) fn shift(&self, from: usize, to: usize) -> Shift {
        Shift { from, to, newline: self.newline }
    }

    fn end_line(&self, text: &mut String) {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(self.newline.as_str());
        }
    }
}

/// Puts a key in quotes that starts like a document marker or with a byte order mark: at the start of a line it needs
/// them.
fn quoted_key(entry: Entry<'_>) -> Option<Edit> {
    let key = entry.key().filter(|key| key.kind() == Kind::Plain && !key.is_explicit_key())?;
    let text = &entry.stream().source[key.full_span().start as usize..];
    (is_like_marker(text) || text.starts_with('\u{feff}'))
        .then(|| Edit::ReplaceKey { entry: entry.id(), text: double_quoted(&key.value()) })
}

/// Borrows each edit.
pub(super) fn refs(edits: &[Edit]) -> Vec<&Edit> {
    edits.iter().collect()
}

/// The edits of the node's own entries.
fn own<'e>(node: Node<'_>, edits: &[&'e Edit]) -> Vec<&'e Edit> {
    let is_own = |edit: &Edit| match edit {
        Edit::Insert { collection, .. } => *collection == node.id(),
        Edit::Remove { entry } | Edit::Rewrite { entry, .. } => entry.collection == node.id(),
        _ => false,
    };
    edits.iter().copied().filter(|edit| is_own(edit)).collect()
}

/// The edits that do not change the node's own properties.
fn inside<'e>(node: Node<'_>, edits: &[&'e Edit]) -> Vec<&'e Edit> {
    let start = node.span().start;
    let is_property = |edit: &Edit| matches!(edit, Edit::Text { span, .. } if span.start < start);
    edits.iter().copied().filter(|edit| !is_property(edit)).collect()
}

/// Anchor and tag of a node after `edits`, as they are written on the line of its indicator.
pub(super) fn properties(node: Node<'_>, edits: &[&Edit]) -> String {
    let source = node.stream().source;
    let records = &node.stream().tape[node.first_record()..node.id().index()];
    let texts = records.iter().filter(|record| record.kind != Kind::Comment).map(|record| {
        let changed = edits.iter().find_map(|edit| match edit {
            Edit::Text { span, text } if span.start == record.start => Some(text.trim_end()),
            _ => None,
        });
        changed.unwrap_or_else(|| record.leaf_span().of(source))
    });
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The comment above the first entry of a root. As a list item, the root has this comment above its `-`. `None` if
/// there is no comment, or if a blank line sets it off.
fn head_comment(lines: &str) -> Option<(&str, &str)> {
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    let len = lines.split_inclusive('\n').take_while(is_comment).map(str::len).sum();
    let (lead, rest) = lines.split_at(len);
    let starts_with_text = rest.lines().next().is_some_and(|line| !line.trim().is_empty());
    (len > 0 && starts_with_text).then_some((lead, rest))
}

/// `lines` with the comments at their start at most at `column`, and without tabs before them. A block scalar above
/// would take them for text otherwise.
fn dedent_lead(lines: &str, column: usize) -> String {
    let mut out = String::with_capacity(lines.len());
    let mut is_lead = true;
    for line in lines.split_inclusive('\n') {
        let text = line.trim_start_matches([' ', '\t']);
        is_lead &= text.starts_with('#');
        let blanks = &line[..line.len() - text.len()];
        if is_lead && (blanks.len() > column || blanks.contains('\t')) {
            out.extend(std::iter::repeat_n(' ', column));
            out.push_str(text);
        } else {
            out.push_str(line);
        }
    }
    out
}
