//! Which fields of which kinds a transformer changes, and which fields contain names of other resources.
//!
//! Owns the table `fields.txt` and the walk along a path. A path leads through lists: it means all items of a list.
//! Ignores what is done to a field.

mod walk;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::resource::Resource;

pub(super) use walk::{Missing, visit};

/// The name of the group without a name in the table.
const CORE: &str = "core";

/// Kinds. An empty part matches any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KindPattern {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
}

/// A field of some kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldSpec {
    pub(super) kind: KindPattern,
    pub(super) path: Vec<Step>,
    /// Whether a missing field is created.
    pub(super) is_created: bool,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) name: String,
    /// Whether there must be a list.
    pub(super) is_list: bool,
}

/// The fields that contain names of resources of one kind.
#[derive(Debug)]
pub(super) struct Referrers {
    pub(super) target: KindPattern,
    pub(super) fields: Vec<FieldSpec>,
    /// Whether kustomize looks at them.
    pub(super) is_of_kustomize: bool,
}

/// The table.
#[derive(Debug, Default)]
pub(super) struct Table {
    sections: HashMap<&'static str, Vec<FieldSpec>>,
    pub(super) names: Vec<Referrers>,
}

/// The built-in table.
pub(super) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| Table::parse(include_str!("fields.txt")))
}

impl Table {
    /// The fields of a section.
    pub(super) fn section(&self, name: &str) -> &[FieldSpec] {
        self.sections.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    fn parse(text: &'static str) -> Self {
        let mut table = Self::default();
        let mut section = "";
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(name) => {
                    section = name;
                    table.names.extend(Referrers::of_section(name));
                }
                None => table.fields_of(section).extend(FieldSpec::of_line(line)),
            }
        }
        table
    }

    fn fields_of(&mut self, section: &'static str) -> &mut Vec<FieldSpec> {
        match self.names.last_mut() {
            Some(names) if section.starts_with(NAME_OF) => &mut names.fields,
            _ => self.sections.entry(section).or_default(),
        }
    }
}

const NAME_OF: &str = "name of ";

impl Referrers {
    fn of_section(name: &str) -> Option<Self> {
        let kind = name.strip_prefix(NAME_OF)?;
        let (kind, is_of_kustomize) = kind.strip_suffix(", not kustomize").map_or((kind, true), |kind| (kind, false));
        Some(Self { target: KindPattern::parse(kind), fields: Vec::new(), is_of_kustomize })
    }
}

impl KindPattern {
    fn parse(text: &str) -> Self {
        let (kind, version) = text.split_once('/').unwrap_or((text, ""));
        let (kind, group) = kind.split_once('.').unwrap_or((kind, ""));
        let kind = if kind == "*" { "" } else { kind };
        Self { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() }
    }

    pub(super) fn fits(&self, resource: &Resource) -> bool {
        let fits = |pattern: &str, text: &str| pattern.is_empty() || pattern == text;
        let group = if resource.id.group.is_empty() { CORE } else { &resource.id.group };
        fits(&self.group, group) && fits(&self.version, &resource.version) && fits(&self.kind, &resource.id.kind)
    }

    /// Whether this matches everything that `other` matches.
    fn holds(&self, other: &Self) -> bool {
        let holds = |own: &str, other: &str| own.is_empty() || own == other;
        holds(&self.group, &other.group) && holds(&self.version, &other.version) && holds(&self.kind, &other.kind)
    }
}

impl FieldSpec {
    /// The field at a path, for the given kinds.
    pub(super) fn new(kind: KindPattern, path: &str, is_created: bool) -> Self {
        Self { kind, path: steps(path), is_created }
    }

    fn of_line(line: &str) -> Vec<Self> {
        let mut words = line.split_whitespace();
        let path = words.next().unwrap_or_default();
        let (path, is_created) = path.strip_prefix('+').map_or((path, false), |path| (path, true));
        words.map(|kind| Self::new(KindPattern::parse(kind), path, is_created)).collect()
    }

    /// Whether kustomize takes `other` for a repetition of this one, because it is for the same kinds or for more.
    pub(super) fn is_repeated_by(&self, other: &Self) -> bool {
        self.path == other.path && other.kind.holds(&self.kind)
    }

    /// The path in the form that people write.
    pub(super) fn shown(&self) -> String {
        self.path.iter().map(|step| format!(".{}", step.name)).collect()
    }
}

/// The steps of a path. `\/` does not separate steps.
fn steps(path: &str) -> Vec<Step> {
    let mut names = vec![String::new()];
    let mut parts = path.split('/').peekable();
    while let Some(part) = parts.next() {
        let last = names.last_mut().expect("there is one from the start");
        match part.strip_suffix('\\') {
            Some(part) => {
                last.push_str(part);
                last.push('/');
            }
            None => {
                last.push_str(part);
                names.extend(parts.peek().map(|_| String::new()));
            }
        }
    }
    let step = |name: String| match name.strip_suffix("[]") {
        Some(shorter) => Step { name: shorter.to_owned(), is_list: true },
        None => Step { name, is_list: false },
    };
    names.into_iter().filter(|name| !name.is_empty()).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::{FieldSpec, KindPattern, steps, table};
    use crate::resource::{Resource, ResourceId};

    fn resource(group: &str, version: &str, kind: &str) -> Resource {
        let id = ResourceId { group: group.to_owned(), kind: kind.to_owned(), ..ResourceId::default() };
        Resource { id, version: version.to_owned() }
    }

    #[test]
    fn the_table_is_read_whole() {
        let sections = ["namespace", "selectors", "templates", "annotations", "replicas", "images"];
        assert!(sections.iter().all(|section| !table().section(section).is_empty()));
        assert!(table().names.len() > 15 && table().names.iter().all(|names| !names.fields.is_empty()));
        let lines = include_str!("fields.txt").lines().filter(|line| line.contains("ReplicationController/v1"));
        assert_eq!(lines.count(), 3);
    }

    #[test]
    fn a_pattern_fits_any_part_that_it_leaves_out() {
        let deployment = resource("apps", "v1", "Deployment");
        for (pattern, fits) in [
            ("*", true),
            ("Deployment", true),
            ("Deployment.apps/v1", true),
            ("Deployment.batch", false),
            ("*/v2", false),
        ] {
            assert_eq!(KindPattern::parse(pattern).fits(&deployment), fits, "{pattern}");
        }
    }

    #[test]
    fn a_path_keeps_slashes_that_are_escaped() {
        let names = |path| steps(path).into_iter().map(|step| (step.name, step.is_list)).collect::<Vec<_>>();
        let step = |name: &str, is_list| (name.to_owned(), is_list);
        assert_eq!(names("a/b[]/c"), [step("a", false), step("b", true), step("c", false)]);
        assert_eq!(names("a/example.com\\/b"), [step("a", false), step("example.com/b", false)]);
    }

    #[test]
    fn a_field_repeats_one_that_is_for_fewer_kinds() {
        let field = |kind: &str| FieldSpec::new(KindPattern::parse(kind), "metadata/labels", true);
        assert!(field("Deployment").is_repeated_by(&field("*")));
        assert!(!field("*").is_repeated_by(&field("Deployment")));
    }
}
