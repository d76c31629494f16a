//! Places behind aliases and merge keys (`<<`). They are read through, but not written, because other places read the
//! same text.

use kyaml_ast::{LookupError, Node, ParseError, Path, Segment, Stream};

use super::problem::ProblemKind;
use crate::check::Fault;
use crate::correspond::field_name;
use crate::inherit::{Inherited, behind, inherited};
use crate::schema::Schema;

/// A change that is not possible because of an alias or a merge key.
#[derive(Clone, Debug)]
pub(super) struct Blocked<'t> {
    /// The path to the alias, or to the field that the merge key brings.
    pub reached: Path,
    /// The alias, or the value of `<<`.
    pub via: Node<'t>,
    /// The value that it refers to.
    pub target: Node<'t>,
    /// Whether it is a merge key.
    pub is_merge: bool,
    /// Whether only the last step of the path is behind it.
    pub is_last: bool,
}

/// An alias or merge key on a path.
#[derive(Clone, Copy, Debug)]
struct Link<'t> {
    /// The number of path steps before it.
    steps: usize,
    via: Node<'t>,
    target: Node<'t>,
    is_merge: bool,
}

/// Follows a path from a document's root through aliases and merge keys.
///
/// # Errors
///
/// If the path cannot be followed to its end.
pub(super) fn follow<'t>(root: Node<'t>, path: &Path) -> Result<Node<'t>, LookupError> {
    links(root, path).0
}

/// The name of an alias in `after` that has no anchor before it. `None` if `before` has such an alias, too.
///
/// # Errors
///
/// If a text is not YAML.
pub(super) fn newly_undefined(before: &str, after: &str, schema: &Schema) -> Result<Option<String>, ParseError> {
    let names = |text: &str| {
        let findings = schema.check(&Stream::parse(text)?).into_iter();
        Ok(findings.filter(|found| found.fault == Fault::UndefinedAlias).map(|found| found.name).collect::<Vec<_>>())
    };
    let known = names(before)?;
    Ok(names(after)?.into_iter().find(|name| !known.contains(name)))
}

fn links<'t>(root: Node<'t>, path: &Path) -> (Result<Node<'t>, LookupError>, Option<Link<'t>>) {
    let (mut node, mut link) = (root, None);
    for (steps, segment) in path.segments().into_iter().enumerate() {
        if node.alias().is_some() {
            let via = node;
            node = behind(node);
            link = link.or(Some(Link { steps, via, target: node, is_merge: false }));
        }
        let found = Path::root().with(segment.clone()).find(node);
        node = match (found, merged(node, segment)) {
            (Ok(found), _) => found.node,
            (Err(_), Some(Inherited { via, entry })) => {
                link = link.or(Some(Link { steps, via, target: behind(via), is_merge: true }));
                entry.value()
            }
            (Err(error), None) => {
                let reached = path.segments().into_iter().take(steps).cloned().collect();
                return (Err(LookupError { reached, ..error }), link);
            }
        };
    }
    (Ok(behind(node)), link)
}

/// The field that a mapping gets from its merge keys.
fn merged<'t>(mapping: Node<'t>, segment: &Segment) -> Option<Inherited<'t>> {
    let Segment::Field(name) = segment else { return None };
    inherited(mapping).find(|found| field_name(found.entry) == *name)
}

impl<'t> Blocked<'t> {
    /// The alias or merge key that prevents a change of the place at the end of a path. A field that comes from a merge
    /// key may be set if `makes_own`: then it becomes the mapping's own field.
    pub(super) fn find(root: Node<'t>, path: &Path, makes_own: bool) -> Option<Self> {
        let (found, link) = links(root, path);
        let Link { steps, via, target, is_merge } = link?;
        let is_last = steps + 1 == path.depth();
        if is_merge && is_last && (makes_own || found.is_err()) {
            return None;
        }
        let reached = path.segments().into_iter().take(steps + usize::from(is_merge)).cloned().collect();
        Some(Self { reached, via, target, is_merge, is_last: is_last && is_merge })
    }

    /// That the place at `path` cannot be changed.
    pub(super) fn problem(&self, path: &Path, makes_own: bool) -> ProblemKind {
        let target = (self.via.id() != self.target.id()).then(|| self.target.full_span());
        ProblemKind::Blocked { message: self.message(path), target, help: self.help(makes_own) }
    }

    /// The message for the user. `path` is the path of the place.
    fn message(&self, path: &Path) -> String {
        let what = if self.is_merge { "comes from a merge key" } else { "is an alias" };
        if self.is_last {
            format!("{path} {what}, and is not here")
        } else {
            format!("cannot change {path}: {} {what}", self.reached)
        }
    }

    /// What to do about it.
    const fn help(&self, makes_own: bool) -> &'static str {
        match (self.is_merge, makes_own) {
            (false, _) => {
                "change it where its anchor stands, for all that refer to it, or put a value in the alias's place"
            }
            (true, true) => "change it where it comes from, for all that refer to it, or set it here as a whole",
            (true, false) => "change or delete it where it comes from, for all that refer to it",
        }
    }
}
