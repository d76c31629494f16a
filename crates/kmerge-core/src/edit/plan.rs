//! Plans a script for one file: the places that it changes, and the resulting text.
//!
//! Statements are collected as long as each finds the same as after the statements before it. Then they are written,
//! the new text is read, and planning continues. So a script with many statements for many places reads a file only
//! once or twice.

mod allowed;
mod elements;

use hashbrown::HashMap;
use kyaml_ast::{
    ChangeError, Changes, End, Node, NodeId, Path, Pattern, Resolved, ScalarSchema, Segment, Span, Step, Stream,
};

use super::aliases::newly_undefined;
use super::known;
use super::problem::{Problem, ProblemKind, change};
use super::resources::Chosen;
use super::script::Script;
use super::select::Selector;
use super::selection::{Edited, Selection};
use super::statement::{Action, Value};
use super::value::{self, Read};
use crate::resource::ResourceId;
use crate::schema::{Schema, ValueType};
use elements::{Elements, Presence};

/// The options for planning a script.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The schema: the fields of each kind.
    pub schema: &'a Schema,
    /// The resources for the statements before the first `select`: those that match any of these selectors. All
    /// documents if there are no selectors.
    pub select: Vec<Selector>,
    /// Whether missing fields that the schema does not know are created, as if every statement asked for it.
    pub create: bool,
    /// Whether a missing place is allowed.
    pub ignore_missing: bool,
}

impl<'a> Options<'a> {
    /// All documents. Unknown fields are not created.
    #[must_use]
    pub const fn new(schema: &'a Schema) -> Self {
        Self { schema, select: Vec::new(), create: false, ignore_missing: false }
    }
}

/// The result of a script for a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePlan {
    /// The new text. `None` if nothing changes.
    pub text: Option<String>,
    /// The places, in the order of the statements.
    pub places: Vec<PlacePlan>,
    /// The number of resources that all selections together selected.
    pub selected: usize,
    /// The names of the resources.
    pub names: Vec<String>,
}

/// A place that a statement changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacePlan {
    /// The statement, from 0.
    pub statement: usize,
    /// The resource, if it is one.
    pub resource: Option<ResourceId>,
    /// The path to it from the root of the resource.
    pub path: Path,
}

impl Script {
    /// Plans the script for one file. The name of the file says what it contains if it has no kind.
    ///
    /// # Errors
    ///
    /// The first statement that cannot be executed.
    pub fn plan(&self, name: &str, text: &str, options: &Options<'_>) -> Result<FilePlan, Problem> {
        let schema = options.schema.for_file(name);
        let parsed = self.statements.iter().map(|statement| match &statement.action {
            Action::Set { value, .. } => value::parse(value),
            _ => Ok(None),
        });
        let values: Vec<_> = parsed.collect();
        let mut planner = Planner {
            script: self,
            options,
            schema: &schema,
            values: &values,
            plan: FilePlan::default(),
            selection: None,
            edited: Edited::default(),
            elements: Elements::default(),
            repeats: HashMap::new(),
            next: 0,
            resource: 0,
            is_original: true,
            has_aliases: false,
            is_json: name.ends_with(".json"),
        };
        let mut new: Option<String> = None;
        while planner.next < self.statements.len() {
            let written = planner.round(new.as_deref().unwrap_or(text))?;
            planner.is_original = false;
            new = Some(written);
        }
        if let Some(new) = &new {
            planner.check_aliases(text, new)?;
        }
        Ok(FilePlan { text: new.filter(|new| new != text), ..planner.plan })
    }
}

struct Planner<'p> {
    script: &'p Script,
    options: &'p Options<'p>,
    schema: &'p Schema,
    values: &'p [Result<Option<Stream<'p>>, value::ValueError>],
    plan: FilePlan,
    selection: Option<Selection>,
    edited: Edited,
    /// What stands in lists that get new elements, with these.
    elements: Elements,
    /// Whether mappings from which something goes have a key twice.
    repeats: HashMap<NodeId, bool>,
    /// The next statement, and the next resource of the selection for it.
    next: usize,
    resource: usize,
    /// Whether the text is still the file's original one.
    is_original: bool,
    has_aliases: bool,
    /// Whether the file's name says that it is JSON.
    is_json: bool,
}

/// The result of a statement for a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    Done,
    /// The changes so far must be written first.
    Later,
}

impl<'p> Planner<'p> {
    /// What the next statement does.
    fn action(&self) -> &'p Action {
        &self.script.statements[self.next].action
    }

    /// Collects as many statements as can be written at once, and writes them.
    fn round(&mut self, text: &str) -> Result<String, Problem> {
        let stream = Stream::parse(text).map_err(|error| Problem {
            statement: None,
            resource: None,
            span: Some(error.span),
            kind: Box::new(ProblemKind::Syntax(error)),
        })?;
        self.has_aliases = stream.has_aliases();
        (self.edited, self.elements, self.repeats) = Default::default();
        let all = Chosen::all(&stream);
        if self.selection.is_none() {
            self.plan.names = all.iter().filter_map(Chosen::name).collect();
            self.select(&all, &self.options.select);
        }
        let mut changes = if self.is_json { Changes::of_json(&stream) } else { Changes::new(&stream) };
        while self.next < self.script.statements.len() {
            if let Action::Select(selector) = self.action() {
                let is_safe =
                    changes.is_empty() || !self.has_aliases && !self.edited.may_concern(selector, &all, &changes);
                if !is_safe {
                    break;
                }
                self.select(&all, std::slice::from_ref(selector));
                self.next += 1;
                continue;
            }
            if self.statement(&stream, &all, &mut changes)? == Made::Later {
                break;
            }
            (self.next, self.resource) = (self.next + 1, 0);
        }
        changes.finish().map_err(|error| self.problem(None, None, change(&Path::root(), error)))
    }

    /// Refuses values with an alias that has no anchor before it.
    fn check_aliases(&self, before: &str, after: &str) -> Result<(), Problem> {
        let brings = |value: &Result<Option<Stream<'_>>, _>| matches!(value, Ok(Some(value)) if value.has_aliases());
        let Some(statement) = self.values.iter().position(brings) else { return Ok(()) };
        let kind = match newly_undefined(before, after, self.schema) {
            Ok(None) => return Ok(()),
            Ok(Some(name)) => ProblemKind::Undefined { name },
            Err(error) => ProblemKind::Syntax(error),
        };
        Err(Problem { statement: Some(statement), resource: None, span: None, kind: Box::new(kind) })
    }

    fn select(&mut self, all: &[Chosen<'_>], selectors: &[Selector]) {
        let selection = Selection::new(all, selectors);
        self.plan.selected += selection.len();
        self.selection = Some(selection);
    }

    /// Executes the next statement for all selected resources.
    fn statement<'t>(
        &mut self,
        stream: &'t Stream<'t>,
        all: &[Chosen<'t>],
        changes: &mut Changes<'t>,
    ) -> Result<Made, Problem> {
        let Some(selection) = &self.selection else { return Ok(Made::Done) };
        let Some(chosen) = selection.places(all) else {
            return Err(self.problem(None, None, ProblemKind::Recounted));
        };
        if all.is_empty() && self.options.select.is_empty() {
            return self.first(stream, changes);
        }
        while let Some(place) = chosen.get(self.resource) {
            self.edited.add(*place);
            if self.at_resource(&all[*place], changes)? == Made::Later {
                return Ok(Made::Later);
            }
            self.resource += 1;
        }
        Ok(Made::Done)
    }

    /// Sets a value in a file without content.
    fn first<'t>(&mut self, stream: &'t Stream<'t>, changes: &mut Changes<'t>) -> Result<Made, Problem> {
        let action = self.action();
        let (Action::Set { path, value, .. }, Some(document)) = (action, stream.documents().next()) else {
            return Ok(Made::Done);
        };
        if !changes.is_empty() {
            return Ok(Made::Later);
        }
        if !self.creates() {
            return Ok(Made::Done);
        }
        let shown = path.to_path().unwrap_or_default();
        let read = self.read(value, &shown, None, None)?;
        let done = match document.root() {
            Some(root) => path.follow(root).iter().try_for_each(|end| changes.set(document, end, read.into())),
            None => changes.fill(document, path, read.into()),
        };
        done.map_err(|error| self.problem(None, None, change(&shown, error)))?;
        self.plan.places.push(PlacePlan { statement: self.next, resource: None, path: shown });
        Ok(Made::Done)
    }

    fn at_resource<'t>(&mut self, choice: &Chosen<'t>, changes: &mut Changes<'t>) -> Result<Made, Problem> {
        let action = self.action();
        let Some(pattern) = action.path() else { return Ok(Made::Done) };
        let ends = pattern.follow(choice.root);
        if pattern.is_plural() {
            return self.plural(choice, &ends, changes);
        }
        let holds_name = |end: &End<'_, '_>, changes: &Changes<'_>| match action {
            Action::Rename { name, .. } => changes.holds_name(end.found, name),
            _ => true,
        };
        for end in &ends {
            if !changes.holds(end) || !holds_name(end, changes) {
                return Ok(Made::Later);
            }
            match self.at_end(choice, end, changes) {
                Ok(made) => {
                    if made == Made::Later {
                        return Ok(Made::Later);
                    }
                }
                Err(problem) if self.options.ignore_missing && problem.kind.is_absent() => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(Made::Done)
    }

    /// Executes a statement for all places of a path. Places inside a changed place are changed with it.
    fn plural<'t>(
        &mut self,
        choice: &Chosen<'t>,
        ends: &[End<'_, 't>],
        changes: &mut Changes<'t>,
    ) -> Result<Made, Problem> {
        if changes.touches(choice.root.id()) {
            return Ok(Made::Later);
        }
        let mut last: Option<&End<'_, 't>> = None;
        for end in ends {
            if let Some(last) = last.filter(|last| last.path.contains(&end.path)) {
                match last.found.entry {
                    Some(twin) if end.rest.is_none() && last.path == end.path => {
                        return Err(self.repeated(choice, end, twin));
                    }
                    _ => continue,
                }
            }
            match self.at_end(choice, end, changes) {
                Ok(_) => {}
                Err(problem) if end.rest.is_some() && problem.kind.is_missing() => continue,
                Err(problem) => return Err(problem),
            }
            last = if end.rest.is_none() { Some(end) } else { None };
        }
        Ok(Made::Done)
    }

    fn at_end<'t>(
        &mut self,
        choice: &Chosen<'t>,
        end: &End<'_, 't>,
        changes: &mut Changes<'t>,
    ) -> Result<Made, Problem> {
        let action = self.action();
        let path = whole(end);
        let makes_own = matches!(action, Action::Set { .. });
        if self.has_aliases {
            self.unblocked(choice, &path, makes_own)?;
        }
        let broken = |error: ChangeError| (change(&path, error), Some(end.found.node.span()));
        let done = match action {
            Action::Set { value, .. } => {
                if end.rest.is_some() {
                    self.may_make(choice, end, &path)?;
                }
                let read = self.value(choice, end, value, &path)?;
                if let (Some(Read::Node(node)), true) = (read, changes.is_json())
                    && let Some(error) = value::ambiguous(node)
                {
                    return Err(self.problem(Some(choice), Some(end.found.node.span()), error.at(&path)));
                }
                match read.map(|read| (read, self.presence(choice, end, read, changes))) {
                    Some((read, Ok(Presence::New))) => changes.set(choice.document, end, read.into()).map_err(broken),
                    Some((_, Ok(Presence::Unknown))) => return Ok(Made::Later),
                    Some((_, Err(problem))) => return Err(problem),
                    Some((_, Ok(Presence::Same))) | None => Ok(()),
                }
            }
            other => {
                if let Some(error) = end.error() {
                    return Err(self.problem(Some(choice), Some(error.span), ProblemKind::Missing(error)));
                }
                if matches!(other, Action::Delete(_) | Action::Rename { .. } | Action::Move { .. }) {
                    self.is_there_once(choice, end)?;
                }
                match other {
                    Action::Delete(_) => changes.delete(choice.document, end.found).map_err(broken),
                    Action::Rename { name, .. } => {
                        let renamed = path.split_last().map(|(parent, _)| parent.with(Segment::Field(name.clone())));
                        self.may_be_there(choice, end, renamed.as_ref())?;
                        changes.rename(choice.document, end.found, name).map_err(broken)
                    }
                    Action::Comment { slot, text, .. } => changes.comment(end.found, *slot, text).map_err(broken),
                    Action::Move { to, .. } => {
                        let Some(made) = self.moved(choice, end, to, changes)? else { return Ok(Made::Later) };
                        made.map_err(broken)
                    }
                    _ => Ok(()),
                }
            }
        };
        done.map_err(|(kind, span)| self.problem(Some(choice), span, kind))?;
        let resource = choice.resource.as_ref().map(|resource| resource.id.clone());
        self.plan.places.push(PlacePlan { statement: self.next, resource, path });
        Ok(Made::Done)
    }

    /// Moves the entry at an end. `None` if changes must be written first.
    fn moved<'t>(
        &self,
        choice: &Chosen<'t>,
        end: &End<'_, 't>,
        to: &Pattern,
        changes: &mut Changes<'t>,
    ) -> Result<Option<Result<(), ChangeError>>, Problem> {
        let ends = to.follow(choice.root);
        let [target] = ends.as_slice() else { return Ok(Some(Ok(()))) };
        if !changes.holds(target) {
            return Ok(None);
        }
        if let Some((rest, _)) = &target.rest
            && rest.len() > 1
        {
            self.may_make(choice, target, &whole(target))?;
        }
        let moved = changes.relocate(choice.document, end.found, target);
        if moved.is_ok() {
            self.may_be_there(choice, end, Some(&whole(target)))?;
        }
        Ok(Some(moved))
    }

    /// The value to write at an end. `None` if it is there already.
    fn value<'t>(
        &self,
        choice: &Chosen<'t>,
        end: &End<'_, 't>,
        value: &'p Value,
        path: &Path,
    ) -> Result<Option<Read<'p>>, Problem> {
        let old = if end.rest.is_none() { Some(end.found.node) } else { None };
        let wanted = known::wanted(known::root(self.schema, choice.resource.as_ref()), path);
        // A new item is what the others are.
        let like = old.or_else(|| value::string_of(end.found.node));
        let read = self.read(value, path, like, Some((choice, end.found.node.span(), wanted)))?;
        if let Read::Node(node) = read
            && let Some(kind) = self.wrong_inside(node, choice, value, path)
        {
            return Err(self.problem(Some(choice), Some(end.found.node.span()), kind));
        }
        Ok(match (read, old) {
            (Read::Node(new), Some(old)) if value::has_nothing_new(new, old) => None,
            // A value that Kubernetes reads as this string keeps its spelling, even if it is not written as a string. A null is
            // no string.
            (Read::Text(text), Some(old))
                if old.kind().is_scalar() && old.value() == text && known::is_text(wanted) && !is_null(old) =>
            {
                None
            }
            _ => Some(read),
        })
    }

    fn read(
        &self,
        value: &'p Value,
        path: &Path,
        old: Option<Node<'_>>,
        place: Option<(&Chosen<'_>, Span, Option<ValueType>)>,
    ) -> Result<Read<'p>, Problem> {
        let (choice, span, wanted) = match place {
            Some((choice, span, wanted)) => (Some(choice), Some(span), wanted),
            None => (None, None, None),
        };
        let parsed = self.values[self.next].as_ref().map_err(Clone::clone).map(Option::as_ref);
        let parsed = match parsed {
            // A string may look like anything.
            Err(value::ValueError::Broken(_)) if known::is_text(wanted) => Ok(None),
            other => other,
        };
        let read = parsed.and_then(|parsed| value::read(value, parsed, old, wanted));
        read.map_err(|error| self.problem(choice, span, error.at(path)))
    }

    fn problem(&self, choice: Option<&Chosen<'_>>, span: Option<Span>, kind: ProblemKind) -> Problem {
        Problem {
            statement: Some(self.next),
            resource: choice.and_then(Chosen::name),
            span: if self.is_original { span } else { None },
            kind: Box::new(kind),
        }
    }
}

fn is_null(node: Node<'_>) -> bool {
    node.resolve(ScalarSchema::Kube11) == Some(Resolved::Null)
}

/// The path to an end, followed by the missing steps.
fn whole(end: &End<'_, '_>) -> Path {
    let rest = end.rest.as_ref().map_or(&[] as &[Step], |(rest, _)| rest);
    rest.iter().fold(end.path.clone(), |path, step| path.with(segment(step)))
}

/// A step to one place. For a new element: the place at the end of the list.
fn segment(step: &Step) -> Segment {
    match step {
        Step::One(segment) => segment.clone(),
        Step::Token(token) => Segment::Field(token.clone()),
        _ => Segment::Index(-1),
    }
}
