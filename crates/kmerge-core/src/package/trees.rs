//! The three trees of a package merge, as read.
//!
//! Invariants: the files of a side are sorted by path without repetition; equal bytes at the same path on two sides have
//! the same content (so that nothing equal is ever looked into).

use kyaml_ast::Span;

use super::unit::{Subject, Unit};
use crate::resource::ResourceId;
use crate::slots::{Side, Slots};

/// What stands in a file: a manifest, other text, bytes or a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content<'s>(pub(super) ContentKind<'s>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ContentKind<'s> {
    /// YAML: the whole file, and its units in source order; a `kind: List` comes before its items.
    Manifest { text: &'s str, units: Vec<Unit> },
    /// Text that is merged line by line: of another format, a template, or broken.
    Text(&'s str),
    /// Text that all sides have alike.
    Settled(&'s str),
    /// Not UTF-8.
    Binary(&'s [u8]),
    /// A symbolic link and what it names.
    Link(&'s str),
}

impl<'s> Content<'s> {
    /// A symbolic link, and what it names.
    #[must_use]
    pub const fn link(target: &'s str) -> Self {
        Self(ContentKind::Link(target))
    }

    /// The bytes of a file that all sides have alike, so that nobody looks into them.
    #[must_use]
    pub fn settled(bytes: &'s [u8]) -> Self {
        Self(match std::str::from_utf8(bytes) {
            Ok(text) => ContentKind::Settled(text),
            Err(_) => ContentKind::Binary(bytes),
        })
    }

    /// The bytes of a file; `None` for a link.
    #[must_use]
    pub const fn bytes(&self) -> Option<&'s [u8]> {
        match (&self.0, self.text()) {
            (ContentKind::Binary(bytes), _) => Some(bytes),
            (_, Some(text)) => Some(text.as_bytes()),
            (_, None) => None,
        }
    }

    /// The text of a file; `None` for a link and for what is not UTF-8.
    #[must_use]
    pub const fn text(&self) -> Option<&'s str> {
        match &self.0 {
            ContentKind::Manifest { text, .. } | ContentKind::Text(text) | ContentKind::Settled(text) => Some(text),
            ContentKind::Binary(_) | ContentKind::Link(_) => None,
        }
    }

    pub(super) const fn is_manifest(&self) -> bool {
        matches!(self.0, ContentKind::Manifest { .. })
    }

    /// The units in source order; none if it is no manifest.
    pub(super) fn units(&self) -> &[Unit] {
        if let ContentKind::Manifest { units, .. } = &self.0 { units } else { &[] }
    }

    /// Whether two files hold the same.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (ContentKind::Link(a), ContentKind::Link(b)) => a == b,
            _ => self.bytes().is_some() && self.bytes() == other.bytes(),
        }
    }
}

/// One file of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File<'s> {
    /// Relative to the package, separated by `/`.
    pub path: &'s str,
    /// What stands in it: index in [`Trees::contents`].
    pub content: u32,
    /// Whether its owner may execute it.
    pub executable: bool,
}

/// Names a unit of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitRef {
    /// The side.
    pub side: Side,
    /// Index in the side's files.
    pub file: u32,
    /// Index in the file's units.
    pub unit: u32,
}

/// The three trees.
#[derive(Clone, Debug, Default)]
pub struct Trees<'s> {
    /// Every distinct content.
    pub contents: Vec<Content<'s>>,
    /// The destination's files.
    pub dest: Vec<File<'s>>,
    /// The ancestor's files; none for a 2-way merge.
    pub base: Vec<File<'s>>,
    /// The incoming files.
    pub incoming: Vec<File<'s>>,
}

impl<'s> Trees<'s> {
    /// The files of one side.
    #[must_use]
    pub fn side(&self, side: Side) -> &[File<'s>] {
        match side {
            Side::Dest => &self.dest,
            Side::Base => &self.base,
            Side::Incoming => &self.incoming,
        }
    }

    /// The files of one side, to be filled.
    pub const fn side_mut(&mut self, side: Side) -> &mut Vec<File<'s>> {
        match side {
            Side::Dest => &mut self.dest,
            Side::Base => &mut self.base,
            Side::Incoming => &mut self.incoming,
        }
    }

    /// What stands in files with this [`File::content`].
    #[must_use]
    pub fn content(&self, index: u32) -> &Content<'s> {
        &self.contents[index as usize]
    }

    /// What stands in a file of a side.
    pub(super) fn content_of(&self, side: Side, file: u32) -> &Content<'s> {
        self.content(self.side(side)[file as usize].content)
    }

    /// The file that a unit stands in.
    #[must_use]
    pub fn file(&self, unit: UnitRef) -> File<'s> {
        self.side(unit.side)[unit.file as usize]
    }

    /// The files at places of the sides.
    pub(super) fn files(&self, at: Slots<u32>) -> Slots<File<'s>> {
        Slots::of(|side| at.get(side).map(|&file| self.side(side)[file as usize]))
    }

    /// The units of a file; none if it is no manifest.
    pub(super) fn units(&self, side: Side, file: u32) -> impl ExactSizeIterator<Item = UnitRef> + Clone + use<> {
        let count = self.content_of(side, file).units().len() as u32;
        (0..count).map(move |unit| UnitRef { side, file, unit })
    }

    /// The path of a unit's file.
    #[must_use]
    pub fn path(&self, unit: UnitRef) -> &'s str {
        self.file(unit).path
    }

    /// What a unit is called: a resource by its identity, anything else by its kind, or what it is.
    #[must_use]
    pub fn name(&self, unit: UnitRef) -> String {
        self.unit(unit).subject.to_string()
    }

    /// The identity that counts for a unit: the one that a comment claims, else its own.
    #[must_use]
    pub fn identity(&self, unit: UnitRef) -> Option<&ResourceId> {
        self.unit(unit).identity()
    }

    /// Where a unit stands in its file.
    #[must_use]
    pub fn span(&self, unit: UnitRef) -> Span {
        self.unit(unit).span
    }

    pub(super) fn unit(&self, unit: UnitRef) -> &Unit {
        &self.content_of(unit.side, unit.file).units()[unit.unit as usize]
    }

    /// The source text of a unit's node.
    #[must_use]
    pub fn text(&self, unit: UnitRef) -> &'s str {
        self.unit(unit).span.of(self.source(unit))
    }

    /// The source text of a unit with its comments and the markers around it.
    pub(super) fn extent(&self, unit: UnitRef) -> &'s str {
        self.unit(unit).extent.of(self.source(unit))
    }

    /// The source text of a unit's file.
    pub(super) fn source(&self, unit: UnitRef) -> &'s str {
        self.content_of(unit.side, unit.file).text().unwrap_or_default()
    }

    /// The source text of a unit with its comments, without the markers around it and the blank lines at its end, but for
    /// those that a block scalar keeps.
    pub(super) fn body(&self, unit: UnitRef) -> &'s str {
        let Unit { extent, span, subject, .. } = self.unit(unit);
        let source = self.source(unit);
        let text = extent.of(source).trim_start_matches('\u{feff}');
        let text = text.strip_prefix("---\r\n").or(text.strip_prefix("---\n")).unwrap_or(text);
        let start = extent.end as usize - text.len();
        let content = if *subject == Subject::Comment { start } else { start.max(span.end as usize) };
        let below = source[content..extent.end as usize].trim_end();
        let below = below.strip_suffix("...").filter(|text| text.is_empty() || text.ends_with('\n')).unwrap_or(below);
        &source[start..content + below.trim_end().len()]
    }

    /// The list that an item stands in.
    #[must_use]
    pub(crate) fn list_of(&self, unit: UnitRef) -> Option<UnitRef> {
        let item = self.unit(unit).item?;
        Some(UnitRef { unit: unit.unit - item - 1, ..unit })
    }

    /// The comments that stand on their own directly above a unit.
    pub(super) fn head(&self, unit: UnitRef) -> Option<UnitRef> {
        let above = UnitRef { unit: unit.unit.checked_sub(1)?, ..unit };
        (self.unit(above).subject == Subject::Comment).then_some(above)
    }

    pub(super) fn is_item(&self, unit: UnitRef) -> bool {
        self.unit(unit).item.is_some()
    }

    /// The items of a list.
    pub(super) fn items(&self, list: UnitRef) -> impl Iterator<Item = UnitRef> {
        let count = self.units(list.side, list.file).len() as u32;
        let behind = (list.unit + 1..count).map(move |unit| UnitRef { unit, ..list });
        behind.take_while(move |unit| self.list_of(*unit) == Some(list))
    }

    /// Whether a unit is a list that has items.
    pub(super) fn has_items(&self, unit: UnitRef) -> bool {
        self.items(unit).next().is_some()
    }
}
