//! Input without end, and shapes that cost quadratic time: with far more work than a linear program can be blamed for.

use std::time::Duration;

use super::Tries;
use super::room::{Program, Room};

pub(super) fn endless(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for command in [
        &["check", "/dev/zero"][..],
        &["get", "/dev/zero", ".a"],
        &["diff", "/dev/zero", "a.yaml"],
        &["merge2", "/dev/zero", "a.yaml"],
        &["check", "sparse.yaml"],
        &["set", "-i", "sparse.yaml", ".a", "1"],
    ] {
        let room = Room::new(program)?;
        room.file("a.yaml", "a: 1\n")?;
        room.file("sparse.yaml", "a: 1\n")?;
        std::fs::File::options().write(true).open(room.work("sparse.yaml"))?.set_len(2 << 30)?;
        let ran = room.run(command)?;
        let unclear = (ran.code != Some(2) || !ran.text().contains("--max-bytes"))
            .then(|| format!("exit {:?}: {}", ran.code, ran.text().chars().take(300).collect::<String>()));
        tries.add(&command.join(" "), ran.ending().or(unclear));
    }
    Ok(())
}

/// A shape of input: its name, and the three versions of it that have so many changes.
type Shape = (&'static str, fn(usize, usize) -> String);

const SHAPES: &[Shape] = &[
    ("values in one mapping", |side, n| lines(n, |i| format!("k{i}: v{side}\n"))),
    ("values of documents", |side, n| {
        lines(n, |i| format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c{i}\ndata:\n  v: \"{side}\"\n"))
    }),
    ("documents renamed by both", |side, n| {
        lines(n, |i| {
            let name = if side == 0 { format!("c{i}") } else { format!("c{i}-{side}") };
            format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  v: \"{i}\"\n")
        })
    }),
    ("anchors", |side, n| lines(n, |i| format!("k{i}: &a{i} v{side}\nl{i}: *a{i}\n"))),
    ("variables", |side, n| {
        let head = "spec:\n  containers:\n  - name: a\n    env:\n";
        head.to_owned() + &lines(n, |i| format!("    - name: V{i}\n      value: \"{side}\"\n"))
    }),
    ("block scalars", |side, n| "a: |\n".to_owned() + &lines(n, |i| format!("  line {i} {side}\n\n  same {i}\n"))),
    ("equal documents", |side, n| lines(n, |i| format!("---\na: 1\nb: {}\n", if i % 2 == 0 { side } else { 0 }))),
];

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}

/// Ten times what a slow machine needs.
const LONGEST: Duration = Duration::from_secs(8);

pub(super) fn shapes(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    /// So many changes; each shape took over ten seconds, or would have, where its time was quadratic.
    const CHANGES: usize = 8000;
    for (name, shape) in SHAPES {
        let room = Room::new(program)?;
        for (side, file) in ["base.yaml", "ours.yaml", "theirs.yaml"].iter().enumerate() {
            room.file(file, shape(side, CHANGES))?;
        }
        for command in [
            &["driver", "base.yaml", "ours.yaml", "theirs.yaml", "-o", "out"][..],
            &[
                "merge3",
                "--original",
                "base.yaml",
                "--updated",
                "theirs.yaml",
                "--dest",
                "ours.yaml",
                "--on-conflict",
                "markers",
                "-o",
                "out",
            ],
        ] {
            let ran = room.run(command)?;
            let slow = (ran.took > LONGEST).then(|| format!("took {:.1} s", ran.took.as_secs_f32()));
            tries.add(&format!("{name}, {}", command[0]), ran.ending().or(slow));
        }
    }
    one_resource_in_many_files(program, tries)
}

/// Files of one resource, of which upstream moved some and wrote others in their place.
fn one_resource_in_many_files(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    const FILES: usize = 3000;
    let resource = |number: usize| format!("kind: C\nmetadata:\n  name: c\na{number}: 1\nb{number}: 2\nc{number}: 3\n");
    let room = Room::new(program)?;
    for number in 0..FILES {
        room.file(&format!("base/f{number}.yaml"), resource(number))?;
        room.file(&format!("dest/f{number}.yaml"), resource(number) + "d: 4\n")?;
        room.file(&format!("new/f{number}.yaml"), resource(number + 1))?;
        room.file(&format!("new/g{number}.yaml"), resource(number + FILES))?;
    }
    let ran = room.run(&["merge3", "--original", "base", "--updated", "new", "--dest", "dest"])?;
    let slow = (ran.took > LONGEST).then(|| format!("took {:.1} s", ran.took.as_secs_f32()));
    tries.add("one resource in many files", ran.ending().or(slow));
    Ok(())
}
