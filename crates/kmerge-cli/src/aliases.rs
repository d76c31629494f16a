//! Places behind aliases and merge keys (`<<`): read through them, and not written, since others read them too.
//!
//! A mapping's own fields hide what its merge keys bring; of several sources the first counts, as YAML's readers have it.

use std::collections::HashSet;

use kyaml_ast::{LookupError, Node, NodeId, Path, Segment, Span};

use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;

/// An alias or merge key that a path goes through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'t> {
    /// How many steps of the path lead to it.
    steps: usize,
    /// The alias, or what stands beside `<<`.
    via: Node<'t>,
    /// What it stands for.
    target: Node<'t>,
    is_merge: bool,
}

/// Follows a path from a document's root, through aliases and merge keys; says which was the first of them.
pub(crate) fn follow<'t>(root: Node<'t>, path: &Path) -> (Result<Node<'t>, LookupError>, Option<Link<'t>>) {
    let (mut node, mut link) = (root, None);
    for (steps, segment) in path.segments().into_iter().enumerate() {
        if node.alias().is_some() {
            let via = node;
            node = target(root, node);
            link = link.or(Some(Link { steps, via, target: node, is_merge: false }));
        }
        let found = Path::from_iter([segment.clone()]).find(node);
        node = match (found, merged(root, node, segment)) {
            (Ok(found), _) => found.node,
            (Err(_), Some((via, target, value))) => {
                link = link.or(Some(Link { steps, via, target, is_merge: true }));
                value
            }
            (Err(error), None) => {
                let reached = path.segments().into_iter().take(steps).cloned().collect();
                return (Err(LookupError { reached, ..error }), link);
            }
        };
    }
    (Ok(target(root, node)), link)
}

/// What an alias stands for, or the node itself: of equal anchors the last one before it.
fn target<'t>(root: Node<'t>, node: Node<'t>) -> Node<'t> {
    let Some(name) = node.alias() else { return node };
    let mut found = node;
    let mut open: Vec<Node<'t>> = vec![root];
    while let Some(next) = open.pop() {
        let is_later = found.alias().is_some() || next.id() > found.id();
        if next.anchor() == Some(name) && next.id() < node.id() && is_later {
            found = next;
        }
        open.extend(next.children());
    }
    found
}

/// The value that a mapping's merge keys bring for a field, the alias or mapping beside `<<`, and what that stands for.
fn merged<'t>(root: Node<'t>, mapping: Node<'t>, segment: &Segment) -> Option<(Node<'t>, Node<'t>, Node<'t>)> {
    if !matches!(segment, Segment::Field(_)) {
        return None;
    }
    let step = Path::from_iter([segment.clone()]);
    let mut seen: HashSet<NodeId> = HashSet::new();
    let mut open: Vec<(Node<'t>, Node<'t>)> = sources(mapping).map(|source| (source, source)).collect();
    while let Some((via, source)) = open.pop() {
        let place = target(root, source);
        if !seen.insert(place.id()) {
            continue;
        }
        if let Ok(found) = step.find(place) {
            return Some((via, target(root, via), found.node));
        }
        let inner = if place.kind() == kyaml_ast::Kind::Sequence { items(place) } else { sources(place).collect() };
        open.extend(inner.into_iter().map(|inner| (via, inner)));
    }
    None
}

/// What stands beside the merge keys of a mapping, the first one last.
fn sources(mapping: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let is_merge = |key: Node<'_>| key.kind().is_scalar() && key.text() == "<<";
    let found = mapping.entries().filter(move |entry| entry.key().is_some_and(is_merge));
    found.map(kyaml_ast::Entry::value).collect::<Vec<_>>().into_iter().rev()
}

/// The items of a list of sources, the first one last.
fn items(list: Node<'_>) -> Vec<Node<'_>> {
    let mut items: Vec<Node<'_>> = list.children().collect();
    items.reverse();
    items
}

/// What is to be done with a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Set,
    Delete,
}

/// Refuses to change what a path reaches through an alias or a merge key. A field that a merge key brings may be set: it
/// then is the mapping's own.
pub(crate) fn refuse(root: Node<'_>, path: &Path, change: Change, source: &Source) -> Result<(), Diagnostic> {
    let (found, link) = follow(root, path);
    let Some(link) = link else { return Ok(()) };
    let is_last = link.steps + 1 == path.depth();
    if link.is_merge && is_last && (change == Change::Set || found.is_err()) {
        return Ok(());
    }
    let taken = link.steps + usize::from(link.is_merge);
    let reached: Path = path.segments().into_iter().take(taken).cloned().collect();
    let what = if link.is_merge { "comes from a merge key" } else { "is an alias" };
    let help = match (link.is_merge, change) {
        (false, _) => {
            "change it where its anchor stands, for all that refer to it, or put a value in the alias's place"
        }
        (true, Change::Set) => "change it where it comes from, for all that refer to it, or set it here as a whole",
        (true, Change::Delete) => "delete it where it comes from, for all that refer to it",
    };
    let message = if is_last && link.is_merge {
        format!("{path} {what}, and is not here to be deleted")
    } else {
        format!("cannot change {path}: {reached} {what}")
    };
    let mut diagnostic = Diagnostic::error(Code::Anchor, message).at(source, first_line(link.via, source), "");
    if link.via.id() != link.target.id() {
        diagnostic = diagnostic.at(source, first_line(link.target, source), "what it stands for");
    }
    Err(diagnostic.help(help))
}

/// What is underlined of a node: its anchor, if there is one.
fn first_line(node: Node<'_>, source: &Source) -> Span {
    let span = node.full_span();
    let line = span.of(&source.text).lines().next().unwrap_or_default();
    let text = if node.anchor().is_some() { line.split([' ', '\t']).next().unwrap_or(line) } else { line };
    Span::new(span.start, span.start + text.trim_end().len() as u32)
}
