//! `kmerge ci --format markdown`: the body of a comment on a pull request.
//!
//! Names and values come from whoever wrote the commits: none of their characters means anything to Markdown or HTML here.

use std::fmt::Write as _;

use super::{CiArgs, Conflict, MergedTree};
use crate::dispute::{Dispute, aspect};
use crate::report::shortened;
use crate::terminal;

/// What the merge is, and a table of its conflicts.
pub(super) fn body(args: &CiArgs, merged: &MergedTree, conflicts: &[Conflict]) -> String {
    let (base, head) = (code(&args.base), code(&args.head));
    if merged.is_clean {
        return format!("kmerge merges {head} into {base} without a conflict.\n");
    }
    let count: usize = conflicts.iter().map(|conflict| conflict.places.len().max(1)).sum();
    let places = if count == 1 { "1 place".to_owned() } else { format!("{count} places") };
    let mut out = format!("kmerge merges {head} into {base}. Somebody has to decide {places}:\n\n");
    let _ = writeln!(out, "| file | place | {base} | common ancestor | {head} | |\n|---|---|---|---|---|---|");
    for conflict in conflicts {
        let file = code(&conflict.paths.join(", "));
        for place in &conflict.places {
            let _ = writeln!(out, "| {file} {}", row(place));
        }
        if conflict.places.is_empty() {
            let _ = writeln!(out, "| {file} | | | | | {} |", plain(&conflict.message));
        }
    }
    out
}

fn row(place: &Dispute) -> String {
    let [ours, base, theirs] = shortened([&place.ours, &place.base, &place.theirs].map(Option::as_ref));
    let at = format!("{} {}", place.resource, place.path);
    let [at, ours, base, theirs] = [at.trim(), &ours, &base, &theirs].map(code);
    format!("| {at}{} | {ours} | {base} | {theirs} | {} |", aspect(place.role), place.why())
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", plain(text))
}

/// A text as nothing but text: what is neither a letter, a digit nor a blank goes by its number.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for character in terminal::line(text).chars() {
        match character {
            ' ' | '.' | ',' | '-' | '/' => out.push(character),
            _ if character.is_alphanumeric() => out.push(character),
            _ => {
                let _ = write!(out, "&#{};", u32::from(character));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn nothing_means_anything_to_markdown() {
        assert_eq!(plain("web:1.4-a, é"), "web&#58;1.4-a, é");
        let nasty = "</code><b>|`*_[x](y)@all&amp;\n#1\u{202e}";
        let escaped = plain(nasty);
        assert!(escaped.chars().all(|it| it.is_alphanumeric() || " .,-/&#;".contains(it)), "{escaped}");
        assert!(!escaped.contains("&amp;"), "{escaped}");
    }
}
