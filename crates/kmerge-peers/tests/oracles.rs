//! Two independent lineages of parsers argue with ours over generated sources.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kmerge_peers::{libyaml_events, saphyr_events, yaml_rust2_events};
use kyaml_ast::{Acceptance, Kind, Stream};

/// Our events in the peers' notation.
fn ours(source: &str) -> Option<Vec<String>> {
    enum Step<'t> {
        Node(kyaml_ast::Node<'t>),
        Close(&'static str),
    }
    let stream = Stream::parse_with(source, Acceptance::Strict12).ok()?;
    let mut out = Vec::new();
    for root in stream.documents().filter_map(kyaml_ast::Document::root) {
        out.push("+DOC".to_owned());
        let mut open = vec![Step::Node(root)];
        while let Some(step) = open.pop() {
            let node = match step {
                Step::Close(event) => {
                    out.push(event.to_owned());
                    continue;
                }
                Step::Node(node) => node,
            };
            let mark = match node.kind() {
                Kind::Mapping | Kind::Sequence => {
                    let is_mapping = node.kind() == Kind::Mapping;
                    out.push(if is_mapping { "+MAP" } else { "+SEQ" }.to_owned());
                    open.push(Step::Close(if is_mapping { "-MAP" } else { "-SEQ" }));
                    let children: Vec<_> = node.children().collect();
                    open.extend(children.into_iter().rev().map(Step::Node));
                    continue;
                }
                Kind::Alias => {
                    out.push("=ALI".to_owned());
                    continue;
                }
                Kind::SingleQuoted => '\'',
                Kind::DoubleQuoted => '"',
                Kind::Literal => '|',
                Kind::Folded => '>',
                _ => ':',
            };
            let value = node.value();
            out.push(if mark == ':' && value == "~" { "=VAL :".to_owned() } else { format!("=VAL {mark}{value}") });
        }
    }
    Some(out)
}

/// Sources that the saphyr family refuses although the specification allows them: `key:<TAB>value` (productions 66,
/// `s-separate-in-line`, and 194, `ns-l-block-map-implicit-entry`).
fn is_known_refusal(source: &str) -> bool {
    source.contains(":\t")
}

/// Readings that differ from ours, with the production that decides.
fn is_known_difference(name: &str, source: &str) -> bool {
    // A byte order mark is no content (production 202, `l-document-prefix`); yaml-rust2 reads it as some.
    name == "yaml-rust2" && source.contains('\u{feff}')
}

#[test]
fn manifests_read_alike_everywhere() {
    for seed in 0..60 {
        let source = kmerge_testgen::manifest_stream(seed, 4).text().to_string();
        let events = ours(&source).unwrap_or_else(|| panic!("we refuse seed {seed}:\n{source}"));
        for (name, peer) in [("saphyr", saphyr_events(&source)), ("yaml-rust2", yaml_rust2_events(&source))] {
            match peer {
                Some(peer) => assert!(peer == events, "{name} disagrees on seed {seed}:\n{source}"),
                None => assert!(is_known_refusal(&source), "{name} refuses seed {seed}:\n{source}"),
            }
        }
        if let Some(peer) = libyaml_events(&source) {
            assert!(peer == events, "libyaml disagrees on seed {seed}:\n{source}");
        }
    }
}

#[test]
fn arbitrary_documents_read_alike() {
    let mut compared = 0;
    for seed in 0..400 {
        let source = kmerge_testgen::random_stream(seed, 30).text().to_string();
        let events = ours(&source).unwrap_or_else(|| panic!("we refuse seed {seed}:\n{source}"));
        for (name, peer) in [("saphyr", saphyr_events(&source)), ("yaml-rust2", yaml_rust2_events(&source))] {
            let Some(peer) = peer else { continue };
            compared += 1;
            assert!(
                peer == events || is_known_difference(name, &source),
                "{name} disagrees on seed {seed}:\n{source}\n{peer:?}\n{events:?}"
            );
        }
    }
    assert!(compared > 400, "most sources are accepted by the peers: {compared}");
}
