//! What a merge decided, as records that outlive its trees: the base of notices, reports and explanations.
//!
//! What a secret holds is never in a record.

mod json;
pub(crate) mod lists;
mod package;
mod text;
mod values;

use kmerge_core::schema::{NoIdentity, OneValue, RuleSource};
use kmerge_core::{Decision, Outcome, Plan, Role, Rule, Side, Slots};
use kyaml_ast::{Path, Place, Segment, Span, Stream};

use crate::diagnostic::Diagnostic;
use crate::input::Source;

pub(crate) use json::{TOOL, VERSION, package_to_json, role, span, to_json, version};
pub(crate) use package::{PackageReport, PathRecord, ResourceRecord, Spot, write_package};
pub(crate) use text::{Words, reason, shortened, write_text, write_text_in};
use values::Values;

/// Everything that was decided about one file.
#[derive(Debug)]
pub(crate) struct FileReport {
    /// The names of the inputs.
    pub(crate) names: Slots<String>,
    /// Whether the merge has no original, of this file or any other.
    pub(crate) is_two_way: bool,
    /// All places that are not agreed, in the order of the walk.
    pub(crate) records: Vec<Record>,
}

/// One place that is not agreed.
#[derive(Debug)]
pub(crate) struct Record {
    /// `apps/Deployment default/web`; empty for what is no resource.
    pub(crate) resource: String,
    pub(crate) path: Path,
    pub(crate) role: Role,
    /// Whether it is about lines of a text whose structure is unknown.
    pub(crate) is_text: bool,
    pub(crate) outcome: Outcome,
    pub(crate) rule: Rule,
    pub(crate) sides: Slots<Version>,
    /// Why it is one value, where it is a list.
    pub(crate) list: Option<OneValue>,
    /// The same in words.
    pub(crate) list_in_words: Option<String>,
    /// Whether it is an order that is a part of the value.
    pub(crate) counts: bool,
}

/// What one side has at a place.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) span: Span,
    pub(crate) from: Place,
    pub(crate) to: Place,
    /// The value, or the comment; `None` where it is a secret.
    pub(crate) text: Option<String>,
    /// Characters before the text on its first line.
    pub(crate) indent: usize,
}

impl Version {
    /// The same in a longer text, behind so many bytes and lines.
    pub(crate) fn moved(self, bytes: u32, lines: usize) -> Self {
        let place = |place: Place| Place { line: place.line + lines, ..place };
        let span = Span::new(self.span.start + bytes, self.span.end + bytes);
        Self { span, from: place(self.from), to: place(self.to), ..self }
    }
}

impl FileReport {
    pub(crate) fn new(plan: &Plan, streams: Slots<&Stream<'_>>, sources: Slots<&Source>) -> Self {
        let decisions: Vec<&Decision> = plan.decisions.iter().collect();
        Self::of(&decisions, streams, sources)
    }

    /// The same of some decisions of a plan.
    pub(crate) fn of(decisions: &[&Decision], streams: Slots<&Stream<'_>>, sources: Slots<&Source>) -> Self {
        let wanted = |side: Side| {
            let mut starts: Vec<u32> = decisions.iter().filter_map(|it| Some(it.spans.get(side)?.start)).collect();
            starts.sort_unstable();
            starts
        };
        let values = |side: Side| Some(Values::of(streams.get(side)?, &wanted(side)));
        let values = Slots { dest: values(Side::Dest), base: values(Side::Base), incoming: values(Side::Incoming) };
        let records = decisions.iter().map(|decision| Record::new(decision, &values, sources)).collect();
        Self { records, ..Self::empty(sources) }
    }

    /// Nothing about these files.
    pub(crate) fn empty(sources: Slots<&Source>) -> Self {
        let names = sources.map(|source| source.name.clone());
        Self { is_two_way: names.base.is_none(), names, records: Vec::new() }
    }

    /// Places that nobody decided.
    pub(crate) fn conflicts(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| record.outcome == Outcome::Conflict)
    }

    /// Places that somebody decided.
    pub(crate) fn decisions(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| record.outcome != Outcome::Conflict)
    }

    /// Decisions that are told without being asked: what both sides changed; in a 2-way merge, whose source wins anyway, keyed lists
    /// that were replaced as a whole.
    pub(crate) fn unexpected(&self) -> impl Iterator<Item = &Record> {
        self.both_changed().filter(|record| !self.is_two_way || record.why_unmatched().is_some())
    }

    /// Places that both sides changed, and the policy decided.
    pub(crate) fn both_changed(&self) -> impl Iterator<Item = &Record> {
        self.decisions().filter(|record| record.rule == Rule::BothChanged)
    }
}

/// What users call a side.
const fn side_name(side: Side) -> &'static str {
    match side {
        Side::Dest => "dest",
        Side::Base => "original",
        Side::Incoming => "updated",
    }
}

/// The resource that a place belongs to, and the way to it from there: an item of a list is a resource of its own, unless
/// the way leads to it by its position.
fn subject<'v>(path: &Path, present: &dyn Fn(Side) -> Option<(Span, &'v Values)>) -> (String, Path) {
    // A comment that is not there has no place.
    let real = |side: &Side| present(*side).filter(|(span, _)| *span != Span::default());
    let found = Side::ALL.into_iter().find_map(|side| real(&side)).or_else(|| Side::ALL.into_iter().find_map(present));
    let Some((span, values)) = found else { return (String::new(), path.clone()) };
    let is_name = |fields: &[(String, String)]| fields.iter().any(|(field, _)| field == "metadata.name");
    let Some(item) = values.item(span) else { return (values.resource(span).to_owned(), path.clone()) };
    match path.segments()[..] {
        [Segment::Field(items), Segment::Key(fields), ref rest @ ..] if items == "items" && is_name(fields) => {
            (item.to_owned(), rest.iter().copied().cloned().collect())
        }
        [Segment::Field(items), ..] if items == "items" => (values.resource(span).to_owned(), path.clone()),
        _ => (item.to_owned(), path.clone()),
    }
}

/// A path whose elements are not told by what they hold.
fn without_values(path: &Path) -> Path {
    let hide = |step: &Segment| match step {
        Segment::Value(_) => Segment::Value("***".to_owned()),
        Segment::Key(fields) => {
            Segment::Key(fields.iter().map(|(field, _)| (field.clone(), "***".to_owned())).collect())
        }
        step => step.clone(),
    };
    path.segments().into_iter().map(hide).collect()
}

impl Record {
    fn new(decision: &Decision, values: &Slots<Values>, sources: Slots<&Source>) -> Self {
        let Decision { path, role, outcome, rule, spans, list, counts } = decision;
        let present = |side: Side| Some((*spans.get(side)?, values.get(side)?, *sources.get(side)?));
        let (resource, path) = subject(path, &|side| present(side).map(|(span, values, _)| (span, values)));
        let is_there = |span: Span| *role == Role::Value || span != Span::default();
        let is_secret =
            Side::ALL.into_iter().filter_map(present).any(|(span, values, _)| is_there(span) && values.is_secret(span));
        let path = if is_secret { without_values(&path) } else { path };
        let version = |side| {
            let (span, values, source) = present(side)?;
            let shown = if *role == Role::Value { values.value(span) } else { span };
            is_there(span).then(|| Version {
                span,
                from: source.place(span.start),
                to: source.place(span.end),
                text: (!is_secret).then(|| shown.of(&source.text).to_owned()),
                indent: source.place(shown.start).column - 1,
            })
        };
        let lines = |side: Side, spans: &[Span]| {
            let line = |span: &Span| sources.get(side).map(|source| source.place(span.start).line);
            let lines: Vec<usize> = spans.iter().filter_map(line).collect();
            format!("{}, {}", side_name(side), lists::lines(&lines))
        };
        Self {
            list: list.clone(),
            list_in_words: list.as_ref().map(|list| lists::one_value(list, lines)),
            resource,
            path,
            role: *role,
            is_text: false,
            counts: *counts,
            outcome: *outcome,
            rule: *rule,
            sides: Slots { dest: version(Side::Dest), base: version(Side::Base), incoming: version(Side::Incoming) },
        }
    }

    /// The place with what each side has there.
    pub(crate) fn diagnostic(&self, sources: Slots<&Source>) -> Diagnostic {
        let what = match self.role {
            Role::Value => "",
            Role::Lead | Role::Trail => "the comment of ",
            Role::Name => "the name of a field of ",
            Role::Layout => "the layout of ",
            Role::Order => "the order of ",
            Role::Gap if self.is_text => "",
            Role::Gap => "the text beside ",
        };
        let place = self.place();
        let mut diagnostic = Diagnostic::conflict(format!("both sides changed {what}{place}, differently"));
        for (side, label) in [(Side::Dest, "dest"), (Side::Base, "original"), (Side::Incoming, "updated")] {
            let Some((version, source)) = self.sides.get(side).zip(sources.get(side)) else { continue };
            diagnostic = match version.text {
                Some(_) => diagnostic.at(source, version.span, label),
                None => diagnostic.at_hidden(source, version.span, label),
            };
        }
        diagnostic.help("--on-conflict updated or dest takes one side, --on-conflict markers writes both")
    }

    /// Whether the destination's own change is lost.
    pub(crate) fn is_overwritten(&self) -> bool {
        self.outcome == Outcome::Take && self.rule == Rule::BothChanged
    }

    /// Why a keyed list was replaced as a whole.
    pub(crate) fn why_unmatched(&self) -> Option<&str> {
        let list = self.list.as_ref().filter(|list| list.declared.is_some() && list.why.is_some());
        if list.is_some() && self.is_overwritten() { self.list_in_words.as_deref() } else { None }
    }

    /// Where a list of a kind that nothing describes was replaced as a whole: how to pair its elements.
    pub(crate) fn advice(&self) -> Option<String> {
        let list = self.list.as_ref().filter(|list| list.source == RuleSource::Inferred && self.is_overwritten())?;
        let has_fields = !matches!(list.why, Some((_, NoIdentity::NotAMapping(_) | NoIdentity::NotAScalar(_))));
        let how = if has_fields { "KEY' pairs its elements by a key" } else { "set' merges it item by item" };
        let step = |step: &Segment| match step {
            Segment::Field(_) => std::iter::once(step.clone()).collect::<Path>().to_string(),
            _ => "[]".to_owned(),
        };
        let path: String = self.path.segments().into_iter().map(step).collect();
        Some(format!("the whole list was replaced; --list-key '{path}={how}"))
    }

    /// `Deployment web .spec.replicas: your 6 → 3`
    pub(crate) fn summary(&self) -> String {
        let end = match self.outcome {
            Outcome::Keep | Outcome::Conflict => String::new(),
            Outcome::Take if self.is_text || self.role != Role::Value => String::new(),
            Outcome::Take => {
                let Slots { dest, incoming, .. } = self.sides.as_ref();
                let [own, new] = shortened([dest, incoming]);
                format!(": your {own} → {new}")
            }
        };
        let part = match self.role {
            Role::Lead => "comment above ",
            Role::Trail => "comment beside ",
            Role::Gap if !self.is_text => "comments around ",
            Role::Name => "name of a field of ",
            Role::Layout => "layout of ",
            Role::Order => "order of ",
            Role::Gap | Role::Value => "",
        };
        format!("{part}{}{end}", self.place())
    }

    /// Whether it is about the order of the documents.
    pub(crate) fn is_of_documents(&self) -> bool {
        self.role == Role::Order && self.sides.as_ref().present().next().is_none()
    }

    /// `Deployment web .spec.replicas`
    pub(crate) fn place(&self) -> String {
        if self.is_text {
            return "lines".to_owned();
        }
        if self.is_of_documents() {
            return "the documents".to_owned();
        }
        if self.role == Role::Gap && self.resource.is_empty() && self.path.is_root() {
            return "the document".to_owned();
        }
        let path = self.path.short();
        if self.resource.is_empty() { path.to_string() } else { format!("{} {path}", self.resource) }
    }
}
