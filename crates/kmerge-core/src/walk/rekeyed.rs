//! Finds fields that both sides replaced by other fields at one place.
//!
//! The alignment sees a renamed field as one removal and one addition. With two new names, both would be added, and
//! there would be two fields instead of one. A scalar field counts as renamed if a new field with the same value stands
//! in its place, between the same fields. Any field counts as replaced if each side has exactly one new field there and
//! no other field was removed there, but for as many as both sides replaced alike.
//!
//! Also finds scalar fields that one side renamed in their place, and the other removed.

use std::cell::LazyCell;
use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, EntryId, Node};

use super::leaf::Scope;
use super::unkeyed::Whole;
use super::{Change, Frame, Walker};
use crate::correspond::{Aligned, HALF, Identity, field_name, share_of_ends};
use crate::equal::{is_null, same_value};
use crate::plan::Role;
use crate::resolve::{Outcome, Rule};
use crate::slots::{Side, Slots};

/// A new field of a side, with its row.
type New<'a> = (usize, Entry<'a>);

/// The fields that only one side has, at one place.
struct NewFields<'a> {
    /// By text, in order.
    scalars: HashMap<String, VecDeque<New<'a>>>,
    /// If there is only one.
    only: Option<New<'a>>,
    /// How many fields both sides have anew there: before the only one, and in all.
    alike: [usize; 2],
}

/// Joins the rows of scalar fields that one side renamed in their place, and the other removed: a removal is against every change, that
/// of a name, too. A value that several fields of the base have says nothing.
pub(super) fn join(aligned: &mut Aligned, nodes: &Slots<Node<'_>>) {
    if nodes.base.is_none_or(|base| aligned.has_all_of(base)) {
        return;
    }
    let [ours, theirs] = [Side::Dest, Side::Incoming].map(|side| aligned.new_by_place(side, nodes));
    let all = nodes.base.into_iter().flat_map(Node::entries).map(|entry| (entry.id(), entry.id()));
    let known = LazyCell::new(|| only_scalars(nodes.base, all));
    for gap in aligned.gaps(Side::Base, nodes) {
        let Some((side, new)) = of_one_side(ours.get(&gap.before), theirs.get(&gap.before)) else { continue };
        let gone: HashSet<EntryId> = gap.gone().collect();
        if gone.is_empty() {
            continue;
        }
        let new = new.iter().filter_map(|row| Some((*row, *aligned.rows[*row].get(side)?)));
        let pairs = renamed(&known, only_scalars(nodes.get(side).copied(), new));
        let pairs = pairs.into_iter().filter(|(_, old)| gone.contains(old));
        pairs.for_each(|(row, old)| aligned.rows[row].base = Some(old));
    }
}

/// The new rows at a place, if one side alone has some.
fn of_one_side<'r>(ours: Option<&'r Vec<usize>>, theirs: Option<&'r Vec<usize>>) -> Option<(Side, &'r [usize])> {
    match (ours?.as_slice(), theirs?.as_slice()) {
        ([], []) => None,
        (new, []) => Some((Side::Dest, new)),
        ([], new) => Some((Side::Incoming, new)),
        _ => None,
    }
}

/// Scalar fields by their text, each with what is known of it; `None` where several have that text.
type Scalars<'t, T> = HashMap<String, Option<(T, Entry<'t>)>>;

fn only_scalars<T>(mapping: Option<Node<'_>>, entries: impl Iterator<Item = (T, EntryId)>) -> Scalars<'_, T> {
    let mut found = HashMap::new();
    let fields = entries.filter_map(|(known, entry)| Some((known, mapping?.stream().entry(entry))));
    for field in fields.filter(|(_, field)| field.value().kind().is_scalar() && !is_null(field.value())) {
        found.entry(text(field.1)).and_modify(|seen| *seen = None).or_insert(Some(field));
    }
    found
}

/// The rows of new fields that are old ones under another key: at least half is left of key and value together.
fn renamed(known: &Scalars<'_, EntryId>, new: Scalars<'_, usize>) -> Vec<(usize, EntryId)> {
    let pair = |(text, new): (String, _)| {
        let ((row, new), (id, old)): ((_, Entry<'_>), _) = (new?, (*known.get(&text)?)?);
        let whole = |field: Entry<'_>| field_name(field) + &text;
        let is_renamed = same_value(new.value(), old.value()) && share_of_ends(&whole(old), &whole(new)) >= HALF;
        is_renamed.then_some((row, id))
    };
    new.into_iter().filter_map(pair).collect()
}

impl<'a> Walker<'a> {
    /// Makes a conflict of the fields that both sides put in the place of one field. If the policy lets one side win, takes
    /// that side's field.
    pub(super) fn rekeyed(&mut self, frame: &mut Frame<'a>) {
        if frame.identity != Identity::Field || frame.whole == Whole::Taken {
            return;
        }
        let Slots { dest: Some(_), base: Some(base), incoming: Some(_) } = frame.nodes else { return };
        if frame.aligned.has_all_of(base) {
            return;
        }
        let new = [Side::Dest, Side::Incoming].map(|side| frame.aligned.new_by_place(side, &frame.nodes));
        for gap in frame.aligned.gaps(Side::Base, &frame.nodes) {
            let gone: Vec<Entry<'a>> = gap.gone().map(|field| base.stream().entry(field)).collect();
            let new = new.each_ref().map(|new| self.new_fields(frame, &new[&gap.before]));
            self.rekey_all(frame, &gone, new);
        }
    }

    /// Decides the fields that are gone from one place.
    fn rekey_all(&mut self, frame: &mut Frame<'a>, gone: &[Entry<'a>], mut new: [NewFields<'a>; 2]) {
        let replaced = replaced(gone.len(), &new);
        // What is known by its place comes first: others may have the same value.
        let others = (0..gone.len()).filter(|place| replaced != Some(*place));
        for place in replaced.into_iter().chain(others) {
            let (field, is_replaced) = (&gone[place], replaced == Some(place));
            if let [Some(our), Some(their)] = new.each_ref().map(|new| new.successor(*field, is_replaced)) {
                new.iter_mut().for_each(|new| new.use_up(*field));
                self.rekey(frame, [our.0, their.0], Slots::three(our.1, *field, their.1));
            }
        }
    }

    fn new_fields(&self, frame: &Frame<'a>, rows: &[usize]) -> NewFields<'a> {
        let (mut new, mut alike): (Vec<New<'a>>, _) = (Vec::new(), [0, 0]);
        for row in rows {
            let entries = self.entries(frame.aligned.rows[*row]);
            let mut present = entries.present();
            match (present.next(), present.next()) {
                (Some((_, field)), None) => new.push((*row, *field)),
                _ => alike = [alike[0] + usize::from(new.is_empty()), alike[1] + 1],
            }
        }
        let mut scalars: HashMap<String, VecDeque<New<'a>>> = HashMap::new();
        new.iter().for_each(|new| scalars.entry(text(new.1)).or_default().push_back(*new));
        NewFields { scalars, only: if let [only] = new[..] { Some(only) } else { None }, alike }
    }

    /// Decides a field that has a successor on both sides.
    fn rekey(&mut self, frame: &mut Frame<'a>, [our_row, their_row]: [usize; 2], fields: Slots<Entry<'a>>) {
        let outcome = self.policy.both_changed.outcome();
        self.decide(Role::Name, outcome, Rule::BothChanged, fields);
        if outcome == Outcome::Take {
            frame.changes.insert(our_row, Change::Remove);
            return;
        }
        frame.changes.remove(&their_row);
        if let (Outcome::Conflict, Some(place)) = (outcome, frame.place()) {
            frame.changes.remove(&our_row);
            self.report(Role::Name, place, fields.map(Entry::span), |side| Scope::Entry.version(fields, side));
        }
    }
}

impl<'a> NewFields<'a> {
    /// The new field in the place of a removed one: a scalar with another name and the same value, or the only new
    /// field there.
    fn successor(&self, gone: Entry<'a>, is_only: bool) -> Option<New<'a>> {
        let alike = self.scalars.get(&text(gone)).and_then(|alike| alike.front()).copied();
        let is_renamed = |new: &New<'a>| gone.value().kind().is_scalar() && same_value(new.1.value(), gone.value());
        alike.filter(is_renamed).or(if is_only { self.only } else { None })
    }

    /// Uses up the field that replaced another one, because each field replaces at most one.
    fn use_up(&mut self, gone: Entry<'a>) {
        self.only = None;
        self.scalars.get_mut(&text(gone)).map(VecDeque::pop_front);
    }
}

/// Which of so many fields that are gone was replaced by the only new field of each side: the only one, or, where as many others were
/// replaced alike, the one in the place of that field on both sides.
fn replaced(gone: usize, new: &[NewFields<'_>; 2]) -> Option<usize> {
    let [[before, alike], theirs] = new.each_ref().map(|new| new.alike);
    match gone {
        1 => Some(0),
        _ => (gone == alike + 1 && theirs == [before, alike]).then_some(before),
    }
}

/// The text of a scalar. Empty for any other value.
fn text(field: Entry<'_>) -> String {
    let value = field.value();
    if value.kind().is_scalar() { value.value().into_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use kyaml_ast::{Document, Stream};

    use super::*;
    use crate::correspond::align;

    /// What is one field under two names, as `old > new`.
    fn joined([base, dest, incoming]: [&str; 3]) -> Vec<String> {
        let streams = [base, dest, incoming].map(|text| Stream::parse(text).expect("YAML"));
        let [base, dest, incoming] =
            streams.each_ref().map(|it| it.documents().find_map(Document::root).expect("a root"));
        let nodes = Slots::three(dest, base, incoming);
        let mut aligned = align(&nodes, Identity::Field);
        join(&mut aligned, &nodes);
        let name =
            |side: Side, row: &Slots<EntryId>| Some(field_name(nodes.get(side)?.stream().entry(*row.get(side)?)));
        let names = |row| Some([name(Side::Base, row)?, name(Side::Dest, row).or_else(|| name(Side::Incoming, row))?]);
        let renamed = aligned.rows.iter().filter_map(names).filter(|[old, new]| old != new);
        renamed.map(|[old, new]| format!("{old} > {new}")).collect()
    }

    #[test]
    fn a_field_is_renamed_if_half_of_it_is_left_in_its_place() {
        for (versions, expected) in [
            (["{a: 1, old: 22}", "{a: 1}", "{a: 1, olds: 22}"], &["old > olds"][..]),
            (["{url: a/long/one, z: 1}", "{z: 1}", "{home: a/long/one, z: 1}"], &["url > home"]),
            (["{old_a: x, old_b: y}", "{}", "{new_a: x, new_b: y}"], &["old_a > new_a", "old_b > new_b"]),
            // Another value, or another place.
            (["{a: 1, old: 22}", "{a: 1}", "{a: 1, olds: 23}"], &[]),
            (["{a: 1, old: 22}", "{a: 1}", "{olds: 22, a: 1}"], &[]),
            // A value alone, which many fields have.
            (["{enabled: true}", "{}", "{active: true}"], &[]),
            (["{old: }", "{}", "{olds: }"], &[]),
            // Which one?
            (["{old_a: x, old_b: x}", "{}", "{old_c: x}"], &[]),
            (["{old_a: x}", "{}", "{old_b: x, old_c: x}"], &[]),
            (["{old_a: x, old_b: x, z: 1}", "{old_b: x, z: 1}", "{old_c: x, old_b: x, z: 1}"], &[]),
            // Still there, or replaced on both sides.
            (["{old: 22}", "{old: 23}", "{olds: 22}"], &[]),
            (["{old: 22}", "{w: 1}", "{olds: 22}"], &[]),
            (["{old: {x: 1}}", "{}", "{olds: {x: 1}}"], &[]),
        ] {
            let [base, dest, incoming] = versions;
            assert_eq!(joined([base, dest, incoming]), expected, "{versions:?}");
            assert_eq!(joined([base, incoming, dest]), expected, "{versions:?}, turned");
        }
    }
}
