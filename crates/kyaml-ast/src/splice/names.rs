//! Keeps the meaning of aliases, anchors and tag handles when parts of streams are added, removed and moved.
//!
//! Works on edits before anything is spliced, and only if some stream has an alias or declares a tag handle. It walks
//! over what the result will contain, and adds edits where a name would be lost or would change its meaning.
//!
//! - An alias that stays in place refers to the same node as before, if that node is still there. If it is gone, and no
//!   grafted node with its name took its place, the alias is replaced by the node.
//! - A grafted alias refers to the node with its name in the destination. The alias is replaced by the node that it
//!   referred to if there is none, if that node is grafted, too, and another one with the name comes between, and if
//!   the destination has the name at another key, for another value.
//! - A grafted anchor that would come between an alias of the destination and its node gets another name.
//! - A grafted tag whose handle has another meaning in the destination is written in full.

mod apply;
mod expand;
mod survey;
mod tags;

use super::{Context, SpliceError};
use crate::anchors::Anchors;
use crate::edit::{Content, Edit, Owner, StreamId, streams_of};
use crate::parents::Seat;
use crate::span::Span;
use crate::tree::{Kind, NodeId, Stream};
use std::collections::{BTreeMap, HashMap, HashSet};
use survey::Survey;

/// The most records that may be written in the place of aliases. An alias bomb has more.
const MOST_RECORDS: usize = 200_000;

/// The most levels of aliases inside the nodes that replace aliases. Each level costs a walk.
const MOST_LEVELS: usize = 100;

/// The fixes for each list of edits.
type Fixes = BTreeMap<Owner, Vec<Fix>>;

/// One change to a list of edits.
enum Fix {
    /// Replaces the bytes of a property or an alias.
    Text { span: Span, text: String },
    /// Replaces an alias by the node that it refers to.
    Expand { alias: NodeId, seat: Seat, content: Content },
}

/// The edits with all fixes. `None` if no fix is needed.
pub(super) fn settle(
    context: &Context<'_>,
    target: StreamId,
    edits: &[Edit],
) -> Result<Option<Vec<Edit>>, SpliceError> {
    let mut streams = BTreeMap::new();
    for id in streams_of(target, edits) {
        streams.insert(id, context.stream(id)?);
    }
    let has_handles = streams.values().any(|stream| stream.declares_tags());
    if !has_handles && !streams.values().any(|stream| stream.has_aliases()) {
        return Ok(None);
    }
    let mut known = Known::of(&streams, has_handles);
    let mut settled = edits.to_vec();
    let mut records = 0;
    for level in 0.. {
        let mut survey = Survey::new(context, &mut known);
        survey.walk(target, &settled)?;
        records += survey.records;
        let (mut fixes, alias) = (survey.fixes, survey.alias);
        if fixes.is_empty() {
            return Ok((level > 0).then_some(settled));
        }
        if records > MOST_RECORDS || level > MOST_LEVELS {
            return Err(SpliceError::UndefinedAlias { alias, anchor: None });
        }
        apply::edits(&mut settled, Owner::Target, &mut fixes);
    }
    Ok(Some(settled))
}

/// Facts about the streams that edits refer to.
struct Known<'s> {
    anchors: BTreeMap<StreamId, &'s Anchors>,
    has_handles: bool,
    /// The names of anchors, old and new.
    names: HashSet<String>,
    /// How many new names were made from each name.
    copies: HashMap<String, usize>,
}

impl<'s> Known<'s> {
    fn of(streams: &BTreeMap<StreamId, &'s Stream<'_>>, has_handles: bool) -> Self {
        let anchors = streams.iter().map(|(id, stream)| (*id, stream.anchors())).collect();
        let names = streams.values().flat_map(|stream| {
            let anchors = stream.tape.iter().filter(|record| record.kind == Kind::Anchor);
            anchors.map(|record| record.leaf_span().of(stream.source)[1..].to_owned())
        });
        Self { anchors, has_handles, names: names.collect(), copies: HashMap::new() }
    }

    fn target(&self, stream: StreamId, alias: NodeId) -> Option<NodeId> {
        self.anchors.get(&stream)?.target(alias)
    }

    /// A name that no anchor has.
    fn free_name(&mut self, name: &str) -> String {
        let copies = self.copies.entry(name.to_owned()).or_insert(1);
        loop {
            *copies += 1;
            let free = format!("{name}-{copies}");
            if self.names.insert(free.clone()) {
                return free;
            }
        }
    }
}
