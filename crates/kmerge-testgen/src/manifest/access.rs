//! Roles, bindings, service accounts.

use super::{metadata, resource};
use crate::build::{list, map, plain, quoted};
use crate::model::Node;
use crate::rng::Rng;
use crate::words::name;

const API: &str = "rbac.authorization.k8s.io/v1";
const VERBS: &[&str] = &["get", "list", "watch", "create", "update", "patch", "delete"];
const RESOURCES: &[&str] = &["pods", "services", "configmaps", "secrets", "events", "deployments", "jobs", "leases"];

pub(super) fn role(rng: &mut Rng) -> Node {
    let app = name(rng);
    let count = rng.between(1, 6);
    let rules = (0..count).map(|_| rule(rng)).collect();
    let kind = rng.pick(&["Role", "ClusterRole"]);
    resource((API, kind), metadata(rng, &app), vec![("rules", list(rules))])
}

fn rule(rng: &mut Rng) -> Node {
    let group = rng.pick(&["", "apps", "batch", "coordination.k8s.io"]);
    let group = if group.is_empty() { quoted(group) } else { plain(group) };
    let from = rng.below(RESOURCES.len());
    let verbs = rng.between(1, VERBS.len());
    map([
        ("apiGroups", list(vec![group])),
        ("resources", list(RESOURCES[from..].iter().take(3).map(|&name| plain(name)).collect())),
        ("verbs", list(VERBS[..verbs].iter().map(|&verb| plain(verb)).collect())),
    ])
}

pub(super) fn binding(rng: &mut Rng) -> Node {
    let app = name(rng);
    let subject =
        map([("kind", plain("ServiceAccount")), ("name", plain(app.as_str())), ("namespace", plain(name(rng)))]);
    let role = map([
        ("apiGroup", plain("rbac.authorization.k8s.io")),
        ("kind", plain("ClusterRole")),
        ("name", plain(app.as_str())),
    ]);
    let rest = vec![("subjects", list(vec![subject])), ("roleRef", role)];
    resource((API, "ClusterRoleBinding"), metadata(rng, &app), rest)
}
