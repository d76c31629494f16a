//! Makes the patch from one object to another.

use super::algorithm::Algorithm;
use super::error::PatchError;
use super::json_merge;
use super::patch::{PatchKind, PatchOptions};
use super::strategic::two_way_patch;
use crate::schema::CANDIDATES;
use crate::value::{Data, Map, Value};

impl Value {
    /// The patch that turns this value into `new`. It was tested by applying it.
    ///
    /// # Errors
    ///
    /// [`PatchError`] if no patch of this kind can do it.
    pub fn diff(&self, new: &Self, kind: PatchKind, options: PatchOptions<'_>) -> Result<Self, PatchError> {
        let (Data::Map(old_map), Data::Map(new_map)) = (&self.data, &new.data) else {
            return Err(PatchError::Inexpressible);
        };
        let made = match kind {
            PatchKind::Merge => Self::map(json_merge::diff(old_map, new_map)),
            PatchKind::Json => Self::list(operations(self, new)),
            PatchKind::Strategic => {
                let meta = Algorithm::of(options.schema, new_map, options.keys).meta;
                Self::map(two_way_patch(old_map, new_map, meta.ok_or(PatchError::UnknownKind)?)?)
            }
        };
        let mut result = self.clone();
        result.patch(&made, kind, options)?;
        if result == *new { Ok(made) } else { Err(PatchError::Inexpressible) }
    }
}

fn operations(old: &Value, new: &Value) -> Vec<Value> {
    let mut writer = Writer { path: String::new(), operations: Vec::new() };
    writer.value(old, new);
    writer.operations
}

/// Whether two items have different values for one of the usual keys.
fn is_other(old: &Value, new: &Value) -> bool {
    let differs = |key: &&str| matches!((old.get(key), new.get(key)), (Some(old), Some(new)) if old != new);
    CANDIDATES.iter().any(differs)
}

struct Writer {
    path: String,
    operations: Vec<Value>,
}

impl Writer {
    fn value(&mut self, old: &Value, new: &Value) {
        match (&old.data, &new.data) {
            (Data::Map(old), Data::Map(new)) => self.fields(old, new),
            (Data::List(old), Data::List(new)) => self.items(old, new),
            (old, new_data) if old != new_data => self.write("replace", Some(new)),
            _ => {}
        }
    }

    fn fields(&mut self, old: &Map, new: &Map) {
        for key in old.keys().filter(|key| !new.contains_key(*key)) {
            self.below(key, |writer| writer.write("remove", None));
        }
        for (key, value) in new {
            self.below(key, |writer| match old.get(key) {
                Some(old) => writer.value(old, value),
                None => writer.write("add", Some(value)),
            });
        }
    }

    /// The items between those that are equal at the start and at the end: first changed one by one, then removed or
    /// added.
    fn items(&mut self, old: &[Value], new: &[Value]) {
        let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        let (old, new) = (&old[start..], &new[start..]);
        let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
        let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
        let common = old.len().min(new.len());
        for (index, (old, new)) in old.iter().zip(new).enumerate() {
            self.below(&(start + index).to_string(), |writer| match is_other(old, new) {
                true => writer.write("replace", Some(new)),
                false => writer.value(old, new),
            });
        }
        for index in (common..old.len()).rev() {
            self.below(&(start + index).to_string(), |writer| writer.write("remove", None));
        }
        for (index, value) in new.iter().enumerate().skip(common) {
            self.below(&(start + index).to_string(), |writer| writer.write("add", Some(value)));
        }
    }

    fn below(&mut self, step: &str, f: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(&step.replace('~', "~0").replace('/', "~1"));
        f(self);
        self.path.truncate(length);
    }

    fn write(&mut self, operation: &str, value: Option<&Value>) {
        let fields = [
            ("op", Some(Value::text(operation))),
            ("path", Some(Value::text(self.path.as_str()))),
            ("value", value.cloned()),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        self.operations.push(Value::map(fields.collect()));
    }
}
