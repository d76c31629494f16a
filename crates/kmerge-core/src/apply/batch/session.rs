//! Applies a batch: reads values when they are needed, and collects the changes for each live file.

use std::collections::HashMap;

use kyaml_ast::{Segment, Stream, StreamId};

use super::{
    BatchError, BatchErrorKind as Kind, Detail, FilePlace, FileRole, NewObjects, Options, Outcome, Report, Sources,
    UncheckedOutcome, Verb, unwritable,
};
use crate::apply::algorithm::{Algorithm, Planned, Sides};
use crate::apply::differing::differing;
use crate::apply::documents::Documents;
use crate::apply::error::PatchError;
use crate::apply::last_applied::{self, ANNOTATION, annotated, annotated_with, unannotated};
use crate::apply::objects::{Directory, Object, kindless};
use crate::apply::report::{Versions, findings};
use crate::reconcile::{Change, Comments, reconcile};
use crate::resource::{ResourceId, text};
use crate::value::{Data, Map, Needed, ReadError, Reader, Source, Value};

type Result<T> = std::result::Result<T, Box<BatchError>>;

/// A batch that is being applied.
pub(super) struct Session<'a, 't> {
    batch: Sources<'a, 't>,
    options: Options<'a>,
    live: Vec<Object>,
    config: Vec<Object>,
    last_applied: Vec<Object>,
    live_directory: Directory,
    last_directory: Directory,
    /// The documents of each live file, with their changes.
    files: Vec<Documents<'a, 't>>,
    /// For each live object, the number of configurations that are still to come.
    awaited: HashMap<usize, usize>,
    outcome: Outcome,
}

impl<'a, 't> Session<'a, 't> {
    pub(super) fn new(batch: Sources<'a, 't>, options: Options<'a>) -> Result<Self> {
        if let Some((file, span)) = kindless(batch.config) {
            let places = vec![FilePlace { role: FileRole::Config, file, span }];
            return Err(Box::new(BatchError { kind: Kind::NoKind, id: ResourceId::default(), places }));
        }
        Self::of(batch, options, Object::all(batch.config))
    }

    /// Applies the given configurations.
    pub(super) fn of(batch: Sources<'a, 't>, options: Options<'a>, config: Vec<Object>) -> Result<Self> {
        let live = Object::all(batch.live);
        let last_applied = batch.last_applied.map(Object::all).unwrap_or_default();
        let live_directory = directory(&live, FileRole::Live)?;
        let last_directory = directory(&last_applied, FileRole::LastApplied)?;
        let document = |source| Documents::new(source).streamed(batch.config.len());
        let files = batch.live.iter().map(document).collect();
        let (outcome, awaited) = Default::default();
        Ok(Self { batch, options, live, config, last_applied, live_directory, last_directory, files, awaited, outcome })
    }

    pub(super) fn apply_all(&mut self) -> Result<()> {
        let config = std::mem::take(&mut self.config);
        self.outcome.reports.reserve_exact(config.len());
        for object in &config {
            if let Ok(Some(live)) = self.live_directory.find(&identity(object, self.options)) {
                *self.awaited.entry(live).or_default() += 1;
            }
        }
        // Each identity is in memory once: it is dropped here after its report has it.
        config.into_iter().try_for_each(|object| self.apply(&object))
    }

    fn apply(&mut self, object: &Object) -> Result<()> {
        let id = identity(object, self.options);
        if id.name.is_empty() {
            return Err(error(Kind::Nameless, &id, [(FileRole::Config, object)]));
        }
        match self.live_directory.find(&id) {
            Ok(Some(live)) => {
                self.configure(object, live)?;
                self.settle(live)
            }
            Ok(None) => self.create(object, &id),
            Err((first, second)) => {
                let (first, second) = (&self.live[first], &self.live[second]);
                let places = [(FileRole::Config, object), (FileRole::Live, first), (FileRole::Live, second)];
                Err(error(Kind::Ambiguous, &id, places))
            }
        }
    }

    /// Settles a live object if no configuration for it is left.
    fn settle(&mut self, live: usize) -> Result<()> {
        let awaited = self.awaited.entry(live).or_default();
        *awaited = awaited.saturating_sub(1);
        if *awaited > 0 {
            return Ok(());
        }
        let object = &self.live[live];
        let settled = self.files[object.source].settle(object);
        settled.map_err(|cause| error(Kind::Write(cause), &object.id, [(FileRole::Live, object)]))
    }

    /// Applies a configuration's object to the live object with this index.
    fn configure(&mut self, object: &Object, index: usize) -> Result<()> {
        let (options, live) = (self.options, self.live[index].clone());
        let source = &self.batch.config[object.source];
        let stream = self.files[live.source].stream_of(object.source, source);
        // An object that is configured again later may need more parts.
        let is_last = self.awaited.get(&index) == Some(&1);
        let needed = if is_last { self.needed(object, &live) } else { Needed::All };
        let failed = |cause| unreadable(cause, FileRole::Config, object);
        let mut reader = Reader::new(source, stream);
        let (mut config, _) = reader.part(object.place, &needed).map_err(failed)?;
        ensure_named(&config, object)?;
        config.default_namespace(&live.id.namespace);
        let annotation = annotation(&mut reader, object, &config, &needed).map_err(failed)?;
        let given = self.last_applied_of(&live.id)?;
        let own = self.files[live.source].part_mut(&live, &needed);
        let Some(own) = own.map_err(|cause| unreadable(cause, FileRole::Live, &live))? else { return Ok(()) };
        let (Some(own_map), Some(config)) = (own.as_map(), config.as_map()) else { return Ok(()) };

        let failed = |cause| match cause {
            PatchError::Annotation(_) | PatchError::NotAnObject => {
                let text = self.batch.live[live.source].stream().node(live.place.node());
                let live = Object { span: last_applied::span(text).unwrap_or(live.span), ..live.clone() };
                error(Kind::Apply(cause), &object.id, [(FileRole::Live, &live)])
            }
            _ => error(Kind::Apply(cause), &object.id, [(FileRole::Config, object), (FileRole::Live, &live)]),
        };
        let mut last_applied = match given {
            Some(given) => Some(given),
            None => last_applied::read(own_map).map_err(failed)?,
        };
        last_applied.iter_mut().for_each(|map| needed.trim(map));
        let annotated = match annotation {
            Some(text) => annotated_with(config.clone(), text),
            None => annotated(config),
        };
        let last_applied = last_applied.as_ref();
        let algorithm = Algorithm::of(options.schema, config, options.keys);
        let sides = Sides { last_applied, config: &annotated, live: own_map };
        let Planned { patch, mut conflicts } = algorithm.plan(&sides, options.overwrite).map_err(failed)?;
        let mut result = own_map.clone();
        algorithm.apply(&mut result, patch, options.order).map_err(failed)?;
        // In kubectl, every new configuration conflicts with its own annotation.
        conflicts.retain(|path| path.last() != Some(&Segment::Field(ANNOTATION.to_owned())));
        let was_applied = last_applied.is_some();
        let mut findings = findings(&Versions { last_applied, config, live: own_map, result: &result }, algorithm);
        if options.detail == Detail::Overruled && conflicts.is_empty() {
            findings.retain(|finding| finding.cause.overrules());
            findings.shrink_to_fit();
        }
        // kubectl sends a patch that only orders a list even if the order is right already.
        let verb = match result == *own_map {
            _ if !conflicts.is_empty() => Verb::Conflicting,
            true => Verb::Unchanged,
            false => Verb::Configured,
        };
        if verb == Verb::Configured {
            own.data = Data::Map(result);
        }
        let config = (object.source, object.span);
        let live = Some((live.source, live.span));
        let id = object.id.clone();
        self.outcome.reports.push(Report { id, config, live, verb, findings, conflicts, was_applied });
        Ok(())
    }

    /// The parts of a live object and its configuration that must be read.
    fn needed(&self, object: &Object, live: &Object) -> Needed {
        let (source, file) = (&self.batch.config[object.source], &self.batch.live[live.source]);
        if !(source.is_free() && self.files[live.source].reads_parts(live)) {
            return Needed::All;
        }
        let [own, config] = [file.stream().node(live.place.node()), source.stream().node(object.place.node())];
        let [api_version, kind] = ["apiVersion", "kind"].map(|name| text(config, name).unwrap_or_default());
        differing(own, config, Algorithm::of_kind(self.options.schema, &api_version, &kind, self.options.keys))
    }

    fn last_applied_of(&self, id: &ResourceId) -> Result<Option<Map>> {
        let Some(sources) = self.batch.last_applied else { return Ok(None) };
        let Ok(Some(index)) = self.last_directory.find(id) else { return Ok(Some(Map::new())) };
        let object = &self.last_applied[index];
        let value = read(&sources[object.source], object, StreamId(u32::MAX), FileRole::LastApplied)?;
        Ok(value.as_map().cloned())
    }

    fn create(&mut self, object: &Object, id: &ResourceId) -> Result<()> {
        let apart = self.options.new_objects == NewObjects::Apart || self.files.is_empty();
        let source = &self.batch.config[object.source];
        let stream = if apart { StreamId(1) } else { self.files[0].stream_of(object.source, source) };
        let from = read(source, object, stream, FileRole::Config)?;
        ensure_named(&from, object)?;
        let mut config = from.clone();
        config.default_namespace(&id.namespace);
        let wanted = config.created();
        if apart {
            let text = self.created_text(object, from, wanted)?;
            self.outcome.created.push((object.source, id.clone(), text));
        } else {
            let added = self.files[0].add(from, wanted);
            added.map_err(|cause| unreadable(cause, FileRole::Config, object))?;
        }
        let config = (object.source, object.span);
        let (verb, findings, conflicts) = (Verb::Created, Vec::new(), Vec::new());
        let (id, live, was_applied) = (id.clone(), None, false);
        self.outcome.reports.push(Report { id, config, live, verb, findings, conflicts, was_applied });
        Ok(())
    }

    /// The text of an object that gets a file of its own.
    fn created_text(&self, object: &Object, from: Value, wanted: Value) -> Result<String> {
        let empty = Stream::parse("").map_err(|cause| error(Kind::Write(cause.into()), &object.id, []))?;
        let sources = [&Source::new(&empty), &self.batch.config[object.source]];
        let change = Change::Insert { after: None, from, wanted };
        reconcile(&sources, StreamId(0), vec![change], Comments::OfChanges)
            .map_err(|cause| error(Kind::Write(cause), &object.id, [(FileRole::Config, object)]))
    }

    pub(super) fn finish(mut self) -> Result<UncheckedOutcome> {
        // Frees this memory for the results.
        (self.live_directory, self.last_directory, self.last_applied, self.awaited) = Default::default();
        let mut first = vec![None; self.files.len()];
        for object in self.live.iter().rev() {
            first[object.source] = Some((object.id.clone(), place(FileRole::Live, object)));
        }
        self.live = Vec::new();
        let files = std::mem::take(&mut self.files).into_iter().zip(&first);
        let write = |(file, first): (Documents<'_, '_>, &Option<_>)| {
            file.unchecked().map_err(|cause| unwritable(cause, first.clone()))
        };
        let texts = files.map(write).collect::<Result<_>>()?;
        Ok(UncheckedOutcome { outcome: self.outcome, texts, first })
    }
}

/// The identity of a configuration's object.
pub(super) fn identity(object: &Object, options: Options<'_>) -> ResourceId {
    let mut id = object.id.clone();
    if let Some(namespace) = options.namespace
        && id.namespace.is_empty()
        && !id.is_cluster_scoped()
    {
        namespace.clone_into(&mut id.namespace);
    }
    id
}

fn directory(objects: &[Object], role: FileRole) -> Result<Directory> {
    Directory::new(objects).map_err(|(first, second)| {
        let (first, second) = (&objects[first], &objects[second]);
        error(Kind::Duplicate, &second.id, [(role, first), (role, second)])
    })
}

fn read(source: &Source<'_>, object: &Object, stream: StreamId, role: FileRole) -> Result<Value> {
    let value = Reader::new(source, stream).read(object.place);
    value.map_err(|cause| unreadable(cause, role, object))
}

fn unreadable(cause: ReadError, role: FileRole, object: &Object) -> Box<BatchError> {
    error(Kind::Read(cause), &object.id, [(role, object)])
}

/// The text of the new annotation, if the configuration was not read completely.
fn annotation(
    reader: &mut Reader<'_, '_>,
    object: &Object,
    config: &Value,
    needed: &Needed,
) -> std::result::Result<Option<String>, ReadError> {
    let (Needed::Fields(_), Some(config)) = (needed, config.as_map()) else { return Ok(None) };
    let config = unannotated(config);
    let Some(metadata) = config.get("metadata") else { return Ok(None) };
    let mut text = String::new();
    reader.write_object(object.place, metadata, &mut text)?;
    text.push('\n');
    Ok(Some(text))
}

/// Fails if the name is written as a number or the like, which kubectl refuses.
fn ensure_named(config: &Value, object: &Object) -> Result<()> {
    let name = config.get("metadata").and_then(|metadata| metadata.get("name"));
    match name.and_then(Value::as_text) {
        Some(_) => Ok(()),
        None => Err(error(Kind::UnquotedName, &object.id, [(FileRole::Config, object)])),
    }
}

fn error<'o>(kind: Kind, id: &ResourceId, places: impl IntoIterator<Item = (FileRole, &'o Object)>) -> Box<BatchError> {
    let places = places.into_iter().map(|(role, object)| place(role, object));
    Box::new(BatchError { kind, id: id.clone(), places: places.collect() })
}

const fn place(role: FileRole, object: &Object) -> FilePlace {
    FilePlace { role, file: object.source, span: object.span }
}
