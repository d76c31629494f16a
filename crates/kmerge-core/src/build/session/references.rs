//! Lets references follow the new names of resources.
//!
//! If a field of the table contains a former name of a resource, it gets the current one. Which resource is meant is
//! kustomize's rule: one of the kinds that the field is for, in the namespace of the referring resource; of several,
//! those that were renamed together with it. Invariant: a reference to something that is not among the resources stays
//! unchanged.

use std::collections::{HashMap, HashSet};

use super::transform::scope;
use super::{Member, Options, Result, Session, show};
use crate::build::error::{BuildError, BuildErrorKind, TextPlace};
use crate::build::fields::{FieldSpec, KindPattern, Missing, Referrers, table, visit};
use crate::build::merge::Dialect;
use crate::build::scalar_text;
use crate::build::transform::{Scope, TransformError};
use crate::resource::Resource;
use crate::value::{Data, Map, Value};

type Outcome<T> = std::result::Result<T, TransformError>;

/// The resources that references may mean.
struct Targets<'m> {
    options: Options<'m>,
    members: &'m [Member],
    /// By the names that they had.
    by_name: HashMap<&'m str, Vec<usize>>,
    /// By the namespace that they had first.
    by_namespace: HashMap<&'m str, Vec<usize>>,
}

/// The resource that contains references, and what these depend on.
struct Referrer<'m> {
    member: &'m Member,
    now: &'m Resource,
    scope: Scope,
    /// Other namespaces whose resources it may name: those of the accounts of a role binding.
    namespaces: HashSet<String>,
    /// The kind that its `roleRef` names.
    role: Option<KindPattern>,
}

/// A field that contains a reference.
struct Reference<'r> {
    referrer: &'r Referrer<'r>,
    target: &'r KindPattern,
    field: &'r FieldSpec,
}

impl Session<'_, '_> {
    /// Updates the references of the open layer's resources to the names that resources got since they were read.
    ///
    /// # Errors
    ///
    /// If a reference may mean several resources, or a resource cannot be read.
    pub fn follow_names(&mut self) -> Result<()> {
        let present = self.present();
        let targets = Targets::new(&self.members, &present, self.options);
        let names = targets.referrers();
        if names.is_empty() {
            return Ok(());
        }
        for member in present.iter().map(|index| &self.members[*index]) {
            let place = TextPlace { text: member.text, span: member.object.span };
            let (Some(original), Some(now)) = (original(member), member.ids.last()) else { continue };
            let fields = names.iter().flat_map(|names| names.fields.iter().map(|field| (&names.target, field)));
            let fields: Vec<_> = fields.filter(|(_, field)| field.kind.fits(&original)).collect();
            if fields.is_empty() {
                continue;
            }
            let value = self.documents[member.text].value_mut(&member.object);
            let Some(value) = value.map_err(|error| BuildError::new(error, vec![place]))? else { continue };
            let referrer = Referrer::new(member, now, (value, targets.options));
            for (target, field) in fields {
                let reference = Reference { referrer: &referrer, target, field };
                let done = visit(value, &field.path, Missing::Stays, &mut |value| targets.set(value, &reference));
                done.map_err(|error| {
                    BuildError::new(BuildErrorKind::Transform(show(Some(now)), error.to_string()), vec![place])
                })?;
            }
        }
        Ok(())
    }
}

impl<'m> Targets<'m> {
    fn new(members: &'m [Member], present: &[usize], options: Options<'m>) -> Self {
        let (mut by_name, mut by_namespace) = (HashMap::<&str, Vec<usize>>::new(), HashMap::<&str, Vec<usize>>::new());
        for index in present {
            let ids = &members[*index].ids;
            for id in former(&members[*index]) {
                let named = by_name.entry(&id.id.name).or_default();
                if named.last() != Some(index) {
                    named.push(*index);
                }
            }
            if let Some(first) = ids.first() {
                by_namespace.entry(namespace(first, options)).or_default().push(*index);
            }
        }
        Self { options, members, by_name, by_namespace }
    }

    /// The fields that may refer to a resource which had another name.
    fn referrers(&self) -> Vec<&'static Referrers> {
        let is_there = |names: &&Referrers| {
            let mut members = self.by_name.values().flatten();
            (names.is_of_kustomize || self.options.dialect == Dialect::Kmerge)
                && members.any(|member| self.was(*member, &names.target))
        };
        table().names.iter().filter(is_there).collect()
    }

    /// Whether a resource was of a kind before it was renamed.
    fn was(&self, member: usize, kind: &KindPattern) -> bool {
        let member = &self.members[member];
        former(member).iter().any(|id| kind.fits(&as_now(id, member)))
    }

    /// Updates a value that contains a reference.
    fn set(&self, value: &mut Value, reference: &Reference<'_>) -> Outcome<()> {
        match &mut value.data {
            Data::Null => Ok(()),
            Data::List(items) => {
                items.iter_mut().filter(|item| !item.is_null()).try_for_each(|item| match &mut item.data {
                    Data::Map(map) => self.set_map(map, reference),
                    Data::List(_) => Err(TransformError::NotAScalar(reference.field.shown())),
                    _ => self.set_scalar(item, reference),
                })
            }
            Data::Map(map) => self.set_map(map, reference),
            _ => self.set_scalar(value, reference),
        }
    }

    fn set_scalar(&self, value: &mut Value, reference: &Reference<'_>) -> Outcome<()> {
        let name = scalar_text(value).unwrap_or_default();
        let candidates = self.named(&name, reference);
        let Some(found) = self.choose(candidates, reference, |a, b| a.id.name == b.id.name)? else { return Ok(()) };
        if found.id.name != name {
            value.data = Data::Text(found.id.name.clone());
        }
        Ok(())
    }

    /// A reference with a namespace beside its name. Both are updated.
    fn set_map(&self, map: &mut Map, reference: &Reference<'_>) -> Outcome<()> {
        let Some(name) = map.get("name").and_then(scalar_text) else {
            return Err(TransformError::NoName(reference.field.shown()));
        };
        let mut candidates = self.named(&name, reference);
        if let Some(given) = map.get("namespace") {
            let given = scalar_text(given).unwrap_or_default();
            let was_there = self.by_namespace.get(given.as_str()).into_iter().flatten();
            let was_there = was_there.into_iter().any(|member| self.reaches(*member, reference.referrer));
            candidates.retain(|member| {
                let ids = &self.members[*member].ids;
                let counting = if was_there { ids.first() } else { ids.last() };
                counting.is_some_and(|id| namespace(id, self.options) == given && !given.is_empty())
            });
        }
        let is_same = |a: &Resource, b: &Resource| a.id.name == b.id.name && a.id.namespace == b.id.namespace;
        let Some(found) = self.choose(candidates, reference, is_same)? else { return Ok(()) };
        let mut set = |field: &str, text: &str| {
            let value = map.entry(field.to_owned()).or_insert_with(Value::null);
            if value.as_text() != Some(text) {
                value.data = Data::Text(text.to_owned());
            }
        };
        if found.id.name != name {
            set("name", &found.id.name);
        }
        if !found.id.namespace.is_empty() {
            set("namespace", &found.id.namespace);
        }
        Ok(())
    }

    /// The resources that had the name and may be meant.
    fn named(&self, name: &str, reference: &Reference<'_>) -> Vec<usize> {
        let Reference { referrer, target, field } = reference;
        let is_role = field.shown().ends_with(".roleRef.name");
        let role = if is_role { referrer.role.as_ref() } else { None };
        let candidates = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default().iter().copied();
        let candidates = candidates.filter(|member| {
            self.was(*member, target)
                && role.is_none_or(|role| self.was(*member, role))
                && self.reaches(*member, referrer)
                && self.is_near(*member, referrer)
        });
        candidates.collect()
    }

    /// Whether a resource may refer to another at all.
    fn reaches(&self, member: usize, referrer: &Referrer<'_>) -> bool {
        let Some(id) = self.members[member].ids.last() else { return false };
        referrer.scope == Scope::Cluster
            || scope(id, self.options) == Scope::Cluster
            || namespace(id, self.options) == namespace(referrer.now, self.options)
            || referrer.namespaces.contains(&id.id.namespace)
    }

    /// Whether a resource is in the same namespace, or may be in any namespace, as accounts may.
    fn is_near(&self, member: usize, referrer: &Referrer<'_>) -> bool {
        let Some(id) = self.members[member].ids.last() else { return false };
        referrer.scope == Scope::Cluster
            || scope(id, self.options) == Scope::Cluster
            || id.id.kind == "ServiceAccount"
            || namespace(id, self.options) == namespace(referrer.now, self.options)
    }

    /// The resource that is meant, of several.
    fn choose(
        &self,
        mut candidates: Vec<usize>,
        reference: &Reference<'_>,
        is_same: impl Fn(&Resource, &Resource) -> bool,
    ) -> Outcome<Option<&'m Resource>> {
        let own = &reference.referrer.member.affixes;
        if candidates.len() > 1 {
            candidates.retain(|member| renamed_alongside(&self.members[*member].affixes, own, Empty::FitsAll));
        }
        if candidates.len() > 1 {
            candidates.retain(|member| renamed_alongside(&self.members[*member].affixes, own, Empty::FitsEmpty));
        }
        let found: Vec<&Resource> =
            candidates.into_iter().filter_map(|member| self.members[member].ids.last()).collect();
        let Some(first) = found.first() else { return Ok(None) };
        if found.iter().all(|other| is_same(first, other)) {
            return Ok(Some(first));
        }
        let names: Vec<String> = found.iter().map(|id| show(Some(id))).collect();
        Err(TransformError::Ambiguous(reference.field.shown(), names.join(", ")))
    }
}

impl<'m> Referrer<'m> {
    fn new(member: &'m Member, now: &'m Resource, (value, options): (&Value, Options<'_>)) -> Self {
        let subjects = if now.id.kind == "RoleBinding" { value.get("subjects").and_then(Value::as_list) } else { None };
        let accounts = subjects.unwrap_or_default().iter();
        let accounts =
            accounts.filter(|subject| subject.get("kind").and_then(Value::as_text) == Some("ServiceAccount"));
        let namespaces = accounts.filter_map(|subject| subject.get("namespace").and_then(scalar_text)).collect();
        let role_part = |field| value.at(&["roleRef", field]).and_then(scalar_text);
        let role = role_part("apiGroup").zip(role_part("kind"));
        let role = role.map(|(group, kind)| KindPattern { group, kind, ..KindPattern::default() });
        Self { member, now, scope: scope(now, options), namespaces, role }
    }
}

/// The former identities of a resource.
fn former(member: &Member) -> &[Resource] {
    member.ids.split_last().map(|(_, former)| former).unwrap_or_default()
}

/// A former identity with the current group and version.
fn as_now(id: &Resource, member: &Member) -> Resource {
    let Some(now) = member.ids.last() else { return id.clone() };
    let mut id = id.clone();
    id.id.group.clone_from(&now.id.group);
    id.version.clone_from(&now.version);
    id
}

fn original(member: &Member) -> Option<Resource> {
    member.ids.first().map(|id| as_now(id, member))
}

/// The effective namespace. That of a resource outside namespaces matches no other.
fn namespace<'r>(id: &'r Resource, options: Options<'_>) -> &'r str {
    match id.id.namespace.as_str() {
        _ if scope(id, options) == Scope::Cluster => "",
        "" => "default",
        namespace => namespace,
    }
}

/// How a missing prefix or suffix is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Empty {
    FitsAll,
    FitsEmpty,
}

/// Whether two resources got the same last prefixes and suffixes.
fn renamed_alongside(a: &[Vec<String>; 2], b: &[Vec<String>; 2], empty: Empty) -> bool {
    a.iter().zip(b).all(|(a, b)| match a.is_empty() || b.is_empty() {
        true => empty == Empty::FitsAll || a.is_empty() && b.is_empty(),
        false => a.iter().rev().zip(b.iter().rev()).all(|(a, b)| a == b),
    })
}
