//! What holds for every merge of files, whatever their bytes are.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use kmerge_core::ConflictStyle;
use kmerge_core::Schema;
use kmerge_core::check::Fault;
use kmerge_core::git::{Reason, Written, merge};
use kmerge_core::lines::{Labels, Region, Style, Texts};
use kyaml_ast::Stream;

use crate::merge::{MARKERS, choose, has_stable_documents, holds_twins, must_be_yaml};
use crate::{Broken, law};

static SCHEMA: LazyLock<Schema> = LazyLock::new(Schema::new);

const LABELS: Labels<'_> = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
const STYLES: [Style; 3] = [Style::Merge, Style::Diff3, Style::Zdiff3];

/// Checks the line merge of base, ours and theirs, and the merge by structure over it.
///
/// Regions cover ours and theirs in order; a side that did not change leaves the other's bytes; both directions agree
/// whether there is a conflict. Where all sides are YAML: a clean result is YAML without faults that no side had, and
/// each side of the hunks of another alone is YAML.
///
/// # Errors
///
/// The law that does not hold, with the merge.
pub fn driver([base, ours, theirs]: [&[u8]; 3]) -> Result<(), Broken> {
    let texts = Texts { base, ours, theirs };
    let shown = |broken: Broken| {
        let [base, ours, theirs] = [base, ours, theirs].map(String::from_utf8_lossy);
        Broken(format!("{broken}\n--- base\n{base}\n--- ours\n{ours}\n--- theirs\n{theirs}"))
    };
    let run = || {
        STYLES.into_iter().try_for_each(|style| by_lines(texts, style))?;
        one_sided(texts)?;
        STYLES.into_iter().try_for_each(|style| by_structure(texts, style))?;
        match [base, ours, theirs].map(std::str::from_utf8) {
            [Ok(base), Ok(ours), Ok(theirs)] if has_clear_parts([base, ours, theirs]) => both_directions(texts),
            _ => Ok(()),
        }
    };
    run().map_err(shown)
}

/// The regions of a line merge are in order and leave nothing of a conflict's sides out.
fn by_lines(texts: Texts<'_>, style: Style) -> Result<(), Broken> {
    let merged = texts.merge(style);
    let regions = merged.regions();
    let (mut ours_at, mut theirs_at) = (0, 0);
    for region in regions {
        let (at, range, text) = match region {
            Region::Ours(range) => (&mut ours_at, range, texts.ours),
            Region::Theirs(range) => (&mut theirs_at, range, texts.theirs),
            Region::Conflict { ours, base, theirs } => {
                law(theirs.start >= theirs_at && theirs.end <= texts.theirs.len(), || format!("{regions:?}"))?;
                law(base.end <= texts.base.len(), || format!("{regions:?}"))?;
                theirs_at = theirs.end;
                (&mut ours_at, ours, texts.ours)
            }
        };
        law(range.start >= *at && range.end <= text.len(), || format!("out of order: {regions:?}"))?;
        *at = range.end;
    }
    let is_same = merged.has_conflict() || merged.text(&LABELS) == merged.text_with_base();
    law(is_same, || "clean, but not as assembled".to_owned())
}

/// A side that did not change leaves the other's bytes, and so do equal sides.
fn one_sided(texts: Texts<'_>) -> Result<(), Broken> {
    let base = texts.base;
    for side in [texts.ours, texts.theirs] {
        for [ours, theirs] in [[side, base], [base, side], [side, side]] {
            let written = write(Texts { base, ours, theirs }, Style::Merge);
            law(!written.conflict && written.text == side, || format!("one side alone gives {written:?}"))?;
            let texts = Texts { base, ours, theirs };
            let by_lines = texts.merge(Style::Merge).text_with_base();
            law(by_lines == side, || format!("one side alone gives the lines {by_lines:?}"))?;
        }
    }
    Ok(())
}

fn write(texts: Texts<'_>, style: Style) -> Written {
    merge(texts, &SCHEMA).write(&ConflictStyle::Markers { style, labels: LABELS })
}

fn by_structure(texts: Texts<'_>, style: Style) -> Result<(), Broken> {
    let merged = merge(texts, &SCHEMA);
    let written = merged.write(&ConflictStyle::Markers { style, labels: LABELS });
    let base = merged.write(&ConflictStyle::Base);
    // Line by line, the style decides how far a conflict is narrowed down.
    let is_alike = base.conflict == written.conflict || merged.reason().is_some();
    law(is_alike, || format!("a conflict in one style: {written:?}\n{base:?}"))?;
    law(merged.is_clean() <= !written.conflict, || "clean with a conflict".to_owned())?;
    let sides = [texts.base, texts.ours, texts.theirs].map(Stream::parse_bytes);
    let [Ok(base), Ok(ours), Ok(theirs)] = sides else { return Ok(()) };
    if merged.reason().is_some_and(|reason| !matches!(reason, Reason::Unproven(_))) {
        return Ok(());
    }
    let Ok(text) = String::from_utf8(written.text) else {
        return law(false, || "YAML merged to what is not UTF-8".to_owned());
    };
    if !written.conflict {
        must_be_yaml(&text, "a clean merge of YAML is YAML")?;
        let known: BTreeSet<_> = [&base, &ours, &theirs].into_iter().flat_map(faults).collect();
        let stream = Stream::parse(&text).map_err(|error| Broken(error.to_string()))?;
        let new: Vec<_> = faults(&stream).into_iter().filter(|fault| !known.contains(fault)).collect();
        return law(new.is_empty(), || format!("faults that no side had: {new:?}; got\n{text}"));
    }
    let has_marker = |text: &[u8]| MARKERS.into_iter().any(|marker| String::from_utf8_lossy(text).contains(marker));
    if merged.reason().is_none() && ![texts.base, texts.ours, texts.theirs].into_iter().any(has_marker) {
        for is_ours in [true, false] {
            must_be_yaml(&choose(&text, is_ours), "each side alone is YAML")
                .map_err(|broken| Broken(format!("{broken}\n--- result\n{text}")))?;
        }
    }
    Ok(())
}

fn faults(stream: &Stream<'_>) -> BTreeSet<(Fault, String)> {
    SCHEMA.check(stream).into_iter().map(|finding| (finding.fault, finding.name)).collect()
}

/// Whether it is clear what belongs together. Where lines repeat, a diff depends on its direction, in git as well.
fn has_clear_parts(texts: [&str; 3]) -> bool {
    let is_clear = |text| Stream::parse(text).is_ok_and(|stream| !holds_twins(&stream));
    has_stable_documents(texts) && texts.into_iter().all(is_clear)
}

fn both_directions(texts: Texts<'_>) -> Result<(), Broken> {
    let back = Texts { base: texts.base, ours: texts.theirs, theirs: texts.ours };
    let [there, back] = [texts, back].map(|texts| write(texts, Style::Merge));
    law(there.conflict == back.conflict, || {
        let [there, back] = [there, back].map(|written| String::from_utf8_lossy(&written.text).into_owned());
        format!("a conflict in one direction:\n{there}--- back\n{back}")
    })
}
