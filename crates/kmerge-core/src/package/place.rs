//! Where each unit of the result stands, and in which order.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::fate::Fate;
use super::files::{Paths, Renames, Treatment};
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
    /// A list of the destination, as an item.
    List(UnitRef),
    /// A list that is added as a whole.
    Added(UnitRef),
}

/// One unit of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Piece {
    /// Index of its row.
    pub(super) row: usize,
    /// The side whose text it is, before anything is merged into it.
    pub(super) from: Side,
}

/// Everything that is placed.
pub(super) struct Places<'t, 's> {
    pub(super) trees: &'t Trees<'s>,
    pub(super) rows: &'t [Row],
    row_of: HashMap<UnitRef, usize>,
    renames: &'t Renames<'s>,
    /// Paths at which the destination has a file that is merged unit by unit.
    present: HashSet<&'s str>,
}

impl<'t, 's> Places<'t, 's> {
    pub(super) fn new(trees: &'t Trees<'s>, paths: &Paths<'s>, renames: &'t Renames<'s>, rows: &'t [Row]) -> Self {
        let of_row =
            |(index, row): (usize, &Row)| row.units.present().map(|(_, unit)| (*unit, index)).collect::<Vec<_>>();
        let row_of = rows.iter().enumerate().flat_map(of_row).collect();
        let in_dest = paths.all.iter().filter(|(_, files, how)| files.dest.is_some() && *how != Treatment::Whole);
        let present = in_dest.map(|path| path.0).collect();
        Self { trees, rows, row_of, renames, present }
    }

    /// The row of a unit; `None` for those of settled files.
    pub(super) fn row(&self, unit: UnitRef) -> Option<usize> {
        self.row_of.get(&unit).copied()
    }

    /// The pieces of every file and list that takes part, in their final order.
    pub(super) fn pieces(&self) -> BTreeMap<Container<'s>, Vec<Piece>> {
        let [base, incoming] = [Side::Base, Side::Incoming].map(|side| self.orders(side));
        let pieces = self.stock().into_iter().map(|(container, stock)| {
            let incoming = stock.taking_part(incoming.get(&container).map_or(&[], Vec::as_slice));
            let base = match container {
                Container::File(_) => Some(base.get(&container).cloned().unwrap_or_default()),
                Container::List(_) | Container::Added(_) => None,
            };
            let orders = Slots { dest: Some(stock.kept), base, incoming: Some(incoming) };
            let order = merge(&orders, RULES).order;
            (container, order.into_iter().map(|row| self.piece(row)).collect())
        });
        pieces.collect()
    }

    /// What each file and list that takes part gets.
    fn stock(&self) -> BTreeMap<Container<'s>, Stock> {
        let mut stock: BTreeMap<Container<'s>, Stock> = BTreeMap::new();
        for (index, row) in self.rows.iter().enumerate() {
            let own = row.units.dest.map(|unit| self.own(unit));
            if let Some(own) = own {
                stock.entry(own).or_default();
            }
            match self.target(index) {
                Some(target) if Some(target) == own => stock.entry(target).or_default().kept.push(index),
                Some(target) => drop(stock.entry(target).or_default().arriving.insert(index)),
                None => {}
            }
        }
        stock
    }

    fn piece(&self, row: usize) -> Piece {
        let from = if self.rows[row].units.dest.is_some() { Side::Dest } else { Side::Incoming };
        Piece { row, from }
    }

    /// Where a unit of the destination stands.
    fn own(&self, unit: UnitRef) -> Container<'s> {
        self.trees.list_of(unit).map_or_else(|| Container::File(self.trees.path(unit)), Container::List)
    }

    /// Where a row's unit goes; `None` if the result has none.
    fn target(&self, row: usize) -> Option<Container<'s>> {
        let Row { units, fate, .. } = self.rows[row];
        match (fate, units.dest, units.incoming) {
            (Fate::Keep | Fate::Merge | Fate::Conflict, Some(dest), _) => Some(self.stays(dest, units)),
            (Fate::Take | Fate::Conflict, None, Some(incoming)) => Some(self.counterpart(incoming)),
            _ => None,
        }
    }

    /// The destination's unit follows a move of the incoming side if it was not moved itself; items stay in their list.
    fn stays(&self, dest: UnitRef, units: Slots<UnitRef>) -> Container<'s> {
        let own = self.own(dest);
        let (Some(base), Some(incoming)) = (units.base, units.incoming) else { return own };
        let is_item = [dest, base, incoming].iter().any(|&unit| self.trees.unit(unit).item.is_some());
        let [from, to] = [base, incoming].map(|unit| self.trees.path(unit));
        if is_item || own != Container::File(from) || from == to {
            return own;
        }
        Container::File(self.file(to))
    }

    /// Where the destination has what stands beside a unit of another side.
    fn counterpart(&self, unit: UnitRef) -> Container<'s> {
        let Some(list) = self.trees.list_of(unit) else { return Container::File(self.file(self.trees.path(unit))) };
        let row = self.row(list).map(|row| (self.rows[row].units.dest, self.rows[row].fate));
        match row {
            Some((Some(dest), fate)) if fate != Fate::Remove => Container::List(dest),
            Some((None, Fate::Take)) => Container::Added(list),
            _ => Container::File(self.file(self.trees.path(unit))),
        }
    }

    /// The destination's path of an incoming file: its own, unless the destination renamed the file.
    fn file(&self, incoming: &'s str) -> &'s str {
        let base = self.renames.base_to_incoming.left(incoming);
        let dest = self.renames.base_to_dest.right(base);
        let is_renamed_here = dest != base && !self.present.contains(incoming) && self.present.contains(dest);
        if is_renamed_here { dest } else { incoming }
    }

    /// The rows of one side in its order, by the destination's container.
    fn orders(&self, side: Side) -> HashMap<Container<'s>, Vec<usize>> {
        let mut units: Vec<(UnitRef, usize)> =
            self.rows.iter().enumerate().filter_map(|(row, of)| Some((*of.units.get(side)?, row))).collect();
        units.sort_unstable();
        let mut orders: HashMap<Container<'s>, Vec<usize>> = HashMap::new();
        for (unit, row) in units {
            let container = match side {
                Side::Base if self.trees.unit(unit).item.is_none() => {
                    Container::File(self.renames.base_to_dest.right(self.trees.path(unit)))
                }
                _ => self.counterpart(unit),
            };
            orders.entry(container).or_default().push(row);
        }
        orders
    }
}

/// What a container gets.
#[derive(Default)]
struct Stock {
    /// Rows that the destination has there, in its order.
    kept: Vec<usize>,
    /// Rows from elsewhere.
    arriving: HashSet<usize>,
}

impl Stock {
    /// Those of some rows that are in it, in their order.
    fn taking_part(&self, rows: &[usize]) -> Vec<usize> {
        let kept: HashSet<usize> = self.kept.iter().copied().collect();
        rows.iter().copied().filter(|row| self.arriving.contains(row) || kept.contains(row)).collect()
    }
}
