//! Defaults of list keys, which the OpenAPI definitions do not carry: copied by hand from the Kubernetes API sources.

use anyhow::Context;

use super::definitions::Body;
use super::union::Union;

/// Type, list field, key and its default. The sources are the `+default` markers in `k8s.io/api/core/v1/types.go`:
/// `// +default="TCP"` on `ContainerPort.Protocol` and on `ServicePort.Protocol`, `// +default=""` on
/// `LocalObjectReference.Name`. No other field that is part of a list's key has such a marker.
const DEFAULTS: [(&str, &str, &str, &str); 4] = [
    ("core/v1.Container", "ports", "protocol", "TCP"),
    ("core/v1.EphemeralContainer", "ports", "protocol", "TCP"),
    ("core/v1.ServiceSpec", "ports", "protocol", "TCP"),
    ("core/v1.PodSpec", "imagePullSecrets", "name", ""),
];

/// Writes the defaults into the lists' keys; fails where a list or key is not there.
pub(crate) fn apply(union: &mut Union) -> anyhow::Result<()> {
    for (name, field, key, default) in DEFAULTS {
        let place = || format!("{name}.{field} with the key {key} is gone");
        let body = union.types.get_mut(name).map(|definition| &mut definition.body);
        let Some(Body::Struct(fields)) = body else { anyhow::bail!(place()) };
        let field = fields.get_mut(field).with_context(place)?;
        let key = field.map_keys.iter_mut().find(|(name, _)| name == key).with_context(place)?;
        key.1 = Some(default.to_owned());
    }
    Ok(())
}
