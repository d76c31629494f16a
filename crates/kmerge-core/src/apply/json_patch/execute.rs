//! Executes the operations of a JSON patch.

use super::{JsonPatchError, JsonPatchErrorKind as Kind, Operation, OperationKind, Pointer};
use crate::value::{Data, MAX_DEPTH, Value};

/// The most values that the `copy` operations of one patch may write. Each copy can double the document.
const MAX_COPIED: usize = 1_000_000;

/// Applies operations in order.
///
/// # Errors
///
/// The first operation that fails. The value then has the changes of the operations before it.
pub(crate) fn apply_patch(value: &mut Value, operations: Vec<Operation>) -> Result<(), JsonPatchError> {
    let mut copied = 0;
    for (index, operation) in operations.into_iter().enumerate() {
        let summary = format!("{} {}", operation.kind.name(), operation.path);
        execute(value, operation, &mut copied).map_err(|kind| JsonPatchError {
            operation: Some(index),
            summary,
            kind,
        })?;
    }
    Ok(())
}

fn execute(root: &mut Value, operation: Operation, copied: &mut usize) -> Result<(), Kind> {
    let path = operation.path;
    match operation.kind {
        OperationKind::Add(value) => add(root, &path, value),
        OperationKind::Remove => remove(root, &path).map(drop),
        OperationKind::Replace(value) => replace(root, &path, value),
        OperationKind::Move(from) => {
            let value = remove(root, &from)?;
            add(root, &path, value)
        }
        OperationKind::Copy(from) => {
            // RFC 6902, 4.5: the copied value must exist. kubectl writes a null if it does not.
            let value = get(root, &from)?.ok_or(Kind::Missing)?;
            *copied += measure(value).values;
            if *copied > MAX_COPIED {
                return Err(Kind::TooMuch);
            }
            let value = value.clone();
            add(root, &path, value)
        }
        OperationKind::Test(value) => {
            let same = get(root, &path)?.map_or(value.is_null(), |found| *found == value);
            if same { Ok(()) } else { Err(Kind::TestFailed) }
        }
    }
}

struct Size {
    depth: usize,
    values: usize,
}

fn measure(value: &Value) -> Size {
    let inside: Vec<Size> = match &value.data {
        Data::List(items) => items.iter().map(measure).collect(),
        Data::Map(map) => map.values().map(measure).collect(),
        _ => return Size { depth: 0, values: 1 },
    };
    Size {
        depth: 1 + inside.iter().map(|size| size.depth).max().unwrap_or(0),
        values: 1 + inside.iter().map(|size| size.values).sum::<usize>(),
    }
}

fn check_depth(path: &Pointer, value: &Value) -> Result<(), Kind> {
    if path.steps().len() + measure(value).depth > MAX_DEPTH { Err(Kind::TooDeep) } else { Ok(()) }
}

/// The value that contains the place of a pointer.
fn holder<'v, 'p>(root: &'v mut Value, path: &'p Pointer) -> Result<(&'v mut Value, &'p str), Kind> {
    let (way, last) = path.split_last().ok_or(Kind::Root)?;
    let mut value = root;
    for step in way {
        value = match &mut value.data {
            Data::Map(map) => map.get_mut(step).ok_or(Kind::Missing)?,
            Data::List(items) => {
                let at = index(step, items.len())?;
                &mut items[at]
            }
            _ => return Err(Kind::Missing),
        };
    }
    Ok((value, last))
}

/// The index of an existing item. Negative indices count from the end, as in kubectl.
///
/// RFC 6901, 4: an index is written without a sign `+` and without leading zeros.
fn index(step: &str, len: usize) -> Result<usize, Kind> {
    let digits = step.strip_prefix('-').unwrap_or(step);
    if digits.starts_with('+') || (digits.starts_with('0') && step != "0") {
        return Err(Kind::NotAnIndex);
    }
    let position = step.parse::<isize>().map_err(|_| Kind::NotAnIndex)?;
    let position = if position < 0 { position + len as isize } else { position };
    usize::try_from(position).ok().filter(|at| *at < len).ok_or(Kind::OutOfBounds)
}

/// The value at the place. `None` if a mapping lacks it.
fn get<'v>(root: &'v mut Value, path: &Pointer) -> Result<Option<&'v Value>, Kind> {
    if path.steps().is_empty() {
        return Ok(Some(root));
    }
    let (holder, last) = holder(root, path)?;
    match &holder.data {
        Data::Map(map) => Ok(map.get(last)),
        Data::List(items) => Ok(Some(&items[index(last, items.len())?])),
        _ => Err(Kind::Missing),
    }
}

fn add(root: &mut Value, path: &Pointer, value: Value) -> Result<(), Kind> {
    check_depth(path, &value)?;
    let (holder, last) = holder(root, path)?;
    match &mut holder.data {
        Data::Map(map) => {
            map.insert(last.to_owned(), value);
        }
        Data::List(items) if last == "-" => items.push(value),
        Data::List(items) => items.insert(index(last, items.len() + 1)?, value),
        _ => return Err(Kind::Missing),
    }
    Ok(())
}

fn remove(root: &mut Value, path: &Pointer) -> Result<Value, Kind> {
    let (holder, last) = holder(root, path)?;
    match &mut holder.data {
        Data::Map(map) => map.remove(last).ok_or(Kind::Missing),
        Data::List(items) => Ok(items.remove(index(last, items.len())?)),
        _ => Err(Kind::Missing),
    }
}

fn replace(root: &mut Value, path: &Pointer, value: Value) -> Result<(), Kind> {
    check_depth(path, &value)?;
    if path.steps().is_empty() {
        *root = value;
        return Ok(());
    }
    let (holder, last) = holder(root, path)?;
    match &mut holder.data {
        Data::Map(map) => {
            map.insert(last.to_owned(), value);
        }
        Data::List(items) => {
            let at = index(last, items.len())?;
            items[at] = value;
        }
        _ => return Err(Kind::Missing),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::apply::json_patch::{JsonPatchErrorKind as Kind, apply_patch, read};
    use crate::value::Value;

    fn patched(object: &str, patch: &str) -> Result<String, Kind> {
        let mut value = Value::from_json(object).unwrap();
        let operations = read(&Value::from_json(patch).unwrap()).map_err(|error| error.kind)?;
        apply_patch(&mut value, operations).map_err(|error| error.kind)?;
        Ok(value.to_json())
    }

    #[test]
    fn every_operation() {
        let object = r#"{"a":[1,2],"m":{"x":1}}"#;
        let cases = [
            (r#"{"op":"add","path":"/a/-","value":9}"#, r#"{"a":[1,2,9],"m":{"x":1}}"#),
            (r#"{"op":"add","path":"/a/0","value":9}"#, r#"{"a":[9,1,2],"m":{"x":1}}"#),
            (r#"{"op":"add","path":"/a/-1","value":9}"#, r#"{"a":[1,2,9],"m":{"x":1}}"#),
            (r#"{"op":"add","path":"/m/x","value":9}"#, r#"{"a":[1,2],"m":{"x":9}}"#),
            (r#"{"op":"remove","path":"/a/-1"}"#, r#"{"a":[1],"m":{"x":1}}"#),
            (r#"{"op":"replace","path":"/m/new","value":9}"#, r#"{"a":[1,2],"m":{"new":9,"x":1}}"#),
            (r#"{"op":"move","from":"/m/x","path":"/y"}"#, r#"{"a":[1,2],"m":{},"y":1}"#),
            (r#"{"op":"copy","from":"/a","path":"/m/a"}"#, r#"{"a":[1,2],"m":{"a":[1,2],"x":1}}"#),
            (r#"{"op":"test","path":"/m","value":{"x":1}}"#, object),
            (r#"{"op":"test","path":"/none","value":null}"#, object),
        ];
        for (operation, result) in cases {
            assert_eq!(patched(object, &format!("[{operation}]")).as_deref(), Ok(result), "{operation}");
        }
    }

    #[test]
    fn every_error() {
        let object = r#"{"a":[1,2],"m":{"x":1}}"#;
        let cases = [
            (r#"{"op":"add","path":"/a/3","value":9}"#, Kind::OutOfBounds),
            (r#"{"op":"add","path":"/a/x","value":9}"#, Kind::NotAnIndex),
            (r#"{"op":"add","path":"/a/00","value":9}"#, Kind::NotAnIndex),
            (r#"{"op":"add","path":"/a/01","value":9}"#, Kind::NotAnIndex),
            (r#"{"op":"add","path":"/a/+1","value":9}"#, Kind::NotAnIndex),
            (r#"{"op":"remove","path":"/a/-0"}"#, Kind::NotAnIndex),
            (r#"{"op":"copy","from":"/none","path":"/m/a"}"#, Kind::Missing),
            (r#"{"op":"add","path":"/q/r","value":9}"#, Kind::Missing),
            (r#"{"op":"add","path":"/m/x/y","value":9}"#, Kind::Missing),
            (r#"{"op":"add","path":"/m/x"}"#, Kind::NoValue),
            (r#"{"op":"add","path":"m/x","value":1}"#, Kind::BadPointer),
            (r#"{"op":"add","value":1}"#, Kind::NoPointer),
            (r#"{"op":"remove","path":"/m/none"}"#, Kind::Missing),
            (r#"{"op":"remove","path":"/a/2"}"#, Kind::OutOfBounds),
            (r#"{"op":"remove","path":""}"#, Kind::Root),
            (r#"{"op":"replace","path":"/a/2","value":1}"#, Kind::OutOfBounds),
            (r#"{"op":"test","path":"/m/x","value":"1"}"#, Kind::TestFailed),
            (r#"{"op":"bogus","path":"/m"}"#, Kind::UnknownOperation),
            (r#"{"path":"/m"}"#, Kind::UnknownOperation),
            (r#"{"op":1,"path":"/m"}"#, Kind::NotAnOperation),
            ("1", Kind::NotAnOperation),
        ];
        for (operation, kind) in cases {
            assert_eq!(patched(object, &format!("[{operation}]")), Err(kind), "{operation}");
        }
        assert_eq!(patched(object, r#"{"op":"add"}"#), Err(Kind::NotAList));
    }

    #[test]
    fn growth_is_bounded() {
        let copies = |count| format!("[{}]", vec![r#"{"op":"copy","from":"/a","path":"/a/-"}"#; count].join(","));
        assert!(patched(r#"{"a":[[]]}"#, &copies(10)).is_ok());
        assert_eq!(patched(r#"{"a":[[]]}"#, &copies(60)), Err(Kind::TooMuch));
        let deeper = vec![
            r#"{"op":"move","from":"/a","path":"/b"},{"op":"add","path":"/a","value":{}},{"op":"move","from":"/b","path":"/a/a"}"#;
            300
        ];
        assert_eq!(patched(r#"{"a":[]}"#, &format!("[{}]", deeper.join(","))), Err(Kind::TooDeep));
    }
}
