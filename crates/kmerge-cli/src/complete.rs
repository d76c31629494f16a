//! Answers kubectl, which asks its plugins how a command line may go on.
//!
//! The answer is what kubectl's own commands give: a candidate on each line, behind a tab what it is, and at last a colon
//! with a number: 4 where files are no candidates, 0 where they are.

use std::io::Write as _;

use clap::{Arg, Command};

use crate::exit::Exit;

/// Completes the last of the words.
pub(crate) fn run(command: &Command, words: &[String]) -> anyhow::Result<Exit> {
    let (last, before) = words.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
    let command = before.iter().fold(command, |command, word| command.find_subcommand(word).unwrap_or(command));
    let candidates = candidates(command, before.last().map(String::as_str), last);
    let mut out = std::io::stdout().lock();
    let is_word = |candidate: &&(String, String)| candidate.0.starts_with(last);
    for (name, help) in candidates.iter().filter(is_word) {
        writeln!(out, "{name}\t{help}")?;
    }
    writeln!(out, ":{}", if candidates.is_empty() { 0 } else { 4 })?;
    Ok(Exit::Clean)
}

/// All that may stand in the place of a word, and what it is.
fn candidates(command: &Command, before: Option<&str>, word: &str) -> Vec<(String, String)> {
    let help = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string).unwrap_or_default();
    let is_before = |arg: &&Arg| {
        let long = arg.get_long().is_some_and(|long| before.and_then(|word| word.strip_prefix("--")) == Some(long));
        long && arg.get_action().takes_values()
    };
    if let Some(arg) = command.get_arguments().find(is_before) {
        let values = arg.get_possible_values();
        return values.iter().map(|value| (value.get_name().to_owned(), help(value.get_help()))).collect();
    }
    if word.starts_with('-') {
        let visible = command.get_arguments().filter(|arg| !arg.is_hide_set());
        let flag = |arg: &Arg| Some((format!("--{}", arg.get_long()?), help(arg.get_help())));
        return visible.filter_map(flag).collect();
    }
    let subcommands = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set());
    subcommands.map(|subcommand| (subcommand.get_name().to_owned(), help(subcommand.get_about()))).collect()
}
