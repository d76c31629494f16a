//! Lines and columns of a text, for many places at little cost, however long a line is.

use kyaml_ast::Place;

/// Bytes between two counts.
const STRIDE: usize = 1024;

/// What precedes every [`STRIDE`]-th byte.
#[derive(Debug)]
pub(crate) struct Places(Vec<Before>);

/// What precedes a byte.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    lines: u32,
    characters: u32,
    /// Where the line of the byte starts.
    line_start: u32,
}

impl Before {
    /// The same for the byte behind `bytes`, which start at `at`.
    fn and(self, at: usize, bytes: &[u8]) -> Self {
        let last = memchr::memrchr(b'\n', bytes);
        Self {
            lines: self.lines + memchr::memchr_iter(b'\n', bytes).count() as u32,
            characters: self.characters + count_characters(bytes),
            line_start: last.map_or(self.line_start, |newline| (at + newline + 1) as u32),
        }
    }
}

impl Places {
    pub(crate) fn of(text: &str) -> Self {
        let mut before = vec![Before::default()];
        for (index, stride) in text.as_bytes().chunks(STRIDE).enumerate() {
            before.push(before[index].and(index * STRIDE, stride));
        }
        Self(before)
    }

    /// Line and column of a byte of the same text.
    pub(crate) fn place(&self, text: &str, at: u32) -> Place {
        let here = self.before(text, at);
        let column = here.characters - self.before(text, here.line_start).characters;
        Place { line: here.lines as usize + 1, column: 1 + column as usize }
    }

    fn before(&self, text: &str, at: u32) -> Before {
        let stride = at as usize / STRIDE;
        self.0[stride].and(stride * STRIDE, &text.as_bytes()[stride * STRIDE..at as usize])
    }
}

/// Characters that start in `bytes`.
fn count_characters(bytes: &[u8]) -> u32 {
    // Most texts are ASCII throughout, which is known much sooner.
    let count = if bytes.is_ascii() { bytes.len() } else { bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() };
    count as u32
}

/// Where each line of a text starts.
pub(crate) fn line_starts(text: &str) -> Vec<u32> {
    let newlines = memchr::memchr_iter(b'\n', text.as_bytes());
    std::iter::once(0).chain(newlines.map(|at| at as u32 + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_also_behind_the_first_stride() {
        let text = format!("a\n{}x", "é".repeat(2 * STRIDE));
        let place = Places::of(&text).place(&text, text.len() as u32 - 1);
        assert_eq!((place.line, place.column), (2, 2 * STRIDE + 1));
    }

    #[test]
    fn lines_are_counted_wherever_strides_end() {
        let text = "é\nab\n\n".repeat(STRIDE);
        let places = Places::of(&text);
        for at in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
            let place = places.place(&text, at as u32);
            let mut lines = text[..at].split('\n');
            assert_eq!(place.line, lines.clone().count());
            assert_eq!(place.column, 1 + lines.next_back().map_or(0, |line| line.chars().count()));
        }
    }
}
