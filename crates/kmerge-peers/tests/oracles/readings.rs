//! What each parser makes of a source, in one notation, and what most of them agree on.

use kmerge_peers::{libyaml_events, saphyr_events, yaml_rust2_events};
use kyaml_ast::{Acceptance, EventKind, Kind, Node, Stream};

/// Events, or `None` where the source is refused.
pub(crate) type Reading = Option<Vec<String>>;

/// What two of the three peers agree on, if they do.
pub(crate) fn majority(source: &str) -> Option<Reading> {
    // A byte order mark at the start is no content; only some peers know.
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let [a, b, c] = [saphyr_events(source), yaml_rust2_events(source), libyaml_events(source)];
    match (a == b || a == c, b == c) {
        (true, _) => Some(a),
        (false, true) => Some(b),
        (false, false) => None,
    }
}

/// How our reading differs from that of most peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Difference {
    OnlyWeAccept,
    OnlyWeRefuse,
    OtherEvents,
}

impl Difference {
    pub(crate) fn of(source: &str) -> Option<Self> {
        let theirs = majority(source)?;
        let ours = ours(source);
        match (&ours, &theirs) {
            (None, None) => None,
            (Some(_), None) => Some(Self::OnlyWeAccept),
            (None, Some(_)) => Some(Self::OnlyWeRefuse),
            (Some(ours), Some(theirs)) => (ours != theirs).then_some(Self::OtherEvents),
        }
    }
}

/// Our events in the peers' notation.
pub(crate) fn ours(source: &str) -> Reading {
    let stream = Stream::parse_with(source, Acceptance::Strict12).ok()?;
    let start = |node: Node<'_>| if node.kind() == Kind::Mapping { "+MAP" } else { "+SEQ" };
    let end = |node: Node<'_>| if node.kind() == Kind::Mapping { "-MAP" } else { "-SEQ" };
    let events = stream.events().filter_map(|event| match event.kind {
        EventKind::DocumentStart => Some("+DOC".to_owned()),
        EventKind::DocumentEnd => None,
        EventKind::Start(node) => Some(start(node).to_owned()),
        EventKind::End(node) => Some(end(node).to_owned()),
        EventKind::Leaf(node) => Some(leaf(node)),
    });
    Some(events.collect())
}

fn leaf(node: Node<'_>) -> String {
    let mark = match node.kind() {
        Kind::Alias => return "=ALI".to_owned(),
        Kind::SingleQuoted => '\'',
        Kind::DoubleQuoted => '"',
        Kind::Literal => '|',
        Kind::Folded => '>',
        _ => ':',
    };
    let value = node.value();
    // To the peers a node that is not written is a plain `~`.
    if mark == ':' && value == "~" { "=VAL :".to_owned() } else { format!("=VAL {mark}{value}") }
}
