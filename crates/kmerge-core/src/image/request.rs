//! A request: an image, and the new reference.

use std::str::FromStr;

use super::ImageError;
use super::reference::{Reference, is_digest, is_name, is_same_repository, is_tag};

/// A new version or name for all references to one repository: `NAME:TAG`, `NAME@DIGEST`, `NAME=NEWNAME` and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    name: String,
    pub(super) new_name: Option<String>,
    pub(super) tag: Option<String>,
    pub(super) digest: Option<String>,
}

/// A name, and the tag and digest after it.
fn split(text: &str) -> (&str, Option<&str>, Option<&str>) {
    let (rest, digest) = text.split_once('@').map_or((text, None), |(rest, digest)| (rest, Some(digest)));
    match rest.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag), digest),
        _ => (rest, None, digest),
    }
}

impl FromStr for Request {
    type Err = ImageError;

    fn from_str(text: &str) -> Result<Self, ImageError> {
        let (old, new) = text.split_once('=').map_or((text, None), |(old, new)| (old, Some(new)));
        let (name, tag, digest) = split(new.unwrap_or(old));
        let old = if new.is_some() { old } else { name };
        if new.is_some() && matches!(split(old), (_, Some(_), _) | (_, _, Some(_))) {
            return Err(ImageError::Tagged);
        }
        if let Some(name) = [old, name].into_iter().find(|name| !is_name(name)) {
            return Err(ImageError::Name(name.to_owned()));
        }
        if let Some(tag) = tag.filter(|tag| !is_tag(tag)) {
            return Err(ImageError::Tag(tag.to_owned()));
        }
        if let Some(digest) = digest.filter(|digest| !is_digest(digest)) {
            return Err(ImageError::Digest(digest.to_owned()));
        }
        if new.is_none() && tag.is_none() && digest.is_none() {
            return Err(ImageError::Nothing);
        }
        let owned = |text: &str| text.to_owned();
        Ok(Self {
            name: owned(old),
            new_name: new.map(|_| owned(name)),
            tag: tag.map(owned),
            digest: digest.map(owned),
        })
    }
}

impl Request {
    /// Whether the request is about the repository with this name.
    pub(super) fn is_for(&self, name: &str) -> bool {
        is_same_repository(&self.name, name)
    }

    /// The name in the request.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The last part of the name. A text without it cannot refer to the image.
    #[must_use]
    pub fn last_part(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// Whether the tag or digest changes.
    pub(super) const fn sets_version(&self) -> bool {
        self.tag.is_some() || self.digest.is_some()
    }

    /// The new text of a reference to the image. `None` for a reference to another image, and for any other text.
    pub(super) fn rewritten(&self, text: &str) -> Option<String> {
        let found = Reference::parse(text).filter(|found| self.is_for(found.name))?;
        let (tag, digest) = match self.sets_version() {
            true => (self.tag.as_deref(), self.digest.as_deref()),
            false => (found.tag, found.digest),
        };
        let part = |sign: &str, part: Option<&str>| part.map_or_else(String::new, |part| format!("{sign}{part}"));
        let name = self.new_name.as_deref().unwrap_or(found.name);
        Some(format!("{name}{}{}", part(":", tag), part("@", digest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef";

    #[test]
    fn references_become_what_is_asked_for() {
        let pinned = format!("nginx@{DIGEST}");
        let table = [
            ("nginx:1.27", "nginx", "nginx:1.27"),
            ("nginx:1.27", "docker.io/library/nginx:1.25", "docker.io/library/nginx:1.27"),
            ("nginx:1.27", pinned.as_str(), "nginx:1.27"),
            (pinned.as_str(), "nginx:1.25", pinned.as_str()),
            ("nginx=ghcr.io/a/nginx", "nginx:1.25", "ghcr.io/a/nginx:1.25"),
            ("nginx=ghcr.io/a/nginx", pinned.as_str(), &format!("ghcr.io/a/nginx@{DIGEST}")),
            ("nginx=mine:5000/x:2", "nginx:1.25", "mine:5000/x:2"),
            ("localhost:5000/a:2", "localhost:5000/a", "localhost:5000/a:2"),
        ];
        for (request, old, new) in table {
            let request: Request = request.parse().unwrap();
            assert_eq!(request.rewritten(old).as_deref(), Some(new), "{old}");
        }
        let request: Request = "nginx:1".parse().unwrap();
        for other in ["nginx-extras:1", "a/nginx:1", "{{ nginx }}", ""] {
            assert_eq!(request.rewritten(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_no_request_says_why() {
        let errors = |text: &str| text.parse::<Request>().unwrap_err().to_string();
        assert_eq!(errors("nginx"), "the new tag, digest or name is missing");
        assert_eq!(errors("Nginx:1"), "`Nginx` is not an image name");
        assert_eq!(errors("nginx:-1"), "`-1` is not a tag");
        assert_eq!(errors("nginx@sha256:1"), "`sha256:1` is not a digest");
        assert_eq!(errors("nginx:1=b"), "a name without tag and digest must stand before `=`");
        assert_eq!(errors("nginx="), "`` is not an image name");
        assert_eq!(errors("deploy/web.yaml"), "the new tag, digest or name is missing");
    }
}
