//! The laws of a merge, on generated packages: documents spread over files, edited, moved, added and removed on two sides.
#![allow(clippy::unwrap_used, clippy::panic)] // Helpers of tests, which the lint's exception for tests does not reach.

use std::collections::{BTreeMap, BTreeSet};

use kmerge_core::{Nulls, Policy, Resource};
use kmerge_laws::{Tree, meanings, merged, show, values};
use kmerge_testgen::{Rng, manifest_triple};
use kyaml_ast::{Document, Node, Stream};

const CASES: u64 = 250;

struct Case {
    base: Tree,
    dest: Tree,
    incoming: Tree,
    /// Whether lists on one side are documents on another; what is an item stays one.
    is_mixed: bool,
}

/// Three trees over the documents of a generated triple; each side moves some documents to other files.
fn case(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let (documents, edits, files) = (rng.between(1, 12), rng.between(0, 8), rng.between(1, 5));
    let triple = manifest_triple(seed, documents, edits);
    let moves = rng.between(0, 2) as u64;
    // In some packages, files with an odd number are lists of resources, on all sides or on one.
    let lists: [bool; 3] = match rng.below(6) {
        0 => [true; 3],
        1 => [false, true, false],
        2 => [false, false, true],
        _ => [false; 3],
    };
    let spread = |stream: kmerge_testgen::Stream, side: usize| {
        let tree = spread(&stream.text(), files as u64, side as u64 * moves, seed);
        if lists[side] { listed(tree) } else { tree }
    };
    let is_mixed = lists != [false; 3];
    Case { base: spread(triple.base, 0), dest: spread(triple.dest, 1), incoming: spread(triple.incoming, 2), is_mixed }
}

/// Turns the documents of files with an odd number into the items of a list.
fn listed(mut tree: Tree) -> Tree {
    for (_, text) in tree.iter_mut().filter(|(path, _)| path.contains(['1', '3', '5', '7'])) {
        let stream = Stream::parse(text).unwrap();
        let is_item = |document: &Document<'_>| {
            let resource = Resource::of(*document).filter(|resource| !resource.id.name.is_empty());
            resource.is_some() && document.root().is_some_and(Node::is_block_collection)
        };
        if !stream.documents().all(|document| is_item(&document)) {
            continue;
        }
        let mut list = "apiVersion: v1\nkind: List\nitems:\n".to_owned();
        for document in stream.documents() {
            let start = document.start_marker().map_or(document.span().start, |marker| marker.end);
            let end = document.end_marker().map_or(document.span().end, |marker| marker.start);
            list.push('-');
            for line in text[start as usize..end as usize].trim_matches(['\n', '\r']).lines() {
                list.push_str("\n  ");
                list.push_str(line);
            }
            list.push('\n');
        }
        *text = list;
    }
    tree
}

/// Puts each document into a file that its identity decides; `moves` decides which ones stand elsewhere.
fn spread(text: &str, files: u64, moves: u64, seed: u64) -> Tree {
    let stream = Stream::parse(text).unwrap();
    let mut tree = Tree::new();
    for document in stream.documents() {
        let id = Resource::of(document).map(|resource| resource.id).unwrap_or_default();
        let hash =
            id.name.bytes().chain(id.kind.bytes()).fold(seed, |hash, byte| hash.wrapping_mul(31) + u64::from(byte));
        let is_moved = moves > 0 && (hash / 7 + moves).is_multiple_of(9);
        let file = if is_moved { hash % files + moves } else { hash % files };
        let body = document.span().of(text).trim_start_matches('\u{feff}');
        let entry = tree.entry(format!("dir{}/f{file}.yaml", file % 2)).or_default();
        if !entry.is_empty() && !entry.ends_with('\n') {
            entry.push('\n');
        }
        if !entry.is_empty() && !body.starts_with("---") {
            entry.push_str("---\n");
        }
        entry.push_str(body);
    }
    tree
}

/// The result, or `None` where a resource stands twice.
fn merge(base: &Tree, dest: &Tree, incoming: &Tree) -> Option<Tree> {
    merged([base, dest, incoming], Policy { nulls: Nulls::Data, ..Policy::MERGE3 })
        .unwrap_or_else(|broken| panic!("{broken}"))
}

/// How often each identity stands in a tree.
fn identities(tree: &Tree) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for text in tree.values() {
        let stream = Stream::parse(text).unwrap();
        let roots = stream.documents().filter_map(Document::root);
        for resource in roots.flat_map(Resource::all).filter_map(|(_, resource)| resource) {
            if !resource.id.name.is_empty() {
                *counts.entry(resource.id.to_string()).or_default() += 1;
            }
        }
    }
    counts
}

/// Runs a law on every case; a few have a resource twice and cannot be merged.
fn hold(law: impl Fn(&Case) -> Option<Result<(), String>>) {
    let mut merged = 0;
    for seed in 0..CASES {
        let case = case(seed);
        match law(&case) {
            Some(Ok(())) => merged += 1,
            None => {}
            Some(Err(broken)) => {
                let Case { base, dest, incoming, .. } = &case;
                panic!(
                    "seed {seed}: {broken}\n#### base\n{}#### dest\n{}#### incoming\n{}",
                    show(base),
                    show(dest),
                    show(incoming)
                );
            }
        }
    }
    assert!(merged > CASES * 3 / 4, "{merged} of {CASES} cases could be merged");
}

fn same(found: &Tree, expected: &Tree) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("#### found\n{}#### expected\n{}", show(found), show(expected)))
    }
}

#[test]
fn what_upstream_left_alone_stays_byte_for_byte() {
    hold(|case| Some(same(&merge(&case.base, &case.dest, &case.base)?, &case.dest)));
    hold(|case| Some(same(&merge(&case.dest, &case.dest, &case.dest)?, &case.dest)));
}

#[test]
fn an_untouched_copy_becomes_the_new_version() {
    hold(|case| {
        let result = merge(&case.base, &case.base, &case.incoming)?;
        let is_same = if case.is_mixed {
            values(&result) == values(&case.incoming)
        } else {
            meanings(&result) == meanings(&case.incoming)
        };
        Some(if is_same { Ok(()) } else { same(&result, &case.incoming) })
    });
}

#[test]
fn merging_again_changes_nothing() {
    hold(|case| {
        let once = merge(&case.base, &case.dest, &case.incoming)?;
        let twice = merge(&case.base, &once, &case.incoming)?;
        // A flow collection that a new comment opens has room for blank lines only then.
        let is_opened = flows(&once) < flows(&case.dest);
        let [twice, once] = [twice, once].map(|tree| if is_opened { without_blank_lines(&tree) } else { tree });
        Some(same(&twice, &once))
    });
}

/// How many flow collections there are.
fn flows(tree: &Tree) -> usize {
    let count = |text: &String| {
        let stream = Stream::parse(text).unwrap();
        let mut open: Vec<_> = stream.documents().filter_map(Document::root).collect();
        let mut flows = 0;
        while let Some(node) = open.pop() {
            flows += usize::from(node.is_flow());
            open.extend(node.children());
        }
        flows
    };
    tree.values().map(count).sum()
}

fn without_blank_lines(tree: &Tree) -> Tree {
    let lines = |text: &String| text.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n");
    tree.iter().map(|(path, text)| (path.clone(), lines(text))).collect()
}

#[test]
fn no_resource_stands_more_often_than_before_and_none_is_lost() {
    hold(|case| {
        let result = merge(&case.base, &case.dest, &case.incoming)?;
        let [base, dest, incoming, found] = [&case.base, &case.dest, &case.incoming, &result].map(identities);
        for (id, count) in &found {
            // One side may rename a resource and the other move it to another namespace: then no side has the result's name.
            let most = [&base, &dest, &incoming].map(|side| side.get(id).copied().unwrap_or(1)).into_iter().max();
            if Some(*count) > most {
                return Some(Err(format!("{id} stands {count} times in\n{}", show(&result))));
            }
        }
        let kept: BTreeSet<&String> = dest.keys().filter(|id| incoming.contains_key(*id)).collect();
        let lost: Vec<_> = kept.into_iter().filter(|id| !found.contains_key(*id)).collect();
        Some(if lost.is_empty() { Ok(()) } else { Err(format!("lost {lost:?} in\n{}", show(&result))) })
    });
}
