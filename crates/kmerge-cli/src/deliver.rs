//! Hands a result over: to stdout, a file, in place, as a diff, or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::builder::styling::{AnsiColor, Effects, Style};
use kmerge_core::lines::unified;

use crate::cli::merge::TargetFlags;
use crate::exit::Exit;
use crate::input::{STDIO, Source};
use crate::masked::mask;
use crate::output;
use crate::terminal::{coloured_stdout, line as one_line, text as visible};

/// Where a result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Stdout,
    File(PathBuf),
    /// Nowhere: the changes are shown, or only told by the exit code.
    Nowhere {
        diff: bool,
        check: bool,
    },
}

impl Target {
    /// Reads the flags; `dest` is the file that `--in-place` means.
    pub(crate) fn new(flags: &TargetFlags, dest: &Path) -> anyhow::Result<Self> {
        Ok(match (&flags.output, flags.in_place) {
            _ if flags.diff || flags.check => Self::Nowhere { diff: flags.diff, check: flags.check },
            (Some(path), _) if path.as_os_str() != STDIO => Self::File(path.clone()),
            (_, true) => {
                ensure!(dest.as_os_str() != STDIO, "--in-place needs a file to write to, not stdin");
                Self::File(dest.to_owned())
            }
            _ => Self::Stdout,
        })
    }

    /// Whether the result, or a diff of it, is printed.
    pub(crate) const fn uses_stdout(&self) -> bool {
        matches!(self, Self::Stdout | Self::Nowhere { diff: true, .. })
    }

    /// Hands `text` over, the new content of `dest`.
    pub(crate) fn deliver(&self, text: &str, dest: &Source) -> anyhow::Result<Exit> {
        match self {
            Self::Stdout => std::io::stdout().write_all(text.as_bytes())?,
            Self::File(path) => drop(output::write(path, text.as_bytes())?),
            Self::Nowhere { diff, check } => {
                if *diff {
                    print_diff(&dest.name, Some(&dest.text), Some(text))?;
                }
                if *check && text != dest.text {
                    return Ok(Exit::Findings);
                }
            }
        }
        Ok(Exit::Clean)
    }
}

/// Prints a unified diff of a file and its new content, without secrets, in colours on a terminal; nothing where they are the same.
pub(crate) fn print_diff(name: &str, before: Option<&str>, after: Option<&str>) -> std::io::Result<()> {
    let [old, new] = [before, after].map(Option::unwrap_or_default);
    let diff = unified(old.as_bytes(), new.as_bytes());
    if diff.is_empty() && before.is_some() == after.is_some() {
        return Ok(());
    }
    let name = one_line(name.trim_start_matches('/'));
    let mut out = coloured_stdout();
    let of = |side: &str, text: Option<&str>| text.map_or_else(|| "/dev/null".to_owned(), |_| format!("{side}/{name}"));
    writeln!(out, "{HEAD}--- {}{HEAD:#}\n{HEAD}+++ {}{HEAD:#}", of("a", before), of("b", after))?;
    print_lines(&mut out, &mask(&String::from_utf8_lossy(&diff), old, new))
}

const HEAD: Style = Style::new().effects(Effects::BOLD);

/// Prints a unified diff; what stands before its first hunk is a heading.
pub(crate) fn print_lines(out: &mut impl Write, diff: &str) -> std::io::Result<()> {
    let mut is_heading = true;
    for line in diff.split_inclusive('\n') {
        is_heading &= !line.starts_with("@@");
        let style = match line.as_bytes().first() {
            _ if is_heading => HEAD,
            Some(b'+') => AnsiColor::Green.on_default(),
            Some(b'-') => AnsiColor::Red.on_default(),
            Some(b'@') => AnsiColor::Cyan.on_default(),
            _ => Style::new(),
        };
        let (content, newline) = line.split_at(line.trim_end_matches(['\n', '\r']).len());
        write!(out, "{style}{}{style:#}{newline}", visible(content))?;
    }
    Ok(())
}
