//! A file that ends inside a block scalar without a line break, which readers do not read alike: a field that is added
//! changes the text for none of them.

use kmerge_peers::{libyaml_events, saphyr_events, yaml_rust2_events};
use kyaml_ast::{NewValue, Path, Stream};

/// The value of the last scalar of a source to each reader: as it is, and with the line break that some add when they read
/// a file (`kubectl -f`).
fn readings(source: &str, key: &str) -> Vec<Option<String>> {
    let ended = format!("{}\n", source.strip_suffix('\n').unwrap_or(source));
    let texts = [source, &ended];
    let events = texts.iter().flat_map(|text| [libyaml_events(text), saphyr_events(text), yaml_rust2_events(text)]);
    let is_key = |event: &&String| event.get(6..) == Some(key);
    events.map(|events| Some(events?.iter().skip_while(|it| !is_key(it)).nth(1)?.clone())).collect()
}

#[test]
fn a_new_field_changes_the_text_for_no_reader() {
    let mut disagree = 0;
    for header in ["|", "|-", "|+", "|2", ">", ">-", ">+"] {
        for body in ["  abc", "  abc  ", "  abc\n  def", "  abc\n   ", "  abc\n\n  ", "  abc\n  "] {
            for (before, path) in
                [("", ".new"), ("# lead\n", ".new"), ("one: 1\n\n", ".new"), ("one:\n- 1\n", ".new.deep")]
            {
                let source = format!("{before}key: {header}\n{body}");
                let path: Path = path.parse().unwrap();
                let stream = Stream::parse(&source).unwrap();
                let result = stream.documents().next().unwrap().set(&path, NewValue::Text("x")).unwrap();
                let (old, new) = (readings(&source, "key"), readings(&result, "key"));
                assert_eq!(old, new, "{source:?} {result:?}");
                assert!(old.iter().all(Option::is_some), "{source:?}");
                disagree += usize::from(old.iter().any(|value| *value != old[0]));
            }
        }
    }
    assert!(disagree > 0, "readers agree about all of them");
}
