//! Streams as plain values: what a text means once its layout is forgotten.

use kyaml_ast::{Document, Kind, Node, NodeId, Scalar, Stream, StreamId, same_scalar};

/// Where a node comes from: a stream and a node of it, and whether that stays in its place.
pub(crate) type From = (StreamId, NodeId, bool);

/// A node without layout.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) from: Option<From>,
    pub(crate) anchor: Option<String>,
    pub(crate) tag: Option<String>,
    pub(crate) data: Data,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    Mapping(Vec<(Value, Value)>),
    Sequence(Vec<Value>),
    Scalar {
        kind: Kind,
        text: String,
    },
    Alias(String),
    /// What an alias that meant nothing at home means elsewhere.
    Anything,
}

/// Whether the order of the fields of a mapping counts: they may move where the last one has to end the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Kept,
    Free,
}

impl Value {
    /// An empty collection of the kind of `node`, or the scalar or alias that it is.
    pub(crate) fn shallow(node: Node<'_>) -> Self {
        let data = match node.kind() {
            Kind::Mapping => Data::Mapping(Vec::new()),
            Kind::Sequence => Data::Sequence(Vec::new()),
            Kind::Alias => Data::Alias(node.alias().unwrap_or_default().to_owned()),
            kind => Data::Scalar { kind, text: node.value().into_owned() },
        };
        Self {
            from: None,
            anchor: node.anchor().map(str::to_owned),
            tag: node.tag().map(|tag| full_tag(node, tag)),
            data,
        }
    }

    /// The node with everything in it.
    pub(crate) fn of(node: Node<'_>) -> Self {
        let mut value = Self::shallow(node);
        for entry in node.entries() {
            let item = Self::of(entry.value());
            match (&mut value.data, entry.key()) {
                (Data::Mapping(pairs), Some(key)) => pairs.push((Self::of(key), item)),
                (Data::Sequence(items), _) => items.push(item),
                _ => {}
            }
        }
        value
    }

    /// What the text of an inline node means.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let stream = Stream::parse(text).ok()?;
        let root = stream.documents().next()?.root().map(Self::of);
        root.or_else(|| Some(Self::null()))
    }

    pub(crate) const fn null() -> Self {
        Self { from: None, anchor: None, tag: None, data: Data::Scalar { kind: Kind::Null, text: String::new() } }
    }

    /// What a block scalar with this header and body means.
    pub(crate) fn block(header: &str, body: &str) -> Self {
        let text = body.split_inclusive('\n').fold(String::new(), |text, line| {
            let indent = if line.trim_end_matches(['\n', '\r']).is_empty() { "" } else { "  " };
            text + indent + line
        });
        let digits: String = header.chars().filter(|char| !char.is_ascii_digit()).collect();
        let has_digit = digits.len() != header.len();
        let header = if has_digit { format!("{}2{}", &digits[..1], &digits[1..]) } else { digits };
        Self::parse(&format!("- {header}\n{text}")).map_or_else(Self::null, |list| match list.data {
            Data::Sequence(items) => items.into_iter().next().unwrap_or_else(Self::null),
            _ => Self::null(),
        })
    }

    /// Whether both mean the same: tags included, anchors and styles excluded.
    pub(crate) fn same(&self, other: &Self, order: Order) -> bool {
        let same_pair = |a: &(Self, Self), b: &(Self, Self)| a.0.same(&b.0, order) && a.1.same(&b.1, order);
        match (&self.data, &other.data) {
            (Data::Mapping(a), Data::Mapping(b)) => {
                let is_same = match order {
                    Order::Kept => a.iter().zip(b).all(|(a, b)| same_pair(a, b)),
                    Order::Free => a.iter().all(|a| b.iter().any(|b| same_pair(a, b))),
                };
                self.tag == other.tag && a.len() == b.len() && is_same
            }
            (Data::Sequence(a), Data::Sequence(b)) => {
                self.tag == other.tag && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b, order))
            }
            (Data::Scalar { .. }, Data::Scalar { .. }) => same_scalar(self.scalar(), other.scalar()),
            (Data::Alias(a), Data::Alias(b)) => a == b,
            (Data::Anything, _) => true,
            _ => false,
        }
    }

    fn scalar(&self) -> Scalar<'_> {
        let Data::Scalar { kind, text } = &self.data else { return Scalar { kind: Kind::Null, tag: None, text: "" } };
        Scalar { kind: *kind, tag: self.tag.as_deref(), text }
    }
}

/// The roots of all documents, those without a root left out.
pub(crate) fn roots(stream: &Stream<'_>) -> Vec<Value> {
    stream.documents().filter_map(Document::root).map(Value::of).collect()
}

/// A tag with its handle resolved.
fn full_tag(node: Node<'_>, tag: &str) -> String {
    let stream = node.stream();
    let verbatim = tag.strip_prefix("!<").and_then(|tag| tag.strip_suffix('>'));
    if verbatim.is_some() || tag == "!" {
        return tag.to_owned();
    }
    let handle = tag[1..].find('!').map_or("!", |bang| &tag[..bang + 2]);
    let document = stream.documents().find(|document| document.span().contains(node.span()));
    let prefix = document.and_then(|document| {
        document.directives().find_map(|span| {
            let mut words =
                span.of(stream.source()).split_ascii_whitespace().skip_while(|word| *word != "%TAG").skip(1);
            (words.next() == Some(handle)).then(|| words.next()).flatten()
        })
    });
    let usual = if handle == "!!" { "tag:yaml.org,2002:" } else { handle };
    format!("!<{}{}>", prefix.unwrap_or(usual), &tag[handle.len()..])
}
