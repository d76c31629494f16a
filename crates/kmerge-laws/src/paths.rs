//! What holds for reading, setting and deleting the place at the end of a path.
//!
//! A place is found by its path, also once that was written and read; what is set there is there, what is deleted is not, and
//! everything else means what it meant and keeps its bytes. Left out are places that several paths or none lead to.

use kmerge_core::same_value;
use kmerge_testgen::Rng;
use kyaml_ast::{ChangeError, Document, Entry, Kind, NewValue, Node, Path, Segment, Span, Stream, line_start};

use crate::model::{Order, roots};
use crate::{Broken, law};

const TEXTS: [&str; 16] = [
    "x",
    "1",
    "true",
    "",
    "null",
    "a: b",
    "# no comment",
    "- a",
    "one\ntwo\n",
    "one\n\n",
    "\n",
    "one\n\n two\n\n\n",
    "\none",
    " spaced ",
    "it's",
    "0644",
];

/// A field that no input has.
const NEW: &str = "no such field";

/// A place, and the way to it.
pub(crate) struct Place<'t> {
    /// Position among the documents with a root.
    pub(crate) document: usize,
    pub(crate) path: Path,
    /// The entries on the way, outermost first; none for a root.
    pub(crate) way: Vec<Entry<'t>>,
    pub(crate) node: Node<'t>,
}

/// Checks `count` places of a text, chosen by `seed`.
///
/// # Errors
///
/// The law that does not hold, with the path.
///
/// # Panics
///
/// Where `source` is not YAML.
pub fn paths(source: &str, seed: u64, count: usize) -> Result<(), Broken> {
    let stream = Stream::parse(source).expect("the input is YAML");
    let mut rng = Rng::new(seed);
    for _ in 0..count {
        let Some(place) = choose(&stream, &mut rng) else { return Ok(()) };
        let text = TEXTS[rng.below(TEXTS.len())];
        let shown = |broken: Broken| Broken(format!("{broken}\n--- path {} := {text:?}\n{source}", place.path));
        change(&stream, &place, text).and_then(|()| add(&stream, &place, &[NEW], text)).map_err(shown)?;
    }
    Ok(())
}

/// The laws of one place: it is found, can be set to `text`, and deleted.
pub(crate) fn change(stream: &Stream<'_>, place: &Place<'_>, text: &str) -> Result<(), Broken> {
    found(stream, place)?;
    itself(stream, place)?;
    set(stream, place, text)?;
    delete(stream, place)
}

/// A random place that one path leads to.
fn choose<'t>(stream: &'t Stream<'t>, rng: &mut Rng) -> Option<Place<'t>> {
    let roots: Vec<Node<'t>> = stream.documents().filter_map(Document::root).collect();
    let document = rng.below(roots.len().max(1));
    let mut place = Place { document, path: Path::default(), way: Vec::new(), node: *roots.get(document)? };
    loop {
        let entries: Vec<Entry<'t>> = place.node.entries().collect();
        if entries.is_empty() || !place.way.is_empty() && rng.below(5) == 0 {
            return Some(place);
        }
        let index = rng.below(entries.len());
        let entry = entries[index];
        let segment = match entry.key() {
            None => Segment::Index(index as i64),
            Some(key) if is_name(key, &entries) => Segment::Field(key.value().into_owned()),
            Some(_) => return Some(place),
        };
        place.path.push(segment);
        place.way.push(entry);
        place.node = entry.value();
    }
}

/// Whether a key is a name that no other key of its mapping has, and none that means something else.
pub(crate) fn is_name(key: Node<'_>, entries: &[Entry<'_>]) -> bool {
    let name = key.value();
    let same = entries.iter().filter(|entry| entry.key().is_some_and(|other| other.value() == name));
    let is_plain = key.kind().is_scalar() && key.kind() != Kind::Null && key.tag().is_none() && key.anchor().is_none();
    is_plain && name != "<<" && same.count() == 1
}

/// The path leads to the place, also in its written form.
fn found(stream: &Stream<'_>, place: &Place<'_>) -> Result<(), Broken> {
    let Some(root) = root(stream, place.document) else { return Ok(()) };
    let written: Result<Path, _> = place.path.to_string().parse();
    law(written.as_ref().ok() == Some(&place.path), || format!("a path is read as it is written: {written:?}"))?;
    let is_found = place.path.find(root).is_ok_and(|found| found.node.id() == place.node.id());
    law(is_found, || "the path leads to its place".to_owned())
}

/// A place that is set to the value it has keeps every byte, whatever its style.
fn itself(stream: &Stream<'_>, place: &Place<'_>) -> Result<(), Broken> {
    let Some(document) = document(stream, place.document) else { return Ok(()) };
    let value = place.node.value();
    let text = place.node.is_string().then_some(NewValue::Text(&value));
    for value in text.into_iter().chain([NewValue::Node(place.node)]) {
        let result = document.set(&place.path, value);
        let is_kept = result.as_deref() == Ok(stream.source());
        law(is_kept, || format!("a value that is set to itself changes no byte: {result:?}"))?;
    }
    Ok(())
}

fn set(stream: &Stream<'_>, place: &Place<'_>, text: &str) -> Result<(), Broken> {
    let Some(document) = document(stream, place.document) else { return Ok(()) };
    let result = match document.set(&place.path, NewValue::Text(text)) {
        Ok(result) => result,
        Err(ChangeError::Anchored { .. }) => return Ok(()),
        Err(error) => return Err(Broken(format!("cannot be set: {error}"))),
    };
    let shown = |broken: Broken| Broken(format!("set: {broken}\n--- result\n{result}"));
    let new = parsed(&result).map_err(shown)?;
    let value = root(&new, place.document).and_then(|root| place.path.find(root).ok());
    let is_there = value.is_some_and(|found| found.node.kind().is_scalar() && found.node.value() == text);
    law(is_there, || "what is set is there".to_owned()).map_err(shown)?;
    // A root has no entry to keep its place: comments and blanks around it may go with it.
    if !place.way.is_empty() {
        again(&new, place, text, &result).map_err(shown)?;
    }
    let is_in_flow = place.way.last().is_some_and(|entry| entry.collection().is_flow());
    let is_exact = is_in_flow || !place.node.kind().is_block_scalar() && !text.contains('\n');
    let outside = || outside(stream, &result, place.way.last(), is_exact);
    others(stream, &new, place, false).and_then(|()| outside()).map_err(shown)
}

/// Setting a place to what it holds changes nothing.
fn again(stream: &Stream<'_>, place: &Place<'_>, text: &str, result: &str) -> Result<(), Broken> {
    let again = document(stream, place.document).map(|document| document.set(&place.path, NewValue::Text(text)));
    law(matches!(&again, Some(Ok(again)) if again == result), || format!("setting it again changes nothing: {again:?}"))
}

/// A new field of a mapping that has others is there, and without it everything is as it was. It holds the second of
/// `fields`, that the third, and so on; the last one holds `text`.
pub(crate) fn add(stream: &Stream<'_>, place: &Place<'_>, fields: &[&str], text: &str) -> Result<(), Broken> {
    if place.node.kind() != Kind::Mapping || place.node.entries().next().is_none() {
        return Ok(());
    }
    let Some(old) = document(stream, place.document) else { return Ok(()) };
    let (mut path, mut first) = (place.path.clone(), place.path.clone());
    let push = |path: &mut Path, name: &&str| path.push(Segment::Field((*name).to_owned()));
    fields.iter().for_each(|name| push(&mut path, name));
    fields.iter().take(1).for_each(|name| push(&mut first, name));
    let broken = |error: ChangeError| Broken(format!("cannot be added: {error}"));
    let result = old.set(&path, NewValue::Text(text)).map_err(broken)?;
    let shown = |broken: Broken| Broken(format!("add: {broken}\n--- result\n{result}"));
    let new = parsed(&result).map_err(shown)?;
    let value = root(&new, place.document).and_then(|root| path.find(root).ok());
    let is_there = value.is_some_and(|found| found.node.kind().is_scalar() && found.node.value() == text);
    law(is_there, || "what is added is there".to_owned()).map_err(shown)?;
    let without = document(&new, place.document).map(|document| document.delete(&first));
    let is_as_before = matches!(&without, Some(Ok(without)) if is_taken_back(stream, without, place.node, text));
    law(is_as_before, || format!("without what was added, everything is as before: {without:?}")).map_err(shown)
}

/// Whether `result` is a source again after a mapping has got and lost an entry.
fn is_taken_back(stream: &Stream<'_>, result: &str, mapping: Node<'_>, text: &str) -> bool {
    let source = stream.source();
    let Some(last) = mapping.entries().last() else { return false };
    let end = end_of(last.value());
    let is_same = || {
        parsed(result).is_ok_and(|result| {
            let [old, new] = [stream, &result].map(roots);
            old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| old.same(new, Order::Kept))
        })
    };
    // A comment that stands deeper than the first key is one of the new key's value, and goes with that.
    let is_deep_lead = |first: Entry<'_>| {
        let is_deeper = |lead: Span| lead.start - line_start(source, lead.start) > first.column() as u32;
        first.lead().is_some_and(is_deeper)
    };
    if mapping.entries().next().is_some_and(is_deep_lead) {
        return is_same();
    }
    // A key without a value gets a colon, and in brackets a comma, which stay.
    let bare = mapping.entries().find(|entry| !mapping.is_flow() && entry.indicator().is_empty());
    if mapping.is_flow() || end.text().is_empty() || bare.is_some() {
        let end = bare.map_or(last.value().full_span().start, |bare| bare.span().end);
        return is_same() && result.starts_with(source[..end as usize].trim_end());
    }
    if end.kind().is_block_scalar() || text.contains('\n') {
        // Below a block scalar, a blank line may not hold blanks, its last line needs a break, and it may keep what follows.
        let lines = |text: &'_ str| text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
        let [result, source]: [Vec<String>; 2] = [result, source].map(lines);
        return result == source;
    }
    result == source
}

fn delete(stream: &Stream<'_>, place: &Place<'_>) -> Result<(), Broken> {
    let Some(document) = document(stream, place.document).filter(|_| !place.way.is_empty()) else { return Ok(()) };
    let result = match document.delete(&place.path) {
        Ok(result) => result,
        Err(ChangeError::Anchored { .. }) => return Ok(()),
        Err(error) => return Err(Broken(format!("cannot be deleted: {error}"))),
    };
    let shown = |broken: Broken| Broken(format!("delete: {broken}\n--- result\n{result}"));
    let new = parsed(&result).map_err(shown)?;
    others(stream, &new, place, true).map_err(shown)?;
    // Brackets take the place of a collection that loses its last entry, and commas go with entries in brackets.
    let last =
        place.way.last().filter(|last| !last.collection().is_flow() && last.collection().entries().nth(1).is_some());
    let Some(entry) = last.or(place.way.iter().rev().nth(1)) else { return Ok(()) };
    let extent = last.and_then(|last| with_blank_lines(*last)).unwrap_or(entry.extent());
    let before = entry.collection().entries().take_while(|before| before.id() != entry.id()).last();
    let is_exact = !before.is_some_and(|before| end_of(before.value()).kind().is_block_scalar());
    outside_of(stream, &result, (extent, entry.starts_line()), is_exact).map_err(shown)
}

/// The last value in a value, or that itself.
fn end_of(mut value: Node<'_>) -> Node<'_> {
    while let Some(entry) = value.entries().last() {
        value = entry.value();
    }
    value
}

/// An element of a block list between all of whose elements stand blank lines and nothing else, with those that go with it.
fn with_blank_lines(element: Entry<'_>) -> Option<Span> {
    let collection = element.collection();
    let source = collection.stream().source();
    let extents: Vec<Span> = collection.entries().map(Entry::extent).collect();
    let is_blank = |pair: &[Span]| {
        pair[0].end < pair[1].start && Span::new(pair[0].end, pair[1].start).of(source).trim().is_empty()
    };
    if collection.kind() != Kind::Sequence || extents.len() < 2 || !extents.windows(2).all(is_blank) {
        return None;
    }
    let at = extents.iter().position(|extent| *extent == element.extent())?;
    let extent = extents[at];
    Some(match at {
        0 => Span::new(extent.start, extents[1].start),
        _ => Span::new(extents[at - 1].end, extent.end),
    })
}

/// Everything but the place means what it meant; what is deleted is not there.
fn others(old: &Stream<'_>, new: &Stream<'_>, place: &Place<'_>, is_deleted: bool) -> Result<(), Broken> {
    let [old, new] = [old, new].map(|stream| stream.documents().filter_map(Document::root).collect::<Vec<_>>());
    law(old.len() == new.len(), || "no document comes or goes".to_owned())?;
    for (index, (old, new)) in old.iter().zip(&new).enumerate() {
        if index == place.document {
            others_below(*new, &place.way, is_deleted)?;
        } else {
            law(same_value(*old, *new), || format!("document {index} is as it was"))?;
        }
    }
    Ok(())
}

fn others_below(new: Node<'_>, way: &[Entry<'_>], is_deleted: bool) -> Result<(), Broken> {
    let mut new = new;
    for (depth, entry) in way.iter().enumerate() {
        let collection = entry.collection();
        law(new.kind() == collection.kind(), || format!("what holds entry {depth} of the path is a collection"))?;
        let is_gone = is_deleted && depth + 1 == way.len();
        let mut next = None;
        let mut entries = new.entries();
        for old in collection.entries() {
            if old.id() == entry.id() && is_gone {
                continue;
            }
            let now = entries.next();
            if old.id() == entry.id() {
                next = now.map(Entry::value);
                continue;
            }
            let is_same = now.is_some_and(|now| same_value(now.value(), old.value()) && same_key(now, old));
            law(is_same, || format!("neighbours of entry {depth} of the path are as they were"))?;
        }
        law(entries.next().is_none(), || format!("no neighbour of entry {depth} comes, and what is deleted goes"))?;
        match next {
            Some(value) => new = value,
            None => return Ok(()),
        }
    }
    Ok(())
}

fn same_key(a: Entry<'_>, b: Entry<'_>) -> bool {
    a.key().zip(b.key()).is_none_or(|(a, b)| same_value(a, b))
}

/// The bytes before and behind an entry's own stay.
fn outside(stream: &Stream<'_>, result: &str, entry: Option<&Entry<'_>>, is_exact: bool) -> Result<(), Broken> {
    let Some(entry) = entry else { return Ok(()) };
    outside_of(stream, result, (entry.extent(), entry.starts_line()), is_exact)
}

/// The same for bytes that start a line, or not.
fn outside_of(stream: &Stream<'_>, result: &str, place: (Span, bool), is_exact: bool) -> Result<(), Broken> {
    let (extent, starts_line) = place;
    let source = stream.source();
    let (before, behind) = (&source[..extent.start as usize], &source[extent.end as usize..]);
    // A missing final line break stays missing.
    let before = if source.ends_with('\n') { before } else { before.trim_end_matches(['\r', '\n']) };
    // What follows an entry that stands behind a dash moves up to its place, or the dash has its line to itself.
    let (before, behind) = match starts_line {
        true => (before, behind),
        false => (before.trim_ascii_end(), behind.trim_ascii_start()),
    };
    law(result.starts_with(before), || "bytes before the entry stay".to_owned())?;
    // Below the text of a block scalar, blanks of empty lines and before comments would be more of it.
    let lines = |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let [found, wanted]: [Vec<String>; 2] = [result, behind].map(lines);
    let is_kept = if is_exact { result.ends_with(behind) } else { found.ends_with(&wanted) };
    law(is_kept, || "bytes behind the entry stay".to_owned())
}

fn document<'t>(stream: &'t Stream<'t>, index: usize) -> Option<Document<'t>> {
    stream.documents().filter(|document| document.root().is_some()).nth(index)
}

fn root<'t>(stream: &'t Stream<'t>, index: usize) -> Option<Node<'t>> {
    document(stream, index)?.root()
}

fn parsed(text: &str) -> Result<Stream<'_>, Broken> {
    Stream::parse(text).map_err(|error| Broken(format!("does not parse: {error}")))
}
