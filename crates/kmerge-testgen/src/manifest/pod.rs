//! Pod templates and what is in them.

use super::labels;
use crate::build::{list, map, map_of, number, plain, quoted};
use crate::model::Node;
use crate::rng::Rng;
use crate::words::{WORDS, hex, name, version};

/// The template of a workload called `app`.
pub(super) fn template(rng: &mut Rng, app: &str) -> Node {
    let containers = rng.pick(&[1, 1, 2, 3]);
    let mut spec = vec![("containers", list((0..containers).map(|at| container(rng, app, at)).collect()))];
    if rng.chance(50) {
        spec.insert(0, ("serviceAccountName", plain(app)));
    }
    if rng.chance(30) {
        spec.push(("initContainers", list(vec![init_container(rng)])));
    }
    if rng.chance(60) {
        spec.push(("volumes", list(vec![config_volume(app), empty_volume(rng)])));
    }
    if rng.chance(25) {
        spec.push(("topologySpreadConstraints", list(vec![spread(rng, app)])));
    }
    if rng.chance(20) {
        spec.push(("tolerations", list(vec![toleration(rng)])));
    }
    let spec = map_of(spec.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    map([("metadata", map([("labels", labels(rng, app))])), ("spec", spec)])
}

fn container(rng: &mut Rng, app: &str, at: usize) -> Node {
    let name = if at == 0 { app.to_owned() } else { format!("{}-{at}", rng.pick(WORDS)) };
    let mut fields = vec![("name", plain(name)), ("image", image(rng)), ("imagePullPolicy", plain("IfNotPresent"))];
    if rng.chance(40) {
        fields.push(("command", list(vec![quoted("/bin/sh"), quoted("-c"), quoted("exec \"$0\" --serve")])));
    }
    if rng.chance(50) {
        fields.push(("args", args(rng)));
    }
    if rng.chance(70) {
        fields.push(("env", env(rng, app)));
    }
    if rng.chance(70) {
        fields.push(("ports", ports(rng)));
    }
    if rng.chance(80) {
        fields.push(("resources", resources(rng)));
    }
    if rng.chance(60) {
        fields.push(("livenessProbe", probe(rng)));
        fields.push(("readinessProbe", probe(rng)));
    }
    if rng.chance(50) {
        let mounts = [("config", "/etc/app"), ("data", "/var/lib/data")];
        let mount =
            |(name, path)| map([("name", plain(name)), ("mountPath", plain(path)), ("readOnly", plain("true"))]);
        fields.push(("volumeMounts", list(mounts.map(mount).to_vec())));
    }
    map_of(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn init_container(rng: &mut Rng) -> Node {
    let script = "until nslookup db; do\n  echo waiting\n  sleep 2\ndone\n";
    let command = list(vec![plain("sh"), plain("-c"), crate::build::lines(script)]);
    map([("name", plain(format!("wait-{}", rng.pick(WORDS)))), ("image", image(rng)), ("command", command)])
}

fn image(rng: &mut Rng) -> Node {
    let path = format!("registry.example.com/{}/{}", rng.pick(WORDS), rng.pick(WORDS));
    plain(if rng.chance(15) { format!("{path}@sha256:{}", hex(rng, 64)) } else { format!("{path}:v{}", version(rng)) })
}

fn args(rng: &mut Rng) -> Node {
    let count = rng.between(1, 5);
    list((0..count).map(|_| plain(format!("--{}-{}={}", rng.pick(WORDS), rng.pick(WORDS), rng.below(900)))).collect())
}

fn env(rng: &mut Rng, app: &str) -> Node {
    let count = rng.between(1, 7);
    let variable = |rng: &mut Rng, at: usize| {
        let name = plain(format!("{}_{}_{at}", rng.pick(WORDS), rng.pick(WORDS)).to_uppercase());
        let reference = || map([("name", plain(format!("{app}-secrets"))), ("key", plain("password"))]);
        match rng.below(4) {
            0 => map([("name", name), ("valueFrom", map([("secretKeyRef", reference())]))]),
            1 => map([("name", name), ("value", quoted(rng.below(70_000).to_string()))]),
            2 => map([("name", name), ("value", quoted("true"))]),
            _ => map([("name", name), ("value", plain(format!("http://{}:8080/", rng.pick(WORDS))))]),
        }
    };
    list((0..count).map(|at| variable(rng, at)).collect())
}

fn ports(rng: &mut Rng) -> Node {
    let mut ports = vec![("http", 8080)];
    if rng.chance(40) {
        ports.push(("metrics", rng.between(9000, 9999)));
    }
    let port = |(name, number_of)| {
        map([("name", plain(name)), ("containerPort", number(number_of)), ("protocol", plain("TCP"))])
    };
    list(ports.into_iter().map(port).collect())
}

fn resources(rng: &mut Rng) -> Node {
    let mut amounts = |factor: usize| {
        let cpu = plain(format!("{}m", rng.between(1, 20) * 50 * factor));
        map([("cpu", cpu), ("memory", plain(format!("{}Mi", rng.between(1, 16) * 64 * factor)))])
    };
    map([("requests", amounts(1)), ("limits", amounts(2))])
}

fn probe(rng: &mut Rng) -> Node {
    let get = map([("path", plain(rng.pick(&["/healthz", "/ready", "/live"]))), ("port", plain("http"))]);
    map([
        ("httpGet", get),
        ("initialDelaySeconds", number(rng.below(60))),
        ("periodSeconds", number(rng.between(5, 30))),
    ])
}

fn config_volume(app: &str) -> Node {
    map([
        ("name", plain("config")),
        ("configMap", map([("name", plain(format!("{app}-config"))), ("defaultMode", plain("0644"))])),
    ])
}

fn empty_volume(rng: &mut Rng) -> Node {
    let limits = if rng.chance(50) { map([]) } else { map([("sizeLimit", plain("1Gi"))]) };
    map([("name", plain("data")), ("emptyDir", limits)])
}

fn spread(rng: &mut Rng, app: &str) -> Node {
    map([
        ("maxSkew", number(1)),
        ("topologyKey", plain("topology.kubernetes.io/zone")),
        ("whenUnsatisfiable", plain(rng.pick(&["ScheduleAnyway", "DoNotSchedule"]))),
        ("labelSelector", map([("matchLabels", map([("app.kubernetes.io/name", plain(app))]))])),
    ])
}

fn toleration(rng: &mut Rng) -> Node {
    map([
        ("key", plain(format!("dedicated-{}", name(rng)))),
        ("operator", plain("Exists")),
        ("effect", plain("NoSchedule")),
    ])
}
