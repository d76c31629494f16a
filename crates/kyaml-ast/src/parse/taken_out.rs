//! Finds list items that were commented out: `# - x` in the column of a list's items, directly below an item, and the
//! other lines of such an item.
//!
//! Nothing below owns these comments: neither the next item, nor the next key if the list stands in the column of its
//! key.

use super::Parser;
use super::block::State;
use crate::scan;
use crate::tree::{Kind, flag};

impl Parser<'_> {
    /// The flag of the comment at `at`, on the line that starts at `line`: whether it is a commented-out list item, or
    /// a line of one.
    #[inline]
    pub(super) fn item_flag(&self, line: usize, at: usize) -> u8 {
        let text = scan::skip_spaces(self.bytes, at + 1);
        let is_item = self.bytes.get(text) == Some(&b'-') && self.is_at(text + 1, scan::BLANK | scan::BREAK);
        // The other lines of an item start after its dash and blank.
        let is_inside = text >= at + 3;
        if (is_item || is_inside) && self.is_in_list(line, at, is_item) { flag::ITEM } else { 0 }
    }

    fn is_in_list(&self, line: usize, at: usize, is_item: bool) -> bool {
        let Some(before) = self.tape.last() else { return false };
        let below = scan::skip_break(self.bytes, scan::find_break(self.bytes, before.leaf_span().end as usize));
        if below != line && before.leaf_span().end as usize != line {
            return false;
        }
        let is_below_item =
            before.has(flag::ITEM) || is_item && !(before.kind == Kind::Comment && before.has(flag::OWN_LINE));
        if !is_below_item {
            return false;
        }
        let column = (at - line) as i64;
        let open = self.frames.partition_point(|frame| frame.indent <= column);
        let Some(items) = self.frames[..open].last() else { return false };
        matches!(items.state, State::Item | State::Items) && items.indent == column
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use crate::tree::Stream;

    /// The extent of the root's first field.
    fn first(source: &str) -> &str {
        let stream = Stream::parse(source).unwrap();
        let root = stream.documents().next().unwrap().root().unwrap();
        root.entries().next().unwrap().extent().of(source)
    }

    #[test]
    fn an_item_that_was_taken_out_is_the_lists() {
        for (own, rest) in [
            ("l:\n- a\n# - b\n", "z: 1\n"),
            ("l:\n- a\n#- b\n# -\n", "# about z\nz: 1\n"),
            ("l:\n- name: a\n# - name: b\n#   value: c\n", "# about z\n#   too\nz: 1\n"),
            ("l:\n- a # x\n# - b\r\n", "z: 1\n"),
            ("l:\n- |\n  a\n# - b\n", "z: 1\n"),
            ("l:\n- a\n# - b\n", ""),
            // These comments belong to what is below: set off by a blank line, no item, below no list, or in the column
            // of no list.
            ("l:\n- a\n", "\n# - b\nz: 1\n"),
            ("l:\n- a\n", "# -b\nz: 1\n"),
            ("l:\n- a\n", "#   b\nz: 1\n"),
            ("l: 1\n", "# - b\nz: 1\n"),
            ("l: [a]\n", "# - b\nz: 1\n"),
            ("l:\n  - a\n", "# - b\nz: 1\n"),
            ("l:\n  - a\n  # - b\n", "# - c\nz: 1\n"),
        ] {
            assert_eq!(first(&format!("{own}{rest}")), own);
        }
    }

    #[test]
    fn an_item_that_was_taken_out_is_not_about_the_next_one() {
        for (above, own) in [
            ("  # - b\n", ""),
            ("  #- b\n  # - c\n", ""),
            ("  # - name: b\n  #   value: c\n", "  # about it\n"),
            // These comments belong to what is below: set off, not in the list's column, no item, or part of another
            // comment.
            ("\n", "  # - b\n"),
            ("    # - b\n", ""),
            ("", "# - b\n"),
            ("", "  # -b\n  # - c\n"),
            ("", "  # about it:\n  # - b\n"),
        ] {
            for list in ["l:\n", ""] {
                let source = format!("{list}  - a\n{above}{own}  - z\n");
                let stream = Stream::parse(&source).unwrap();
                let root = stream.documents().next().unwrap().root().unwrap();
                let items = if list.is_empty() { root } else { root.entries().next().unwrap().value() };
                let last = items.entries().last().unwrap();
                assert_eq!(last.extent().of(&source), format!("{own}  - z\n"), "{source}");
            }
        }
    }
}
