//! Random changes of real files, as people make them, each with a word that stands nowhere else.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kmerge_core::Schema;
use kmerge_testgen::Rng;
use kyaml_ast::Stream;

/// Files longer than this are left out: thousands of merges of them would say nothing more.
const LONGEST: usize = 60_000;

/// The YAML files below a directory that can be read.
pub(crate) fn corpus(directory: &Path) -> anyhow::Result<Vec<String>> {
    let mut texts = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        let entries = std::fs::read_dir(&directory).with_context(|| format!("cannot list {}", directory.display()))?;
        let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
        paths.sort();
        for path in paths {
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
            let text = if is_yaml { std::fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
            if text.lines().count() > 3 && text.len() < LONGEST && is_sound(&text) {
                texts.push(text);
            }
        }
    }
    Ok(texts)
}

/// Whether nobody would call a text broken.
fn is_sound(text: &str) -> bool {
    Stream::parse(text).is_ok_and(|stream| Schema::new().check(&stream).is_empty())
}

/// A base and two versions of it.
pub(crate) fn triple(corpus: &[String], seed: u64) -> [String; 3] {
    let mut random = Rng::new(seed);
    let base = &corpus[random.below(corpus.len())];
    let mut side = |name: &str| {
        let mut text = base.clone();
        for number in 0..random.between(1, 5) {
            let changed = changed(&text, &format!("{name}{seed}x{number}"), &mut random);
            if is_sound(&changed) {
                text = changed;
            }
        }
        text
    };
    [base.clone(), side("qo"), side("qt")]
}

fn changed(text: &str, word: &str, random: &mut Rng) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    let at = random.below(lines.len());
    let line = lines[at].trim_end().to_owned();
    let indent = " ".repeat(line.len() - line.trim_start().len());
    let block = at..block_end(&lines, at);
    match random.below(10) {
        0..=2 => lines[at] = value_changed(&line, word) + "\n",
        3 => lines.insert(at, format!("{indent}{word}: new\n")),
        4 => lines.insert(at, format!("{indent}- {word}\n")),
        5 => drop(lines.drain(block)),
        6 => {
            // One more of the kind, under another name.
            let copied: Vec<String> = lines[block.clone()].to_vec();
            let copied = copied.concat().replacen(": ", &format!(": {word}"), 1);
            lines.insert(block.end, copied);
        }
        7 => lines[at] = format!("{line} # {word}\n"),
        8 => lines.insert(at, format!("{indent}# {word}\n")),
        _ => {
            // Two neighbours in each other's place.
            let next = block.end..block_end(&lines, block.end);
            let moved: Vec<String> = lines.drain(next).collect();
            lines.splice(at..at, moved);
        }
    }
    lines.concat()
}

/// The end of the lines that belong to the one at `at`: those indented more.
fn block_end(lines: &[String], at: usize) -> usize {
    let indent = |line: &String| line.len() - line.trim_start_matches(' ').len();
    let Some(first) = lines.get(at) else { return at };
    let inner = lines[at + 1..].iter().take_while(|line| line.trim().is_empty() || indent(line) > indent(first));
    at + 1 + inner.count()
}

fn value_changed(line: &str, word: &str) -> String {
    match line.rsplit_once(['"', '\'']) {
        Some((head, "")) => format!("{head}{word}{}", &line[head.len()..]),
        _ if line.ends_with(':') => line.replace(':', &format!("{word}:")),
        _ => format!("{line}{word}"),
    }
}
