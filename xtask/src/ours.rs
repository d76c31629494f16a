//! kmerge's answers in its compatible mode, in the terms of kubectl's.

use kmerge_core::Schema;
use kmerge_core::apply::{Algorithm, ListKeys, ListOrder, PatchKind, PatchOptions, Sides};
use kmerge_core::value;
use serde_json::Value;

use crate::kubectl::{Applied, PatchType};

/// kmerge with what it knows about kinds.
pub(crate) struct Ours {
    schema: Schema,
}

impl Ours {
    pub(crate) fn new() -> Self {
        Self { schema: Schema::new() }
    }

    /// What is sent for a configuration, and what that leaves of the live object.
    pub(crate) fn apply(
        &self,
        live: Option<&Value>,
        config: &value::Value,
        overwrite: bool,
    ) -> (Applied, Option<Value>) {
        let refused = || (Applied::Refused(String::new()), None);
        let Some(live) = live else {
            return (Applied::Created(plain(&config.created())), None);
        };
        let (live, config) = (own(live), config.annotated());
        let Ok(last_applied) = live.last_applied() else { return refused() };
        let (Some(live), Some(config)) = (live.as_map(), config.as_map()) else { return refused() };
        let algorithm = Algorithm::of(&self.schema, config, ListKeys::Smp);
        let sides = Sides { last_applied: last_applied.as_ref(), config, live };
        match algorithm.plan(&sides, overwrite) {
            Ok(planned) if !planned.conflicts.is_empty() => refused(),
            Ok(planned) if planned.patch.is_empty() => (Applied::Unchanged, None),
            Ok(planned) => {
                let mut result = live.clone();
                let applied = algorithm.apply(&mut result, planned.patch.clone(), ListOrder::Kubectl);
                let result = applied.ok().map(|()| plain(&value::Value::map(result)));
                (Applied::Configured(media_type(algorithm), plain(&value::Value::map(planned.patch))), result)
            }
            Err(_) => refused(),
        }
    }

    /// An object after a patch; `None` where the patch is refused.
    pub(crate) fn patch(&self, object: &Value, patch_value: &Value, kind: PatchType) -> Option<Value> {
        let options = PatchOptions { schema: &self.schema, keys: ListKeys::Smp, order: ListOrder::Kubectl };
        let kind = match kind {
            PatchType::Strategic => PatchKind::Strategic,
            PatchType::Merge => PatchKind::Merge,
            PatchType::Json => PatchKind::Json,
        };
        let mut object = own(object);
        object.patch(&own(patch_value), kind, options).ok()?;
        Some(plain(&object))
    }
}

fn media_type(algorithm: Algorithm<'_>) -> String {
    match algorithm.kind() {
        PatchKind::Strategic => PatchType::Strategic.sent(),
        PatchKind::Merge | PatchKind::Json => PatchType::Merge.sent(),
    }
}

/// A value as kmerge reads it.
pub(crate) fn own(json: &Value) -> value::Value {
    value::Value::from_json(&json.to_string()).unwrap_or_else(|_| value::Value::null())
}

/// A value of kmerge as JSON.
pub(crate) fn plain(value: &value::Value) -> Value {
    serde_json::from_str(&value.to_json()).unwrap_or(Value::Null)
}
