//! The steps of a path. Each step has a link to the path before it.
//!
//! Owns how paths are stored, compared and shown. Invariant: operations that run once for every node of a deep tree
//! (push, pop, clone, and showing a path in short) take the same time at any depth.

use std::cmp::Ordering;
use std::fmt::{self, Display, Write as _};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::Segment;

/// A way from the root of a document to one of its nodes.
///
/// | segment | written | also read |
/// |---|---|---|
/// | field | `.spec` | `spec` in front |
/// | field with other characters | `["a.b/c"]` | `."a.b/c"`, `['a.b/c']` |
/// | element of a keyed list | `[name="app"]`, `[containerPort="80",protocol="TCP"]` | `[name=app]` |
/// | member of a set | `[="x"]` | `[=x]` |
/// | item by position | `[0]` | `[-1]` for the last |
///
/// The root is written `.`; a `$` in front of a path means it, too. In a bare name, `\.` is a dot. Double quotes have JSON's
/// escapes, single quotes only `''`. A path that is displayed and parsed again is the same path.
///
/// Clones share their steps. So a path may be kept for every node of a tree, however deep it is.
///
/// ```
/// use kyaml_ast::{Path, Segment};
///
/// let path: Path = "spec.containers[name=app].ports[-1]".parse()?;
/// assert_eq!(path.segments()[1], &Segment::Field("containers".into()));
/// assert_eq!(path.to_string(), r#".spec.containers[name="app"].ports[-1]"#);
/// # Ok::<(), kyaml_ast::PathError>(())
/// ```
#[derive(Clone, Default)]
pub struct Path {
    /// `None` at the root.
    last: Option<Arc<Link>>,
}

/// A step, with the path before it.
struct Link {
    parent: Path,
    segment: Segment,
    /// The number of steps, with this one.
    count: usize,
}

impl Path {
    /// The path of a document's root.
    #[must_use]
    pub const fn root() -> Self {
        Self { last: None }
    }

    /// The steps, outermost first. Takes time linear in their number.
    #[must_use]
    pub fn segments(&self) -> Vec<&Segment> {
        let mut segments: Vec<&Segment> = self.inwards_out().collect();
        segments.reverse();
        segments
    }

    /// The last step. `None` at the root.
    #[must_use]
    pub fn last(&self) -> Option<&Segment> {
        self.last.as_ref().map(|link| &link.segment)
    }

    /// The number of steps.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.last.as_ref().map_or(0, |link| link.count)
    }

    /// Whether this is the path of the root.
    #[must_use]
    pub const fn is_root(&self) -> bool {
        self.last.is_none()
    }

    /// Adds a step at the end.
    pub fn push(&mut self, segment: Segment) {
        let (count, parent) = (self.depth() + 1, std::mem::take(self));
        self.last = Some(Arc::new(Link { parent, segment, count }));
    }

    /// This path with one more step.
    #[must_use]
    pub fn with(&self, segment: Segment) -> Self {
        let mut path = self.clone();
        path.push(segment);
        path
    }

    /// Removes the last step and returns it. `None` at the root.
    pub fn pop(&mut self) -> Option<Segment> {
        let link = Arc::unwrap_or_clone(self.last.take()?);
        *self = link.parent;
        Some(link.segment)
    }

    /// The path without its last step, and that step. `None` at the root.
    #[must_use]
    pub fn split_last(&self) -> Option<(Self, &Segment)> {
        let link = self.last.as_ref()?;
        Some((link.parent.clone(), &link.segment))
    }

    /// Whether the other path is this one, or leads to a place inside it.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        let Some(deeper) = other.depth().checked_sub(self.depth()) else { return false };
        std::iter::successors(Some(other), |path| path.parent()).nth(deeper) == Some(self)
    }

    /// The path for a person to read. Of a very deep path, only the end is shown.
    ///
    /// ```
    /// use kyaml_ast::{Path, Segment};
    ///
    /// let path: Path = (0..100).map(Segment::Index).collect();
    /// assert!(path.short().to_string().starts_with("…[68]"));
    /// ```
    #[must_use]
    pub const fn short(&self) -> impl Display {
        Short(self)
    }

    fn parent(&self) -> Option<&Self> {
        self.last.as_ref().map(|link| &link.parent)
    }

    /// The steps, innermost first.
    fn inwards_out(&self) -> impl Iterator<Item = &Segment> {
        std::iter::successors(Some(self), |path| path.parent()).map_while(Self::last)
    }
}

impl Clone for Link {
    fn clone(&self) -> Self {
        Self { parent: self.parent.clone(), segment: self.segment.clone(), count: self.count }
    }
}

/// Drops link by link, because a path may have more steps than the call stack has room for.
impl Drop for Path {
    fn drop(&mut self) {
        let mut next = self.last.take();
        while let Some(link) = next {
            next = Arc::into_inner(link).and_then(|mut link| link.parent.last.take());
        }
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        let mut paths = (self, other);
        while let (Some(a), Some(b)) = (&paths.0.last, &paths.1.last) {
            if Arc::ptr_eq(a, b) {
                return true;
            }
            if a.count != b.count || a.segment != b.segment {
                return false;
            }
            paths = (&a.parent, &b.parent);
        }
        paths.0.is_root() == paths.1.is_root()
    }
}

impl Eq for Path {}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Path {
    fn cmp(&self, other: &Self) -> Ordering {
        self.segments().cmp(&other.segments())
    }
}

impl Hash for Path {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.depth().hash(state);
        self.inwards_out().for_each(|segment| segment.hash(state));
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

impl FromIterator<Segment> for Path {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        let mut path = Self::root();
        segments.into_iter().for_each(|segment| path.push(segment));
        path
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            return f.write_str(".");
        }
        self.segments().iter().try_for_each(|segment| segment.fmt(f))
    }
}

/// A path with more steps than this is shown by its end alone, which has `SHOWN_STEPS` steps.
const MANY_STEPS: usize = 64;
const SHOWN_STEPS: usize = 32;

struct Short<'p>(&'p Path);

impl Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.depth() <= MANY_STEPS {
            return self.0.fmt(f);
        }
        f.write_char('…')?;
        let end: Vec<&Segment> = self.0.inwards_out().take(SHOWN_STEPS).collect();
        end.iter().rev().try_for_each(|segment| segment.fmt(f))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn path(text: &str) -> Path {
        text.parse().unwrap()
    }

    #[test]
    fn clones_share_steps_and_part_where_they_differ() {
        let mut one = path(".a.b");
        let mut other = one.clone();
        assert_eq!(one.pop(), Some(Segment::Field("b".into())));
        other.push(Segment::Index(0));
        assert_eq!([&one, &other], [&path(".a"), &path(".a.b[0]")]);
        assert!(one.contains(&other) && one.contains(&one) && !other.contains(&one) && !path(".b").contains(&other));
        assert_eq!(one.split_last(), Some((Path::root(), &Segment::Field("a".into()))));
        assert_eq!([path(".b"), path(".a.b"), path(".a")].iter().min(), Some(&path(".a")));
    }

    #[test]
    fn no_depth_overflows_the_stack() {
        let deep: Path = (0..1_000_000).map(Segment::Index).collect();
        let copy: Path = (0..1_000_000).map(Segment::Index).collect();
        assert!(deep == copy && deep.depth() == 1_000_000);
        assert_eq!(deep.short().to_string().len(), "…".len() + SHOWN_STEPS * "[999999]".len());
    }
}
