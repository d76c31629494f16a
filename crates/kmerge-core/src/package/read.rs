//! Reads a file of a package: what kind of content it is, and which units it holds.

use kyaml_ast::{Document, Node, Span, Stream};

use super::lists::node_span;
use super::trees::{Content, ContentKind};
use super::unit::{Subject, Unit};
use crate::documents::set_off;
use crate::resource::{Resource, ResourceId, content, field, field_entry, listed_resource};
use crate::template::is_template;

impl<'s> Content<'s> {
    /// Reads the bytes of the file at `path`; never fails: what is no manifest is text or bytes.
    #[must_use]
    pub fn read(path: &str, bytes: &'s [u8]) -> Self {
        Self(kind(path, bytes))
    }
}

fn kind<'s>(path: &str, bytes: &'s [u8]) -> ContentKind<'s> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) if memchr::memchr(0, bytes).is_none() => text,
        _ => return ContentKind::Binary(bytes),
    };
    if !is_manifest_name(path) {
        return ContentKind::Text(text);
    }
    match Stream::parse(text) {
        Ok(stream) if !is_template(&stream) => ContentKind::Manifest { text, units: units(&stream) },
        _ => ContentKind::Text(text),
    }
}

/// Whether a file of this name is YAML. JSON is.
fn is_manifest_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_extension = |extension: &&str| name.ends_with(*extension);
    matches!(name, "Kptfile" | "Kustomization") || [".yaml", ".yml", ".json"].iter().any(is_extension)
}

/// The units of a stream, in source order.
pub(super) fn units(stream: &Stream<'_>) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut next = 0;
    for document in stream.documents() {
        let mut extent = document.span();
        if let Some(end) = head_end(document, extent.start == 0) {
            units.push(comment(next, Span::new(extent.start, end)));
            extent.start = end;
            next += 1;
        }
        let bare = || if document.text().contains('#') { None } else { document.root() };
        match content(document).or_else(bare) {
            None => units.push(comment(next, extent)),
            Some(root) => push_document(&mut units, root, next, extent),
        }
        next += 1;
    }
    units
}

/// Where the comments at the head of a document end that are none of its own: those before its `---`, and those that a
/// blank line sets off at the start of a file.
fn head_end(document: Document<'_>, is_first: bool) -> Option<u32> {
    if document.directives().next().is_some() {
        return None;
    }
    if let Some(marker) = document.start_marker() {
        let above = Span::new(document.span().start, marker.start);
        return above.of(document.stream().source()).contains('#').then_some(marker.start);
    }
    if !is_first || document.root().is_none() {
        return None;
    }
    Some(set_off(document)).filter(|head| !head.is_empty()).map(|head| head.end)
}

fn comment(document: u32, extent: Span) -> Unit {
    Unit { document, item: None, span: extent, extent, owned: extent, subject: Subject::Comment, claim: None }
}

fn push_document(units: &mut Vec<Unit>, root: Node<'_>, index: u32, extent: Span) {
    let resource = Resource::of_node(root);
    let (Some(items), Some(list)) = (Resource::listed(root), &resource) else {
        let own = subject(root, resource);
        let subject = if own.is_list() && own.identity().is_none() && has_items(root) { Subject::Plain } else { own };
        units.push(Unit { extent, owned: extent, ..unit(root, index, subject) });
        return;
    };
    let Resource { id, .. } = list.clone();
    units.push(Unit { extent, owned: extent, ..unit(root, index, Subject::Single { group: id.group, kind: id.kind }) });
    for (item, entry) in items.entries().enumerate() {
        let (node, owned) = (entry.value(), entry.extent());
        let subject = subject(node, listed_resource(node, list));
        units.push(Unit { item: Some(item as u32), owned, ..unit(node, index, subject) });
    }
}

/// Whether a list holds something: where that is no resources, it is no version of a list of resources.
fn has_items(root: Node<'_>) -> bool {
    field(root, "items").is_some_and(|items| items.children().next().is_some())
}

fn unit(root: Node<'_>, document: u32, subject: Subject) -> Unit {
    let claim = subject.identity().and_then(|identity| claim(root, identity)).map(Box::new);
    let span = node_span(root);
    Unit { document, item: None, span, extent: span, owned: span, subject, claim }
}

fn subject(root: Node<'_>, resource: Option<Resource>) -> Subject {
    let Some(Resource { mut id, .. }) = resource else { return Subject::Plain };
    if id.name.is_empty() {
        let name = field(root, "metadata").and_then(|metadata| field(metadata, "generateName"));
        id.name = name.map(|name| format!("{}*", name.value())).unwrap_or_default();
    }
    if id.name.is_empty() || is_one_per_file(&id) {
        return Subject::Single { group: id.group, kind: id.kind };
    }
    Subject::Resource(id)
}

/// Files that describe their directory; their name, if any, is not what they are known by.
fn is_one_per_file(id: &ResourceId) -> bool {
    matches!(
        (id.group.as_str(), id.kind.as_str()),
        ("kpt.dev", "Kptfile") | ("kustomize.config.k8s.io", "Kustomization" | "Component")
    )
}

/// The identity upstream, from a comment `# kpt-merge: namespace/name` on the line of `metadata:`.
fn claim(root: Node<'_>, own: &ResourceId) -> Option<ResourceId> {
    let comment = field_entry(root, "metadata")?.trail()?.of(root.stream().source());
    let (namespace, name) =
        comment.trim_start_matches('#').trim().strip_prefix("kpt-merge:")?.trim().split_once('/')?;
    let claimed = ResourceId { namespace: namespace.to_owned(), name: name.to_owned(), ..own.clone() };
    (!name.is_empty() && claimed != *own).then_some(claimed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subjects(text: &str) -> Vec<String> {
        let stream = Stream::parse(text).unwrap();
        units(&stream)
            .iter()
            .map(|unit| {
                let claim = unit.claim.as_ref().map(|claim| format!(" as {}/{}", claim.namespace, claim.name));
                let item = unit.item.map(|item| format!("[{item}]")).unwrap_or_default();
                format!("{}{item} {}{}", unit.document, unit.subject, claim.unwrap_or_default())
            })
            .collect()
    }

    #[test]
    fn documents_are_known_by_kind_and_name() {
        let text = "# licence\n---\nkind: ConfigMap\nmetadata: {name: 'a', namespace: x}\n---\napiVersion: apps/v1\n\
            kind: Deployment\nmetadata:\n  generateName: web-\n---\na: 1\n---\nkind: Kustomization\n\
            apiVersion: kustomize.config.k8s.io/v1beta1\nmetadata: {name: k}\n---\n- 1\n---\n";
        let expected = ["0 comment", "1 ConfigMap x/a", "2 apps/Deployment web-*", "3 document", "4 Kustomization"];
        assert_eq!(subjects(text), [&expected[..], &["5 document", "6 document"]].concat());
    }

    #[test]
    fn comments_at_the_head_of_a_file_stand_on_their_own() {
        assert_eq!(subjects("# licence\n\n# of a\nkind: A\nmetadata: {name: a}\n"), ["0 comment", "1 A a"]);
        assert_eq!(subjects("# of a\nkind: A\nmetadata: {name: a}\n"), ["0 A a"]);
        assert_eq!(subjects("\nkind: A\nmetadata: {name: a}\n# tail\n"), ["0 A a"]);
        assert_eq!(subjects("a: 1\n...\n# between\n---\nb: 1\n"), ["0 document", "1 comment", "2 document"]);
        assert_eq!(subjects("# c\n%YAML 1.2\n---\na: 1\n"), ["0 document"]);
        assert_eq!(subjects("a: 1\n---\n# at the end\n---\n"), ["0 document", "1 comment", "2 document"]);
    }

    #[test]
    fn items_of_lists_are_units() {
        let text = "kind: List\nitems:\n- {kind: A, metadata: {name: a}}\n- {kind: B, metadata: {name: b}}\n---\n\
            kind: FooList\nitems:\n- metadata: {name: a}\n---\nkind: AllowList\nmetadata: {name: x}\nitems: [1]\n";
        let expected = ["0 List", "0[0] A a", "0[1] B b", "1 FooList", "1[0] Foo a", "2 AllowList x"];
        assert_eq!(subjects(text), expected);
    }

    #[test]
    fn the_kpt_merge_comment_claims_an_identity() {
        let claimed = "kind: A\nmetadata: # kpt-merge: /web\n  name: mine\n  namespace: x\n";
        assert_eq!(subjects(claimed), ["0 A x/mine as /web"]);
        assert_eq!(subjects("kind: A\nmetadata: # kpt-merge: /a\n  name: a\n"), ["0 A a"]);
        assert_eq!(subjects("kind: A\nmetadata: {name: b} # kpt-merge: n/a\n"), ["0 A b as n/a"]);
    }
}
