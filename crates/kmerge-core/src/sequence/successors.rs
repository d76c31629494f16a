//! Elements that took the place of others, and have nothing equal to them: steps and rules that changed a lot.
//!
//! A mapping is a successor if it has the fields of its predecessor, one of which may have a new name, and a scalar whose text mostly
//! agrees, more than with any other element around. Ignores long runs, where this would be a guess.

use hashbrown::HashMap;
use kyaml_ast::{Kind, Node};

use crate::correspond::{HALF, field_name, pair_mutual, share_of_shorter};
use crate::resource::field;

/// The longest run of elements that is looked at.
const LONGEST: usize = 10;

/// The fields of a mapping.
type Fields<'t> = HashMap<String, Node<'t>>;

/// Whether each mapping clearly is the successor of the one in its place.
pub(super) fn are_clear(olds: &[Node<'_>], news: &[Node<'_>]) -> bool {
    let are_mappings = || olds.iter().chain(news).all(|node| node.kind() == Kind::Mapping);
    if olds.len() > LONGEST || olds.len() != news.len() || !are_mappings() {
        return false;
    }
    let [olds, news] = [olds, news].map(|nodes| nodes.iter().map(|node| fields(*node)).enumerate().collect::<Vec<_>>());
    let agreement = |(_, old): &(usize, Fields<'_>), (_, new): &(usize, Fields<'_>)| {
        Some(agreement(old, new)).filter(|share| *share >= HALF)
    };
    let pairs = pair_mutual(&olds, &news, agreement);
    pairs.len() == olds.len() && pairs.iter().all(|pair| pair.left.0 == pair.right.0)
}

/// Whether elements surely are successors: scalars, or steps that use another version of one action.
pub(super) fn are_sure(olds: &[Node<'_>], news: &[Node<'_>]) -> bool {
    olds.iter().chain(news).all(|node| node.kind().is_scalar()) || are_versions(olds, news)
}

/// Whether each of as many steps uses another version of what the one in its place used.
fn are_versions(olds: &[Node<'_>], news: &[Node<'_>]) -> bool {
    fn used(step: Node<'_>) -> Option<String> {
        let uses = field(step, "uses").filter(|uses| uses.kind().is_scalar())?.value();
        Some(uses.split_once('@')?.0.to_owned())
    }
    olds.iter().zip(news).all(|(old, new)| used(*old).is_some_and(|it| used(*new) == Some(it)))
}

fn fields(mapping: Node<'_>) -> Fields<'_> {
    mapping.entries().map(|entry| (field_name(entry), entry.value())).collect()
}

/// How much the scalars agree that agree most; nothing where the fields are others, but for one that has a new name.
fn agreement(old: &Fields<'_>, new: &Fields<'_>) -> u32 {
    let without = |of: &Fields<'_>, other: &Fields<'_>| -> Vec<String> {
        of.keys().filter(|name| !other.contains_key(*name)).cloned().collect()
    };
    let renamed = match (&without(old, new)[..], &without(new, old)[..]) {
        ([], []) => None,
        ([was], [is]) => Some((was.clone(), is.clone())),
        _ => return 0,
    };
    let name_in_new = |name: &String| match &renamed {
        Some((was, is)) if was == name => is.clone(),
        _ => name.clone(),
    };
    let scalars = old.iter().filter(|(_, old)| old.kind().is_scalar());
    let shares = scalars.filter_map(|(name, old)| {
        let new = new.get(&name_in_new(name)).filter(|new| new.kind().is_scalar())?;
        Some(share_of_shorter(&old.value(), &new.value()))
    });
    shares.max().unwrap_or_default()
}
