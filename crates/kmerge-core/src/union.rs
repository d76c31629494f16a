//! Objects of which at most one field may be set. The source of the schema says this only in its documentation text, so
//! this table is needed.

use kyaml_ast::Node;

use crate::equal::is_null;

/// The fields of an object that exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Union {
    /// These fields.
    Of(&'static [&'static str]),
    /// All fields but these.
    AllBut(&'static [&'static str]),
    /// `rollingUpdate`, and a `type` that excludes it, which is given here.
    Rollout(&'static str),
}

impl Union {
    /// Whether a field is a member of the union and is set.
    pub(crate) fn has(self, field: &str, value: Node<'_>) -> bool {
        let is_member = match self {
            Self::Of(members) => members.contains(&field),
            Self::AllBut(others) => !others.contains(&field),
            Self::Rollout(other) => field == "rollingUpdate" || field == "type" && value.value() == other,
        };
        is_member && !is_null(value)
    }
}

/// The union for a type of objects. `None` if the type is no union.
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
