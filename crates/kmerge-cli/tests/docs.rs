//! The documentation as a whole: links lead somewhere, the table of contents has every page, every command is described.
//!
//! What the examples print is checked by `sessions.rs`.

use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The Markdown files for readers.
fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut open = vec![Path::new(ROOT).join("docs")];
    while let Some(directory) = open.pop() {
        for entry in directory.read_dir().expect("a directory") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == "md") {
                pages.push(path);
            }
        }
    }
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        pages.push(Path::new(ROOT).join(name));
    }
    pages.extend(
        ["kyaml-ast", "kmerge-core", "kmerge-cli"].map(|it| Path::new(ROOT).join("crates").join(it).join("README.md")),
    );
    pages.sort();
    pages
}

/// The lines of a page that are no code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !is_fence && !in_code
    })
}

/// What `[text](target)` names, in order.
fn links(page: &str) -> Vec<String> {
    let lines: Vec<String> = prose(page).map(|line| line.split('`').step_by(2).collect::<Vec<_>>().join("`")).collect();
    let text = lines.join("\n");
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

/// The anchors of a page's headings, as GitHub and mdbook make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let headings =
        prose(page).filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    headings
        .map(|heading| {
            let kept = heading.trim().to_lowercase();
            let kept = kept.chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
            let anchor: String = kept.map(|it| if it == ' ' { '-' } else { it }).collect();
            let count = seen.entry(anchor.clone()).or_default();
            *count += 1;
            if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
        })
        .collect()
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            out.pop();
        } else {
            out.push(part);
        }
    }
    out
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = read(&page);
        for link in links(&text) {
            count += 1;
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').map_or((&*link, None), |(file, anchor)| (file, Some(anchor)));
            let target = if file.is_empty() { page.clone() } else { page.parent().expect("a directory").join(file) };
            let has_anchor = |anchor: &str| target.is_file() && anchors(&read(&target)).contains(anchor);
            if !target.exists() || !anchor.is_none_or(has_anchor) {
                broken.push(format!("{}: {link}", plain(&page).display()));
            }
        }
    }
    assert!(count > 100, "{count} links");
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// The book has only what is below `docs`: what else a page there links to would be missing.
#[test]
fn the_book_is_whole() {
    let docs = plain(&Path::new(ROOT).join("docs"));
    let summary = docs.join("SUMMARY.md");
    let listed: BTreeSet<PathBuf> = links(&read(&summary)).iter().map(|link| docs.join(link)).collect();
    let pages = pages().into_iter().map(|page| plain(&page)).filter(|page| page.starts_with(&docs) && *page != summary);
    let pages: BTreeSet<PathBuf> = pages.collect();
    assert_eq!(pages.difference(&listed).collect::<Vec<_>>(), [] as [&PathBuf; 0], "not in SUMMARY.md");
    for page in &pages {
        for link in links(&read(page)).iter().filter(|link| !link.contains("://")) {
            let target = plain(&page.parent().expect("a directory").join(link));
            assert!(target.starts_with(&docs), "{} links to {link}", page.display());
        }
    }
}

#[test]
fn every_command_is_described() {
    let described = read(&Path::new(ROOT).join("docs/commands.md"));
    let mut open = vec![String::new()];
    let mut count = 0;
    while let Some(command) = open.pop() {
        let heading = format!("# kmerge{command}\n");
        assert!(described.contains(&heading), "docs/commands.md lacks `kmerge{command}`");
        let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let output = Command::new(env!("CARGO_BIN_EXE_kmerge")).args(words).output().expect("it runs");
        let help = String::from_utf8(output.stdout).expect("UTF-8");
        let list = help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
        let names = list.lines().take_while(|line| !line.is_empty()).filter_map(|line| {
            let name = line.strip_prefix("  ")?.split(' ').next()?;
            (!name.is_empty() && name != "help").then_some(name)
        });
        open.extend(names.map(|name| format!("{command} {name}")));
        count += 1;
    }
    assert!(count > 25, "{count} commands");
}
