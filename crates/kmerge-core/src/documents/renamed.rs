//! Which resources are others of the base under a new name.
//!
//! The rules, the surest first: only the namespace changed; only the name changed; it stands in the place of what is gone; only the
//! kind changed; it is the most alike of all that is left, if that is not too much to compare. Where two things are equally likely, neither was renamed.

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
    let mut dest = Renames::of(documents, &who.to_dest, Side::Dest, &mut sketches);
    let mut incoming = Renames::of(documents, &who.to_incoming, Side::Incoming, &mut sketches);
    dest.by_kind_as_in(&incoming);
    incoming.by_kind_as_in(&dest);
    // If both sides have the new name, both renamed it, or none did. One of them may have changed so much that only the other
    // one tells what it was.
    let by_dest = dest.found.pairs().map(|[base, ours]| (base, Some(ours), who.added.right(ours)));
    let by_incoming = incoming.found.pairs().map(|[base, theirs]| (base, who.added.left(theirs), Some(theirs)));
    for (base, ours, theirs) in by_dest.chain(by_incoming).collect::<Vec<_>>() {
        let may_be = |renames: &Renames<'_>, new: Option<DocumentRef>| new.is_none_or(|new| renames.may_be(base, new));
        if may_be(&dest, ours) && may_be(&incoming, theirs) {
            ours.into_iter().for_each(|ours| who.to_dest.link([base, ours], Match::Identity));
            theirs.into_iter().for_each(|theirs| who.to_incoming.link([base, theirs], Match::Identity));
        }
    }
}

/// A document that only one of base and side has.
struct Unpaired<'n> {
    subject: &'n Subject,
    /// What both have before and behind it, as the base's.
    place: [Option<DocumentRef>; 2],
    sketch: Sketch<'static>,
}

impl<'n> Unpaired<'n> {
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

    /// All that identifies a resource but its group and kind.
    fn called(&self) -> Option<[&'n str; 2]> {
        match self.subject {
            Subject::Resource(id) if !id.name.is_empty() => Some([&id.namespace, &id.name]),
            _ => None,
        }
    }

    fn is_half_alike(&self, other: &Self) -> bool {
        self.sketch.likeness(&other.sketch) >= HALF
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
    unpaired: HashMap<DocumentRef, Unpaired<'n>>,
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
        let mut renames = Self { lost, new, unpaired: HashMap::new(), found: Links::default() };
        if renames.lost.is_empty() || renames.new.is_empty() {
            return renames;
        }
        let is_kept = |base: DocumentRef| links.right(base).map(|_| base);
        renames.unpaired = Unpaired::all(documents, Side::Base, is_kept, sketches);
        renames.unpaired.extend(Unpaired::all(documents, side, |of| links.left(of), sketches));
        renames.by_namespace();
        renames.exact();
        renames.in_place();
        renames.by_kind();
        renames.in_any_kind();
        renames
    }

    /// Whether a new document may be one of the base that is gone: the two were paired, or both are unpaired and half alike.
    fn may_be(&self, base: DocumentRef, new: DocumentRef) -> bool {
        match (self.found.right(base), self.found.left(new)) {
            (None, None) => {
                self.unpaired.get(&base).zip(self.unpaired.get(&new)).is_some_and(|(base, new)| base.is_half_alike(new))
            }
            (right, _) => right == Some(new),
        }
    }

    /// The rest by something that it has in common.
    fn groups<K: Eq + std::hash::Hash>(&self, key: impl Fn(&Unpaired<'n>) -> Option<K>) -> Vec<Group<DocumentRef>> {
        let key = |of: DocumentRef| key(&self.unpaired[&of]);
        self.found.groups([&self.lost, &self.new], key, key)
    }

    /// Pairs what has another namespace only; its body does not count. Mostly all documents of a file get the new one at once.
    fn by_namespace(&mut self) {
        self.found.link_only(&self.groups(Unpaired::name));
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
                let [lost, new] = self.unpaired_of(&group);
                let clear: Vec<usize> = (0..lost.len()).filter(|&at| is_clear_in_place(&lost, &new, at)).collect();
                clear.into_iter().for_each(|at| self.found.link([group.left[at], group.right[at]], Match::Identity));
            }
        }
    }

    fn unpaired_of(&self, group: &Group<DocumentRef>) -> [Vec<&Unpaired<'n>>; 2] {
        [&group.left, &group.right].map(|of| of.iter().map(|of| &self.unpaired[of]).collect())
    }

    /// Pairs what has another kind and an alike body, however little that holds.
    fn by_kind(&mut self) {
        for [lost, new] in self.groups(Unpaired::called).iter().filter_map(Group::only) {
            if self.unpaired[&lost].is_half_alike(&self.unpaired[&new]) {
                self.found.link([lost, new], Match::Identity);
            }
        }
    }

    /// Pairs what has another kind than the other side's version, which has another name than the base. A first merge gives a document
    /// of which both differ.
    fn by_kind_as_in(&mut self, other: &Self) {
        let version = |base: DocumentRef| Some(&other.unpaired[&other.found.right(base)?]);
        let (lost, new) = (|base| version(base)?.called(), |new| self.unpaired.get(&new)?.called());
        for [lost, new] in self.found.groups([&self.lost, &self.new], lost, new).iter().filter_map(Group::only) {
            if version(lost).is_some_and(|version| version.is_half_alike(&self.unpaired[&new])) {
                self.found.link([lost, new], Match::Identity);
            }
        }
    }

    /// Pairs what is alike enough, and nothing else as much.
    fn in_any_kind(&mut self) {
        for group in self.groups(|unit| (*unit.subject != Subject::Empty).then_some(())) {
            let sketch = |of: &DocumentRef| &self.unpaired[of].sketch;
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
fn is_clear_in_place(lost: &[&Unpaired<'_>], new: &[&Unpaired<'_>], at: usize) -> bool {
    let likeness = |l: usize, r: usize| lost[l].sketch.likeness(&new[r].sketch);
    let kind = lost[at].kind();
    if kind.is_none() || kind != new[at].kind() {
        return false;
    }
    let own = likeness(at, at);
    let mut near = at.saturating_sub(NEAR)..(at + NEAR + 1).min(lost.len());
    own >= LEAST_RENAMED && near.all(|other| likeness(at, other) <= own && likeness(other, at) <= own)
}
