//! Lines and columns of a text, for many places at little cost, however long a line is.

use kyaml_ast::Place;

/// Bytes between two counts of characters.
const STRIDE: usize = 1024;

/// Where lines start, and how many characters precede every [`STRIDE`]-th byte.
#[derive(Debug)]
pub(crate) struct Places {
    starts: Vec<u32>,
    characters: Vec<u32>,
}

impl Places {
    pub(crate) fn of(text: &str) -> Self {
        let newlines = memchr::memchr_iter(b'\n', text.as_bytes());
        let starts = std::iter::once(0).chain(newlines.map(|at| at as u32 + 1)).collect();
        let mut characters = vec![0];
        let mut count = 0;
        for stride in text.as_bytes().chunks(STRIDE) {
            count += count_characters(stride);
            characters.push(count);
        }
        Self { starts, characters }
    }

    /// Where each line starts, in bytes.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Line and column of a byte of the same text.
    pub(crate) fn place(&self, text: &str, at: u32) -> Place {
        let line = self.starts.partition_point(|&start| start <= at) - 1;
        let column = self.before(text, at) - self.before(text, self.starts[line]);
        Place { line: line + 1, column: 1 + column as usize }
    }

    fn before(&self, text: &str, at: u32) -> u32 {
        let stride = at as usize / STRIDE;
        self.characters[stride] + count_characters(&text.as_bytes()[stride * STRIDE..at as usize])
    }
}

/// Characters that start in `bytes`.
fn count_characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u32
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
}
