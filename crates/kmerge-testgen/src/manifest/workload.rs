//! Deployments and their like, jobs, autoscalers.

use super::{metadata, pod, resource};
use crate::build::{list, map, number, plain, quoted};
use crate::model::Node;
use crate::rng::Rng;
use crate::words::name;

pub(super) fn deployment(rng: &mut Rng) -> Node {
    let app = name(rng);
    let kind = rng.pick(&["Deployment", "Deployment", "StatefulSet", "DaemonSet"]);
    let selector = map([("matchLabels", map([("app.kubernetes.io/name", plain(app.as_str()))]))]);
    let spec = map([
        ("replicas", number(rng.between(1, 12))),
        ("revisionHistoryLimit", number(rng.below(10))),
        ("selector", selector),
        ("template", pod::template(rng, &app)),
    ]);
    resource(("apps/v1", kind), metadata(rng, &app), vec![("spec", spec)])
}

pub(super) fn cron_job(rng: &mut Rng) -> Node {
    let app = name(rng);
    let template = pod::template(rng, &app);
    let job = map([("spec", map([("backoffLimit", number(rng.below(5))), ("template", template)]))]);
    let spec = map([
        ("schedule", quoted(format!("*/{} * * * *", rng.between(5, 55)))),
        ("concurrencyPolicy", plain(rng.pick(&["Forbid", "Replace"]))),
        ("suspend", plain(rng.pick(&["true", "false"]))),
        ("jobTemplate", job),
    ]);
    resource(("batch/v1", "CronJob"), metadata(rng, &app), vec![("spec", spec)])
}

pub(super) fn autoscaler(rng: &mut Rng) -> Node {
    let app = name(rng);
    let target = map([("apiVersion", plain("apps/v1")), ("kind", plain("Deployment")), ("name", plain(app.as_str()))]);
    let metric = |rng: &mut Rng, resource: &str| {
        let target = map([("type", plain("Utilization")), ("averageUtilization", number(rng.between(40, 90)))]);
        map([("type", plain("Resource")), ("resource", map([("name", plain(resource)), ("target", target)]))])
    };
    let spec = map([
        ("scaleTargetRef", target),
        ("minReplicas", number(rng.between(1, 3))),
        ("maxReplicas", number(rng.between(4, 40))),
        ("metrics", list(vec![metric(rng, "cpu"), metric(rng, "memory")])),
    ]);
    resource(("autoscaling/v2", "HorizontalPodAutoscaler"), metadata(rng, &app), vec![("spec", spec)])
}
