//! kmerge's answers in its compatible mode, in the terms of kubectl's.

use kmerge_core::Schema;
use kmerge_core::apply::{Algorithm, Request, apply_object, create_object, plan_object};
use kmerge_core::apply::{ListKeys, ListOrder, Overwrite};
use kmerge_core::apply::{PatchKind, PatchOptions, patch};
use kmerge_core::value::{self, Map, from_json, to_json};
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
            return (Applied::Created(plain(&create_object(config))), None);
        };
        let live = own(live);
        let (Some(live), Some(config)) = (live.as_map(), config.as_map()) else { return refused() };
        let request = self.request(live, config, overwrite);
        match plan_object(&request) {
            Ok(planned) if !planned.conflicts.is_empty() => refused(),
            Ok(planned) if planned.patch.is_empty() => (Applied::Unchanged, None),
            Ok(planned) => {
                let result = apply_object(&request).ok().map(|applied| plain(&value::Value::map(applied.result)));
                (Applied::Configured(media_type(request.algorithm), plain(&value::Value::map(planned.patch))), result)
            }
            Err(_) => refused(),
        }
    }

    fn request<'v>(&'v self, live: &'v Map, config: &'v Map, overwrite: bool) -> Request<'v> {
        let algorithm = Algorithm::of(&self.schema, config, ListKeys::Smp);
        let overwrite = if overwrite { Overwrite::Yes } else { Overwrite::No };
        Request { live, config, last_applied: None, part: None, algorithm, overwrite, list_order: ListOrder::Kubectl }
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
        patch(&mut object, &own(patch_value), kind, options).ok()?;
        Some(plain(&object))
    }
}

fn media_type(algorithm: Algorithm<'_>) -> String {
    match algorithm {
        Algorithm::Strategic(_) => PatchType::Strategic.sent(),
        Algorithm::JsonMerge => PatchType::Merge.sent(),
    }
}

/// A value as kmerge reads it.
pub(crate) fn own(json: &Value) -> value::Value {
    from_json(&json.to_string()).unwrap_or_else(|_| value::Value::null())
}

/// A value of kmerge as JSON.
pub(crate) fn plain(value: &value::Value) -> Value {
    serde_json::from_str(&to_json(value)).unwrap_or(Value::Null)
}
