//! The kinds that the loopback server knows.

/// A kind and how its objects are reached; all of them stand in namespaces here.
pub(crate) struct Kind {
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) plural: &'static str,
}

const fn kind(api_version: &'static str, kind: &'static str, plural: &'static str) -> Kind {
    Kind { api_version, kind, plural }
}

/// Built-in kinds with all sorts of lists, and one that kubectl does not know.
pub(crate) const KINDS: [Kind; 17] = [
    kind("v1", "ConfigMap", "configmaps"),
    kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
    kind("v1", "Pod", "pods"),
    kind("v1", "Secret", "secrets"),
    kind("v1", "Service", "services"),
    kind("v1", "ServiceAccount", "serviceaccounts"),
    kind("apps/v1", "ControllerRevision", "controllerrevisions"),
    kind("apps/v1", "DaemonSet", "daemonsets"),
    kind("apps/v1", "Deployment", "deployments"),
    kind("apps/v1", "StatefulSet", "statefulsets"),
    kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
    kind("batch/v1", "CronJob", "cronjobs"),
    kind("networking.k8s.io/v1", "Ingress", "ingresses"),
    kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
    kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"),
    kind("rbac.authorization.k8s.io/v1", "Role", "roles"),
    kind("example.com/v1", "Widget", "widgets"),
];

impl Kind {
    /// The path of an object in the namespace `default`.
    pub(crate) fn path(&self, name: &str) -> String {
        let root = if self.api_version.contains('/') { "/apis" } else { "/api" };
        format!("{root}/{}/namespaces/default/{}/{name}", self.api_version, self.plural)
    }
}
