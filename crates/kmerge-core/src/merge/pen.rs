//! Writes one place of the destination. Lines that stay are left where they are.

use kyaml_ast::{Edit, Span};

/// The state of writing: everything before `at` is done, and `text` is not yet in an edit.
pub(crate) struct Pen<'s> {
    pub(crate) source: &'s str,
    pub(crate) newline: &'static str,
    pub(crate) at: u32,
    pub(crate) text: String,
    pub(crate) edits: Vec<Edit>,
}

impl Pen<'_> {
    /// Whether lines stand in `place`, below everything that is done.
    pub(crate) fn is_below(&self, place: Span, lines: Span) -> bool {
        place.contains(lines) && self.at <= lines.start
    }

    pub(crate) fn write(&mut self, above: usize, text: &str) {
        self.text += &self.newline.repeat(above);
        self.text += text;
    }

    /// Leaves lines where they are, below `above` blank lines. Returns their span.
    pub(crate) fn keep(&mut self, old: Span, above: usize) -> Span {
        self.write(above, "");
        self.flush(old.start);
        self.at = old.end;
        old
    }

    /// Leaves lines where they are, and counts the blank lines above them as a part of them. Returns the span of both.
    pub(crate) fn take(&mut self, old: Span) -> Span {
        let above = Span::new(self.at, old.start);
        if !self.text.is_empty() || !above.of(self.source).trim().is_empty() {
            return self.keep(old, 0);
        }
        self.at = old.end;
        above.cover(old)
    }

    /// Writes the pending text in the place of everything up to `end`. Makes no edit if both have only blank lines, the
    /// same number of them. Returns the empty span at the end.
    pub(crate) fn flush(&mut self, end: u32) -> Span {
        let span = Span::new(self.at, end.max(self.at));
        let old = span.of(self.source);
        let count = |text: &str| text.matches('\n').count();
        let is_same = old.trim().is_empty() && self.text.trim().is_empty() && count(old) == count(&self.text);
        let mut text = std::mem::take(&mut self.text);
        self.at = span.end;
        if is_same {
            return Span::at(span.end);
        }
        let before = self.source[..span.start as usize].trim_end_matches('\u{feff}');
        if !before.is_empty() && !before.ends_with('\n') && (!text.is_empty() || count(old) > 0) {
            text.insert_str(0, self.newline);
        }
        self.edits.push(Edit::Text { span, text });
        Span::at(span.end)
    }
}
