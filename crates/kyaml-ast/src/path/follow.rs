//! Follows a pattern through a tree: the places that it leads to, and the places where it stops too early.
//!
//! Invariant: the places come in document order, each once. Aliases are not followed.

use std::collections::HashSet;

use super::lookup::{Found, LookupError, LookupErrorKind, missing_item, step, text_of};
use super::pattern::{Condition, Pattern, Seat, Step, Test, position};
use super::{Path, Segment};
use crate::entry::Entry;
use crate::tree::{Kind, Node};

/// One end of a pattern.
#[derive(Clone, Debug)]
pub struct End<'p, 't> {
    /// The path to it.
    pub path: Path,
    /// The node there.
    pub found: Found<'t>,
    /// If the document does not go as far as the pattern: the steps that are left, and why the first of them could not
    /// be taken.
    pub rest: Option<(&'p [Step], LookupErrorKind)>,
}

impl End<'_, '_> {
    /// Why the pattern leads no further, if it does not reach its end.
    #[must_use]
    pub fn error(&self) -> Option<LookupError> {
        let (rest, kind) = self.rest.as_ref()?;
        let step = rest.first()?.clone();
        Some(LookupError { reached: self.path.clone(), span: self.found.node.span(), step, kind: kind.clone() })
    }
}

impl Pattern {
    /// Follows the pattern from a document's `root`. Returns all ends: complete ones, and those that stop too early.
    ///
    /// A step to any number of places stops too early only if the node has the wrong kind, and only if no other such
    /// step comes before it. Otherwise it just finds no place.
    #[must_use]
    pub fn follow<'t>(&self, root: Node<'t>) -> Vec<End<'_, 't>> {
        let mut ends = vec![End { path: Path::root(), found: Found { entry: None, node: root }, rest: None }];
        let mut is_several = false;
        for (at, step) in self.steps.iter().enumerate() {
            let mut next = Vec::with_capacity(ends.len());
            for end in ends {
                if end.rest.is_some() {
                    next.push(end);
                    continue;
                }
                match taken(&end, step) {
                    Ok(ways) => next.extend(ways.into_iter().map(|(path, entry)| End::at(path, entry))),
                    Err(_) if is_several && step.is_plural() => {}
                    Err(kind) => next.push(End { rest: Some((&self.steps[at..], kind)), ..end }),
                }
            }
            is_several |= step.is_plural();
            ends = next;
        }
        if self.steps.iter().filter(|step| matches!(step, Step::Anywhere(_))).count() > 1 {
            let mut seen = HashSet::new();
            ends.retain(|end| end.rest.is_some() || seen.insert(end.found.node.id()));
            ends.sort_by_key(|end| end.found.node.id());
        }
        ends
    }
}

impl<'t> End<'_, 't> {
    fn at(path: Path, entry: Entry<'t>) -> Self {
        Self { path, found: Found { entry: Some(entry), node: entry.value() }, rest: None }
    }
}

/// The entries that a step leads to, with their full paths.
type Ways<'t> = Vec<(Path, Entry<'t>)>;

fn taken<'t>(end: &End<'_, 't>, wanted: &Step) -> Result<Ways<'t>, LookupErrorKind> {
    let node = end.found.node;
    let kind = match wanted {
        Step::Fields => Some(Kind::Mapping),
        Step::Items | Step::Where(_) | Step::New(_) => Some(Kind::Sequence),
        _ => None,
    };
    match (node.kind(), kind) {
        (Kind::Alias, _) => return Err(LookupErrorKind::Alias),
        (kind, Some(wanted)) if kind != wanted => return Err(LookupErrorKind::WrongKind(kind)),
        _ => {}
    }
    let one = |segment: Segment| {
        let entry = step(node, &segment)?;
        Ok(vec![(end.path.with(segment), entry)])
    };
    match wanted {
        Step::One(segment) => one(segment.clone()),
        Step::Token(token) if node.kind() == Kind::Sequence => {
            position(token).map_or_else(|| Err(missing_item()), |index| one(Segment::Index(index)))
        }
        Step::Token(token) => one(Segment::Field(token.clone())),
        Step::Where(conditions) => {
            let fits = |item: &Entry<'_>| conditions.iter().all(|condition| condition.is_met(item.value()));
            Ok(all(&end.path, node).filter(|(_, item)| fits(item)).collect())
        }
        Step::Items | Step::Fields => Ok(all(&end.path, node).collect()),
        Step::Anywhere(name) => Ok(anywhere(end.path.clone(), node, name)),
        Step::New(Seat::Behind(segment)) => step(node, segment).and_then(|_| Err(missing_item())),
        Step::New(_) => Err(missing_item()),
    }
}

/// All entries of a collection. Of a mapping, only those whose keys are scalars.
fn all<'t>(path: &Path, node: Node<'t>) -> impl Iterator<Item = (Path, Entry<'t>)> {
    node.entries().enumerate().filter_map(move |(at, entry)| {
        let segment = match entry.key() {
            Some(key) if key.kind().is_scalar() => Segment::Field(key.value().into_owned()),
            Some(_) => return None,
            None => Segment::Index(at as i64),
        };
        Some((path.with(segment), entry))
    })
}

/// All fields with a name below a node, in document order.
fn anywhere<'t>(path: Path, node: Node<'t>, wanted: &str) -> Ways<'t> {
    let mut found: Ways<'t> = Vec::new();
    let mut open = vec![(path, node)];
    while let Some((path, node)) = open.pop() {
        for (path, entry) in all(&path, node) {
            if entry.value().kind().is_collection() {
                open.push((path.clone(), entry.value()));
            }
            if matches!(path.last(), Some(Segment::Field(name)) if name == wanted) {
                found.push((path, entry));
            }
        }
    }
    found.sort_by_key(|(_, entry)| entry.value().id());
    found
}

impl Condition {
    /// Whether an element meets the condition.
    #[must_use]
    pub fn is_met(&self, element: Node<'_>) -> bool {
        let value = match &self.field {
            Some(_) if element.kind() != Kind::Mapping => return false,
            Some(name) => text_of(element, name),
            None if element.kind().is_scalar() => element.key_text(),
            None => return false,
        };
        match (&self.test, value) {
            (Test::Is(wanted), value) => value.is_some_and(|value| value == *wanted),
            (Test::IsNot(other), value) => value.is_none_or(|value| value != *other),
            (Test::Fits(fit), value) => value.is_some_and(|value| fit.is_match(&value)),
        }
    }
}
