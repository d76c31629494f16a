//! Reports fields in a patch that the kind of its object does not have.
//!
//! A patch is checked as a part of the object. Directives and removals bring no new fields. In a JSON patch, the paths
//! and the values of its operations are checked.

use kyaml_ast::{Kind, Node, Resolved};

use super::{Checker, Fault, Fields, Finding, field_entry};
use crate::resource::Resource;
use crate::schema::{Cursor, Lookup, Schema, ValueType};

impl Schema {
    /// The fields of a patch that the kind of its object does not have, if all fields of the kind are known. Fields
    /// that the object already has may be patched.
    ///
    /// ```
    /// use kmerge_core::Schema;
    /// use kyaml_ast::{Document, Stream};
    ///
    /// let object = Stream::parse("{apiVersion: apps/v1, kind: Deployment}")?;
    /// let patch = Stream::parse("{spec: {replcias: 3}}")?;
    /// let root = |stream| Stream::documents(stream).find_map(Document::root).unwrap();
    /// let schema = Schema::new();
    /// let found = schema.check_patch(root(&patch), root(&object));
    /// assert_eq!(found[0].name, "replcias");
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    #[must_use]
    pub fn check_patch<'t>(&'t self, patch: Node<'t>, object: Node<'t>) -> Vec<Finding> {
        let Some(Resource { id, version }) = Resource::of_node(object) else { return Vec::new() };
        let cursor = self.resource(&id.group, &version, &id.kind);
        let mut found = Vec::new();
        if patch.kind() == Kind::Sequence {
            patch.children().for_each(|operation| found.extend(of_operation(operation, cursor)));
        } else {
            found = unknown(patch, cursor);
        }
        if !found.is_empty() {
            let in_object = unknown(object, cursor);
            found.retain(|found| in_object.iter().all(|other| other.name != found.name));
        }
        found
    }
}

/// The unknown fields in a part of an object, if they get a value.
fn unknown<'t>(part: Node<'t>, cursor: Cursor<'t>) -> Vec<Finding> {
    let mut checker = Checker { wanted: Fields::Checked, ..Checker::default() };
    checker.nodes(part, cursor);
    let is_set = |found: &Finding| {
        let place = found.path.find(part).ok();
        place.is_none_or(|place| place.node.resolve(kyaml_ast::ScalarSchema::Kube11) != Some(Resolved::Null))
    };
    checker.findings.retain(|found| found.fault == Fault::UnknownField && is_set(found));
    checker.findings
}

fn of_operation<'t>(operation: Node<'t>, root: Cursor<'t>) -> Vec<Finding> {
    let field = |name| field_entry(operation, name).map(kyaml_ast::Entry::value);
    let brings = field("op").is_some_and(|op| matches!(&*op.value(), "add" | "replace" | "copy" | "move"));
    let (Some(path), true) = (field("path"), brings && root.knows_its_fields()) else { return Vec::new() };
    let mut cursor = root;
    for token in path.value().split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        let next = match cursor.value_type() {
            Some(ValueType::List) => cursor.look_up_item(),
            _ => cursor.look_up_field(&name),
        };
        cursor = match next {
            Lookup::Known(cursor) | Lookup::Key(cursor) => cursor,
            Lookup::Unknown { inside, .. } if inside.value_type() == Some(ValueType::Object) => {
                let found = Checker::default().found(Fault::UnknownField, None, path.span(), name.clone());
                return vec![Finding { similar: inside.similar_fields(&name), ..found }];
            }
            _ => return Vec::new(),
        };
    }
    field("value").map_or_else(Vec::new, |value| unknown(value, cursor))
}

#[cfg(test)]
mod tests {
    use kyaml_ast::{Document, Stream};

    use super::*;

    fn root<'t>(stream: &'t Stream<'t>) -> Node<'t> {
        stream.documents().find_map(Document::root).expect("the case has a root")
    }

    #[test]
    fn fields_that_a_patch_makes_up_are_found() {
        let deployment = "{apiVersion: apps/v1, kind: Deployment, spec: {x-kept: 1}}";
        for (patch, names) in [
            ("{spec: {replcias: 3}}", vec!["replcias"]),
            ("{spec: {replicas: 3, $patch: replace}, metadata: {labels: {any: x}}}", vec![]),
            ("{spec: {replcias: null, x-kept: 2}}", vec![]),
            ("{spec: {template: {spec: {containers: [{name: a, imgae: b}]}}}}", vec!["imgae"]),
            ("[{op: add, path: /spec/replcias, value: 3}]", vec!["replcias"]),
            ("[{op: remove, path: /spec/replcias}, {op: test, path: /spec/nothing, value: 1}]", vec![]),
            ("[{op: add, path: /spec/template/spec/containers/-, value: {name: a, imgae: b}}]", vec!["imgae"]),
            ("[{op: replace, path: /metadata/annotations/a.b~1c, value: x}]", vec![]),
        ] {
            let (object, stream) = (Stream::parse(deployment).unwrap(), Stream::parse(patch).unwrap());
            let schema = Schema::new();
            let found = schema.check_patch(root(&stream), root(&object));
            assert_eq!(found.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), names, "{patch}");
        }
    }

    #[test]
    fn of_unknown_kinds_nothing_is_said() {
        let (object, patch) =
            (Stream::parse("{apiVersion: a/v1, kind: B}").unwrap(), Stream::parse("{spec: {replcias: 3}}").unwrap());
        assert_eq!(Schema::new().check_patch(root(&patch), root(&object)), []);
    }
}
