//! Patches the resources of a layer.

use kyaml_ast::{Document, Kind, Node, Span};

use super::{Layer, Options, Patch, Result, Session, identity, show};
use crate::apply::error::PatchError;
use crate::apply::objects::list_items;
use crate::build::error::{BuildError, BuildErrorKind, Near, TextPlace};
use crate::build::known::is_known;
use crate::build::kustomization::{PatchEntry, PatchForm};
use crate::build::merge::{Context, Dialect, Fate, merge};
use crate::build::target::{Changes, Target, differences, effective};
use crate::resource::Resource;
use crate::schema::{Cursor, Knowledge};
use crate::value::{Map, Place, ReadError, Reader, Value};

/// How many near misses are listed.
const NEAREST: usize = 4;

/// The unit of patching: one object of a patch's text, or a whole JSON patch.
struct Part {
    kind: PartKind,
    place: Place,
    span: Span,
    id: Option<Resource>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PartKind {
    Strategic,
    Json,
}

impl<'t> Session<'_, 't> {
    /// Applies the patch of an entry to the resources of the open layer. The patch's text has the index `text`. Returns
    /// the number of resources that it is for.
    ///
    /// # Errors
    ///
    /// If the patch cannot be understood or applied, or if it matches no resource. With [`Dialect::Kustomize`], a
    /// target may match none.
    pub fn patch(&mut self, text: usize, entry: &PatchEntry) -> Result<usize> {
        let patch = &Patch { text, form: entry.form, target: entry.target.as_ref(), changes: entry.changes };
        let mut count = 0;
        for part in &self.parts(patch)? {
            let members = match (patch.target, &part.id) {
                (Some(target), _) => self.targeted(target, patch, part)?,
                (None, Some(id)) => vec![self.named(id, patch, part)?],
                (None, None) => return Err(fault(BuildErrorKind::NoIdentity, patch, part)),
            };
            count += members.len();
            for member in members {
                let fate = self.apply(member, patch, part)?;
                self.note(member, fate, (patch, part))?;
            }
        }
        Ok(count)
    }

    /// Merges the objects of a text into the objects of the same identity in `list`, a text with a list of objects.
    /// Objects that are not in the list are added to it.
    ///
    /// # Errors
    ///
    /// As for [`Session::patch`].
    pub fn merge_into_list(&mut self, text: usize, list: usize) -> Result<()> {
        let patch = Patch { text, form: PatchForm::Strategic, target: None, changes: Changes::default() };
        for part in &self.parts(&patch)? {
            let Some(id) = &part.id else { return Err(fault(BuildErrorKind::NoIdentity, &patch, part)) };
            let is_there =
                |layer: &Layer| layer.by_identity.get(&effective(id)).is_some_and(|members| !members.is_empty());
            if self.layers.last().is_some_and(is_there) {
                let member = self.named(id, &patch, part)?;
                let fate = self.apply(member, &patch, part)?;
                self.note(member, fate, (&patch, part))?;
                continue;
            }
            self.add_item(id, (&patch, part), list)?;
        }
        Ok(())
    }

    /// Adds an object to a list, or merges it into an object of the same identity that was added before.
    fn add_item(&mut self, id: &Resource, (patch, part): (&Patch<'_>, &Part), list: usize) -> Result<()> {
        let source = self.texts[patch.text];
        let stream = self.documents[list].stream_of(patch.text, source);
        let failed = |error: ReadError| fault(error.into(), patch, part);
        let object = Reader::new(source, stream).read(part.place).map_err(failed)?;
        let context = Context { cursor: cursor(self.options, Some(id)), dialect: self.options.dialect };
        let position = self.added.get(&effective(id)).copied();
        let Some(document) = self.document_mut(list)?.and_then(Value::as_map_mut) else { return Ok(()) };
        let items = document.entry("items".to_owned()).or_insert_with(Value::null);
        if items.is_null() {
            *items = Value::list(Vec::new());
        }
        let Some(items) = items.as_list_mut() else { return Ok(()) };
        if let Some(own) = position.and_then(|index| items.get_mut(index)) {
            let merged = merge(own, object, context).map_err(PatchError::from);
            let failed = |error| fault(BuildErrorKind::Patch { resource: show(Some(id)), error }, patch, part);
            return merged.map(drop).map_err(failed);
        }
        items.push(object);
        let index = items.len() - 1;
        self.added.insert(effective(id), index);
        Ok(())
    }

    /// The parts of a patch's text.
    fn parts(&self, patch: &Patch<'_>) -> Result<Vec<Part>> {
        let wrong = |why: &'static str, span: Span| {
            BuildError::new(BuildErrorKind::NotAPatch(why), vec![TextPlace { text: patch.text, span }])
        };
        let roots = self.texts[patch.text].stream().documents().filter_map(Document::root);
        let roots: Vec<Node<'_>> = roots.filter(|root| root.kind() != Kind::Null).collect();
        let Some(first) = roots.first() else { return Err(wrong("the patch is empty", Span::default())) };
        if first.kind() == Kind::Sequence && patch.form != PatchForm::Strategic {
            let (place, span) = (Place::Root(first.id()), first.full_span());
            return match roots.get(1) {
                None => Ok(vec![Part { kind: PartKind::Json, place, span, id: None }]),
                Some(second) => Err(wrong("a JSON patch is a single document", second.full_span())),
            };
        }
        if patch.form == PatchForm::Json {
            return Err(wrong("expected a JSON patch, which is a list of operations", first.full_span()));
        }
        if let Some(root) = roots.iter().find(|root| root.kind() != Kind::Mapping) {
            let why = match patch.form {
                PatchForm::Strategic => "expected a strategic merge patch, which is a mapping",
                _ => "expected a patch: a mapping, or a list of operations",
            };
            return Err(wrong(why, root.full_span()));
        }
        let parts: Vec<Part> = roots.into_iter().flat_map(strategic).collect();
        match parts.get(1) {
            Some(second) if patch.target.is_some() => Err(fault(BuildErrorKind::SeveralWithTarget, patch, second)),
            _ => Ok(parts),
        }
    }

    /// The resource that a patch names.
    fn named(&self, id: &Resource, patch: &Patch<'_>, part: &Part) -> Result<usize> {
        let layer = self.layers.last();
        match layer.and_then(|layer| layer.by_identity.get(&effective(id))).map(Vec::as_slice) {
            Some([member]) => Ok(*member),
            Some([first, second, ..]) => {
                let mut error = fault(BuildErrorKind::SeveralMatches(show(Some(id))), patch, part);
                let place = |member: &usize| &self.members[*member];
                let places = [first, second].map(place);
                error.places.extend(places.map(|member| TextPlace { text: member.text, span: member.object.span }));
                Err(error)
            }
            _ => {
                let mut error = fault(BuildErrorKind::NoMatch(show(Some(id))), patch, part);
                let members = layer.map(|layer| layer.members.as_slice()).unwrap_or_default().iter();
                error.near = self.nearest(members.filter(|member| !self.members[**member].is_gone).map(|member| {
                    let ids = self.members[*member].ids.iter();
                    let differences = ids.map(|own| differences(own, id)).min_by_key(Vec::len);
                    (*member, differences.unwrap_or_default())
                }));
                Err(error)
            }
        }
    }

    /// The resources that match a target.
    fn targeted(&mut self, target: &Target, patch: &Patch<'_>, part: &Part) -> Result<Vec<usize>> {
        let (mut fitting, mut others) = (Vec::new(), Vec::new());
        for index in self.present() {
            let member = &self.members[index];
            let value = match target.selects() {
                true => self.documents[member.text].value_mut(&member.object).map_err(|error| {
                    BuildError::new(error, vec![TextPlace { text: member.text, span: member.object.span }])
                })?,
                false => None,
            };
            match target.misfits(&member.ids, value.as_deref()) {
                misfits if misfits.is_empty() => fitting.push(index),
                misfits => others.push((index, misfits)),
            }
        }
        if !fitting.is_empty() || self.options.dialect == Dialect::Kustomize {
            return Ok(fitting);
        }
        let mut error = fault(BuildErrorKind::NoTarget, patch, part);
        error.near = self.nearest(others.into_iter());
        Err(error)
    }

    /// The resources with the fewest mismatches.
    fn nearest(&self, misses: impl Iterator<Item = (usize, Vec<&'static str>)>) -> Vec<Near> {
        let mut misses: Vec<(usize, Vec<&'static str>)> = misses.filter(|(_, misfits)| misfits.len() < 3).collect();
        misses.sort_by_key(|(_, misfits)| misfits.len());
        let least = misses.first().map_or(0, |(_, misfits)| misfits.len());
        let near = misses.into_iter().take_while(|(_, misfits)| misfits.len() == least).take(NEAREST);
        let near = near.filter_map(|(member, misfits)| {
            self.members[member].ids.last().map(|resource| Near { resource: resource.clone(), misfits })
        });
        near.collect()
    }

    /// Patches one resource.
    fn apply(&mut self, index: usize, patch: &Patch<'_>, part: &Part) -> Result<Fate> {
        let member = &self.members[index];
        let (resource, span) = (show(member.ids.last()), member.object.span);
        let own_place = TextPlace { text: member.text, span };
        let failed = |kind: BuildErrorKind| {
            let mut error = fault(kind, patch, part);
            error.places.push(own_place);
            error
        };
        let source = self.texts[patch.text];
        let stream = self.documents[member.text].stream_of(patch.text, source);
        let wanted = Reader::new(source, stream).read(part.place).map_err(|error| failed(error.into()))?;
        let cursor = cursor(self.options, member.ids.last());
        let documents = &mut self.documents[member.text];
        let own = documents.value_mut(&member.object).map_err(|error| BuildError::new(error, vec![own_place]))?;
        let Some(own) = own else { return Ok(Fate::Deleted) };
        if part.kind == PartKind::Json {
            let done = with_annotations(own, |own| own.apply_json_patch(&wanted));
            return done.map(|()| Fate::Kept).map_err(|error| failed(BuildErrorKind::Patch { resource, error }));
        }
        let before = Identity::of(own);
        let context = Context { cursor, dialect: self.options.dialect };
        let merged = merge(own, wanted, context).map_err(PatchError::from);
        let fate = merged.map_err(|error| failed(BuildErrorKind::Patch { resource, error }))?;
        let changes = if patch.target.is_some() { patch.changes } else { Changes::default() };
        before.restore(own, changes);
        Ok(fate)
    }

    /// Records the effect of a patch on a resource: another identity, or its removal.
    fn note(&mut self, index: usize, fate: Fate, (patch, part): (&Patch<'_>, &Part)) -> Result<()> {
        let member = &mut self.members[index];
        let failed = |error| BuildError::new(error, vec![TextPlace { text: member.text, span: member.object.span }]);
        let documents = &mut self.documents[member.text];
        if fate == Fate::Deleted {
            documents.remove(&member.object).map_err(failed)?;
            member.is_gone = true;
            if let Some(layer) = self.layers.last_mut() {
                for id in &member.ids {
                    layer.by_identity.entry(effective(id)).or_default().retain(|other| *other != index);
                }
            }
            return Ok(());
        }
        let Some(value) = documents.value_mut(&member.object).map_err(failed)? else { return Ok(()) };
        let before = member.ids.last();
        let now = identity(value, before);
        let is_object = !now.id.kind.is_empty() && !now.version.is_empty();
        if !is_object || now.id.name.is_empty() && before.is_some_and(|before| !before.id.name.is_empty()) {
            return Err(fault(BuildErrorKind::Broken(show(before)), patch, part));
        }
        // As in kustomize: these patches record a former identity, even if it did not change.
        let may_rename = part.kind == PartKind::Json || patch.target.is_some() && patch.changes != Changes::default();
        if may_rename || before != Some(&now) {
            self.identify(index, now);
        }
        Ok(())
    }
}

/// Changes a resource as kustomize does, to which every one has annotations: a JSON patch may add the first one.
fn with_annotations<T>(own: &mut Value, change: impl FnOnce(&mut Value) -> T) -> T {
    let mut is_new = false;
    if let Some(metadata) = metadata(own)
        && metadata.get("annotations").is_none()
    {
        metadata.insert("annotations".to_owned(), Value::map(Map::new()));
        is_new = true;
    }
    let done = change(own);
    if let Some(metadata) = metadata(own)
        && is_new
        && metadata.get("annotations").and_then(Value::as_map).is_some_and(Map::is_empty)
    {
        metadata.remove("annotations");
    }
    done
}

fn metadata(own: &mut Value) -> Option<&mut Map> {
    own.as_map_mut()?.get_mut("metadata")?.as_map_mut()
}

/// The schema of a resource, for its lists.
fn cursor<'s>(options: Options<'s>, resource: Option<&Resource>) -> Cursor<'s> {
    let Some(resource) = resource else { return options.schema.untyped() };
    let (group, version, kind) = (resource.id.group.as_str(), resource.version.as_str(), resource.id.kind.as_str());
    let cursor = options.schema.resource(group, version, kind);
    let is_given = options.schema.has_rules()
        || cursor.knowledge() != Knowledge::NoSchema && !options.schema.is_builtin(group, version, kind);
    match options.dialect {
        Dialect::Kustomize if !is_known(resource) && !is_given => options.schema.untyped(),
        _ => cursor,
    }
}

/// The objects of a document of a strategic patch: the document itself, or the items of a list.
fn strategic(root: Node<'_>) -> Vec<Part> {
    let part = |node: Node<'_>, place| {
        let id = Resource::of_node(node).filter(|resource| !resource.id.name.is_empty());
        Part { kind: PartKind::Strategic, place, span: node.full_span(), id }
    };
    match list_items(root) {
        Some(items) => items.entries().map(|entry| part(entry.value(), Place::Entry(entry.id()))).collect(),
        None => vec![part(root, Place::Root(root.id()))],
    }
}

fn fault(kind: BuildErrorKind, patch: &Patch<'_>, part: &Part) -> Box<BuildError> {
    BuildError::new(kind, vec![TextPlace { text: patch.text, span: part.span }])
}

/// The parts of a resource that a strategic patch must not change.
struct Identity {
    api_version: Option<Value>,
    kind: Option<Value>,
    name: Option<Value>,
    namespace: Option<Value>,
    metadata: Option<Value>,
}

impl Identity {
    fn of(value: &Value) -> Self {
        let get = |way: &[&str]| value.at(way).cloned();
        let metadata =
            value.get("metadata").map(|own| Value::with_origin(crate::value::Data::Map(Map::new()), own.origin));
        Self {
            api_version: get(&["apiVersion"]),
            kind: get(&["kind"]),
            name: get(&["metadata", "name"]),
            namespace: get(&["metadata", "namespace"]),
            metadata,
        }
    }

    fn restore(self, value: &mut Value, changes: Changes) {
        let Some(root) = value.as_map_mut() else { return };
        put(root, "apiVersion", self.api_version);
        if !changes.kind {
            put(root, "kind", self.kind);
        }
        if let (false, Some(metadata)) = (root.contains_key("metadata"), self.metadata) {
            root.insert("metadata".to_owned(), metadata);
        }
        let Some(metadata) = root.get_mut("metadata").and_then(Value::as_map_mut) else { return };
        if !changes.name {
            put(metadata, "name", self.name);
        }
        put(metadata, "namespace", self.namespace);
    }
}

fn put(map: &mut Map, key: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(map.insert(key.to_owned(), value)),
        None => drop(map.remove(key)),
    }
}
