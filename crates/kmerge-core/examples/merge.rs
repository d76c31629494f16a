//! Merges three files and prints the result with conflict markers: `cargo run -p kmerge-core --example merge -- BASE OURS THEIRS`.
//!
//! Without files it merges a sample, and checks the result.

use std::error::Error;
use std::io::Write as _;

use kmerge_core::lines::{Labels, Style};
use kmerge_core::{ConflictStyle, Policy, Schema, Slots, merge, render};
use kyaml_ast::Stream;

const BASE: &str =
    "spec:\n  replicas: 2\n  template:\n    spec:\n      containers:\n      - name: app\n        image: app:1\n";
const OURS: &str =
    "spec:\n  replicas: 3 # busy\n  template:\n    spec:\n      containers:\n      - name: app\n        image: app:2\n";
const THEIRS: &str = "spec:\n  replicas: 2\n  paused: true\n  template:\n    spec:\n      containers:\n      - name: app\n        image: app:3\n";

const EXPECTED: &str = "\
spec:
  replicas: 3 # busy
  paused: true
  template:
    spec:
      containers:
      - name: app
<<<<<<< ours
        image: app:2
=======
        image: app:3
>>>>>>> theirs
";

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let files: Vec<String> = std::env::args().skip(1).collect();
    let (text, conflicts) = match files.as_slice() {
        [] => {
            let merged = merged([BASE, OURS, THEIRS])?;
            assert_eq!(
                merged,
                (EXPECTED.to_owned(), vec![".spec.template.spec.containers[name=\"app\"].image".to_owned()])
            );
            merged
        }
        [base, ours, theirs] => {
            let [base, ours, theirs] = [base, ours, theirs].map(std::fs::read_to_string);
            merged([&base?, &ours?, &theirs?])?
        }
        _ => return Err("usage: merge BASE OURS THEIRS".into()),
    };
    write!(out, "{text}")?;
    conflicts.iter().try_for_each(|path| writeln!(out, "conflict: {path}"))?;
    Ok(())
}

/// The text of the merge, and the places in conflict.
fn merged([base, ours, theirs]: [&str; 3]) -> Result<(String, Vec<String>), Box<dyn Error>> {
    let (base, ours, theirs) = (Stream::parse(base)?, Stream::parse(ours)?, Stream::parse(theirs)?);
    let sides = Slots { dest: Some(&ours), base: Some(&base), incoming: Some(&theirs) };
    let plan = merge(sides, &Schema::new(), &Policy::GIT)?;
    let labels = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
    let text = render(&plan, sides, &ConflictStyle::Markers { style: Style::Merge, labels })?;
    Ok((text, plan.conflicts.iter().map(|conflict| conflict.path.to_string()).collect()))
}
