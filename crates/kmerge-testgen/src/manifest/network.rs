//! Services, ingresses, network policies.

use super::{metadata, resource};
use crate::build::{list, map, number, plain, quoted};
use crate::model::Node;
use crate::rng::Rng;
use crate::words::name;

pub(super) fn service(rng: &mut Rng) -> Node {
    let app = name(rng);
    let port = |rng: &mut Rng, (name, protocol): (&str, &str)| {
        map([
            ("name", plain(name)),
            ("port", number(rng.between(80, 9000))),
            ("protocol", plain(protocol)),
            ("targetPort", plain(name)),
        ])
    };
    let mut ports = vec![port(rng, ("http", "TCP"))];
    if rng.chance(40) {
        ports.push(port(rng, ("dns", "UDP")));
    }
    let spec = map([
        ("type", plain(rng.pick(&["ClusterIP", "ClusterIP", "LoadBalancer"]))),
        ("ports", list(ports)),
        ("selector", map([("app.kubernetes.io/name", plain(app.as_str()))])),
    ]);
    resource(("v1", "Service"), metadata(rng, &app), vec![("spec", spec)])
}

pub(super) fn ingress(rng: &mut Rng) -> Node {
    let app = name(rng);
    let host = format!("{app}.example.com");
    let backend = map([("service", map([("name", plain(app.as_str())), ("port", map([("name", plain("http"))]))]))]);
    let path = map([("path", plain("/")), ("pathType", plain("Prefix")), ("backend", backend)]);
    let rule = map([("host", quoted(host.as_str())), ("http", map([("paths", list(vec![path]))]))]);
    let tls = map([("hosts", list(vec![plain(host)])), ("secretName", plain(format!("{app}-tls")))]);
    let spec = map([("ingressClassName", plain("nginx")), ("rules", list(vec![rule])), ("tls", list(vec![tls]))]);
    resource(("networking.k8s.io/v1", "Ingress"), metadata(rng, &app), vec![("spec", spec)])
}

pub(super) fn policy(rng: &mut Rng) -> Node {
    let app = name(rng);
    let from = vec![
        map([("ipBlock", map([("cidr", plain(format!("10.{}.0.0/16", rng.below(255))))]))]),
        map([("podSelector", map([("matchLabels", map([("role", plain("frontend"))]))]))]),
    ];
    let ports = list(vec![map([("protocol", plain("TCP")), ("port", number(rng.between(1000, 9999)))])]);
    let spec = map([
        ("podSelector", map([])),
        ("policyTypes", list(vec![plain("Ingress"), plain("Egress")])),
        ("ingress", list(vec![map([("from", list(from)), ("ports", ports)])])),
    ]);
    resource(("networking.k8s.io/v1", "NetworkPolicy"), metadata(rng, &app), vec![("spec", spec)])
}
