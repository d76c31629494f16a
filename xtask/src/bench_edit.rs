//! `cargo xtask bench-edit`: edits of whole trees by `target/release/kmerge` and by what people use today.
//!
//! A script of a thousand statements for a thousand files of 5 kB, each about one resource; and one statement for a file of
//! 2 MB. Peers where they are installed: a loop of `kmerge set`, ruamel.yaml (Python) and `yaml` (npm, found by node through
//! `NODE_PATH`), each in one process that reads, edits and writes all files. For each: processor time, and how many lines
//! are no longer there although no statement was about them.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use crate::bench_apply::processor_time;

const FILES: usize = 1000;
/// Resources of a file of the tree, and of the large file.
const FEW: usize = 4;
const MANY: usize = 1700;

const RUAMEL: &str = r#"
import sys
from ruamel.yaml import YAML
yaml = YAML()
yaml.preserve_quotes = True
yaml.width = 100000
yaml.indent(mapping=2, sequence=4, offset=2)
for line in open(sys.argv[1]):
    path, name, value = line.split()
    documents = list(yaml.load_all(open(path)))
    for document in documents:
        if document["metadata"]["name"] == name:
            document["spec"]["replicas"] = int(value)
    with open(path, "w") as out:
        yaml.dump_all(documents, out)
"#;

const NPM: &str = r#"
const fs = require('fs'), YAML = require('yaml');
for (const line of fs.readFileSync(process.argv[1], 'utf8').trim().split('\n')) {
  const [path, name, value] = line.split(' ');
  const documents = YAML.parseAllDocuments(fs.readFileSync(path, 'utf8'));
  for (const document of documents)
    if (document.getIn(['metadata', 'name']) === name) document.setIn(['spec', 'replicas'], Number(value));
  fs.writeFileSync(path, documents.map(String).join(''));
}
"#;

pub(crate) fn run() -> anyhow::Result<()> {
    let kmerge = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/kmerge");
    let kmerge = kmerge.canonicalize().context("first: cargo build --release -p kmerge-cli")?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:34} {:>9} {:>9}  other lines changed", "", "processor", "elapsed")?;
    for (title, trees) in [("1,000 statements, 1,000 files", (FILES, FEW)), ("1 statement, 1 file", (1, MANY))] {
        let room = tempfile::tempdir()?;
        let tree = Tree::write(room.path(), trees)?;
        writeln!(out, "{title}, {} kB", tree.bytes / 1000)?;
        let script = ["edit", "-i", "-q", "-f", "script", "tree"];
        let edit = tree.cost(Command::new(&kmerge).args(script))?;
        writeln!(out, "{}", edit.line("kmerge edit"))?;
        let each = "while read -r file name value; do \
                    \"$0\" set -iq \"$file\" .spec.replicas \"$value\" --select \"Deployment/$name\" || exit; done <list";
        let mut peers = vec![
            ("a loop of kmerge set", Command::new("sh")),
            ("ruamel.yaml", Command::new("python3")),
            ("npm yaml", Command::new("node")),
        ];
        peers[0].1.args(["-c", each]).arg(&kmerge);
        peers[1].1.args(["-c", RUAMEL, "list"]);
        peers[2].1.args(["-e", NPM, "list"]);
        for (name, mut command) in peers {
            match tree.cost(&mut command) {
                Ok(cost) => {
                    let ratio = cost.processor.as_secs_f64() / edit.processor.as_secs_f64();
                    writeln!(out, "{}  {ratio:.1} x", cost.line(name))?;
                }
                Err(error) => writeln!(out, "  {name}: {error:#}")?,
            }
        }
    }
    Ok(())
}

/// Files in a directory, and the statements for them.
struct Tree<'r> {
    room: &'r Path,
    size: (usize, usize),
    bytes: usize,
}

struct Cost {
    processor: Duration,
    elapsed: Duration,
    others: usize,
}

impl Cost {
    fn line(&self, name: &str) -> String {
        let (processor, elapsed) = (self.processor.as_millis(), self.elapsed.as_millis());
        format!("  {name:32} {processor:>6} ms {elapsed:>6} ms  {:>19}", self.others)
    }
}

impl<'r> Tree<'r> {
    fn write(room: &'r Path, size: (usize, usize)) -> anyhow::Result<Self> {
        let mut tree = Self { room, size, bytes: 0 };
        tree.bytes = tree.reset()?;
        let (mut script, mut list) = (String::new(), String::new());
        for file in 0..size.0 {
            let name = format!("web-{file}-1");
            script.push_str(&format!("select Deployment/{name}\nset .spec.replicas {}\n", file + 3));
            list.push_str(&format!("tree/{file}.yaml {name} {}\n", file + 3));
        }
        std::fs::write(room.join("script"), script)?;
        std::fs::write(room.join("list"), list)?;
        Ok(tree)
    }

    /// Writes all files as they are before the edits; how many bytes that is.
    fn reset(&self) -> anyhow::Result<usize> {
        std::fs::create_dir_all(self.room.join("tree"))?;
        let mut bytes = 0;
        for file in 0..self.size.0 {
            let text = text(file, self.size.1);
            bytes += text.len();
            std::fs::write(self.room.join(format!("tree/{file}.yaml")), text)?;
        }
        Ok(bytes)
    }

    fn cost(&self, command: &mut Command) -> anyhow::Result<Cost> {
        self.reset()?;
        let (start, before) = (Instant::now(), processor_time()?);
        let output = command.current_dir(self.room).stdin(Stdio::null()).output().context("cannot be run")?;
        let (elapsed, processor) = (start.elapsed(), processor_time()? - before);
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "not installed, or failed: {}", said.lines().last().unwrap_or_default());
        let mut others = 0;
        for file in 0..self.size.0 {
            let after = std::fs::read_to_string(self.room.join(format!("tree/{file}.yaml")))?;
            let before = text(file, self.size.1);
            let value = format!("  replicas: {}", file + 3);
            ensure!(after.lines().any(|line| line.starts_with(&value)), "{file}.yaml was not edited");
            let mut kept: HashMap<&str, usize> = HashMap::new();
            after.lines().for_each(|line| *kept.entry(line).or_default() += 1);
            let lost = before.lines().filter(|line| match kept.get_mut(line) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    false
                }
                _ => true,
            });
            others += lost.count() - 1;
        }
        Ok(Cost { processor, elapsed, others })
    }
}

fn text(file: usize, resources: usize) -> String {
    let variable = |at: usize| format!("            - name: VAR_{at}\n              value: \"v{at}\" # why {at}\n");
    let variables: String = (0..14).map(variable).collect();
    let resource = |at: usize| {
        format!(
            "# service {file}-{at}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-{file}-{at}\n  labels:\n    \
             app: web-{file}\n    tier: front\nspec:\n  replicas: 2   # peak: 5\n  selector:\n    \
             matchLabels: {{app: web-{file}}}\n  template:\n    metadata:\n      labels: {{app: web-{file}}}\n    \
             spec:\n      containers:\n        - name: app\n          image: \"app:1.6\"\n          env:\n{variables}"
        )
    };
    (0..resources).map(resource).collect::<Vec<_>>().join("---\n")
}
