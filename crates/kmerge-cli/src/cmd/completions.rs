//! `kmerge completions`: a completion script from the clap definitions.

use std::io::Write as _;

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::Exit;

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "kmerge", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(Exit::Clean)
}
