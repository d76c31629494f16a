//! Finds list items that were commented out: `# - x` in the column of a list's items, directly below an item, and the
//! other lines of such an item. Where all items were, they stand in the column of the list's key, directly below it.
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
        let is_item = self.is_dash(text);
        // The other lines of an item start after its dash and blank.
        let is_inside = text >= at + 3;
        if (is_item || is_inside) && self.is_in_list(line, at, is_item) { flag::ITEM } else { 0 }
    }

    /// Flags the comments from tape index `first` on that are the items of a list of which the key, in `column`, is left: nothing
    /// stands at `at`, where the list would.
    pub(super) fn flag_all_items(&mut self, first: usize, at: usize, column: usize) {
        let mut is_below_item = false;
        let mut line = self.line_below(at);
        for index in first..self.tape.len() {
            let comment = self.tape[index];
            let start = comment.start as usize;
            if comment.has(flag::OWN_LINE) {
                let text = scan::skip_spaces(self.bytes, start + 1);
                let is_item = self.is_dash(text) || is_below_item && text >= start + 3;
                if !is_item || start != line + column {
                    return;
                }
                self.tape[index].flags |= flag::ITEM;
                (is_below_item, line) = (true, self.line_below(start));
            }
        }
    }

    fn is_dash(&self, at: usize) -> bool {
        self.bytes.get(at) == Some(&b'-') && self.is_at(at + 1, scan::BLANK | scan::BREAK)
    }

    /// Where the line below a place starts.
    fn line_below(&self, at: usize) -> usize {
        scan::skip_break(self.bytes, scan::find_break(self.bytes, at))
    }

    fn is_in_list(&self, line: usize, at: usize, is_item: bool) -> bool {
        let Some(before) = self.tape.last() else { return false };
        if self.line_below(before.leaf_span().end as usize) != line && before.leaf_span().end as usize != line {
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
            // All of them.
            ("l:\n# - a\n#   b: 1\n# - c\n", "z: 1\n"),
            ("l: # x\r\n# - a\r\n", "# about z\nz: 1\n"),
            ("l: !t\n# - a\n", ""),
            // These comments belong to what is below: set off by a blank line, no item, below no list, or in the column
            // of no list.
            ("l:\n- a\n", "\n# - b\nz: 1\n"),
            ("l:\n- a\n", "# -b\nz: 1\n"),
            ("l:\n- a\n", "#   b\nz: 1\n"),
            ("l: 1\n", "# - b\nz: 1\n"),
            ("l:\n", "\n# - b\nz: 1\n"),
            ("l:\n", "# about z:\n# - b\nz: 1\n"),
            ("l:\n", "#   b\nz: 1\n"),
            ("k:\n  l:\n", "# - b\nz: 1\n"),
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
