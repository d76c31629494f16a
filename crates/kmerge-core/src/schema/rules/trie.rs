//! All rules as one automaton, so that a cursor carries a single state however many rules there are.
//!
//! Invariant: it is deterministic. What `*` matches is copied into every field that is named beside it, and the other
//! way round, so the state after a step is the only one that can be.

use std::collections::BTreeMap;

use super::path::Step;
use super::{Rule, RuleError, RuleErrorKind, RuleList};

/// A place in the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State(u32);

impl State {
    /// Where nothing can match any more.
    pub(crate) const DEAD: Self = Self(u32::MAX);
    const ROOT: Self = Self(0);
    /// Far more than rules without `*` ever need; copies for `*` could grow exponentially.
    const LIMIT: usize = 1 << 16;
}

#[derive(Clone, Debug, Default)]
struct Steps {
    fields: BTreeMap<String, State>,
    any_field: Option<State>,
    item: Option<State>,
    /// The rules for the list here, in the order in which they were given.
    rules: Vec<usize>,
}

/// A resource as the rules see it: its group and kind, as far as any rule names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    group: Option<u32>,
    kind: Option<u32>,
}

/// The rules of one schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// What each rule says, and for which resources.
    lists: Vec<(Scope, RuleList)>,
    /// The groups and kinds that rules name.
    names: BTreeMap<String, u32>,
    states: Vec<Steps>,
}

impl Rules {
    /// Whether there is no rule at all.
    pub(crate) const fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Compiles rules; later ones win over earlier ones.
    pub(crate) fn new(rules: Vec<Rule>) -> Result<Self, RuleError> {
        let mut automaton = Self { states: vec![Steps::default()], ..Self::default() };
        for Rule { group, kind, path, list } in rules {
            let scope = Scope { group: automaton.name(group), kind: automaton.name(kind) };
            automaton.insert(&path.0, automaton.lists.len())?;
            automaton.lists.push((scope, list));
        }
        Ok(automaton)
    }

    /// The state at the root of a resource.
    pub(crate) fn root(&self) -> State {
        if self.lists.is_empty() { State::DEAD } else { State::ROOT }
    }

    /// What rules can tell apart of a resource's group and kind.
    pub(crate) fn scope(&self, group: &str, kind: &str) -> Scope {
        Scope { group: self.names.get(group).copied(), kind: self.names.get(kind).copied() }
    }

    /// The state inside a field.
    pub(crate) fn field(&self, state: State, name: &str) -> State {
        let Some(steps) = self.steps(state) else { return State::DEAD };
        steps.fields.get(name).copied().or(steps.any_field).unwrap_or(State::DEAD)
    }

    /// The state inside an item.
    pub(crate) fn item(&self, state: State) -> State {
        self.steps(state).and_then(|steps| steps.item).unwrap_or(State::DEAD)
    }

    /// What the last fitting rule makes of the list here.
    pub(crate) fn list(&self, state: State, scope: Scope) -> Option<&RuleList> {
        let fits = |wanted: Option<u32>, found: Option<u32>| wanted.is_none() || wanted == found;
        let lists = self.steps(state)?.rules.iter().rev().filter_map(|&index| self.lists.get(index));
        lists
            .into_iter()
            .find(|(wanted, _)| fits(wanted.group, scope.group) && fits(wanted.kind, scope.kind))
            .map(|(_, list)| list)
    }

    /// The number of a name, which is new or known.
    fn name(&mut self, name: Option<String>) -> Option<u32> {
        let next = self.names.len() as u32;
        name.map(|name| *self.names.entry(name).or_insert(next))
    }

    fn steps(&self, state: State) -> Option<&Steps> {
        self.states.get(state.0 as usize)
    }

    fn insert(&mut self, path: &[Step], rule: usize) -> Result<(), RuleError> {
        let mut open = vec![State::ROOT];
        for step in path {
            let mut next = Vec::new();
            for state in open {
                self.extend(state, step, &mut next)?;
            }
            open = next;
        }
        open.into_iter().for_each(|state| self.at(state).rules.push(rule));
        Ok(())
    }

    /// Adds to `next` every state that the step leads to.
    fn extend(&mut self, state: State, step: &Step, next: &mut Vec<State>) -> Result<(), RuleError> {
        let steps = self.at(state);
        let (any_field, item) = (steps.any_field, steps.item);
        match step {
            Step::Field(name) => {
                let known = steps.fields.get(name).copied();
                let found = match (known, any_field) {
                    (Some(found), _) => found,
                    (None, Some(any)) => self.copy(any)?,
                    (None, None) => self.push(Steps::default())?,
                };
                if known.is_none() {
                    self.at(state).fields.insert(name.clone(), found);
                }
                next.push(found);
            }
            Step::AnyField => {
                next.extend(steps.fields.values());
                let found = self.known_or_new(any_field)?;
                self.at(state).any_field = Some(found);
                next.push(found);
            }
            Step::Item => {
                let found = self.known_or_new(item)?;
                self.at(state).item = Some(found);
                next.push(found);
            }
        }
        Ok(())
    }

    fn known_or_new(&mut self, known: Option<State>) -> Result<State, RuleError> {
        known.map_or_else(|| self.push(Steps::default()), Ok)
    }

    /// Copies a state and all that it leads to.
    fn copy(&mut self, original: State) -> Result<State, RuleError> {
        let steps = self.at(original).clone();
        let copy = self.push(steps)?;
        let mut open = vec![copy];
        while let Some(state) = open.pop() {
            let mut steps = self.at(state).clone();
            let Steps { fields, any_field, item, .. } = &mut steps;
            for child in fields.values_mut().chain(any_field).chain(item) {
                let inner = self.at(*child).clone();
                *child = self.push(inner)?;
                open.push(*child);
            }
            *self.at(state) = steps;
        }
        Ok(copy)
    }

    fn push(&mut self, steps: Steps) -> Result<State, RuleError> {
        if self.states.len() == State::LIMIT {
            return Err(RuleErrorKind::TooMany.into());
        }
        self.states.push(steps);
        Ok(State(self.states.len() as u32 - 1))
    }

    fn at(&mut self, state: State) -> &mut Steps {
        &mut self.states[state.0 as usize]
    }
}
