//! Keys that stand twice in a mapping. Readers of YAML take one of them, or refuse the file.
//!
//! Ignores the git driver, which makes them a conflict, or proves that nothing is lost.

use hashbrown::HashMap;
use kyaml_ast::{Entry, Node, Segment};

use super::{Frame, Walker};
use crate::MergeError;
use crate::correspond::{Identity, field_name};
use crate::equal::same_value;
use crate::policy::Unkeyed;
use crate::slots::Side;

impl<'a> Walker<'a> {
    /// Refuses a mapping in which a key stands twice, if nothing says which of them a change is about.
    pub(super) fn refuse_repeated(&self, frame: &Frame<'a>) {
        let (rows, sides) = (&frame.aligned.rows, frame.nodes.present().count());
        let is_structural = frame.identity == Identity::Field && self.policy.unkeyed != Unkeyed::Elementwise;
        if !is_structural || rows.iter().all(|row| row.present().count() == sides) {
            return;
        }
        let repeated = self.fields(frame).into_iter().filter(|(_, own)| own.len() > 1);
        let unclear = repeated.filter(|(_, own)| self.is_unclear(frame, own)).min_by_key(|(_, own)| own[0]);
        let Some((name, last)) = unclear.and_then(|(name, own)| Some((name, rows[*own.last()?]))) else { return };
        if let Some((side, entry)) = self.entries(last).present().next() {
            let path = self.path.clone().with(Segment::Field(name));
            self.refuse(MergeError::RepeatedKey { side, span: entry.span(), path });
        }
    }

    /// The rows of each field.
    fn fields(&self, frame: &Frame<'a>) -> HashMap<String, Vec<usize>> {
        let mut fields: HashMap<String, Vec<usize>> = HashMap::with_capacity(frame.aligned.rows.len());
        for (index, row) in frame.aligned.rows.iter().enumerate() {
            if let Some((_, entry)) = self.entries(*row).present().next() {
                fields.entry(field_name(*entry)).or_default().push(index);
            }
        }
        fields
    }

    /// Whether the sides have a field, which has these rows, so that nothing says which entry is which.
    fn is_unclear(&self, frame: &Frame<'a>, rows: &[usize]) -> bool {
        let count = |side: Side| rows.iter().filter(|row| frame.aligned.rows[**row].get(side).is_some()).count();
        let values = |row: &usize| self.entries(frame.aligned.rows[*row]).map(Entry::value);
        let are_same = |a: Side, b: Side| {
            rows.iter().map(values).all(|values| match (values.get(a), values.get(b)) {
                (Some(a), Some(b)) => same_value(*a, *b),
                (None, None) => true,
                _ => false,
            })
        };
        match frame.nodes.base {
            Some(_) => {
                let sides = [(Side::Dest, Side::Base), (Side::Incoming, Side::Base), (Side::Dest, Side::Incoming)];
                !sides.into_iter().any(|(a, b)| are_same(a, b))
            }
            None => {
                count(Side::Incoming) > 0 && count(Side::Incoming) != count(Side::Dest) && !self.are_equal(frame, rows)
            }
        }
    }

    /// Whether all entries of some rows have one value.
    fn are_equal(&self, frame: &Frame<'a>, rows: &[usize]) -> bool {
        let entries = rows.iter().map(|row| self.entries(frame.aligned.rows[*row]));
        let values: Vec<Node<'a>> =
            entries.flat_map(|entries| [entries.dest, entries.incoming]).flatten().map(Entry::value).collect();
        values.windows(2).all(|pair| same_value(pair[0], pair[1]))
    }
}
