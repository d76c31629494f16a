//! Comments that are items of a list: `# - x` directly below an item that stands in the column of the list's key.
//!
//! There, the column does not tell whether a comment is about the list or about the next key. Ignores lists that are indented:
//! what stands in their column is theirs anyway.

use super::Parser;
use super::block::State;
use crate::scan;
use crate::tree::flag;

impl Parser<'_> {
    /// The flag of the comment at `at`, on the line that starts at `line`, if it is an item of a list, or a line of such an item.
    #[inline]
    pub(super) fn item_flag(&self, line: usize, at: usize) -> u8 {
        let text = scan::skip_spaces(self.bytes, at + 1);
        let is_item = self.bytes.get(text) == Some(&b'-') && self.is_at(text + 1, scan::BLANK | scan::BREAK);
        // Its other lines stand behind the dash and its blank.
        let is_inside = text >= at + 3;
        if (is_item || is_inside) && self.is_in_compact_list(line, at, is_item) { flag::ITEM } else { 0 }
    }

    fn is_in_compact_list(&self, line: usize, at: usize, is_item: bool) -> bool {
        let Some(before) = self.tape.last() else { return false };
        let below = scan::skip_break(self.bytes, scan::find_break(self.bytes, before.end as usize));
        if below != line && before.end as usize != line {
            return false;
        }
        if !is_item && !before.has(flag::ITEM) {
            return false;
        }
        let column = (at - line) as i64;
        let open = self.frames.partition_point(|frame| frame.indent <= column);
        let [.., keys, items] = &self.frames[..open] else { return false };
        let is_list = matches!(items.state, State::Item | State::Items);
        is_list && [keys.indent, items.indent] == [column; 2]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use crate::tree::Stream;

    /// The extent of the first field of the root.
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
            // Set off, no item, below no list, or in no list of that column: about what is below.
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
}
