//! How alike two texts are: the share of their lines that both have, indentation aside.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The lines of a text, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sketch {
    lines: HashMap<u64, u32>,
    total: u32,
}

impl Sketch {
    /// Every line that says something.
    pub(crate) fn of_text(text: &str) -> Self {
        Self::of_lines(text.lines())
    }

    /// The lines of a resource but for those that every resource has or that only name it.
    pub(crate) fn of_body(text: &str) -> Self {
        const NAMES: [&str; 5] = ["apiVersion:", "kind:", "metadata:", "namespace:", "name:"];
        Self::of_lines(text.lines().filter(|line| !NAMES.iter().any(|name| line.trim_start().starts_with(name))))
    }

    fn of_lines<'t>(lines: impl Iterator<Item = &'t str>) -> Self {
        let mut sketch = Self::default();
        for line in lines.map(str::trim).filter(|line| !line.is_empty()) {
            let mut hasher = DefaultHasher::new();
            line.hash(&mut hasher);
            *sketch.lines.entry(hasher.finish()).or_default() += 1;
            sketch.total += 1;
        }
        sketch
    }

    /// Number of lines.
    pub(crate) const fn len(&self) -> u32 {
        self.total
    }

    /// Lines in common, in percent of all; 100 for two empty texts.
    pub(crate) fn likeness(&self, other: &Self) -> u32 {
        if self.total + other.total == 0 {
            return 100;
        }
        let (small, large) = if self.lines.len() <= other.lines.len() { (self, other) } else { (other, self) };
        let common: u32 = small.lines.iter().map(|(line, count)| *count.min(large.lines.get(line).unwrap_or(&0))).sum();
        200 * common / (self.total + other.total)
    }
}

/// The most pairs that are compared with each other; beyond, nothing is paired by likeness.
const MOST_PAIRS: usize = 10_000;

/// Pairs what is most alike, at least `least` percent, the best first; equal likeness goes by position.
pub(crate) fn pair(left: &[Sketch], right: &[Sketch], least: u32) -> Vec<(usize, usize, u32)> {
    if left.len().saturating_mul(right.len()) > MOST_PAIRS {
        return Vec::new();
    }
    let (mut left_free, mut right_free) = (vec![true; left.len()], vec![true; right.len()]);
    let mut pairs = Vec::new();
    for (likeness, l, r) in scored(left, right, least) {
        if left_free[l] && right_free[r] {
            (left_free[l], right_free[r]) = (false, false);
            pairs.push((l, r, likeness));
        }
    }
    pairs
}

/// Two candidates that nothing tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tie {
    /// Two on the left.
    Left(usize, usize),
    /// Two on the right.
    Right(usize, usize),
}

/// Pairs everything, the most alike first, and refuses to choose between two that are equally like a third.
pub(super) fn pair_clearly(left: &[Sketch], right: &[Sketch]) -> Result<Vec<(usize, usize)>, Tie> {
    if left.len().saturating_mul(right.len()) > MOST_PAIRS {
        return Err(if right.len() > 1 { Tie::Right(0, 1) } else { Tie::Left(0, 1) });
    }
    let scored = scored(left, right, 0);
    let (mut left_free, mut right_free) = (vec![true; left.len()], vec![true; right.len()]);
    let mut pairs = Vec::new();
    for (at, &(likeness, l, r)) in scored.iter().enumerate() {
        if !left_free[l] || !right_free[r] {
            continue;
        }
        for &(_, other_l, other_r) in scored[at + 1..].iter().take_while(|rest| rest.0 == likeness) {
            match (other_l == l, other_r == r) {
                (true, false) if right_free[other_r] => return Err(Tie::Right(r, other_r)),
                (false, true) if left_free[other_l] => return Err(Tie::Left(l, other_l)),
                _ => {}
            }
        }
        (left_free[l], right_free[r]) = (false, false);
        pairs.push((l, r));
    }
    Ok(pairs)
}

/// Every pair that is alike enough, as (likeness, left, right), the most alike first.
fn scored(left: &[Sketch], right: &[Sketch], least: u32) -> Vec<(u32, usize, usize)> {
    let mut scored = Vec::new();
    for (l, left) in left.iter().enumerate() {
        for (r, right) in right.iter().enumerate() {
            let likeness = left.likeness(right);
            if likeness >= least {
                scored.push((likeness, l, r));
            }
        }
    }
    scored.sort_by_key(|&(likeness, l, r)| (std::cmp::Reverse(likeness), l, r));
    scored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_counts_lines_and_ignores_indentation() {
        let likeness = |a, b| Sketch::of_text(a).likeness(&Sketch::of_text(b));
        assert_eq!(likeness("a\nb\n", "  b\n\n  a\n"), 100);
        assert_eq!(likeness("a\na\n", "a\nb\n"), 50);
        assert_eq!(likeness("a\n", "b\n"), 0);
        assert_eq!(likeness("", ""), 100);
    }

    #[test]
    fn the_names_of_a_resource_do_not_make_it_alike() {
        let body = |text| Sketch::of_body(text);
        let a = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: 1\n";
        let b = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  y: 1\n";
        assert_eq!(body(a).likeness(&body(b)), 50);
        assert_eq!(body(a).len(), 2);
    }

    #[test]
    fn the_best_pairs_are_made_first() {
        let sketches = |texts: &[&str]| texts.iter().map(|text| Sketch::of_text(text)).collect::<Vec<_>>();
        let left = sketches(&["a\nb\nc\n", "a\nb\nd\n"]);
        let right = sketches(&["a\nb\nd\n", "x\ny\n"]);
        assert_eq!(pair(&left, &right, 50), [(1, 0, 100)]);
    }

    #[test]
    fn what_is_equally_alike_is_not_chosen_from() {
        let sketches = |texts: &[&str]| texts.iter().map(|text| Sketch::of_text(text)).collect::<Vec<_>>();
        let one = sketches(&["a\nb\n"]);
        assert_eq!(pair_clearly(&one, &sketches(&["a\nc\n", "a\nb\n"])), Ok(vec![(0, 1)]));
        assert_eq!(pair_clearly(&one, &sketches(&["a\nc\n", "a\nd\n"])), Err(Tie::Right(0, 1)));
        assert_eq!(pair_clearly(&sketches(&["a\nc\n", "a\nd\n"]), &one), Err(Tie::Left(0, 1)));
    }
}
