//! Comments that give an image policy control of a value: `# {"$imagepolicy": "flux-system:podinfo:tag"}`.

use std::str::FromStr;

use super::ImageError;
use crate::resource::text;
use kyaml_ast::{Document, Stream};

/// A policy, and the part of a reference that it controls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Namespace and name.
    name: String,
    part: Option<Part>,
}

/// A part of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Tag,
    Name,
}

impl FromStr for Policy {
    type Err = ImageError;

    fn from_str(text: &str) -> Result<Self, ImageError> {
        let parts: Vec<&str> = text.split(':').collect();
        let (namespace, name, part) = match *parts.as_slice() {
            [namespace, name] => (namespace, name, None),
            [namespace, name, "tag"] => (namespace, name, Some(Part::Tag)),
            [namespace, name, "name"] => (namespace, name, Some(Part::Name)),
            _ => return Err(ImageError::Policy),
        };
        let is_named = !namespace.is_empty() && !name.is_empty();
        if is_named { Ok(Self { name: format!("{namespace}:{name}"), part }) } else { Err(ImageError::Policy) }
    }
}

impl Policy {
    /// The policy that a comment names.
    pub(super) fn in_comment(comment: &str) -> Option<Self> {
        let content = comment.trim().strip_prefix('#')?;
        if !content.contains("$imagepolicy") {
            return None;
        }
        let stream = Stream::parse(content).ok()?;
        let root = stream.documents().next().and_then(Document::root)?;
        text(root, "$imagepolicy")?.parse().ok()
    }

    pub(super) const fn part(&self) -> Option<Part> {
        self.part
    }

    /// Whether a marker belongs to this policy. Of any part, unless this policy names a part.
    pub(super) fn takes(&self, marker: &Self) -> bool {
        self.name == marker.name && self.part.is_none_or(|part| marker.part == Some(part))
    }
}
