//! Where each unit of the result stands, and in which order.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::fate::Fate;
use super::files::{FileRenames, Paths};
use super::rows::Row;
use super::trees::{Trees, UnitRef};
use crate::order::{Rules, Weight, merge};
use crate::policy::BothChanged;
use crate::slots::{Side, Slots};

/// The destination's order stands; what comes stands beside its neighbour.
const RULES: Rules = Rules { weight: Weight::Counts, both_changed: BothChanged::Keep, first: Side::Incoming };

/// What a unit of the result stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Container<'s> {
    /// A file, as a document.
    File(&'s str),
    /// A list of the destination, or one that is added as a whole, as an item.
    List(UnitRef),
}

/// Everything that is placed.
pub(super) struct Placement<'t, 's> {
    trees: &'t Trees<'s>,
    paths: &'t Paths<'s>,
    renames: &'t FileRenames<'s>,
    rows: &'t [Row],
    row_of: HashMap<UnitRef, &'t Row>,
}

impl<'t, 's> Placement<'t, 's> {
    pub(super) fn new(
        trees: &'t Trees<'s>,
        paths: &'t Paths<'s>,
        renames: &'t FileRenames<'s>,
        rows: &'t [Row],
    ) -> Self {
        let row_of = rows.iter().flat_map(|row| row.units.present().map(move |(_, unit)| (*unit, row))).collect();
        Self { trees, paths, renames, rows, row_of }
    }

    /// The rows of every file and list that takes part, in their final order.
    pub(super) fn orders(&self) -> BTreeMap<Container<'s>, Vec<usize>> {
        let targets: Vec<Option<Container<'s>>> = self.rows.iter().map(|row| self.target(row)).collect();
        let rows = Side::ALL.map(|side| self.rows_in(side));
        let merged = |container: Container<'s>| {
            let [dest, base, incoming] = rows.each_ref().map(|rows| rows.get(&container).cloned().unwrap_or_default());
            let staying = |mut rows: Vec<usize>| {
                rows.retain(|row| targets[*row] == Some(container));
                Some(rows)
            };
            let base = if let Container::File(_) = container { Some(base) } else { None };
            (container, merge(&Slots { dest: staying(dest), base, incoming: staying(incoming) }, RULES).order)
        };
        let all: BTreeSet<Container<'s>> = rows[0].keys().chain(targets.iter().flatten()).copied().collect();
        all.into_iter().map(merged).collect()
    }

    /// Where a unit of the destination stands.
    fn own(&self, unit: UnitRef) -> Container<'s> {
        self.trees.list_of(unit).map_or_else(|| Container::File(self.trees.path(unit)), Container::List)
    }

    /// Where a row's unit goes; `None` if the result has none.
    fn target(&self, &Row { units, fate, .. }: &Row) -> Option<Container<'s>> {
        match (fate, units.dest, units.incoming) {
            (Fate::Keep | Fate::Merge | Fate::Conflict, Some(dest), _) => Some(self.stays(dest, units)),
            (Fate::Take | Fate::Conflict, None, Some(incoming)) => Some(self.counterpart(incoming)),
            _ => None,
        }
    }

    /// The destination's unit follows a move of the incoming side if it was not moved itself; items stay in their list, and YAML does
    /// not go into a JSON file, nor the reverse.
    fn stays(&self, dest: UnitRef, units: Slots<UnitRef>) -> Container<'s> {
        let own = self.own(dest);
        let (Some(base), Some(incoming)) = (units.base, units.incoming) else { return own };
        let is_item = [dest, base, incoming].iter().any(|&unit| self.trees.is_item(unit));
        let [from, to] = [base, incoming].map(|unit| self.trees.path(unit));
        if is_item || own != Container::File(from) || from == to || is_json(from) != is_json(to) {
            return own;
        }
        Container::File(self.file(to))
    }

    /// Where the destination has what stands beside a unit of another side; the lists of settled files have no rows. A list that is
    /// added has no place for what is in conflict as a whole: its hunk stands alone.
    fn counterpart(&self, unit: UnitRef) -> Container<'s> {
        let row = |unit: UnitRef| self.row_of.get(&unit);
        let list = self.trees.list_of(unit).and_then(|list| Some((list, row(list)?.units.dest, row(list)?.fate)));
        match list {
            Some((_, Some(dest), fate)) if fate != Fate::Remove => Container::List(dest),
            Some((list, None, Fate::Conflict)) => Container::List(list),
            Some((list, None, Fate::Take)) if row(unit).is_none_or(|row| row.fate != Fate::Conflict) => {
                Container::List(list)
            }
            _ => Container::File(self.file(self.trees.path(unit))),
        }
    }

    /// The destination's path of an incoming file: its own, unless the destination renamed the file, and it still has that format.
    fn file(&self, incoming: &'s str) -> &'s str {
        let base = self.renames.to_incoming.left_or_same(incoming);
        let dest = self.renames.to_dest.right_or_same(base);
        let is_present = |path: &str| self.paths.dest(path).is_some();
        let is_renamed_here = dest != base && !is_present(incoming) && is_present(dest);
        if is_renamed_here && is_json(dest) == is_json(incoming) { dest } else { incoming }
    }

    /// The rows of one side in its order, by the destination's container.
    fn rows_in(&self, side: Side) -> HashMap<Container<'s>, Vec<usize>> {
        let unit = |(row, of): (usize, &Row)| Some((*of.units.get(side)?, row));
        let mut units: Vec<(UnitRef, usize)> = self.rows.iter().enumerate().filter_map(unit).collect();
        units.sort_unstable();
        let mut rows: HashMap<Container<'s>, Vec<usize>> = HashMap::new();
        for (unit, row) in units {
            let container = match side {
                Side::Dest => self.own(unit),
                Side::Base if !self.trees.is_item(unit) => {
                    Container::File(self.renames.to_dest.right_or_same(self.trees.path(unit)))
                }
                Side::Base | Side::Incoming => self.counterpart(unit),
            };
            rows.entry(container).or_default().push(row);
        }
        rows
    }
}

/// Whether what stands in a file has to be JSON.
fn is_json(path: &str) -> bool {
    path.ends_with(".json")
}
