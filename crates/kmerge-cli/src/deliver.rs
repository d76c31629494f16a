//! Hands a result over: to stdout, a file, in place, as a diff, or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::builder::styling::{AnsiColor, Effects, Style};
use kmerge_core::lines::unified;

use crate::cli::merge::{SayFlags, TargetFlags};
use crate::exit::Exit;
use crate::input::{STDIO, Source};
use crate::masked::mask;
use crate::output;
use crate::terminal::{coloured_stdout, line as one_line, text as visible};
use crate::told;

/// Where a result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Stdout,
    File(PathBuf),
    /// The file that the result is made of.
    InPlace(PathBuf),
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
            (Some(path), _) if path == dest && path.as_os_str() != STDIO => Self::InPlace(path.clone()),
            (Some(path), _) if path.as_os_str() != STDIO => Self::File(path.clone()),
            (_, true) => {
                ensure!(dest.as_os_str() != STDIO, "--in-place needs a file to write to, not stdin");
                Self::InPlace(dest.to_owned())
            }
            _ => Self::Stdout,
        })
    }

    /// Whether the result, or a diff of it, is printed.
    pub(crate) const fn uses_stdout(&self) -> bool {
        matches!(self, Self::Stdout | Self::Nowhere { diff: true, .. })
    }

    /// Hands over what `change` makes of the file at `path`, which messages call `name`; nothing where it makes nothing.
    ///
    /// In place, it is made of what the file holds at the moment it is written: `change` is asked again where somebody else
    /// writes the file meanwhile.
    pub(crate) fn edit(
        &self,
        path: &Path,
        name: Option<&str>,
        mut change: impl FnMut(&Source) -> anyhow::Result<Option<String>>,
    ) -> anyhow::Result<Exit> {
        let Self::InPlace(file) = self else {
            let source = Source::read_as(path, name)?;
            return change(&source)?.map_or(Ok(Exit::Clean), |text| self.deliver(&text, &source));
        };
        output::edit(file, |bytes| {
            let name = name.map_or_else(|| file.display().to_string(), str::to_owned);
            let source = Source::decode(name, bytes.to_vec())?;
            Ok(change(&source)?.map_or_else(|| bytes.to_vec(), String::into_bytes))
        })?;
        Ok(Exit::Clean)
    }

    /// The same as [`Target::edit`], and says which places change.
    pub(crate) fn edit_and_tell(
        &self,
        path: &Path,
        say: &SayFlags,
        mut change: impl FnMut(&Source) -> anyhow::Result<String>,
    ) -> anyhow::Result<Exit> {
        told::check_stdout(say, self)?;
        let mut last = None;
        let exit = self.edit(path, None, |source| {
            let text = change(source)?;
            if told::is_anything(say) {
                let texts = [&source.text, &text];
                last = Some(texts.map(|text| Source::new(source.name.as_str(), text.as_str())));
            }
            Ok(Some(text))
        })?;
        let pairs: Vec<[&Source; 2]> = last.iter().map(|[before, after]| [before, after]).collect();
        told::changes(say, &pairs)?;
        Ok(exit)
    }

    /// Hands `text` over, the new content of `dest`; in place only where the file still holds what it was made of.
    pub(crate) fn deliver(&self, text: &str, dest: &Source) -> anyhow::Result<Exit> {
        match self {
            Self::Stdout => std::io::stdout().write_all(text.as_bytes())?,
            Self::File(path) => drop(output::write(path, text.as_bytes())?),
            Self::InPlace(path) => {
                output::edit(path, |now| {
                    let is_same = now == dest.text.as_bytes();
                    ensure!(is_same, "{} was changed by another program meanwhile: nothing was written", dest.name);
                    Ok(text.as_bytes().to_vec())
                })?;
            }
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
    // `git apply` takes no path with a `.` in it.
    let name = name.split('/').filter(|part| *part != ".").collect::<Vec<_>>().join("/");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_what_the_result_was_made_of_is_left_alone() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("f.yaml");
        let target = Target::InPlace(path.clone());
        for (now, wanted) in [("a: 1\n", "a: 2\n"), ("a: 1\nb: 1\n", "a: 1\nb: 1\n")] {
            std::fs::write(&path, now).unwrap();
            let done = target.deliver("a: 2\n", &Source::new("f.yaml", "a: 1\n"));
            assert_eq!(done.is_ok(), now != wanted);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), wanted);
        }
    }
}
