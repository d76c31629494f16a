//! Which resources the statements of a script are about.
//!
//! Invariant: a selection is the same whether the changes before it were written or not. Where it may not be, they have to be
//! written first.

use std::collections::BTreeSet;

use kyaml_ast::{Changes, Pattern, Segment, Step};

use super::resources::Chosen;
use super::select::Selector;
use crate::resource::Resource;

/// Resources, by the positions of their documents and of themselves in these, in order.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    chosen: Vec<(usize, Option<usize>)>,
    /// How many resources there are.
    count: usize,
}

impl Selection {
    /// Those that any of these means; all documents where there are none.
    pub(super) fn new(all: &[Chosen<'_>], selectors: &[Selector]) -> Self {
        let is_meant = |choice: &&Chosen<'_>| match selectors {
            [] => choice.item.is_none(),
            some => some.iter().any(|selector| choice.is(selector)),
        };
        let chosen = all.iter().filter(is_meant).map(|choice| (choice.number, choice.item)).collect();
        Self { chosen, count: all.len() }
    }

    pub(super) const fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Where they stand among all resources; `None` if positions no longer mean what they meant: documents stay, items may come
    /// and go.
    pub(super) fn places(&self, all: &[Chosen<'_>]) -> Option<Vec<usize>> {
        let has_items = || self.chosen.iter().any(|(_, item)| item.is_some());
        if self.count != all.len() && has_items() {
            return None;
        }
        let place = |wanted| all.binary_search_by_key(wanted, |choice| (choice.number, choice.item)).ok();
        Some(self.chosen.iter().filter_map(place).collect())
    }
}

/// Resources with changes that were not compared with what selectors look at yet, by their places among all.
#[derive(Clone, Debug, Default)]
pub(super) struct Edited(BTreeSet<usize>);

impl Edited {
    pub(super) fn add(&mut self, place: usize) {
        self.0.insert(place);
    }

    /// Whether a selector may mean other resources once the changes are written.
    pub(super) fn may_concern(&mut self, selector: &Selector, all: &[Chosen<'_>], changes: &Changes<'_>) -> bool {
        let is_touched = |choice: &&Chosen<'_>| changes.touches(choice.root.id());
        let identity = identity();
        let is_same = |choice: &Chosen<'_>| {
            let is_list = choice.item.is_none() && Resource::listed(choice.root).is_some();
            !is_list && identity.iter().flat_map(|path| path.follow(choice.root)).all(|end| changes.holds(&end))
        };
        let mut edited = self.0.iter().filter_map(|place| all.get(*place)).filter(is_touched);
        if all.is_empty() || !edited.all(is_same) {
            return true;
        }
        self.0.clear();
        selector.has_conditions() && all.iter().filter(is_touched).any(|choice| selector.may_see(changes, choice.root))
    }
}

/// What a resource is known by.
fn identity() -> [Pattern; 4] {
    let paths: [&[&str]; 4] = [&["apiVersion"], &["kind"], &["metadata", "namespace"], &["metadata", "name"]];
    let field = |name: &&str| Step::One(Segment::Field((*name).to_owned()));
    paths.map(|names| names.iter().map(field).fold(Pattern::default(), Pattern::with))
}
