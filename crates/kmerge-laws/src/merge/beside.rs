//! Changes of both sides that have nothing to do with each other.

use std::collections::BTreeSet;

use kmerge_core::{ConflictStyle, Policy, Resource, ResourceId};
use kyaml_ast::{Document, Entry, Kind};

use super::{Case, holds_stray_alias, holds_twins, parsed, same};
use crate::Broken;

/// Whether the base's root keeps none of its fields. They may all be in a new one now, where another new field may belong, too.
fn keeps_no_field(base: &str, incoming: &str) -> Result<bool, Broken> {
    let (base, incoming) = (parsed(base)?, parsed(incoming)?);
    let [Some(base), Some(incoming)] = [&base, &incoming].map(|stream| stream.documents().find_map(Document::root))
    else {
        return Ok(false);
    };
    let [base, incoming] = [base, incoming].map(|root| {
        let keys = root.entries().filter_map(Entry::key);
        keys.map(|key| key.value().into_owned()).collect::<BTreeSet<_>>()
    });
    Ok(base.is_disjoint(&incoming))
}

/// What only the incoming side changed comes, with its comments, also where the destination changed something else.
pub(super) fn beside(base: &str, incoming: &str) -> Result<(), Broken> {
    const OTHER: &str = "only-dest: 1\n";
    if !is_plain_mapping(base)? || !is_plain_mapping(incoming)? || identity(base)? != identity(incoming)? {
        return Ok(());
    }
    let is_there = [base, incoming].iter().any(|text| text.contains("only-dest"));
    if is_there || keeps_no_field(base, incoming)? || holds_stray_alias(&parsed(incoming)?) {
        return Ok(());
    }
    let dest = format!("{OTHER}{base}");
    let case = Case { base: Some(base), dest: &dest, incoming, policy: Policy::GIT };
    let Some((found, plan)) = case.merge(&ConflictStyle::Dest)? else { return Ok(()) };
    case.must(plan.conflicts.is_empty(), "only one side changed it", &found)?;
    let wanted = format!("{OTHER}{incoming}");
    case.must(
        comments(&found)? == comments(&wanted)?,
        "comments come with what they belong to, in their order",
        &found,
    )?;
    case.must(same(&parsed(&found)?, &parsed(&wanted)?), "both changes are in the result", &found)
}

/// Whether a field can be put before all others.
fn is_plain_mapping(text: &str) -> Result<bool, Broken> {
    let stream = parsed(text)?;
    let mut documents = stream.documents();
    let root = documents.next().and_then(Document::root);
    let is_block = root.is_some_and(|root| root.is_block_collection() && root.kind() == Kind::Mapping);
    let is_first = root.is_some_and(|root| root.span().start == 0 && root.full_span() == root.span());
    Ok(is_block && is_first && documents.next().is_none() && !holds_twins(&stream))
}

/// Which resource a stream's first document is.
fn identity(text: &str) -> Result<Option<ResourceId>, Broken> {
    let stream = parsed(text)?;
    let first = stream.documents().next();
    Ok(first.and_then(Resource::of).map(|resource| resource.id))
}

fn comments(text: &str) -> Result<Vec<String>, Broken> {
    Ok(parsed(text)?.comments().map(|comment| comment.trim_end().to_owned()).collect())
}
