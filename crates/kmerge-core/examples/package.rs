//! Merges two versions of a package into a changed copy, in memory: `cargo run -p kmerge-core --example package`.
//!
//! Upstream moved a resource to a file of its own. The change that was made in the copy moves along.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;

use kmerge_core::package::{Content, Fate, File, Terms, Trees};
use kmerge_core::{ConflictStyle, Policy, Schema, Side};

/// Path to text.
type Files<'f> = BTreeMap<&'f str, &'f str>;

const WEB: &str = "kind: Service\nmetadata: {name: web}\nspec: {type: ClusterIP}\n";
const SETTINGS: &str = "kind: ConfigMap\nmetadata: {name: settings}\ndata:\n  level: info\n";
const NEW_SETTINGS: &str = "kind: ConfigMap\nmetadata: {name: settings}\ndata:\n  level: warning\n";
const OUR_SETTINGS: &str =
    "kind: ConfigMap\nmetadata: {name: settings}\ndata:\n  level: info\n  colour: green # ours\n";

fn main() -> Result<(), Box<dyn Error>> {
    let together = [WEB, "---\n", SETTINGS].concat();
    let ours = [WEB, "---\n", OUR_SETTINGS].concat();
    let original = Files::from([("all.yaml", together.as_str())]);
    let updated = Files::from([("all.yaml", WEB), ("settings.yaml", NEW_SETTINGS)]);
    let dest = Files::from([("all.yaml", ours.as_str())]);
    let merged = merge(&original, &updated, &dest)?;

    let settings = "kind: ConfigMap\nmetadata: {name: settings}\ndata:\n  level: warning\n  colour: green # ours\n";
    let expected =
        [("all.yaml", WEB), ("settings.yaml", settings)].map(|(path, text)| (path.to_owned(), text.to_owned()));
    assert_eq!(merged, BTreeMap::from(expected));
    let mut out = std::io::stdout().lock();
    merged.iter().try_for_each(|(path, text)| writeln!(out, "=== {path}\n{text}"))?;
    Ok(())
}

fn merge(
    original: &Files<'_>,
    updated: &Files<'_>,
    dest: &Files<'_>,
) -> Result<BTreeMap<String, String>, Box<dyn Error>> {
    let mut trees = Trees::default();
    add(&mut trees, Side::Base, original);
    add(&mut trees, Side::Dest, dest);
    add(&mut trees, Side::Incoming, updated);
    let mut schema = Schema::new();
    trees.add_crds(&mut schema);

    let policy = Policy::MERGE3;
    let plan = trees.plan(policy.both_changed)?;
    let terms = Terms { schema: &schema, policy: &policy, conflicts: &ConflictStyle::Dest };
    let mut merged: BTreeMap<String, String> =
        dest.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    // Manifests: the resources of each file that changes are merged and put together.
    for file in &plan.files {
        match plan.write(&trees, file, terms)?.text {
            Some(text) => merged.insert(file.path.to_owned(), text),
            None => merged.remove(file.path),
        };
    }
    // Other files are kept, taken, removed, or merged line by line.
    for file in &plan.whole {
        let incoming = file.files.incoming.map(|index| trees.content(trees.incoming[index as usize].content));
        match file.fate {
            Fate::Keep | Fate::Conflict => {}
            Fate::Remove => drop(merged.remove(file.path)),
            Fate::Take => {
                merged.extend(incoming.and_then(Content::text).map(|text| (file.path.to_owned(), text.to_owned())))
            }
            Fate::Merge => {
                let lines = file.merge_lines(&trees, policy.both_changed, terms.conflicts);
                merged.insert(file.path.to_owned(), String::from_utf8(lines.bytes)?);
            }
        }
    }
    Ok(merged)
}

fn add<'s>(trees: &mut Trees<'s>, side: Side, files: &Files<'s>) {
    for (path, text) in files {
        let content = trees.contents.len() as u32;
        trees.contents.push(Content::read(path, text.as_bytes()));
        trees.side_mut(side).push(File { path, content, executable: false });
    }
}
