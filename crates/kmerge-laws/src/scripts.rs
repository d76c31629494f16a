//! What holds for scripts of edits: they mean what the same edits of plain values mean, however they are written.
//!
//! Random statements are made of places that a model has; the model is edited in memory. The script's result has to mean the
//! model, and to be the text that its statements give one by one, but for the number of blanks. What is appended and deleted, or
//! renamed there and back, leaves no trace. Left out are documents with anchors, and ways over keys that are no names.

use kmerge_core::Schema;
use kmerge_core::edit::{Options, ProblemKind, Script, Selector};
use kmerge_testgen::Rng;
use kyaml_ast::{
    ChangeError, Document, Entry, Kind, Node, Path, ScalarPlace, Segment, SpliceError, Stream, plain_is_safe,
    render_string_like,
};

use crate::model::{Data, Order, Value};
use crate::{Broken, law};

const TEXTS: [&str; 8] = ["x", "8080", "a: b", "", "two words", "it's", "#x", "yes"];
const YAML: [&str; 6] = ["5", "[a, 1]", "{a: 1, b: {c: [x]}}", "true", "{}", "[{name: q, v: 1}]"];

/// Checks a random script of at most `count` statements on the first document of a text; says how many there were.
///
/// # Errors
///
/// The law that does not hold, with the script.
pub fn scripts(source: &str, seed: u64, count: usize) -> Result<usize, Broken> {
    let Some(mut model) = model(source) else { return Ok(0) };
    let mut rng = Rng::new(seed);
    let fresh = fresh(source);
    let lines = (0..count).filter_map(|number| statement(&mut model, &mut rng, &format!("{fresh}-{number}")));
    let lines: Vec<String> = lines.collect();
    let shown = |broken: Broken| Broken(format!("{broken}\n--- script\n{}\n--- source\n{source}", lines.join("\n")));
    let Some(whole) = run(source, &lines.join("\n")).map_err(shown)? else { return Ok(0) };
    let shown = |broken: Broken| shown(Broken(format!("{broken}\n--- result\n{whole}")));
    let found = self::model(&whole);
    // A new field stands above a text that ends the file without a line break.
    let order = if source.ends_with(['\n', '\r']) { Order::Kept } else { Order::Free };
    law(found.is_some_and(|found| found.same(&model, order)), || "the result means what the edits say".to_owned())
        .map_err(shown)?;
    let mut text = source.to_owned();
    for line in &lines {
        match run(&text, line).map_err(shown)? {
            Some(next) => text = next,
            None => return Ok(0),
        }
    }
    // A commented item belongs to the list above it, which an earlier statement may have made.
    let is_item =
        |line: &str| line.trim_start().strip_prefix('#').is_some_and(|text| text.trim_start().starts_with('-'));
    if source.lines().any(is_item) {
        return Ok(lines.len());
    }
    // New lines are indented as the file is, and collections are written in its style: after some statements, that is another
    // file than before all of them.
    let brings_collection = |line: &&String| line.contains(" --yaml ") && line.ends_with([']', '}']);
    let is_same = match lines.iter().filter(brings_collection).count() > 1 {
        true => self::model(&text).is_some_and(|found| found.same(&model, order)),
        false => text.split_whitespace().eq(whole.split_whitespace()),
    };
    law(is_same, || format!("one by one, the statements give the same text, not\n{text}")).map_err(shown)?;
    Ok(lines.len())
}

/// Checks that what comes and goes leaves no trace in a text.
///
/// # Errors
///
/// The law that does not hold, with the place.
pub fn there_and_back(source: &str) -> Result<(), Broken> {
    if model(source).is_none() {
        return Ok(());
    }
    let stream = Stream::parse(source).expect("it is YAML");
    let Some(root) = first(&stream) else { return Ok(()) };
    let mut open = vec![(Path::root(), root)];
    while let Some((path, node)) = open.pop() {
        for (at, entry) in node.entries().enumerate() {
            let segment = match entry.key() {
                Some(key) => Segment::Field(key.value().into_owned()),
                None => Segment::Index(at as i64),
            };
            open.push((path.with(segment), entry.value()));
        }
        for script in round_trips(&path, node) {
            let shown = |broken: Broken| Broken(format!("{broken}\n--- script\n{script}\n--- source\n{source}"));
            let result = run(source, &script).map_err(shown)?;
            let is_same = result.as_deref().is_none_or(|result| result == source);
            law(is_same, || format!("everything is as it was, not\n{}", result.unwrap_or_default())).map_err(shown)?;
        }
    }
    Ok(())
}

/// Scripts that change nothing in the end.
fn round_trips(path: &Path, node: Node<'_>) -> Vec<String> {
    let Some(last) = node.entries().last() else { return Vec::new() };
    let mut end = last.value();
    while let Some(entry) = end.entries().last() {
        end = entry.value();
    }
    // Below a block scalar, blank lines change; nothing at all gets a place of its own.
    let is_plain = !end.kind().is_block_scalar() && !end.text().is_empty();
    let mut scripts = Vec::new();
    if node.kind() == Kind::Sequence && is_plain {
        scripts.push(format!("append --string {path} x\ndelete {}", path.with(Segment::Index(-1))));
    }
    // What gets quotes since readers disagree about it without them is not as it was; without its kind, a list is none.
    let is_kept = |key: &Node<'_>| key.kind() != Kind::Plain || plain_is_safe(&key.value(), ScalarPlace::BlockKey);
    let keys = node.entries().filter_map(Entry::key).filter(is_kept).take(3);
    for name in keys.map(|key| key.value().into_owned()).filter(|name| !path.is_root() || name != "kind") {
        let quoted = render_string_like(Kind::DoubleQuoted, &name, ScalarPlace::Flow);
        let [old, new] = [&name, "no such field"].map(|name| path.with(Segment::Field(name.to_owned())));
        scripts.push(format!("rename {old} \"no such field\"\nrename {new} {quoted}"));
    }
    scripts
}

/// The first document with content, where all of its keys are names and nothing is an anchor.
fn model(source: &str) -> Option<Value> {
    let stream = Stream::parse(source).ok()?;
    let root = first(&stream)?;
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        let keys: Vec<Node<'_>> = node.entries().filter_map(Entry::key).collect();
        let is_name = |key: &Node<'_>| {
            let is_plain =
                matches!(key.kind(), Kind::Plain | Kind::SingleQuoted | Kind::DoubleQuoted) && !key.is_explicit_key();
            is_plain && key.tag().is_none() && key.value() != "<<" && !key.text().contains('\n')
        };
        let mut names: Vec<_> = keys.iter().map(|key| key.value()).collect();
        names.sort();
        names.dedup();
        let is_special =
            node.anchor().is_some() || node.kind() == Kind::Alias || node.tag().is_some() || node.is_flow_pair();
        if is_special
            || names.len() != keys.len()
            || !keys.iter().all(is_name)
            || keys.iter().any(|key| key.anchor().is_some())
        {
            return None;
        }
        open.extend(node.entries().map(Entry::value));
    }
    Some(Value::of(root))
}

fn first<'t>(stream: &'t Stream<'t>) -> Option<Node<'t>> {
    stream.documents().filter_map(Document::root).find(|root| root.kind() != Kind::Null)
}

/// The text after a script; `None` where it says that it cannot be done for a good reason.
fn run(text: &str, script: &str) -> Result<Option<String>, Broken> {
    let script = Script::parse(script).map_err(|error| Broken(format!("no script: {error}")))?;
    let schema = Schema::without_builtin();
    let only = Selector::parse("#1").map_err(|error| Broken(error.to_string()))?;
    let options = Options { create: true, select: vec![only], ..Options::new(&schema) };
    match script.plan("f.yaml", text, &options) {
        Ok(planned) => Ok(Some(planned.text.unwrap_or_else(|| text.to_owned()))),
        Err(problem) => match *problem.kind {
            // Brackets on one line have no room for comments, and in keys none for lines.
            ProblemKind::Change {
                error: ChangeError::NoRoom | ChangeError::Splice(SpliceError::NoPlace(_)), ..
            } => Ok(None),
            kind => Err(Broken(format!("cannot be made: {kind}"))),
        },
    }
}

/// The start of names that the text does not have.
fn fresh(source: &str) -> String {
    let mut name = "new".to_owned();
    while source.contains(&name) {
        name.push('w');
    }
    name
}

/// A random statement, which the model obeys; `None` where the place is none for it.
fn statement(model: &mut Value, rng: &mut Rng, new: &str) -> Option<String> {
    let path = place(model, rng);
    let text = TEXTS[rng.below(TEXTS.len())];
    let yaml = YAML[rng.below(YAML.len())];
    let quoted = render_string_like(Kind::DoubleQuoted, text, ScalarPlace::Flow);
    let string = Value { data: Data::Scalar { kind: Kind::DoubleQuoted, text: text.to_owned() }, ..Value::null() };
    let (parent, last) = path.split_last().map(|(parent, last)| (parent, last.clone())).unzip();
    match rng.below(9) {
        0 if !path.is_root() => {
            *at(model, &path)? = string;
            Some(format!("set --string {path} {quoted}"))
        }
        1 if !path.is_root() => {
            *at(model, &path)? = Value::parse(yaml)?;
            Some(format!("set --yaml {path} {yaml}"))
        }
        2 => {
            items(at(model, &path)?)?.push(string);
            Some(format!("append --string {path} {quoted}"))
        }
        3 => {
            let items = items(at(model, &path)?)?;
            let index = rng.below(items.len() + 1);
            items.insert(index, Value::parse(yaml)?);
            Some(format!("insert --yaml {path}[+{index}] {yaml}"))
        }
        4 => {
            remove(at(model, &parent?)?, &last?)?;
            Some(format!("delete {path}"))
        }
        5 => {
            let Segment::Field(name) = last? else { return None };
            let key = pairs(at(model, &parent?)?)?.iter_mut().find(|(key, _)| is(key, &name))?;
            key.0 = field(new);
            Some(format!("rename {path} {new}"))
        }
        6 => {
            let Segment::Field(_) = last.as_ref()? else { return None };
            let target = place(model, rng);
            if path.contains(&target) {
                return None;
            }
            pairs(at(model, &target)?)?;
            let (_, value) = remove(at(model, &parent?)?, &last?)?;
            pairs(at(model, &target)?)?.push((field(new), value));
            Some(format!("move {path} {}", target.with(Segment::Field(new.to_owned()))))
        }
        7 if !path.is_root() => {
            let above = if rng.below(2) == 0 { "--above " } else { "" };
            Some(format!("comment {above}{path} {}", ["", "why not", "x # y"][rng.below(3)]))
        }
        8 => {
            pairs(at(model, &path)?)?.push((field(new), string));
            Some(format!("set --string -c {} {quoted}", path.with(Segment::Field(new.to_owned()))))
        }
        _ => None,
    }
}

/// A random place.
fn place(model: &Value, rng: &mut Rng) -> Path {
    let (mut path, mut value) = (Path::root(), model);
    loop {
        if !path.is_root() && rng.below(4) == 0 {
            return path;
        }
        match &value.data {
            Data::Mapping(pairs) if !pairs.is_empty() => {
                let (key, inner) = &pairs[rng.below(pairs.len())];
                let Data::Scalar { text, .. } = &key.data else { return path };
                path.push(Segment::Field(text.clone()));
                value = inner;
            }
            Data::Sequence(items) if !items.is_empty() => {
                let index = rng.below(items.len());
                path.push(Segment::Index(index as i64));
                value = &items[index];
            }
            _ => return path,
        }
    }
}

fn at<'m>(model: &'m mut Value, path: &Path) -> Option<&'m mut Value> {
    let mut value = model;
    for segment in path.segments() {
        value = match (&mut value.data, segment) {
            (Data::Mapping(pairs), Segment::Field(name)) => &mut pairs.iter_mut().find(|(key, _)| is(key, name))?.1,
            (Data::Sequence(items), Segment::Index(index)) => items.get_mut(usize::try_from(*index).ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

const fn items(value: &mut Value) -> Option<&mut Vec<Value>> {
    if let Data::Sequence(items) = &mut value.data { Some(items) } else { None }
}

const fn pairs(value: &mut Value) -> Option<&mut Vec<(Value, Value)>> {
    if let Data::Mapping(pairs) = &mut value.data { Some(pairs) } else { None }
}

fn remove(collection: &mut Value, segment: &Segment) -> Option<(Value, Value)> {
    match segment {
        Segment::Field(name) => {
            let pairs = pairs(collection)?;
            let index = pairs.iter().position(|(key, _)| is(key, name))?;
            Some(pairs.remove(index))
        }
        Segment::Index(index) => Some((Value::null(), items(collection)?.remove(usize::try_from(*index).ok()?))),
        _ => None,
    }
}

fn field(name: &str) -> Value {
    Value { data: Data::Scalar { kind: Kind::Plain, text: name.to_owned() }, ..Value::null() }
}

fn is(key: &Value, name: &str) -> bool {
    matches!(&key.data, Data::Scalar { text, .. } if text == name)
}
