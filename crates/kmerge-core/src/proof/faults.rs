//! Faults of a result that none of its sides has. Where they stand does not matter, only how many of a kind there are. Of what the
//! base has already, as a name that a list has several times, each side may add its own.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Path, Segment, Stream};

use crate::check::{Fault, Finding, check_apart};
use crate::schema::Schema;
use crate::slots::{Side, Slots};

impl Schema {
    /// What is wrong with the result of a merge, and with none of its sides.
    #[must_use]
    pub fn new_faults(&self, result: &Stream<'_>, sides: Slots<&Stream<'_>>) -> Vec<Finding> {
        new_faults(result, sides, Side::Dest, self)
    }
}

/// What is wrong with a result, and with no side. Less is read if it has much in common with the side that is `nearest`.
pub(super) fn new_faults(
    result: &Stream<'_>,
    sides: Slots<&Stream<'_>>,
    nearest: Side,
    schema: &Schema,
) -> Vec<Finding> {
    let mut ordered: Vec<(Side, &Stream<'_>)> = sides.present().map(|(side, stream)| (side, *stream)).collect();
    ordered.sort_by_key(|(side, _)| *side != nearest);
    let Some(((nearest, near), others)) = ordered.split_first() else { return schema.check(result) };
    let [mut found, known] = check_apart([result, *near], schema);
    let mut new = more(&found, &known);
    for (_, other) in others {
        // Mostly there are none, and the first side tells.
        if new.is_empty() {
            return Vec::new();
        }
        let [found, known] = check_apart([result, *other], schema);
        let more = more(&found, &known);
        new.retain(|kind, _| more.contains_key(kind));
    }
    let added = added_by_both(&new, sides, *nearest, schema);
    new.retain(|kind, _| !added.contains(kind));
    found.retain(|finding| new.contains_key(&kind(finding)));
    found
}

/// Of the kinds of which a result has more than the side that is nearest: those that the base has, and of which it has no more than
/// the other side added.
fn added_by_both(
    new: &HashMap<Kind, usize>,
    sides: Slots<&Stream<'_>>,
    nearest: Side,
    schema: &Schema,
) -> HashSet<Kind> {
    let other = if nearest == Side::Dest { Side::Incoming } else { Side::Dest };
    let (Some(base), Some(other)) = (sides.base, sides.get(other)) else { return HashSet::new() };
    let [of_other, of_base] = check_apart([other, base], schema);
    let by_other = more(&of_other, &of_base);
    let is_sum = |(kind, times): &(&Kind, &usize)| by_other.get(*kind).is_some_and(|added| *times <= added);
    let sums: Vec<&Kind> = new.iter().filter(is_sum).map(|(kind, _)| kind).collect();
    if sums.is_empty() {
        return HashSet::new();
    }
    let in_base = count(&schema.check(base));
    sums.into_iter().filter(|kind| in_base.contains_key(*kind)).cloned().collect()
}

/// What makes a fault the same in another text: everything but positions.
type Kind = (Fault, Path, String);

fn kind(finding: &Finding) -> Kind {
    let fields = finding.path.segments().into_iter().filter(|segment| !matches!(segment, Segment::Index(_)));
    (finding.fault, fields.cloned().collect(), finding.name.clone())
}

/// Of which kinds there are more, and how many.
fn more(found: &[Finding], known: &[Finding]) -> HashMap<Kind, usize> {
    let mut more = count(found);
    if !more.is_empty() {
        let known = count(known);
        more.retain(|kind, times| {
            *times = times.saturating_sub(known.get(kind).copied().unwrap_or_default());
            *times > 0
        });
    }
    more
}

/// How often there is each kind of fault.
fn count(findings: &[Finding]) -> HashMap<Kind, usize> {
    let mut counts = HashMap::new();
    for finding in findings {
        *counts.entry(kind(finding)).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many new faults a result has, beside a side.
    fn count_new(result: &str, side: &str) -> usize {
        let [result, side] = [result, side].map(|text| Stream::parse(text).unwrap());
        let sides = Slots { dest: Some(&side), base: None, incoming: None };
        Schema::new().new_faults(&result, sides).len()
    }

    #[test]
    fn an_element_that_takes_the_name_of_an_unchanged_one_is_found() {
        let list =
            |name: &str| format!("l:\n  - {{name: a}}\n  - {{name: b}}\n  - {{name: {name}}}\n  - {{name: d}}\n");
        assert_eq!(count_new(&list("d"), &list("c")), 1);
        assert_eq!(count_new(&list("c"), &list("d")), 0);
    }

    #[test]
    fn what_repeats_on_both_sides_is_not_new() {
        let list = |value: u32| format!("l:\n  - {{name: a}}\n  - {{name: a, v: {value}}}\n  - {{name: c}}\n");
        assert_eq!(count_new(&list(1), &list(2)), 0);
    }

    #[test]
    fn a_variable_that_is_set_twice_is_found() {
        let list = |name: &str| format!("environment:\n  - A=1\n  - {name}=1\n  - C=1\n");
        assert_eq!((count_new(&list("A"), &list("B")), count_new(&list("B"), &list("A"))), (1, 0));
    }
}
