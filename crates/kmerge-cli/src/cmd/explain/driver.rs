//! `kmerge explain driver`: which merge the driver takes, and what it decides.

use std::io::Write as _;

use kmerge_core::git::{Merged, Written, merge};
use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::{ConflictStyle, Policy, Schema, Slots, is_template};
use kyaml_ast::Stream;

use crate::cli::explain::ExplainDriverArgs;
use crate::cli::merge::ReportFormat;
use crate::dispute;
use crate::exit::Exit;
use crate::input::{Source, read_bytes};
use crate::merge::as_written;
use crate::merge_files::only_one_is_stdin;
use crate::merge_lines::contested_lines;
use crate::options;
use crate::report::{FileReport, Words, to_json, write_text_in};
use crate::terminal;

pub(super) fn run(args: &ExplainDriverArgs) -> anyhow::Result<Exit> {
    only_one_is_stdin([&args.base, &args.ours, &args.theirs])?;
    let schema = options::schema(&args.schema)?;
    let [base, ours, theirs] = [read_bytes(&args.base)?, read_bytes(&args.ours)?, read_bytes(&args.theirs)?];
    let names = Slots { dest: Some(ours.0), base: Some(base.0), incoming: Some(theirs.0) };
    let texts = Texts { base: &base.1, ours: &ours.1, theirs: &theirs.1 };
    let merged = merge(texts, &schema);
    let written = merged.write(&ConflictStyle::Markers { style: Style::Merge, labels: LABELS });
    let report = decisions(Some((&merged, &written)), texts, names, &schema);
    let mut out = terminal::coloured_stdout();
    match args.format {
        ReportFormat::Json => write!(out, "{}", terminal::json(&to_json(report.as_slice())))?,
        ReportFormat::Text => {
            write!(out, "{}", terminal::text(&summary(texts, &merged, &written)))?;
            write!(out, "{}", report.map_or_else(String::new, |report| write_text_in(&report, Words::GIT)))?;
        }
    }
    Ok(Exit::Clean)
}

const LABELS: Labels<'static> = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };

/// Every place on which the sides do not agree, as it was merged, if that is known; `None` where one of them has no structure.
pub(crate) fn decisions(
    merged: Option<(&Merged<'_>, &Written)>,
    texts: Texts<'_>,
    names: Slots<String>,
    schema: &Schema,
) -> Option<FileReport> {
    let read = |text| Stream::parse_bytes(text).ok().filter(|stream| !is_template(stream));
    let [base, ours, theirs] = [read(texts.base)?, read(texts.ours)?, read(texts.theirs)?];
    let seats = Slots { dest: Some(&ours), base: Some(&base), incoming: Some(&theirs) };
    let mut plan = kmerge_core::merge(seats, schema, &Policy::GIT).ok()?;
    if let Some((merged, _)) = merged {
        plan.decisions = merged.decisions(&plan);
    }
    let source = |name: Option<String>, stream: &Stream<'_>| Source::new(name.unwrap_or_default(), stream.source());
    let [base, ours, theirs] = [source(names.base, &base), source(names.dest, &ours), source(names.incoming, &theirs)];
    let sources = Slots { dest: Some(&ours), base: Some(&base), incoming: Some(&theirs) };
    let mut report = FileReport::new(&plan, seats, sources);
    if let Some((merged, written)) = merged {
        as_written(&mut report, merged, written.conflict, || contested_lines(texts, sources));
    }
    Some(report)
}

/// What the line merge gives, and what is taken.
fn summary(texts: Texts<'_>, merged: &Merged<'_>, written: &Written) -> String {
    let line_merge = texts.merge(Style::Merge);
    let (conflicts, by_lines) = (line_merge.conflicts(), line_merge.text(&LABELS));
    let left = kmerge_core::markers::hunks(&written.text).len();
    let by_structure = |how: &str| format!("{how}; merge by structure: {}", count(left));
    let taken = match merged.reason() {
        Some(reason) => format!(", taken: {}", dispute::reason(reason)),
        None if texts.ours == texts.base || texts.theirs == texts.base || texts.ours == texts.theirs => {
            ", as only one version is new".to_owned()
        }
        None if conflicts == 0 && written.text == by_lines => ", sound, and taken as it is".to_owned(),
        None if conflicts == 0 => by_structure(", but not sound"),
        None => by_structure(""),
    };
    let more = if merged.contests_more().is_some() { dispute::note(merged) } else { None };
    let more = more.map_or_else(String::new, |more| format!("; {more}"));
    format!("line merge: {}{taken}{more}\n", count(conflicts))
}

fn count(conflicts: usize) -> String {
    match conflicts {
        0 => "no conflict".to_owned(),
        1 => "1 conflict".to_owned(),
        _ => format!("{conflicts} conflicts"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use super::*;

    #[test]
    fn a_report_has_a_conflict_if_the_result_has_one() {
        let (schema, mut compared) = (Schema::new(), 0);
        let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/driver");
        for case in std::fs::read_dir(suite).unwrap() {
            let case = case.unwrap().path();
            let [base, ours, theirs] =
                ["base", "ours", "theirs"].map(|side| std::fs::read(case.join(side).with_extension("yaml")).unwrap());
            let texts = Texts { base: &base, ours: &ours, theirs: &theirs };
            let merged = merge(texts, &schema);
            let written = merged.write(&ConflictStyle::Markers { style: Style::Merge, labels: LABELS });
            let names = Slots::three("ours", "base", "theirs").map(str::to_owned);
            if let Some(report) = decisions(Some((&merged, &written)), texts, names, &schema) {
                assert_eq!(report.conflicts().next().is_some(), written.conflict, "{}", case.display());
                compared += 1;
            }
        }
        assert!(compared > 500, "{compared} cases");
    }
}
