//! `kmerge man`: manual pages from the clap definitions.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use clap_mangen::Man;

use crate::cli::ManArgs;
use crate::exit::Exit;
use crate::invocation::Invocation;

pub(crate) fn run(args: &ManArgs) -> anyhow::Result<Exit> {
    let mut root = Invocation::current().command();
    root.build();
    if let Some(directory) = &args.all {
        return write_all(root, directory);
    }
    let page = match &args.subcommand {
        None => root,
        Some(name) => root.find_subcommand(name).with_context(|| format!("there is no subcommand '{name}'"))?.clone(),
    };
    Man::new(page).render(&mut std::io::stdout().lock())?;
    Ok(Exit::Clean)
}

fn write_all(root: clap::Command, directory: &Path) -> anyhow::Result<Exit> {
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    clap_mangen::generate_to(root, directory)
        .with_context(|| format!("cannot write manual pages into {}", directory.display()))?;
    writeln!(crate::terminal::stderr(), "manual pages written into {}", directory.display())?;
    Ok(Exit::Clean)
}
