//! The command line itself: help, usage errors, colours, completions, manual pages.

use std::process::{Command, Output, Stdio};

fn kmerge(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kmerge"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    kmerge(args).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is UTF-8")
}

/// The subcommands that `kmerge --help` lists.
fn subcommands() -> Vec<String> {
    let help = run(&["--help"]);
    let lines = text(&help.stdout).lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).filter(|name| name != "help").collect()
}

#[test]
fn every_subcommand_has_help_with_examples_and_a_manual_page() {
    let names = subcommands();
    assert!(names.contains(&"completions".to_owned()), "{names:?}");
    for name in names {
        let page = run(&["man", &name]);
        let name = name.replace('-', "\\-");
        assert!(text(&page.stdout).contains(&format!("kmerge\\-{name}")), "no manual page for {name}");
    }
}

#[test]
fn bad_usage_and_unknown_names_exit_2_on_stderr() {
    for args in [&["frobnicate"][..], &[], &["man", "frobnicate"], &["completions", "tcsh"]] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn completions_know_the_subcommands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]);
        assert_eq!(script.status.code(), Some(0));
        assert!(text(&script.stdout).contains("completions"), "{shell}");
    }
}

#[test]
fn colour_only_where_asked_for() {
    let escapes = |command: &mut Command| command.output().expect("the binary runs").stderr.contains(&0x1b);
    assert!(!escapes(&mut kmerge(&["man", "frobnicate"])), "no colour without a terminal");
    assert!(!escapes(kmerge(&["man", "frobnicate"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1")));
    assert!(escapes(kmerge(&["man", "frobnicate"]).env("CLICOLOR_FORCE", "1")));
    assert!(escapes(&mut kmerge(&["--color", "always", "man", "frobnicate"])));
    assert!(!escapes(kmerge(&["--color", "never", "man", "frobnicate"]).env("CLICOLOR_FORCE", "1")));
}

#[test]
fn all_manual_pages_are_written_into_a_directory() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let target = directory.path().join("man1");
    let output = run(&["man", "--all", target.to_str().expect("UTF-8 path")]);
    assert_eq!(output.status.code(), Some(0));
    assert!(target.join("kmerge.1").is_file());
    assert!(target.join("kmerge-man.1").is_file());
    let pages = target.read_dir().expect("a directory").map(|entry| entry.expect("readable").path());
    for page in pages {
        let name = page.file_stem().and_then(std::ffi::OsStr::to_str).expect("UTF-8");
        assert!(!name.ends_with("-help"), "{name}");
        let text = std::fs::read_to_string(&page).expect("readable");
        let examples = text.split_once(".SH EXAMPLES\n.nf\n").and_then(|(_, rest)| rest.split_once("\n.fi\n"));
        let (examples, _) = examples.unwrap_or_else(|| panic!("{name} has no examples"));
        assert!(examples.lines().filter(|line| line.contains("kmerge ")).count() >= 3, "{name}: {examples}");
    }
}

#[test]
fn examples_in_help_are_not_wrapped() {
    for words in [&["merge3", "--help"][..], &["help", "last-applied", "set"], &["ci", "-h"], &["--help"]] {
        let wide = kmerge(words).env("COLUMNS", "200").output().expect("the binary runs");
        let narrow = kmerge(words).env("COLUMNS", "40").output().expect("the binary runs");
        let examples =
            |output: &Output| text(&output.stdout).split_once("\nExamples:\n").expect("it has some").1.to_owned();
        let examples =
            [examples(&wide), examples(&narrow)].map(|it| it.split("\n\n").next().unwrap_or_default().to_owned());
        assert_eq!(examples[0].trim(), examples[1].trim(), "{words:?}");
        assert!(examples[1].contains("  kmerge "), "{words:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child =
        kmerge(&["completions", "zsh"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}
