//! `kmerge`: the command line over `kmerge-core`.
//!
//! This file owns dispatch and what an error looks like; [`cli`] owns the argument types, `cmd/` has one file for each
//! subcommand.

mod apply_report;
mod check;
mod cli;
mod cmd;
mod complete;
mod crds;
mod deliver;
mod diagnostic;
mod diff;
mod dirs;
mod dispute;
mod editor;
mod edits;
mod exit;
mod files;
mod fold;
mod git;
mod gone;
mod input;
mod invocation;
mod keys;
mod kubectl;
mod manifest;
mod many;
mod masked;
mod merge;
mod merge_dirs;
mod merge_files;
mod merge_lines;
mod notice;
mod options;
mod output;
mod place;
mod places;
mod plain;
mod progress;
mod report;
mod resolve;
mod review;
mod setup;
mod terminal;
mod told;
mod walk;
mod workflow;

use std::io::{ErrorKind, Write as _};
use std::mem::ManuallyDrop;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use clap::builder::styling::{AnsiColor, Effects, Style};
use kmerge_cli::{bytes, temporary, transaction, tree};

use crate::cli::{Cli, Command};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::invocation::Invocation;

const ERROR: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);

fn main() -> ExitCode {
    let invocation = Invocation::current();
    let words = || std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    if invocation == Invocation::PluginCompletion {
        let words: Vec<String> = words().collect();
        return complete::run(&invocation.command(), &words).unwrap_or_else(|error| trouble(&error)).into();
    }
    // Taken apart at the end of the process, it would take a tenth of what merging a small file takes.
    let mut parser = ManuallyDrop::new(invocation.parser());
    let parsed = parser.try_get_matches_from_mut(std::env::args_os());
    let mut apart = Ok(());
    let parsed = parsed.and_then(|mut matches| {
        apart = told::check_apart(&matches);
        Cli::from_arg_matches_mut(&mut matches)
    });
    let cli = match parsed {
        Ok(cli) => cli,
        // git would take the exit code of bad usage for that of a merge with conflicts.
        Err(error) if error.use_stderr() && std::env::args_os().nth(1).is_some_and(|first| first == "driver") => {
            misused(&error);
            return Exit::Unreadable.into();
        }
        Err(error) if error.use_stderr() => {
            misused(&error);
            return Exit::Trouble.into();
        }
        Err(error) if error.kind() == clap::error::ErrorKind::DisplayVersion => {
            return said(&error.render().to_string()).into();
        }
        Err(error) => {
            let help = invocation::unwrapped(&invocation.command(), words(), &error.render().ansi().to_string());
            return said(&help).into();
        }
    };
    cli.color.write_global();
    bytes::set_max_bytes(cli.max_bytes);
    apart.and_then(|()| run(cli.command)).unwrap_or_else(|error| trouble(&error)).into()
}

/// Prints help, or the version.
fn said(text: &str) -> Exit {
    match terminal::coloured_stdout().write_all(text.as_bytes()) {
        Ok(()) => Exit::Clean,
        Err(error) => trouble(&error.into()),
    }
}

/// Says what is wrong with the arguments. Names of files may be among them.
fn misused(error: &clap::Error) {
    let mut message = error.render().ansi().to_string();
    for word in std::env::args_os() {
        let word = word.to_string_lossy();
        message = message.replace(&*word, &terminal::line(&word));
    }
    // With stderr closed there is nobody left to tell; the exit code still says it.
    let _ = terminal::coloured_stderr().write_all(message.as_bytes());
}

fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Merge2(args) => cmd::merge2::run(&args),
        Command::Merge3(args) => cmd::merge3::run(&args),
        Command::Upgrade(args) => cmd::upgrade::run(&args),
        Command::Apply(args) => cmd::apply::run(&args),
        Command::Patch(args) => cmd::patch::run(&args),
        Command::LastApplied(args) => cmd::last_applied::run(&args.action),
        Command::Build(args) => cmd::build::run(&args),
        Command::Fn(args) => cmd::function::run(&args),
        Command::Get(args) => cmd::get::run(&args),
        Command::Set(args) => cmd::set::run(&args),
        Command::Delete(args) => cmd::delete::run(&args),
        Command::Edit(args) => cmd::edit::run(&args),
        Command::SetImage(args) => cmd::set_image::run(&args),
        Command::Diff(args) => cmd::diff::run(&args),
        Command::Check(args) => cmd::check::run(&args),
        Command::Ci(args) => cmd::ci::run(&args),
        Command::Explain(args) => cmd::explain::run(&args),
        Command::Completions(args) => cmd::completions::run(&args),
        Command::Man(args) => cmd::man::run(&args),
        Command::Recover(args) => cmd::recover::run(&args),
        Command::Resolve(args) => cmd::resolve::run(&args),
        Command::Review(args) => cmd::review::run(&args),
        Command::Setup(args) => cmd::setup::run(&args),
        Command::Driver(args) => Ok(cmd::driver::run(&args)),
    }
}

/// Reports an error on stderr. A reader that went away (`kmerge … | head`) is no error.
fn trouble(error: &anyhow::Error) -> Exit {
    let reader_gone = |cause: &std::io::Error| cause.kind() == ErrorKind::BrokenPipe;
    if error.downcast_ref::<std::io::Error>().is_some_and(reader_gone) {
        return Exit::Clean;
    }
    // With stderr closed there is nobody left to tell; the exit code still says it.
    let _ = match error.downcast_ref::<Diagnostic>() {
        Some(diagnostic) => writeln!(terminal::coloured_stderr(), "{}", diagnostic.render()),
        None => {
            writeln!(terminal::coloured_stderr(), "{ERROR}error:{ERROR:#} {}", terminal::line(&format!("{error:#}")))
        }
    };
    Exit::Trouble
}
