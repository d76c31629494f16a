//! Bytes that no edit is about stay as they are.

use kyaml_ast::{
    CommentSlot, Document, Edit, Entry, EntryId, Kind, Node, NodeId, Parents, Position, Span, Stream, line_end,
    line_start,
};

use crate::{Broken, law};

/// Where new fields stand of a file that ends without a line break: above the entries that end it, instead of below.
fn above_the_end(stream: &Stream<'_>) -> Vec<Span> {
    let mut places = Vec::new();
    if stream.source().ends_with(['\n', '\r']) {
        return places;
    }
    let mut node = stream.documents().last().and_then(Document::root);
    while let Some(collection) = node {
        let entries: Vec<_> = collection.entries().collect();
        let [before @ .., last] = entries.as_slice() else { break };
        places.extend(before.last().map(|before| Span::at(before.extent().end)));
        places.push(Span::at(last.extent().start));
        node = Some(last.value());
    }
    places
}

/// Checks that `result` is `stream`'s source with nothing changed but inside the places of `edits`.
pub(crate) fn outside(stream: &Stream<'_>, edits: &[Edit], result: &str) -> Result<(), Broken> {
    let source = stream.source();
    let end = source.len() as u32;
    let places = Places { stream, parents: Parents::of(stream) };
    let mut regions: Vec<Span> = edits.iter().map(|edit| places.of(edit, edits)).collect();
    regions.extend(edits.iter().flat_map(|edit| places.deep_leads(edit)));
    regions.extend(edits.iter().flat_map(|edit| places.bare_keys(edit)));
    regions.extend(edits.iter().flat_map(|edit| places.blanks_below(edit)));
    // An alias gives way to what it refers to when that goes.
    let all = crate::random::entries(stream);
    let is_alias = |id: &&EntryId| {
        let is_alias = |node: NodeId| stream.node(node).kind() == Kind::Alias;
        is_alias(id.value) || id.key.is_some_and(is_alias)
    };
    regions.extend(
        all.iter()
            .filter(is_alias)
            .map(|id| places.around(stream.node(id.collection)).unwrap_or_else(|| stream.entry(*id).extent())),
    );
    regions.extend(above_the_end(stream));
    // A final newline may come or go with the last line.
    regions.push(Span::new(source.trim_end_matches(['\r', '\n']).len() as u32, end));
    regions.sort();
    let mut rest = result;
    let mut at = 0;
    for (index, region) in regions.iter().enumerate() {
        if region.start > at {
            let mut kept = Span::new(at, region.start).of(source);
            let is_last = tiles_the_rest(source, &regions[index..]);
            if is_last && !source.ends_with('\n') {
                kept = kept.trim_end_matches(['\r', '\n']);
            }
            let mut found = if index == 0 { rest.starts_with(kept).then_some(0) } else { rest.find(kept) };
            if found.is_none() && index > 0 {
                kept = without_blank_lines(kept);
                // The rest of a blank line, which a region cuts.
                let is_cut = region.start == end || source[region.start as usize..].starts_with(['\r', '\n']);
                let is_line = line_start(source, region.start) >= region.start - kept.len() as u32;
                kept = if is_cut && is_line && kept.trim_ascii().is_empty() { "" } else { kept };
                found = rest.find(kept);
            }
            // Blank lines look alike: which of them it is, is seen by what follows.
            let found = found.map(|found| if kept.trim_ascii().is_empty() { (0, "") } else { (found, kept) });
            let Some((found, kept)) = found else {
                return law(false, || format!("{kept:?} is not kept, between the edits in {regions:?}"));
            };
            rest = &rest[found + kept.len()..];
        }
        at = at.max(region.end);
    }
    let kept = without_blank_lines(Span::new(at, end).of(source));
    law(rest.ends_with(kept), || format!("{kept:?} is not kept at the end"))
}

struct Places<'t> {
    stream: &'t Stream<'t>,
    parents: Parents,
}

impl<'t> Places<'t> {
    /// The bytes that an edit may change.
    fn of(&self, edit: &Edit, edits: &[Edit]) -> Span {
        match edit {
            Edit::ReplaceValue { entry, .. } => self.value(self.stream.entry(*entry)),
            Edit::ReplaceRoot { root, .. } => self.document(*root),
            Edit::ReplaceKey { entry, .. } => {
                let entry = self.stream.entry(*entry);
                entry.key().map_or(entry.span(), |key| self.around(entry.collection()).unwrap_or(key.full_span()))
            }
            Edit::Insert { collection, position, .. } => self.insertion(self.stream.node(*collection), *position),
            Edit::Remove { entry } => self.removal(self.stream.entry(*entry), edits),
            Edit::Rewrite { entry, .. } => {
                let entry = self.stream.entry(*entry);
                let extent = entry.extent();
                self.around(entry.collection()).unwrap_or(Span::new(self.blanks(extent.start), extent.end))
            }
            Edit::SetComment { entry, slot, .. } => self.comment(self.stream.entry(*entry), *slot),
            Edit::InsertDocuments { after, .. } => {
                // Below the byte order mark that starts a line, before which only blank lines and comments stand.
                let source = self.stream.source();
                let is_first =
                    |mark: &u32| source[line_start(source, *mark) as usize..*mark as usize].trim().is_empty();
                let mark = source.find('\u{feff}').map(|mark| mark as u32).filter(is_first).map_or(0, |mark| mark + 3);
                let first = self.stream.documents().find_map(Document::root).map(|root| root.full_span().start);
                let start = if first.is_none_or(|first| mark <= first) { mark } else { 0 };
                let found = self.stream.documents().find(|document| Some(document.id()) == *after);
                found.map_or(Span::at(start), |document| Span::at(document.span().end))
            }
            Edit::RemoveDocument { document } => {
                let found = self.stream.documents().find(|it| it.id() == *document);
                found.map_or(Span::at(0), Document::span)
            }
            Edit::Text { span, .. } => *span,
            _ => Span::new(0, self.stream.source().len() as u32),
        }
    }

    /// The indentation of comments above a first entry that are deeper than it. Below a block scalar they would be its text
    /// (`l-empty`, `s-indent(n)` and the lines of `l-literal-content(n,t)`), so they move to the entry's column.
    fn deep_leads(&self, edit: &Edit) -> Vec<Span> {
        let source = self.stream.source();
        let Edit::Insert { collection, position, .. } = edit else { return Vec::new() };
        // What comes behind the last line, if that has no line break, stands above it.
        if *position != Position::First && source.ends_with(['\n', '\r']) {
            return Vec::new();
        }
        let first = self.stream.node(*collection).entries().next();
        let Some((entry, lead)) = first.and_then(|entry| Some((entry, entry.lead()?))) else { return Vec::new() };
        let start = line_start(source, lead.start);
        let lines = Span::new(start, lead.end).of(source).split_inclusive('\n').scan(start, |at, line| {
            let start = *at;
            *at += line.len() as u32;
            Some(Span::new(start, start + (line.len() - line.trim_start_matches([' ', '\t']).len()) as u32))
        });
        lines.filter(|blanks| blanks.len() > entry.column() || blanks.of(source).contains('\t')).collect()
    }

    /// Blanks below an entry that are no longer blanks below a block scalar: those of blank lines would be its text, and tabs may
    /// not stand before a comment (`l-trail-comments(n)` starts with `s-indent-less-than(n)`).
    fn blanks_below(&self, edit: &Edit) -> Vec<Span> {
        let source = self.stream.source();
        let entry = match edit {
            Edit::Insert { position: Position::After(entry), .. } => Some(*entry),
            _ => edit.entry(),
        };
        let Some(end) = entry.map(|entry| self.stream.entry(entry).extent().end) else { return Vec::new() };
        let rest = &source[end as usize..];
        let blanks = &rest[..rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len()];
        let (lines, last) = blanks.split_at(blanks.rfind('\n').map_or(0, |line| line + 1));
        let at = end + lines.len() as u32;
        let lines = lines.contains([' ', '\t']).then_some(Span::new(end, at));
        let last = last.contains('\t').then_some(Span::new(at, at + last.len() as u32));
        lines.into_iter().chain(last).collect()
    }

    /// Where `:` comes below a key, which it must not lack if the next entry starts with one
    /// (`l-block-map-explicit-value(n)` would be the next entry).
    fn bare_keys(&self, edit: &Edit) -> Vec<Span> {
        let collection = match edit {
            Edit::Insert { collection, .. } => *collection,
            Edit::Remove { entry } | Edit::Rewrite { entry, .. } => entry.collection,
            _ => return Vec::new(),
        };
        let is_bare = |entry: &Entry<'_>| {
            entry.indicator().is_empty() && entry.key().is_some_and(kyaml_ast::Node::is_explicit_key)
        };
        self.stream.node(collection).entries().filter(is_bare).map(|entry| Span::at(entry.extent().end)).collect()
    }

    /// Start of the blanks before byte `at`.
    fn blanks(&self, at: u32) -> u32 {
        self.stream.source()[..at as usize].trim_end_matches([' ', '\t']).len() as u32
    }

    fn holder(&self, node: NodeId) -> Option<Entry<'t>> {
        self.parents.holder(self.stream, node).map(|id| self.stream.entry(id))
    }

    /// The place of the outermost flow collection that `node` is or lies in.
    fn around(&self, node: Node<'_>) -> Option<Span> {
        let mut outermost = None;
        let mut id = node.id();
        loop {
            if self.stream.node(id).is_flow() {
                outermost = Some(id);
            }
            match self.parent(id) {
                Some(next) => id = next,
                None => break,
            }
        }
        let outermost = outermost?;
        let region = self.holder(outermost).map(Entry::extent);
        Some(region.unwrap_or_else(|| self.document(outermost)))
    }

    fn parent(&self, id: NodeId) -> Option<NodeId> {
        let all = crate::random::entries(self.stream);
        all.iter().find(|entry| entry.value == id || entry.key == Some(id)).map(|entry| entry.collection)
    }

    fn value(&self, entry: Entry<'_>) -> Span {
        self.around(entry.collection()).unwrap_or_else(|| {
            let start = if entry.indicator().is_empty() { entry.start() } else { entry.indicator().end };
            Span::new(start, entry.extent().end)
        })
    }

    fn document(&self, node: NodeId) -> Span {
        let span = self.stream.node(node).span();
        let holding = |it: &Document<'_>| it.span().contains(span);
        self.stream.documents().find(holding).map_or(span, Document::span)
    }

    fn insertion(&self, node: Node<'_>, position: Position) -> Span {
        if let Some(span) = self.around(node) {
            return span;
        }
        match position {
            Position::After(entry) => Span::at(self.stream.entry(entry).extent().end),
            Position::First => node.entries().next().map_or(node.span(), |first| {
                let start = first.start();
                if first.starts_line() { Span::at(first.extent().start) } else { Span::new(self.blanks(start), start) }
            }),
        }
    }

    fn removal(&self, entry: Entry<'_>, edits: &[Edit]) -> Span {
        let collection = entry.collection();
        if let Some(span) = self.around(collection) {
            return span;
        }
        let is_removed = |id: EntryId| edits.iter().any(|edit| matches!(edit, Edit::Remove { entry } if *entry == id));
        if collection.entries().all(|entry| is_removed(entry.id())) {
            return match self.holder(collection.id()) {
                Some(holder) => self.value(holder),
                None => self.document(collection.id()),
            };
        }
        if entry.starts_line() {
            return entry.extent();
        }
        let next = collection.entries().find(|next| next.start() > entry.start() && !is_removed(next.id()));
        // The next one stays below where it has a comment above, and blanks behind the indicator are of no use then.
        Span::new(
            self.blanks(entry.start()),
            next.map_or(entry.extent().end, |next| next.extent().start.max(next.start())),
        )
    }

    fn comment(&self, entry: Entry<'_>, slot: CommentSlot) -> Span {
        if let Some(span) = self.around(entry.collection()) {
            return span;
        }
        let source = self.stream.source();
        match slot {
            CommentSlot::Lead => {
                let start = if entry.starts_line() { entry.extent().start } else { line_start(source, entry.start()) };
                Span::new(start, entry.start())
            }
            CommentSlot::Trail => {
                let end = entry.extent().end.max(line_end(source, entry.span().end));
                Span::new(entry.indicator().end.min(end), end)
            }
        }
    }
}

/// A text without the blank lines at its start, which go where a block scalar would keep them.
fn without_blank_lines(text: &str) -> &str {
    let blank = text.len() - text.trim_start().len();
    &text[text[..blank].rfind('\n').map_or(0, |newline| newline + 1)..]
}

/// Whether regions, sorted, leave nothing between them but blanks.
fn tiles_the_rest(source: &str, regions: &[Span]) -> bool {
    let mut end = u32::MAX;
    regions.iter().all(|region| {
        let is_blank = |from: u32| source[from as usize..region.start as usize].trim().is_empty();
        let is_next = end == u32::MAX || region.start <= end || is_blank(end);
        end = if end == u32::MAX { region.end } else { end.max(region.end) };
        is_next
    })
}
