//! Package merges: every case of `fixtures/packages` gives its `expected` tree byte for byte, and agrees in value with
//! what kpt recorded, or says in `case.toml` why not.
#![allow(clippy::unwrap_used)] // Helpers of tests, which the lint's exception for tests does not reach.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kmerge_core::package::{self, Content, Fate, Terms, Trees};
use kmerge_core::{ConflictStyle, Policy, Side};
use kyaml_ast::{Document, Entry, Kind, Node, ScalarSchema, Stream};

/// Path to bytes; a symbolic link is its target with an arrow before it.
type Tree = BTreeMap<String, Vec<u8>>;

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/packages");
    let mut cases: Vec<PathBuf> = root.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
}

fn read(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in directory.read_dir().into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_symlink() {
                tree.insert(name, format!("-> {}", path.read_link().unwrap().display()).into_bytes());
            } else if path.is_dir() {
                open.push(path);
            } else {
                tree.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    tree
}

fn trees<'s>(dest: &'s Tree, base: &'s Tree, incoming: &'s Tree) -> Trees<'s> {
    let mut trees = Trees::default();
    let mut known: BTreeMap<(&str, &[u8]), u32> = BTreeMap::new();
    for (side, tree) in [(Side::Dest, dest), (Side::Base, base), (Side::Incoming, incoming)] {
        for (path, bytes) in tree {
            let content = *known.entry((path, bytes)).or_insert_with(|| {
                trees.contents.push(match bytes.strip_prefix(b"-> ") {
                    Some(target) => Content::link(std::str::from_utf8(target).unwrap()),
                    None => Content::read(path, bytes),
                });
                trees.contents.len() as u32 - 1
            });
            let file = package::File { path, content, executable: false };
            match side {
                Side::Dest => trees.dest.push(file),
                Side::Base => trees.base.push(file),
                Side::Incoming => trees.incoming.push(file),
            }
        }
    }
    trees
}

fn merge(dest: &Tree, base: &Tree, incoming: &Tree) -> Result<Tree, String> {
    let trees = trees(dest, base, incoming);
    let policy = Policy::MERGE3;
    let plan = trees.plan(policy.both_changed).map_err(|error| error.to_string())?;
    let mut schema = kmerge_core::Schema::new();
    assert_eq!(trees.add_crds(&mut schema), []);
    let terms = Terms { schema: &schema, policy: &policy, conflicts: &ConflictStyle::Dest };
    let mut result = dest.clone();
    for file in &plan.files {
        let written = plan.write(&trees, file, terms).map_err(|error| error.to_string())?;
        match written.text {
            Some(text) => drop(result.insert(file.path.to_owned(), text.into_bytes())),
            None => drop(result.remove(file.path)),
        }
    }
    for file in &plan.whole {
        let bytes = match file.fate {
            Fate::Keep | Fate::Conflict => file.files.dest.map(|at| dest[trees.dest[at as usize].path].clone()),
            Fate::Take => file.files.incoming.map(|at| incoming[trees.incoming[at as usize].path].clone()),
            Fate::Remove => None,
            Fate::Merge => Some(file.merge_lines(&trees, policy.both_changed, &ConflictStyle::Dest).bytes),
        };
        if let Some(old) = file.files.dest {
            result.remove(trees.dest[old as usize].path);
        }
        result.extend(bytes.map(|bytes| (file.path.to_owned(), bytes)));
    }
    Ok(result)
}

fn show(tree: &Tree) -> String {
    let file = |(path, bytes): (&String, &Vec<u8>)| format!("==> {path}\n{}", String::from_utf8_lossy(bytes));
    tree.iter().map(file).collect()
}

/// The values of a tree: each file's documents, without comments and without what kpt notes; other files as they are.
fn values(tree: &Tree) -> BTreeMap<&str, Vec<String>> {
    let documents = |path: &str, bytes: &[u8]| {
        let is_yaml = [".yaml", ".yml", "Kptfile"].iter().any(|end| path.ends_with(end));
        let text = std::str::from_utf8(bytes).ok().filter(|_| is_yaml);
        let Some(Ok(stream)) = text.map(Stream::parse) else { return vec![format!("{bytes:?}")] };
        stream.documents().filter_map(Document::root).map(canonical).collect()
    };
    let files = tree.iter().map(|(path, bytes)| (path.as_str(), documents(path, bytes)));
    files.filter(|(_, documents): &(&str, Vec<String>)| !documents.is_empty()).collect()
}

/// A value as text: keys sorted, kpt's annotation left out.
fn canonical(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Mapping => {
            let entry = |entry: Entry<'_>| format!("{}: {}", entry.key().unwrap().value(), canonical(entry.value()));
            let mut entries: Vec<String> = node.entries().map(entry).collect();
            entries.retain(|entry| {
                !entry.starts_with("internal.kpt.dev/upstream-identifier:") && entry != "annotations: {}"
            });
            entries.sort();
            format!("{{{}}}", entries.join(", "))
        }
        Kind::Sequence => format!("[{}]", node.children().map(canonical).collect::<Vec<_>>().join(", ")),
        Kind::Alias => node.text().to_owned(),
        _ => format!("{:?}", node.resolve(ScalarSchema::Core12)),
    }
}

/// The value of a line `key = "value"` of a file that has nothing else.
fn note(case: &Path, file: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(case.join(file)).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = ").map(str::to_owned))?;
    Some(value.trim_matches('"').to_owned())
}

/// One case; says what is wrong with it.
fn check(case: &Path) -> Result<(), String> {
    let [dest, base, incoming, expected, kpt] =
        ["dest", "base", "incoming", "expected", "kpt"].map(|side| read(&case.join(side)));
    let result = merge(&dest, &base, &incoming);
    let error = note(case, "case.toml", "error");
    if result.as_ref().err() != error.as_ref() {
        return Err(format!("ended with {:?}, expected {error:?}", result.err()));
    }
    let Ok(result) = result else { return Ok(()) };
    if result != expected {
        return Err(format!("gave\n{}expected\n{}", show(&result), show(&expected)));
    }
    let kpt_failed = note(case, "kpt.toml", "exit").as_deref() != Some("0");
    let agrees = !kpt_failed && values(&result) == values(&kpt);
    match (agrees, note(case, "case.toml", "divergence")) {
        (true, None) | (false, Some(_)) => Ok(()),
        (true, Some(_)) => Err("agrees with kpt, but has a divergence noted".to_owned()),
        (false, None) => Err(format!(
            "differs from kpt, which failed: {kpt_failed}, or left\n{}and ours is\n{}",
            show(&kpt),
            show(&result)
        )),
    }
}

#[test]
fn every_case_gives_what_is_expected_and_agrees_with_kpt_or_says_why_not() {
    let mut failures = Vec::new();
    // What `.krmignore` names is left out by whoever reads directories, not here.
    for case in cases().into_iter().filter(|case| !case.join("dest/.krmignore").exists()) {
        if let Err(failure) = check(&case) {
            failures.push(format!("#### {}: {failure}", case.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
