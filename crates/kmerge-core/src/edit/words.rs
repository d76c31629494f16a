//! Splits a statement into words. Blanks separate words, except in quotes and brackets.

/// A part of a line, and its start byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

/// A line, and the position up to which it was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) const fn new(line: &'a str) -> Self {
        Self { line, at: 0 }
    }

    fn skip_blanks(&mut self) {
        let rest = &self.line[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The start of the next word, or the end of the line.
    pub(super) fn at(mut self) -> usize {
        self.skip_blanks();
        self.at
    }

    /// The rest of the line.
    pub(super) fn rest(mut self) -> Word<'a> {
        self.skip_blanks();
        Word { text: self.line[self.at..].trim_end(), at: self.at }
    }

    /// The next word. Reads no more than needed to find its end.
    pub(super) fn next(&mut self) -> Option<Word<'a>> {
        self.skip_blanks();
        let rest = &self.line[self.at..];
        let (mut quote, mut depth, mut is_escaped) = (None, 0_usize, false);
        let end = rest.char_indices().find(|&(_, char)| {
            match (quote, char) {
                _ if is_escaped => is_escaped = false,
                (Some('"'), '\\') => is_escaped = true,
                (Some(open), char) if open == char => quote = None,
                (None, '"' | '\'') => quote = Some(char),
                (None, '[') => depth += 1,
                (None, ']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            quote.is_none() && depth == 0 && char.is_whitespace()
        });
        let text = &rest[..end.map_or(rest.len(), |(at, _)| at)];
        let word = Word { text, at: self.at };
        self.at += text.len();
        (!text.is_empty()).then_some(word)
    }
}

impl Word<'_> {
    /// The word without quotes around all of it.
    pub(super) fn unquoted(self) -> String {
        let text = self.text;
        match text.chars().next() {
            Some(quote @ ('"' | '\'')) if text.len() > 1 && text.ends_with(quote) => {
                let inner = &text[1..text.len() - 1];
                if quote == '"' { inner.replace("\\\"", "\"").replace("\\\\", "\\") } else { inner.replace("''", "'") }
            }
            _ => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn blanks_in_quotes_and_brackets_part_nothing() {
        let mut words = Words::new("  set  .a[\"b c\"]['d ]']  x y # z ");
        assert_eq!(words.next().map(|word| (word.text, word.at)), Some(("set", 2)));
        assert_eq!(words.next().map(|word| word.text), Some(".a[\"b c\"]['d ]']"));
        assert_eq!(words.rest().text, "x y # z");
        assert_eq!(Words::new("'a b'").next().map(super::Word::unquoted), Some("a b".to_owned()));
        assert!(Words::new("  ").next().is_none());
    }
}
