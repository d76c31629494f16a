//! New elements of keyed lists and sets: nothing may be there twice.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry as Known;
use kyaml_ast::{ChangeError, Changes, End, Kind, Node, NodeId, Step};

use super::{Planner, whole};
use crate::edit::known;
use crate::edit::problem::{Problem, ProblemKind};
use crate::edit::resources::Chosen;
use crate::edit::statement::{Action, Reading};
use crate::edit::value::Read;
use crate::equal::same_value;
use crate::resource::field;
use crate::schema::{ListKind, Lookup, element_id, look_up};

/// What identifies the elements of each list: of those in the file, and of the new ones, with their values as they were given.
pub(super) type Elements = HashMap<NodeId, HashMap<String, Option<String>>>;

/// Whether a value is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    New,
    /// The same value is there.
    Same,
    /// A change that is not yet written may bring it.
    Unknown,
}

impl Planner<'_> {
    /// Whether a new element is in its list already. An error if another element has its key.
    pub(super) fn presence(
        &mut self,
        choice: &Chosen<'_>,
        end: &End<'_, '_>,
        new: Read<'_>,
        changes: &Changes<'_>,
    ) -> Result<Presence, Problem> {
        let list = end.found.node;
        let is_new = end.rest.as_ref().is_some_and(|(rest, _)| matches!(rest[..], [Step::New(_)]));
        let Action::Set { value, .. } = self.action() else { return Ok(Presence::New) };
        if !is_new || value.reading == Reading::Yaml || list.kind() != Kind::Sequence {
            return Ok(Presence::New);
        }
        let root = known::root(self.schema, choice.resource.as_ref());
        let Lookup::Known(cursor) = look_up(root, &end.path) else { return Ok(Presence::New) };
        let kind = cursor.list().kind;
        let name = match new {
            Read::Node(node) => name_in(kind, node),
            Read::Text(text) => (kind == ListKind::Set).then(|| text.to_owned()),
        };
        let Some(name) = name else { return Ok(Presence::New) };
        if list.children().any(|element| is_named_anew(kind, element, changes)) {
            return Ok(Presence::Unknown);
        }
        let all = || list.children().filter_map(|element| Some((name_in(kind, element)?, None))).collect();
        match self.elements.entry(list.id()).or_insert_with(all).entry(name.clone()) {
            Known::Vacant(place) => {
                place.insert(Some(value.text.clone()));
                return Ok(Presence::New);
            }
            Known::Occupied(known) if known.get().as_ref() == Some(&value.text) => return Ok(Presence::Same),
            Known::Occupied(_) => {}
        }
        let is_it = |element: &Node<'_>| name_in(kind, *element).is_some_and(|other| other == name);
        match (list.children().find(is_it), new) {
            (None, _) => Ok(Presence::Unknown),
            (Some(_), Read::Text(_)) => Ok(Presence::Same),
            (Some(element), Read::Node(node)) if same_value(element, node) => Ok(Presence::Same),
            (Some(element), Read::Node(_)) => {
                let error = ChangeError::Taken { name, span: element.span() };
                let kind = ProblemKind::Change { path: whole(end).to_string(), error };
                Err(self.problem(Some(choice), Some(element.span()), kind))
            }
        }
    }
}

/// Whether the changes so far replace or remove what identifies an element.
fn is_named_anew(kind: ListKind<'_>, element: Node<'_>, changes: &Changes<'_>) -> bool {
    if !changes.touches(element.id()) {
        return false;
    }
    let mut named = match kind {
        ListKind::Keyed(keys) => keys.iter().filter_map(|key| field(element, key.name)).collect(),
        _ => Vec::new(),
    };
    named.push(element);
    named.iter().any(|node| changes.replaces(node.id()))
}

/// What identifies an element in its list; none where nothing has to.
fn name_in(kind: ListKind<'_>, element: Node<'_>) -> Option<String> {
    match kind {
        ListKind::Keyed(keys) => element_id(element, keys).ok().map(|id| id.to_string()),
        ListKind::Set => element.key_text().map(Into::into),
        ListKind::Infer | ListKind::Atomic => None,
    }
}
