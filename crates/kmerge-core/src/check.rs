//! Finds mistakes in valid YAML: duplicate keys and identities, undefined aliases, unions with two members.
//!
//! There are two uses. `kmerge check` reports the findings of a file. And a merge must not bring findings that its
//! inputs did not have. Unknown fields and values of the wrong type count only for the first use. Findings are in
//! source order. Takes linear time, and no depth of input overflows the call stack.

mod apart;
mod fields;
mod patch;

use std::borrow::Cow;
use std::fmt;
use std::hash::Hash;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Document, Entry, Kind, Node, NodeId, Path, Segment, Span, Stream};

use self::apart::Common;
use crate::correspond::Identity;
use crate::equal::text_of_key;
use crate::resource::{Resource, ResourceId, listed_resource};
use crate::schema::{Cursor, ElementId, Keys, ListKind, Schema, ValueType};
use crate::union;

/// A collection with more bytes than this, as a key, is known by its digest. A shorter one is known by its text.
const LONG_KEY: usize = 256;

/// The kind of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// A mapping has a key twice. Readers take one of them, or refuse.
    DuplicateKey,
    /// An alias without an anchor before it in its document.
    UndefinedAlias,
    /// A keyed list or a set has an element twice.
    DuplicateElement,
    /// Several elements have one name. In a list that no schema describes, or in an environment, where later variables
    /// replace earlier ones, this may be intended. For ports, which are identified by their numbers, it is an error.
    RepeatedName,
    /// A stream has a resource twice.
    DuplicateResource,
    /// An object has two of several fields of which at most one may be set.
    SecondMember,
    /// The kind of the resource has no such field.
    UnknownField,
    /// The value has the wrong type for the kind of the resource.
    WrongType,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub fault: Fault,
    /// Position of the document in the stream.
    pub document: usize,
    /// The path of its entry.
    pub path: Path,
    /// Its place.
    pub span: Span,
    /// The place of the first of two equal things, if it is about two.
    pub first: Option<Span>,
    /// The key, the name of the alias, or the identity of the element or resource. For an element of the wrong type:
    /// the key of its list.
    pub name: String,
    /// Fields with names similar to an unknown field, the most similar first.
    pub similar: Vec<String>,
    /// The expected type of a value of the wrong type.
    pub expected: Option<ValueType>,
}

impl fmt::Display for Finding {
    /// A message that can stand alone.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.shown_name();
        match self.fault {
            Fault::DuplicateKey => write!(out, "the mapping has the key `{name}` twice"),
            // The name is not shown, because text that looks like an alias may be a password.
            Fault::UndefinedAlias => out.write_str("there is no such anchor before this alias"),
            Fault::DuplicateElement => write!(out, "the list has the element `{name}` twice"),
            Fault::RepeatedName => write!(out, "the list has several elements called `{name}`"),
            Fault::DuplicateResource => write!(out, "the file has the resource {name} twice"),
            Fault::SecondMember => write!(out, "`{name}` and another field here exclude each other"),
            Fault::UnknownField => write!(out, "there is no field `{name}` here"),
            Fault::WrongType => {
                let expected = self.expected.map(|expected| expected.to_string()).unwrap_or_default();
                let is_element = matches!(self.path.last(), Some(Segment::Index(_)));
                write!(out, "{}`{name}` has to be {expected}", if is_element { "an element of " } else { "" })
            }
        }
    }
}

impl Finding {
    /// The name for messages: not too long, and without control characters.
    #[must_use]
    pub fn shown_name(&self) -> String {
        const LONGEST: usize = 80;
        let plain = |character: char| if character.is_control() { '\u{FFFD}' } else { character };
        self.name.chars().take(LONGEST).map(plain).collect()
    }
}

impl Schema {
    /// All mistakes in `stream`, except unknown fields and wrong types.
    #[must_use]
    pub fn check<'t>(&'t self, stream: &'t Stream<'t>) -> Vec<Finding> {
        findings(stream, self, Fields::Unchecked, Common::default())
    }

    /// All mistakes in `stream`, with unknown fields and wrong types.
    ///
    /// ```
    /// use kmerge_core::Schema;
    /// use kmerge_core::check::Fault;
    /// use kyaml_ast::Stream;
    ///
    /// let stream = Stream::parse("apiVersion: apps/v1\nkind: Deployment\nspec: {replcias: 1, paused: 5}\n")?;
    /// let schema = Schema::new();
    /// let findings = schema.check_with_fields(&stream);
    /// assert_eq!(findings.iter().map(|found| found.fault).collect::<Vec<_>>(), [Fault::UnknownField, Fault::WrongType]);
    /// assert_eq!(findings[0].similar, ["replicas"]);
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    #[must_use]
    pub fn check_with_fields<'t>(&'t self, stream: &'t Stream<'t>) -> Vec<Finding> {
        findings(stream, self, Fields::Checked, Common::default())
    }

    /// The resources of a stream whose fields are not known: the schema lacks their kind, or this version of it.
    #[must_use]
    pub fn unknown_in(&self, stream: &Stream<'_>) -> Vec<Resource> {
        let found =
            stream.documents().filter_map(Document::root).flat_map(Resource::all).filter_map(|(_, resource)| resource);
        let is_known = |resource: &Resource| {
            self.resource(&resource.id.group, &resource.version, &resource.id.kind).knows_its_fields()
        };
        found.filter(|resource| !is_known(resource)).collect()
    }
}

/// Whether unknown fields and wrong types are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fields {
    #[default]
    Unchecked,
    Checked,
}

/// The mistakes in two streams, except those inside parts that both have: these are the same.
pub(crate) fn check_apart<'t>(streams: [&'t Stream<'t>; 2], schema: &'t Schema) -> [Vec<Finding>; 2] {
    let [a, b] = apart::common(streams);
    let found = |stream, common| findings(stream, schema, Fields::Unchecked, common);
    [found(streams[0], a), found(streams[1], b)]
}

/// The mistakes in a stream and, only if it has any, those in another one. Left out is what is inside parts that both have.
pub(crate) fn check_beside<'t>([stream, known]: [&'t Stream<'t>; 2], schema: &'t Schema) -> [Vec<Finding>; 2] {
    let [a, b] = apart::common([stream, known]);
    let found = findings(stream, schema, Fields::Unchecked, a);
    // If there is none, none is new.
    let known = if found.is_empty() { Vec::new() } else { findings(known, schema, Fields::Unchecked, b) };
    [found, known]
}

/// The mistakes in a stream, outside the parts that it has in common with another one.
fn findings<'t>(stream: &'t Stream<'t>, schema: &'t Schema, wanted: Fields, common: Common<'t>) -> Vec<Finding> {
    let Common { parts: mut left_out, lists } = common;
    left_out.reverse();
    let undefined = stream.references().filter(|(_, target)| target.is_none()).map(|(alias, _)| alias.id()).collect();
    let mut checker = Checker { wanted, left_out, lists, undefined, ..Checker::default() };
    for (index, document) in stream.documents().enumerate() {
        let Some(root) = document.root() else { continue };
        checker.document = index;
        for (node, resource) in Resource::all(root) {
            checker.resource(resource, node);
        }
        if checker.is_left_out(root.full_span()) {
            continue;
        }
        checker.steps.clear();
        checker.paths.clear();
        let resource = Resource::of_node(root);
        let cursor = match &resource {
            Some(found) => schema.resource(&found.id.group, &found.version, &found.id.kind),
            None => schema.untyped(),
        };
        checker.list = Resource::listed(root).zip(resource).map(|(items, list)| (items.id(), list));
        checker.nodes(root, cursor);
    }
    checker.findings.sort_by_key(|finding| finding.span.start);
    checker.findings
}

/// An entry on the path to a node.
#[derive(Clone, Copy)]
struct Step<'t> {
    parent: Option<usize>,
    entry: Entry<'t>,
    index: usize,
}

#[derive(Default)]
struct Checker<'t> {
    wanted: Fields,
    /// The parts that are skipped, the first one last.
    left_out: Vec<Span>,
    /// The other stream's versions of lists.
    lists: HashMap<NodeId, Node<'t>>,
    document: usize,
    /// If the document is a list of resources: its items.
    list: Option<(NodeId, Resource)>,
    /// Entries of the document that were visited. Each knows the entry around it.
    steps: Vec<Step<'t>>,
    /// The paths of entries for which a path was needed, and of all entries around these.
    paths: HashMap<usize, Path>,
    /// Aliases without an anchor.
    undefined: HashSet<NodeId>,
    resources: HashMap<ResourceId, Span>,
    findings: Vec<Finding>,
}

/// A node to visit.
struct Visit<'t> {
    node: Node<'t>,
    cursor: Cursor<'t>,
    step: Option<usize>,
    /// Whether unknown fields and wrong types below are reported.
    is_judged: bool,
}

impl<'t> Checker<'t> {
    fn resource(&mut self, resource: Option<Resource>, root: Node<'t>) {
        let Some(id) = resource.map(|resource| resource.id).filter(|id| !id.name.is_empty()) else { return };
        let span = field_entry(root, "metadata").map_or_else(|| root.span(), Entry::span);
        if let Some(first) = self.resources.get(&id).copied() {
            let name = format!("{}/{}", id.kind, id.name);
            self.report(Fault::DuplicateResource, None, (span, Some(first)), name);
            return;
        }
        self.resources.insert(id, span);
    }

    /// Visits a root and everything below it, in source order.
    fn nodes(&mut self, root: Node<'t>, cursor: Cursor<'t>) {
        let is_judged = self.judges(root, cursor);
        let mut open = vec![Visit { node: root, cursor, step: None, is_judged }];
        while let Some(visit) = open.pop() {
            let node = visit.node;
            if self.is_left_out(node.full_span()) {
                continue;
            }
            let first = open.len();
            match node.kind() {
                Kind::Mapping => self.mapping(&visit, &mut open),
                Kind::Sequence => self.sequence(&visit, &mut open),
                Kind::Alias => self.alias(&visit),
                _ => {}
            }
            open[first..].reverse();
        }
    }

    /// Whether a part is skipped. Parts must be asked about in source order.
    fn is_left_out(&mut self, part: Span) -> bool {
        while self.left_out.pop_if(|next| next.end <= part.start && next.end < part.end).is_some() {}
        self.left_out.last().is_some_and(|next| next.start <= part.start && part.end <= next.end)
    }

    fn alias(&mut self, visit: &Visit<'t>) {
        if self.undefined.contains(&visit.node.id()) {
            let name = visit.node.alias().unwrap_or_default();
            self.report(Fault::UndefinedAlias, visit.step, (visit.node.span(), None), name.to_owned());
        }
    }

    fn mapping(&mut self, visit: &Visit<'t>, open: &mut Vec<Visit<'t>>) {
        let mut seen: HashMap<Cow<'t, str>, Span> = HashMap::new();
        let mut member: Option<Span> = None;
        let union = visit.cursor.type_name().and_then(union::of_type);
        for (index, entry) in visit.node.entries().enumerate() {
            let Some(key) = entry.key() else { continue };
            let name = self.name(key);
            let step = self.step(visit.step, entry, index);
            if union.is_some_and(|union| union.has(&name, entry.value())) {
                if member.is_some() {
                    self.report(Fault::SecondMember, Some(step), (key.span(), member), name.clone().into_owned());
                }
                member = member.or(Some(key.span()));
            }
            self.field(visit, entry, step);
            if may_be_wrong(key) {
                open.push(Visit { node: key, step: Some(step), is_judged: false, ..*visit });
            }
            if may_be_wrong(entry.value()) {
                let cursor = visit.cursor.field(&name);
                open.push(Visit { node: entry.value(), cursor, step: Some(step), ..*visit });
            }
            if let Some((name, first)) = repeated(&mut seen, name, key.span()) {
                self.report(Fault::DuplicateKey, Some(step), (key.span(), Some(first)), name.into_owned());
            }
        }
    }

    fn sequence(&mut self, visit: &Visit<'t>, open: &mut Vec<Visit<'t>>) {
        let identity = match visit.cursor.list().kind {
            ListKind::Keyed(keys) => Some(Identity::Keyed(keys)),
            ListKind::Set => Some(Identity::Set),
            ListKind::Infer => Some(Identity::Keyed(Keys::one("name"))),
            ListKind::Atomic => None,
        };
        let may_repeat = visit.cursor.list().kind == ListKind::Infer
            || visit.cursor.item().type_name().is_some_and(|name| name == "core/v1.EnvVar");
        let fault = if may_repeat { Fault::RepeatedName } else { Fault::DuplicateElement };
        let mut seen: HashMap<ElementId<'_>, Span> = HashMap::new();
        let name_of = name_in(visit);
        let mut names: HashMap<String, Span> = HashMap::new();
        let repeats_alike = self.repeats_alike(visit.node, identity, name_of);
        for (index, entry) in visit.node.entries().enumerate() {
            let step = self.step(visit.step, entry, index);
            self.element(visit, entry, step);
            if may_be_wrong(entry.value()) {
                open.push(Visit { step: Some(step), ..self.item(visit, entry.value()) });
            }
            if repeats_alike {
                continue;
            }
            let key = identity.map(|identity| identity.id(entry)).filter(|id| !id.is_empty());
            let key = key.and_then(|key| repeated(&mut seen, key, entry.span()));
            let name = name_of.and_then(|name_of| repeated(&mut names, name_of(entry.value())?, entry.span()));
            if let Some((key, first)) = key {
                self.report(fault, Some(step), (entry.span(), Some(first)), key.to_string());
            } else if let Some((name, first)) = name {
                self.report(Fault::RepeatedName, Some(step), (entry.span(), Some(first)), name);
            }
        }
    }

    /// Whether the other stream's list has the same identities and names, element by element. Then both lists repeat
    /// the same ones.
    fn repeats_alike(&self, list: Node<'t>, identity: Option<Identity<'t>>, name_of: Option<NameOf<'t>>) -> bool {
        let Some(other) = self.lists.get(&list.id()) else { return false };
        list.entries().zip(other.entries()).all(|(a, b)| {
            identity.is_none_or(|identity| identity.same(a, b))
                && name_of.is_none_or(|name_of| name_of(a.value()) == name_of(b.value()))
        })
    }

    /// Prepares the visit of a list element. In a list of resources, the element is a resource.
    fn item(&self, visit: &Visit<'t>, node: Node<'t>) -> Visit<'t> {
        let list = self.list.as_ref().filter(|(items, _)| *items == visit.node.id());
        let Some(Resource { id, version }) = list.and_then(|(_, list)| listed_resource(node, list)) else {
            return Visit { node, cursor: visit.cursor.item(), ..*visit };
        };
        let cursor = visit.cursor.resource(&id.group, &version, &id.kind);
        Visit { node, cursor, step: visit.step, is_judged: self.judges(node, cursor) }
    }

    fn step(&mut self, parent: Option<usize>, entry: Entry<'t>, index: usize) -> usize {
        self.steps.push(Step { parent, entry, index });
        self.steps.len() - 1
    }

    fn report(&mut self, fault: Fault, step: Option<usize>, spans: (Span, Option<Span>), name: String) {
        let (span, first) = spans;
        let found = self.found(fault, step, span, name);
        self.findings.push(Finding { first, ..found });
    }

    fn found(&mut self, fault: Fault, step: Option<usize>, span: Span, name: String) -> Finding {
        let (document, path) = (self.document, self.path(step));
        Finding { fault, document, path, span, first: None, name, similar: Vec::new(), expected: None }
    }

    /// The path to a step. The paths of the entries around it are made only once.
    fn path(&mut self, step: Option<usize>) -> Path {
        let around = |step: &usize| self.steps[*step].parent;
        let is_new = |step: &usize| !self.paths.contains_key(step);
        let new: Vec<usize> = std::iter::successors(step, around).take_while(is_new).collect();
        let parent = new.last().map_or(step, |first| self.steps[*first].parent);
        let mut path = parent.and_then(|step| self.paths.get(&step)).cloned().unwrap_or_default();
        for step in new.into_iter().rev() {
            let Step { entry, index, .. } = self.steps[step];
            path.push(match entry.key() {
                Some(key) => Segment::Field(self.name(key).into_owned()),
                None => Segment::Index(index as i64),
            });
            self.paths.insert(step, path.clone());
        }
        path
    }

    /// The name that identifies a key: its text, or the digest of a long one. Keys may contain keys.
    fn name(&self, key: Node<'t>) -> Cow<'t, str> {
        if let Some(text) = key.key_text() {
            return text;
        }
        if !key.kind().is_collection() || key.span().len() <= LONG_KEY {
            return Cow::Owned(text_of_key(key));
        }
        Cow::Owned(format!("a key of {} bytes, digest {:016x}", key.span().len(), key.digest()))
    }
}

/// A name that was seen before, and where.
fn repeated<N: Clone + Eq + Hash>(seen: &mut HashMap<N, Span>, name: N, span: Span) -> Option<(N, Span)> {
    let known = seen.try_insert(name, span).err()?.entry;
    Some((known.key().clone(), *known.get()))
}

/// Whether something may be wrong in a node. In scalars, nothing is.
fn may_be_wrong(node: Node<'_>) -> bool {
    node.kind().is_collection() || node.kind() == Kind::Alias
}

/// Whether the elements of a list are ports. They are identified by their numbers, but their names must differ, too.
fn are_ports(list: &ListKind<'_>) -> bool {
    let ListKind::Keyed(keys) = list else { return false };
    let has = |wanted: &[&str]| keys.iter().any(|key| wanted.contains(&key.name));
    has(&["protocol"]) && has(&["port", "containerPort"])
}

/// Reads the name of an element.
type NameOf<'t> = fn(Node<'t>) -> Option<String>;

/// How elements of a list are named besides their identity: by the name of a port, or by the variable in `NAME=value`,
/// if all elements have this form.
fn name_in<'t>(list: &Visit<'t>) -> Option<NameOf<'t>> {
    let may_be_variables = || !matches!(list.cursor.list().kind, ListKind::Keyed(_)) && !list.cursor.takes_turns();
    let mut elements = list.node.entries().map(Entry::value);
    match are_ports(&list.cursor.list().kind) {
        true => Some(name_of),
        false if may_be_variables() && elements.all(|element| variable(element).is_some()) => Some(variable),
        false => None,
    }
}

/// The variable that a list element sets.
fn variable(element: Node<'_>) -> Option<String> {
    let text = element.kind().is_scalar().then(|| element.value())?;
    let (name, _) = text.split_once('=')?;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    is_name.then(|| name.to_owned())
}

/// The name of an element, if it has one.
fn name_of(element: Node<'_>) -> Option<String> {
    let name = field_entry(element, "name")?.value();
    (name.kind().is_scalar() && name.kind() != Kind::Null).then(|| name.value().into_owned())
}

fn field_entry<'t>(node: Node<'t>, name: &str) -> Option<Entry<'t>> {
    node.entries().find(|entry| entry.key().is_some_and(|key| key.value() == name))
}
