//! The licences of all parts in one text: most of them ask to be passed on with a binary.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::parts::Part;

/// Each different text once, below the parts that it is of.
pub(super) fn of(parts: &BTreeMap<String, Part>) -> anyhow::Result<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for part in parts.values() {
        let name = format!("{} {} ({})", part.name, part.version, part.licence);
        let found = licences(part)?;
        if found.is_empty() {
            without.push(name.clone());
        }
        for text in found {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    let mut sections: Vec<(Vec<String>, String)> = texts.into_iter().map(|(text, names)| (names, text)).collect();
    sections.iter_mut().for_each(|(names, _)| names.sort());
    sections.sort();
    let mut out =
        String::from("kmerge is made with these libraries. Each licence stands below the libraries that it is of.\n");
    for (names, text) in sections {
        let _ = write!(out, "\n{}\n{}\n\n{}\n", "=".repeat(80), names.join("\n"), text.trim_end());
    }
    without.sort();
    let _ = write!(
        out,
        "\n{}\nTheir sources have no text of the licence that they name:\n{}\n",
        "=".repeat(80),
        without.join("\n")
    );
    Ok(out)
}

fn licences(part: &Part) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in part.directory.read_dir()? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_file()
            && ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|it| name.starts_with(it))
        {
            found.push(String::from_utf8_lossy(&std::fs::read(&path)?).into_owned());
        }
    }
    found.sort();
    Ok(found)
}
