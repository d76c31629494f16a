//! What has to hold for merges of lists: which items are in the result, with which values, in which order.
//!
//! Owns cases that are made of items, so that the outcome can be said without YAML: of every item whether it is there, of
//! every two items which comes first, each by the three-way rule. A result is read back into items. Where a merge has conflicts,
//! each chosen side is one result.

mod facts;
mod shapes;

use kmerge_core::git::{Written, merge as merge_for_git};
use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::{BothChanged, ConflictStyle, Outcome, Policy, Removal, Rule, Schema, Slots, merge, render};
use kmerge_testgen::Rng;
use kyaml_ast::Stream;

use crate::merge::choose;
pub use shapes::Shape;

/// An item: what it is called, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// What makes it the same on all sides.
    pub name: char,
    /// What may change; always 0 where an item is nothing but its name.
    pub value: u8,
}

/// Three versions of a list.
#[derive(Clone, Debug)]
pub struct OrderCase {
    /// What the list is.
    pub shape: Shape,
    /// The common ancestor's items.
    pub base: Vec<Item>,
    /// Ours.
    pub ours: Vec<Item>,
    /// Theirs.
    pub theirs: Vec<Item>,
}

const LABELS: Labels<'static> = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
const MARKERS: ConflictStyle<'static> = ConflictStyle::Markers { style: Style::Merge, labels: LABELS };

impl OrderCase {
    /// A random case of a shape.
    #[must_use]
    pub fn random(shape: Shape, random: &mut Rng) -> Self {
        Self::with_changes(shape, random, 2)
    }

    /// A case of which each side changed more than one thing: what is in conflict has much to do with what is not.
    #[must_use]
    pub fn tangled(shape: Shape, random: &mut Rng) -> Self {
        Self::with_changes(shape, random, 4)
    }

    fn with_changes(shape: Shape, random: &mut Rng, most: usize) -> Self {
        let base: Vec<Item> = (0..random.between(most, most.max(5))).map(|at| item(at, 0)).collect();
        let mut new = 5;
        let mut side = |random: &mut Rng| {
            let mut items = base.clone();
            for _ in 0..random.between(most / 2, most) {
                change(&mut items, shape, random, &mut new);
            }
            items
        };
        let (ours, theirs) = (side(random), side(random));
        Self { shape, base, ours, theirs }
    }

    fn swapped(&self) -> Self {
        Self { ours: self.theirs.clone(), theirs: self.ours.clone(), ..self.clone() }
    }

    /// The three files: base, ours, theirs.
    #[must_use]
    pub fn texts(&self) -> [String; 3] {
        [&self.base, &self.ours, &self.theirs].map(|items| self.shape.text(items))
    }

    /// What is wrong with the merges of the case: by the driver, by a plan under its policy, which nothing proves, by `merge3`.
    #[must_use]
    pub fn faults(&self, schema: &Schema) -> Vec<String> {
        let driver = self.driver(schema);
        let mut faults = named("driver", &self.judge(&driver));
        faults.extend(named("driver", &self.direction(&driver, &self.swapped().driver(schema))));
        let planned = self.planned(&Policy::GIT, schema);
        faults.extend(named("plan", &self.judge(&planned)));
        if driver.conflict != planned.conflict
            || !driver.conflict && self.read(&driver.text) != self.read(&planned.text)
        {
            faults.push("plan: another outcome than the driver's".to_owned());
        }
        faults.extend(named("merge3", &self.merge3(schema)));
        faults
    }

    fn driver(&self, schema: &Schema) -> Written {
        let [base, ours, theirs] = self.texts();
        let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        merge_for_git(texts, schema).write(&MARKERS)
    }

    fn planned(&self, policy: &Policy, schema: &Schema) -> Written {
        let (text, conflict, _) = self.plan(policy, schema);
        Written { text: text.into_bytes(), conflict }
    }

    /// The merge under a policy: its text, whether it has conflicts, and whether the policy decided something.
    fn plan(&self, policy: &Policy, schema: &Schema) -> (String, bool, bool) {
        let [base, ours, theirs] = self.texts();
        let parse = |text| Stream::parse(text).expect("what is printed here is YAML");
        let [base, ours, theirs] = [&base, &ours, &theirs].map(|text| parse(text));
        let sides = Slots { dest: Some(&ours), base: Some(&base), incoming: Some(&theirs) };
        let plan = merge(sides, schema, policy).expect("there are no directives");
        let style = ConflictStyle::Markers { style: Style::Merge, labels: LABELS };
        let text = render(&plan, sides, &style).expect("a plan can be written");
        let is_decided =
            plan.decisions.iter().any(|it| it.rule == Rule::BothChanged && it.outcome != Outcome::Conflict);
        (text, !plan.conflicts.is_empty(), is_decided)
    }

    /// A result that nothing was decided for is right, and does not depend on what is to happen to conflicts.
    fn merge3(&self, schema: &Schema) -> Vec<String> {
        let (text, _, is_decided) = self.plan(&Policy::MERGE3, schema);
        let mut faults = Vec::new();
        if !is_decided {
            faults = self.judge(&Written { text: text.clone().into_bytes(), conflict: false });
        }
        let whole = Policy { removal: Removal::Whole, ..Policy::MERGE3 };
        let (other, conflict, _) = self.plan(&Policy { both_changed: BothChanged::Conflict, ..whole }, schema);
        let (kept, _, _) = self.plan(&Policy { both_changed: BothChanged::Keep, ..whole }, schema);
        if !conflict && (other != text || kept != text) {
            faults.push("--on-conflict changes a merge without conflicts".to_owned());
        }
        if conflict && !is_decided {
            faults.push("a conflict that is decided without a word".to_owned());
        }
        faults
    }

    fn read(&self, text: &[u8]) -> Option<Vec<Item>> {
        self.shape.read(std::str::from_utf8(text).ok()?)
    }

    fn judge(&self, written: &Written) -> Vec<String> {
        let Ok(text) = std::str::from_utf8(&written.text) else { return vec!["not UTF-8".to_owned()] };
        if !written.conflict {
            let Some(items) = self.shape.read(text) else { return vec!["clean: not a list".to_owned()] };
            return named("clean", &facts::clean(self, &items));
        }
        let mut faults = Vec::new();
        for (is_ours, side) in [(true, &self.ours), (false, &self.theirs)] {
            match self.shape.read(&choose(text, is_ours)) {
                Some(items) => faults.extend(named("a chosen side", &facts::chosen(self, side, &items))),
                None => faults.push("a chosen side: not a list".to_owned()),
            }
        }
        faults.dedup();
        faults
    }

    fn direction(&self, there: &Written, back: &Written) -> Vec<String> {
        if there.conflict != back.conflict {
            return vec!["directions: a conflict in one".to_owned()];
        }
        let (Some(there), Some(back)) = (self.read(&there.text), self.read(&back.text)) else { return Vec::new() };
        if facts::are_alike(self, &there, &back) { Vec::new() } else { vec!["directions: another value".to_owned()] }
    }
}

fn named(what: &str, faults: &[impl std::fmt::Display]) -> Vec<String> {
    faults.iter().map(|fault| format!("{what}: {fault}")).collect()
}

fn item(at: usize, value: u8) -> Item {
    Item { name: char::from(b'a' + at as u8), value }
}

/// Moves, swaps, adds, removes, replaces or changes an item.
fn change(items: &mut Vec<Item>, shape: Shape, random: &mut Rng, new: &mut usize) {
    let (from, to) = (random.below(items.len()), random.below(items.len() + 1));
    let mut fresh = || {
        *new += 1;
        // Sometimes both sides add the same.
        if random.chance(15) { item(4 + *new % 2, 0) } else { item(*new, 0) }
    };
    let fresh = fresh();
    let is_known = items.iter().any(|item| item.name == fresh.name);
    match random.below(8) {
        0..=2 if !items.is_empty() => {
            let moved = items.remove(from);
            items.insert(to.min(items.len()), moved);
        }
        3 if items.len() > 1 => {
            let other = (from + 1) % items.len();
            items.swap(from, other);
        }
        4 if items.len() > 1 => drop(items.remove(from)),
        5 if !items.is_empty() && shape.has_values() => items[from].value = random.between(1, 2) as u8,
        6 if !items.is_empty() && !is_known => items[from] = fresh,
        _ if !is_known => items.insert(to, fresh),
        _ => {}
    }
}
