//! Comments that say one thing: which of them a result has to have, and where.
//!
//! A comment is the same in two trees where it stands at the same thing, entries that only one of them has left out. One that a
//! blank line sets off from what is below may stand behind the same thing instead: it stays where entries move. What a side
//! added, and what nobody removed, has to be there; what a side removed may not. If a side moved it and the other added a line to the
//! block that it is part of, that block is as this side has it.

use hashbrown::{HashMap, HashSet};

use super::compare::{Wanted, Wrong};
use super::facts::Facts;
use super::margin::{Comment, NewEntry, Owner};
use super::rows::{BASE, OURS, RESULT, SIDES, THEIRS, TREES, in_result, other, side_of};
use super::unsound::CommentFault;
use crate::slots::Side;

/// The comments that are not as they should be; of those that say one thing, the first.
pub(super) fn wrong_comments(facts: &Facts<'_>, wanted: Wanted) -> impl Iterator<Item = Wrong> {
    let unsettled = facts.comments.values().filter(|said| !is_settled(said));
    let new = NewEntries::of(facts);
    let uncommented = facts.new_entries.iter().filter_map(move |entry| new.wrong(entry));
    unsettled.filter_map(move |said| Said::of(said, facts).wrong(wanted)).chain(uncommented)
}

/// Entries that a side made of comments by taking away the `#`, or added, and the comments that were such entries.
#[derive(Default)]
struct NewEntries {
    /// Where the comments of each tree stand that would be entries without their `#`: by name and place, if a new entry has both,
    /// and, without a name, all new ones at the place of a new entry.
    comments: HashMap<(Option<u64>, u32), [Vec<u32>; TREES]>,
    /// How many new entries each side has at a place.
    count: HashMap<(usize, u32), u32>,
}

impl NewEntries {
    fn of(facts: &Facts<'_>) -> Self {
        let mut new = Self::default();
        for entry in &facts.new_entries {
            *new.count.entry((entry.tree, entry.below)).or_default() += 1;
            new.comments.entry((Some(entry.name), entry.below)).or_default();
            new.comments.entry((None, entry.below)).or_default();
        }
        if !facts.new_entries.is_empty() {
            facts.comments.values().for_each(|said| new.add_comments(said, facts));
        }
        new
    }

    /// Adds the comments that say one thing.
    fn add_comments(&mut self, said: &[Vec<Comment>; TREES], facts: &Facts<'_>) {
        let is_new = said[BASE].is_empty();
        for (tree, comment) in said.iter().enumerate().flat_map(|(tree, all)| all.iter().map(move |one| (tree, one))) {
            let (Some(name), Owner::Above(below)) = (comment.name, facts.owner_in(comment, tree, BASE)) else {
                continue;
            };
            for name in [Some(name)].into_iter().chain(is_new.then_some(None)) {
                if let Some(trees) = self.comments.get_mut(&(name, below)) {
                    trees[tree].push(comment.span.start);
                }
            }
        }
    }

    /// What is wrong where the result has an entry, and also what the other side made of the comment: other comments, or another
    /// entry in its place.
    fn wrong(&self, entry: &NewEntry) -> Option<Wrong> {
        let other = other(entry.tree);
        let twice = |comments: &Vec<u32>| wrong(CommentFault::Twice, other, comments.iter().min().copied());
        let same = self.comments.get(&(Some(entry.name), entry.below))?;
        let left = same[entry.tree].len();
        if same[RESULT].len() > left {
            return twice(&same[other]);
        }
        if same[BASE].len() <= left.max(same[other].len()) {
            return None;
        }
        if SIDES.into_iter().all(|side| self.count.get(&(side, entry.below)) == Some(&1)) {
            return wrong(CommentFault::Contested, BASE, same[BASE].iter().min().copied());
        }
        // The other side may have given it another name.
        let new = self.comments.get(&(None, entry.below))?;
        if new[RESULT].is_empty() { None } else { twice(&new[other]) }
    }
}

/// The first comment that is not as it should be; one that no side has comes before all others.
pub(super) fn first_wrong_comment(facts: &Facts<'_>, wanted: Wanted) -> Option<Wrong> {
    wrong_comments(facts, wanted).min_by_key(|wrong| match wrong {
        Wrong::Comment(_, side, at) => (true, Some(*at), *side),
        _ => (false, wrong.place()[RESULT], Side::Base),
    })
}

/// What is wrong with a comment of a tree, if there is one.
fn wrong(fault: CommentFault, tree: usize, at: Option<u32>) -> Option<Wrong> {
    Some(Wrong::Comment(fault, side_of(tree), at?))
}

/// Whether all trees have the same comments at the same things.
fn is_settled(said: &[Vec<Comment>; TREES]) -> bool {
    let places = |tree: &Vec<Comment>| tree.iter().map(|comment| (comment.owner, comment.behind)).collect::<Vec<_>>();
    let first = places(&said[BASE]);
    said[1..].iter().all(|tree| places(tree) == first)
}

/// The comments of all trees that say one thing.
struct Said<'f> {
    trees: &'f [Vec<Comment>; TREES],
    /// What the comments of a tree stand at, what another tree has not left out: in order, by tree and other tree.
    owners: [[Vec<Owner>; TREES]; TREES],
    /// What those that are set off stand behind, in the same way.
    behind: [[Vec<u32>; TREES]; TREES],
    facts: &'f Facts<'f>,
}

impl<'f> Said<'f> {
    fn of(trees: &'f [Vec<Comment>; TREES], facts: &'f Facts<'f>) -> Self {
        let owners = |tree: usize, other: usize| {
            let mut owners: Vec<Owner> =
                trees[tree].iter().map(|comment| facts.owner_in(comment, tree, other)).collect();
            owners.sort_unstable();
            owners
        };
        let behind = |tree: usize, other: usize| {
            let set_off = trees[tree].iter().filter(|comment| comment.is_set_off);
            let mut behind: Vec<u32> = set_off.map(|comment| facts.behind_in(comment, tree, other)).collect();
            behind.sort_unstable();
            behind
        };
        let owners = std::array::from_fn(|tree| std::array::from_fn(|other| owners(tree, other)));
        let behind = std::array::from_fn(|tree| std::array::from_fn(|other| behind(tree, other)));
        Self { trees, owners, behind, facts }
    }

    fn wrong(&self, wanted: Wanted) -> Option<Wrong> {
        self.lost(wanted).or_else(|| self.missing(wanted)).or_else(|| self.unwanted(wanted)).or_else(|| self.strayed())
    }

    /// How often each tree has it.
    fn counts(&self) -> [usize; TREES] {
        self.trees.each_ref().map(Vec::len)
    }

    /// What is wrong with the first one of a tree.
    fn first(&self, fault: CommentFault, tree: usize) -> Option<Wrong> {
        wrong(fault, tree, self.trees[tree].first().map(|first| first.span.start))
    }

    /// A comment of all sides that the result has less often than both sides together left it, wherever it stands.
    fn lost(&self, wanted: Wanted) -> Option<Wrong> {
        let [base, ours, theirs, result] = self.counts();
        let left = (ours + theirs).saturating_sub(base);
        let least = wanted.of_chosen([ours, theirs]).unwrap_or(ours.min(theirs));
        if result >= left.min(least).min(base) { None } else { self.first(CommentFault::Lost, BASE) }
    }

    /// A comment that a side added, or that nobody removed, and that the result has not there although what it stands at is.
    fn missing(&self, wanted: Wanted) -> Option<Wrong> {
        SIDES.into_iter().find_map(|side| {
            let missing = self.trees[side].iter().find(|comment| self.is_missing(comment, side, wanted))?;
            let is_elsewhere = self.trees[RESULT].len() >= self.trees[side].len();
            let fault = if is_elsewhere { CommentFault::Astray } else { CommentFault::Lost };
            wrong(fault, side, Some(missing.span.start))
        })
    }

    fn is_missing(&self, comment: &Comment, side: usize, wanted: Wanted) -> bool {
        let [base, own, others] = [BASE, side, other(side)].map(|tree| self.count(tree, comment, side));
        let is_new = base == 0;
        let is_left = || others > 0 && !self.each_removed_one(comment, side);
        // Where the other side removed some, those that this side added are wanted.
        let least = if others >= base { own } else { (own + others).saturating_sub(base).max(1) };
        // Of an entry that a side commented out, the result has the entry or the comment; of a comment that the other side made an entry, too.
        let is_gone = || self.facts.was_entry(comment, side) == Some([true, false]);
        let is_left_out = || others < base && own >= base && self.facts.is_left_out(comment, other(side));
        (own > base && wanted.has_all_of(side) || is_new && is_gone() || is_left() || base > 0 && is_left_out())
            && self.count(RESULT, comment, side) < least
            && !self.facts.went_with_its_place(comment, side, is_new)
    }

    /// Whether the base has a comment of a side as often as both sides together, and in another block than the other side:
    /// each of them removed what the other left alone.
    fn each_removed_one(&self, comment: &Comment, side: usize) -> bool {
        let times = |tree: usize| count(&self.owners[tree][side], self.facts.owner_in(comment, side, tree));
        let is_same = |known: &Comment| known.block == comment.block;
        times(side) + times(other(side)) <= times(BASE) && !self.trees[other(side)].iter().any(is_same)
    }

    /// A comment of the result that no side has there, or fewer times, or that a side removed.
    fn unwanted(&self, wanted: Wanted) -> Option<Wrong> {
        if self.trees[RESULT].len() > self.most_times(wanted) {
            return Some(self.of_nobody());
        }
        if wanted == Wanted::Both && SIDES.into_iter().any(|side| self.outlives_removal(side)) {
            return self.first(CommentFault::Back, BASE);
        }
        self.trees[RESULT].iter().find_map(|comment| {
            let times = count(&self.owners[RESULT][RESULT], comment.owner);
            let mut from = SIDES.into_iter().filter(|side| self.has(*side, comment, RESULT));
            if times > self.most(comment) && from.clone().all(|side| times > self.count(side, comment, RESULT)) {
                return Some(self.of_nobody());
            }
            let is_removed = from.all(|side| wanted.has_all_of(other(side)) && self.was_removed(comment, side));
            is_removed.then(|| self.first(CommentFault::Back, BASE).unwrap_or_else(|| self.of_nobody()))
        })
    }

    /// How often the result may have it, wherever it stands. What both commented out is there once. Of a separator, a chosen side
    /// has its own, and those are there that stand at new things of the other side.
    fn most_times(&self, wanted: Wanted) -> usize {
        let base = self.trees[BASE].len();
        let [ours, theirs] = SIDES.map(|side| self.trees[side].len() + self.gone_with_places(side));
        let is_of_both = || SIDES.into_iter().all(|side| self.was_entry(side));
        let added = if base == 0 && is_of_both() { 0 } else { (ours + theirs).saturating_sub(base) };
        let is_separator = || self.trees[RESULT].first().is_some_and(|comment| comment.is_separator);
        let chosen = match wanted.of_chosen([OURS, THEIRS]) {
            Some(side) if is_separator() => self.trees[side].len() + self.at_new_places(other(side)),
            _ => 0,
        };
        ours.max(theirs).max(added).max(chosen)
    }

    /// How often a side has it at something that the base has not.
    fn at_new_places(&self, side: usize) -> usize {
        self.trees[side].iter().filter(|comment| !self.facts.has_place(comment, BASE)).count()
    }

    /// Whether a side commented out an entry.
    fn was_entry(&self, side: usize) -> bool {
        self.trees[side].first().is_some_and(|comment| self.facts.was_entry(comment, side).is_some())
    }

    /// How often a comment of the result may stand there, if the base has it there and each side once more: a line that repeats, as one
    /// between sections.
    fn most(&self, comment: &Comment) -> usize {
        let [base, ours, theirs] = [BASE, OURS, THEIRS].map(|tree| self.count(tree, comment, RESULT));
        if base > 0 { (ours + theirs).saturating_sub(base) } else { 0 }
    }

    /// Whether one side only moved comments, and the result has one that the other removed. What stands beside something goes with
    /// that.
    fn outlives_removal(&self, side: usize) -> bool {
        let [moved, removed] = [&self.trees[side], &self.trees[other(side)]];
        moved.len() == self.trees[BASE].len()
            && removed.len() < moved.len()
            && self.trees[RESULT].len() > removed.len()
            && moved.iter().all(|own| matches!(own.owner, Owner::Above(_)) && !self.facts.is_in_new_block(own))
    }

    /// How many comments of the base stand at what a side has not any more, and the result has: a person kept that, and they are there
    /// again, beside those that the side added elsewhere. One that the side still has above what is next is none of these.
    fn gone_with_places(&self, side: usize) -> usize {
        let is_gone =
            |comment: &&Comment| !self.facts.has_place(comment, side) && self.facts.has_place(comment, RESULT);
        let (above, beside): (Vec<&Comment>, Vec<&Comment>) =
            self.trees[BASE].iter().filter(is_gone).partition(|comment| matches!(comment.owner, Owner::Above(_)));
        if above.is_empty() {
            return beside.len();
        }
        let left = self.trees[side].iter().filter(|comment| matches!(comment.owner, Owner::Above(_)));
        let left: HashSet<u32> = left.map(|comment| self.facts.behind_in(comment, side, BASE)).collect();
        let is_left = |comment: &&Comment| left.contains(&self.facts.behind_in(comment, BASE, side));
        beside.len() + above.into_iter().filter(|comment| !is_left(comment)).count()
    }

    /// Whether a comment that the result has from a side is one that the other side removed, with the block that it is part of.
    fn was_removed(&self, comment: &Comment, side: usize) -> bool {
        let other = other(side);
        let owner = self.facts.owner_in(comment, RESULT, side);
        let mut same = self.trees[side].iter().filter(|own| self.facts.owner_in(own, side, RESULT) == owner).peekable();
        // Among entries that the base has not, it may stand elsewhere.
        let is_there = |own: &Comment| count(&self.owners[other][BASE], self.facts.owner_in(own, side, BASE)) > 0;
        let is_removed = |own: &Comment| self.has(BASE, own, side) && !self.has(other, own, side) && !is_there(own);
        let [was, is, left] = [BASE, side, RESULT].map(|tree| self.count(tree, comment, RESULT));
        // One that is set off, and stands behind the same thing, is there. As many as the side added are those that it added.
        same.peek().is_some()
            && left + was > is
            && same.all(is_removed)
            && (self.trees[other].len() < self.trees[BASE].len() || !self.is_in_changed_block(comment, side))
    }

    /// Whether a side has a comment in a block with a line that the base has not.
    fn is_in_changed_block(&self, comment: &Comment, side: usize) -> bool {
        let is_in = |tree: usize| self.trees[tree].iter().any(|known| known.block == comment.block);
        is_in(side) && !is_in(BASE) && self.facts.is_in_new_block(comment)
    }

    /// What is wrong with a comment of the result that comes from nowhere.
    fn of_nobody(&self) -> Wrong {
        let [_, ours, theirs, result] = self.counts();
        let fault = if result > ours.max(theirs) { CommentFault::Twice } else { CommentFault::Astray };
        let on_side = SIDES.into_iter().find_map(|side| self.first(fault, side));
        let known = on_side.or_else(|| self.first(CommentFault::Back, BASE));
        known.unwrap_or_else(|| Wrong::New(in_result(self.trees[RESULT].first().map_or(0, |it| it.span.start))))
    }

    /// The only comment of all trees that stands behind one thing on all sides has nothing to move for.
    fn strayed(&self) -> Option<Wrong> {
        let behind = self.trees.each_ref().map(|tree| match tree[..] {
            [Comment { owner: Owner::Above(_), behind, .. }] => Some(behind),
            _ => None,
        });
        let [Some(base), Some(ours), Some(theirs), Some(result)] = behind else { return None };
        if base == ours && base == theirs && result != base { self.first(CommentFault::Astray, BASE) } else { None }
    }

    /// Whether a tree has a comment of another one.
    fn has(&self, tree: usize, comment: &Comment, of: usize) -> bool {
        self.count(tree, comment, of) > 0
    }

    /// How many comments of a tree are one of another tree.
    fn count(&self, tree: usize, comment: &Comment, of: usize) -> usize {
        match count(&self.owners[tree][of], self.facts.owner_in(comment, of, tree)) {
            0 if comment.is_set_off => count(&self.behind[tree][of], self.facts.behind_in(comment, of, tree)),
            count => count,
        }
    }
}

/// How often something is in a list in order.
fn count<T: Copy + PartialOrd>(list: &[T], wanted: T) -> usize {
    list.partition_point(|other| *other <= wanted) - list.partition_point(|other| *other < wanted)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, check_chosen};

    #[test]
    fn comments_go_with_what_they_stand_at() {
        check(
            ["a: 1\nb: 1\nc: 1\n", "a: 1\n# b\nb: 1 # one\nc: 1\n", "a: 1\nc: 1\n"],
            &[("a: 1\nc: 1\n", "sound"), ("a: 1\n# b\nc: 1\n", "sound"), ("a: 1\n# b\nb: 1 # one\nc: 1\n", "back")],
        );
    }

    #[test]
    fn a_line_that_repeats_in_a_new_block_is_not_the_one_that_went() {
        let [base, ours, theirs] = ["a: 1\n# x\n# on\n", "a: 1\n# x\n", "a: 1\n# x\n# on\n# y\n# on\n"];
        check([base, ours, theirs], &[("a: 1\n# x\n# y\n# on\n", "sound"), (theirs, "comment back")]);
    }

    #[test]
    fn a_line_that_a_side_added_is_wanted_although_one_like_it_went() {
        let [base, ours, theirs] = ["a: 1\n# x\n# on\n", "a: 1\n# x\n", "a: 1\n# x\n# on\n# y\n# on\n"];
        check([base, ours, theirs], &[("a: 1\n# x\n# y\n# on\n", "sound"), ("a: 1\n# x\n# y\n", "comment lost")]);
    }

    #[test]
    fn each_of_several_comments_that_say_one_thing_is_wanted() {
        let [base, ours, theirs] = ["a: 1\n# on\n", "a: 2\n# on\n", "a: 1\n# on\n# y\n# on\n"];
        check([base, ours, theirs], &[("a: 2\n# on\n# y\n# on\n", "sound"), ("a: 2\n# on\n# y\n", "comment lost")]);
    }

    #[test]
    fn a_new_comment_stays_if_the_entry_goes_and_its_comments_do_not() {
        // A field has another name, or its comment says what is below as well.
        check(
            ["# n\na: 1\nz: 1\n", "# n\nb: 1\nz: 1\n", "# nn\na: 1\nz: 1\n"],
            &[("# nn\nb: 1\nz: 1\n", "sound"), ("b: 1\nz: 1\n", "comment lost")],
        );
        check(["a: 1\nz: 1\n", "z: 1\n", "# n\na: 1\nz: 1\n"], &[("z: 1\n", "sound"), ("# n\nz: 1\n", "sound")]);
        // One that is set off is about the file.
        check(
            ["a: 1\nz: 1\n", "z: 1\n", "# n\n\na: 1\nz: 1\n"],
            &[("z: 1\n", "comment lost"), ("# n\n\nz: 1\n", "sound")],
        );
        check(
            ["---\na: 1\nz: 1\n", "---\nz: 1\n", "# n\n---\na: 1\nz: 1\n"],
            &[("---\nz: 1\n", "comment lost"), ("# n\n---\nz: 1\n", "sound")],
        );
        check(
            ["a: 1\n", "a: 1\nb:\n# n\n  # n\n  c: 1\n", "a: 1\nz: 1\n"],
            &[("a: 1\nb:\n# n\n  # n\n  c: 1\nz: 1\n", "sound"), ("a: 1\nb:\n  # n\n  c: 1\nz: 1\n", "comment lost")],
        );
    }

    #[test]
    fn a_heading_stays_where_what_was_below_it_goes() {
        check(
            ["# h\ng: 1\n\na: 2\nb: 3\n", "# h\n\na: 2\nb: 3\n", "# h\ng: 1\n\nb: 3\na: 2\n"],
            &[("# h\n\nb: 3\na: 2\n", "sound"), ("b: 3\na: 2\n", "comment lost")],
        );
    }

    #[test]
    fn a_comment_that_was_an_entry_is_not_about_what_is_below() {
        check(
            ["- e: 1\n  k: 2\n  r: 3\n", "- k: 2\n  # e: 1\n  r: 3\n", "- e: 1\n  k: 2\n  o: 4\n"],
            &[("- k: 2\n  o: 4\n", "comment lost"), ("- k: 2\n  # e: 1\n  o: 4\n", "sound")],
        );
    }

    #[test]
    fn a_comment_behind_what_a_side_wrapped_is_removed() {
        check(
            ["s:\n  a: 1\n  # n\nz: 1\n", "s:\n  r:\n    a: 1\n    # n\nz: 1\n", "s:\n  a: 1\nz: 1\n"],
            &[("s:\n  r:\n    a: 1\n    # n\nz: 1\n", "comment back"), ("s:\n  r:\n    a: 1\nz: 1\n", "sound")],
        );
    }

    #[test]
    fn comments_are_counted_and_stay_where_they_are() {
        check(
            ["# a\na: 1\nb: 1\nc: 1\n", "# a\na: 1\n# b\nb: 1\nc: 1\n", "a: 1\nb: 1\nc: 2\n"],
            &[
                ("a: 1\n# b\nb: 1\nc: 2\n", "sound"),
                ("a: 1\nb: 1\nc: 2\n", "comment lost"),
                ("# a\na: 1\n# b\nb: 1\nc: 2\n", "comment back"),
                ("a: 1\n# b\n# b\nb: 1\nc: 2\n", "comment twice"),
                ("a: 1\nb: 1\n# b\nc: 2\n", "comment astray"),
                ("a: 1\nb: 1 # b\nc: 2\n", "comment astray"),
            ],
        );
        // Both sides add a comment and a field of their own below it.
        check(
            ["a: 1\n", "a: 1\n# more\nb: 1\n", "a: 1\n# more\nc: 1\n"],
            &[("a: 1\n# more\nb: 1\nc: 1\n", "sound"), ("a: 1\n# more\nb: 1\n# more\nc: 1\n", "sound")],
        );
        // What one side puts below a header does not end up above it.
        check(
            ["# head\n\na: 1\nb: 1\n", "# head\n\nz: 1\na: 1\nb: 1\n", "# head\n\na: 1\nb: 2\n"],
            &[("# head\n\nz: 1\na: 1\nb: 2\n", "sound"), ("z: 1\n# head\n\na: 1\nb: 2\n", "comment astray")],
        );
    }

    #[test]
    fn an_entry_stands_instead_of_the_comment_that_it_was() {
        let base = "a: 1\n# b:\n#   c: 1\nz: 1\n";
        let edited = "a: 1\n# b:\n#   c: 2\nz: 1\n";
        let alive = "a: 1\nb:\n  c: 1\nz: 1\n";
        let beside = "a: 1\nb:\n  c: 1\n# b:\n#   c: 2\nz: 1\n";
        check_chosen([base, edited, alive], &[(edited, "sound"), (beside, "comment twice")]);
        check_chosen([base, alive, edited], &[(alive, "sound")]);
        // With another value; as an item of a list.
        check_chosen(
            ["# r: 1\nz: 1\n", "# r: 2\nz: 1\n", "r: 5\nz: 1\n"],
            &[("r: 5\n# r: 2\nz: 1\n", "comment twice")],
        );
        let list = |item: &str| format!("l:\n- a\n# - x\n{item}- c\n");
        let lists = ["# - b\n", "# - b2\n", "- b\n", "# - b\n# - d\n"].map(list);
        let [base, edited, alive, longer] = lists.each_ref().map(String::as_str);
        check_chosen([base, edited, alive], &[(edited, "sound"), (&list("- b\n# - b2\n"), "comment twice")]);
        // Other comments stay.
        check(["# r: 1\nz: 1\n", "r: 1\nz: 1\n", "# r: 1\n# s: 1\nz: 1\n"], &[("r: 1\n# s: 1\nz: 1\n", "sound")]);
        check([base, alive, longer], &[(&list("- b\n# - d\n"), "sound")]);
    }

    #[test]
    fn a_comment_that_all_sides_have_is_not_lost_where_entries_move() {
        let sides = ["- a\n# x\n- b\n- c\n- d\n", "- a\n- c\n# x\n- b\n- d\n", "- a\n# x\n- b2\n- c\n- d\n"];
        check_chosen([sides[0], sides[2], sides[1]], &[("- a\n- b2\n- c\n- d\n", "comment lost"), (sides[2], "sound")]);
        let sides = ["- a\n# x\n- c\n", "# x\n- c\n- a\n", "- a\n# x\n"];
        check(sides, &[("- a\n", "comment lost")]);
    }

    #[test]
    fn a_comment_that_a_side_removed_stays_away_where_an_entry_moved_over_it() {
        let sides = ["- a\n# x\n- c\n- d\n", "# x\n- c\n- a\n- d\n", "- a\n- c\n- d\n"];
        check(sides, &[("# x\n- c\n- a\n- d\n", "comment back"), ("- c\n- a\n- d\n", "sound")]);
        let sides = sides.map(|side| side.replace("# x", "# - b"));
        let sides = sides.each_ref().map(String::as_str);
        check(sides, &[(sides[1], "comment back"), ("- c\n- a\n- d\n", "sound")]);
    }

    #[test]
    fn a_line_between_sections_is_no_other_one_of_its_kind() {
        let base = "## Db\n##\ndb: 1\n\n## Cache\n##\ncache: 1\n";
        let mq = "## Mq\n##\nmq: 1\n\n## Cache";
        let chosen = base.replace("Db", "Database");
        let other = base.replace("## Db\n##\n", "").replace("## Cache", mq);
        check_chosen([base, &chosen, &other], &[(&chosen.replace("## Cache", mq), "sound")]);
    }

    #[test]
    fn what_the_other_side_uncommented_is_there_or_a_comment() {
        let [base, chosen, other] = ["- a\n# - b\n- c\n", "- a\n- d\n# - b\n- c\n", "- a\n- b\n- c\n"];
        let choices = [("- a\n- d\n- c\n", "comment lost"), (chosen, "sound"), ("- a\n- d\n- b\n- c\n", "sound")];
        check_chosen([base, chosen, other], &choices);
    }

    #[test]
    fn what_a_side_commented_out_is_there_or_a_comment() {
        check_chosen(
            ["j: 0\nk: 1\nl: 2\n", "j: 0\nk: 9\nl: 2\n", "j: 0\n# k: 1\n# l: 2\n"],
            &[("j: 0\nk: 9\nl: 2\n", "sound"), ("j: 0\nk: 9\n# l: 2\n", "sound"), ("j: 0\nk: 9\n", "comment lost")],
        );
        let both = ["j: 0\nk: 1\nl: 2\n", "j: 0\nl: 2\n# k: 1\n", "j: 0\n# k: 1\nl: 2\n"];
        check(both, &[("j: 0\n# k: 1\nl: 2\n# k: 1\n", "comment twice")]);
    }
}
