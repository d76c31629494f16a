//! `kmerge man`: manual pages from the clap definitions, one for each command.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::Context as _;
use clap::Command;
use clap_mangen::Man;

use crate::cli::ManArgs;
use crate::exit::Exit;
use crate::invocation::{Invocation, after_help};

pub(crate) fn run(args: &ManArgs) -> anyhow::Result<Exit> {
    let root = Invocation::current().without_help();
    if let Some(directory) = &args.all {
        write_all(root, directory)?;
        writeln!(crate::terminal::stderr(), "manual pages written into {}", directory.display())?;
        return Ok(Exit::Clean);
    }
    let mut page = &root;
    for name in &args.subcommand {
        page = page.find_subcommand(name).with_context(|| format!("there is no subcommand '{name}'"))?;
    }
    render(page.clone(), &mut std::io::stdout().lock())?;
    Ok(Exit::Clean)
}

fn write_all(root: Command, directory: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let mut open = vec![root];
    while let Some(command) = open.pop() {
        open.extend(command.get_subcommands().filter(|command| !command.is_hide_set()).cloned());
        let file = directory.join(Man::new(command.clone()).get_filename());
        let page = File::create(&file).and_then(|mut page| render(command, &mut page));
        page.with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

fn render(command: Command, out: &mut impl Write) -> std::io::Result<()> {
    let (has_subcommands, about) = (command.has_subcommands(), after_help(&command));
    let man = Man::new(command);
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if has_subcommands {
        man.render_subcommands_section(out)?;
    }
    if let Some((examples, rest)) = about {
        let lines: String = examples.lines().map(|line| verbatim(line.strip_prefix("  ").unwrap_or(line))).collect();
        write!(out, ".SH EXAMPLES\n.nf\n{lines}.fi\n")?;
        if let Some(codes) = rest.trim().strip_prefix("Exit codes: ") {
            write!(out, ".SH \"EXIT STATUS\"\n{}", verbatim(codes))?;
        }
    }
    man.render_version_section(out)
}

/// A line of text as roff prints it: no character of it is an order.
fn verbatim(line: &str) -> String {
    let plain = line.replace('\\', "\\e").replace('-', "\\-");
    let guard = if plain.starts_with(['.', '\'']) { "\\&" } else { "" };
    format!("{guard}{plain}\n")
}
