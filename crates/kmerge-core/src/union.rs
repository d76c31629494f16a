//! Objects of which at most one field may be set. The schema's source says so in prose only, hence this table.

use kyaml_ast::Node;

use crate::equal::is_null;

/// Which fields of an object exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Union {
    /// These.
    Of(&'static [&'static str]),
    /// All but these.
    AllBut(&'static [&'static str]),
    /// `rollingUpdate`, and a `type` that is not for it: this one.
    Rollout(&'static str),
}

impl Union {
    /// Whether a field is a member, and set.
    pub(crate) fn has(self, field: &str, value: Node<'_>) -> bool {
        let is_member = match self {
            Self::Of(members) => members.contains(&field),
            Self::AllBut(others) => !others.contains(&field),
            Self::Rollout(other) => field == "rollingUpdate" || field == "type" && value.value() == other,
        };
        is_member && !is_null(value)
    }

    /// Whether the members are fields that stand for themselves, so that one can go and another come.
    pub(crate) const fn is_exclusive(self) -> bool {
        !matches!(self, Self::Rollout(_))
    }
}

/// The union of an object's type.
pub(crate) fn of_type(name: &str) -> Option<Union> {
    Some(match name {
        "apps/v1.DeploymentStrategy" => Union::Rollout("Recreate"),
        "apps/v1.StatefulSetUpdateStrategy" => Union::Rollout("OnDelete"),
        "core/v1.Volume" => Union::AllBut(&["name"]),
        "core/v1.PersistentVolumeSpec" => Union::Of(&[
            "awsElasticBlockStore",
            "azureDisk",
            "azureFile",
            "cephfs",
            "cinder",
            "csi",
            "fc",
            "flexVolume",
            "flocker",
            "gcePersistentDisk",
            "glusterfs",
            "hostPath",
            "iscsi",
            "local",
            "nfs",
            "photonPersistentDisk",
            "portworxVolume",
            "quobyte",
            "rbd",
            "scaleIO",
            "storageos",
            "vsphereVolume",
        ]),
        "core/v1.EnvVar" => Union::Of(&["value", "valueFrom"]),
        "core/v1.EnvVarSource" | "core/v1.VolumeProjection" => Union::AllBut(&[]),
        "core/v1.EnvFromSource" => Union::Of(&["configMapRef", "secretRef"]),
        "core/v1.Probe" => Union::Of(&["exec", "grpc", "httpGet", "tcpSocket"]),
        "core/v1.LifecycleHandler" => Union::Of(&["exec", "httpGet", "sleep", "tcpSocket"]),
        "networking/v1.IngressBackend" => Union::Of(&["resource", "service"]),
        "policy/v1.PodDisruptionBudgetSpec" => Union::Of(&["maxUnavailable", "minAvailable"]),
        "autoscaling/v2.MetricSpec" => Union::AllBut(&["type"]),
        _ => return None,
    })
}
