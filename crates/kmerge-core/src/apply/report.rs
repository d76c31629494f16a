//! Reports what an apply changes in a live object, and why: who changed it, and whose change it overrules.

use std::collections::BTreeMap;

use kyaml_ast::{Path, Segment};

use super::algorithm::Algorithm;
use super::strategic::{FieldMeta, Identity, Meta, Strategy, in_print};
use crate::value::{Map, Value};

/// Why a place of the live object changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The configuration has it, and the live object did not.
    Added,
    /// The configuration was changed since the last apply.
    Changed,
    /// The live object was changed since the last apply, the configuration was not: the live change is reverted.
    Reverted,
    /// Both were changed since the last apply, in different ways.
    BothChanged,
    /// The configuration had it at the last apply, and does not have it any more.
    Removed,
    /// As [`Cause::Removed`], and the live object was changed since.
    RemovedChanged,
    /// Neither the last nor the new configuration has it: the patch strategy of the field keeps only what the
    /// configuration names.
    Cleared,
}

impl Cause {
    /// Whether a change of someone else is lost.
    #[must_use]
    pub const fn overrules(self) -> bool {
        matches!(self, Self::Reverted | Self::BothChanged | Self::RemovedChanged)
    }
}

/// One place that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub path: Path,
    /// Why.
    pub cause: Cause,
    /// What was applied last, as JSON. Stored as text, because there are as many findings as changes, and a text takes
    /// much less memory than a value.
    pub last_applied: Option<Box<str>>,
    /// What the configuration has, as JSON.
    pub config: Option<Box<str>>,
    /// What the live object had, as JSON.
    pub live: Option<Box<str>>,
}

/// The three versions of one object.
pub(super) struct Versions<'v> {
    /// What was applied last. `None` if nothing was.
    pub(super) last_applied: Option<&'v Map>,
    pub(super) config: &'v Map,
    pub(super) live: &'v Map,
    pub(super) result: &'v Map,
}

/// Every place that an apply changes, except the last-applied annotation.
pub(super) fn findings(versions: &Versions<'_>, algorithm: Algorithm<'_>) -> Vec<Finding> {
    let mut finder = Finder { path: Path::root(), found: Vec::new(), was_applied: versions.last_applied.is_some() };
    let sides = Sides {
        last: versions.last_applied,
        config: Some(versions.config),
        live: versions.live,
        result: versions.result,
    };
    finder.fields(&sides, algorithm.meta);
    finder.found.shrink_to_fit();
    finder.found
}

/// Four versions of one collection. `None` where a configuration lacks it.
struct Sides<'v, T: ?Sized> {
    last: Option<&'v T>,
    config: Option<&'v T>,
    live: &'v T,
    result: &'v T,
}

/// Four versions of one value.
#[derive(Clone, Copy)]
struct Place<'v> {
    last: Option<&'v Value>,
    config: Option<&'v Value>,
    live: Option<&'v Value>,
    result: Option<&'v Value>,
}

struct Finder {
    path: Path,
    found: Vec<Finding>,
    was_applied: bool,
}

impl Finder {
    fn fields(&mut self, sides: &Sides<'_, Map>, meta: Option<Meta<'_>>) {
        let new = sides.result.keys().filter(|name| !sides.live.contains_key(*name));
        for name in sides.live.keys().chain(new) {
            if name == super::last_applied::ANNOTATION {
                continue;
            }
            let place = Place {
                last: sides.last.and_then(|map| map.get(name)),
                config: sides.config.and_then(|map| map.get(name)),
                live: sides.live.get(name),
                result: sides.result.get(name),
            };
            self.path.push(Segment::Field(name.clone()));
            self.value(place, name, meta);
            self.path.pop();
        }
    }

    fn value(&mut self, place: Place<'_>, name: &str, meta: Option<Meta<'_>>) {
        let (Some(live), Some(result)) = (place.live, place.result) else { return self.note(place) };
        if let (Some(live), Some(result)) = (live.as_map(), result.as_map()) {
            let (last, config) = (place.last.and_then(Value::as_map), place.config.and_then(Value::as_map));
            let below = meta.and_then(|meta| meta.mapping(name).ok()).map(|field| field.below);
            return self.fields(&Sides { last, config, live, result }, below);
        }
        if let (Some(live), Some(result)) = (live.as_list(), result.as_list())
            && let Some(field) = meta.and_then(|meta| meta.list(name).ok())
            && field.strategy == Strategy::Merge
        {
            let (last, config) = (place.last.and_then(Value::as_list), place.config.and_then(Value::as_list));
            return self.items(&Sides { last, config, live, result }, field);
        }
        if live != result {
            self.note(place);
        }
    }

    fn items(&mut self, sides: &Sides<'_, [Value]>, field: FieldMeta<'_>) {
        if sides.live == sides.result {
            return;
        }
        let identity = field.identity.unwrap_or(Identity::Itself);
        let (last, config) = (by_key(sides.last, identity), by_key(sides.config, identity));
        let (live, result) = (by_key(Some(sides.live), identity), by_key(Some(sides.result), identity));
        let new = result.keys().filter(|key| !live.contains_key(*key));
        for key in live.keys().chain(new) {
            let [last, config, live, result] = [&last, &config, &live, &result].map(|side| side.get(key).copied());
            let place = Place { last, config, live, result };
            let Some(item) = place.live.or(place.result) else { continue };
            self.path.push(match item.as_map() {
                Some(map) => identity.segment(map),
                None => Segment::Value(in_print(item)),
            });
            self.item(place, field.below);
            self.path.pop();
        }
    }

    fn item(&mut self, place: Place<'_>, meta: Meta<'_>) {
        let maps = place.live.and_then(Value::as_map).zip(place.result.and_then(Value::as_map));
        let Some((live, result)) = maps else {
            if place.live != place.result {
                self.note(place);
            }
            return;
        };
        let (last, config) = (place.last.and_then(Value::as_map), place.config.and_then(Value::as_map));
        self.fields(&Sides { last, config, live, result }, Some(meta));
    }

    fn note(&mut self, place: Place<'_>) {
        if self.is_only_annotation(place) {
            return;
        }
        let cause = self.cause(place);
        let json = |value: Option<&Value>| value.map(|value| value.to_json().into_boxed_str());
        let [last_applied, config, live] = [place.last, place.config, place.live].map(json);
        self.found.push(Finding { path: self.path.clone(), cause, last_applied, config, live });
    }

    /// Whether a place exists only for the last-applied annotation.
    fn is_only_annotation(&self, place: Place<'_>) -> bool {
        let is_annotations = self.path.last() == Some(&Segment::Field("annotations".to_owned()));
        let holds_one = |value: &Value| {
            let only = value.as_map().filter(|map| map.len() == 1).and_then(|map| map.keys().next());
            only.is_some_and(|name| name == super::last_applied::ANNOTATION)
        };
        is_annotations && place.live.is_none() && place.result.is_some_and(holds_one)
    }

    fn cause(&self, place: Place<'_>) -> Cause {
        match (place.last, place.live, place.result) {
            (None, Some(_), None) if place.config.is_none() => Cause::Cleared,
            (last, live, None) if last == live || last.is_none() => Cause::Removed,
            (_, _, None) => Cause::RemovedChanged,
            (None, None, Some(_)) => Cause::Added,
            (None, Some(_), Some(_)) if !self.was_applied => Cause::Changed,
            (last, live, Some(_)) if last == live => Cause::Changed,
            (last, _, Some(_)) if last == place.config => Cause::Reverted,
            _ => Cause::BothChanged,
        }
    }
}

/// The items of a list by identity. Of several with the same key, the last one.
fn by_key<'v>(items: Option<&'v [Value]>, identity: Identity<'_>) -> BTreeMap<Value, &'v Value> {
    let key = |item| identity.find(item).ok().flatten();
    items.unwrap_or_default().iter().filter_map(|item| Some((key(item)?, item))).collect()
}
