//! Faults of a result that none of its sides has. Where they stand does not matter, only how many of a kind there are. Of what the
//! base has already, as a name that a list has several times, each side may add its own.

use std::cell::OnceCell;

use hashbrown::HashMap;
use kyaml_ast::{Path, Segment, Stream};

use crate::check::{Fault, Finding, check_apart, check_beside};
use crate::schema::Schema;
use crate::slots::{Side, Slots};

impl Schema {
    /// What is wrong with the result of a merge, and with none of its sides.
    #[must_use]
    pub fn new_faults(&self, result: &Stream<'_>, sides: Slots<&Stream<'_>>) -> Vec<Finding> {
        FaultsOfSides::default().new_in(Checked { sides, schema: self }, result, Side::Dest)
    }
}

/// How many faults of each kind a stream has more than another, or fewer.
type Difference = HashMap<Kind, isize>;

/// The sides of a merge, and by which rules they are checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked<'s> {
    pub(super) sides: Slots<&'s Stream<'s>>,
    pub(super) schema: &'s Schema,
}

/// The faults of the sides, counted when first asked for.
#[derive(Debug, Default)]
pub(super) struct FaultsOfSides {
    /// Of which each side has more than the base, or than nothing.
    over_base: [OnceCell<Difference>; Side::ALL.len()],
    /// Those of the base.
    in_base: OnceCell<Difference>,
}

impl FaultsOfSides {
    /// What is wrong with a result, and with no side. Less is read if it has much in common with the side that is `nearest`.
    pub(super) fn new_in(&self, of: Checked<'_>, result: &Stream<'_>, nearest: Side) -> Vec<Finding> {
        let sides: Vec<Side> = of.sides.present().map(|(side, _)| side).collect();
        let nearest = sides.iter().copied().find(|side| *side == nearest).or_else(|| sides.first().copied());
        let Some((nearest, near)) = nearest.and_then(|side| Some((side, *of.sides.get(side)?))) else {
            return of.schema.check(result);
        };
        let [mut found, known] = check_beside([result, near], of.schema);
        let mut new = difference(&found, &known);
        // Mostly there are none, and the first side tells.
        new.retain(|_, more| *more > 0);
        new.retain(|kind, more| {
            let over = |side: Side| *more + self.over_base(of, nearest, kind) - self.over_base(of, side, kind);
            sides.iter().all(|side| over(*side) > 0) && !self.is_sum(of, nearest, kind, *more)
        });
        found.retain(|finding| new.contains_key(&kind(finding)));
        found
    }

    /// How many more of a kind a side has than the base.
    fn over_base(&self, of: Checked<'_>, side: Side, kind: &Kind) -> isize {
        if side == Side::Base {
            return 0;
        }
        let Some(own) = of.sides.get(side) else { return 0 };
        let found = || match of.sides.base {
            Some(base) => {
                let [found, known] = check_apart([*own, base], of.schema);
                difference(&found, &known)
            }
            None => difference(&of.schema.check(own), &[]),
        };
        self.over_base[side as usize].get_or_init(found).get(kind).copied().unwrap_or_default()
    }

    /// Whether the base has a kind, and a result has no more of it above the side that is nearest than the other side added.
    fn is_sum(&self, of: Checked<'_>, nearest: Side, kind: &Kind, more: isize) -> bool {
        let other = if nearest == Side::Dest { Side::Incoming } else { Side::Dest };
        let in_base = |base| self.in_base.get_or_init(|| difference(&of.schema.check(base), &[]));
        more <= self.over_base(of, other, kind) && of.sides.base.is_some_and(|base| in_base(base).contains_key(kind))
    }
}

/// What makes a fault the same in another text: everything but positions.
type Kind = (Fault, Path, String);

fn kind(finding: &Finding) -> Kind {
    let fields = finding.path.segments().into_iter().filter(|segment| !matches!(segment, Segment::Index(_)));
    (finding.fault, fields.cloned().collect(), finding.name.clone())
}

/// How many more there are of each kind, or fewer.
fn difference(found: &[Finding], known: &[Finding]) -> Difference {
    let mut difference = HashMap::new();
    found.iter().for_each(|finding| *difference.entry(kind(finding)).or_default() += 1);
    known.iter().for_each(|finding| *difference.entry(kind(finding)).or_default() -= 1);
    difference
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
