//! `cargo xtask linear [WORD]`: counts the instructions of `target/release/kmerge` for work of one size and of twice that size.
//!
//! Merges of every shape that invites quadratic work, as git's driver and with `--on-conflict markers`, edits of many objects, and
//! checks with many findings.
//! Valgrind counts, so that the answer does not depend on how busy the machine is. What a run takes that has nothing to do is
//! left out. More than 2.3 times as many for twice the size fail the task. WORD chooses shapes by their names.

use std::io::Write as _;
use std::path::Path;

use anyhow::{bail, ensure};
use kmerge_testgen::{SHAPES, Shape};

use crate::callgrind::Counter;

/// What twice the size may take, as a multiple: sorting takes a little more than twice.
const MOST: f64 = 2.3;

/// A size at which valgrind is done in a second, as a part of that at which a bench is.
const PART: usize = 8;

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let wanted = match arguments {
        [] => "",
        [word] => word,
        _ => bail!("usage: cargo xtask linear [WORD]"),
    };
    let room = tempfile::tempdir()?;
    let counter = Counter::new(room.path())?;
    let count = |work: &Work, size| counter.count(&work.arguments(room.path(), size)?);
    let mut out = std::io::stdout().lock();
    let mut failed = 0;
    for work in works().iter().filter(|work| work.name().contains(wanted)) {
        let idle = count(work, 1)?;
        let [small, large] = [work.size(), 2 * work.size()].map(|size| count(work, size));
        let [small, large] = [small? - idle, large? - idle];
        let growth = large / small;
        let verdict = if growth > MOST { "  more than linear" } else { "" };
        writeln!(out, "{:8.1} M  x {growth:4.2}  {} {}{verdict}", small / 1e6, work.size(), work.name())?;
        failed += usize::from(growth > MOST);
    }
    ensure!(failed == 0, "{failed} kinds of work take more than {MOST} times as long for twice the size");
    Ok(())
}

/// What is counted.
enum Work {
    Driver(&'static Shape),
    Merge3(&'static Shape),
    /// Patches many objects, or one with many fields.
    Patch {
        objects: bool,
    },
    Apply {
        objects: bool,
    },
    /// Sets a field of many objects, or of many elements of a list.
    Set {
        objects: bool,
    },
    /// Sets a field of many objects, each by a statement of its own.
    Script,
    /// Checks a mapping in which a key stands many times.
    Check,
}

fn works() -> Vec<Work> {
    let merges = SHAPES.iter().flat_map(|shape| [Work::Driver(shape), Work::Merge3(shape)]);
    let edits = [true, false]
        .into_iter()
        .flat_map(|objects| [Work::Patch { objects }, Work::Apply { objects }, Work::Set { objects }]);
    merges.chain(edits).chain([Work::Script, Work::Check]).collect()
}

impl Work {
    fn name(&self) -> String {
        match self {
            Self::Driver(shape) => format!("driver: {}", shape.name),
            Self::Merge3(shape) => format!("merge3: {}", shape.name),
            Self::Patch { objects } => format!("patch: {}", of_what(*objects)),
            Self::Apply { objects } => format!("apply: {}", of_what(*objects)),
            Self::Set { objects: true } => "edit: a field of many objects".to_owned(),
            Self::Set { objects: false } => "edit: a field of many elements".to_owned(),
            Self::Script => "edit: a script with a statement for each object".to_owned(),
            Self::Check => "check: a key that stands many times".to_owned(),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Driver(shape) | Self::Merge3(shape) => shape.size / PART,
            Self::Patch { objects } | Self::Apply { objects } => {
                if *objects {
                    100
                } else {
                    2_000
                }
            }
            Self::Set { .. } | Self::Script | Self::Check => 400,
        }
    }

    /// Writes the files of this size, and says what to do with them.
    fn arguments(&self, room: &Path, size: usize) -> anyhow::Result<Vec<String>> {
        let file = |name: &str, text: String| -> anyhow::Result<String> {
            let path = room.join(name);
            std::fs::write(&path, text)?;
            Ok(path.display().to_string())
        };
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        Ok(match self {
            Self::Driver(shape) | Self::Merge3(shape) => {
                let [base, ours, theirs] = (shape.sides)(size);
                let [base, ours, theirs] =
                    [file("base.yaml", base)?, file("ours.yaml", ours)?, file("theirs.yaml", theirs)?];
                match self {
                    Self::Driver(_) => words(&["driver", "-q", "--marker-style", "merge", &base, &ours, &theirs]),
                    _ => words(&[
                        "merge3",
                        "-q",
                        "--policy",
                        "git",
                        "--on-conflict",
                        "markers",
                        "--original",
                        &base,
                        "--dest",
                        &ours,
                        "--updated",
                        &theirs,
                    ]),
                }
            }
            Self::Patch { objects } => {
                let patch = if *objects { r#"{"spec":{"replicas":9}}"# } else { r#"{"data":{"key-1":"other"}}"# };
                words(&["patch", "-p", patch, &file("live.yaml", made(*objects, size, "1"))?])
            }
            Self::Apply { objects } => {
                let (live, config) =
                    (file("live.yaml", made(*objects, size, "1"))?, file("config.yaml", made(*objects, size, "2"))?);
                words(&["apply", "-q", "--live", &live, "--config", &config])
            }
            Self::Set { objects: true } => {
                words(&["edit", "-e", "set .spec.replicas 2", &file("live.yaml", made(true, size, "1"))?])
            }
            Self::Set { objects: false } => {
                let list: String = (0..size).map(|number| format!("- name: a-{number}\n  value: 1\n")).collect();
                words(&["edit", "-e", "set ..value 2", &file("list.yaml", format!("list:\n{list}"))?])
            }
            Self::Script => {
                let statements = |number| format!("select Deployment/web-{number}\nset .spec.replicas 2\n");
                let script = file("script.txt", (0..size).map(statements).collect())?;
                words(&["edit", "-f", &script, &file("live.yaml", made(true, size, "1"))?])
            }
            Self::Check => words(&["check", &file("twice.yaml", "a: 1\n".repeat(size + 1))?]),
        })
    }
}

const fn of_what(objects: bool) -> &'static str {
    if objects { "many objects" } else { "many fields" }
}

/// Many objects, or one with many fields.
fn made(objects: bool, size: usize, value: &str) -> String {
    let object = |number| {
        format!(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-{number}\nspec:\n  replicas: 1\n  template:\n    spec:\n      \
             containers:\n      - name: app\n        image: app:{value}\n"
        )
    };
    let field = |number| format!("  key-{number}: '{value}'\n");
    match objects {
        true => (0..size).map(object).collect(),
        false => {
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n".to_owned()
                + &(0..size).map(field).collect::<String>()
        }
    }
}
