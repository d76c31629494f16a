//! References to images, by the grammar of the distribution specification: `[domain/]path[:tag][@digest]`.
//!
//! Invariant: the joined parts of a [`Reference`] are the text that it was read from.

/// A reference in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reference<'t> {
    /// Domain and path as written.
    pub(super) name: &'t str,
    pub(super) tag: Option<&'t str>,
    pub(super) digest: Option<&'t str>,
}

/// The domain of a reference that names none.
const DEFAULT_DOMAIN: &str = "docker.io";
/// The start of a path in the default domain, if it has only one part.
const DEFAULT_PATH: &str = "library/";

impl<'t> Reference<'t> {
    /// Reads a reference. `None` for any other text.
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let (rest, digest) = match text.split_once('@') {
            Some((rest, digest)) => (rest, Some(digest)),
            None => (text, None),
        };
        let (name, tag) = match rest.rsplit_once(':') {
            // A port is followed by a path, a tag is not.
            Some((name, tag)) if !tag.contains('/') => (name, Some(tag)),
            _ => (rest, None),
        };
        let is_one = is_name(name) && tag.is_none_or(is_tag) && digest.is_none_or(is_digest);
        is_one.then_some(Self { name, tag, digest })
    }
}

/// Whether two names mean the same repository, with or without default parts.
pub(super) fn is_same_repository(one: &str, other: &str) -> bool {
    whole(one) == whole(other)
}

/// Domain and path with the default parts. The path of a short name is returned in two parts.
fn whole(name: &str) -> (&str, &str, &str) {
    let (domain, path) = split_domain(name);
    let domain = domain.filter(|domain| *domain != "index.docker.io").unwrap_or(DEFAULT_DOMAIN);
    match path.strip_prefix(DEFAULT_PATH) {
        Some(rest) if domain == DEFAULT_DOMAIN => (domain, DEFAULT_PATH, rest),
        None if domain == DEFAULT_DOMAIN && !path.contains('/') => (domain, DEFAULT_PATH, path),
        _ => (domain, "", path),
    }
}

/// The domain at the start of a name, if there is one, and the path.
pub(super) fn split_domain(name: &str) -> (Option<&str>, &str) {
    match name.split_once('/') {
        Some((first, path)) if looks_like_domain(first) => (Some(first), path),
        _ => (None, name),
    }
}

/// The part before the first slash is a domain only if a path cannot start like this.
fn looks_like_domain(first: &str) -> bool {
    first == "localhost" || first.contains(['.', ':']) || first.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Whether a text is a name, without tag and digest.
pub(super) fn is_name(name: &str) -> bool {
    const LONGEST: usize = 255;
    let (domain, path) = split_domain(name);
    name.len() <= LONGEST && domain.is_none_or(is_domain) && path.split('/').all(is_path_component)
}

fn is_domain(domain: &str) -> bool {
    let bracketed = domain.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (host, port) = match (bracketed, domain.split_once(':')) {
        (Some((host, "")), _) => (host, None),
        (Some((host, rest)), _) => (host, Some(rest.strip_prefix(':').unwrap_or("none"))),
        (None, Some((host, port))) => (host, Some(port)),
        (None, None) => (domain, None),
    };
    let is_host = match bracketed {
        Some(_) => !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':'),
        None => host.split('.').all(is_domain_component),
    };
    is_host && port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_domain_component(component: &str) -> bool {
    !component.is_empty()
        && !component.starts_with('-')
        && !component.ends_with('-')
        && component.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Lower-case letters and digits, separated by `.`, `_`, `__` or any number of `-`.
fn is_path_component(component: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let ends_well = |byte: Option<&u8>| byte.is_some_and(|byte| is_word(*byte));
    let bytes = component.as_bytes();
    let mut separators = bytes.split(|byte| is_word(*byte));
    ends_well(bytes.first())
        && ends_well(bytes.last())
        && separators.all(|it| matches!(it, b"" | b"." | b"_" | b"__") || it.iter().all(|byte| *byte == b'-'))
}

/// Whether a text is a tag.
pub(super) fn is_tag(tag: &str) -> bool {
    const LONGEST: usize = 128;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= LONGEST
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

/// Whether a text is a digest: an algorithm such as `sha256:`, and at least 32 hexadecimal digits.
pub(super) fn is_digest(digest: &str) -> bool {
    const SHORTEST: usize = 32;
    let Some((algorithm, hex)) = digest.split_once(':') else { return false };
    let is_component = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    algorithm.split(['+', '.', '_', '-']).all(is_component)
        && hex.len() >= SHORTEST
        && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn references_are_told_apart() {
        let pinned = format!("ghcr.io/a/b:v1@{DIGEST}");
        let table: [(&str, Option<[&str; 3]>); 25] = [
            ("nginx", Some(["nginx", "", ""])),
            ("nginx:1.27", Some(["nginx", "1.27", ""])),
            ("localhost:5000", Some(["localhost", "5000", ""])),
            ("localhost:5000/nginx", Some(["localhost:5000/nginx", "", ""])),
            ("localhost:5000/nginx:1.27", Some(["localhost:5000/nginx", "1.27", ""])),
            ("[2001:db8::1]:5000/a/b:v1", Some(["[2001:db8::1]:5000/a/b", "v1", ""])),
            ("[::1]/a", Some(["[::1]/a", "", ""])),
            ("registry.example.com/a/b-c/d.e_f__g", Some(["registry.example.com/a/b-c/d.e_f__g", "", ""])),
            (pinned.as_str(), Some(["ghcr.io/a/b", "v1", DIGEST])),
            ("Registry/a", Some(["Registry/a", "", ""])),
            ("a:_", Some(["a", "_", ""])),
            ("a---b", Some(["a---b", "", ""])),
            ("", None),
            ("a:", None),
            ("a@", None),
            ("a@sha256:123", None),
            ("Nginx:1.27", None),
            ("a/B", None),
            ("a/", None),
            ("/a", None),
            ("a//b", None),
            ("a..b", None),
            ("a:-1", None),
            ("host:port/a", None),
            ("{{ .Values.image }}", None),
        ];
        for (text, expected) in table {
            let part = |text: &'static str| Some(text).filter(|text| !text.is_empty());
            let expected = expected.map(|[name, tag, digest]| Reference { name, tag: part(tag), digest: part(digest) });
            assert_eq!(Reference::parse(text), expected, "{text}");
        }
        assert!(!is_tag(&"x".repeat(129)) && is_tag(&"x".repeat(128)) && !is_name(&"x".repeat(256)));
    }

    #[test]
    fn one_repository_has_several_names() {
        for name in
            ["nginx", "library/nginx", "docker.io/nginx", "docker.io/library/nginx", "index.docker.io/library/nginx"]
        {
            assert!(is_same_repository(name, "nginx"), "{name}");
        }
        for name in ["ghcr.io/nginx", "ghcr.io/library/nginx", "other/nginx", "nginx-extras", "localhost/nginx"] {
            assert!(!is_same_repository(name, "nginx"), "{name}");
        }
    }
}
