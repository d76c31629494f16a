//! Generated documents: the parser finds exactly what the generator meant, and every written string reads back.

use kmerge_testgen::{manifest_triple, random_triple};
use kyaml_ast::{
    Acceptance, BlockLayout, Kind, Newline, Node, Resolved, Scalar, ScalarPlace, ScalarSchema, Stream, plain_is_safe,
    render_string, render_string_like, resolve_scalar,
};
use proptest::prelude::*;

fn events(text: &str, acceptance: Acceptance) -> String {
    match Stream::parse_with(text, acceptance) {
        Ok(stream) => {
            let events: String = stream.events().map(|event| format!("{event}\n")).collect();
            format!("+STR\n{events}-STR\n")
        }
        Err(error) => error.to_string(),
    }
}

fn check(stream: &kmerge_testgen::Stream) {
    let text = stream.text();
    for acceptance in [Acceptance::Strict12, Acceptance::KubeCompat] {
        pretty_assertions::assert_eq!(events(&text, acceptance), stream.events(), "{acceptance:?} of\n{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_documents_are_read_as_meant(seed: u64, nodes in 3_usize..60, edits in 1_usize..6) {
        let triple = random_triple(seed, nodes, edits);
        for stream in [triple.base, triple.dest, triple.incoming] {
            check(&stream);
        }
    }

    #[test]
    fn written_strings_read_back(text in text(), style in style(), column in 0_usize..5, step in 1_usize..12) {
        for newline in [Newline::Lf, Newline::CrLf] {
            let layout = BlockLayout { parent: Some(column), step, newline };
            let [value, key, flow] = [ScalarPlace::Block(layout), ScalarPlace::BlockKey, ScalarPlace::Flow]
                .map(|place| render_string_like(style, &text, place));
            let (blanks, end) = (" ".repeat(column), newline.as_str());
            let source = format!("{blanks}- {value}{end}{blanks}- {key}: 1{end}{blanks}- {{{flow}: {flow}}}{end}");
            let stream = Stream::parse(&source).map_err(|error| TestCaseError::fail(format!("{error}: {source:?}")))?;
            let values: Vec<_> = root(&stream).children().flat_map(scalars).map(Node::value).collect();
            let expected = [text.as_str(), &text, "1", &text, &text];
            prop_assert_eq!(values, expected, "{:?}", source);
        }
    }

    #[test]
    fn plain_strings_are_strings_to_everybody(text in text()) {
        for (place, source) in [(ScalarPlace::BlockKey, format!("- {text}\n")), (ScalarPlace::Flow, format!("[{text}]\n"))] {
            if plain_is_safe(&text, place) {
                let stream = Stream::parse(&source).map_err(|error| TestCaseError::fail(error.to_string()))?;
                let node = root(&stream).children().next().expect("an item");
                prop_assert_eq!(node.kind(), Kind::Plain);
                prop_assert_eq!(node.value(), text.as_str());
                for schema in [ScalarSchema::Core12, ScalarSchema::Kube11] {
                    let scalar = Scalar { kind: Kind::Plain, tag: None, text: &text };
                    prop_assert_eq!(resolve_scalar(scalar, schema), Resolved::String(text.as_str().into()));
                }
            }
        }
    }

    #[test]
    fn roots_read_back(text in text()) {
        let layout = BlockLayout { parent: None, step: 2, newline: Newline::Lf };
        let source = format!("--- {}\n", render_string(&text, ScalarPlace::Block(layout)));
        let stream = Stream::parse(&source).map_err(|error| TestCaseError::fail(format!("{error}: {source:?}")))?;
        prop_assert_eq!(root(&stream).value(), text.as_str());
    }
}

#[test]
fn manifests_are_read_as_meant() {
    for seed in 0..40 {
        let triple = manifest_triple(seed, 3, 6);
        for stream in [triple.base, triple.dest, triple.incoming] {
            check(&stream);
        }
    }
}

fn root<'t>(stream: &'t Stream<'t>) -> Node<'t> {
    stream.documents().next().and_then(kyaml_ast::Document::root).expect("a root")
}

fn scalars(node: Node<'_>) -> Vec<Node<'_>> {
    if node.kind().is_scalar() { vec![node] } else { node.children().collect() }
}

fn style() -> impl Strategy<Value = Kind> {
    let styles = vec![Kind::Plain, Kind::SingleQuoted, Kind::DoubleQuoted, Kind::Literal, Kind::Folded, Kind::Null];
    prop::sample::select(styles)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[-?:,\\[\\]{}#&*!|>'\"%@`~=. ab\n]{0,7}",
        "(|a|  b|\tc|d |- e|f: g|# h|---|\\.\\.\\.|   )(\n(|a|  b|\tc|d |- e|f: g|# h|---|\\.\\.\\.|   )){0,4}",
        "[-+.:_0-9eEoxbTZ ]{1,9}",
        any::<String>(),
    ]
}
