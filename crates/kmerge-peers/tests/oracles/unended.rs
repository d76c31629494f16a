//! A file that ends inside a block scalar without a line break, which readers do not read alike: a field that is added
//! changes the text for none of them; what has to stand below ends the line, and then they agree.

use kmerge_core::{ConflictStyle, Policy, Schema, Slots};
use kmerge_peers::{libyaml_events, saphyr_events, yaml_rust2_events};
use kyaml_ast::{Content, Document, Edit, NewValue, Path, Piece, Position, Stream, StreamId, splice};

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

/// The text that starts with `abc` to each reader.
fn texts(source: &str) -> Vec<Option<String>> {
    let events = [libyaml_events(source), saphyr_events(source), yaml_rust2_events(source)];
    events.map(|events| events?.into_iter().find(|event| event.contains("abc"))).into()
}

/// An item below the last one of the list that a source is, by an edit.
fn appended(source: &str) -> String {
    let stream = Stream::parse(source).unwrap();
    let list = stream.documents().next().and_then(Document::root).unwrap();
    let last = list.entries().last().unwrap().id();
    let pieces = vec![Piece::New { key: None, value: Content::Inline("x".into()) }];
    let edit = Edit::Insert { collection: list.id(), position: Position::After(last), pieces };
    splice(&[&stream], StreamId(0), &[edit]).unwrap()
}

/// What a merge makes of a source to which another side adds a line below.
fn merged(source: &str, below: &str) -> String {
    let ended = format!("{source}\n{below}\n");
    let [dest, incoming] = [source, &ended].map(|text| Stream::parse(text).unwrap());
    let sides = Slots { dest: Some(&dest), base: Some(&dest), incoming: Some(&incoming) };
    let plan = kmerge_core::merge(sides, &Schema::new(), &Policy::MERGE3).unwrap();
    kmerge_core::render(&plan, sides, &ConflictStyle::Incoming).unwrap()
}

#[test]
fn what_has_to_stand_below_ends_the_line_and_changes_nothing_else() {
    for header in ["|", "|-", "|+", "|2", ">", ">-", ">+"] {
        for body in ["  abc", "  abc  ", "  abc\n  def", "  abc\n\n  def"] {
            let item = format!("- 1\n- {header}\n{body}");
            let field = format!("key: {header}\n{body}");
            let results =
                [(&item, appended(&item)), (&item, merged(&item, "- x")), (&field, merged(&field, "---\nb: 1"))];
            for (source, result) in results {
                assert!(result.starts_with(&format!("{source}\n")), "{source:?} {result:?}");
                let ended = texts(&format!("{source}\n"));
                assert!(ended.iter().all(Option::is_some), "{source:?}");
                assert_eq!(texts(&result), ended, "{source:?} {result:?}");
                // All of them agree about a text that ends in its line.
                assert!(ended.iter().all(|text| *text == ended[0]), "{source:?} {ended:?}");
            }
        }
    }
}
