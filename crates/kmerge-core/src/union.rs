//! Objects of which at most one field may be set. The schema's source says so in prose only, hence this table.

/// Which fields of an object exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Union {
    /// These.
    Of(&'static [&'static str]),
    /// All but these.
    AllBut(&'static [&'static str]),
}

impl Union {
    /// Whether a field is a member.
    pub(crate) fn has(self, field: &str) -> bool {
        match self {
            Self::Of(members) => members.contains(&field),
            Self::AllBut(others) => !others.contains(&field),
        }
    }
}

/// The union of an object's type.
pub(crate) fn of_type(name: &str) -> Option<Union> {
    Some(match name {
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
