//! `cargo xtask race [--git] [--mergiraf] [--only WORD] [--keep DIR] [BINARY]`: whole merges of files, against other tools.
//!
//! Everything is run in turn, kmerge and then each rival on the same files, so that a busy machine slows all alike. Times are
//! processor time of a process and of those it started; memory is the largest resident set that GNU time saw in a run of its
//! own; instructions are callgrind's, where it is installed. Prints a table in Markdown: docs/explanation/speed.md holds it.
//! BINARY is `target/release/kmerge` where none is given; `--keep` leaves the files behind.

mod files;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use wait4::Wait4 as _;

use crate::callgrind::Counter;
use files::{Case, NAMES};

/// Each case is run so often, unless that takes too long.
const MOST_ROUNDS: usize = 31;
const FEWEST_ROUNDS: usize = 3;
/// So much processor time may a case take.
const BUDGET: Duration = Duration::from_secs(4);

/// A tool, and how it merges the three files of a directory into `ours.yaml`.
struct Tool {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
}

/// What the arguments ask for.
#[derive(Default)]
struct Request<'a> {
    git: bool,
    mergiraf: bool,
    only: &'a str,
    keep: Option<&'a Path>,
    binary: Option<&'a str>,
}

pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let request = Request::parse(arguments)?;
    let room = tempfile::tempdir()?;
    let tools = request.tools()?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", head(&tools))?;
    if "--version".contains(request.only) {
        let versions: Vec<Tool> = tools
            .iter()
            .map(|tool| Tool { arguments: &["--version"], program: tool.program.clone(), ..*tool })
            .collect();
        writeln!(
            out,
            "{}",
            row(&Case { name: "`--version`", sides: vec![Default::default()] }, &versions, room.path())?
        )?;
    }
    for case in files::cases().into_iter().filter(|case| case.name.contains(request.only)) {
        if let Some(directory) = request.keep {
            case.write_below(directory)?;
        }
        writeln!(out, "{}", row(&case, &tools, room.path())?)?;
    }
    Ok(())
}

impl<'a> Request<'a> {
    fn parse(arguments: &[&'a str]) -> anyhow::Result<Self> {
        let mut request = Self::default();
        let mut rest = arguments;
        while let [first, others @ ..] = rest {
            rest = others;
            match (*first, rest) {
                ("--git", _) => request.git = true,
                ("--mergiraf", _) => request.mergiraf = true,
                ("--only", [word, others @ ..]) => (request.only, rest) = (word, others),
                ("--keep", [directory, others @ ..]) => (request.keep, rest) = (Some(Path::new(*directory)), others),
                (binary, _) if !binary.starts_with('-') => request.binary = Some(binary),
                (other, _) => bail!("what is {other:?}?"),
            }
        }
        Ok(request)
    }

    /// kmerge, and its rivals: git where none is named.
    fn tools(&self) -> anyhow::Result<Vec<Tool>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let binary = self.binary.map_or_else(|| root.join("target/release/kmerge"), PathBuf::from);
        let kmerge = binary.canonicalize().with_context(|| format!("build it first: {}", binary.display()))?;
        let mut tools =
            vec![Tool { name: "kmerge", program: kmerge, arguments: &["driver", NAMES[0], NAMES[1], NAMES[2]] }];
        if self.git || !self.mergiraf {
            let arguments = &["merge-file", "-q", NAMES[1], NAMES[0], NAMES[2]];
            tools.push(Tool { name: "git merge-file", program: "git".into(), arguments });
        }
        if self.mergiraf {
            let arguments = &["merge", "--git", NAMES[0], NAMES[1], NAMES[2]];
            tools.push(Tool { name: "mergiraf", program: "mergiraf".into(), arguments });
        }
        Ok(tools)
    }
}

fn head(tools: &[Tool]) -> String {
    let columns: Vec<String> = tools.iter().map(|tool| format!(" {}: ms ", tool.name)).collect();
    let ratios = tools[1..].iter().map(|tool| format!(" ÷ {} ", tool.name));
    let columns: Vec<String> =
        columns.into_iter().chain(ratios).chain([" MiB ".to_owned(), " M instructions ".to_owned()]).collect();
    format!("| |{}|\n|---|{}", columns.join("|"), "---:|".repeat(columns.len()))
}

/// The table's row of a case.
fn row(case: &Case, tools: &[Tool], room: &Path) -> anyhow::Result<String> {
    let mut times: Vec<Vec<f64>> = tools.iter().map(|_| Vec::new()).collect();
    let mut spent = Duration::ZERO;
    while times[0].len() < FEWEST_ROUNDS || times[0].len() < MOST_ROUNDS && spent < BUDGET {
        for (tool, times) in tools.iter().zip(&mut times) {
            let mut all = Duration::ZERO;
            for sides in &case.sides {
                files::write(sides, room)?;
                all += timed(tool, room)?;
            }
            spent += all;
            times.push(all.as_secs_f64() * 1000.0);
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    let middle = |times: &[f64]| times[times.len() / 2];
    let mut columns: Vec<String> =
        times.iter().map(|times| format!("{:.1} / {:.1}", times[0], middle(times))).collect();
    columns.extend(times[1..].iter().map(|rival| format!("{:.2}", middle(&times[0]) / middle(rival))));
    let (mut memory, mut instructions) = (Vec::new(), Vec::new());
    for tool in tools {
        let sides = &case.sides[0];
        files::write(sides, room)?;
        memory.push(format!("{:.1}", mebibytes(tool, room)?));
        files::write(sides, room)?;
        instructions.push(counted(tool, room).map_or_else(|| "?".to_owned(), |count| format!("{:.2}", count / 1e6)));
    }
    columns.extend([memory.join(" / "), instructions.join(" / ")]);
    Ok(format!("| {} | {} |", case.name, columns.join(" | ")))
}

fn command(tool: &Tool, room: &Path) -> Command {
    let mut command = Command::new(&tool.program);
    command.args(tool.arguments).current_dir(room).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The processor time of a merge.
fn timed(tool: &Tool, room: &Path) -> anyhow::Result<Duration> {
    let mut child = command(tool, room).spawn().with_context(|| format!("{} cannot be run", tool.name))?;
    let used = child.wait4()?;
    // git ends with the number of conflicts, of which it counts 127 at most.
    ensure!(used.status.code().is_some_and(|code| code < 128), "{} has failed", tool.name);
    Ok(used.rusage.utime + used.rusage.stime)
}

/// The largest resident set of a merge. (That of a process we start ourselves would be ours at least.)
fn mebibytes(tool: &Tool, room: &Path) -> anyhow::Result<f64> {
    let report = tempfile::NamedTempFile::new()?;
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["--quiet", "--format", "%M", "--output"]).arg(report.path()).arg(&tool.program).args(tool.arguments);
    timed.current_dir(room).stdout(Stdio::null()).stderr(Stdio::null());
    timed.status().context("/usr/bin/time cannot be run")?;
    let kilobytes = std::fs::read_to_string(report.path())?;
    Ok(kilobytes.trim().parse::<f64>().context("GNU time said nothing")? / 1024.0)
}

/// The instructions of a merge, if valgrind can count them.
fn counted(tool: &Tool, room: &Path) -> Option<f64> {
    let arguments: Vec<String> = tool.arguments.iter().map(|&word| word.to_owned()).collect();
    Counter::of(tool.program.clone(), room).count(&arguments).ok()
}
