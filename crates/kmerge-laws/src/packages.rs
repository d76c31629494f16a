//! What holds for every merge of packages: trees of files, each with resources, texts or bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use kmerge_core::package::{Content, Fate, File, PackageError, PackagePlan, Terms, Trees, UnitRef};
use kmerge_core::{BothChanged, ConflictStyle, MergeError, Nulls, Policy, Resource, Schema, Side, Slots};
use kyaml_ast::{Document, Entry, Kind, Node, Resolved, Stream};

use crate::merge::{holds_twins, is_expected, may_be_refused};
use crate::{Broken, law};

/// Path to text.
pub type Tree = BTreeMap<String, String>;

static SCHEMA: LazyLock<Schema> = LazyLock::new(Schema::new);

/// Policies whose nulls and directives are data, as the laws are about data.
const DATA: [Policy; 3] = [
    Policy { nulls: Nulls::Data, ..Policy::MERGE3 },
    Policy { nulls: Nulls::Data, both_changed: BothChanged::Conflict, ..Policy::MERGE3 },
    Policy { nulls: Nulls::Data, both_changed: BothChanged::Keep, ..Policy::MERGE3 },
];

/// A merge with its trees: base, destination, incoming side.
struct Case<'t> {
    sides: [&'t Tree; 3],
    policy: Policy,
}

/// What a merge gave.
struct Merged {
    tree: Tree,
    has_conflicts: bool,
    /// Whether lines were merged; what they give is no base of a next merge.
    has_lines: bool,
}

/// Checks that base, destination and incoming tree merge, and what came of it.
///
/// `merge(b, x, b) = x`, `merge(x, x, x) = x`, `merge(b, x, x) = x`, `merge(b, b, y) = y` in value and for other files byte
/// for byte; a result merged again stays as it is; every unit is in one row, and every row in the result once or gone for a
/// reason; files that are alike on all sides keep their bytes; what was YAML still is.
///
/// # Errors
///
/// The law that does not hold, with the merge.
pub fn packages(sides: [&Tree; 3]) -> Result<(), Broken> {
    let [base, dest, incoming] = sides;
    let none = Tree::new();
    for (sides, policy) in [(sides, Policy::MERGE3), ([&none, dest, incoming], Policy::MERGE2)] {
        Case { sides, policy }.merge()?;
    }
    if sides.into_iter().any(is_ambiguous) {
        return Ok(());
    }
    let unclear = sides.map(unclear);
    let is_clear = unclear[0].is_some() && unclear.iter().all(|side| *side == unclear[0]);
    for policy in DATA {
        let case = Case { sides, policy };
        let Some(merged) = case.merge()? else { return Ok(()) };
        if !merged.has_conflicts && !merged.has_lines && is_clear {
            case.with([base, &merged.tree, incoming]).gives(&merged.tree, "merging again changes nothing")?;
        }
        for side in [dest, incoming] {
            case.with([base, side, base]).gives(side, "merge(b, x, b) = x")?;
            case.with([side, side, side]).gives(side, "merge(x, x, x) = x")?;
            case.with([base, side, side]).gives(side, "merge(b, x, x) = x")?;
            case.with([base, base, side]).takes(side)?;
        }
    }
    Ok(())
}

/// The result of a merge of base, destination and incoming tree; nothing where the trees are refused for a reason.
///
/// # Errors
///
/// What holds for every merge and does not for this one.
pub fn merged(sides: [&Tree; 3], policy: Policy) -> Result<Option<Tree>, Broken> {
    Ok(Case { sides, policy }.merge()?.map(|merged| merged.tree))
}

/// Whether a tree holds something twice, so that nobody can tell the two apart.
fn is_ambiguous(tree: &Tree) -> bool {
    tree.values().filter_map(|text| Stream::parse(text).ok()).any(|stream| holds_twins(&stream))
}

/// What nothing but its file and content tells apart: the files with a document without a name, the files that are merged as
/// wholes, and where each resource stands that stands in several; `None` where one file has several such documents.
fn unclear(tree: &Tree) -> Option<BTreeMap<String, BTreeSet<&str>>> {
    let name =
        |(_, it): &(Node<'_>, Option<Resource>)| it.as_ref().map(|it| it.id.clone()).filter(|id| !id.name.is_empty());
    let mut files: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (path, text) in tree {
        let stream = Stream::parse(text).ok().filter(|_| is_manifest(path));
        let roots = stream.iter().flat_map(Stream::documents).filter_map(Document::root);
        let is_comment = |document: &Document<'_>| document.root().is_none() && document.text().contains('#');
        let comments = stream.iter().flat_map(Stream::documents).filter(is_comment).count();
        let mut nameless = usize::from(stream.is_none()) + comments;
        for resource in roots.filter(|root| root.kind() != Kind::Null).flat_map(Resource::all) {
            match name(&resource) {
                Some(id) => _ = files.entry(id.to_string()).or_default().insert(path),
                None => nameless += 1,
            }
        }
        match nameless {
            0 => {}
            1 => _ = files.entry(String::new()).or_default().insert(path),
            _ => return None,
        }
    }
    files.retain(|name, files| name.is_empty() || files.len() > 1);
    Some(files)
}

impl<'t> Case<'t> {
    const fn with<'u>(&self, sides: [&'u Tree; 3]) -> Case<'u> {
        Case { sides, policy: self.policy }
    }

    fn gives(&self, expected: &Tree, name: &str) -> Result<(), Broken> {
        let Some(merged) = self.merge()? else { return Ok(()) };
        self.must(merged.tree == *expected, name, &merged.tree)
    }

    /// An untouched copy becomes the new version.
    fn takes(&self, new: &Tree) -> Result<(), Broken> {
        let Some(merged) = self.merge()? else { return Ok(()) };
        let is_same = if self.sides.into_iter().any(holds_lists) {
            values(&merged.tree) == values(new)
        } else {
            meanings(&merged.tree) == meanings(new)
        };
        self.must(is_same, "merge(b, b, y) = y in value", &merged.tree)
    }

    /// The result; nothing where the trees are refused for a reason.
    fn merge(&self) -> Result<Option<Merged>, Broken> {
        let trees = trees(self.sides);
        let plan = match trees.plan(self.policy.both_changed) {
            Ok(plan) => plan,
            Err(error) => return self.stands_twice(&trees, &error),
        };
        self.accounted(&trees, &plan)?;
        let terms = Terms { schema: &SCHEMA, policy: &self.policy, conflicts: &ConflictStyle::Dest };
        let mut merged = Merged { tree: self.sides[1].clone(), has_conflicts: false, has_lines: false };
        merged.has_conflicts |= plan.rows.iter().any(|row| row.fate == Fate::Conflict);
        for file in &plan.files {
            let written = match plan.write(&trees, file, terms) {
                Ok(written) => written,
                Err(PackageError::Unit { error, .. }) => return self.is_refused(file.path, &error),
                Err(error) => return self.refuses(&error.to_string()),
            };
            let decisions = written.reports.iter().flat_map(|report| &report.decisions);
            merged.has_conflicts |=
                decisions.into_iter().any(|decision| decision.outcome == kmerge_core::Outcome::Conflict);
            match written.text {
                Some(text) => drop(merged.tree.insert(file.path.to_owned(), text)),
                None => drop(merged.tree.remove(file.path)),
            }
        }
        self.whole(&trees, &plan, &mut merged);
        self.sound(&merged.tree)?;
        Ok(Some(merged))
    }

    /// What is refused as standing twice is in two places of one side, and called the same.
    fn stands_twice(&self, trees: &Trees<'_>, error: &PackageError) -> Result<Option<Merged>, Broken> {
        let PackageError::Duplicate { identity, places: [first, second] } = error else {
            return self.refuses(&format!("no plan: {error}"));
        };
        let is_called = |unit: UnitRef| trees.identity(unit) == Some(identity);
        let is_so = first != second && first.side == second.side && is_called(*first) && is_called(*second);
        if is_so { Ok(None) } else { self.refuses(&format!("{error}, at {first:?} and {second:?}")) }
    }

    /// What is refused when it is written is something that nobody can edit, or an unknown directive.
    fn is_refused(&self, path: &str, error: &MergeError) -> Result<Option<Merged>, Broken> {
        let texts = self.sides.into_iter().flat_map(Tree::values);
        let streams: Vec<Stream<'_>> = texts.filter_map(|text| Stream::parse(text).ok()).collect();
        let is_unwritable = matches!(error, MergeError::Splice(_)) && streams.iter().any(may_be_refused);
        if is_expected(error, &self.policy, streams.iter()) || is_unwritable {
            Ok(None)
        } else {
            self.refuses(&format!("{path} cannot be written: {error}"))
        }
    }

    fn refuses(&self, why: &str) -> Result<Option<Merged>, Broken> {
        self.must(false, why, self.sides[1]).map(|()| None)
    }

    /// Carries out what is decided about other files.
    fn whole(&self, trees: &Trees<'_>, plan: &PackagePlan<'_>, merged: &mut Merged) {
        let text = |side: Side, file: Option<u32>| {
            let content = trees.content(trees.side(side)[file? as usize].content);
            content.text().map(str::to_owned)
        };
        for file in &plan.whole {
            let new = match file.fate {
                Fate::Keep | Fate::Conflict => text(Side::Dest, file.files.dest),
                Fate::Take => text(Side::Incoming, file.files.incoming),
                Fate::Remove => None,
                Fate::Merge => {
                    let lines = file.merge_lines(trees, self.policy.both_changed, &ConflictStyle::Dest);
                    merged.has_lines = true;
                    merged.has_conflicts |= !lines.both_changed.is_empty();
                    Some(String::from_utf8_lossy(&lines.bytes).into_owned())
                }
            };
            merged.has_conflicts |= file.fate == Fate::Conflict;
            if let Some(old) = file.files.dest {
                merged.tree.remove(trees.dest[old as usize].path);
            }
            merged.tree.extend(new.map(|text| (file.path.to_owned(), text)));
        }
    }

    /// Every unit is in one row at most, and every row in the result once, or gone for a reason.
    fn accounted(&self, trees: &Trees<'_>, plan: &PackagePlan<'_>) -> Result<(), Broken> {
        let mut units: BTreeSet<UnitRef> = BTreeSet::new();
        let all = plan.rows.iter().flat_map(|row| row.units.present().map(|(_, unit)| *unit).collect::<Vec<_>>());
        for unit in all {
            self.must(units.insert(unit), &format!("{unit:?} is in one row"), self.sides[1])?;
        }
        let mut placed = vec![0; plan.rows.len()];
        plan.files.iter().flat_map(|file| plan.rows_in(file)).for_each(|row| placed[row] += 1);
        for (row, placed) in plan.rows.iter().zip(placed) {
            let wanted = match (row.fate, row.units) {
                (Fate::Remove, _) | (Fate::Keep, Slots { dest: None, .. }) => 0,
                _ => 1,
            };
            let unit = row.units.present().next().map(|(_, unit)| trees.name(*unit));
            let name = format!("{unit:?} is placed {wanted} times, and not {placed}: {:?}", row.fate);
            self.must(placed == wanted, &name, self.sides[1])?;
        }
        Ok(())
    }

    /// What was YAML still is, and what nobody touched has its bytes.
    fn sound(&self, result: &Tree) -> Result<(), Broken> {
        let [base, dest, incoming] = self.sides;
        let is_yaml = |(path, text): (&String, &String)| !is_manifest(path) || Stream::parse(text).is_ok();
        let was_yaml = self.sides.into_iter().flatten().all(is_yaml);
        for file in result.iter().filter(|_| was_yaml) {
            self.must(is_yaml(file), &format!("{} is YAML", file.0), result)?;
        }
        for (path, text) in
            dest.iter().filter(|file| base.get(file.0) == Some(file.1) && incoming.get(file.0) == Some(file.1))
        {
            self.must(result.get(path) == Some(text), &format!("{path} is left alone"), result)?;
        }
        Ok(())
    }

    fn must(&self, holds: bool, name: &str, got: &Tree) -> Result<(), Broken> {
        law(holds, || {
            let [base, dest, incoming] = self.sides.map(show);
            let got = show(got);
            format!("{name}; got\n{got}--- base\n{base}--- dest\n{dest}--- incoming\n{incoming}--- {:?}", self.policy)
        })
    }
}

fn trees<'s>([base, dest, incoming]: [&'s Tree; 3]) -> Trees<'s> {
    let mut trees = Trees::default();
    let mut known: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for (side, tree) in [(Side::Dest, dest), (Side::Base, base), (Side::Incoming, incoming)] {
        for (path, text) in tree {
            let content = *known.entry((path, text)).or_insert_with(|| {
                trees.contents.push(Content::read(path, text.as_bytes()));
                trees.contents.len() as u32 - 1
            });
            trees.side_mut(side).push(File { path, content, executable: false });
        }
    }
    trees
}

pub(crate) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "Kptfile" | "Kustomization") || [".yaml", ".yml"].iter().any(|end| path.ends_with(end))
}

fn holds_lists(tree: &Tree) -> bool {
    let is_list = |document: Document<'_>| document.root().is_some_and(|root| Resource::listed(root).is_some());
    tree.values().filter_map(|text| Stream::parse(text).ok()).any(|stream| stream.documents().any(is_list))
}

/// What each file means: the values of its documents, or its text; files and documents that say nothing are none.
#[must_use]
pub fn meanings(tree: &Tree) -> BTreeMap<&str, Vec<String>> {
    let meaning = |(path, text): (&'_ String, &String)| match Stream::parse(text) {
        Ok(stream) if is_manifest(path) => {
            let roots = stream.documents().filter_map(Document::root);
            let says_nothing =
                |root: &Node<'_>| matches!(root.resolve(kyaml_ast::ScalarSchema::Core12), Some(Resolved::Null));
            roots.filter(|root| !says_nothing(root)).map(canonical).collect()
        }
        _ => vec![text.clone()],
    };
    let all = tree.iter().map(|file| (file.0.as_str(), meaning(file)));
    all.filter(|(_, meaning)| meaning.iter().any(|meaning| !meaning.trim().is_empty())).collect()
}

/// What all resources mean, wherever they stand: as documents or as items of lists.
#[must_use]
pub fn values(tree: &Tree) -> Vec<String> {
    let mut values = Vec::new();
    for text in tree.iter().filter(|file| is_manifest(file.0)).map(|file| file.1) {
        let Ok(stream) = Stream::parse(text) else { continue };
        let held = stream.documents().filter_map(Document::root).flat_map(Resource::all);
        values.extend(held.map(|(node, _)| canonical(node)));
    }
    values.sort();
    values
}

/// A value as text: keys sorted, layout and quotes left out, and what aliases refer to in their places.
fn canonical(node: Node<'_>) -> String {
    expanded(node, 0)
}

/// Aliases that lead through more than this many others stay as they are.
const MOST_ALIASES: usize = 2;

fn expanded(node: Node<'_>, aliases: usize) -> String {
    let tag = node.tag().unwrap_or_default();
    let canonical = |node: Node<'_>| expanded(node, aliases);
    match node.kind() {
        Kind::Mapping => {
            let key = |entry: &Entry<'_>| entry.key().map(canonical).unwrap_or_default();
            let entry = |entry: Entry<'_>| format!("{}: {}", key(&entry), canonical(entry.value()));
            let mut entries: Vec<String> = node.entries().map(entry).collect();
            entries.sort();
            format!("{tag}{{{}}}", entries.join(", "))
        }
        Kind::Sequence => format!("{tag}[{}]", node.children().map(canonical).collect::<Vec<_>>().join(", ")),
        Kind::Alias => match target(node).filter(|_| aliases < MOST_ALIASES) {
            Some(target) => expanded(target, aliases + 1),
            None => node.text().to_owned(),
        },
        _ => format!("{:?}", node.resolve(kyaml_ast::ScalarSchema::Core12)),
    }
}

/// The node that an alias refers to: the last one before it that has the name.
fn target<'t>(alias: Node<'t>) -> Option<Node<'t>> {
    let is_around = |document: &Document<'_>| document.span().contains(alias.span());
    let mut open: Vec<Node<'t>> = alias.stream().documents().filter(is_around).filter_map(Document::root).collect();
    let mut found: Option<Node<'t>> = None;
    while let Some(node) = open.pop() {
        let is_it = node.anchor().is_some() && node.anchor() == alias.alias() && node.span().start < alias.span().start;
        if is_it && found.is_none_or(|found| found.span().start < node.span().start) {
            found = Some(node);
        }
        open.extend(node.children());
    }
    found.filter(|found| !found.span().contains(alias.span()))
}

/// The files with their paths, for messages.
#[must_use]
pub fn show(tree: &Tree) -> String {
    tree.iter().map(|(path, text)| format!("==> {path}\n{text}\n")).collect()
}
