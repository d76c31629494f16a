//! Collects edits of one document by path and writes them at once.
//!
//! Each edit sees the result of the edits before it. If an edit is about a place that an earlier one changed, the
//! earlier ones are written first and the new text is read again. Callers need not know about this. Invariant: after an
//! error nothing is half done.

use super::changes::Changes;
use super::{ChangeError, NewValue};
use crate::edit::CommentSlot;
use crate::path::{End, Path, Pattern, Segment, Step};
use crate::tree::{Document, Stream};

/// Collected edits of one document; see [`Document::edit`].
#[derive(Clone, Debug)]
#[must_use = "edits are made by `finish`"]
pub struct DocumentEdits<'t, 'v> {
    document: Document<'t>,
    edits: Vec<(Pattern, Action<'v>)>,
}

/// What an edit does at its place.
#[derive(Clone, Copy, Debug)]
enum Action<'v> {
    Set(NewValue<'v>),
    Delete,
    Rename(&'v str),
    Comment(CommentSlot, &'v str),
}

impl<'t> Document<'t> {
    /// Starts edits of this document.
    ///
    /// ```
    /// use kyaml_ast::{CommentSlot, NewValue, Path, Stream};
    ///
    /// let stream = Stream::parse("spec:\n  replicas: 3   # tuned\n  image: \"app:1\"\n")?;
    /// let document = stream.documents().next().expect("a stream has a document");
    /// let [replicas, image, paused]: [Path; 3] =
    ///     [".spec.replicas".parse()?, ".spec.image".parse()?, ".spec.paused".parse()?];
    /// let text = document
    ///     .edit()
    ///     .set(&image, NewValue::Text("app:2"))
    ///     .set(&paused, NewValue::Yaml("true"))
    ///     .set(&replicas, NewValue::Yaml("5"))
    ///     .comment(&image, CommentSlot::Trail, "checked")
    ///     .finish()?;
    /// assert_eq!(text, "spec:\n  replicas: 5   # tuned\n  image: \"app:2\" # checked\n  paused: true\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn edit<'v>(self) -> DocumentEdits<'t, 'v> {
        DocumentEdits { document: self, edits: Vec::new() }
    }
}

impl<'v> DocumentEdits<'_, 'v> {
    /// Puts a value at the end of a path, as [`Document::set`] does.
    pub fn set(self, path: &Path, value: NewValue<'v>) -> Self {
        self.with(path, Action::Set(value))
    }

    /// Removes an entry with its comments.
    pub fn delete(self, path: &Path) -> Self {
        self.with(path, Action::Delete)
    }

    /// Gives a field another name.
    pub fn rename(self, path: &Path, name: &'v str) -> Self {
        self.with(path, Action::Rename(name))
    }

    /// Writes a comment beside or above an entry, with or without `#`. It never removes a comment.
    pub fn comment(self, path: &Path, slot: CommentSlot, text: &'v str) -> Self {
        self.with(path, Action::Comment(slot, text))
    }

    fn with(mut self, path: &Path, action: Action<'v>) -> Self {
        self.edits.push((Pattern::from(path), action));
        self
    }

    /// The new text of the stream.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn finish(self) -> Result<String, ChangeError> {
        let id = self.document.id();
        let index = self.document.stream().documents().take_while(|document| document.id() != id).count();
        let (mut text, mut rest) = write(self.document, &self.edits)?;
        while !rest.is_empty() {
            let stream = Stream::parse(&text).map_err(ChangeError::Broken)?;
            let document = stream.documents().nth(index).ok_or(ChangeError::Empty)?;
            let (next, left) = write(document, rest)?;
            (text, rest) = (next, left);
        }
        Ok(text)
    }
}

type Edits<'e, 'v> = &'e [(Pattern, Action<'v>)];

/// Writes as many of the first edits as can be written at once. Returns the new text and the edits that are left.
fn write<'e, 'v>(document: Document<'_>, edits: Edits<'e, 'v>) -> Result<(String, Edits<'e, 'v>), ChangeError> {
    let mut changes = Changes::new(document.stream());
    for (at, (pattern, action)) in edits.iter().enumerate() {
        if !add(&mut changes, document, pattern, *action)? {
            return Ok((changes.finish()?, &edits[at..]));
        }
    }
    Ok((changes.finish()?, &[]))
}

/// Collects an edit. Returns `false` if other edits must be written first.
fn add<'t>(
    changes: &mut Changes<'t>,
    document: Document<'t>,
    pattern: &Pattern,
    action: Action<'_>,
) -> Result<bool, ChangeError> {
    let Some(root) = document.root() else { return fill(changes, document, pattern, action) };
    let ends = pattern.follow(root);
    let holds_name = |end: &End<'_, '_>| match action {
        Action::Rename(name) => changes.holds_name(end.found, name),
        _ => true,
    };
    if ends.iter().any(|end| !changes.holds(end) || !holds_name(end)) {
        return Ok(false);
    }
    for end in ends {
        match (action, end.error()) {
            (Action::Set(value), None) => changes.set(document, &end, value)?,
            (Action::Set(value), Some(_)) if is_addable(&end) => changes.set(document, &end, value)?,
            (_, Some(error)) => return Err(error.into()),
            (Action::Delete, None) => changes.delete(document, end.found)?,
            (Action::Rename(name), None) => changes.rename(document, end.found, name)?,
            (Action::Comment(slot, text), None) => changes.comment(end.found, slot, text)?,
        }
    }
    Ok(true)
}

/// Adds the first fields to a document without content.
fn fill<'t>(
    changes: &mut Changes<'t>,
    document: Document<'t>,
    pattern: &Pattern,
    action: Action<'_>,
) -> Result<bool, ChangeError> {
    match action {
        _ if !changes.is_empty() => Ok(false),
        Action::Set(value) if are_fields(pattern.steps()) => changes.fill(document, pattern, value).map(|()| true),
        Action::Set(_) | Action::Comment(..) => Err(ChangeError::Empty),
        Action::Delete | Action::Rename(_) => Err(ChangeError::Root),
    }
}

/// Whether only fields are missing.
fn is_addable(end: &End<'_, '_>) -> bool {
    end.rest.as_ref().is_some_and(|(rest, _)| are_fields(rest))
}

fn are_fields(steps: &[Step]) -> bool {
    steps.iter().all(|step| matches!(step, Step::One(Segment::Field(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        text.parse().unwrap()
    }

    fn edits<'t>(stream: &'t Stream<'t>) -> DocumentEdits<'t, 'static> {
        stream.documents().next().unwrap().edit()
    }

    #[test]
    fn each_edit_sees_those_before_it() {
        let stream = Stream::parse("a: 1\nb: 2 # two\n---\nz: 1\n").unwrap();
        let edits = edits(&stream).set(&path(".c.d"), NewValue::Yaml("1")).set(&path(".c.d"), NewValue::Yaml("2"));
        let edits = edits.rename(&path(".c"), "k").comment(&path(".k.d"), CommentSlot::Lead, "new").delete(&path(".a"));
        assert_eq!(edits.finish().unwrap(), "b: 2 # two\nk:\n  # new\n  d: 2\n---\nz: 1\n");
    }

    #[test]
    fn text_is_a_string_and_yaml_is_what_it_says() {
        let stream = Stream::parse("a: 1\n").unwrap();
        let with = |value| edits(&stream).set(&path(".a"), value).finish();
        assert_eq!(with(NewValue::Text("5")).unwrap(), "a: \"5\"\n");
        assert_eq!(with(NewValue::Yaml("5")).unwrap(), "a: 5\n");
        assert_eq!(with(NewValue::Yaml("x: [1]\ny: 2\n")).unwrap(), "a:\n  x: [1]\n  y: 2\n");
        assert_eq!(with(NewValue::Yaml("")), Err(ChangeError::NoValue));
        assert!(matches!(with(NewValue::Yaml("[1")), Err(ChangeError::Value(_))));
    }

    #[test]
    fn a_document_without_content_gets_its_first_fields_and_then_more() {
        let stream = Stream::parse("# c\n").unwrap();
        let edits = edits(&stream).set(&path(".a.b"), NewValue::Yaml("1")).set(&path(".a.c"), NewValue::Text("x"));
        assert_eq!(edits.finish().unwrap(), "# c\na:\n  b: 1\n  c: x\n");
    }

    #[test]
    fn what_is_missing_is_an_error_and_nothing_is_written() {
        let stream = Stream::parse("a: 1\n").unwrap();
        let found = edits(&stream).set(&path(".b"), NewValue::Text("x")).delete(&path(".c")).finish();
        assert!(matches!(found, Err(ChangeError::Lookup(_))));
        assert_eq!(edits(&stream).delete(&Path::root()).finish(), Err(ChangeError::Root));
    }
}
