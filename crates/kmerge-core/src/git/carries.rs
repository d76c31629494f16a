//! Whether a result carries what a side changed, found out without the walker that made the result.
//!
//! Compares values only: a field that the side added or changed has the side's value in the result, one that it removed is
//! not there, an element that it added or changed has a counterpart among the elements of the result. What both sides
//! wrote into one text is carried when merging the side's lines once more would change nothing.
//!
//! It may say no although everything is there (deep or huge values: the work is bounded), but says yes only for a reason.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Kind, Node, Stream};

use crate::lines::{self, Region, Side as LineSide, Style, Texts};
use crate::resource::{Resource, ResourceId};

/// Values nested deeper than this are not followed.
const DEEPEST: usize = 100;
/// So many comparisons are made at most.
const FUEL: usize = 200_000;

/// Whether every change from `base` to `side` is in `result`.
pub(super) fn carries(base: &Stream<'_>, side: &Stream<'_>, result: &Stream<'_>) -> bool {
    let mut judge = Judge { fuel: FUEL };
    let [mut base, mut side, mut result] = [base, side, result].map(Documents::of);
    let is_gone = |name: &ResourceId| !side.named.contains_key(name);
    if base.named.keys().any(|name| is_gone(name) && result.named.contains_key(name)) {
        return false;
    }
    let is_everywhere = |name: &&ResourceId| base.named.contains_key(*name) && result.named.contains_key(*name);
    let names: Vec<ResourceId> = side.named.keys().filter(is_everywhere).cloned().collect();
    let carries_named = names.into_iter().all(|name| {
        let [base, side, result] = [&mut base, &mut side, &mut result].map(|of| of.named.remove(&name));
        side.is_none_or(|side| judge.value(base, side, result, 0))
    });
    // What is left has no name, or another one than elsewhere: any of it may be any other, changed.
    carries_named && judge.elements(&base.rest(), &side.rest(), &result.rest(), 0)
}

/// The documents of a stream.
struct Documents<'t> {
    /// Resources of which there is one.
    named: HashMap<ResourceId, Node<'t>>,
    others: Vec<Node<'t>>,
}

impl<'t> Documents<'t> {
    fn of(stream: &'t Stream<'t>) -> Self {
        let mut documents = Self { named: HashMap::new(), others: Vec::new() };
        let mut repeated = HashSet::new();
        for root in stream.documents().filter_map(kyaml_ast::Document::root) {
            let Some(Resource { id, .. }) = Resource::of_node(root) else {
                documents.others.push(root);
                continue;
            };
            if repeated.contains(&id) {
                documents.others.push(root);
            } else if let Some(first) = documents.named.insert(id.clone(), root) {
                documents.named.remove(&id);
                documents.others.extend([first, root]);
                repeated.insert(id);
            }
        }
        documents
    }

    fn rest(self) -> Vec<Node<'t>> {
        self.named.into_values().chain(self.others).collect()
    }
}

struct Judge {
    fuel: usize,
}

impl Judge {
    fn value(&mut self, base: Option<Node<'_>>, side: Node<'_>, result: Option<Node<'_>>, depth: usize) -> bool {
        let own = side.digest();
        if base.is_some_and(|base| base.digest() == own) {
            return true;
        }
        let Some(result) = result else { return false };
        if result.digest() == own {
            return true;
        }
        if depth == DEEPEST || self.fuel == 0 || side.kind() != result.kind() {
            return false;
        }
        self.fuel -= 1;
        let base = base.filter(|base| base.kind() == side.kind());
        match side.kind() {
            Kind::Mapping => self.fields(base, side, result, depth),
            Kind::Sequence => {
                let was: Vec<_> = base.into_iter().flat_map(Node::children).collect();
                let (now, has): (Vec<_>, Vec<_>) = (side.children().collect(), result.children().collect());
                self.elements(&was, &now, &has, depth)
            }
            _ if side.tag() != result.tag() => false,
            _ => base.is_some_and(|base| has_lines(base, side, result)),
        }
    }

    fn fields(&mut self, base: Option<Node<'_>>, side: Node<'_>, result: Node<'_>, depth: usize) -> bool {
        let was = base.map(Fields::of).unwrap_or_default();
        let now = Fields::of(side);
        let has = Fields::of(result);
        was.0.iter().all(|(key, _)| now.get(*key).is_some() || has.get(*key).is_none())
            && now.0.iter().all(|(key, value)| self.value(was.get(*key), *value, has.get(*key), depth + 1))
    }

    fn elements(&mut self, base: &[Node<'_>], side: &[Node<'_>], result: &[Node<'_>], depth: usize) -> bool {
        let digests = |list: &[Node<'_>]| -> HashMap<u64, usize> {
            let mut counts = HashMap::new();
            for element in list {
                *counts.entry(element.digest()).or_default() += 1;
            }
            counts
        };
        let (was, now, has) = (digests(base), digests(side), digests(result));
        let count = |of: &HashMap<u64, usize>, element: u64| of.get(&element).copied().unwrap_or_default();
        let keeps_removed = |element: &u64| count(&now, *element) == 0 && count(&has, *element) > 0;
        if was.keys().any(keeps_removed) {
            return false;
        }
        let is_new = |element: &Node<'_>| {
            let digest = element.digest();
            count(&was, digest) < count(&now, digest) && count(&has, digest) < count(&now, digest)
        };
        let new: Vec<Node<'_>> = side.iter().copied().filter(is_new).collect();
        new.into_iter().all(|element| self.has_counterpart(base, element, result, depth))
    }

    /// Whether some element of the result is the side's element with more changes to it.
    fn has_counterpart(&mut self, base: &[Node<'_>], element: Node<'_>, result: &[Node<'_>], depth: usize) -> bool {
        let own = element.digest();
        for candidate in result {
            for was in base {
                if self.fuel == 0 {
                    return false;
                }
                self.fuel -= 1;
                let may_be =
                    [candidate, was].into_iter().all(|node| node.kind() == element.kind()) && was.digest() != own;
                if may_be && self.value(Some(*was), element, Some(*candidate), depth + 1) {
                    return true;
                }
            }
        }
        false
    }
}

/// The fields of a mapping by the digests of their keys, sorted; of those with one key, the last counts.
#[derive(Default)]
struct Fields<'t>(Vec<(u64, Node<'t>)>);

impl<'t> Fields<'t> {
    fn of(node: Node<'t>) -> Self {
        let entries = node.entries().filter_map(|entry| Some((entry.key()?.digest(), entry.value())));
        let mut fields: Vec<_> = entries.collect();
        fields.sort_by_key(|(key, _)| *key);
        Self(fields)
    }

    fn get(&self, key: u64) -> Option<Node<'t>> {
        let end = self.0.partition_point(|(other, _)| *other <= key);
        self.0[..end].last().filter(|(other, _)| *other == key).map(|(_, value)| *value)
    }
}

/// Whether merging the side's lines into the result's would change nothing.
fn has_lines(base: Node<'_>, side: Node<'_>, result: Node<'_>) -> bool {
    let [base, side, result] = [base, side, result].map(lines_of);
    if [&base, &side, &result].iter().all(|text| text.lines().count() < 2) {
        return false;
    }
    let texts = Texts { base: base.as_bytes(), ours: result.as_bytes(), theirs: side.as_bytes() };
    let is_ours = |region: &Region| matches!(region, Region::Clean { side: LineSide::Ours, .. });
    lines::merge(texts, Style::Merge).iter().all(is_ours)
}

/// What a scalar says line by line; of text that runs over several lines of the source, these.
fn lines_of(node: Node<'_>) -> String {
    if node.kind().is_block_scalar() {
        return node.value().into_owned();
    }
    node.text().lines().flat_map(|line| [line.trim(), "\n"]).collect()
}
