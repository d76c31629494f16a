//! What a merge of lists has to hold, from the definitions: by looking at all items and all pairs of them.

use std::collections::BTreeSet;

use super::{Item, OrderCase};

/// An item's value on a side that has it.
fn value(items: &[Item], name: char) -> Option<u8> {
    items.iter().find(|item| item.name == name).map(|item| item.value)
}

fn place(items: &[Item], name: char) -> Option<usize> {
    items.iter().position(|item| item.name == name)
}

/// Whether the first of two items comes first; `None` where a side lacks one of them.
fn is_before(items: &[Item], (a, b): (char, char)) -> Option<bool> {
    Some(place(items, a)? < place(items, b)?)
}

fn names(sides: &[&[Item]]) -> BTreeSet<char> {
    sides.iter().copied().flatten().map(|item| item.name).collect()
}

fn pairs(names: &BTreeSet<char>) -> Vec<(char, char)> {
    names
        .iter()
        .flat_map(|a| names.range((std::ops::Bound::Excluded(*a), std::ops::Bound::Unbounded)).map(|b| (*a, *b)))
        .collect()
}

/// The items of a side, as far as all sides have them.
fn common(case: &OrderCase, items: &[Item]) -> Vec<char> {
    let sides = [&case.base, &case.ours, &case.theirs];
    items.iter().map(|item| item.name).filter(|name| sides.iter().all(|side| value(side, *name).is_some())).collect()
}

/// What is wrong with a result without conflicts.
pub(super) fn clean(case: &OrderCase, result: &[Item]) -> Vec<&'static str> {
    let mut faults = Vec::new();
    let known = names(&[&case.base, &case.ours, &case.theirs, result]);
    for name in &known {
        faults.extend(presence(case, result, *name));
    }
    if !case.shape.is_set() {
        faults.extend(pairs(&known).into_iter().filter_map(|pair| order(case, result, pair)));
        faults.extend(one_of_two(case, result));
        faults.extend(together(case));
    }
    faults.extend(replaced_by_both(case));
    faults.sort_unstable();
    faults.dedup();
    faults
}

/// Of one item: whether it is there, once, and with which value.
fn presence(case: &OrderCase, result: &[Item], name: char) -> Option<&'static str> {
    let times = result.iter().filter(|item| item.name == name).count();
    if times > 1 {
        return Some("an item twice");
    }
    let [base, ours, theirs] = [&case.base, &case.ours, &case.theirs].map(|side| value(side, name));
    let wanted = match (ours == theirs, ours == base, theirs == base) {
        (true, ..) | (_, _, true) => ours,
        (_, true, _) => theirs,
        _ => return Some("both changed an item"),
    };
    match (value(result, name), wanted) {
        (None, Some(_)) => Some("an item is lost"),
        (Some(_), None) => Some("what a side removed is back"),
        (found, wanted) => (found != wanted).then_some("a changed value is lost"),
    }
}

/// Of two items that both sides have: which comes first.
fn order(case: &OrderCase, result: &[Item], pair: (char, char)) -> Option<&'static str> {
    let [base, ours, theirs] = [&case.base, &case.ours, &case.theirs].map(|side| is_before(side, pair));
    let found = is_before(result, pair)?;
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return None };
    let wanted = match base.or_else(|| by_neighbour(case, pair)) {
        _ if ours == theirs => ours,
        Some(base) => !base,
        None if !case.shape.has_turns() => return None,
        None => return Some("two orders of what both added, and one is taken"),
    };
    (found != wanted).then_some("an order is lost")
}

/// Of an item that both sides added beside the same one, and of one of the base: which came first, had the base the former there.
/// What one side alone has, or added, is nothing to stand beside.
fn by_neighbour(case: &OrderCase, (a, b): (char, char)) -> Option<bool> {
    let [ours, theirs] = [&case.ours, &case.theirs].map(|side| common(case, side));
    let beside = |name: char, step: isize| {
        let near = |side: &[Item], common: &[char]| {
            let at = place(side, name)?;
            let known = |item: &&Item| common.contains(&item.name);
            if step < 0 { side[..at].iter().rfind(known) } else { side[at..].iter().find(known) }.map(|item| item.name)
        };
        near(&case.ours, &ours).filter(|it| near(&case.theirs, &theirs) == Some(*it))
    };
    let stand_in = |name: char| match value(&case.base, name) {
        Some(_) => Some(name),
        None => beside(name, -1).or_else(|| beside(name, 1)),
    };
    let (a, b) = (stand_in(a)?, stand_in(b)?);
    if a == b { None } else { is_before(&case.base, (a, b)) }
}

/// Whether both sides changed the order, not alike, and the result has that of one which does not hold the other's moves.
fn one_of_two(case: &OrderCase, result: &[Item]) -> Option<&'static str> {
    let [base, ours, theirs] = [&case.base, &case.ours, &case.theirs].map(|side| common(case, side));
    if ours == base || theirs == base || ours == theirs {
        return None;
    }
    let found = common(case, result);
    let other = match () {
        () if found == ours => &theirs,
        () if found == theirs => &ours,
        () => return None,
    };
    // The rest of what the winner moved, without the other's moves, has to be an order.
    let before = |order: &[char], a: char, b: char| {
        order.iter().position(|name| *name == a) < order.iter().position(|name| *name == b)
    };
    let swapped = |order: &[char], a: char, b: char| before(order, a, b) != before(&base, a, b);
    let is_rest = |a: char, b: char| swapped(&found, a, b) && !swapped(other, a, b);
    let comes_first = |a: char, b: char| before(&base, a, b) != is_rest(a, b);
    let is_order = base.iter().all(|a| {
        base.iter().all(|b| {
            base.iter().all(|c| {
                let are_three = a != b && b != c && a != c;
                !(are_three && comes_first(*a, *b) && comes_first(*b, *c) && comes_first(*c, *a))
            })
        })
    });
    (!is_order).then_some("two orders, and one is taken")
}

/// Whether both sides put different items at one place where turns count.
fn together(case: &OrderCase) -> Option<&'static str> {
    let news = |side: &[Item], other: &[Item]| -> Vec<(Option<char>, char)> {
        let mut near = None;
        let mut found = Vec::new();
        for item in side {
            let is_new = value(&case.base, item.name).is_none();
            match (is_new, value(other, item.name)) {
                (true, None) => found.push((near, item.name)),
                (false, Some(_)) => near = Some(item.name),
                _ => {}
            }
        }
        found
    };
    // Where something went, what comes may stand in its place.
    let is_still = [&case.ours, &case.theirs]
        .map(|side| common(case, side))
        .iter()
        .all(|order| order.iter().copied().eq(case.base.iter().map(|item| item.name)));
    let (ours, theirs) = (news(&case.ours, &case.theirs), news(&case.theirs, &case.ours));
    let is_together = ours.iter().any(|(near, _)| theirs.iter().any(|(other, _)| near == other));
    (case.shape.has_turns() && is_still && is_together).then_some("two insertions at one place where turns count")
}

/// Whether both sides put different items in the place of one.
fn replaced_by_both(case: &OrderCase) -> Option<&'static str> {
    let successor = |side: &[Item], at: usize| {
        let gone = case.base[at].name;
        let is_same =
            |index: usize| side.get(index).map(|item| item.name) == case.base.get(index).map(|item| item.name);
        let is_alone = side.len() == case.base.len() && (0..side.len()).all(|index| index == at || is_same(index));
        let new = side.get(at).map(|item| item.name)?;
        (is_alone && new != gone && value(&case.base, new).is_none()).then_some(new)
    };
    let is_in_conflict = (0..case.base.len()).any(|at| {
        let both = (successor(&case.ours, at), successor(&case.theirs, at));
        matches!(both, (Some(ours), Some(theirs)) if ours != theirs)
    });
    is_in_conflict.then_some("both replaced one item, differently")
}

/// What is wrong with a result in which one side was chosen.
pub(super) fn chosen(case: &OrderCase, side: &[Item], result: &[Item]) -> Vec<&'static str> {
    let mut faults = Vec::new();
    let known = names(&[&case.base, &case.ours, &case.theirs, result]);
    for name in &known {
        let in_all = [&case.base, &case.ours, &case.theirs].into_iter().all(|side| value(side, *name).is_some());
        let times = result.iter().filter(|item| item.name == *name).count();
        let [base, own] = [&case.base[..], side].map(|side| value(side, *name));
        if in_all && times == 0 {
            faults.push("lacks what all have");
        } else if times > 1 {
            faults.push("has an item twice");
        } else if base.is_none() && own.is_some() && times == 0 {
            faults.push("lacks what the side added");
        } else if base.is_some() && own.is_none() && times > 0 {
            faults.push("has what the side removed");
        } else if own.is_some() && own != base && value(result, *name).is_some_and(|found| Some(found) != own) {
            faults.push("lacks a value that the side changed");
        }
    }
    if !case.shape.is_set() {
        let is_lost = |pair: &(char, char)| {
            let [base, own, found] = [&case.base[..], side, result].map(|items| is_before(items, *pair));
            base.is_some() && own.is_some() && own != base && found.is_some() && found != own
        };
        faults.extend(pairs(&known).iter().any(is_lost).then_some("lacks an order that the side changed"));
    }
    faults.sort_unstable();
    faults.dedup();
    faults
}

/// Whether the results of both directions are alike: but for the order of what only one side added each, and the place of what
/// both added, where turns do not count.
pub(super) fn are_alike(case: &OrderCase, there: &[Item], back: &[Item]) -> bool {
    let sorted = |items: &[Item]| {
        let mut items = items.to_vec();
        items.sort();
        items
    };
    let is_of_one = |name: char, own: &[Item], other: &[Item]| {
        value(own, name).is_some() && value(&case.base, name).is_none() && value(other, name).is_none()
    };
    let is_of_both = |name: char| {
        let sides = [&case.ours, &case.theirs];
        !case.shape.has_turns()
            && value(&case.base, name).is_none()
            && sides.iter().all(|side| value(side, name).is_some())
    };
    let is_free = |(a, b): (char, char)| {
        is_of_both(a)
            || is_of_both(b)
            || is_of_one(a, &case.ours, &case.theirs) && is_of_one(b, &case.theirs, &case.ours)
            || is_of_one(b, &case.ours, &case.theirs) && is_of_one(a, &case.theirs, &case.ours)
    };
    let pairs = pairs(&names(&[there]));
    let same_order = || pairs.iter().all(|pair| is_free(*pair) || is_before(there, *pair) == is_before(back, *pair));
    sorted(there) == sorted(back) && (case.shape.is_set() || same_order())
}
