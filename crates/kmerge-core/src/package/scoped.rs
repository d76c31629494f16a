//! Pairs what has no identity, within its file, and what has lost its identity, by likeness.

use std::collections::{BTreeMap, HashMap};

use super::files::PathMap;
use super::rows::{Links, Match};
use super::similar::{self, Sketch};
use super::trees::{Trees, UnitRef};
use super::unit::Subject;

/// How alike two documents without identity are at least, in percent, to be the same one when their file holds several.
const LEAST_PLAIN: u32 = 50;

/// How alike the bodies of two resources are at least, in percent, when one is the other renamed.
const LEAST_RENAMED: u32 = 60;

/// How many lines a body has at least for its likeness to say anything.
const LEAST_LINES: u32 = 3;

/// The units of two sides.
type Sides<'a> = (&'a [UnitRef], &'a [UnitRef]);

/// Pairs the units without identity that stand in the same file.
pub(super) fn pair(trees: &Trees<'_>, files: &PathMap<'_>, sides: Sides<'_>, links: &mut Links) {
    let class = |unit: UnitRef| match &trees.unit(unit).subject {
        Subject::Resource(_) => None,
        subject => Some(subject),
    };
    for (left, right) in groups(trees, files, sides, links, class) {
        settle(trees, left, right, links);
    }
}

/// Groups free units of two sides by file (the left one's path as the right side has it) and class.
fn groups<K: std::hash::Hash + Eq>(
    trees: &Trees<'_>,
    files: &PathMap<'_>,
    (left, right): Sides<'_>,
    links: &Links,
    class: impl Fn(UnitRef) -> Option<K>,
) -> Vec<(Vec<UnitRef>, Vec<UnitRef>)> {
    let mut groups: Vec<(Vec<UnitRef>, Vec<UnitRef>)> = Vec::new();
    let mut index = HashMap::new();
    for &unit in left.iter().filter(|&&unit| links.is_free(unit)) {
        if let Some(class) = class(unit) {
            let at = *index.entry((files.right(trees.path(unit)), class)).or_insert(groups.len());
            if at == groups.len() {
                groups.push((Vec::new(), Vec::new()));
            }
            groups[at].0.push(unit);
        }
    }
    for &unit in right.iter().filter(|&&unit| links.is_free(unit)) {
        let at = class(unit).and_then(|class| index.get(&(trees.path(unit), class)));
        if let Some(&at) = at {
            groups[at].1.push(unit);
        }
    }
    groups.retain(|(_, right)| !right.is_empty());
    groups
}

/// The only ones of their class are the same; of several, those of equal text, then those that are most alike.
fn settle(trees: &Trees<'_>, left: Vec<UnitRef>, right: Vec<UnitRef>, links: &mut Links) {
    let mut by_text: BTreeMap<&str, Vec<UnitRef>> = BTreeMap::new();
    for &unit in right.iter().rev() {
        by_text.entry(trees.text(unit)).or_default().push(unit);
    }
    let mut rest = Vec::new();
    for unit in left {
        match by_text.get_mut(trees.text(unit)).and_then(Vec::pop) {
            Some(partner) => links.link(unit, partner, Match::Identity),
            None => rest.push(unit),
        }
    }
    let others: Vec<UnitRef> = right.into_iter().filter(|&unit| links.is_free(unit)).collect();
    if let ([left], [right]) = (rest.as_slice(), others.as_slice()) {
        links.link(*left, *right, Match::Identity);
        return;
    }
    let sketches = |units: &[UnitRef]| units.iter().map(|&unit| Sketch::of_text(trees.text(unit))).collect::<Vec<_>>();
    for (l, r, _) in similar::pair(&sketches(&rest), &sketches(&others), LEAST_PLAIN) {
        links.link(rest[l], others[r], Match::Identity);
    }
}

/// Pairs resources that one side renamed: same kind, alike bodies, and the same file or the same name.
pub(super) fn renamed(trees: &Trees<'_>, files: &PathMap<'_>, sides: Sides<'_>, links: &mut Links) {
    let identity = |unit: UnitRef| trees.unit(unit).subject.identity();
    let in_file = |unit: UnitRef| identity(unit).map(|own| (&own.group, &own.kind));
    for (left, right) in groups(trees, files, sides, links, in_file) {
        by_body(trees, &left, &right, links);
    }
    let mut by_name: HashMap<_, (Vec<UnitRef>, Vec<UnitRef>)> = HashMap::new();
    let key = |unit: UnitRef| identity(unit).map(|own| (&own.group, &own.kind, &own.name));
    for &unit in sides.0.iter().filter(|&&unit| links.is_free(unit)) {
        if let Some(key) = key(unit) {
            by_name.entry(key).or_default().0.push(unit);
        }
    }
    for &unit in sides.1.iter().filter(|&&unit| links.is_free(unit)) {
        if let Some(group) = key(unit).and_then(|key| by_name.get_mut(&key)) {
            group.1.push(unit);
        }
    }
    let mut groups: Vec<_> = by_name.into_values().filter(|(_, right)| !right.is_empty()).collect();
    groups.sort();
    for (left, right) in groups {
        by_body(trees, &left, &right, links);
    }
}

fn by_body(trees: &Trees<'_>, left: &[UnitRef], right: &[UnitRef], links: &mut Links) {
    let bodies = |units: &[UnitRef]| units.iter().map(|&unit| Sketch::of_body(trees.text(unit))).collect::<Vec<_>>();
    let (left_bodies, right_bodies) = (bodies(left), bodies(right));
    for (l, r, likeness) in similar::pair(&left_bodies, &right_bodies, LEAST_RENAMED) {
        if left_bodies[l].len() >= LEAST_LINES && right_bodies[r].len() >= LEAST_LINES {
            links.link(left[l], right[r], Match::Likeness(likeness));
        }
    }
}
