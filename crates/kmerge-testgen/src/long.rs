//! Long files of one document, and versions of any text: for timing merges.
//!
//! Owns: one definition, one list, and changed values. Ignores whether anybody would write them.

use crate::crd::crds;
use crate::shapes::Sides;

/// Who changes a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// One side: ours and theirs in turn.
    One,
    /// Both sides, to different values.
    Both,
}

/// A text and two versions of it, in which so many of the lines that hold a word and end in a digit have other values.
#[must_use]
pub fn changed(base: &str, word: &str, count: usize, by: By) -> Sides {
    let is_plain = |line: &str| line.contains(word) && line.trim_end().ends_with(|last: char| last.is_ascii_digit());
    let places: Vec<usize> =
        base.lines().enumerate().filter(|(_, line)| is_plain(line)).map(|(number, _)| number).collect();
    let wanted: Vec<usize> = (0..count.min(places.len())).map(|nth| places[nth * places.len() / count]).collect();
    let version = |side: usize| -> String {
        let line = |(number, line): (usize, &str)| match wanted.binary_search(&number) {
            Ok(nth) if by == By::Both || nth % 2 == side => {
                format!("{}{side}{}", line.trim_end(), &line[line.trim_end().len()..])
            }
            _ => line.to_owned(),
        };
        base.split_inclusive('\n').enumerate().map(line).collect()
    };
    [base.to_owned(), version(0), version(1)]
}

/// One definition with as many versions as fit into so many bytes.
#[must_use]
pub fn definition(seed: u64, bytes: usize) -> String {
    let mut text = String::new();
    let mut is_version = true;
    let mut count = 0;
    for line in crds(seed, bytes).split_inclusive('\n') {
        is_version =
            if line.starts_with("---") { text.is_empty() } else { is_version || line.starts_with("  versions:") };
        if is_version && !(line.starts_with("  versions:") && count > 0) {
            let name = line.strip_prefix("    name: ");
            count += usize::from(name.is_some());
            text.push_str(&name.map_or_else(|| line.to_owned(), |_| format!("    name: v{count}\n")));
        }
    }
    text
}

/// A list of so many elements, each of seven lines.
#[must_use]
pub fn long_list(elements: usize) -> String {
    let element = |number: usize| {
        format!(
            "- name: item-{number}\n  image: registry.example.com/app:1.{number}\n  enabled: true\n  labels:\n    team: team-{}\n  \
             args: [--id, '{number}']\n  note: kept\n",
            number % 10
        )
    };
    "items:\n".to_owned() + &(0..elements).map(element).collect::<String>()
}
