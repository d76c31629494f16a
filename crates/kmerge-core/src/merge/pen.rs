//! Writes a place of the destination anew, and leaves what stays where it is.

use kyaml_ast::{Edit, Span};

/// Writes from one place to another.
pub(crate) struct Pen<'s> {
    pub(crate) source: &'s str,
    pub(crate) newline: &'static str,
    pub(crate) at: u32,
    pub(crate) text: String,
    pub(crate) edits: Vec<Edit>,
}

impl Pen<'_> {
    /// Whether lines stand in a place, below what is written already.
    pub(crate) fn is_below(&self, place: Span, lines: Span) -> bool {
        place.contains(lines) && self.at <= lines.start
    }

    pub(crate) fn write(&mut self, above: usize, text: &str) {
        self.text += &self.newline.repeat(above);
        self.text += text;
    }

    /// Leaves lines where they are; returns these.
    pub(crate) fn keep(&mut self, old: Span, above: usize) -> Span {
        self.write(above, "");
        self.flush(old.start);
        self.at = old.end;
        old
    }

    /// The same with the blank lines above them.
    pub(crate) fn take(&mut self, old: Span) -> Span {
        let above = Span::new(self.at, old.start);
        if !self.text.is_empty() || !above.of(self.source).trim().is_empty() {
            return self.keep(old, 0);
        }
        self.at = old.end;
        above.cover(old)
    }

    /// What stands up to a place becomes what was written; blank lines of one number are alike. Returns that place.
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
