//! Bytes from a fuzzer or a corpus as three trees of files.
//!
//! Base, destination and incoming side have zero bytes between them. A tree is a text in which a line `==> PATH` starts a
//! file; a side may be a script instead (after a byte 1) that edits, moves, adds and removes files and documents of the
//! base. Left out are texts that the laws of single merges leave out.

use kyaml_ast::{Document, Stream};

use crate::inputs::{changed, is_shallow_yaml, texts};
use crate::packages::{Tree, is_manifest};
use crate::{Broken, packages};

/// Bytes that a script may make of a file.
const LARGEST: usize = 1 << 16;

/// The laws of [`packages`] on three trees.
///
/// # Errors
///
/// The law that does not hold.
pub fn package_input(bytes: &[u8]) -> Result<(), Broken> {
    let parts = texts(bytes);
    let Some(base) = tree(parts.first().copied().unwrap_or_default()) else { return Ok(()) };
    let side = |part: Option<&&[u8]>| match part {
        Some([1, script @ ..]) => scripted(&base, script),
        Some(text) => tree(text),
        None => Some(base.clone()),
    };
    let (Some(dest), Some(incoming)) = (side(parts.get(1)), side(parts.get(2))) else { return Ok(()) };
    let is_fit = |(path, text): (&String, &String)| !is_manifest(path) || is_text_or_yaml(text);
    if [&base, &dest, &incoming].into_iter().flatten().all(is_fit) {
        packages([&base, &dest, &incoming])
    } else {
        Ok(())
    }
}

fn is_text_or_yaml(text: &str) -> bool {
    Stream::parse(text).is_err() || is_shallow_yaml(text)
}

/// The files of a text; `None` where it is not UTF-8, or where a file is a directory as well.
fn tree(bytes: &[u8]) -> Option<Tree> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut tree = Tree::new();
    let mut path = "a.yaml".to_owned();
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("==> ") {
            Some(name) => {
                path = name.trim_end().to_owned();
                tree.entry(path.clone()).or_default();
            }
            None => tree.entry(path.clone()).or_default().push_str(line),
        }
    }
    is_tree(&tree).then_some(tree)
}

/// Whether these paths can be those of files.
fn is_tree(tree: &Tree) -> bool {
    let is_name = |name: &str| !name.is_empty() && name != "." && name != "..";
    let is_path = |path: &String| {
        let is_plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte));
        let mut parents = path.match_indices('/').map(|(at, _)| &path[..at]);
        is_plain && path.split('/').all(is_name) && !parents.any(|parent| tree.contains_key(parent))
    };
    tree.keys().all(is_path)
}

/// The base after a script of steps: what to do, in which file, where, with what.
fn scripted(base: &Tree, script: &[u8]) -> Option<Tree> {
    let mut tree = base.clone();
    for step in script.chunks_exact(4) {
        let [what, file, at, with] = *step else { continue };
        let Some(path) = tree.keys().nth(file as usize % tree.len().max(1)).cloned() else { continue };
        match what % 10 {
            0..=3 => {
                let text = changed(tree[&path].as_bytes(), &[what / 10 % 6, at, with]);
                // A last line without a line break doubles with each copy of it.
                if text.len() > LARGEST {
                    return None;
                }
                tree.insert(path, String::from_utf8(text).ok()?);
            }
            4 => drop(take_document(&mut tree, &path, at)),
            5 | 6 => {
                if let Some(text) = take_document(&mut tree, &path, at) {
                    let target = target(&tree, with);
                    put_document(&mut tree, target, &text);
                }
            }
            7 => {
                let text = tree.remove(&path)?;
                let target = target(&tree, with);
                tree.insert(target, text);
            }
            8 => _ = tree.remove(&path),
            _ => put_document(&mut tree, path, &resource(at % 6, with)),
        }
    }
    is_tree(&tree).then_some(tree)
}

/// A file of the tree, or a new one.
fn target(tree: &Tree, with: u8) -> String {
    const NEW: [&str; 4] = ["new.yaml", "d/new.yaml", "d/a.yaml", "e/f/new.yml"];
    let known = tree.keys().nth(with as usize % (tree.len() + NEW.len()));
    known.cloned().unwrap_or_else(|| NEW[with as usize % NEW.len()].to_owned())
}

fn resource(name: u8, value: u8) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: s{name}\ndata:\n  a: \"{value}\"\n  b: \"{}\"\n",
        value / 9
    )
}

/// Removes a document from a file, and the file with the last one.
fn take_document(tree: &mut Tree, path: &str, at: u8) -> Option<String> {
    let text = tree.get(path)?.clone();
    let stream = Stream::parse(&text).ok()?;
    let documents: Vec<Document<'_>> = stream.documents().collect();
    let span = documents.get(at as usize % documents.len().max(1))?.span();
    let rest = [&text[..span.start as usize], &text[span.end as usize..]].concat();
    if rest.trim().is_empty() {
        tree.remove(path)
    } else {
        tree.insert(path.to_owned(), rest)
    };
    Some(span.of(&text).to_owned())
}

/// Adds a document at the end of a file.
fn put_document(tree: &mut Tree, path: String, text: &str) {
    let file = tree.entry(path).or_default();
    if !file.is_empty() && !file.ends_with('\n') {
        file.push('\n');
    }
    if !file.is_empty() && !text.starts_with("---") {
        file.push_str("---\n");
    }
    file.push_str(text);
}
