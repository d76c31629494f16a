//! Which resources are others of the base under a new name.
//!
//! First come those of which but the namespace is another, then those that differ in nothing but the name, then what stands in the place of what is gone, and then everything
//! that is left is compared with everything, if that is not too much. Nothing is taken for renamed where something else is
//! as likely.

use hashbrown::{HashMap, HashSet};

use super::pairing::{Name, Named};
use crate::correspond::{Fields, LEAST_RENAMED, MOST_PAIRS, Sketch, pair};
use crate::slots::Slots;

/// So many documents on either side of a place are compared with what stands there now.
const NEAR: usize = 3;

/// Gives resources that were renamed the name that the base has for them.
pub(super) fn find<'d>(named: &mut Slots<Named<'d>>) {
    let Some(base) = &named.base else { return };
    let [in_base, in_dest, in_incoming] = [Some(base), named.dest.as_ref(), named.incoming.as_ref()].map(names);
    let mut sketches = Sketches::new();
    let mut renamed = |side: Option<&Named<'d>>, own: &HashSet<&Name>| -> HashMap<Name, Name> {
        side.map(|side| Renames::of((base, &in_base), (side, own), &mut sketches).into_names()).unwrap_or_default()
    };
    let (dest, incoming) = (renamed(named.dest.as_ref(), &in_dest), renamed(named.incoming.as_ref(), &in_incoming));
    // What both sides have under its new name was renamed by both, or by none.
    let held = |own: &HashMap<Name, Name>, others: &HashSet<&Name>, same: &HashMap<Name, Name>| {
        let held = own.iter().filter(|(new, old)| !others.contains(new) || same.get(*new) == Some(old));
        held.map(|(new, old)| (new.clone(), old.clone())).collect::<HashMap<Name, Name>>()
    };
    let (of_dest, of_incoming) = (held(&dest, &in_incoming, &incoming), held(&incoming, &in_dest, &dest));
    drop((in_base, in_dest, in_incoming));
    for (documents, own) in [(&mut named.dest, of_dest), (&mut named.incoming, of_incoming)] {
        for (name, _) in documents.iter_mut().flatten() {
            if let Some(old) = own.get(name) {
                *name = old.clone();
            }
        }
    }
}

fn names<'n>(documents: Option<&'n Named<'_>>) -> HashSet<&'n Name> {
    documents.into_iter().flatten().map(|(name, _)| name).collect()
}

/// What documents hold, by their text: mostly the other side has the same ones.
type Sketches<'d> = HashMap<&'d str, Sketch<'static>>;

/// A document that only one of base and side has.
struct Unit<'n> {
    name: &'n Name,
    /// What both have before and behind it.
    place: [Option<&'n Name>; 2],
    sketch: Sketch<'static>,
}

impl<'n> Unit<'n> {
    /// Those of a stream of which `common` are in both.
    fn all<'d>(documents: &'n Named<'d>, common: &HashSet<&Name>, sketches: &mut Sketches<'d>) -> Vec<Self> {
        let mut units: Vec<Self> = Vec::new();
        let (mut before, mut open) = (None, 0);
        for (name, document) in documents {
            if common.contains(name) {
                units[open..].iter_mut().for_each(|unit| unit.place[1] = Some(name));
                (before, open) = (Some(name), units.len());
                continue;
            }
            let sketch = || document.root().map_or_else(Sketch::default, |root| Sketch::of_root(root, Fields::Body));
            let sketch = sketches.entry(document.text()).or_insert_with(sketch).clone();
            units.push(Self { name, place: [before, None], sketch });
        }
        units
    }

    /// Group and kind of a resource that says enough to be recognized.
    fn kind(&self) -> Option<(&'n str, &'n str)> {
        match self.name {
            Name::Resource(id, _) if self.sketch.says_enough() => Some((&id.group, &id.kind)),
            _ => None,
        }
    }
}

/// What of the base is gone on a side, and what is new there.
struct Renames<'n> {
    lost: Vec<Unit<'n>>,
    new: Vec<Unit<'n>>,
    /// For each of the new, what it was.
    was: Vec<Option<usize>>,
    is_found: Vec<bool>,
}

impl<'n> Renames<'n> {
    fn of<'d>(
        (base, in_base): (&'n Named<'d>, &HashSet<&Name>),
        (side, own): (&'n Named<'d>, &HashSet<&Name>),
        sketches: &mut Sketches<'d>,
    ) -> Self {
        let (lost, new) = (Unit::all(base, own, sketches), Unit::all(side, in_base, sketches));
        let (was, is_found) = (vec![None; new.len()], vec![false; lost.len()]);
        let mut renames = Self { lost, new, was, is_found };
        if !renames.lost.is_empty() && !renames.new.is_empty() {
            renames.by_namespace();
            renames.exact();
            renames.in_place();
            renames.by_kind();
            renames.in_any_kind();
        }
        renames
    }

    fn into_names(self) -> HashMap<Name, Name> {
        let pairs = self.new.iter().zip(&self.was).filter_map(|(new, was)| Some((new, &self.lost[(*was)?])));
        pairs.map(|(new, lost)| (new.name.clone(), lost.name.clone())).collect()
    }

    fn pair(&mut self, lost: usize, new: usize) {
        self.was[new] = Some(lost);
        self.is_found[lost] = true;
    }

    /// What is left of the base's and of the side's.
    fn rest(&self, is_wanted: impl Fn(&Unit<'n>) -> bool) -> [Vec<usize>; 2] {
        let lost = (0..self.lost.len()).filter(|&lost| !self.is_found[lost] && is_wanted(&self.lost[lost]));
        let new = (0..self.new.len()).filter(|&new| self.was[new].is_none() && is_wanted(&self.new[new]));
        [lost.collect(), new.collect()]
    }

    /// The rest by something that it has in common.
    fn groups<K: Eq + std::hash::Hash>(&self, key: impl Fn(&Unit<'n>) -> Option<K>) -> Vec<[Vec<usize>; 2]> {
        let mut groups: HashMap<K, [Vec<usize>; 2]> = HashMap::new();
        let rest = self.rest(|_| true);
        for (side, (units, indices)) in [&self.lost, &self.new].into_iter().zip(rest).enumerate() {
            for index in indices {
                key(&units[index]).into_iter().for_each(|key| groups.entry(key).or_default()[side].push(index));
            }
        }
        groups.into_values().collect()
    }

    /// Pairs what has another namespace only, whatever else changed: in all documents of a file at once, as a rule.
    fn by_namespace(&mut self) {
        let name = |unit: &Unit<'n>| match unit.name {
            Name::Resource(id, _) if !id.name.is_empty() => Some((&id.group, &id.kind, &id.name)),
            _ => None,
        };
        for group in self.groups(name) {
            if let [[lost], [new]] = group.each_ref().map(Vec::as_slice) {
                self.pair(*lost, *new);
            }
        }
    }

    /// Pairs what differs in nothing but the name, where there is but one of the kind.
    fn exact(&mut self) {
        for group in self.groups(|unit| Some((unit.kind()?, unit.sketch.clone()))) {
            if let [[lost], [new]] = group.each_ref().map(Vec::as_slice) {
                self.pair(*lost, *new);
            }
        }
    }

    /// Pairs what stands where as many others stood: each with the one at its place, if nothing near is more like either.
    /// However many there are, each is compared with a few.
    fn in_place(&mut self) {
        for [lost, new] in self.groups(|unit| Some(unit.place)) {
            if lost.len() == new.len() {
                for at in (0..lost.len()).filter(|&at| self.is_clear_in_place(&lost, &new, at)).collect::<Vec<_>>() {
                    self.pair(lost[at], new[at]);
                }
            }
        }
    }

    fn is_clear_in_place(&self, lost: &[usize], new: &[usize], at: usize) -> bool {
        let likeness = |l: usize, r: usize| self.lost[lost[l]].sketch.likeness(&self.new[new[r]].sketch);
        let kind = self.lost[lost[at]].kind();
        if kind.is_none() || kind != self.new[new[at]].kind() {
            return false;
        }
        let own = likeness(at, at);
        let mut near = at.saturating_sub(NEAR)..(at + NEAR + 1).min(lost.len());
        own >= LEAST_RENAMED && near.all(|other| likeness(at, other) <= own && likeness(other, at) <= own)
    }

    /// A kind stays what it is rather than a name.
    fn by_kind(&mut self) {
        for [lost, new] in self.groups(Unit::kind) {
            self.pair_alike(&lost, &new);
        }
    }

    fn in_any_kind(&mut self) {
        let [lost, new] = self.rest(|unit| !matches!(unit.name, Name::Empty(_)));
        self.pair_alike(&lost, &new);
    }

    /// Pairs what is alike enough, and nothing else as much.
    fn pair_alike(&mut self, lost: &[usize], new: &[usize]) {
        if lost.len().saturating_mul(new.len()) > MOST_PAIRS {
            return;
        }
        let (lefts, rights) = (lost.iter().map(|&lost| &self.lost[lost]), new.iter().map(|&new| &self.new[new]));
        let row =
            |left: &Unit<'_>| rights.clone().map(|right| left.sketch.likeness(&right.sketch)).collect::<Vec<u32>>();
        let table: Vec<Vec<u32>> = lefts.map(row).collect();
        for (l, r, found) in pair((lost.len(), new.len()), LEAST_RENAMED, |l, r| table[l][r]) {
            let is_clear = (0..lost.len()).all(|other| other == l || table[other][r] < found)
                && (0..new.len()).all(|other| other == r || table[l][other] < found);
            let says_enough = |unit: &Unit<'_>| unit.sketch.says_enough();
            if is_clear && says_enough(&self.lost[lost[l]]) && says_enough(&self.new[new[r]]) {
                self.pair(lost[l], new[r]);
            }
        }
    }
}
