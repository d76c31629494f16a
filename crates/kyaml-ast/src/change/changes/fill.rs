//! Adds the first content to a document without content.

use super::Changes;
use crate::change::draft::{Leaf, draft};
use crate::change::{ChangeError, Given, NewValue, TARGET, deepest_entry};
use crate::edit::{Content, Edit, Graft, StreamId};
use crate::path::{Pattern, Segment, Step};
use crate::span::{Newline, Span};
use crate::splice::splice;
use crate::tree::{Document, Stream};

impl<'t> Changes<'t> {
    /// Adds the first fields, or the root, to a document without content.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn fill(&mut self, document: Document<'t>, pattern: &Pattern, value: NewValue<'_>) -> Result<(), ChangeError> {
        if self.is_json {
            return self.fill_brackets(document, pattern, value);
        }
        let stream = value.stream()?;
        let value = value.given(stream.as_ref())?;
        let habits = self.habits(None);
        let leaf = if let Given::Text(text) = value { Leaf::Text(text) } else { Leaf::Nothing };
        let mut text = draft(pattern.steps(), leaf, habits).ok_or(ChangeError::Empty)?;
        if let Given::Node(node) = value {
            let frame = Stream::parse(&text).map_err(ChangeError::Broken)?;
            let content = Content::Root(Graft::new(StreamId(1), node.id()));
            let edit = match (deepest_entry(&frame), frame.documents().next().and_then(Document::root)) {
                (Some(entry), _) => Edit::ReplaceValue { entry, content },
                (None, Some(root)) => Edit::ReplaceRoot { root: root.id(), content },
                (None, None) => return Err(ChangeError::Root),
            };
            text = splice(&[&frame, node.stream], TARGET, &[edit])?;
        }
        let own = document.text();
        if !own.trim_start_matches('\u{feff}').is_empty() && !own.ends_with('\n') {
            text.insert_str(0, habits.newline.as_str());
        }
        self.edits.push(Edit::Text { span: Span::at(document.span().end), text });
        self.is_filled = true;
        Ok(())
    }

    /// Adds the first fields to a file without content, in brackets.
    fn fill_brackets(
        &mut self,
        document: Document<'t>,
        pattern: &Pattern,
        value: NewValue<'_>,
    ) -> Result<(), ChangeError> {
        let is_list = match pattern.steps().first() {
            Some(Step::One(step)) => !matches!(step, Segment::Field(_)),
            Some(Step::New(_) | Step::Items | Step::Where(_)) => true,
            _ => false,
        };
        let stream = Stream::parse(if is_list { "[]" } else { "{}" }).map_err(ChangeError::Broken)?;
        let mut changes = Changes::of_json(&stream);
        let inner = stream.documents().next().ok_or(ChangeError::Empty)?;
        let root = inner.root().ok_or(ChangeError::Empty)?;
        let ends = pattern.follow(root);
        if ends.is_empty() {
            return Err(ChangeError::Empty);
        }
        for end in ends {
            changes.set(inner, &end, value)?;
        }
        let text = changes.finish()? + Newline::of(self.stream.source).as_str();
        self.edits.push(Edit::Text { span: Span::at(document.span().end), text });
        self.is_filled = true;
        Ok(())
    }
}
