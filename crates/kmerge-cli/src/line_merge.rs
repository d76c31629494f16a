//! The floor under every merge: what git's own line merge gives, for files that are not merged by structure.

use kmerge_core::lines::{self, Labels, Region, Side, Style, Texts};

/// What is to stand where both sides disagree.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conflicts<'a> {
    /// Markers with these labels.
    Markers(Labels<'a>),
    /// What base has.
    Base,
}

/// The text of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Merged {
    /// The result.
    pub(crate) text: Vec<u8>,
    /// Whether both sides disagree somewhere.
    pub(crate) conflict: bool,
}

/// Merges line by line; asks for the style of the markers only if there may be any to write.
pub(crate) fn merge(texts: Texts<'_>, conflicts: Conflicts<'_>, style: impl FnOnce() -> Style) -> Merged {
    if is_binary(texts) {
        let text = match conflicts {
            Conflicts::Markers(_) => texts.ours,
            Conflicts::Base => texts.base,
        };
        return Merged { text: text.to_vec(), conflict: true };
    }
    // Conflicts are widest here; without any there are none in the other styles.
    let regions = lines::merge(texts, Style::Diff3);
    if !lines::has_conflict(&regions) {
        return Merged { text: with_base(texts, &regions), conflict: false };
    }
    match conflicts {
        Conflicts::Base => Merged { text: with_base(texts, &regions), conflict: true },
        Conflicts::Markers(labels) => {
            let style = style();
            let regions = lines::merge(texts, style);
            let conflict = lines::has_conflict(&regions);
            Merged { text: lines::render(texts, &regions, style, &labels), conflict }
        }
    }
}

fn with_base(texts: Texts<'_>, regions: &[Region]) -> Vec<u8> {
    let part = |region: &Region| match region {
        Region::Clean { side: Side::Ours, range } => &texts.ours[range.clone()],
        Region::Clean { side: Side::Theirs, range } => &texts.theirs[range.clone()],
        Region::Conflict { base, .. } => &texts.base[base.clone()],
    };
    regions.iter().map(part).collect::<Vec<_>>().concat()
}

/// Whether git would take any of the texts for binary, which has no lines to merge: a zero byte stands near its start.
pub(crate) fn is_binary(texts: Texts<'_>) -> bool {
    const NEAR: usize = 8000;
    [texts.base, texts.ours, texts.theirs].into_iter().any(|text| text[..text.len().min(NEAR)].contains(&0))
}
