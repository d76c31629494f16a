//! Fields of which Kubernetes allows one at a time: two sides that chose different ones are in conflict.
//!
//! Source: "one of the following" in the API reference of `EnvVar`, `Volume`, `Probe` and `LifecycleHandler`.

use kyaml_ast::{Path, Segment};

/// Fields that exclude one another, by the field (of the list) that holds the object.
const UNIONS: [(&[&str], &[&str]); 3] = [
    (&["env"], &["value", "valueFrom"]),
    (
        &["livenessProbe", "readinessProbe", "startupProbe", "postStart", "preStop"],
        &["exec", "grpc", "httpGet", "sleep", "tcpSocket"],
    ),
    (
        &["volumes"],
        &[
            "awsElasticBlockStore",
            "azureDisk",
            "azureFile",
            "cephfs",
            "cinder",
            "configMap",
            "csi",
            "downwardAPI",
            "emptyDir",
            "ephemeral",
            "fc",
            "flexVolume",
            "flocker",
            "gcePersistentDisk",
            "gitRepo",
            "glusterfs",
            "hostPath",
            "image",
            "iscsi",
            "nfs",
            "persistentVolumeClaim",
            "photonPersistentDisk",
            "portworxVolume",
            "projected",
            "quobyte",
            "rbd",
            "scaleIO",
            "secret",
            "storageos",
            "vsphereVolume",
        ],
    ),
];

/// The members of the union that the object at `path` is.
pub(super) fn members(path: &Path) -> Option<&'static [&'static str]> {
    let field = path.segments().iter().rev().find_map(|segment| match segment {
        Segment::Field(name) => Some(name),
        _ => None,
    })?;
    UNIONS.iter().find(|(holders, _)| holders.contains(&field.as_str())).map(|(_, members)| *members)
}
