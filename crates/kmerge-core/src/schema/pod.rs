//! Pods and pod templates inside resources of other kinds, recognised by their structure.
//!
//! Most definitions embed a pod template without a word on its lists, since the tools that write definitions drop the
//! patch keys, and most custom resources come without their definition. A wrong guess costs little: keys are followed
//! only where every element has them and none twice.
//!
//! - In a definition ([`described`]): an object whose `containers` are objects with the fields `name` and `image` is a
//!   pod's specification; an object with `metadata` whose `spec` is one is a pod template.
//! - In a resource ([`is_template`]): a mapping with the fields `spec` and possibly `metadata`, and no others, is a pod
//!   template when each element of `spec.containers` has a name, on every side, and one of them an image.

use kyaml_ast::{Kind, Node};

use super::builtin;
use super::element::scalar_text;
use super::table::{Owner, TypeId};
use crate::resource::{descend, field, fields, items};

const TEMPLATE: &str = "core/v1.PodTemplateSpec";

/// The built-in pod template.
pub(super) fn template() -> Option<TypeId> {
    type_named(TEMPLATE)
}

/// The built-in type of this name.
pub(super) fn type_named(name: &str) -> Option<TypeId> {
    builtin::table().type_named(name).map(|index| TypeId { owner: Owner::Builtin, index })
}

/// The built-in type that the schema of an object describes.
pub(super) fn described(schema: Node<'_>) -> Option<TypeId> {
    let properties = field(schema, "properties")?;
    let spec = field(properties, "spec");
    if spec.is_some_and(describes_pod) && field(properties, "metadata").is_some() {
        return template();
    }
    describes_pod(schema).then(|| type_named("core/v1.PodSpec")).flatten()
}

fn describes_pod(schema: Node<'_>) -> bool {
    let container = descend(schema, &["properties", "containers", "items", "properties"]);
    container.is_some_and(|fields| ["name", "image"].iter().all(|name| field(fields, name).is_some()))
}

/// Whether mappings, one for each side that has one, are pod templates.
pub(super) fn is_template<'t>(sides: impl Iterator<Item = Node<'t>> + Clone) -> bool {
    sides.clone().all(|side| has_template_fields(side) && containers(side).is_none_or(are_containers))
        && sides.filter_map(containers).any(has_image)
}

fn containers(template: Node<'_>) -> Option<Node<'_>> {
    descend(template, &["spec", "containers"])
}

fn has_image(list: Node<'_>) -> bool {
    items(list).any(|item| field(item, "image").is_some())
}

fn has_template_fields(side: Node<'_>) -> bool {
    side.kind() == Kind::Mapping
        && fields(side).all(|(key, _)| key.kind().is_scalar() && matches!(&*key.value(), "metadata" | "spec"))
}

fn are_containers(list: Node<'_>) -> bool {
    list.kind() == Kind::Sequence && items(list).all(|item| field(item, "name").and_then(scalar_text).is_some())
}
