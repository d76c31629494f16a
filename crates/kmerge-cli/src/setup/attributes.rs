//! The lines of an attributes file that hand YAML files to kmerge: a block between two comments, so that it can be
//! found again.

const BEGIN: &str = "# kmerge: merges and diffs of YAML by structure; `kmerge setup --undo` removes these lines";
const END: &str = "# kmerge: end";
/// In place of [`END`] where the text before the block had no newline at its end, so that it gets none back.
const END_OF_LINE: &str = "# kmerge: end (the line above the first of these had no newline)";

/// The files that hold YAML.
pub(crate) const PATTERNS: [&str; 3] = ["*.yaml", "*.yml", "Kptfile"];

/// Whether the block hands a file to kmerge.
pub(crate) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    PATTERNS.iter().any(|pattern| match pattern.strip_prefix('*') {
        Some(end) => name.ends_with(end),
        None => name == *pattern,
    })
}

/// The block itself.
pub(crate) fn block() -> String {
    let lines = PATTERNS.map(|pattern| format!("{pattern} merge=kmerge diff=kmerge\n"));
    format!("{BEGIN}\n{}{END}\n", lines.concat())
}

/// `text` with the block in it: in place of an older one, else at its end, where it counts most.
pub(crate) fn with_block(text: &str) -> String {
    if let Some((before, after)) = around(text) {
        let block = if line(text, END_OF_LINE).is_some() { block().replace(END, END_OF_LINE) } else { block() };
        return format!("{before}{block}{after}");
    }
    if text.is_empty() || text.ends_with('\n') {
        return format!("{text}{}", block());
    }
    format!("{text}\n{}", block().replace(END, END_OF_LINE))
}

/// `text` without the block.
pub(crate) fn without_block(text: &str) -> String {
    let Some((before, after)) = around(text) else { return text.to_owned() };
    let had_newline = line(text, END_OF_LINE).is_none();
    let before = if had_newline || !after.is_empty() { before } else { before.trim_end_matches(['\r', '\n']) };
    format!("{before}{after}")
}

/// What stands before and after the block; `None` where there is none, or only half of it.
fn around(text: &str) -> Option<(&str, &str)> {
    let start = line(text, BEGIN)?.0;
    let end = start + line(&text[start..], END).or_else(|| line(&text[start..], END_OF_LINE))?.1;
    Some((&text[..start], &text[end..]))
}

/// First byte of the line `wanted`, and one past its newline.
fn line(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if line.trim_end_matches(['\r', '\n']) == wanted {
            return Some((start, end));
        }
        start = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_goes_to_the_end_and_comes_out_again() {
        for text in ["", "*.txt text\n", "# a comment\n\n*.yaml text\n"] {
            let with = with_block(text);
            assert_eq!(with, format!("{text}{}", block()));
            assert_eq!(with_block(&with), with);
            assert_eq!(without_block(&with), text);
        }
    }

    #[test]
    fn a_last_line_without_newline_stays_a_line() {
        let with = with_block("*.txt text");
        assert!(
            with.starts_with("*.txt text\n# kmerge: merges") && with.ends_with(&format!("{END_OF_LINE}\n")),
            "{with}"
        );
        assert_eq!(with_block(&with), with);
        assert_eq!(without_block(&with), "*.txt text");
        assert_eq!(without_block(&format!("{with}*.png binary\n")), "*.txt text\n*.png binary\n");
    }

    #[test]
    fn what_stands_around_an_older_block_stays() {
        let old = format!("before\n{BEGIN}\n*.yaml merge=old\n{END}\nafter\n");
        assert_eq!(with_block(&old), format!("before\n{}after\n", block()));
        assert_eq!(without_block(&old), "before\nafter\n");
    }

    #[test]
    fn half_a_block_is_left_alone() {
        let half = format!("{BEGIN}\n*.yaml merge=kmerge\n");
        assert_eq!(without_block(&half), half);
    }
}
