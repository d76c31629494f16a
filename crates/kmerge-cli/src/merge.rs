//! Merges named texts: parses them, merges, renders, and reports what was decided.

use std::borrow::Cow;

use anyhow::{bail, ensure};
use kmerge_core::git;
use kmerge_core::lines::Texts;
use kmerge_core::package::Terms;
use kmerge_core::{ConflictStyle, MergeError, Outcome, Policy, Rule, Schema, Side, Slots, Unkeyed, render};
use kyaml_ast::{Span, Stream};

use crate::crds::known;
use crate::diagnostic::{Code, Diagnostic};
use crate::dispute;
use crate::input::Source;
use crate::merge_lines::{contested_lines, merge_lines};
use crate::options::{Conflicts, Options};
use crate::report::{FileReport, Record};

/// What a merge of one file gives.
#[derive(Debug)]
pub(crate) struct Merged {
    /// The result. Where conflicts end the merge, it is not written, and one version or another stands in their places.
    pub(crate) text: String,
    /// What was decided.
    pub(crate) report: FileReport,
    /// Why it is not the merge by structure, or has more in conflict than what both sides changed.
    pub(crate) note: Option<String>,
}

/// Merges single files: by structure, or, with a base, line by line where one of them has none.
pub(crate) fn merge(sources: Slots<&Source>, options: &Options) -> anyhow::Result<Merged> {
    if let Some(merged) = nothing_to_merge(sources) {
        return Ok(merged);
    }
    let [dest, base, incoming] = match parse_all(sources) {
        Ok(streams) => streams,
        Err(why) if sources.base.is_some() => return merge_lines(sources, options, &why),
        Err(why) => return Err(why.into()),
    };
    let streams = Slots { dest: dest.as_ref(), base: base.as_ref(), incoming: incoming.as_ref() };
    let schema = schema(options, sources, streams)?;
    let conflicts = &style(options.conflicts, sources);
    merge_streams(sources, streams, Terms { schema: &schema, policy: &options.policy, conflicts })
}

/// Merges single files of which is known what their kinds are.
pub(crate) fn merge_streams(
    sources: Slots<&Source>,
    streams: Slots<&Stream<'_>>,
    terms: Terms<'_>,
) -> anyhow::Result<Merged> {
    // What both have twice, and alike, is merged with itself one by one.
    let is_alike = sources.dest.zip(sources.incoming).is_some_and(|(dest, incoming)| dest.text == incoming.text);
    if terms.policy.unkeyed == Unkeyed::Atomic && !is_alike {
        for (side, stream) in streams.present() {
            sources.get(side).map_or(Ok(()), |source| refuse_repeated(source, stream))?;
        }
    }
    let unusable = |error| explain_error(&error, sources);
    let plan = kmerge_core::merge(streams, terms.schema, terms.policy).map_err(unusable)?;
    if let (true, Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) }) =
        (*terms.policy == Policy::GIT, sources)
    {
        let texts = Texts { base: base.text.as_bytes(), ours: ours.text.as_bytes(), theirs: theirs.text.as_bytes() };
        let merged = git::merge(texts, terms.schema);
        let report = FileReport::of(&merged.decisions(&plan).iter().collect::<Vec<_>>(), streams, sources);
        return for_git(&merged, terms.conflicts, report, || contested_lines(texts, sources));
    }
    let report = FileReport::new(&plan, streams, sources);
    let text = render(&plan, streams, terms.conflicts).map_err(unusable)?;
    if let (true, Some(dest)) = (plan.conflicts.is_empty(), streams.dest) {
        verify(&text, dest, sources)?;
    }
    Ok(Merged { text, report, note: None })
}

/// What the merge driver makes of the sides: a result that proved sound, so that both give the same. The report is that of the
/// merge by structure; what lines could merge is no conflict.
fn for_git(
    merged: &git::Merged<'_>,
    conflicts: &ConflictStyle<'_>,
    mut report: FileReport,
    lines: impl FnOnce() -> Record,
) -> anyhow::Result<Merged> {
    let written = merged.write(conflicts);
    as_written(&mut report, merged, written.conflict, lines);
    Ok(Merged { text: String::from_utf8(written.text)?, report, note: dispute::note(merged) })
}

/// Makes a report of a merge by structure one of what was written: there is a conflict in it if there is one in the text.
pub(crate) fn as_written(
    report: &mut FileReport,
    merged: &git::Merged<'_>,
    is_in_conflict: bool,
    lines: impl FnOnce() -> Record,
) {
    if merged.reason().is_some() {
        // What the merge by structure kept or overwrote is in conflict, or lines did not touch it.
        report.records.retain(|record| record.outcome == Outcome::Conflict || record.rule != Rule::BothChanged);
    }
    if !is_in_conflict {
        report.records.retain(|record| record.outcome != Outcome::Conflict);
    } else if report.conflicts().next().is_none() {
        report.records.push(lines());
    }
}

/// The destination, where all three sides are one text: whatever it is, nothing has to be known about it.
fn nothing_to_merge(sources: Slots<&Source>) -> Option<Merged> {
    let (dest, base, incoming) = (sources.dest?, sources.base?, sources.incoming?);
    let is_same = dest.text == base.text && base.text == incoming.text;
    let report = || FileReport::empty(sources);
    is_same.then(|| Merged { text: dest.text.clone(), report: report(), note: None })
}

/// A JSON file stays one, if a side of it is: whoever reads it knows no YAML, and one document.
pub(crate) fn refuse_broken_json<'b>(
    name: &str,
    mut sides: impl Iterator<Item = &'b [u8]>,
    text: &str,
) -> anyhow::Result<()> {
    let is_json = |text: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
    if !name.ends_with(".json") || is_json(text.as_bytes()) || !sides.any(is_json) {
        return Ok(());
    }
    ensure!(
        Stream::parse(text).is_ok_and(|stream| stream.documents().count() == 1),
        "{name} would hold several documents, and JSON holds one. Give all but one of them another file. Nothing was written"
    );
    bail!(
        "{name} would not be JSON any more: what is merged into it is YAML. Write that as JSON, or give the file another \
         name. Nothing was written"
    )
}

/// A resource that a side has twice has no one counterpart.
fn refuse_repeated(source: &Source, stream: &Stream<'_>) -> Result<(), Diagnostic> {
    let Some((id, [first, second])) = kmerge_core::Resource::repeated(stream) else { return Ok(()) };
    let message = format!("{} has {id} twice, so that nothing says which one is meant", source.name);
    Err(Diagnostic::error(Code::Duplicate, message).at(source, second, "again").at(source, first, "first"))
}

/// What is known about the kinds in the texts; the destination's name says what a document without a kind is.
fn schema<'o>(
    options: &'o Options,
    sources: Slots<&Source>,
    streams: Slots<&Stream<'_>>,
) -> std::io::Result<Cow<'o, Schema>> {
    let order = [Side::Dest, Side::Incoming, Side::Base];
    let texts: Vec<_> = order.iter().filter_map(|side| Some((*sources.get(*side)?, *streams.get(*side)?))).collect();
    known(&options.schema, &texts)
}

/// The trees of all sides.
fn parse_all(sources: Slots<&Source>) -> Result<[Option<Stream<'_>>; 3], Diagnostic> {
    let base = sources.base.map(Source::parse_mergeable).transpose();
    let dest = parse_like(base.as_ref().ok().and_then(Option::as_ref), sources.dest)?;
    let base = base?;
    let incoming = parse_like(base.as_ref().or(dest.as_ref()), sources.incoming)?;
    Ok([dest, base, incoming])
}

/// The tree of a text of which only what another one does not have has to be read.
fn parse_like<'s>(other: Option<&Stream<'_>>, source: Option<&'s Source>) -> Result<Option<Stream<'s>>, Diagnostic> {
    let parse = |source: &'s Source| match other {
        Some(other) => source.parse_mergeable_like(other),
        None => source.parse_mergeable(),
    };
    source.map(parse).transpose()
}

/// What conflicts become in the result.
pub(crate) fn style<'a>(conflicts: Conflicts, sources: Slots<&'a Source>) -> ConflictStyle<'a> {
    let name = |source: Option<&'a Source>| source.map_or("", |source| &source.name);
    conflicts.style([sources.dest, sources.base, sources.incoming].map(name))
}

/// Why texts that parse cannot be merged.
pub(crate) fn explain_error(error: &MergeError, sources: Slots<&Source>) -> Diagnostic {
    let Some((code, side, span, help)) = place_of(error) else {
        return Diagnostic::error(Code::BrokenResult, error.to_string()).help(DEFECT);
    };
    let found = Diagnostic::error(code, error.to_string());
    let found = sources.get(side).into_iter().fold(found, |found, source| found.at(source, span, ""));
    if help.is_empty() { found } else { found.help(help) }
}

/// The code of an error, its place, and what to do about it. `None` if it is a defect.
pub(crate) const fn place_of(error: &MergeError) -> Option<(Code, Side, Span, &'static str)> {
    match error {
        MergeError::UnknownDirective { span, .. } => Some((Code::Directive, Side::Incoming, *span, "")),
        MergeError::PatchDirective { span, .. } => {
            Some((Code::Directive, Side::Incoming, *span, "`kmerge patch` executes it"))
        }
        MergeError::Inherited { span, .. } => {
            Some((Code::Anchor, Side::Dest, *span, "remove it where it comes from, for all that refer to it"))
        }
        MergeError::RepeatedKey { side, span, .. } => {
            Some((Code::DuplicateKey, *side, *span, "remove one of them; nothing was written"))
        }
        MergeError::TooManyAliases { span, .. } => {
            Some((Code::Anchor, Side::Dest, *span, "write values in the place of some aliases"))
        }
        _ => None,
    }
}

/// What to say when the result cannot be what was meant.
pub(crate) const DEFECT: &str =
    "this is a defect of kmerge; nothing was written. Please report it with the input files";

/// A result that does not parse never gets out, nor does a new alias without an anchor.
fn verify(text: &str, dest: &Stream<'_>, sources: Slots<&Source>) -> Result<(), Diagnostic> {
    let name = sources.dest.map_or("result", |dest| &dest.name);
    let result = || Source::new(format!("{name} (merged)"), text);
    match dest.parse_again(text) {
        Ok(stream) => refuse_undefined(&stream, dest, &result()),
        Err(error) => {
            let message = format!("the result is not valid YAML: {error}");
            Err(Diagnostic::error(Code::BrokenResult, message).at(&result(), error.span, "").help(DEFECT))
        }
    }
}

/// Refuses an alias without an anchor, unless the destination has such an alias already.
pub(crate) fn refuse_undefined(stream: &Stream<'_>, dest: &Stream<'_>, result: &Source) -> Result<(), Diagnostic> {
    let first = |stream: &Stream<'_>| {
        let (alias, _) = stream.references().find(|(_, target)| target.is_none())?;
        Some((alias.text().to_owned(), alias.span()))
    };
    match (first(stream), first(dest)) {
        (Some((name, span)), None) => {
            let message = format!("there is no anchor before the alias {name}");
            let found = Diagnostic::error(Code::UndefinedAlias, message).at(result, span, "");
            Err(found.help("define the anchor where it comes from, or write the value; nothing was written"))
        }
        _ => Ok(()),
    }
}
