//! What `kmerge check` finds in one file, before it is written down.
//!
//! A file with conflict markers is not read any further: nothing else in it counts yet. A template is read as YAML where
//! it is some; what keeps it from being YAML is then no finding.

mod broken;
mod content;
mod format;
mod merge;
mod moved;
mod renamed;

use kmerge_core::check::{Fault, Finding};
use kmerge_core::schema::ValueType;
use kmerge_core::{Resource, ResourceId, Schema, is_of_template, markers};
use kyaml_ast::{Document, Path, Span, Stream};

use crate::diagnostic::Code;
use crate::input::{Source, readable};

pub(crate) use format::write;
pub(crate) use merge::check_merge;

/// One file and its problems, in the order of the file.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) source: Source,
    pub(crate) problems: Vec<Problem>,
    /// Whether the file is a template that could be searched for markers only.
    pub(crate) is_template: bool,
    /// Kinds in it of which nobody knows the fields.
    pub(crate) unknown_kinds: Vec<String>,
}

impl Checked {
    pub(crate) const fn new(source: Source, problems: Vec<Problem>) -> Self {
        Self { source, problems, is_template: false, unknown_kinds: Vec::new() }
    }
}

/// One problem.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) level: Level,
    pub(crate) code: Code,
    pub(crate) message: String,
    /// The entry it is about, where there is one.
    pub(crate) path: Option<Path>,
    pub(crate) span: Span,
    /// What it clashes with.
    pub(crate) first: Option<Span>,
    /// Whether it is about a secret of another version, so that its line is not shown, either.
    pub(crate) is_secret: bool,
    pub(crate) help: Option<String>,
    /// What the base, a parent and the merge have.
    pub(crate) values: Option<[String; 3]>,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Error,
    /// It may be meant.
    Warning,
}

/// Checks one file.
pub(crate) fn check(name: String, bytes: Vec<u8>, schema: &Schema) -> Checked {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return undecodable(name, error.as_bytes()),
    };
    let source = Source::new(name, text);
    let markers = leftover_markers(&source.text);
    if !markers.is_empty() {
        return Checked::new(source, markers);
    }
    let schema = schema.for_file(&source.name);
    let (problems, is_template, unknown_kinds) = match Stream::parse(&source.text) {
        Ok(stream) => (faults(&stream, &schema), false, unknown_kinds(&stream, &schema)),
        Err(error) if is_of_template(&source.text, &error) => (Vec::new(), true, Vec::new()),
        Err(error) => (broken::problems(&source.text, error, &schema), false, Vec::new()),
    };
    Checked { is_template, unknown_kinds, ..Checked::new(source, problems) }
}

/// The parser says what is wrong with bytes that are no UTF-8, and where.
fn undecodable(name: String, bytes: &[u8]) -> Checked {
    let error = Stream::parse_bytes(bytes).err();
    let message = error.map_or_else(|| "the file is not UTF-8".to_owned(), |error| error.to_string());
    let good = error.map_or(0, |error| error.span.start as usize);
    let (text, span) = (readable(bytes, good), Span::at(good as u32));
    let problems = vec![Problem::new(Code::Encoding, message, span)];
    Checked::new(Source::new(name, text), problems)
}

/// Each conflict once, and each marker that belongs to none.
fn leftover_markers(text: &str) -> Vec<Problem> {
    let hunks = markers::hunks(text.as_bytes());
    let in_hunk = |at: usize| {
        let next = hunks.partition_point(|hunk| hunk.whole.end <= at);
        hunks.get(next).is_some_and(|hunk| hunk.whole.start <= at)
    };
    let conflicts = hunks.iter().map(|hunk| (hunk.whole.start..hunk.ours.start, "both sides of a conflict"));
    let stray = markers::stray(text.as_bytes()).filter(|line| !in_hunk(line.start));
    let mut found: Vec<_> =
        conflicts.chain(stray.map(|line| (line, "a conflict marker without its conflict"))).collect();
    found.sort_by_key(|(line, _)| line.start);
    let problem = |(line, message): (std::ops::Range<usize>, &str)| {
        let end = line.start + text[line.clone()].trim_end().len();
        Problem {
            help: message.starts_with("both").then(|| "`kmerge resolve FILE` solves what it can".to_owned()),
            ..Problem::new(Code::Marker, message.to_owned(), Span::new(line.start as u32, end as u32))
        }
    };
    found.into_iter().map(problem).collect()
}

fn faults(stream: &Stream<'_>, schema: &Schema) -> Vec<Problem> {
    let kind = |document: Document<'_>| Resource::of(document).map(|resource| resource.id.kind);
    let kinds: Vec<Option<String>> = stream.documents().map(kind).collect();
    let kind = |finding: &Finding| kinds.get(finding.document).and_then(Option::as_deref);
    // What is no resource has lists of its own kind, in which names mean whatever they mean there.
    let counts = |finding: &Finding| finding.fault != Fault::RepeatedName || kind(finding).is_some();
    let problem = |finding: Finding| Problem::of(finding, stream.source());
    schema.check_with_fields(stream).into_iter().filter(counts).map(problem).collect()
}

/// Kinds of which nobody knows the fields; a list is of whatever it holds.
fn unknown_kinds(stream: &Stream<'_>, schema: &Schema) -> Vec<String> {
    let unknown = schema.unknown_in(stream).into_iter();
    let kind = |Resource { id, version }| Resource {
        id: ResourceId { group: id.group, kind: id.kind, ..ResourceId::default() },
        version,
    };
    unknown.map(|resource| kind(resource).to_string()).collect()
}

impl Problem {
    fn new(code: Code, message: String, span: Span) -> Self {
        Self {
            level: Level::Error,
            code,
            message,
            path: None,
            span,
            first: None,
            is_secret: false,
            help: None,
            values: None,
        }
    }

    /// With `--schema`, what is wrong with fields counts.
    pub(crate) fn count_field(&mut self) {
        if matches!(self.code, Code::UnknownField | Code::WrongType) {
            self.level = Level::Error;
        }
    }

    /// The same further down.
    fn below(self, at: u32) -> Self {
        let below = |span: Span| Span::new(span.start + at, span.end + at);
        Self { span: below(self.span), first: self.first.map(below), ..self }
    }

    fn of(finding: Finding, source: &str) -> Self {
        let help = help(&finding, finding.span.of(source));
        let (code, message) = describe(&finding, finding.first.map(|first| first.of(source)));
        let Finding { fault, path, span, first, .. } = finding;
        let may_be_meant = matches!(fault, Fault::RepeatedName | Fault::UnknownField | Fault::WrongType);
        let level = if may_be_meant { Level::Warning } else { Level::Error };
        let span = first_line(span, source);
        let first = first.map(|first| first_line(first, source));
        let path = (!path.is_root()).then_some(path);
        Self { level, path, first, help, ..Self::new(code, message, span) }
    }
}

fn describe(finding: &Finding, first: Option<&str>) -> (Code, String) {
    let code = match finding.fault {
        Fault::DuplicateKey => Code::DuplicateKey,
        Fault::UndefinedAlias => Code::UndefinedAlias,
        Fault::DuplicateElement | Fault::RepeatedName => Code::DuplicateElement,
        Fault::DuplicateResource => Code::Duplicate,
        Fault::SecondMember => Code::SecondMember,
        Fault::UnknownField => Code::UnknownField,
        Fault::WrongType => Code::WrongType,
        _ => Code::Syntax,
    };
    let message = match (finding.fault, first) {
        (Fault::SecondMember, Some(other)) => format!("`{}` and `{other}` exclude each other", finding.shown_name()),
        _ => finding.to_string(),
    };
    (code, message)
}

/// What can be done about a fault of which this is the text.
fn help(finding: &Finding, text: &str) -> Option<String> {
    let is_word = !text.contains(char::is_whitespace) && !text.starts_with(['[', '{']);
    match (finding.similar.first(), finding.expected) {
        (Some(similar), _) => Some(format!("did you mean `{similar}`?")),
        (None, Some(ValueType::String)) => is_word.then(|| "put it in quotes".to_owned()),
        (None, Some(ValueType::Bytes)) => Some("a Secret has `stringData` for plain text".to_owned()),
        _ => None,
    }
}

/// What is underlined of a longer place.
fn first_line(span: Span, source: &str) -> Span {
    let line = span.of(source).lines().next().unwrap_or_default();
    Span::new(span.start, span.start + line.trim_end().len() as u32)
}
