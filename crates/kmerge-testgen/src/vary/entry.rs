//! Edits of entries: added, removed, moved.

use super::{Target, has_references};
use crate::model::{Content, Entry, Form, Key, Node, Scalar};
use crate::random::small_node;
use crate::rng::Rng;
use crate::words::{WORDS, name};

/// Adds a field or item at a random place.
pub(super) fn insert(target: &mut Target<'_>, rng: &mut Rng) -> bool {
    let in_flow = target.in_flow || target.layout.form != Form::Block;
    let mut entry = match sibling(target, rng) {
        Some(sibling) if rng.chance(60) => like(sibling, rng),
        _ => Entry::item(if rng.chance(70) { Node::plain(name(rng)) } else { small_node(rng, in_flow) }),
    };
    entry.key = target.is_mapping.then(|| fresh_key(target, rng));
    target.entries.insert(rng.below(target.entries.len() + 1), entry);
    true
}

/// Removes an entry; the last one of a flow or root collection as well.
pub(super) fn remove(target: &mut Target<'_>, rng: &mut Rng) -> bool {
    let count = target.entries.len();
    let at = rng.below(count);
    if count == 0 || has_references(&target.entries[at]) || (count == 1 && rng.chance(80)) {
        return false;
    }
    target.entries.remove(at);
    true
}

/// Lets two entries change places, with what is above and behind them.
pub(super) fn reorder(target: &mut Target<'_>, rng: &mut Rng) -> bool {
    let count = target.entries.len();
    if count < 2 || target.entries.iter().any(has_references) {
        return false;
    }
    let from = rng.below(count);
    let entry = target.entries.remove(from);
    target.entries.insert((from + rng.between(1, count - 1)) % count, entry);
    true
}

/// An entry that can be copied.
fn sibling<'e>(target: &'e Target<'_>, rng: &mut Rng) -> Option<&'e Entry> {
    target.entries.get(rng.below(target.entries.len())).filter(|entry| !has_references(entry))
}

/// A copy of `sibling` with other names in it.
fn like(sibling: &Entry, rng: &mut Rng) -> Entry {
    let mut copy = Entry { lead: Vec::new(), trail: None, ..sibling.clone() };
    rename(&mut copy.value, rng);
    copy
}

fn rename(node: &mut Node, rng: &mut Rng) {
    match &mut node.content {
        Content::Scalar(Scalar { text, .. }) if text.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            *text = name(rng);
        }
        Content::Mapping(entries, _) | Content::Sequence(entries, _) => {
            if let Some(first) = entries.first_mut() {
                rename(&mut first.value, rng);
            }
        }
        _ => {}
    }
}

fn fresh_key(target: &Target<'_>, rng: &mut Rng) -> Key {
    let is_taken = |name: &str| {
        let keys = target.entries.iter().filter_map(|entry| entry.key.as_ref());
        keys.into_iter().any(|key| matches!(&key.node.content, Content::Scalar(scalar) if scalar.text == name))
    };
    let mut name = rng.pick(WORDS).to_owned();
    while is_taken(&name) {
        name.push_str("-new");
    }
    Key { node: Node::plain(name), explicit: false }
}
