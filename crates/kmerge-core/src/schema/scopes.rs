//! Which kinds stand in no namespace, as far as definitions say so.
//!
//! A custom resource definition says it itself; an OpenAPI document lists the paths of a server, which lead through a namespace
//! or not. The first definition of a kind counts. Ignores built-in kinds: see [`ResourceId::is_cluster_scoped`].
//!
//! [`ResourceId::is_cluster_scoped`]: crate::resource::ResourceId::is_cluster_scoped

use std::borrow::Cow;
use std::collections::{BTreeMap, btree_map};

use kyaml_ast::Node;

use super::Schema;
use super::element::scalar_text;
use crate::resource::{descend, fields};

/// Whether objects of a kind, by group and name, stand in no namespace.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes(BTreeMap<(String, String), bool>);

impl Scopes {
    pub(super) fn of_definition(&mut self, group: &str, kind: &str, definition: Node<'_>) {
        if let Some(scope) = descend(definition, &["spec", "scope"]).and_then(scalar_text) {
            self.0.entry((group.to_owned(), kind.to_owned())).or_insert(scope == "Cluster");
        }
    }

    /// Reads `paths`: a kind is in a namespace if any path to it leads through one.
    pub(super) fn of_paths(&mut self, paths: Node<'_>) {
        let mut found = BTreeMap::new();
        for (path, operations) in fields(paths) {
            let Some(kind) = descend(operations, &["get", "x-kubernetes-group-version-kind"]) else { continue };
            let text = |name: &str| descend(kind, &[name]).and_then(scalar_text).map(Cow::into_owned);
            let (Some(group), Some(kind)) = (text("group"), text("kind")) else { continue };
            let is_cluster = !path.value().contains("namespaces/{namespace}");
            match found.entry((group, kind)) {
                btree_map::Entry::Vacant(entry) => drop(entry.insert(is_cluster)),
                btree_map::Entry::Occupied(mut entry) => *entry.get_mut() &= is_cluster,
            }
        }
        for (kind, is_cluster) in found {
            self.0.entry(kind).or_insert(is_cluster);
        }
    }
}

impl Schema {
    /// Whether objects of a kind stand in no namespace; `None` where no definition says.
    #[must_use]
    pub(crate) fn is_cluster_scoped(&self, group: &str, kind: &str) -> Option<bool> {
        let Scopes(known) = &self.scopes;
        known.get(&(group.to_owned(), kind.to_owned())).copied()
    }
}

#[cfg(test)]
mod tests {
    use kyaml_ast::Stream;

    use super::*;

    #[test]
    fn definitions_and_paths_say_where_objects_stand() {
        let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: a.b\n  scope: Cluster\n  names: {kind: Fleet}\n  versions: [{name: v1}]\n";
        let paths = "definitions: {}\npaths:\n  /apis/a.b/v1/fleets: {get: {x-kubernetes-group-version-kind: {group: a.b, version: v1, kind: Fleet}}}\n  \
                     /apis/c.d/v1/namespaces/{namespace}/things: {get: {x-kubernetes-group-version-kind: {group: c.d, version: v1, kind: Thing}}}\n  \
                     /apis/c.d/v1/things: {get: {x-kubernetes-group-version-kind: {group: c.d, version: v1, kind: Thing}}}\n  \
                     /apis/c.d/v1/zones/{name}: {get: {x-kubernetes-group-version-kind: {group: c.d, version: v1, kind: Zone}}}\n";
        let mut schema = Schema::new();
        schema.add_crds(Stream::parse(crd).unwrap().documents().next().unwrap()).unwrap();
        schema.add_openapi(Stream::parse(paths).unwrap().documents().next().unwrap()).unwrap();
        let says = |group, kind| schema.is_cluster_scoped(group, kind);
        assert_eq!([says("a.b", "Fleet"), says("c.d", "Zone")], [Some(true); 2]);
        assert_eq!([says("c.d", "Thing"), says("", "Node")], [Some(false), None]);
    }
}
