//! Who is whom: pairs between two versions, and the rows that three such sets of pairs amount to.

use std::hash::Hash;

use hashbrown::HashMap;

use super::likeness::{HALF, Sketch};
use super::pairs::{Pair, pair};
use crate::slots::{Side, Slots};

/// How two things found each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Match {
    /// By identity, or by standing in the same file as the only one of their kind.
    Identity,
    /// By the likeness of their bodies, in percent: one side gave the resource another name.
    Likeness(u32),
}

/// Pairs between two versions; each thing has at most one partner. A thing says itself which version it is of.
#[derive(Debug)]
pub(crate) struct Links<T> {
    forward: HashMap<T, (T, Match)>,
    backward: HashMap<T, T>,
}

/// Things of two versions that have something in common.
#[derive(Debug)]
pub(crate) struct Group<T> {
    pub(crate) left: Vec<T>,
    pub(crate) right: Vec<T>,
}

impl<T> Default for Links<T> {
    fn default() -> Self {
        Self { forward: HashMap::new(), backward: HashMap::new() }
    }
}

impl<T: Copy> Group<T> {
    /// The two that are alone.
    pub(crate) fn only(&self) -> Option<[T; 2]> {
        match (self.left.as_slice(), self.right.as_slice()) {
            ([left], [right]) => Some([*left, *right]),
            _ => None,
        }
    }
}

impl<T: Copy + Eq + Hash> FromIterator<[T; 2]> for Links<T> {
    fn from_iter<I: IntoIterator<Item = [T; 2]>>(pairs: I) -> Self {
        let mut links = Self::default();
        pairs.into_iter().for_each(|pair| links.link(pair, Match::Identity));
        links
    }
}

impl<T: Copy + Eq + Hash> Links<T> {
    pub(crate) fn link(&mut self, [left, right]: [T; 2], matched: Match) {
        self.forward.insert(left, (right, matched));
        self.backward.insert(right, left);
    }

    /// Links all that are free on both sides.
    pub(crate) fn link_free(&mut self, pairs: impl Iterator<Item = [T; 2]>) {
        for pair in pairs {
            if pair.into_iter().all(|thing| self.is_free(thing)) {
                self.link(pair, Match::Identity);
            }
        }
    }

    pub(crate) fn right(&self, left: T) -> Option<T> {
        self.forward.get(&left).map(|link| link.0)
    }

    pub(crate) fn left(&self, right: T) -> Option<T> {
        self.backward.get(&right).copied()
    }

    /// The partner of a thing on the right, or the thing itself: for places, most of which are the same on both sides.
    pub(crate) fn right_or_same(&self, left: T) -> T {
        self.right(left).unwrap_or(left)
    }

    /// The partner of a thing on the left, or the thing itself.
    pub(crate) fn left_or_same(&self, right: T) -> T {
        self.left(right).unwrap_or(right)
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = [T; 2]> {
        self.matches().map(|(pair, _)| pair)
    }

    pub(crate) fn matches(&self) -> impl Iterator<Item = ([T; 2], Match)> {
        self.forward.iter().map(|(&left, &(right, matched))| ([left, right], matched))
    }

    pub(crate) fn is_free(&self, thing: T) -> bool {
        !self.forward.contains_key(&thing) && !self.backward.contains_key(&thing)
    }

    /// Those without a partner.
    pub(crate) fn free(&self, things: &[T]) -> Vec<T> {
        things.iter().copied().filter(|&thing| self.is_free(thing)).collect()
    }

    /// Links what is the only one of its group on both sides.
    pub(crate) fn link_only(&mut self, groups: &[Group<T>]) {
        groups.iter().filter_map(Group::only).for_each(|only| self.link(only, Match::Identity));
    }

    /// Links the first of each group on both sides.
    pub(crate) fn link_first(&mut self, groups: &[Group<T>]) {
        groups.iter().for_each(|group| self.link([group.left[0], group.right[0]], Match::Identity));
    }

    /// The free things by what they have in common; those of which the right has none are left out.
    pub(crate) fn groups<K: Eq + Hash>(
        &self,
        [left, right]: [&[T]; 2],
        left_key: impl Fn(T) -> Option<K>,
        right_key: impl Fn(T) -> Option<K>,
    ) -> Vec<Group<T>> {
        let mut groups: Vec<Group<T>> = Vec::new();
        let mut index = HashMap::new();
        for thing in self.free(left) {
            let Some(key) = left_key(thing) else { continue };
            let at = *index.entry(key).or_insert(groups.len());
            if at == groups.len() {
                groups.push(Group { left: Vec::new(), right: Vec::new() });
            }
            groups[at].left.push(thing);
        }
        for thing in self.free(right) {
            if let Some(&at) = right_key(thing).and_then(|key| index.get(&key)) {
                groups[at].right.push(thing);
            }
        }
        groups.retain(|group| !group.right.is_empty());
        groups
    }

    /// Links what is equal: of several, the first with the first. Returns what is left.
    pub(crate) fn link_equal<K: Eq + Hash>(&mut self, group: &Group<T>, content: impl Fn(T) -> K) -> Group<T> {
        let mut by_content: HashMap<K, Vec<T>> = HashMap::new();
        for &thing in group.right.iter().rev() {
            by_content.entry(content(thing)).or_default().push(thing);
        }
        for &thing in &group.left {
            if let Some(partner) = by_content.get_mut(&content(thing)).and_then(Vec::pop) {
                self.link([thing, partner], Match::Identity);
            }
        }
        Group { left: self.free(&group.left), right: self.free(&group.right) }
    }

    /// Links what is equal, the only ones that are left, or what is most alike.
    pub(crate) fn link_alike<'t, K: Eq + Hash>(
        &mut self,
        group: &Group<T>,
        content: impl Fn(T) -> K,
        sketch: impl Fn(T) -> Sketch<'t>,
    ) {
        let rest = self.link_equal(group, content);
        if let Some(only) = rest.only() {
            return self.link(only, Match::Identity);
        }
        if rest.left.is_empty() || rest.right.is_empty() {
            return;
        }
        let [left, right] =
            [&rest.left, &rest.right].map(|of| of.iter().map(|&it| (it, sketch(it))).collect::<Vec<_>>());
        for Pair { left, right, .. } in pair(&left, &right, |left, right| left.1.at_least(HALF, &right.1)) {
            self.link([left.0, right.0], Match::Identity);
        }
    }
}

/// What holds the parts of pairs, as pairs: where all parts of one that are paired are in one, which has none from elsewhere.
pub(crate) fn holders<T: Copy + Eq + Hash>(parts: impl Iterator<Item = [T; 2]>) -> Links<T> {
    let [mut targets, mut sources] = [HashMap::new(), HashMap::new()];
    for [left, right] in parts {
        let agree = |seen: &mut Option<T>, holder: T| *seen = seen.filter(|&seen| seen == holder);
        agree(targets.entry(left).or_insert(Some(right)), right);
        agree(sources.entry(right).or_insert(Some(left)), left);
    }
    let only = |(left, right): (T, Option<T>)| Some([left, right?]);
    let is_mutual = |[left, right]: &[T; 2]| sources.get(right) == Some(&Some(*left));
    targets.into_iter().filter_map(only).filter(is_mutual).collect()
}

/// Who is whom in three versions.
#[derive(Debug)]
pub(crate) struct Correspondence<T> {
    /// From base to destination.
    pub(crate) to_dest: Links<T>,
    /// From base to incoming.
    pub(crate) to_incoming: Links<T>,
    /// From destination to incoming, of what the base does not have.
    pub(crate) added: Links<T>,
}

impl<T> Default for Correspondence<T> {
    fn default() -> Self {
        Self { to_dest: Links::default(), to_incoming: Links::default(), added: Links::default() }
    }
}

impl<T: Copy + Eq + Hash> Correspondence<T> {
    /// From base to one of the sides.
    pub(crate) fn to(&self, side: Side) -> &Links<T> {
        if side == Side::Dest { &self.to_dest } else { &self.to_incoming }
    }

    pub(crate) fn is_free(&self, thing: T) -> bool {
        [&self.to_dest, &self.to_incoming, &self.added].iter().all(|links| links.is_free(thing))
    }

    /// A row for each thing, in the order of the destination, then of the incoming side, then of the base.
    pub(crate) fn rows(&self, [dest, base, incoming]: [&[T]; 3]) -> Vec<(Slots<T>, Match)> {
        let mut rows: Vec<(Slots<T>, Match)> = dest.iter().map(|&dest| self.row_of_dest(dest)).collect();
        for &thing in incoming {
            match self.to_incoming.left(thing).map(|base| self.row_of_base(base)) {
                Some(row) if row.0.dest.is_none() => rows.push(row),
                None if self.added.left(thing).is_none() => {
                    rows.push((Slots { incoming: Some(thing), ..Slots::default() }, Match::Identity));
                }
                _ => {}
            }
        }
        let gone = base.iter().map(|&base| self.row_of_base(base));
        rows.extend(gone.filter(|(row, _)| row.dest.is_none() && row.incoming.is_none()));
        rows
    }

    fn row_of_base(&self, base: T) -> (Slots<T>, Match) {
        let [dest, incoming] = [&self.to_dest, &self.to_incoming].map(|links| links.forward.get(&base).copied());
        let matched = dest.into_iter().chain(incoming).map(|(_, matched)| matched).max().unwrap_or(Match::Identity);
        (Slots { dest: dest.map(|link| link.0), base: Some(base), incoming: incoming.map(|link| link.0) }, matched)
    }

    fn row_of_dest(&self, dest: T) -> (Slots<T>, Match) {
        if let Some(base) = self.to_dest.left(dest) {
            return self.row_of_base(base);
        }
        let partner = self.added.forward.get(&dest).copied();
        let matched = partner.map_or(Match::Identity, |link| link.1);
        (Slots { dest: Some(dest), base: None, incoming: partner.map(|link| link.0) }, matched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thing: its side, its place there, its content.
    type Token = (char, usize, char);

    fn tokens(side: char, contents: &str) -> Vec<Token> {
        contents.chars().enumerate().map(|(place, content)| (side, place, content)).collect()
    }

    fn content(token: Token) -> char {
        token.2
    }

    fn pairs(links: &Links<Token>) -> Vec<[usize; 2]> {
        let mut pairs: Vec<[usize; 2]> = links.pairs().map(|pair| pair.map(|token| token.1)).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn what_is_equal_is_linked_in_order() {
        let mut links = Links::default();
        let group = Group { left: tokens('b', "axay"), right: tokens('d', "zaaa") };
        let rest = links.link_equal(&group, content);
        assert_eq!(pairs(&links), [[0, 1], [2, 2]]);
        assert_eq!((rest.left, rest.right), (vec![('b', 1, 'x'), ('b', 3, 'y')], vec![('d', 0, 'z'), ('d', 3, 'a')]));
    }

    #[test]
    fn the_only_ones_that_are_left_are_one() {
        let sketch = |token: Token| Sketch::of_lines(&token.2.to_string());
        let link = |left, right| {
            let mut links = Links::default();
            links.link_alike(&Group { left: tokens('b', left), right: tokens('d', right) }, content, sketch);
            pairs(&links)
        };
        assert_eq!(link("ab", "bc"), [[0, 1], [1, 0]]);
        assert_eq!(link("abc", "bde"), [[1, 0]]);
    }

    #[test]
    fn groups_hold_what_is_free_on_both_sides() {
        let (left, right) = (tokens('b', "abca"), tokens('d', "caa"));
        let mut links = Links::default();
        links.link([left[0], right[1]], Match::Identity);
        let groups = links.groups([&left, &right], |it| Some(it.2), |it| Some(it.2));
        let found: Vec<_> = groups.iter().filter_map(Group::only).collect();
        assert_eq!(found, [[left[2], right[0]], [left[3], right[2]]]);
    }

    #[test]
    fn each_thing_is_in_one_row() {
        let (dest, base, incoming) = (tokens('d', "axn"), tokens('b', "abc"), tokens('i', "bamn"));
        let mut who = Correspondence::default();
        who.to_dest.link([base[0], dest[0]], Match::Identity);
        who.to_incoming.link([base[0], incoming[1]], Match::Likeness(70));
        who.to_incoming.link([base[1], incoming[0]], Match::Identity);
        who.added.link([dest[2], incoming[3]], Match::Identity);
        let show = |row: &(Slots<Token>, Match)| row.0.present().map(|(_, token)| token.0).collect::<String>();
        let rows = who.rows([&dest, &base, &incoming]);
        assert_eq!(rows.iter().map(show).collect::<Vec<_>>(), ["dbi", "d", "di", "bi", "i", "b"]);
        assert_eq!(rows[0].1, Match::Likeness(70));
    }
}
