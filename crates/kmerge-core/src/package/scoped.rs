//! Pairs what has no identity, within its file, and what has lost its identity, by similarity.

use std::collections::{BTreeMap, HashMap};

use super::files::PathMap;
use super::rows::{Links, Match, holders};
use super::similar::{Candidate, candidates, sketch};
use super::trees::{Trees, UnitRef};
use super::unit::Subject;
use crate::correspond::{Fields, Group, HALF, LEAST_RENAMED, NEARLY_ALL, Pair, pair as pair_alike};
use crate::resource::ResourceId;

/// The units of two sides.
type Sides<'a> = [&'a [UnitRef]; 2];

/// Pairs the lists of resources by their items.
pub(super) fn pair_lists(trees: &Trees<'_>, sides: Sides<'_>, links: &mut Links) {
    let lists = |[left, right]: [UnitRef; 2]| Some([trees.list_of(left)?, trees.list_of(right)?]);
    let found = holders(links.pairs().filter_map(lists));
    links.link_only(&links.groups(sides, |left| found.get(&left).copied(), Some));
}

/// Pairs the documents without identity that stand in the same file.
pub(super) fn pair(trees: &Trees<'_>, files: &PathMap<'_>, sides: Sides<'_>, links: &mut Links) {
    let class = |unit: UnitRef| if trees.unit(unit).item.is_none() { class(trees, unit) } else { None };
    let left = |unit: UnitRef| Some((files.right(trees.path(unit)), class(unit)?));
    let right = |unit: UnitRef| Some((trees.path(unit), class(unit)?));
    settle(trees, links.groups(sides, left, right), links);
}

/// Pairs the comments that stand on their own above documents that are the same, in whatever files: they went along.
pub(super) fn pair_above(trees: &Trees<'_>, sides: Sides<'_>, links: &mut Links) {
    let is_comment = |unit: &UnitRef| trees.unit(*unit).subject == Subject::Comment;
    let above = |below: UnitRef| Some(UnitRef { unit: below.unit.checked_sub(1)?, ..below });
    for left in links.free(sides[0]).into_iter().filter(is_comment) {
        let right = links.right(UnitRef { unit: left.unit + 1, ..left }).and_then(above);
        if let Some(right) = right.filter(is_comment).filter(|right| links.is_free(*right)) {
            links.link([left, right], Match::Identity);
        }
    }
}

/// Pairs the documents that stand alone in their file, whatever their kinds say: a kind is the value of a field.
pub(super) fn pair_only(trees: &Trees<'_>, files: &PathMap<'_>, sides: Sides<'_>, links: &mut Links) {
    let right = only_documents(trees, sides[1]);
    for (path, left) in only_documents(trees, sides[0]) {
        if let Some(&right) = right.get(files.right(path))
            && links.is_free(left)
            && links.is_free(right)
            && may_change_kind(trees, left, right)
        {
            links.link([left, right], Match::Identity);
        }
    }
}

/// The documents of files that hold no other one, comments apart, by path.
fn only_documents<'t>(trees: &Trees<'t>, units: &[UnitRef]) -> BTreeMap<&'t str, UnitRef> {
    let mut found: BTreeMap<&str, Vec<UnitRef>> = BTreeMap::new();
    for &unit in units.iter().filter(|&&unit| trees.unit(unit).subject != Subject::Comment) {
        found.entry(trees.path(unit)).or_default().push(unit);
    }
    found
        .into_iter()
        .filter_map(|(path, units)| <[UnitRef; 1]>::try_from(units).ok().map(|[only]| (path, only)))
        .collect()
}

/// Whether two documents are one of which a side changed the kind; where the kind is the same, identity has decided.
fn may_change_kind(trees: &Trees<'_>, left: UnitRef, right: UnitRef) -> bool {
    let name = |unit: UnitRef| trees.unit(unit).identity().map(|own| (&own.namespace, &own.name));
    let body = |unit: UnitRef| sketch(trees, unit, Fields::Body);
    let is_same_kind = trees.unit(left).subject.kind() == trees.unit(right).subject.kind();
    if is_same_kind || trees.has_items(left) != trees.has_items(right) {
        return false;
    }
    match (name(left), name(right)) {
        (None, None) => true,
        (left_name, right_name) => body(left).may_change_kind(&body(right), left_name == right_name),
    }
}

/// Pairs the items without identity of lists that are the same: `lists` tells the right one of a left one.
pub(super) fn pair_items(trees: &Trees<'_>, sides: Sides<'_>, lists: &HashMap<UnitRef, UnitRef>, links: &mut Links) {
    let left = |unit: UnitRef| Some((*lists.get(&trees.list_of(unit)?)?, class(trees, unit)?));
    let right = |unit: UnitRef| Some((trees.list_of(unit)?, class(trees, unit)?));
    settle(trees, links.groups(sides, left, right), links);
}

/// What a unit without identity is.
fn class<'t>(trees: &'t Trees<'_>, unit: UnitRef) -> Option<&'t Subject> {
    let subject = &trees.unit(unit).subject;
    subject.identity().is_none().then_some(subject)
}

/// The only ones of their class are the same; of several, those of equal text, then those that are most alike.
fn settle(trees: &Trees<'_>, groups: Vec<Group<UnitRef>>, links: &mut Links) {
    for group in groups {
        links.link_alike(&group, |unit| trees.text(unit), |unit| sketch(trees, unit, Fields::All));
    }
}

/// What two resources have in common of which one may be the other, renamed.
#[derive(Clone, Copy)]
enum Common {
    Kind,
    KindAndName,
    /// The kind may be another one.
    NamespaceAndName,
}

impl Common {
    fn of<'t>(self, trees: &'t Trees<'_>, unit: UnitRef) -> Option<[&'t str; 3]> {
        let ResourceId { group, kind, namespace, name } = trees.unit(unit).subject.identity()?;
        Some(match self {
            Self::Kind => [group, kind, ""],
            Self::KindAndName => [group, kind, name],
            Self::NamespaceAndName => [namespace, name, ""],
        })
    }
}

/// Pairs resources that one side renamed, by the surest rule first; all but the first want alike bodies. `third` tells what the left
/// units are on the third side.
pub(super) fn renamed(
    trees: &Trees<'_>,
    files: &PathMap<'_>,
    sides: Sides<'_>,
    third: Option<&Links>,
    links: &mut Links,
) {
    use Common::{Kind, KindAndName, NamespaceAndName};
    let here = |common: Common| move |unit: UnitRef| Some((trees.path(unit), common.of(trees, unit)?));
    let own_file = |common: Common| move |unit: UnitRef| Some((files.right(trees.path(unit)), common.of(trees, unit)?));
    let any_file = |common: Common| move |unit: UnitRef| common.of(trees, unit);
    // Only the namespace changed: nothing else in the file has this kind and name.
    only_ones(trees, &links.groups(sides, here(KindAndName), here(KindAndName)), 0, links);
    // The kind and the file are the same.
    by_body(trees, links.groups(sides, own_file(Kind), here(Kind)), third, links);
    by_third_file(trees, sides, third, links);
    // The kind and the name are the same, in any file.
    by_body(trees, links.groups(sides, any_file(KindAndName), any_file(KindAndName)), third, links);
    // The namespace and the name are the same: the kind changed. In its file, then in any file.
    by_body(trees, links.groups(sides, own_file(NamespaceAndName), here(NamespaceAndName)), third, links);
    only_ones(trees, &links.groups(sides, own_file(NamespaceAndName), here(NamespaceAndName)), HALF, links);
    by_body(trees, links.groups(sides, any_file(NamespaceAndName), any_file(NamespaceAndName)), third, links);
}

/// Links those of one kind where the right one is in the file in which the third side has the left one: both moved it, or a merge did.
fn by_third_file(trees: &Trees<'_>, sides: Sides<'_>, third: Option<&Links>, links: &mut Links) {
    let there = |unit: UnitRef| Some((trees.path(third?.right(unit)?), Common::Kind.of(trees, unit)?));
    let here = |unit: UnitRef| Some((trees.path(unit), Common::Kind.of(trees, unit)?));
    by_body(trees, links.groups(sides, there, here), third, links);
}

/// Links those that are the only ones of a group on both sides, however little they hold, if their bodies are alike enough.
fn only_ones(trees: &Trees<'_>, groups: &[Group<UnitRef>], least: u32, links: &mut Links) {
    let body = |unit: UnitRef| sketch(trees, unit, Fields::Body);
    let identity = |unit: UnitRef| trees.unit(unit).identity();
    for [left, right] in groups.iter().filter_map(Group::only) {
        if identity(left) != identity(right)
            && let Some(likeness) = body(left).at_least(least, &body(right))
        {
            links.link([left, right], Match::Likeness(likeness));
        }
    }
}

/// Links those of a group whose bodies are alike. What the third side removed is seldom another one, renamed: that may be one of its own,
/// which would go with the removed one.
fn by_body(trees: &Trees<'_>, groups: Vec<Group<UnitRef>>, third: Option<&Links>, links: &mut Links) {
    let (none, is_known) = (Links::default(), third.is_some());
    let third = third.unwrap_or(&none);
    for group in groups {
        let [left, right] = candidates(trees, &group, third, Fields::Body);
        let score = |left: &Candidate<UnitRef>, right: &Candidate<UnitRef>| {
            let is_gone = is_known && third.right(left.thing).is_none();
            left.at_least(if is_gone { NEARLY_ALL } else { LEAST_RENAMED }, right)
        };
        for Pair { left, right, score } in pair_alike(&left, &right, score) {
            if left.own.says_enough() && right.own.says_enough() {
                links.link([left.thing, right.thing], Match::Likeness(score));
            }
        }
    }
}
