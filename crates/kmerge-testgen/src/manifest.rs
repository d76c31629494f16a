//! Manifests as people write them: workloads, services, configuration, access rules.

mod access;
mod config;
mod network;
mod pod;
mod prose;
mod workload;

use crate::build::{map_of, plain, quoted};
use crate::flavor::Flavor;
use crate::model::{Document, Node, Stream};
use crate::rng::Rng;
use crate::words::{WORDS, name, paragraph, version};

/// At least `bytes` bytes of mixed manifests, as documents of one stream, with the prose that real ones hold.
///
/// ```
/// let text = kmerge_testgen::manifests(1, 10_000);
/// assert!(text.len() >= 10_000 && text.contains("\nkind: "));
/// ```
#[must_use]
pub fn manifests(seed: u64, bytes: usize) -> String {
    let mut rng = Rng::new(seed);
    let mut out = String::with_capacity(bytes + 16_384);
    while out.len() < bytes {
        let count = rng.between(1, 4);
        let mut stream = stream_with(&mut rng, count);
        stream.documents.iter_mut().for_each(|document| prose::add(document, &mut rng));
        out.push_str(&stream.text());
    }
    out
}

/// A stream of `documents` manifests.
#[must_use]
pub fn manifest_stream(seed: u64, documents: usize) -> Stream {
    stream_with(&mut Rng::new(seed), documents)
}

/// `count` small files, each with its name: one to three manifests each.
pub fn small_files(seed: u64, count: usize) -> impl Iterator<Item = (String, String)> {
    let mut rng = Rng::new(seed);
    (0..count).map(move |at| {
        let documents = rng.pick(&[1, 1, 1, 2, 3]);
        let stream = stream_with(&mut rng, documents);
        (format!("{}/{}-{at}.yaml", rng.pick(WORDS), rng.pick(WORDS)), stream.text())
    })
}

fn stream_with(rng: &mut Rng, documents: usize) -> Stream {
    let documents = (0..documents)
        .map(|_| {
            let mut root = manifest(rng);
            Flavor::new(rng).apply(&mut root, rng);
            Document { start: true, root, ..Document::default() }
        })
        .collect();
    Stream { documents, ..Stream::default() }
}

/// One manifest of some kind, without layout.
pub(crate) fn manifest(rng: &mut Rng) -> Node {
    match rng.below(20) {
        0..=4 => workload::deployment(rng),
        5 => workload::cron_job(rng),
        6..=7 => workload::autoscaler(rng),
        8..=10 => network::service(rng),
        11 => network::ingress(rng),
        12 => network::policy(rng),
        13..=15 => config::config_map(rng),
        16 => config::secret(rng),
        17 => config::kustomization(rng),
        18 => access::role(rng),
        _ => access::binding(rng),
    }
}

/// A resource: the two type fields, metadata, and what follows.
fn resource(types: (&str, &str), metadata: Node, rest: Vec<(&str, Node)>) -> Node {
    let head = [("apiVersion", plain(types.0)), ("kind", plain(types.1)), ("metadata", metadata)];
    map_of(head.into_iter().chain(rest).map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Metadata of an object called `app`.
fn metadata(rng: &mut Rng, app: &str) -> Node {
    let mut fields = vec![("name".to_owned(), plain(app))];
    if rng.chance(70) {
        fields.push(("namespace".to_owned(), plain(format!("team-{}", rng.pick(WORDS)))));
    }
    if rng.chance(80) {
        fields.push(("labels".to_owned(), labels(rng, app)));
    }
    if rng.chance(40) {
        fields.push(("annotations".to_owned(), annotations(rng)));
    }
    map_of(fields)
}

fn labels(rng: &mut Rng, app: &str) -> Node {
    let mut fields = vec![("app.kubernetes.io/name".to_owned(), plain(app))];
    if rng.chance(50) {
        fields.push(("app.kubernetes.io/version".to_owned(), quoted(version(rng))));
    }
    if rng.chance(50) {
        fields.push(("app.kubernetes.io/part-of".to_owned(), plain(name(rng))));
    }
    map_of(fields)
}

fn annotations(rng: &mut Rng) -> Node {
    let port = rng.between(8000, 9000).to_string();
    let mut fields =
        vec![("prometheus.io/scrape".to_owned(), quoted("true")), ("prometheus.io/port".to_owned(), quoted(port))];
    if rng.chance(30) {
        let text = paragraph(rng, 2);
        fields.push(("example.com/description".to_owned(), quoted(text)));
    }
    map_of(fields)
}
