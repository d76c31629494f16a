//! Lists of resources: a `kind: List`, or a `FooList` as API servers answer with, and what their items are.
//!
//! What is in a `List` is resources by definition, whatever they lack. Something else that is called a list counts as one of resources
//! where everything in it could be one: objects with `metadata`, and at least one.

use kyaml_ast::{Kind, Node};

use super::{Resource, field, text};

impl Resource {
    /// The `items` of a list of resources; `None` where the node is something else.
    #[must_use]
    pub fn listed(root: Node<'_>) -> Option<Node<'_>> {
        let kind = text(root, "kind").filter(|kind| kind.ends_with("List"))?;
        let items = field(root, "items").filter(|items| items.kind() == Kind::Sequence)?;
        let is_resource = |item: Node<'_>| field(item, "metadata").is_some();
        let has_name = || field(root, "metadata").and_then(|metadata| text(metadata, "name")).is_some();
        let is_of_resources = || !has_name() && items.children().next().is_some() && items.children().all(is_resource);
        let are_objects = items.children().all(|item| item.kind() == Kind::Mapping);
        (are_objects && (kind == "List" || is_of_resources())).then_some(items)
    }

    /// What a document holds: itself, or the items of the list of resources that it is, each with its node and, where it has
    /// a kind, what it is.
    #[must_use]
    pub fn all(root: Node<'_>) -> Vec<(Node<'_>, Option<Self>)> {
        let own = Self::of_node(root);
        match (Self::listed(root), &own) {
            (Some(items), Some(list)) => items.children().map(|item| (item, listed_resource(item, list))).collect(),
            _ => vec![(root, own)],
        }
    }
}

/// The item of a list as a resource; those of a `FooList` may leave out that they are `Foo`s.
#[must_use]
pub(crate) fn listed_resource(item: Node<'_>, list: &Resource) -> Option<Resource> {
    let own = Resource::of_node(item);
    let kind = list.id.kind.strip_suffix("List").filter(|kind| !kind.is_empty());
    let (None, Some(kind)) = (&own, kind) else { return own };
    let mut found = of_metadata(item);
    found.version.clone_from(&list.version);
    (found.id.group, found.id.kind) = (list.id.group.clone(), kind.to_owned());
    Some(found)
}

/// An item as far as it says itself what it is: one without a kind is of that which its list is of.
#[must_use]
pub(crate) fn item_resource(item: Node<'_>) -> Resource {
    Resource::of_node(item).unwrap_or_else(|| of_metadata(item))
}

fn of_metadata(item: Node<'_>) -> Resource {
    let of_metadata = |name| field(item, "metadata").and_then(|metadata| text(metadata, name)).unwrap_or_default();
    let mut found = Resource::default();
    (found.id.namespace, found.id.name) = (of_metadata("namespace"), of_metadata("name"));
    found
}

#[cfg(test)]
mod tests {
    use kyaml_ast::{Document, Stream};

    use super::*;

    fn found(text: &str) -> Vec<String> {
        let stream = Stream::parse(text).unwrap();
        let roots = stream.documents().filter_map(Document::root);
        roots.flat_map(Resource::all).map(|(_, it)| it.map_or_else(|| "?".to_owned(), |it| it.to_string())).collect()
    }

    #[test]
    fn items_say_what_they_are_or_their_list_does() {
        assert_eq!(found("kind: A\nmetadata: {name: a}\n"), ["A a"]);
        assert_eq!(found("kind: List\nitems:\n- {kind: A, metadata: {name: a}}\n- {metadata: {}}\n"), ["A a", "?"]);
        assert_eq!(found("kind: List\nitems:\n- {kind: A}\n- {kind: B, metadata: {name: b}}\n"), ["A", "B b"]);
        let typed = "apiVersion: g/v1\nkind: AList\nitems:\n- metadata: {name: a, namespace: n}\n";
        assert_eq!(found(typed), ["g/v1 A n/a"]);
    }

    #[test]
    fn what_is_called_a_list_may_be_something_else() {
        assert_eq!(found("kind: AllowList\nmetadata: {name: a}\nitems:\n- metadata: {name: b}\n"), ["AllowList a"]);
        assert_eq!(found("kind: List\nitems: [1]\n"), ["List"]);
        assert_eq!(found("kind: List\nitems: {}\n"), ["List"]);
        assert_eq!(found("kind: AllowList\nitems: []\n"), ["AllowList"]);
        assert_eq!(found("kind: AllowList\nitems:\n- cidr: 10.0.0.0/8\n"), ["AllowList"]);
    }
}
