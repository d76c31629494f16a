//! Words of Secrets, in every spelling of a Secret and every output that is not the merged file itself.

use super::Tries;
use super::room::{Program, Room};

/// Spellings of one Secret; `WORD` stands for what nobody may read.
const SPELLINGS: &[&str] = &[
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  password: WORD\n  other: kept\n",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  password: WORD # was WORDx\n",
    "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {\"name\": \"s\"}, \"stringData\": {\"password\": \"WORD\"}}\n",
    "apiVersion: v1\n'kind': 'Secret'\nmetadata: {name: s}\nstringData:\n  password: |\n    first\n    WORD\n",
    "apiVersion: v1\nkind: !!str Secret\nmetadata: {name: s}\nstringData:\n  # WORD\n  password: WORD\n",
    "apiVersion: v1\nkind: &k Secret\nmetadata: {name: s}\nstringData: &d\n  password: WORD\n",
    "apiVersion: v1\nkind: SecretList\nitems:\n- metadata: {name: s}\n  stringData:\n    password: WORD # WORD\n",
    "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: \"Secret\" # x\n  metadata: {name: s}\n  data: {password: WORD}\n",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},\"stringData\":{\"password\":\"WORD\"}}\n",
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  password: WORD\n  password: WORD\n",
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  password: {WORD\n",
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  password: \"WORD\n",
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  password: *WORD\n",
];

const COMMANDS: &[&[&str]] = &[
    &["diff", "a.yaml", "b.yaml"],
    &["diff", "--format", "json", "a.yaml", "b.yaml"],
    &["driver", "a.yaml", "c.yaml", "b.yaml", "-o", "out", "--report", "-"],
    &["driver", "a.yaml", "c.yaml", "b.yaml", "-o", "out", "--report", "-", "--format", "json"],
    &["merge3", "--original", "a.yaml", "--updated", "b.yaml", "--dest", "c.yaml", "-o", "out", "--report", "-"],
    &[
        "merge3",
        "--original",
        "a.yaml",
        "--updated",
        "b.yaml",
        "--dest",
        "c.yaml",
        "-o",
        "out",
        "--report",
        "-",
        "--format",
        "json",
    ],
    &[
        "merge3",
        "--original",
        "a.yaml",
        "--updated",
        "b.yaml",
        "--dest",
        "c.yaml",
        "--on-conflict",
        "fail",
        "-o",
        "out",
    ],
    &["merge3", "--original", "A", "--updated", "B", "--dest", "C", "--report", "-"],
    &["merge3", "--original", "A", "--updated", "B", "--dest", "C", "--diff"],
    &["merge3", "--original", "a.yaml", "--updated", "b.yaml", "--dest", "c.yaml", "--diff"],
    &["merge2", "b.yaml", "a.yaml", "-o", "out", "--report", "-"],
    &["explain", "merge3", "--original", "a.yaml", "--updated", "b.yaml", "--dest", "c.yaml"],
    &["explain", "driver", "a.yaml", "c.yaml", "b.yaml"],
    &["explain", "keys", "a.yaml"],
    &["check", "a.yaml"],
    &["apply", "--live", "a.yaml", "--config", "b.yaml", "-o", "out", "--report", "-"],
    &["apply", "--live", "a.yaml", "--config", "b.yaml", "--diff"],
    &["patch", "-p", "b.yaml", "a.yaml", "-o", "out"],
    &["patch", "-p", "b.yaml", "a.yaml", "--diff"],
    &["set", "a.yaml", ".stringData.password.x", "1", "--diff"],
    &["delete", "a.yaml", ".stringData.absent", "--diff"],
    &["resolve", "--diff", "a.yaml"],
];

pub(super) fn words(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for (number, spelling) in SPELLINGS.iter().enumerate() {
        let mut room = Room::new(program)?;
        for (name, word) in [("a", "zqwa1"), ("b", "zqwb2"), ("c", "zqwc3")] {
            let text = spelling.replace("WORD", word);
            room.file(&format!("{name}.yaml"), &text)?;
            room.file(&format!("{}/s.yaml", name.to_uppercase()), &text)?;
        }
        room.guard()?;
        for command in COMMANDS {
            room.file("C/s.yaml", spelling.replace("WORD", "zqwc3"))?;
            let ran = room.run(command)?;
            let text = ran.text();
            let line = text.lines().find(|line| line.contains("zqw"));
            let shown = line.map(|line| format!("shows {line:?}"));
            tries.add(&format!("spelling {number}, {}", command.join(" ")), ran.ending().or(shown));
        }
    }
    Ok(())
}
