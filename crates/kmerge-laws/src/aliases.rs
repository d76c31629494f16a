//! Values with what their aliases refer to in place of the aliases.

use std::collections::{HashMap, HashSet};

use kyaml_ast::{NodeId, Stream, StreamId};

use crate::model::{Data, From, Order, Value, roots};

/// Nodes of one value beyond which an alias stays: bombs are not worth their memory.
const MOST: usize = 20_000;

/// What edited documents mean. Aliases that stay refer to their node, or to a grafted one with its name if it is gone;
/// grafted ones to what has their name in the destination, unless that is another field with another value, or their own node
/// came along; otherwise they mean what they meant at home.
pub(crate) fn wanted(streams: &[&Stream<'_>], documents: Vec<Value>) -> Vec<Value> {
    let homes: Vec<Home> = streams.iter().map(|stream| Home::of(stream)).collect();
    let expanded = documents.into_iter().map(|root| Scope::new(&homes).expand(root));
    expanded.collect()
}

/// What documents mean as they are.
pub(crate) fn found(documents: Vec<Value>) -> Vec<Value> {
    wanted(&[], documents)
}

/// The anchored nodes of one stream, and the aliases to them.
struct Home {
    targets: HashMap<NodeId, NodeId>,
    /// Aliases inside the node that they refer to.
    inside: HashSet<NodeId>,
    values: HashMap<NodeId, Value>,
    /// The keys of the fields that nodes are the values of.
    keys: HashMap<NodeId, String>,
}

impl Home {
    fn of(stream: &Stream<'_>) -> Self {
        let (targets, inside, values, keys) = Default::default();
        let mut home = Self { targets, inside, values, keys };
        let documents = stream.documents().filter_map(kyaml_ast::Document::root);
        for (root, plain) in documents.zip(roots(stream)) {
            let mut scope = Scope::new(&[]);
            let mut order = Vec::new();
            let mut todo = vec![root];
            while let Some(node) = todo.pop() {
                order.push(node);
                let fields = node
                    .entries()
                    .filter_map(|entry| Some((entry.value().id(), entry.key()?.key_text()?.into_owned())));
                home.keys.extend(fields);
                todo.extend(node.children().collect::<Vec<_>>().into_iter().rev());
            }
            let mut names: HashMap<&str, NodeId> = HashMap::new();
            for node in order {
                names.extend(node.anchor().map(|name| (name, node.id())));
                let target = node.alias().and_then(|name| names.get(name));
                home.targets.extend(target.map(|target| (node.id(), *target)));
                let holds = target.is_some_and(|target| stream.node(*target).span().contains(node.span()));
                home.inside.extend(holds.then_some(node.id()));
            }
            scope.collect(root, plain, &mut home.values);
        }
        home
    }
}

struct Scope<'h> {
    homes: &'h [Home],
    names: HashMap<String, (Option<From>, Option<Value>)>,
    /// Nodes that stay, and their values once they are complete.
    seen: HashMap<NodeId, Option<Value>>,
    /// Anchored nodes that came along.
    brought: HashSet<(StreamId, NodeId)>,
    /// The anchored nodes around the place, and how deep they are.
    open: Vec<(String, Option<From>, usize)>,
    depth: usize,
}

impl<'h> Scope<'h> {
    fn new(homes: &'h [Home]) -> Self {
        let (names, seen, brought, open) = Default::default();
        Self { homes, names, seen, brought, open, depth: 0 }
    }

    /// Expands `root` and keeps the value of each of its anchored nodes.
    fn collect(&mut self, node: kyaml_ast::Node<'_>, value: Value, out: &mut HashMap<NodeId, Value>) {
        let tagged = label(node, value);
        let expanded = self.expand(tagged);
        keep(&expanded, out);
    }

    fn expand(&mut self, value: Value) -> Value {
        if let Data::Alias(name) = &value.data {
            let home =
                value.from.filter(|from| !from.2).and_then(|from| Some((from.1, self.homes.get(from.0.0 as usize)?)));
            if home.is_some_and(|(alias, home)| !home.targets.contains_key(&alias)) {
                return Value { data: Data::Anything, ..value };
            }
            return match (self.alias(name, value.from), self.enclosing(name, value.from)) {
                (Some(value), _) => value,
                (None, Some(depth)) => Value { data: Data::Alias(format!("node around at depth {depth}")), ..value },
                (None, None) => value,
            };
        }
        if let Some(name) = &value.anchor {
            self.open.push((name.clone(), value.from, self.depth));
            self.names.insert(name.clone(), (value.from, None));
            self.seen.extend(value.from.filter(|from| from.2).map(|from| (from.1, None)));
            self.brought.extend(value.from.filter(|from| !from.2).map(|from| (from.0, from.1)));
        }
        self.depth += 1;
        let data = match value.data {
            Data::Mapping(pairs) => {
                Data::Mapping(pairs.into_iter().map(|(key, item)| (self.expand(key), self.expand(item))).collect())
            }
            Data::Sequence(items) => Data::Sequence(items.into_iter().map(|item| self.expand(item)).collect()),
            data => data,
        };
        self.depth -= 1;
        let value = Value { data, ..value };
        if let Some(name) = &value.anchor {
            self.open.pop();
            let place = value.from.filter(|from| from.2).and_then(|from| self.seen.get_mut(&from.1));
            if let Some(place) = place {
                *place = Some(value.clone());
            }
            // A name that was taken over within the node stays with its new owner.
            let is_current = self.names.get(name).is_some_and(|(from, known)| *from == value.from && known.is_none());
            if is_current {
                self.names.insert(name.clone(), (value.from, Some(value.clone())));
            }
        }
        value
    }

    /// How deep the node is that an alias inside it refers to; the name of its anchor does not matter.
    fn enclosing(&self, name: &str, from: Option<From>) -> Option<usize> {
        let home = from.and_then(|from| Some((from, self.homes.get(from.0.0 as usize)?.targets.get(&from.1)?)));
        let is_it = |(_, open, _): &&(String, Option<From>, usize)| {
            home.is_some_and(|(from, origin)| *open == Some((from.0, *origin, from.2)))
        };
        let found = self.open.iter().rfind(is_it).or_else(|| self.open.iter().rfind(|(open, ..)| open == name));
        found.map(|(_, _, depth)| *depth)
    }

    fn alias(&self, name: &str, from: Option<From>) -> Option<Value> {
        let current = self.names.get(name);
        let by_name = || current.and_then(|(_, value)| value.clone()).filter(|value| size(value) < MOST);
        let Some(((stream, alias, in_place), home)) =
            from.and_then(|from| Some((from, self.homes.get(from.0.0 as usize)?)))
        else {
            return by_name();
        };
        let Some(origin) = home.targets.get(&alias).copied() else { return by_name() };
        let at_home = || home.values.get(&origin).cloned().filter(|value| size(value) < MOST);
        let Some((source, known)) = current else { return at_home() };
        if known.is_none() && !in_place && !home.inside.contains(&alias) {
            return at_home();
        }
        let is_it = source.is_some_and(|(id, node, _)| (id, node) == (stream, origin));
        let named_in_place = source.is_some_and(|source| source.2);
        let by_name_means_it = match in_place {
            true if self.seen.contains_key(&origin) => {
                return self.seen[&origin].clone().filter(|value| size(value) < MOST);
            }
            true => !named_in_place,
            false if self.brought.contains(&(stream, origin)) => is_it && !named_in_place,
            false if is_it => true,
            false => {
                source.is_none_or(|source| source.0 != stream && !self.is_something_else(source, (stream, origin)))
            }
        };
        if by_name_means_it { by_name() } else { at_home() }
    }
}

impl Scope<'_> {
    /// Whether a node that stays is another field than one of another stream, with another value.
    fn is_something_else(&self, (stream, node, in_place): From, (other_stream, other): (StreamId, NodeId)) -> bool {
        let [home, other_home] = [stream, other_stream].map(|stream| self.homes.get(stream.0 as usize));
        let (Some(home), Some(other_home)) = (home, other_home) else { return false };
        let are_same = match (home.values.get(&node), other_home.values.get(&other)) {
            (Some(value), Some(other)) => value.same(other, Order::Kept),
            _ => false,
        };
        in_place && home.keys.get(&node) != other_home.keys.get(&other) && !are_same
    }
}

/// Notes on each value which node it is.
fn label(node: kyaml_ast::Node<'_>, value: Value) -> Value {
    let entries: Vec<_> = node.entries().collect();
    let data = match value.data {
        Data::Mapping(pairs) => Data::Mapping(
            pairs
                .into_iter()
                .zip(&entries)
                .filter_map(|((key, item), entry)| Some((label(entry.key()?, key), label(entry.value(), item))))
                .collect(),
        ),
        Data::Sequence(items) => {
            Data::Sequence(items.into_iter().zip(&entries).map(|(item, entry)| label(entry.value(), item)).collect())
        }
        data => data,
    };
    Value { from: Some((StreamId(0), node.id(), true)), data, ..value }
}

fn keep(value: &Value, out: &mut HashMap<NodeId, Value>) {
    if let (Some(_), Some(from)) = (&value.anchor, value.from) {
        out.entry(from.1).or_insert_with(|| value.clone());
    }
    match &value.data {
        Data::Mapping(pairs) => pairs.iter().for_each(|(key, item)| {
            keep(key, out);
            keep(item, out);
        }),
        Data::Sequence(items) => items.iter().for_each(|item| keep(item, out)),
        Data::Scalar { .. } | Data::Alias(_) | Data::Anything => {}
    }
}

fn size(value: &Value) -> usize {
    1 + match &value.data {
        Data::Mapping(pairs) => pairs.iter().map(|(key, item)| size(key) + size(item)).sum(),
        Data::Sequence(items) => items.iter().map(size).sum(),
        Data::Scalar { .. } | Data::Alias(_) | Data::Anything => 0,
    }
}
