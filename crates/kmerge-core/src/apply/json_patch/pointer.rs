//! JSON pointers (RFC 6901): paths into a value.

use std::fmt;

use super::JsonPatchErrorKind;

/// Steps from the root. Without steps: the root itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pointer {
    steps: Vec<String>,
}

impl Pointer {
    /// Reads a pointer. A `~` that is no escape stands for itself.
    ///
    /// # Errors
    ///
    /// If the text is not empty and does not start with a slash.
    pub(crate) fn parse(text: &str) -> Result<Self, JsonPatchErrorKind> {
        if text.is_empty() {
            return Ok(Self { steps: Vec::new() });
        }
        let steps = text.strip_prefix('/').ok_or(JsonPatchErrorKind::BadPointer)?;
        Ok(Self { steps: steps.split('/').map(|step| step.replace("~1", "/").replace("~0", "~")).collect() })
    }

    /// The steps, decoded.
    #[must_use]
    pub(crate) fn steps(&self) -> &[String] {
        &self.steps
    }

    /// The steps to the value that contains the place, and the last step. `None` for the root.
    #[must_use]
    pub(crate) fn split_last(&self) -> Option<(&[String], &str)> {
        self.steps.split_last().map(|(last, way)| (way, last.as_str()))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| write!(out, "/{}", step.replace('~', "~0").replace('/', "~1")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_decoded() {
        let pointer = Pointer::parse("/metadata/annotations/a~1b~0c").unwrap();
        assert_eq!(pointer.steps(), ["metadata", "annotations", "a/b~c"]);
        assert_eq!(Pointer::parse("a").err(), Some(JsonPatchErrorKind::BadPointer));
    }
}
