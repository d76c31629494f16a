//! Configuration: config maps with files in them, secrets, kustomizations.

use super::{metadata, resource};
use crate::build::{lines, list, map, map_of, number, plain, quoted};
use crate::model::Node;
use crate::rng::Rng;
use crate::words::{LINES, WORDS, name, version};

pub(super) fn config_map(rng: &mut Rng) -> Node {
    let app = name(rng);
    let count = rng.between(1, 6);
    let data = (0..count).map(|at| data_field(rng, at)).collect();
    resource(("v1", "ConfigMap"), metadata(rng, &app), vec![("data", map_of(data))])
}

fn data_field(rng: &mut Rng, at: usize) -> (String, Node) {
    let base = format!("{}-{at}", rng.pick(WORDS));
    match rng.below(6) {
        0 => (format!("{base}.properties"), lines(properties(rng))),
        1 => (format!("{base}.sh"), lines(script(rng))),
        2 => (format!("{base}.json"), lines(json(rng))),
        3 => (base, quoted(rng.below(70_000).to_string())),
        4 => (base, quoted(rng.pick(&["true", "off", "", "a: b", "# none", "100%"]))),
        _ => (base, plain(format!("{}.{}.svc.cluster.local", rng.pick(WORDS), rng.pick(WORDS)))),
    }
}

fn properties(rng: &mut Rng) -> String {
    let count = rng.between(2, 20);
    (0..count).map(|_| format!("{}.{}={}\n", rng.pick(WORDS), rng.pick(WORDS), rng.below(10_000))).collect()
}

fn script(rng: &mut Rng) -> String {
    let count = rng.between(2, 16);
    let body: String = (0..count).map(|_| format!("{}\n", rng.pick(LINES).trim_end())).collect();
    format!("#!/bin/sh\nset -eu\n{body}exit 0\n")
}

fn json(rng: &mut Rng) -> String {
    let count = rng.between(1, 8);
    let fields: Vec<String> =
        (0..count).map(|at| format!("  \"{}{at}\": {}", rng.pick(WORDS), rng.below(5000))).collect();
    format!("{{\n{}\n}}\n", fields.join(",\n"))
}

pub(super) fn secret(rng: &mut Rng) -> Node {
    let app = name(rng);
    let count = rng.between(1, 5);
    let mut value = |_| {
        let length = rng.between(3, 40) * 4;
        let text: String = (0..length).map(|_| rng.pick(b"ABCDEFGHabcdefgh01234567") as char).collect();
        (format!("{}-{}", rng.pick(WORDS), rng.below(1000)), plain(text))
    };
    let mut data: Vec<(String, Node)> = (0..count).map(&mut value).collect();
    data.sort_by(|a, b| a.0.cmp(&b.0));
    data.dedup_by(|a, b| a.0 == b.0);
    resource(("v1", "Secret"), metadata(rng, &app), vec![("type", plain("Opaque")), ("data", map_of(data))])
}

pub(super) fn kustomization(rng: &mut Rng) -> Node {
    let count = rng.between(2, 12);
    let resources = (0..count).map(|_| plain(format!("{}/{}.yaml", rng.pick(WORDS), rng.pick(WORDS)))).collect();
    let image = map([("name", plain(rng.pick(WORDS))), ("newTag", quoted(version(rng)))]);
    let patch = format!("- op: replace\n  path: /spec/replicas\n  value: {}\n", rng.below(20));
    map([
        ("apiVersion", plain("kustomize.config.k8s.io/v1beta1")),
        ("kind", plain("Kustomization")),
        ("resources", list(resources)),
        ("images", list(vec![image])),
        ("patches", list(vec![map([("target", map([("kind", plain("Deployment"))])), ("patch", lines(patch))])])),
        ("replicas", list(vec![map([("name", plain(name(rng))), ("count", number(rng.below(9)))])])),
    ])
}
