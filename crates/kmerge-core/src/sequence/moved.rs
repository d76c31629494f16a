//! Elements that a side moved and changed, and those to which it gave another form.
//!
//! What moved and changed is lacking at one place, and nearly alike at another: each has to be more like the other than like anything
//! else. What has another form keeps its name: `- build` and `- build: {voting: false}`, or `- name: build`. Ignores lists in which
//! too much came and went to compare each with each.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Kind, Node};

use super::List;
use super::matching::{Matching, Other};
use crate::correspond::{HALF, MOST_MOVED, Pair, Sketch, pair_mutual, title};
use crate::resource::field;

/// Pairs what a side lacks with what it has at a new place, changed; what `moved` is as it was.
pub(super) fn pair_changed(matching: &mut Matching<'_, '_>, moved: &HashSet<u32>, other: &Other) {
    let lost = places(&matching.newer, matching.from, moved);
    let new = places(&matching.older, matching.to, moved);
    if lost.is_empty() || new.is_empty() || lost.len().saturating_mul(new.len()) > MOST_MOVED {
        return;
    }
    let [lost, new] = [(lost, matching.from), (new, matching.to)]
        .map(|(places, list)| places.into_iter().map(|place| (place, list.sketch(place))).collect::<Vec<_>>());
    let likeness = |lost: &(usize, Sketch<'_>), new: &(usize, Sketch<'_>)| {
        let likeness = lost.1.at_least(HALF + 1, &new.1)?;
        may_be_one(matching, other, [lost.0, new.0]).then_some(likeness)
    };
    for Pair { left: (lost, _), right: (new, _), .. } in pair_mutual(&lost, &new, likeness) {
        matching.pair(*lost, *new);
    }
}

/// Pairs a scalar that a side lacks with a new mapping that is called so, or the other way round, if nothing else is called so.
pub(super) fn pair_reshaped(matching: &mut Matching<'_, '_>) {
    let [lost, new] = [(&matching.newer, matching.from), (&matching.older, matching.to)].map(|(counterparts, list)| {
        let mut names: HashMap<Cow<'_, str>, Option<usize>> = HashMap::new();
        let places = (0..counterparts.len()).filter(|place| counterparts[*place].is_none());
        for (place, name) in places.filter_map(|place| Some((place, called(list.nodes[place])?))) {
            names.entry(name).and_modify(|known| *known = None).or_insert(Some(place));
        }
        names
    });
    for (name, old) in lost {
        let Some((old, new)) = old.zip(new.get(&name).copied().flatten()) else { continue };
        let [was, is] = [matching.from.nodes[old], matching.to.nodes[new]].map(|node| node.kind().is_scalar());
        if was != is {
            matching.pair(old, new);
        }
    }
}

/// Forgets the pairs of an element to which both sides gave another form, not the same one: their fields do not belong together.
pub(super) fn part_reshaped(dest: &mut Matching<'_, '_>, incoming: &mut Matching<'_, '_>) {
    let is_scalar = |list: &List<'_>, place: usize| list.nodes[place].kind().is_scalar();
    for old in 0..dest.newer.len() {
        let (Some(ours), Some(theirs)) = (dest.newer[old], incoming.newer[old]) else { continue };
        let was = is_scalar(dest.from, old);
        let are_reshaped = is_scalar(dest.to, ours) != was && is_scalar(incoming.to, theirs) != was;
        if are_reshaped && dest.to.tokens[ours] != incoming.to.tokens[theirs] {
            dest.detach_older(old);
            incoming.detach_older(old);
        }
    }
}

/// The text of a scalar; of a mapping, its `name`, or its only key if that holds a collection.
pub(super) fn called(element: Node<'_>) -> Option<Cow<'_, str>> {
    if element.kind() != Kind::Mapping {
        return element.key_text();
    }
    let mut fields = element.entries();
    let (first, is_only) = (fields.next()?, fields.next().is_none());
    match field(element, "name") {
        Some(name) => name.key_text(),
        None if is_only && first.value().kind().is_collection() => first.key()?.key_text(),
        None => None,
    }
}

/// Whether what a side lacks may be what it has at a new place: the other side left it alone, or it kept a title that nothing else has.
/// Else a change of the other side would get into something that only looks alike.
fn may_be_one(matching: &Matching<'_, '_>, other: &Other, [lost, new]: [usize; 2]) -> bool {
    let [old, new] = [matching.from.nodes[lost], matching.to.nodes[new]].map(title);
    other.kept[lost] || old == new && old.is_some_and(|title| matching.times(title) == 2)
}

/// The collections without a counterpart, but for what `moved`.
fn places(counterparts: &[Option<usize>], list: &List<'_>, moved: &HashSet<u32>) -> Vec<usize> {
    let is_alone = |place: &usize| {
        counterparts[*place].is_none()
            && list.nodes[*place].kind().is_collection()
            && !moved.contains(&list.tokens[*place])
    };
    (0..counterparts.len()).filter(is_alone).collect()
}
