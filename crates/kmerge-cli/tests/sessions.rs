//! Sessions: Markdown files with inputs, commands and what these print, each run in a directory of its own.
//!
//! A block ` ```yaml NAME ` (any language) puts a file there. A block ` ```console ` holds commands after `$ ` and below
//! each what it prints, stdout and stderr together, and `? N` where it exits with anything but 0. The commands run in a
//! shell that finds this build's `kmerge`, and a place of their own for its journals and for git's configuration.
//!
//! What users read is written in another form: the name of a file is a caption above its block (`` `NAME` `` alone on a
//! line), as many viewers hide what stands behind the language, and exit codes are shown by `$ echo $?`.
//!
//! With `KMERGE_BLESS=1` the files are rewritten, in their form, to what the commands do now.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use pretty_assertions::StrComparison;
use tempfile::TempDir;

/// The sessions of this crate, and the documents whose examples are sessions too.
const PLACES: [(&str, Form); 3] =
    [("tests/sessions", Form::Terse), ("../../docs", Form::Document), ("../../README.md", Form::Document)];

/// How a session writes names of files and exit codes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Terse,
    Document,
}

#[test]
fn sessions_go_as_written() {
    let mut sessions = Vec::new();
    for (place, form) in PLACES {
        let mut paths = Vec::new();
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(place), &mut paths);
        assert!(!paths.is_empty(), "{place}");
        sessions.extend(paths.into_iter().map(|path| (path, form)));
    }
    let next = AtomicUsize::new(0);
    let replay_some = || std::iter::from_fn(|| sessions.get(next.fetch_add(1, Ordering::Relaxed))).filter_map(replay);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(|| replay_some().collect::<Vec<_>>()));
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a session says otherwise than its commands do.
fn replay((path, form): &(PathBuf, Form)) -> Option<String> {
    let written = std::fs::read_to_string(path).expect("readable");
    let played = play(&written, *form);
    if std::env::var_os("KMERGE_BLESS").is_some() {
        std::fs::write(path, &played).expect("writable");
        return None;
    }
    (played != written).then(|| format!("{}\n{}", path.display(), StrComparison::new(&played, &written)))
}

/// Every code that is documented is printed by some session, and every one that is printed is documented.
#[test]
fn each_code_has_a_session_that_shows_it() {
    /// No input is known that leads to it: it says that kmerge has a defect.
    const OF_DEFECTS: &str = "KM0008";
    let mut sessions = Vec::new();
    PLACES.iter().for_each(|(place, _)| collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(place), &mut sessions));
    let text = |path: &PathBuf| std::fs::read_to_string(path).expect("readable");
    let all: String = sessions.iter().map(text).collect();
    let shown: BTreeSet<&str> =
        all.split("[KM").skip(1).filter_map(|rest| rest.split_once(']')).map(|it| it.0).collect();
    let table = include_str!("../../../docs/errors.md");
    let documented = table.lines().filter_map(|line| line.strip_prefix("| KM")?.split_once(' ')).map(|it| it.0);
    let documented: BTreeSet<&str> = documented.filter(|code| OF_DEFECTS.strip_prefix("KM") != Some(code)).collect();
    let shown: BTreeSet<&str> =
        shown.into_iter().filter(|code| code.bytes().all(|byte| byte.is_ascii_digit())).collect();
    assert_eq!(shown, documented);
}

fn collect(place: &Path, out: &mut Vec<PathBuf>) {
    if place.is_file() {
        return out.push(place.to_owned());
    }
    let entries = place.read_dir().expect("a directory").map(|entry| entry.expect("readable").path());
    let mut entries: Vec<_> = entries.collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            collect(&entry, out);
        } else if entry.extension().is_some_and(|it| it == "md") {
            out.push(entry);
        }
    }
}

/// The session with what its commands print now.
fn play(session: &str, form: Form) -> String {
    let room = Room::new();
    let mut out = String::new();
    let mut lines = session.split_inclusive('\n');
    while let Some(line) = lines.next() {
        let Some(info) = line.trim_end().strip_prefix("```").filter(|info| !info.is_empty()) else {
            out.push_str(line);
            continue;
        };
        let block: String = lines.by_ref().take_while(|line| line.trim_end() != "```").collect();
        let (language, name) = match info.split_once(' ') {
            Some((language, name)) => (language, Some(name.to_owned())),
            None => (info, caption(&out)),
        };
        match (form, info.split_once(' ')) {
            (Form::Document, Some((language, name))) => {
                let _ = writeln!(out, "`{name}`\n\n```{language}");
            }
            _ => out.push_str(line),
        }
        match name {
            Some(name) => room.write(&name, &block),
            None if language == "console" => out.push_str(&room.run_all(&block, form)),
            None => {}
        }
        if language != "console" {
            out.push_str(&block);
        }
        out.push_str("```\n");
    }
    out
}

/// The name of a file that stands alone on the last line of a text.
fn caption(text: &str) -> Option<String> {
    let last = text.trim_end().lines().next_back()?;
    let name = last.strip_prefix('`')?.strip_suffix('`')?;
    (!name.contains([' ', '`']) && name.contains('.')).then(|| name.to_owned())
}

/// A directory in which a session runs, and one for what programs keep of a user.
struct Room {
    files: TempDir,
    home: TempDir,
}

impl Room {
    fn new() -> Self {
        let directory = || tempfile::tempdir().expect("a directory");
        Self { files: directory(), home: directory() }
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.files.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it is in a directory")).expect("created");
        std::fs::write(path, content).expect("written");
    }

    fn run_all(&self, block: &str, form: Form) -> String {
        let mut out = String::new();
        let mut last = 0;
        let mut commands = block.lines().filter_map(|line| line.strip_prefix("$ ")).peekable();
        while let Some(line) = commands.next() {
            let (printed, code) = self.run(line, last);
            let _ = writeln!(out, "$ {line}");
            out.push_str(&printed);
            if !printed.is_empty() && !printed.ends_with('\n') {
                out.push('\n');
            }
            last = code;
            match form {
                _ if code == 0 => {}
                Form::Terse => {
                    let _ = writeln!(out, "? {code}");
                }
                Form::Document if commands.peek() == Some(&"echo $?") => {}
                Form::Document => {
                    let _ = writeln!(out, "$ echo $?\n{code}");
                }
            }
        }
        out
    }

    /// What a line prints and its exit code; `$?` is the exit code of the line before it.
    fn run(&self, line: &str, last: i32) -> (String, i32) {
        let binary = Path::new(env!("CARGO_BIN_EXE_kmerge")).parent().expect("a directory").display();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("exec 2>&1; (exit {last}); {line}")])
            .current_dir(self.files.path())
            .env("PATH", format!("{binary}:{path}"))
            .env("HOME", self.home.path())
            .env("XDG_STATE_HOME", self.home.path().join("state"))
            .env("XDG_CONFIG_HOME", self.home.path().join("config"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_CONFIG_GLOBAL")
            .env_remove("CLICOLOR_FORCE")
            .env_remove("COLUMNS")
            .stdin(std::process::Stdio::null());
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "Kim")
                .env(format!("GIT_{role}_EMAIL"), "kim@example.com")
                .env(format!("GIT_{role}_DATE"), "2026-01-05T09:00:00Z");
        }
        let output = command.output().expect("a shell");
        (String::from_utf8(output.stdout).expect("UTF-8"), output.status.code().expect("an exit code"))
    }
}
