//! Merges single files that have no structure: templates, and what is not valid YAML.
//!
//! Lines that both sides changed are decided, recorded and shown like any other place.

use std::ops::Range;

use kmerge_core::lines::Texts;
use kmerge_core::markers::{Hunk, hunks};
use kmerge_core::package::MergedLines;
use kmerge_core::{BothChanged, Outcome, Role, Rule, Slots};
use kyaml_ast::{Path, Span};

use crate::diagnostic::{Code, Diagnostic};
use crate::input::Source;
use crate::merge::{Merged, style};
use crate::options::Options;
use crate::report::{FileReport, Record, Version};

/// Merges line by line, as git would; `why` says why not by structure.
pub(crate) fn merge_lines(sources: Slots<&Source>, options: &Options, why: &Diagnostic) -> anyhow::Result<Merged> {
    let [ours, base, theirs] = [sources.dest, sources.base, sources.incoming]
        .map(|source| source.map_or("", |source| &source.text).as_bytes());
    let texts = Texts { base, ours, theirs };
    sources.dest.map_or(Ok(()), |dest| refuse_open_conflicts(dest, texts))?;
    let both_changed = options.policy.both_changed;
    let merged = MergedLines::of(texts, both_changed, &style(options.conflicts, sources));
    let records = merged.both_changed.into_iter().map(|place| record(place, sources, both_changed)).collect();
    let report = FileReport { records, ..FileReport::empty(sources) };
    Ok(Merged {
        text: String::from_utf8(merged.bytes)?,
        report,
        note: Some(format!("merged line by line, because {why}")),
    })
}

/// Refuses a destination in which conflicts of an earlier merge are open: markers would stand within markers, and no side that is then
/// chosen would be one that somebody wrote. Markers that another side has as well are text.
pub(crate) fn refuse_open_conflicts(dest: &Source, Texts { ours, base, theirs }: Texts<'_>) -> Result<(), Diagnostic> {
    let is_in = |text: &[u8], hunk: &[u8]| hunks(text).into_iter().any(|other| text[other.whole] == *hunk);
    let is_text = |hunk: &Hunk| [base, theirs].into_iter().any(|text| is_in(text, &ours[hunk.whole.clone()]));
    let Some(open) = hunks(ours).into_iter().find(|hunk| !is_text(hunk)) else { return Ok(()) };
    let end = open.whole.start + ours[open.whole.start..open.ours.start].trim_ascii_end().len();
    let message = format!("{} has a conflict of an earlier merge that is not resolved", dest.name);
    Err(Diagnostic::error(Code::Marker, message)
        .at(dest, Span::new(open.whole.start as u32, end as u32), "")
        .help("resolve it, or take the file back to what it was before that merge; nothing was written"))
}

/// The lines between the first and the last that not all sides have alike: a conflict that no single value is the reason of.
pub(crate) fn contested_lines(Texts { ours, base, theirs }: Texts<'_>, sources: Slots<&Source>) -> Record {
    let least = ours.len().min(base.len()).min(theirs.len());
    let are_alike = |at: [usize; 3]| ours[at[0]] == base[at[1]] && ours[at[0]] == theirs[at[2]];
    let head = (0..least).take_while(|&at| are_alike([at; 3])).count();
    let head = ours[..head].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let from_end = |back: usize| [ours, base, theirs].map(|text| text.len() - back);
    let tail = (1..=least - head).take_while(|&back| are_alike(from_end(back))).count();
    let tail = &ours[ours.len() - tail..];
    let tail = tail.iter().position(|byte| *byte == b'\n').map_or(0, |newline| tail.len() - newline - 1);
    record(from_end(tail).map(|end| head..end), sources, BothChanged::Conflict)
}

/// Lines that both sides changed.
fn record([dest, base, incoming]: [Range<usize>; 3], sources: Slots<&Source>, both_changed: BothChanged) -> Record {
    let holds_secret = |(source, lines): (Option<&Source>, &Range<usize>)| {
        source.is_some_and(|source| source.secrets().touch(Span::new(lines.start as u32, lines.end as u32)))
    };
    let sides = [(sources.dest, &dest), (sources.base, &base), (sources.incoming, &incoming)];
    let is_secret = sides.into_iter().any(holds_secret);
    let version = |source: Option<&Source>, lines| version(source?, lines, is_secret);
    Record {
        resource: String::new(),
        path: Path::default(),
        role: Role::Gap,
        is_text: true,
        outcome: match both_changed {
            BothChanged::Keep => Outcome::Keep,
            BothChanged::Take => Outcome::Take,
            BothChanged::Conflict => Outcome::Conflict,
        },
        rule: Rule::BothChanged,
        sides: Slots {
            dest: version(sources.dest, dest),
            base: version(sources.base, base),
            incoming: version(sources.incoming, incoming),
        },
        list: None,
        list_in_words: None,
        counts: false,
    }
}

fn version(source: &Source, lines: Range<usize>, is_secret: bool) -> Option<Version> {
    let text = source.text.get(lines.clone())?.trim_end_matches(['\n', '\r']);
    let span = Span::new(lines.start as u32, (lines.start + text.len()) as u32);
    (!lines.is_empty()).then(|| Version {
        span,
        from: source.place(span.start),
        to: source.place(span.end),
        text: (!is_secret).then(|| text.to_owned()),
        indent: 0,
    })
}
