//! Faults of a result that none of its sides has. Where they stand does not matter, only how many of a kind there are. Of what the
//! base has already, as a name that a list has several times, each side may add its own.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Path, Segment, Stream};

use crate::check::{Fault, Finding, check_apart};
use crate::schema::Schema;
use crate::slots::Slots;

impl Schema {
    /// What is wrong with the result of a merge, and with none of its sides.
    #[must_use]
    pub fn new_faults(&self, result: &Stream<'_>, sides: Slots<&Stream<'_>>) -> Vec<Finding> {
        let mut new: Option<HashSet<Kind>> = None;
        for (_, side) in sides.present() {
            let [found, known] = check_apart([result, side], self).map(|findings| count(&findings));
            let is_more = |(fault, times): &(Kind, usize)| known.get(fault).is_none_or(|known| known < times);
            let more: HashSet<Kind> = found.into_iter().filter(is_more).map(|(fault, _)| fault).collect();
            let still: HashSet<Kind> = match new {
                None => more,
                Some(new) => new.into_iter().filter(|fault| more.contains(fault)).collect(),
            };
            // Mostly there are none, and the first side tells.
            if still.is_empty() {
                return Vec::new();
            }
            new = Some(still);
        }
        let found = self.check(result);
        let added = added_by_both(&found, sides, self);
        let is_new = |finding: &Finding| {
            let kind = kind(finding);
            new.as_ref().is_none_or(|new| new.contains(&kind)) && !added.contains(&kind)
        };
        found.iter().filter(|finding| is_new(finding)).cloned().collect()
    }
}

/// The kinds that the base has, and the result as often as with what each side added.
fn added_by_both(found: &[Finding], sides: Slots<&Stream<'_>>, schema: &Schema) -> HashSet<Kind> {
    let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = sides else { return HashSet::new() };
    let [ours, base, theirs] = [ours, base, theirs].map(|side| count(&schema.check(side)));
    let times = |of: &HashMap<Kind, usize>, kind: &Kind| of.get(kind).copied().unwrap_or_default();
    let is_sum = |(kind, in_result): &(Kind, usize)| {
        let in_base = times(&base, kind);
        in_base > 0 && in_result + in_base <= times(&ours, kind) + times(&theirs, kind)
    };
    count(found).into_iter().filter(is_sum).map(|(kind, _)| kind).collect()
}

/// What makes a fault the same in another text: everything but positions.
type Kind = (Fault, Path, String);

fn kind(finding: &Finding) -> Kind {
    let fields = finding.path.segments().into_iter().filter(|segment| !matches!(segment, Segment::Index(_)));
    (finding.fault, fields.cloned().collect(), finding.name.clone())
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
