//! What the generators build: YAML with every choice of layout spelled out.
//!
//! A model prints to one text only, so a variant of it differs from the original in what was changed and nowhere else.
//! Every model is printable: where a node's own layout is impossible (a block scalar in a flow collection, say), the
//! printer and the event writer take the same way out, [`Scalar::shown`] and [`Layout::is_flow`].

/// A node with its properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node {
    pub(crate) anchor: Option<String>,
    pub(crate) tag: Option<&'static str>,
    pub(crate) content: Content,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Content {
    /// Nothing is written.
    #[default]
    Empty,
    Alias(String),
    Scalar(Scalar),
    Mapping(Vec<Entry>, Layout),
    Sequence(Vec<Entry>, Layout),
}

/// A pair or an item.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Entry {
    /// Lines above the entry.
    pub(crate) lead: Vec<Line>,
    /// `None` for items.
    pub(crate) key: Option<Key>,
    pub(crate) gap: Gap,
    pub(crate) value: Node,
    pub(crate) trail: Option<Comment>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub(crate) node: Node,
    /// Introduced by `?`.
    pub(crate) explicit: bool,
}

/// What separates an indicator from a value on the same line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Gap {
    Spaces(usize),
    Tab,
}

impl Default for Gap {
    fn default() -> Self {
        Self::Spaces(1)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line {
    Blank,
    /// A comment on a line of its own, `outdent` columns left of its entry.
    Comment {
        text: String,
        outdent: usize,
    },
}

/// A comment after something, `gap` blanks away from it. The text includes `#`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comment {
    pub(crate) text: String,
    pub(crate) gap: usize,
}

/// How a collection is laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layout {
    pub(crate) form: Form,
    /// Columns by which the collection is indented further than its parent. A block sequence that is a mapping's value
    /// may have 0, all others at least 1.
    pub(crate) step: usize,
    /// Whether the first entry stands on the line of the `-` before it.
    pub(crate) inline: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Block,
    /// `{a: b}`
    Tight,
    /// `{ a: b }`
    Spaced,
    /// Flow with a line for each entry, and a comma after the last.
    Lines,
    /// A pair in a flow sequence without braces; for mappings with one entry.
    Pair,
}

impl Default for Layout {
    fn default() -> Self {
        Self { form: Form::Block, step: 2, inline: true }
    }
}

impl Layout {
    /// Whether a collection with `len` entries ends up in flow style.
    pub(crate) fn is_flow(self, len: usize, in_flow: bool) -> bool {
        in_flow || len == 0 || self.form != Form::Block
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scalar {
    /// The decoded text.
    pub(crate) text: String,
    pub(crate) style: Style,
    /// Words to a line where the style folds; 0 keeps everything on one line.
    pub(crate) wrap: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Single,
    Double,
    /// Double-quoted, broken by `\` at the end of lines where it wraps.
    DoubleEscaped,
    Literal,
    Folded,
}

/// What surrounds a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Around {
    Block,
    Flow,
    /// An implicit key: flow, and on one line.
    Key,
}

impl Scalar {
    pub(crate) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style, wrap: 0 }
    }

    /// The style in which the scalar is really written.
    pub(crate) fn shown(&self, around: Around) -> Style {
        match self.style {
            Style::Literal | Style::Folded if around != Around::Block || !fits_block(&self.text) => Style::Double,
            Style::Folded if !is_prose(self.text.trim_end_matches('\n')) => Style::Literal,
            Style::Plain if around != Around::Block && breaks_flow(&self.text) => Style::Double,
            Style::Plain | Style::Single if self.text.contains('\n') && !self.folds(around) => Style::Double,
            style => style,
        }
    }

    /// Words to a line that are really used.
    pub(crate) fn shown_wrap(&self, around: Around) -> usize {
        let can_wrap = match self.shown(around) {
            Style::Plain | Style::Single | Style::Double => self.folds(around),
            Style::DoubleEscaped => around != Around::Key,
            Style::Literal | Style::Folded => true,
        };
        if can_wrap { self.wrap } else { 0 }
    }

    /// Whether the scalar, plain or quoted, is written over several lines.
    fn folds(&self, around: Around) -> bool {
        self.wrap > 0 && around != Around::Key && is_prose(&self.text)
    }
}

/// Whether the lines of `text` can be folded: words, single blanks, single breaks or more, and nothing else.
fn is_prose(text: &str) -> bool {
    let is_line = |line: &str| line.split(' ').all(|word| !word.is_empty() && !word.contains(char::is_control));
    !text.starts_with('\n') && !text.ends_with('\n') && text.split('\n').all(|line| line.is_empty() || is_line(line))
}

/// Whether a block scalar carries `text`.
fn fits_block(text: &str) -> bool {
    let body = text.trim_end_matches('\n');
    let has_text = |line: &str| !line.trim_matches([' ', '\t']).is_empty();
    let first = body.split('\n').find(|line| !line.is_empty());
    let is_shown = |char: char| !char.is_control() || matches!(char, '\n' | '\t');
    body.chars().all(is_shown) && first.is_some_and(has_text) && body.rsplit('\n').next().is_some_and(has_text)
}

fn breaks_flow(text: &str) -> bool {
    text.contains([',', '[', ']', '{', '}', '?']) || text.starts_with(':')
}

impl Node {
    pub(crate) fn scalar(scalar: Scalar) -> Self {
        Self { content: Content::Scalar(scalar), ..Self::default() }
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::scalar(Scalar::new(text, Style::Plain))
    }

    pub(crate) fn mapping(entries: Vec<Entry>, layout: Layout) -> Self {
        Self { content: Content::Mapping(entries, layout), ..Self::default() }
    }

    pub(crate) fn sequence(entries: Vec<Entry>, layout: Layout) -> Self {
        Self { content: Content::Sequence(entries, layout), ..Self::default() }
    }

    pub(crate) fn alias(name: impl Into<String>) -> Self {
        Self { content: Content::Alias(name.into()), ..Self::default() }
    }

    pub(crate) const fn has_properties(&self) -> bool {
        self.anchor.is_some() || self.tag.is_some()
    }
}

impl Entry {
    pub(crate) fn item(value: Node) -> Self {
        Self { value, ..Self::default() }
    }

    pub(crate) fn field(name: impl Into<String>, value: Node) -> Self {
        Self { key: Some(Key { node: Node::plain(name), explicit: false }), value, ..Self::default() }
    }
}

/// One document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Document {
    pub(crate) directive: Option<&'static str>,
    /// `---`
    pub(crate) start: bool,
    pub(crate) root: Node,
    /// Lines after the content.
    pub(crate) tail: Vec<Line>,
    /// `...`
    pub(crate) end: bool,
}

/// A generated stream of documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stream {
    pub(crate) documents: Vec<Document>,
    pub(crate) bom: bool,
    pub(crate) crlf: bool,
    /// Whether the last line break is left out, where the content allows that.
    pub(crate) cut: bool,
}

impl Stream {
    /// Sets the markers that the documents need next to each other; to be called after documents were added or moved.
    pub(crate) fn settle_markers(&mut self) {
        let mut needs_start = false;
        for at in 0..self.documents.len() {
            let next_has_directive = self.documents.get(at + 1).is_some_and(|next| next.directive.is_some());
            let document = &mut self.documents[at];
            document.start |= needs_start || document.directive.is_some() || !is_block_collection(&document.root);
            document.end |= next_has_directive;
            needs_start = !document.end;
        }
    }
}

/// Whether a root can do without `---` under every circumstance.
fn is_block_collection(root: &Node) -> bool {
    match &root.content {
        Content::Mapping(entries, layout) | Content::Sequence(entries, layout) => {
            !layout.is_flow(entries.len(), false) && !root.has_properties()
        }
        _ => false,
    }
}
