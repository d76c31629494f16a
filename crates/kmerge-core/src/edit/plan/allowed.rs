//! What a statement may do at a place: what the schema, aliases and merge keys allow.

use hashbrown::HashSet;
use kyaml_ast::{End, Entry, LookupError, LookupErrorKind, Node, Path, Segment, Step};

use super::{Planner, is_null, segment};
use crate::edit::aliases::{Blocked, follow};
use crate::edit::known::{self, Known};
use crate::edit::problem::{Problem, ProblemKind};
use crate::edit::resources::Chosen;
use crate::edit::statement::{Reading, Value};

impl Planner<'_> {
    /// Checks that the missing fields on the way may be created.
    pub(super) fn may_make(&self, choice: &Chosen<'_>, end: &End<'_, '_>, path: &Path) -> Result<(), Problem> {
        let Some((rest, kind)) = &end.rest else { return Ok(()) };
        let missing = |kind: fn(LookupError) -> ProblemKind| {
            end.error().map_or(Ok(()), |error| Err(self.problem(Some(choice), Some(error.span), kind(error))))
        };
        let refused = |kind: ProblemKind| Err(self.problem(Some(choice), Some(end.found.node.span()), kind));
        let is_free = matches!(kind, LookupErrorKind::Missing { .. })
            || is_null(end.found.node) && matches!(kind, LookupErrorKind::WrongKind(_));
        if !is_free {
            return missing(ProblemKind::Missing);
        }
        let root = known::root(self.schema, choice.resource.as_ref());
        if let Some(kind) = known::split(root, path) {
            return refused(kind);
        }
        if self.creates() || self.is_merged(choice, path) {
            return Ok(());
        }
        let mut way = end.path.clone();
        for (index, step) in rest.iter().enumerate() {
            let is_near = index == 0 && matches!(kind, LookupErrorKind::Missing { near, .. } if !near.is_empty());
            let list = way.clone();
            way.push(segment(step));
            match step {
                Step::New(_) => continue,
                Step::One(Segment::Key(fields)) if !is_near && known::is_keyed(root, &list, fields) => continue,
                Step::One(Segment::Key(_)) => return missing(ProblemKind::Missing),
                _ => {}
            }
            match known::of_path(root, &way) {
                Known::Yes if choice.is_beside_items(&way) => return missing(ProblemKind::OfList),
                Known::Yes => {}
                Known::Unspecified => return missing(ProblemKind::Unspecified),
                Known::No(kind) => return refused(kind),
            }
        }
        Ok(())
    }

    /// Refuses to take away a field that its mapping has twice: the other one would count from then on.
    pub(super) fn is_there_once(&mut self, choice: &Chosen<'_>, end: &End<'_, '_>) -> Result<(), Problem> {
        let Some((entry, key)) = end.found.entry.and_then(|entry| Some((entry, entry.key()?))) else { return Ok(()) };
        let mapping = entry.collection();
        if !*self.repeats.entry(mapping.id()).or_insert_with(|| has_key_twice(mapping)) {
            return Ok(());
        }
        let is_other = |other: &Entry<'_>| {
            other.id() != entry.id() && other.key().is_some_and(|it| it.key_text() == key.key_text())
        };
        mapping.entries().find(is_other).map_or(Ok(()), |other| Err(self.repeated(choice, end, other)))
    }

    /// That the field at an end and another one have one key.
    pub(super) fn repeated(&self, choice: &Chosen<'_>, end: &End<'_, '_>, other: Entry<'_>) -> Problem {
        let mut spans = [end.found.entry.map_or(end.found.node.full_span(), Entry::span), other.span()];
        spans.sort_unstable_by_key(|span| span.start);
        let kind = ProblemKind::Repeated { path: end.path.to_string(), first: spans[0] };
        self.problem(Some(choice), Some(spans[1]), kind)
    }

    /// Refuses a new place for something that stands at an end, if the schema has no such place.
    pub(super) fn may_be_there(
        &self,
        choice: &Chosen<'_>,
        end: &End<'_, '_>,
        path: Option<&Path>,
    ) -> Result<(), Problem> {
        let root = known::root(self.schema, choice.resource.as_ref());
        match path.map(|path| known::of_path(root, path)) {
            Some(Known::No(kind)) if !self.creates() => {
                Err(self.problem(Some(choice), Some(end.found.node.full_span()), kind))
            }
            _ => Ok(()),
        }
    }

    /// Whether the place of a path comes from a merge key.
    fn is_merged(&self, choice: &Chosen<'_>, path: &Path) -> bool {
        let root = choice.document.root();
        self.has_aliases && root.is_some_and(|root| follow(root, &choice.absolute(path)).is_ok())
    }

    /// Refuses places behind an alias or a merge key.
    pub(super) fn unblocked(&self, choice: &Chosen<'_>, path: &Path, makes_own: bool) -> Result<(), Problem> {
        let Some(root) = choice.document.root() else { return Ok(()) };
        let Some(blocked) = Blocked::find(root, &choice.absolute(path), makes_own) else { return Ok(()) };
        Err(self.problem(Some(choice), Some(blocked.via.full_span()), blocked.problem(path, makes_own)))
    }

    /// What the schema rules out inside a value. (In braces, `8080` is a number, although a string may be wanted.)
    pub(super) fn wrong_inside(
        &self,
        node: Node<'_>,
        choice: &Chosen<'_>,
        value: &Value,
        path: &Path,
    ) -> Option<ProblemKind> {
        let root = known::root(self.schema, choice.resource.as_ref());
        let is_guess = value.reading == Reading::Guess;
        let misfit = if is_guess { known::misfit(root, path, node) } else { None };
        misfit.or_else(|| if self.creates() { None } else { known::unknown_field(root, path, node) })
    }

    pub(super) fn creates(&self) -> bool {
        self.options.create || self.action().creates()
    }
}

fn has_key_twice(mapping: Node<'_>) -> bool {
    let mut seen = HashSet::new();
    mapping.entries().filter_map(|entry| entry.key()?.key_text()).any(|key| !seen.insert(key))
}
