//! Pairs what has no identity, within its file, and what has lost its identity, by similarity.

use std::hash::Hash;

use super::rows::{Links, Match, Search};
use super::similar::{Candidate, candidates, sketch};
use super::trees::{Trees, UnitRef};
use super::unit::Subject;
use crate::correspond::{Fields, Group, HALF, LEAST_RENAMED, NEARLY_ALL, Pair, holders, pair};
use crate::resource::ResourceId;

/// What two resources have in common of which one may be the other, renamed.
type Common = fn(&ResourceId) -> [&str; 3];

const KIND: Common = |id| [&id.group, &id.kind, ""];
const KIND_AND_NAME: Common = |id| [&id.group, &id.kind, &id.name];
/// The kind may be another one.
const NAMESPACE_AND_NAME: Common = |id| [&id.namespace, &id.name, ""];

/// Where the right one of such two is.
#[derive(Clone, Copy)]
enum Where {
    /// At the path of the left one.
    SamePath,
    /// In the file that is the left one's.
    File,
    /// In the file in which the third side has the left one: both moved it, or a merge did.
    ThirdFile,
    Anywhere,
}

/// How resources that one side renamed are found, the surest first, and how alike their bodies are: less says enough if nothing else comes
/// into question.
const RENAMED: [(Where, Common, Option<u32>); 7] = [
    // Only the namespace changed.
    (Where::SamePath, KIND_AND_NAME, Some(0)),
    (Where::File, KIND, None),
    (Where::ThirdFile, KIND, None),
    (Where::Anywhere, KIND_AND_NAME, None),
    (Where::File, NAMESPACE_AND_NAME, None),
    (Where::File, NAMESPACE_AND_NAME, Some(HALF)),
    (Where::Anywhere, NAMESPACE_AND_NAME, None),
];

impl<'s> Search<'_, 's> {
    /// Pairs the lists of resources by their items.
    pub(super) fn lists(&mut self) {
        let list = |unit: UnitRef| self.trees.list_of(unit);
        let lists = holders(self.links.pairs().filter_map(|[left, right]| Some([list(left)?, list(right)?])));
        self.links.link_free(lists.pairs());
    }

    /// Pairs the documents without identity that stand in the same file.
    pub(super) fn in_files(&mut self) {
        let (trees, files) = (self.trees, self.files);
        let path = |unit: UnitRef| if trees.is_item(unit) { None } else { Some(trees.path(unit)) };
        let groups = self.nameless(|left| Some(files.right_or_same(path(left)?)), path);
        self.link_alike(&groups);
    }

    /// Pairs the items without identity of lists that are the same: `right_list` tells the right one of a left one.
    pub(super) fn in_lists(&mut self, right_list: impl Fn(&Links, UnitRef) -> Option<UnitRef>) {
        let list = |unit: UnitRef| self.trees.list_of(unit);
        let groups = self.nameless(|left| right_list(self.links, list(left)?), list);
        self.link_alike(&groups);
    }

    /// What has no identity, by its place and by what it is.
    fn nameless<K: Eq + Hash>(
        &self,
        left: impl Fn(UnitRef) -> Option<K>,
        right: impl Fn(UnitRef) -> Option<K>,
    ) -> Vec<Group<UnitRef>> {
        let kind = |unit: UnitRef| Some(&self.trees.unit(unit).subject).filter(|subject| subject.identity().is_none());
        self.groups(|unit| Some((left(unit)?, kind(unit)?)), |unit| Some((right(unit)?, kind(unit)?)))
    }

    /// The only ones of a group are the same; of several, those of equal text, then those that are most alike.
    fn link_alike(&mut self, groups: &[Group<UnitRef>]) {
        let trees = self.trees;
        for group in groups {
            self.links.link_alike(group, |unit| trees.text(unit), |unit| sketch(trees, unit, Fields::All));
        }
    }

    /// Pairs the comments that stand on their own above documents that are the same, in whatever files: they went along.
    pub(super) fn comments_above(&mut self) {
        let head = |unit: UnitRef| self.trees.head(unit);
        let comments: Vec<_> =
            self.links.pairs().filter_map(|[left, right]| Some([head(left)?, head(right)?])).collect();
        self.links.link_free(comments.into_iter());
    }

    /// Pairs the documents that stand alone in their file, whatever their kinds say: a kind is the value of a field.
    pub(super) fn only_documents(&mut self) {
        let (trees, files) = (self.trees, self.files);
        let is_comment = |unit: UnitRef| trees.unit(unit).subject == Subject::Comment;
        let path = |unit: UnitRef| if is_comment(unit) { None } else { Some(trees.path(unit)) };
        let is_alone =
            |unit: UnitRef| trees.units(unit.side, unit.file).filter(|other| !is_comment(*other)).count() == 1;
        for only in self.groups(|left| Some(files.right_or_same(path(left)?)), path).iter().filter_map(Group::only) {
            if only.into_iter().all(is_alone) && may_change_kind(trees, only) {
                self.links.link(only, Match::Identity);
            }
        }
    }

    /// Pairs resources that one side renamed.
    pub(super) fn renamed(&mut self) {
        for (place, common, least) in RENAMED {
            let common = |unit| Some(common(self.trees.unit(unit).subject.identity()?));
            let path = |right| if matches!(place, Where::Anywhere) { "" } else { self.trees.path(right) };
            let left = |left| Some((self.right_path(place, left)?, common(left)?));
            let groups = self.groups(left, |right| Some((path(right), common(right)?)));
            for group in groups {
                match (least, group.only()) {
                    (None, _) => self.by_body(&group),
                    (Some(least), Some(only)) => self.by_place(only, least),
                    (Some(_), None) => {}
                }
            }
        }
    }

    /// The path at which the right one of a left one is looked for.
    fn right_path(&self, place: Where, left: UnitRef) -> Option<&'s str> {
        let path = self.trees.path(left);
        Some(match place {
            Where::SamePath => path,
            Where::File => self.files.right_or_same(path),
            Where::ThirdFile => self.trees.path(self.third?.right(left)?),
            Where::Anywhere => "",
        })
    }

    /// Links the only ones at a place, however little they hold, if their bodies are alike enough.
    fn by_place(&mut self, only: [UnitRef; 2], least: u32) {
        let [left, right] = only.map(|unit| self.trees.identity(unit));
        if left != right
            && let Some(likeness) = self.likeness(only, least)
        {
            self.links.link(only, Match::Likeness(likeness));
        }
    }

    /// How alike two bodies are, if that is at least so much.
    pub(super) fn likeness(&self, units: [UnitRef; 2], least: u32) -> Option<u32> {
        let [left, right] = units.map(|unit| sketch(self.trees, unit, Fields::Body));
        left.at_least(least, &right)
    }

    /// Links those of a group whose bodies are alike. What the third side removed is seldom another one, renamed: that may be one of its
    /// own, which would go with the removed one.
    fn by_body(&mut self, group: &Group<UnitRef>) {
        let [left, right] = candidates(self.trees, group, self.third, Fields::Body);
        let score = |left: &Candidate<UnitRef>, right: &Candidate<UnitRef>| {
            let is_gone = self.third.is_some_and(|third| third.right(left.thing).is_none());
            left.at_least(if is_gone { NEARLY_ALL } else { LEAST_RENAMED }, right)
        };
        for Pair { left, right, score } in pair(&left, &right, score) {
            if left.own.says_enough() && right.own.says_enough() {
                self.links.link([left.thing, right.thing], Match::Likeness(score));
            }
        }
    }

    /// Links what both sides renamed, and one of them so far that only the version of the third side tells what it was.
    pub(super) fn renamed_further(&mut self) {
        let (trees, Some(third)) = (self.trees, self.third) else { return };
        let renamed = |left: UnitRef| third.right(left).filter(|there| trees.identity(*there) != trees.identity(left));
        let versions = self.links.free(&self.sides[0]).into_iter().filter_map(renamed).collect();
        let (sides, mut links) = ([versions, self.links.free(&self.sides[1])], Links::default());
        Search { files: &Default::default(), sides, third: None, links: &mut links, ..*self }.renamed();
        for ([version, right], matched) in links.matches() {
            if let Some(left) = third.left(version) {
                self.links.link([left, right], matched);
            }
        }
    }
}

/// Whether two documents are one of which a side changed the kind; where the kind is the same, identity has decided.
fn may_change_kind(trees: &Trees<'_>, units: [UnitRef; 2]) -> bool {
    let [left_kind, right_kind] = units.map(|unit| trees.unit(unit).subject.kind());
    let [left, right] = units.map(|unit| trees.identity(unit).map(|own| (&own.namespace, &own.name)));
    let [left_body, right_body] = units.map(|unit| sketch(trees, unit, Fields::Body));
    let is_nameless = left.is_none() && right.is_none();
    left_kind != right_kind && (is_nameless || left_body.may_change_kind(&right_body, left == right))
}
