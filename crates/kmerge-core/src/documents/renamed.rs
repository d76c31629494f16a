//! Which resources are others of the base under a new name.
//!
//! First come those of which but the namespace is another, then those that differ in nothing but the name, then what stands in the place of what is gone, and then everything
//! that is left is compared with everything, if that is not too much. Nothing is taken for renamed where something else is
//! as likely.

use hashbrown::HashMap;

use super::pairing::{DocumentRef, Documents, Subject, body};
use crate::correspond::{Correspondence, Group, HALF, LEAST_RENAMED, Links, Match, Pair, Sketch, pair_mutual};
use crate::slots::Side;

/// So many documents on either side of a place are compared with what stands there now.
const NEAR: usize = 3;

/// What documents hold, by their text: mostly the other side has the same ones.
type Sketches<'a> = HashMap<&'a str, Sketch<'static>>;

/// Links resources that were renamed with what they are in the base.
pub(super) fn link(documents: &Documents<'_>, who: &mut Correspondence<DocumentRef>) {
    let mut sketches = Sketches::new();
    let dest = Renames::of(documents, &who.to_dest, Side::Dest, &mut sketches);
    let incoming = Renames::of(documents, &who.to_incoming, Side::Incoming, &mut sketches);
    // What both sides have under its new name was renamed by both, or by none: also where one changed so much that only the other
    // tells what it was.
    for [base, ours] in dest.found.pairs() {
        match who.added.right(ours) {
            Some(theirs) if !incoming.may_be(base, theirs) => continue,
            Some(theirs) => who.to_incoming.link([base, theirs], Match::Identity),
            None => {}
        }
        who.to_dest.link([base, ours], Match::Identity);
    }
    for [base, theirs] in incoming.found.pairs() {
        match who.added.left(theirs) {
            Some(ours) if !dest.may_be(base, ours) => continue,
            Some(ours) => who.to_dest.link([base, ours], Match::Identity),
            None => {}
        }
        who.to_incoming.link([base, theirs], Match::Identity);
    }
}

/// A document that only one of base and side has.
struct Unit<'n> {
    subject: &'n Subject,
    /// What both have before and behind it, as the base's.
    place: [Option<DocumentRef>; 2],
    sketch: Sketch<'static>,
}

impl<'n> Unit<'n> {
    /// Those of a stream; `in_base` tells of what both have what it is in the base.
    fn all<'a>(
        documents: &'n Documents<'a>,
        side: Side,
        in_base: impl Fn(DocumentRef) -> Option<DocumentRef>,
        sketches: &mut Sketches<'a>,
    ) -> HashMap<DocumentRef, Self> {
        let mut units = HashMap::new();
        let mut open: Vec<(DocumentRef, Self)> = Vec::new();
        let mut before = None;
        for of in documents.refs(side) {
            if let Some(base) = in_base(of) {
                open.iter_mut().for_each(|(_, unit)| unit.place[1] = Some(base));
                units.extend(open.drain(..));
                before = Some(base);
                continue;
            }
            let document = documents.document(of);
            let sketch = sketches.entry(document.text()).or_insert_with(|| body(document)).clone();
            open.push((of, Self { subject: documents.subject(of), place: [before, None], sketch }));
        }
        units.extend(open);
        units
    }

    /// Group and kind of a resource that says enough to be recognized.
    fn kind(&self) -> Option<(&'n str, &'n str)> {
        match self.subject {
            Subject::Resource(id) if self.sketch.says_enough() => Some((&id.group, &id.kind)),
            _ => None,
        }
    }

    /// All that identifies a resource but its namespace.
    fn name(&self) -> Option<[&'n str; 3]> {
        match self.subject {
            Subject::Resource(id) if !id.name.is_empty() => Some([&id.group, &id.kind, &id.name]),
            _ => None,
        }
    }
}

/// What of the base is gone on a side, what is new there, and which of it is one.
struct Renames<'n> {
    lost: Vec<DocumentRef>,
    new: Vec<DocumentRef>,
    units: HashMap<DocumentRef, Unit<'n>>,
    found: Links<DocumentRef>,
}

impl<'n> Renames<'n> {
    fn of<'a>(
        documents: &'n Documents<'a>,
        links: &Links<DocumentRef>,
        side: Side,
        sketches: &mut Sketches<'a>,
    ) -> Self {
        let (lost, new) = (links.free(&documents.refs(Side::Base)), links.free(&documents.refs(side)));
        let mut renames = Self { lost, new, units: HashMap::new(), found: Links::default() };
        if renames.lost.is_empty() || renames.new.is_empty() {
            return renames;
        }
        let is_kept = |base: DocumentRef| links.right(base).map(|_| base);
        renames.units = Unit::all(documents, Side::Base, is_kept, sketches);
        renames.units.extend(Unit::all(documents, side, |of| links.left(of), sketches));
        renames.by_namespace();
        renames.exact();
        renames.in_place();
        renames.in_any_kind();
        renames
    }

    /// Whether something of the base that is gone may be something new: it was found to be that, or neither was found to be
    /// anything, and they are half alike.
    fn may_be(&self, base: DocumentRef, new: DocumentRef) -> bool {
        match (self.found.right(base), self.found.left(new)) {
            (None, None) => self
                .units
                .get(&base)
                .zip(self.units.get(&new))
                .is_some_and(|(base, new)| base.sketch.likeness(&new.sketch) >= HALF),
            (right, _) => right == Some(new),
        }
    }

    /// The rest by something that it has in common.
    fn groups<K: Eq + std::hash::Hash>(&self, key: impl Fn(&Unit<'n>) -> Option<K>) -> Vec<Group<DocumentRef>> {
        let key = |of: DocumentRef| key(&self.units[&of]);
        self.found.groups([&self.lost, &self.new], key, key)
    }

    /// Pairs what has another namespace only, whatever else changed: in all documents of a file at once, as a rule.
    fn by_namespace(&mut self) {
        self.found.link_only(&self.groups(Unit::name));
    }

    /// Pairs what differs in nothing but the name, where there is but one of the kind.
    fn exact(&mut self) {
        self.found.link_only(&self.groups(|unit| Some((unit.kind()?, unit.sketch.clone()))));
    }

    /// Pairs what stands where as many others stood: each with the one at its place, if nothing near is more like either.
    /// However many there are, each is compared with a few.
    fn in_place(&mut self) {
        for group in self.groups(|unit| Some(unit.place)) {
            if group.left.len() == group.right.len() {
                let [lost, new] = self.units_of(&group);
                let clear: Vec<usize> = (0..lost.len()).filter(|&at| is_clear_in_place(&lost, &new, at)).collect();
                clear.into_iter().for_each(|at| self.found.link([group.left[at], group.right[at]], Match::Identity));
            }
        }
    }

    fn units_of(&self, group: &Group<DocumentRef>) -> [Vec<&Unit<'n>>; 2] {
        [&group.left, &group.right].map(|of| of.iter().map(|of| &self.units[of]).collect())
    }

    /// Pairs what is alike enough, and nothing else as much.
    fn in_any_kind(&mut self) {
        for group in self.groups(|unit| (*unit.subject != Subject::Empty).then_some(())) {
            let sketch = |of: &DocumentRef| &self.units[of].sketch;
            let pairs =
                pair_mutual(&group.left, &group.right, |lost, new| sketch(lost).at_least(LEAST_RENAMED, sketch(new)));
            let say_enough =
                |pair: &Pair<'_, _, _>| [pair.left, pair.right].into_iter().all(|of| sketch(of).says_enough());
            for Pair { left, right, .. } in pairs.into_iter().filter(say_enough).collect::<Vec<_>>() {
                self.found.link([*left, *right], Match::Identity);
            }
        }
    }
}

/// Whether what came in the place of what went is alike, and nothing near as much.
fn is_clear_in_place(lost: &[&Unit<'_>], new: &[&Unit<'_>], at: usize) -> bool {
    let likeness = |l: usize, r: usize| lost[l].sketch.likeness(&new[r].sketch);
    let kind = lost[at].kind();
    if kind.is_none() || kind != new[at].kind() {
        return false;
    }
    let own = likeness(at, at);
    let mut near = at.saturating_sub(NEAR)..(at + NEAR + 1).min(lost.len());
    own >= LEAST_RENAMED && near.all(|other| likeness(at, other) <= own && likeness(other, at) <= own)
}
