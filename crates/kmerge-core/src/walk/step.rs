//! Steps from a collection to one of its rows: in the path and in the schema.

use kyaml_ast::{Entry, Segment, Stream};

use super::Frame;
use crate::correspond::{Identity, field_name};
use crate::equal::text_of_key;
use crate::resource::{Resource, listed_resource};
use crate::schema::Cursor;
use crate::slots::{Side, Slots};

/// The path segment and the schema cursor of a row.
pub(super) fn step<'a>(frame: &Frame<'a>, index: usize, streams: &Slots<&'a Stream<'a>>) -> (Segment, Cursor<'a>) {
    let row = frame.aligned.rows[index];
    let entry = |side: Side| Some((*streams.get(side)?).entry(*row.get(side)?));
    let (dest, base, incoming) = (entry(Side::Dest), entry(Side::Base), entry(Side::Incoming));
    // An element that both sides renamed is shown by its old name, so that swapping the sides changes nothing.
    let is_new_name = |of: Option<Entry<'a>>| of.zip(base).is_some_and(|(of, base)| !frame.identity.same(of, base));
    let is_renamed =
        matches!(frame.identity, Identity::Keyed(_) | Identity::Set) && is_new_name(dest) && is_new_name(incoming);
    let entry = if is_renamed { base } else { dest.or(incoming) };
    let Some(entry) = entry else { return (Segment::Index(0), frame.cursor) };
    match frame.identity {
        Identity::Field => {
            let name = field_name(entry);
            let cursor = frame.cursor.field(&name);
            (Segment::Field(name), cursor)
        }
        Identity::Position => {
            (Segment::Index(frame.aligned.places.get(index).map_or(0, |place| *place as i64)), frame.cursor.item())
        }
        Identity::Set => (Segment::Value(text_of_key(entry.value())), frame.cursor.item()),
        Identity::Resource => {
            let list = Side::ALL
                .into_iter()
                .find_map(|side| Resource::of_node((*streams.get(side)?).entry(*frame.holder.get(side)?).collection()));
            let resource = list.and_then(|list| listed_resource(entry.value(), &list)).unwrap_or_default();
            let cursor = frame.cursor.resource(&resource.id.group, &resource.version, &resource.id.kind);
            (Segment::Key(frame.identity.key_pairs(entry)), cursor)
        }
        Identity::Keyed(_) => (Segment::Key(frame.identity.key_pairs(entry)), frame.cursor.item()),
    }
}
