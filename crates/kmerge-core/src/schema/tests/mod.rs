//! Lookups through every source of schema.

mod builtin;
mod crd;
mod fields;
mod pairing;
mod rules;

use super::*;

/// Follows a path such as `spec.containers[].ports` from the root of a resource.
fn at<'s>(root: Cursor<'s>, path: &str) -> Cursor<'s> {
    path.split('.').filter(|part| !part.is_empty()).fold(root, |cursor, part| {
        let name = part.trim_end_matches("[]");
        let items = (part.len() - name.len()) / 2;
        (0..items).fold(cursor.field(name), |cursor, _| cursor.item())
    })
}

/// `atomic`, `set`, `infer`, or the keys with their defaults: `port,protocol:TCP`.
fn show(kind: ListKind<'_>) -> String {
    match kind {
        ListKind::Keyed(keys) => {
            let keys = keys.iter().map(|key| {
                let version = if key.is_unversioned { "@" } else { "" };
                let default = key.default.map(|default| format!(":{default}")).unwrap_or_default();
                format!("{}{version}{default}", key.name)
            });
            keys.collect::<Vec<_>>().join(",")
        }
        other => format!("{other:?}").to_lowercase(),
    }
}

fn rule(schema: &Schema, api_version: &str, kind: &str, path: &str) -> String {
    let (group, version) = crate::resource::split_api_version(api_version);
    show(at(schema.resource(group, version, kind), path).list().kind)
}
