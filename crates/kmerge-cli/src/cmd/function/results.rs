//! The `results` of a ResourceList: what a function did, or why it did nothing.

use kmerge_core::value::{Data, Map, Value};

use crate::diagnostic::Diagnostic;

/// What was done to the items of a list; those that are gone are null, new ones stand at the end.
pub(super) fn changes(own: Option<&Value>, wanted: Option<&Value>) -> Vec<Value> {
    let items = |list: Option<&Value>| list.and_then(Value::as_list).map(<[Value]>::to_vec).unwrap_or_default();
    let own = items(own.and_then(|own| own.get("items")));
    let mut results = Vec::new();
    for (index, wanted) in items(wanted).iter().enumerate() {
        match own.get(index) {
            Some(own) if own == wanted => {}
            Some(own) if wanted.is_null() => results.push(result("deleted", own)),
            Some(_) => results.push(result("patched", wanted)),
            None => results.push(result("added", wanted)),
        }
    }
    results
}

fn result(message: &str, object: &Value) -> Value {
    let mut result = Map::from([text("message", message), text("severity", "info")]);
    result.insert("resourceRef".to_owned(), reference(object));
    if let Some(file) = file(object) {
        result.insert("file".to_owned(), file);
    }
    Value::map(result)
}

/// A result that says what is wrong, so that nothing was done.
pub(super) fn failure(diagnostic: &Diagnostic) -> Value {
    Value::map(Map::from([text("message", &diagnostic.summary()), text("severity", "error")]))
}

/// A result that says what was done without.
pub(super) fn warning(message: &str) -> Value {
    Value::map(Map::from([text("message", message), text("severity", "warning")]))
}

fn text(name: &str, value: &str) -> (String, Value) {
    (name.to_owned(), Value::text(value))
}

fn reference(object: &Value) -> Value {
    let parts: [(&str, &[&str]); 4] = [
        ("apiVersion", &["apiVersion"]),
        ("kind", &["kind"]),
        ("name", &["metadata", "name"]),
        ("namespace", &["metadata", "namespace"]),
    ];
    let found = parts.iter().filter_map(|(name, way)| Some(text(name, object.at(way)?.as_text()?)));
    Value::map(found.collect())
}

/// The file that an object comes from, by the annotations that orchestrators set.
fn file(object: &Value) -> Option<Value> {
    let annotations = object.at(&["metadata", "annotations"])?;
    let get = |name: &str| {
        let internal = annotations.get(&format!("internal.config.kubernetes.io/{name}"));
        internal.or_else(|| annotations.get(&format!("config.kubernetes.io/{name}"))).and_then(Value::as_text)
    };
    let mut file = Map::from([text("path", get("path")?)]);
    if let Some(index) = get("index").and_then(|index| index.parse().ok()) {
        file.insert("index".to_owned(), Value::new(Data::Int(index)));
    }
    Some(Value::map(file))
}
