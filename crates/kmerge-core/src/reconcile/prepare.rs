//! Gives every part of the wanted values a source text.
//!
//! [`Detacher`] removes the origins of parts that must not be copied, because an alias or a YAML merge key makes them
//! depend on other places of their stream. It prints these parts, and all computed parts, into a generated text.
//! [`attach`] gives these parts their places in that text. Scalars on one line need no source text.

use kyaml_ast::{Document, Kind, Node, StreamId};

use super::edits::keeps_style;
use super::{Change, ReconcileError, Style};
use crate::value::{Data, Origin, Place, Reader, Value, field_to_yaml, item_to_yaml};

/// What happens to aliases in the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aliases {
    /// They stay if their value stays.
    Keep,
    /// They are replaced by the nodes that they refer to.
    Expand,
}

/// Removes origins that cannot be used, and prints what has none.
pub(super) struct Detacher<'d, 's, 't> {
    pub(super) readers: &'d mut [Reader<'s, 't>],
    pub(super) target: StreamId,
    pub(super) aliases: Aliases,
    pub(super) style: Style,
}

impl Detacher<'_, '_, '_> {
    /// Detaches the wanted values of changes. Returns the parts without an origin, one document for each.
    pub(super) fn detach(&mut self, changes: &mut [Change]) -> Result<String, ReconcileError> {
        let mut text = String::new();
        for change in changes {
            self.change(change)?;
            if self.style == Style::Yaml {
                print_new(change, self.readers, &mut text)?;
            }
        }
        Ok(text)
    }

    fn change(&mut self, change: &mut Change) -> Result<(), ReconcileError> {
        let is_json = self.style == Style::Json;
        match change {
            Change::Rewrite { wanted, .. } | Change::RewriteItem { wanted, .. } if is_json => {
                forget_others(wanted, self.target);
            }
            Change::AppendItem { wanted, .. } if is_json => forget(wanted),
            Change::Rewrite { wanted, .. } | Change::RewriteItem { wanted, .. } | Change::AppendItem { wanted, .. } => {
                self.value(wanted)?;
            }
            Change::Insert { from, wanted, .. } => {
                if !matches!(from.origin.map(|origin| origin.place), Some(Place::Root(_))) {
                    forget(wanted);
                }
                self.value(wanted)?;
            }
            Change::Remove { .. } => {}
        }
        Ok(())
    }

    fn value(&mut self, value: &mut Value) -> Result<(), ReconcileError> {
        if self.is_bound(value)? {
            forget(value);
            return Ok(());
        }
        match &mut value.data {
            Data::List(items) => items.iter_mut().try_for_each(|item| self.value(item)),
            Data::Map(map) => map.values_mut().try_for_each(|value| self.value(value)),
            _ => Ok(()),
        }
    }

    /// Whether the text that a value comes from would have another meaning at the wanted place.
    fn is_bound(&mut self, value: &Value) -> Result<bool, ReconcileError> {
        let Some(origin) = value.origin else { return Ok(false) };
        let node = origin.place.node();
        let Some(reader) = self.readers.get_mut(origin.stream.0 as usize) else { return Ok(true) };
        let source = reader.source();
        if origin.stream != self.target {
            return Ok(source.is_tied(node));
        }
        if source.merges(node) {
            return Ok(reader.read(origin.place)? != *value);
        }
        Ok(self.aliases == Aliases::Expand && source.stream().node(node).kind() == Kind::Alias)
    }
}

/// Removes all origins.
fn forget(value: &mut Value) {
    value.origin = None;
    value.patch = None;
    match &mut value.data {
        Data::List(items) => items.iter_mut().for_each(forget),
        Data::Map(map) => map.values_mut().for_each(forget),
        _ => {}
    }
}

/// Removes all origins outside the target.
fn forget_others(value: &mut Value, target: StreamId) {
    value.patch = None;
    value.origin = value.origin.filter(|origin| origin.stream == target);
    match &mut value.data {
        Data::List(items) => items.iter_mut().for_each(|item| forget_others(item, target)),
        Data::Map(map) => map.values_mut().for_each(|value| forget_others(value, target)),
        _ => {}
    }
}

/// Prints the parts of a change that have no origin.
fn print_new(change: &mut Change, readers: &[Reader<'_, '_>], text: &mut String) -> Result<(), ReconcileError> {
    let Some((part, old, wanted)) = versions(change, readers) else { return Ok(()) };
    for_each_new(part, wanted, old, &mut |part, value| {
        text.push_str("---\n");
        text.push_str(&part.print(value));
        Ok(())
    })
}

/// Gives the printed parts their places in the generated text, which `reader` reads. `readers` are the same as for
/// [`Detacher`].
pub(super) fn attach(
    changes: &mut [Change],
    readers: &[Reader<'_, '_>],
    reader: &mut Reader<'_, '_>,
) -> Result<(), ReconcileError> {
    let mut documents = reader.source().stream().documents();
    for change in changes {
        let Some((part, old, wanted)) = versions(change, readers) else { continue };
        for_each_new(part, wanted, old, &mut |part, value| {
            let root = documents.next().and_then(Document::root);
            let place = root.and_then(|root| part.place(root)).ok_or(ReconcileError::Mismatch(0))?;
            *value = reader.read(place)?;
            Ok(())
        })?;
    }
    Ok(())
}

/// The role of a printed part in its holder.
#[derive(Clone, Copy)]
enum Part<'k> {
    Root,
    Field(&'k str),
    Item,
}

impl Part<'_> {
    fn print(self, value: &Value) -> String {
        match self {
            Self::Root => value.to_yaml(),
            Self::Field(key) => field_to_yaml(key, value),
            Self::Item => item_to_yaml(value),
        }
    }

    /// The place of the part in the document that [`Part::print`] wrote.
    fn place(self, root: Node<'_>) -> Option<Place> {
        match self {
            Self::Root => Some(Place::Root(root.id())),
            Self::Field(_) | Self::Item => root.entries().next().map(|entry| Place::Entry(entry.id())),
        }
    }
}

/// The old value at the wanted place, in the target.
#[derive(Clone, Copy)]
struct Old<'o, 's, 't> {
    value: &'o Value,
    readers: &'o [Reader<'s, 't>],
}

impl Old<'_, '_, '_> {
    /// The old value at the place of a field, if the field's mapping is the same one.
    fn field(self, wanted: Option<Origin>, name: &str) -> Option<Self> {
        if self.value.origin != wanted {
            return None;
        }
        Some(Self { value: self.value.get(name)?, ..self })
    }

    /// Whether a text takes the quotes of the old value, and needs no other model.
    fn quotes(self, wanted: &Value) -> bool {
        let (Some(text), Some(home)) = (wanted.as_text(), self.value.origin) else { return false };
        let reader = self.readers.get(home.stream.0 as usize);
        reader.is_some_and(|reader| keeps_style(reader.source().stream().node(home.place.node()), text, home.place))
    }
}

/// The old and the wanted value of a change, and the place. `None` if a document is removed.
fn versions<'c, 's, 't>(
    change: &'c mut Change,
    readers: &'c [Reader<'s, 't>],
) -> Option<(Part<'static>, Option<Old<'c, 's, 't>>, &'c mut Value)> {
    match change {
        Change::Rewrite { own, wanted, .. } => Some((Part::Root, Some(Old { value: own, readers }), wanted)),
        Change::RewriteItem { own, wanted, .. } => Some((Part::Item, Some(Old { value: own, readers }), wanted)),
        Change::AppendItem { wanted, .. } => Some((Part::Item, None, wanted)),
        Change::Insert { wanted, .. } => Some((Part::Root, None, wanted)),
        Change::Remove { .. } => None,
    }
}

/// Calls `f` for each part without an origin that needs a text of its own.
fn for_each_new(
    part: Part<'_>,
    value: &mut Value,
    old: Option<Old<'_, '_, '_>>,
    f: &mut impl FnMut(Part<'_>, &mut Value) -> Result<(), ReconcileError>,
) -> Result<(), ReconcileError> {
    if value.origin.is_none() {
        let is_new = needs_text(part, value) && !old.is_some_and(|old| old.quotes(value));
        return if is_new { f(part, value) } else { Ok(()) };
    }
    let origin = value.origin;
    match &mut value.data {
        Data::List(items) => items.iter_mut().try_for_each(|item| for_each_new(Part::Item, item, None, f)),
        Data::Map(map) => map.iter_mut().try_for_each(|(key, value)| {
            let old = old.and_then(|old| old.field(origin, key));
            for_each_new(Part::Field(key), value, old, f)
        }),
        _ => Ok(()),
    }
}

fn needs_text(part: Part<'_>, value: &Value) -> bool {
    match &value.data {
        Data::List(items) => !items.is_empty() || matches!(part, Part::Root),
        Data::Map(map) => !map.is_empty() || matches!(part, Part::Root),
        Data::Text(text) => text.contains('\n') || matches!(part, Part::Root),
        _ => matches!(part, Part::Root),
    }
}
