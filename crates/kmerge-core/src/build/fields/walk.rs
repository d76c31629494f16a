//! Walks along a path of a value to the fields at its end.

use super::Step;
use crate::build::transform::TransformError;
use crate::value::{Data, Map, Value};

/// What to do about a missing field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::build) enum Missing {
    /// It stays missing.
    Stays,
    /// It is created as null.
    Scalar,
    /// It is created as a mapping.
    Mapping,
}

/// Calls `set` with every value at the end of a path.
///
/// # Errors
///
/// If there is a scalar on the path; and the errors of `set`.
pub(in crate::build) fn visit(
    value: &mut Value,
    path: &[Step],
    missing: Missing,
    set: &mut impl FnMut(&mut Value) -> Result<(), TransformError>,
) -> Result<(), TransformError> {
    let Some((step, rest)) = path.split_first() else { return set(value) };
    match &mut value.data {
        Data::Null => Ok(()),
        Data::List(items) => items.iter_mut().try_for_each(|item| visit(item, path, missing, set)),
        Data::Map(map) => {
            if missing != Missing::Stays && !step.is_list {
                make(map, &step.name, rest.is_empty() && missing == Missing::Scalar);
            }
            map.get_mut(&step.name).map_or(Ok(()), |field| visit(field, rest, missing, set))
        }
        _ => Err(TransformError::OnTheWay(step.name.clone())),
    }
}

/// Creates a field that is missing or null.
fn make(map: &mut Map, name: &str, is_scalar: bool) {
    let field = map.entry(name.to_owned()).or_insert_with(Value::null);
    if field.is_null() && !is_scalar {
        // Nothing of the null is kept, so that the field is written as a new mapping.
        *field = Value::new(Data::Map(Map::new()));
    }
}

#[cfg(test)]
mod tests {
    use super::{Missing, visit};
    use crate::build::fields::{FieldSpec, KindPattern};
    use crate::value::{Data, Value};

    #[test]
    fn a_path_leads_through_lists_and_makes_what_it_may() {
        let cases = [
            (r#"{"a":[{"b":1},{"c":2},null]}"#, "a/b", Missing::Stays, r#"{"a":[{"b":"x"},{"c":2},null]}"#),
            (r#"{"a":[{"c":2}]}"#, "a/b", Missing::Scalar, r#"{"a":[{"b":"x","c":2}]}"#),
            (r#"{"a":null}"#, "a/b", Missing::Scalar, r#"{"a":{"b":"x"}}"#),
            (r#"{"a":null}"#, "a/b", Missing::Stays, r#"{"a":null}"#),
            (r#"{}"#, "a[]/b", Missing::Scalar, r#"{}"#),
            (r#"{"a":null}"#, "a", Missing::Stays, r#"{"a":"x"}"#),
        ];
        for (json, path, missing, expected) in cases {
            let mut value = Value::from_json(json).expect("JSON");
            let field = FieldSpec::new(KindPattern::default(), path, false);
            let mut set = |value: &mut crate::value::Value| {
                value.data = Data::Text("x".to_owned());
                Ok(())
            };
            visit(&mut value, &field.path, missing, &mut set).expect("nothing is in the way");
            assert_eq!(value.to_json(), expected, "{json} {path}");
        }
    }
}
