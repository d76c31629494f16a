//! Custom resource definitions: long, deep, and mostly descriptions.

use crate::build::{list, map, map_of, number, plain, quoted, with};
use crate::flavor::Flavor;
use crate::model::{Document, Node, Scalar, Stream, Style};
use crate::rng::Rng;
use crate::words::{WORDS, paragraph};

/// Nesting of schemas beyond which only scalars come.
const DEEPEST: usize = 6;

/// At least `bytes` bytes of custom resource definitions, as documents of one stream.
///
/// ```
/// let text = kmerge_testgen::crds(1, 50_000);
/// assert!(text.len() >= 50_000 && text.contains("openAPIV3Schema:"));
/// ```
#[must_use]
pub fn crds(seed: u64, bytes: usize) -> String {
    let mut rng = Rng::new(seed);
    let mut out = String::with_capacity(bytes + bytes / 8);
    while out.len() < bytes {
        let mut root = definition(&mut rng);
        Flavor::generated().apply(&mut root, &mut rng);
        let document = Document { start: true, root, ..Document::default() };
        out.push_str(&Stream { documents: vec![document], ..Stream::default() }.text());
    }
    out
}

fn definition(rng: &mut Rng) -> Node {
    let singular = rng.pick(WORDS);
    let group = format!("{}.example.com", rng.pick(WORDS));
    let names = map([
        ("kind", plain(capitalized(singular))),
        ("listKind", plain(format!("{}List", capitalized(singular)))),
        ("plural", plain(format!("{singular}s"))),
        ("singular", plain(singular)),
    ]);
    // Real definitions describe their fields the same way all through.
    let style = rng.pick(&[Style::Plain, Style::Literal]);
    let versions = rng.between(1, 2);
    let versions = (0..versions).map(|at| version(rng, at, style)).collect();
    let annotations = map([("controller-gen.kubebuilder.io/version", plain("v0.14.0"))]);
    map([
        ("apiVersion", plain("apiextensions.k8s.io/v1")),
        ("kind", plain("CustomResourceDefinition")),
        ("metadata", map([("annotations", annotations), ("name", plain(format!("{singular}s.{group}")))])),
        (
            "spec",
            map([
                ("group", plain(group)),
                ("names", names),
                ("scope", plain("Namespaced")),
                ("versions", list(versions)),
            ]),
        ),
    ])
}

fn version(rng: &mut Rng, at: usize, style: Style) -> Node {
    let schema = object(rng, 0, style);
    let column = map([("jsonPath", plain(".status.phase")), ("name", plain("Phase")), ("type", plain("string"))]);
    map([
        ("additionalPrinterColumns", list(vec![column])),
        ("name", plain(format!("v{}", at + 1))),
        ("schema", map([("openAPIV3Schema", schema)])),
        ("served", plain("true")),
        ("storage", plain(if at == 0 { "true" } else { "false" })),
        ("subresources", map([("status", map([]))])),
    ])
}

fn schema(rng: &mut Rng, depth: usize, style: Style) -> Node {
    match rng.below(if depth < DEEPEST { 10 } else { 6 }) {
        0..=3 => with(described(rng, style), vec![("type".to_owned(), plain("string"))]),
        4 => with(described(rng, style), integer(rng)),
        5 => with(described(rng, style), enumeration(rng)),
        6 => {
            let items = vec![("items".to_owned(), object(rng, depth + 1, style)), ("type".to_owned(), plain("array"))];
            with(described(rng, style), with_list_type(items))
        }
        _ => object(rng, depth, style),
    }
}

fn object(rng: &mut Rng, depth: usize, style: Style) -> Node {
    let count = if depth == 0 { 12 } else { rng.between(1, 6) };
    let mut properties: Vec<(String, Node)> =
        (0..count).map(|_| (property_name(rng), schema(rng, depth + 1, style))).collect();
    properties.sort_by(|a, b| a.0.cmp(&b.0));
    properties.dedup_by(|a, b| a.0 == b.0);
    let required = properties.iter().take(2).map(|(name, _)| plain(name.as_str())).collect();
    let fields = vec![
        ("properties".to_owned(), map_of(properties)),
        ("required".to_owned(), list(required)),
        ("type".to_owned(), plain("object")),
    ];
    with(described(rng, style), fields)
}

fn described(rng: &mut Rng, style: Style) -> Node {
    let sentences = rng.pick(&[1, 1, 2, 3, 6]);
    let text = paragraph(rng, sentences);
    let is_long = text.len() > 80;
    let description = match style {
        Style::Literal if is_long => Scalar::new(broken_at_sentences(&text), Style::Literal),
        _ => Scalar { text, style: Style::Plain, wrap: if is_long { 11 } else { 0 } },
    };
    map([("description", Node::scalar(description))])
}

fn broken_at_sentences(text: &str) -> String {
    text.replace(". ", ".\n")
}

fn integer(rng: &mut Rng) -> Vec<(String, Node)> {
    vec![
        ("format".to_owned(), plain("int32")),
        ("maximum".to_owned(), number(rng.between(10, 70_000))),
        ("minimum".to_owned(), number(0)),
        ("type".to_owned(), plain("integer")),
    ]
}

fn enumeration(rng: &mut Rng) -> Vec<(String, Node)> {
    let values = vec![plain("Always"), plain("Never"), quoted("")];
    let default = rng.pick(&["Always", "Never"]);
    vec![
        ("default".to_owned(), plain(default)),
        ("enum".to_owned(), list(values)),
        ("type".to_owned(), plain("string")),
    ]
}

fn with_list_type(mut fields: Vec<(String, Node)>) -> Vec<(String, Node)> {
    fields.push(("x-kubernetes-list-map-keys".to_owned(), list(vec![plain("name")])));
    fields.push(("x-kubernetes-list-type".to_owned(), plain("map")));
    fields
}

fn property_name(rng: &mut Rng) -> String {
    format!("{}{}", rng.pick(WORDS), capitalized(rng.pick(WORDS)))
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + chars.as_str())
}
