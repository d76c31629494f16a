//! Under which name the binary was called: `kmerge`, or as a plugin of kubectl.

use std::ffi::OsStr;
use std::path::Path;

use clap::{Command, CommandFactory as _};

use crate::cli::Cli;

/// What the first word of the command line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Invocation {
    Kmerge,
    /// `kubectl kmerge`: kubectl runs `kubectl-kmerge`.
    Plugin,
    /// kubectl asks `kubectl_complete-kmerge` how a command line may go on.
    PluginCompletion,
}

impl Invocation {
    /// How this process was called.
    pub(crate) fn current() -> Self {
        let name = std::env::args_os().next();
        let stem = name.as_deref().map(Path::new).and_then(Path::file_stem).and_then(OsStr::to_str);
        match stem {
            Some("kubectl-kmerge") => Self::Plugin,
            Some("kubectl_complete-kmerge") => Self::PluginCompletion,
            _ => Self::Kmerge,
        }
    }

    /// The command line, under the name that the user knows.
    pub(crate) fn command(self) -> Command {
        self.built(Cli::command())
    }

    /// The same without `help`, which has no page of its own.
    pub(crate) fn without_help(self) -> Command {
        let leave = |command: Command| command.disable_help_subcommand(true);
        self.built(leave(Cli::command()).mut_subcommands(leave))
    }

    fn built(self, mut command: Command) -> Command {
        if self != Self::Kmerge {
            command = command.bin_name("kubectl kmerge");
        }
        command.build();
        match self {
            Self::Kmerge => command,
            Self::Plugin | Self::PluginCompletion => renamed(command).mut_subcommands(renamed),
        }
    }

    /// The same, as far as it takes to read the arguments: of a subcommand that comes first, only its own.
    pub(crate) fn parser(self) -> Command {
        let command = Cli::command();
        let first = std::env::args_os().nth(1);
        let is_enough = |word: &str| matches!(word, "-V" | "--version") || command.find_subcommand(word).is_some();
        if self == Self::Kmerge && first.as_deref().and_then(OsStr::to_str).is_some_and(is_enough) {
            return command;
        }
        self.command()
    }
}

/// A command whose examples call the plugin.
fn renamed(command: Command) -> Command {
    let usage = command.get_name() == "merge2";
    let help = command.get_after_help().map(|help| as_plugin(&help.to_string()));
    let command = match help {
        Some(help) => command.after_help(help),
        None => command,
    };
    let command = if command.has_subcommands() { command.mut_subcommands(inner) } else { command };
    if usage { command.override_usage(as_plugin(crate::cli::merge::MERGE2_USAGE)) } else { command }
}

/// The same for subcommands of subcommands, which have none themselves.
fn inner(command: Command) -> Command {
    match command.get_after_help().map(|help| as_plugin(&help.to_string())) {
        Some(help) => command.after_help(help),
        None => command,
    }
}

/// The examples at the end of a command's help, and what comes after them.
pub(crate) fn after_help(command: &Command) -> Option<(String, String)> {
    let help = command.get_after_help()?.to_string();
    let examples = help.strip_prefix(EXAMPLES)?;
    let (examples, rest) = examples.split_once("\n\n").unwrap_or((examples, ""));
    Some((examples.to_owned(), rest.to_owned()))
}

/// The help that clap has rendered for these words, with the lines of examples as they are: nobody can copy what is wrapped.
pub(crate) fn unwrapped(command: &Command, words: impl IntoIterator<Item = String>, rendered: &str) -> String {
    let mut command = command;
    for word in words.into_iter().filter(|word| word != "help") {
        command = command.find_subcommand(word).unwrap_or(command);
    }
    let Some(at) = rendered.rfind(EXAMPLES) else { return rendered.to_owned() };
    match after_help(command) {
        Some((examples, rest)) if rest.is_empty() => format!("{}{EXAMPLES}{examples}\n", &rendered[..at]),
        Some((examples, _)) => {
            let rest = rendered[at..].find("\n\n").map_or("\n", |end| &rendered[at + end..]);
            format!("{}{EXAMPLES}{examples}{rest}", &rendered[..at])
        }
        None => rendered.to_owned(),
    }
}

const EXAMPLES: &str = "Examples:\n";

fn as_plugin(text: &str) -> String {
    let called = |line: &str| match line.trim_start().strip_prefix("kmerge ") {
        Some(rest) => format!("{}kubectl kmerge {rest}", &line[..line.len() - line.trim_start().len()]),
        None => line.replace("| kmerge ", "| kubectl kmerge "),
    };
    text.lines().map(called).collect::<Vec<_>>().join("\n")
}
