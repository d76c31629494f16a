//! Development tasks: `cargo xtask <task> [arguments]`.

mod api;
mod bench_apply;
mod bench_edit;
mod book;
mod browser;
mod callgrind;
mod conformance;
mod differential;
mod disjoint;
mod dist;
mod driver;
mod fixtures;
mod fuzz;
mod generate;
mod hostile;
mod instructions;
mod kubectl;
mod linear;
mod lines;
mod orders;
mod ours;
mod package_bench;
mod parallel;
mod pictures;
mod race;
mod random;
mod replay;
mod sabotage;
mod schema;
mod style;
mod vectors;

use std::io::Write as _;

use anyhow::bail;

const USAGE: &str = "usage: cargo xtask TASK, one of
  api [--check]
  bench-apply [COUNT]
  bench-edit
  book
  browser [--screenshots DIR] [BINARY]
  conformance
  differential [--cases N] [--seed S]
  disjoint [COUNT [SEED [DIRECTORY]]]
  dist [--target TRIPLE]
  driver [COUNT [SEED [DIRECTORY]]]
  fixtures check | SUITE [--check]
  fuzz seed|unpack|pack TARGET
  generate manifests|crds|small|merge|conflicts [--bytes N] [--seed S] --out PATH
  hostile [--only WORD] [BINARY]
  instructions [--check]
  linear [WORD]
  lines [COUNT [SEED]]
  orders [COUNT [SEED [DIRECTORY]]]
  package-bench [--kpt] [FILES...]
  pictures [--check]
  race [--git] [--mergiraf] [--only WORD] [--keep DIR] [BINARY]
  replay [--limit N] [--keep DIRECTORY] REPOSITORY... | --cases DIRECTORY | --triples [--style STYLE] LIST|DIRECTORY...
  sabotage [COUNT [SEED]]
  schema [--check]
  style
  vectors DIR";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if arguments.iter().any(|argument| ["--help", "-h", "help"].contains(argument)) {
        writeln!(std::io::stdout(), "{USAGE}")?;
        return Ok(());
    }
    match arguments.as_slice() {
        ["api", rest @ ..] => api::run(rest),
        ["bench-apply", rest @ ..] => bench_apply::run(rest),
        ["bench-edit"] => bench_edit::run(),
        ["book"] => book::run(),
        ["browser", rest @ ..] => browser::run(rest),
        ["conformance"] => conformance::run(),
        ["differential", rest @ ..] => differential::run(rest),
        ["disjoint", rest @ ..] => disjoint::run(rest),
        ["dist", rest @ ..] => dist::run(rest),
        ["driver", rest @ ..] => driver::run(rest),
        ["fixtures", rest @ ..] => fixtures::run(rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["generate", rest @ ..] => generate::run(rest),
        ["hostile", rest @ ..] => hostile::run(rest),
        ["instructions", rest @ ..] => instructions::run(rest),
        ["linear", rest @ ..] => linear::run(rest),
        ["lines", rest @ ..] => lines::run(rest),
        ["orders", rest @ ..] => orders::run(rest),
        ["package-bench", rest @ ..] => package_bench::run(rest),
        ["pictures", rest @ ..] => pictures::run(rest),
        ["race", rest @ ..] => race::run(rest),
        ["replay", rest @ ..] => replay::run(rest),
        ["sabotage", rest @ ..] => sabotage::run(rest),
        ["schema", rest @ ..] => schema::run(rest),
        ["style"] => style::run(),
        ["vectors", rest @ ..] => vectors::run(rest),
        [] => bail!("{USAGE}"),
        [task, ..] => bail!("unknown task {task:?}\n{USAGE}"),
    }
}
