//! The plan of a package merge: what becomes of every file and unit, as data.

use std::collections::{BTreeMap, HashMap};

use super::fate::Fate;
use super::files::Paths;
use super::place::{Container, Placement};
use super::rows::{Row, rows};
use super::trees::{Trees, UnitRef};
use super::whole::{WholeFile, executable, whole_files};
use crate::MergeError;
use crate::policy::BothChanged;
use crate::resolve::Rule;
use crate::resource::ResourceId;
use crate::schema::SchemaError;
use crate::slots::{Side, Slots};

/// Why packages cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// One side has a resource twice, and nothing tells which is which.
    #[error("{identity} is there twice")]
    Duplicate {
        /// The resource.
        identity: Box<ResourceId>,
        /// The two places.
        places: [UnitRef; 2],
    },
    /// A definition of a kind cannot be understood.
    #[error("{error}")]
    Definition {
        /// The tree.
        side: Side,
        /// Index of its file among those of the side.
        file: u32,
        /// What is wrong, and where in the file.
        error: SchemaError,
    },
    /// A unit cannot be merged.
    #[error("{error}")]
    Unit {
        /// The incoming unit, or the destination's if there is none.
        unit: UnitRef,
        /// What is wrong; its span is a place in the unit's file.
        error: MergeError,
    },
}

impl PackageError {
    pub(super) fn duplicate(trees: &Trees<'_>, places: [UnitRef; 2]) -> Self {
        let identity = trees.identity(places[0]).cloned().unwrap_or_default();
        Self::Duplicate { identity: Box::new(identity), places }
    }
}

/// What becomes of one file of the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlan<'s> {
    /// Its path in the result.
    pub path: &'s str,
    /// The file of the destination that stands there; `None` for a new one.
    pub dest: Option<u32>,
    /// The rows of the documents it consists of; none: the file goes.
    pub(super) rows: Vec<usize>,
    /// Whether its owner may execute it in the result.
    pub executable: bool,
}

/// The plan of a package merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackagePlan<'s> {
    /// Which unit is which, and what becomes of it.
    pub rows: Vec<Row>,
    /// The manifests that change or may change, by path. Files that are not listed stay as they are.
    pub files: Vec<FilePlan<'s>>,
    /// The rows of the items of the lists of the destination in which anything changes, and of lists that are added.
    pub(super) lists: BTreeMap<UnitRef, Vec<usize>>,
    /// The files that are merged as wholes, by path.
    pub whole: Vec<WholeFile<'s>>,
}

impl PackagePlan<'_> {
    /// The rows whose units stand in a file of the result: its documents, and the items of lists in which anything changes.
    pub fn rows_in<'p>(&'p self, file: &'p FilePlan<'_>) -> impl Iterator<Item = usize> + 'p {
        let items = |row: usize| self.items(self.unit(row)).iter().copied();
        file.rows.iter().flat_map(move |&row| std::iter::once(row).chain(items(row)))
    }

    /// The unit whose text stands for a row of the result, before anything is merged into it.
    pub(super) fn unit(&self, row: usize) -> UnitRef {
        let Slots { dest, incoming, .. } = self.rows[row].units;
        dest.or(incoming).expect("the result has nothing that is in the base alone")
    }

    /// The rows of the items of a list, if it is one in which anything changes.
    pub(super) fn items(&self, list: UnitRef) -> &[usize] {
        self.lists.get(&list).map_or(&[], Vec::as_slice)
    }

    /// The manifests that can be merged as files, with their place in each tree: all three trees have them at one path, and none
    /// of their resources comes from another file, goes to one, or is in conflict as a whole.
    #[must_use]
    pub fn in_place<'s>(&self, trees: &Trees<'s>) -> HashMap<&'s str, Slots<u32>> {
        let is_manifest = |(side, file): (Side, &u32)| trees.content_of(side, *file).is_manifest();
        let paths = Paths::of(trees).all.into_iter().map(|at| (at.path, at.files));
        let mut files: HashMap<&str, Slots<u32>> =
            paths.filter(|(_, files)| files.present().filter(|file| is_manifest(*file)).count() == 3).collect();
        for row in &self.rows {
            let paths = || row.units.present().map(|(_, unit)| trees.path(*unit));
            if row.fate == Fate::Conflict || paths().zip(paths().skip(1)).any(|(a, b)| a != b) {
                paths().for_each(|path| _ = files.remove(path));
            }
        }
        files
    }
}

impl<'s> Trees<'s> {
    /// Plans a package merge.
    ///
    /// # Errors
    ///
    /// See [`PackageError`].
    pub fn plan(&self, both_changed: BothChanged) -> Result<PackagePlan<'s>, PackageError> {
        let trees = self;
        let paths = Paths::of(trees);
        let is_unchanged = |side: &Side| trees.side(*side) == trees.incoming.as_slice();
        if !trees.base.is_empty() && is_unchanged(&Side::Base) {
            return Ok(PackagePlan::default());
        }
        // What both have twice, and alike, is paired one by one.
        if !is_unchanged(&Side::Dest) {
            Side::ALL.into_iter().try_for_each(|side| refuse_duplicates(trees, &paths.units(trees, side)))?;
        }
        let (mut rows, renames) = rows(trees, &paths, both_changed)?;
        settle_lists(trees, &mut rows);
        let places = Placement::new(trees, &paths, &renames, &rows);
        let mut plan =
            PackagePlan { whole: whole_files(trees, &paths, &renames, both_changed), ..PackagePlan::default() };
        for (container, rows) in places.orders() {
            match container {
                Container::File(path) => plan.files.extend(file_plan(trees, &paths, path, rows)),
                Container::List(list) => drop(plan.lists.insert(list, rows)),
            }
        }
        plan.rows = rows;
        Ok(plan)
    }
}

/// Refuses an identity that is there twice in one file.
fn refuse_duplicates(trees: &Trees<'_>, units: &[UnitRef]) -> Result<(), PackageError> {
    let mut seen = HashMap::new();
    for &unit in units {
        if let Some(identity) = trees.identity(unit)
            && let Some(first) = seen.insert((unit.file, identity), unit)
        {
            return Err(PackageError::duplicate(trees, [first, unit]));
        }
    }
    Ok(())
}

/// A list is there as surely as the surest of its items: it stays if one stays, comes if one comes, and is in conflict if one is. If
/// the destination has items of it elsewhere, or wants none of them, the destination does without the list.
fn settle_lists(trees: &Trees<'_>, rows: &mut [Row]) {
    let surest = surest_items(trees, rows);
    for row in rows {
        let Slots { dest, base, incoming } = row.units;
        if dest.is_some() && incoming.is_some() {
            continue;
        }
        let Some(list) = dest.or(base) else { continue };
        (row.fate, row.rule) = match surest.get(&list).or_else(|| surest.get(&incoming?)) {
            Some(Fate::Conflict) => (Fate::Conflict, Rule::BothChanged),
            Some(Fate::Take) => (Fate::Take, Rule::OnlyIncoming),
            None if dest.is_some() || !trees.has_items(list) => continue,
            _ => (Fate::Keep, Rule::OnlyDest),
        };
    }
}

/// What becomes of the surest item of each list: [`Fate::Keep`] is surer than [`Fate::Take`], and that than [`Fate::Conflict`].
fn surest_items(trees: &Trees<'_>, rows: &[Row]) -> HashMap<UnitRef, Fate> {
    let mut surest = HashMap::new();
    for row in rows {
        for (side, unit) in row.units.present() {
            if let (Some(list), Some(fate)) = (trees.list_of(*unit), fate_of_list(row, side)) {
                let found = surest.entry(list).or_insert(fate);
                *found = fate.min(*found);
            }
        }
    }
    surest
}

/// What an item says about the list that a side has it in.
fn fate_of_list(row: &Row, side: Side) -> Option<Fate> {
    match (row.units.dest, row.fate, side) {
        (Some(_), Fate::Remove, Side::Dest) => None,
        (Some(_), Fate::Conflict, Side::Dest) | (None, Fate::Conflict, Side::Incoming) => Some(Fate::Conflict),
        (Some(_), ..) => Some(Fate::Keep),
        (None, Fate::Take, Side::Incoming) => Some(Fate::Take),
        (None, ..) => None,
    }
}

/// The plan of a file.
fn file_plan<'s>(trees: &Trees<'s>, paths: &Paths<'s>, path: &'s str, rows: Vec<usize>) -> Option<FilePlan<'s>> {
    let dest = paths.dest(path);
    let executable = paths.at(path).is_some_and(|at| executable(trees.files(at.files)));
    (dest.is_some() || !rows.is_empty()).then_some(FilePlan { path, dest, rows, executable })
}
