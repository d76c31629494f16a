//! Folds the documents of one tree: a later document of a resource is a patch of the earlier one.
//!
//! The first document of a resource keeps its place; what is folded into it goes. Documents without an identity are left
//! alone: two without metadata are not one. The items of a list of resources are folded like documents. A patch directive in a
//! first document has nothing to patch, and goes. A resource that a later document deletes comes back with the next one after
//! that, in the place of that one.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use kyaml_ast::Stream;

use super::assemble::Part;
use super::excerpt::{column, excerpt, in_file, in_place};
use super::extract::extract_item;
use super::lists::with_items;
use super::plan::PackageError;
use super::trees::{Trees, UnitRef};
use super::write::{Terms, file_text};
use crate::MergeError;
use crate::conflict::{ConflictStyle, render};
use crate::documents::merge_one;
use crate::policy::{Nulls, Policy};
use crate::resource::ResourceId;
use crate::slots::{Side, Slots};

/// What folding changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// The files of the destination that change, with what stands in them; `None`: nothing, the file goes.
    pub files: Vec<(u32, Option<String>)>,
    /// How many documents went into earlier ones.
    pub documents: usize,
    /// Places that nobody decided.
    pub conflicts: usize,
}

impl Trees<'_> {
    /// Folds the documents of the destination's tree, files in the order of their paths.
    ///
    /// # Errors
    ///
    /// [`PackageError::Unit`].
    pub fn fold(&self, terms: Terms<'_>) -> Result<Folded, PackageError> {
        let mut folding = Folding { trees: self, terms, texts: HashMap::new(), folded: Folded::default() };
        for group in groups(self) {
            folding.fold_group(&group)?;
        }
        for file in 0..self.dest.len() as u32 {
            if self.units(Side::Dest, file).any(|unit| folding.texts.contains_key(&unit)) {
                let text = folding.file_text(file)?;
                folding.folded.files.push((file, text));
            }
        }
        Ok(folding.folded)
    }
}

/// The documents and items of each resource that has several, in their order.
fn groups(trees: &Trees<'_>) -> Vec<Vec<UnitRef>> {
    let mut groups: Vec<Vec<UnitRef>> = Vec::new();
    let mut index: HashMap<&ResourceId, usize> = HashMap::new();
    for unit in (0..trees.dest.len() as u32).flat_map(|file| trees.units(Side::Dest, file)) {
        let Some(identity) = trees.unit(unit).subject.identity() else { continue };
        let at = *index.entry(identity).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(unit);
    }
    let has_orders = |unit: &UnitRef| trees.extent(*unit).contains("$patch");
    groups.retain(|group| group.len() > 1 || group.iter().any(has_orders));
    groups
}

/// A tree whose documents are being folded.
struct Folding<'f, 's> {
    trees: &'f Trees<'s>,
    terms: Terms<'f>,
    /// The new texts of documents and items; `None`: it goes.
    texts: HashMap<UnitRef, Option<String>>,
    folded: Folded,
}

/// The document that the later ones of its resource are folded into, and its text so far.
struct First {
    unit: UnitRef,
    text: String,
}

impl Folding<'_, '_> {
    fn fold_group(&mut self, group: &[UnitRef]) -> Result<(), PackageError> {
        let mut first: Option<First> = None;
        for &unit in group {
            let place = first.as_ref().map_or(unit, |first| first.unit);
            let text = first.as_ref().map(|first| first.text.as_str());
            let stepped = text_beside(self.trees, unit, place).and_then(|later| step(text, &later, self.terms));
            let in_file = |error| in_file(error, Some(&excerpt(self.trees, unit)));
            let (text, conflicts) = stepped.map_err(|error| PackageError::Unit { unit, error: in_file(error) })?;
            self.folded.documents += usize::from(first.is_some());
            self.folded.conflicts += conflicts;
            self.texts.extend([(place, None), (unit, None)]);
            first = (!text.trim_ascii().is_empty()).then_some(First { unit: place, text });
        }
        if let Some(First { unit, text }) = first {
            let text = if self.trees.is_item(unit) { in_place(&text, column(self.trees, unit)) } else { text };
            self.texts.insert(unit, Some(text));
        }
        Ok(())
    }

    /// What stands in a file; `None` where nothing is left.
    fn file_text(&mut self, file: u32) -> Result<Option<String>, PackageError> {
        let trees = self.trees;
        let mut parts = Vec::new();
        for unit in trees.units(Side::Dest, file).filter(|unit| !trees.is_item(*unit)) {
            let text = self.unit_text(unit).map_err(|error| PackageError::Unit { unit, error })?;
            let document = trees.unit(unit).document;
            parts.extend(text.map(|text| Part { unit, document, text, contested: None }));
        }
        Ok(file_text(trees, Some(file), &parts, ConflictStyle::Dest))
    }

    /// The text of a document, with those of its items; `None` where nothing is left of it.
    fn unit_text(&mut self, unit: UnitRef) -> Result<Option<String>, MergeError> {
        let own = || Some(self.trees.extent(unit).to_owned());
        let Some(text) = self.texts.remove(&unit).unwrap_or_else(own) else { return Ok(None) };
        let items = self.trees.items(unit).zip(0..);
        let new: BTreeMap<usize, Option<String>> =
            items.filter_map(|(item, index)| Some((index, self.texts.remove(&item)?))).collect();
        if new.is_empty() { Ok(Some(text)) } else { with_items(&text, &new) }
    }
}

/// A unit as it is merged into the one at `place`: among items, at the column of that one.
fn text_beside<'s>(trees: &Trees<'s>, unit: UnitRef, place: UnitRef) -> Result<Cow<'s, str>, MergeError> {
    let place = if trees.is_item(place) { Some(place) } else { None };
    if place.is_none() && !trees.is_item(unit) {
        return Ok(Cow::Borrowed(trees.extent(unit)));
    }
    Ok(Cow::Owned(extract_item(trees, unit, place)?.text))
}

/// Merges a document into the earlier one, if there is one; nothing is left where it deletes it.
fn step(text: Option<&str>, later: &str, terms: Terms<'_>) -> Result<(String, usize), MergeError> {
    if text.is_none() && !later.contains("$patch") {
        return Ok((later.to_owned(), 0));
    }
    let (dest, incoming) = (text.map(Stream::parse).transpose()?, Stream::parse(later)?);
    let sides = Slots { dest: dest.as_ref(), base: None, incoming: Some(&incoming) };
    // A first document is data but for its directives.
    let nulls = if text.is_none() { Nulls::Data } else { terms.policy.nulls };
    let policy = Policy { nulls, ..*terms.policy };
    let plan = merge_one(sides, "", terms.schema, &policy)?;
    Ok((render(&plan, sides, terms.conflicts)?, plan.conflicts.len()))
}

#[cfg(test)]
mod tests {
    use super::super::trees::{Content, File};
    use super::*;
    use crate::Schema;

    fn folded(text: &str) -> Option<String> {
        let file = File { path: "-.yaml", content: 0, executable: false };
        let contents = vec![Content::read("-.yaml", text.as_bytes())];
        let trees = Trees { contents, dest: vec![file], ..Trees::default() };
        let (schema, conflicts) = (Schema::new(), ConflictStyle::Dest);
        let terms = Terms { schema: &schema, policy: &Policy::MERGE2, conflicts: &conflicts };
        let folded = trees.fold(terms).unwrap();
        folded.files.into_iter().next().map_or_else(|| Some(text.to_owned()), |file| file.1)
    }

    #[test]
    fn later_documents_are_patches_of_earlier_ones() {
        let stream = "# first\nkind: A\nmetadata: {name: a}\nx: 1 # one\n---\nkind: B\nmetadata: {name: b}\n---\n\
            kind: A\nmetadata: {name: a}\nx: 2\ny: 3\n---\nkind: A\nmetadata: {name: a}\ny: null\n";
        let expected = "# first\nkind: A\nmetadata: {name: a}\nx: 2 # one\n---\nkind: B\nmetadata: {name: b}\n";
        assert_eq!(folded(stream).unwrap(), expected);
    }

    #[test]
    fn documents_without_metadata_are_not_one() {
        for stream in ["a: 1\n---\na: 2\n", "kind: A\nx: 1\n---\nkind: A\nx: 2\n"] {
            assert_eq!(folded(stream).unwrap(), stream);
        }
    }

    #[test]
    fn items_of_lists_are_folded_like_documents() {
        let list =
            "kind: List\nitems:\n- kind: A\n  metadata: {name: a}\n  x: 1 # one\n- kind: B\n  metadata: {name: b}\n";
        let a = "kind: A\nmetadata: {name: a}\nx: 2\n";
        assert_eq!(folded(&format!("{list}---\n{a}")).unwrap(), list.replace("x: 1", "x: 2"));
        assert_eq!(
            folded(&format!("{a}---\n{list}")).unwrap(),
            "kind: A\nmetadata: {name: a}\nx: 1 # one\n---\nkind: List\nitems:\n- kind: B\n  metadata: {name: b}\n"
        );
        let only = "kind: List\nitems:\n- {kind: A, metadata: {name: a}, y: 3}\n";
        assert_eq!(folded(&format!("{a}---\n{only}")).unwrap(), a.replace("x: 2", "y: 3\nx: 2"));
        let twice =
            list.replace("kind: B\n  metadata: {name: b}", "kind: A\n  metadata: {name: a}\n  x: 3\n  $patch: replace");
        assert_eq!(folded(&twice).unwrap(), "kind: List\nitems:\n- kind: A\n  metadata: {name: a}\n  x: 3\n");
    }

    #[test]
    fn what_is_deleted_comes_back_with_the_next_document() {
        let a = "kind: A\nmetadata: {name: a}\n";
        let delete = "kind: A\nmetadata: {name: a}\n$patch: delete\n";
        assert_eq!(folded(&format!("{a}---\n{delete}")), None);
        let stream = format!("{a}x: 1\n---\n{delete}---\nb: 1\n---\n{a}x: 2\n");
        assert_eq!(folded(&stream).unwrap(), format!("b: 1\n---\n{a}x: 2\n"));
    }
}
