//! The kinds that kustomize knows: those of Kubernetes 1.21. It treats all others as custom resources.

use crate::resource::Resource;

/// Which kinds of a group and version are known.
enum Kinds {
    All,
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

const WEBHOOKS: Kinds = Kinds::Only(&["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]);

/// Measured: kustomize merges a list of such a kind item by item.
const KNOWN: [(&str, &str, Kinds); 38] = [
    ("", "v1", Kinds::AllBut(&["RangeAllocation"])),
    ("admissionregistration.k8s.io", "v1", WEBHOOKS),
    ("admissionregistration.k8s.io", "v1beta1", WEBHOOKS),
    ("apiextensions.k8s.io", "v1", Kinds::All),
    ("apiextensions.k8s.io", "v1beta1", Kinds::All),
    ("apiregistration.k8s.io", "v1", Kinds::All),
    ("apiregistration.k8s.io", "v1beta1", Kinds::All),
    ("apps", "v1", Kinds::All),
    ("authentication.k8s.io", "v1", Kinds::AllBut(&["SelfSubjectReview"])),
    ("authentication.k8s.io", "v1beta1", Kinds::AllBut(&["SelfSubjectReview"])),
    ("authorization.k8s.io", "v1", Kinds::All),
    ("authorization.k8s.io", "v1beta1", Kinds::All),
    ("autoscaling", "v1", Kinds::All),
    ("autoscaling", "v2beta1", Kinds::All),
    ("autoscaling", "v2beta2", Kinds::All),
    ("batch", "v1", Kinds::All),
    ("batch", "v1beta1", Kinds::All),
    ("certificates.k8s.io", "v1", Kinds::Only(&["CertificateSigningRequest"])),
    ("certificates.k8s.io", "v1beta1", Kinds::Only(&["CertificateSigningRequest"])),
    ("coordination.k8s.io", "v1", Kinds::All),
    ("coordination.k8s.io", "v1beta1", Kinds::Only(&["Lease"])),
    ("discovery.k8s.io", "v1", Kinds::All),
    ("discovery.k8s.io", "v1beta1", Kinds::All),
    ("events.k8s.io", "v1", Kinds::All),
    ("events.k8s.io", "v1beta1", Kinds::All),
    ("extensions", "v1beta1", Kinds::Only(&["Ingress"])),
    ("flowcontrol.apiserver.k8s.io", "v1beta1", Kinds::All),
    ("networking.k8s.io", "v1", Kinds::AllBut(&["IPAddress", "ServiceCIDR"])),
    ("networking.k8s.io", "v1beta1", Kinds::Only(&["Ingress", "IngressClass"])),
    ("node.k8s.io", "v1", Kinds::All),
    ("node.k8s.io", "v1beta1", Kinds::All),
    ("policy", "v1", Kinds::AllBut(&["Eviction"])),
    ("policy", "v1beta1", Kinds::All),
    ("rbac.authorization.k8s.io", "v1", Kinds::All),
    ("rbac.authorization.k8s.io", "v1beta1", Kinds::All),
    ("scheduling.k8s.io", "v1", Kinds::All),
    ("storage.k8s.io", "v1", Kinds::AllBut(&["CSIStorageCapacity", "VolumeAttributesClass"])),
    ("storage.k8s.io", "v1beta1", Kinds::AllBut(&["VolumeAttributesClass"])),
];

/// Whether kustomize knows the lists of a kind.
pub(super) fn is_known(resource: &Resource) -> bool {
    let (group, version, kind) = (resource.id.group.as_str(), resource.version.as_str(), resource.id.kind.as_str());
    let found = KNOWN.iter().find(|known| known.0 == group && known.1 == version);
    match found.map(|known| &known.2) {
        None => false,
        Some(Kinds::All) => true,
        Some(Kinds::Only(kinds)) => kinds.contains(&kind),
        Some(Kinds::AllBut(kinds)) => !kinds.contains(&kind),
    }
}
