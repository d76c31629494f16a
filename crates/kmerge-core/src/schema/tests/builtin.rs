use super::super::builtin;
use super::super::cursor::Patch;
use super::*;

const POD: &str = "spec.template.spec";

#[test]
fn lists_of_everyday_kinds() {
    let schema = Schema::new();
    let cases = [
        ("apps/v1", "Deployment", &*format!("{POD}.containers"), "name"),
        ("apps/v1", "Deployment", &format!("{POD}.initContainers"), "name"),
        ("apps/v1", "Deployment", &format!("{POD}.containers[].env"), "name"),
        ("apps/v1", "Deployment", &format!("{POD}.containers[].envFrom"), "atomic"),
        ("apps/v1", "Deployment", &format!("{POD}.containers[].args"), "atomic"),
        ("apps/v1", "Deployment", &format!("{POD}.containers[].volumeMounts"), "mountPath"),
        ("apps/v1", "Deployment", &format!("{POD}.containers[].volumeDevices"), "devicePath"),
        ("apps/v1", "Deployment", &format!("{POD}.containers[].ports"), "containerPort,protocol:TCP"),
        ("apps/v1", "Deployment", &format!("{POD}.imagePullSecrets"), "name:"),
        ("apps/v1", "Deployment", &format!("{POD}.hostAliases"), "ip"),
        ("apps/v1", "Deployment", &format!("{POD}.tolerations"), "atomic"),
        ("apps/v1", "Deployment", &format!("{POD}.topologySpreadConstraints"), "topologyKey,whenUnsatisfiable"),
        ("apps/v1", "Deployment", &format!("{POD}.volumes"), "name"),
        ("apps/v1", "Deployment", "metadata.finalizers", "set"),
        ("apps/v1", "Deployment", "metadata.ownerReferences", "uid"),
        ("apps/v1", "Deployment", "status.conditions", "type"),
        ("apps/v1", "StatefulSet", "spec.volumeClaimTemplates", "atomic"),
        ("apps/v1", "StatefulSet", &format!("{POD}.containers[].resources.claims"), "name"),
        ("batch/v1", "CronJob", "spec.jobTemplate.spec.template.spec.containers[].env", "name"),
        ("v1", "Pod", "spec.ephemeralContainers[].ports", "containerPort,protocol:TCP"),
        ("v1", "Service", "spec.ports", "port,protocol:TCP"),
        ("v1", "Service", "spec.externalIPs", "atomic"),
        ("v1", "ServiceAccount", "secrets", "name"),
        ("v1", "Node", "spec.podCIDRs", "set"),
        ("v1", "Node", "status.addresses", "type"),
        ("rbac.authorization.k8s.io/v1", "Role", "rules", "atomic"),
        ("networking.k8s.io/v1", "Ingress", "spec.rules", "atomic"),
        ("autoscaling/v2", "HorizontalPodAutoscaler", "spec.metrics", "atomic"),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "webhooks", "name"),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "spec.matchConditions", "name"),
        ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "status.conditions", "type"),
        ("resource.k8s.io/v1", "ResourceClaim", "status.devices", "driver,device,pool,shareID"),
    ];
    for (api_version, kind, path, expected) in cases {
        assert_eq!(rule(&schema, api_version, kind, path), expected, "{api_version} {kind} {path}");
    }
}

#[test]
fn lists_of_declared_kinds() {
    let schema = Schema::new();
    let cases = [
        ("kustomize.config.k8s.io/v1beta1", "Kustomization", "resources", "set"),
        ("kustomize.config.k8s.io/v1beta1", "Kustomization", "images", "name"),
        ("kustomize.config.k8s.io/v1beta1", "Kustomization", "configMapGenerator", "name,namespace:"),
        ("kustomize.config.k8s.io/v1beta1", "Kustomization", "configMapGenerator[].files", "set"),
        ("kustomize.config.k8s.io/v1beta1", "Kustomization", "patches", "atomic"),
        ("kustomize.config.k8s.io/v1alpha1", "Component", "components", "set"),
        ("kpt.dev/v1", "Kptfile", "pipeline.mutators", "image@:,exec:,name:"),
        ("extensions/v1beta1", "Deployment", "spec.template.spec.containers", "name"),
    ];
    for (api_version, kind, path, expected) in cases {
        assert_eq!(rule(&schema, api_version, kind, path), expected, "{api_version} {kind} {path}");
    }
}

#[test]
fn an_unknown_version_is_the_newest_known_one() {
    let schema = Schema::new();
    assert_eq!(rule(&schema, "batch/v1beta1", "CronJob", "spec.jobTemplate.spec.template.spec.volumes"), "name");
    assert_eq!(rule(&schema, "apps/v9", "Deployment", "spec.template.spec.volumes"), "name");
    assert_eq!(
        schema.resource("autoscaling", "v3", "HorizontalPodAutoscaler").type_name(),
        Some("autoscaling/v2.HorizontalPodAutoscaler")
    );
}

#[test]
fn what_is_not_known_says_why() {
    let schema = Schema::new();
    let deployment = schema.resource("apps", "v1", "Deployment");
    assert_eq!(deployment.knowledge(), Knowledge::Known);
    assert_eq!(at(deployment, "spec.nonsense[].deeper").knowledge(), Knowledge::UnknownField);
    assert_eq!(at(deployment, "spec.nonsense").list().kind, ListKind::Infer);
    assert_eq!(at(deployment, "spec[]").knowledge(), Knowledge::UnknownField);
    assert_eq!(at(deployment, "spec.replicas.x").knowledge(), Knowledge::UnknownField);
    let rollout = schema.resource("argoproj.io", "v1alpha1", "Rollout");
    assert_eq!(at(rollout, "spec.strategy.steps").knowledge(), Knowledge::NoSchema);
    assert_eq!(
        at(rollout, "spec.strategy.steps").list(),
        ListRule { kind: ListKind::Infer, source: RuleSource::Inferred }
    );
    let revision = schema.resource("apps", "v1", "ControllerRevision");
    assert_eq!(at(revision, "data.spec.anything[]").knowledge(), Knowledge::Free);
    assert_eq!(schema.untyped().field("image").knowledge(), Knowledge::NoSchema);
}

#[test]
fn strategic_merge_sees_one_key_and_the_strategies() {
    let schema = Schema::new();
    let deployment = schema.resource("apps", "v1", "Deployment");
    let patch = |path| at(deployment, path).patch();
    let merge = |key| Patch { strategy: PatchStrategy::Merge, merge_key: Some(key) };
    assert_eq!(patch("spec.template.spec.containers[].ports"), merge("containerPort"));
    assert_eq!(patch("spec.template.spec.topologySpreadConstraints"), merge("topologyKey"));
    assert_eq!(patch("spec.strategy").strategy, PatchStrategy::RetainKeys);
    assert!(patch("spec.template.spec.volumes").strategy.retains_keys());
    assert!(patch("spec.template.spec.volumes").strategy.merges_list());
    assert_eq!(patch("metadata.finalizers"), Patch { strategy: PatchStrategy::Merge, merge_key: None });
    let budget =
        |version| at(schema.resource("policy", version, "PodDisruptionBudget"), "spec.selector").patch().strategy;
    assert_eq!(budget("v1"), PatchStrategy::Replace);
    assert_eq!(budget("v1beta1"), PatchStrategy::Default);
}

#[test]
fn atomic_maps() {
    let schema = Schema::new();
    let deployment = schema.resource("apps", "v1", "Deployment");
    assert!(at(deployment, "spec.selector").is_atomic_map());
    assert!(at(deployment, "spec.template.spec.nodeSelector").is_atomic_map());
    assert!(!at(deployment, "metadata.labels").is_atomic_map());
    assert!(!at(schema.resource("", "v1", "PersistentVolume"), "spec.claimRef").is_atomic_map());
    assert!(at(schema.resource("", "v1", "Event"), "involvedObject").is_atomic_map());
    assert!(at(schema.resource("", "v1", "Service"), "spec.selector").is_atomic_map());
}

#[test]
fn without_the_built_in_kinds_nothing_is_known() {
    let schema = Schema::without_builtin();
    assert_eq!(schema.resource("apps", "v1", "Deployment").knowledge(), Knowledge::NoSchema);
}

#[test]
fn every_kind_resolves_and_has_metadata() {
    let schema = Schema::new();
    let kinds: Vec<_> = builtin::table().kinds().collect();
    assert!(kinds.len() > 140);
    for gvk in kinds {
        let root = schema.resource(gvk.group, gvk.version, gvk.kind);
        assert_eq!(at(root, "metadata.finalizers").list().kind, ListKind::Set, "{gvk:?}");
    }
}

#[test]
fn every_row_points_at_rows() {
    let table = builtin::table();
    assert!(table.types.is_sorted_by_key(|row| table.text(row.name)));
    for (index, row) in (0..).zip(table.types.iter()) {
        let fields = table.fields(index);
        assert_eq!(fields.len(), row.len as usize);
        assert!(fields.is_sorted_by(|a, b| table.text(a.name) < table.text(b.name)), "{}", table.text(row.name));
        assert_eq!(table.type_named(table.text(row.name)), Some(index));
    }
    let is_there = |id| match id {
        table::NodeId::Type(id) => (id.index as usize) < table.types.len(),
        table::NodeId::Row(_, index) => (index as usize) < table.nodes.len(),
    };
    assert!(table.fields.iter().all(|field| is_there(field.node) && !table.text(field.name).is_empty()));
    for node in table.nodes.iter() {
        let is_good = match node.shape {
            table::Shape::Object(id) => is_there(table::NodeId::Type(id)),
            table::Shape::Map(inner) => is_there(inner),
            table::Shape::List(item, table::ListRow::Keyed { start, len }) => {
                is_there(item) && table.key_rows(start, len).len() == len as usize && len > 0
            }
            table::Shape::List(item, _) => is_there(item),
            table::Shape::Scalar(_) | table::Shape::Free => true,
        };
        assert!(is_good, "{node:?}");
    }
}
