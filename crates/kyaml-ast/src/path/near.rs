//! Finds names with a similar spelling, for messages.

use std::borrow::Cow;

/// How many names are shown.
const SHOWN: usize = 3;

/// Longest name, in characters, that is compared.
const LONGEST: usize = 64;

/// The names that differ from `wanted` in a few characters, the most similar first. At most three.
///
/// ```
/// let near = kyaml_ast::similar_names("replcias", ["replicas", "paused"].map(Into::into).into_iter());
/// assert_eq!(near, ["replicas"]);
/// ```
pub fn similar_names<'n>(wanted: &str, names: impl Iterator<Item = Cow<'n, str>>) -> Vec<String> {
    let wanted: Vec<char> = wanted.chars().take(LONGEST + 1).collect();
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    // Two swapped characters count as two differences.
    let limit = match wanted.len() {
        0..=1 => 0,
        2..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    let mut near: Vec<(usize, String)> = Vec::new();
    for name in names {
        if let Some(distance) = distance(&wanted, &name, limit) {
            near.push((distance, name.into_owned()));
            near.sort_by_key(|&(distance, _)| distance);
            near.truncate(SHOWN);
        }
    }
    near.into_iter().map(|(_, name)| name).collect()
}

/// The number of characters to insert, remove or replace, up to `limit`. Case does not count.
fn distance(wanted: &[char], name: &str, limit: usize) -> Option<usize> {
    if name.len() > 4 * (wanted.len() + limit) || name.chars().count().abs_diff(wanted.len()) > limit {
        return None;
    }
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (at, char) in name.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, other) in wanted.iter().enumerate() {
            let replaced = diagonal + usize::from(!char.eq_ignore_ascii_case(other));
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
        if row.iter().all(|&cost| cost > limit) {
            return None;
        }
    }
    row.last().copied().filter(|&cost| cost <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(wanted: &str, names: &[&'static str]) -> Vec<String> {
        similar_names(wanted, names.iter().map(|&name| Cow::Borrowed(name)))
    }

    #[test]
    fn finds_misspellings_only() {
        let names = ["image", "imagePullPolicy", "name", "args", "Image"];
        assert_eq!(near("imag", &names), ["image", "Image"]);
        assert_eq!(near("IMAGE", &names), ["image", "Image"]);
        assert_eq!(near("imagePulPolice", &names), ["imagePullPolicy"]);
        assert!(near("command", &names).is_empty());
        assert!(near("", &names).is_empty());
        assert!(near(&"x".repeat(100), &names).is_empty());
    }
}
